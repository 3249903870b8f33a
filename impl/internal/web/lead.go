package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/spec"
)

// Leader runs work in the reigns of a node. A host.Host is one.
type Leader interface {
	Lead(ctx context.Context, work func(context.Context, host.Reign) error) error
}

// TermLine is a line that GET /lead answers: the program leads from now on, or does no longer.
type TermLine struct {
	Leading bool       `json:"leading"`
	Epoch   spec.Epoch `json:"epoch"`          // the fencing token
	Term    string     `json:"term,omitempty"` // names the term to GET /lease and POST /progress
	Why     string     `json:"why,omitempty"`  // why the program leads no longer
}

// Lease is what GET /lease answers.
type Lease struct {
	Epoch   spec.Epoch `json:"epoch"`
	HoldsMS int64      `json:"holds_ms"` // how long the program may act, from when it has sent the question
}

const (
	// defaultSilence is how long a program may ask for no lease, unless it says otherwise.
	defaultSilence = 2 * time.Second
	// maxSilence is the longest that it may say, of leases and of progress.
	maxSilence = 24 * time.Hour
)

// Why a program that is there leads no longer.
var (
	errSilent = errors.New("the program has been silent for too long")
	errUnheld = errors.New("the program cannot hold the address of the node")
)

// lead has the node lead for the program that asks, in reign after reign, until it closes the connection, or is silent for too long.
func (p *Programs) lead(w http.ResponseWriter, r *http.Request) {
	limits, err := parseLimits(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if p.lends && !limits.hold && !limits.fenced {
		http.Error(w, mustHold, http.StatusConflict)
		return
	}
	p.enter(1) // before it is told so: the node is not to end beside who was
	defer p.enter(-1)
	lines := newLines(w)
	if lines.flush() != nil {
		return
	}
	select {
	case p.turn <- struct{}{}: // one at a time: a fence cannot tell two apart that lead in one epoch
		defer func() { <-p.turn }()
	case <-r.Context().Done():
		return
	}
	// While it waits, the end of the connection is the end of that. While it leads, it ends the work: the node resigns, so that the next
	// program has an epoch of its own.
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	var last *beside
	for {
		if last, err = p.next(r.Context(), last); err != nil {
			return
		}
		for err == nil { // it has stopped by itself: the reign went on, and the node has resigned
			waits := context.AfterFunc(r.Context(), cancel)
			err = last.leader.Lead(ctx, func(work context.Context, reign host.Reign) error {
				if !waits() {
					cancel()
					return nil
				}
				err := p.leadFor(r.Context(), newTerm(reign, work, limits, last.address), lines)
				if work.Err() != nil { // it waits for the next reign
					waits = context.AfterFunc(r.Context(), cancel)
				}
				return err
			})
			waits()
		}
		if errors.Is(err, errSilent) || errors.Is(err, errUnheld) || r.Context().Err() != nil {
			return
		}
		p.logger.Info("the node has ended beside a program, which waits for it", "why", err)
	}
}

// leadFor lets a program lead for a term. It returns when the program does not act any more.
func (p *Programs) leadFor(asks context.Context, t *term, lines *lines) error {
	p.terms.add(t)
	defer p.terms.remove(t)
	if err := lines.write(TermLine{Leading: true, Epoch: t.reign.Epoch(), Term: t.id}); err != nil {
		return err
	}
	closed, over, isOver := asks.Done(), t.work.Done(), TermLine{Epoch: t.reign.Epoch(), Term: t.id, Why: "the reign is over"}
	for {
		left, why := t.end()
		if left <= 0 && why != "" { // also if it has stopped by now: its work was stuck
			p.logger.Warn("a program that leads is taken to be stopped, or stuck: the node leads for it no longer", "epoch", uint64(t.reign.Epoch()), "why", why)
			_ = lines.write(TermLine{Epoch: t.reign.Epoch(), Term: t.id, Why: why})
			return errSilent
		}
		if left <= 0 && over != nil {
			return lines.write(isOver)
		}
		if left <= 0 {
			return nil
		}
		select {
		case <-closed:
			t.leave()
			closed, over = nil, nil // nobody is there to be told
		case <-t.stopped:
			if err := t.notLent(); err != nil {
				p.logger.Error("a program could not be lent the address of this node, which it is to hold while it acts: the node leads for it no longer. -no-proof at all nodes does without", "err", err)
				_ = lines.write(TermLine{Epoch: t.reign.Epoch(), Term: t.id, Why: errUnheld.Error()})
				return errUnheld
			}
			if !t.isSilent() {
				return nil
			}
			t.takeBack()
		case <-over:
			over = nil
			_ = lines.write(isOver) // if it has gone, that is noticed
		case <-time.After(left):
		}
	}
}

// lease answers for how long the program that leads for a term may act.
func (p *Programs) lease(w http.ResponseWriter, r *http.Request) {
	p.ofTerm(w, r, (*term).ask)
}

// progress notes that the work of a program has come further, and answers as lease does.
func (p *Programs) progress(w http.ResponseWriter, r *http.Request) {
	p.ofTerm(w, r, func(t *term, now time.Time) time.Duration {
		if !t.comeFurther(now) {
			return 0
		}
		return t.ask(now)
	})
}

// stopped notes that a program does not act any more in a term. If its reign goes on, the node resigns.
func (p *Programs) stopped(w http.ResponseWriter, r *http.Request) {
	if t := p.named(w, r); t != nil {
		t.stop()
	}
}

// named returns the term that a question is about; or answers that there is none, and returns nil.
func (p *Programs) named(w http.ResponseWriter, r *http.Request) *term {
	id := r.FormValue("term")
	if id == "" {
		http.Error(w, "which term? Give it as in ?term=ID, with the term that GET /lead has said", http.StatusBadRequest)
		return nil
	}
	t := p.terms.find(id)
	if t == nil {
		http.Error(w, "this term is over, or was never: stop, and ask GET /lead for the next", http.StatusGone)
	}
	return t
}

// ofTerm answers a question about the term that it names.
func (p *Programs) ofTerm(w http.ResponseWriter, r *http.Request, ask func(*term, time.Time) time.Duration) {
	t := p.named(w, r)
	if t == nil {
		return
	}
	if t.limits.hold {
		select { // it is given none before it holds the address; its question may have overtaken the connection by which it does
		case <-t.held:
		case <-t.gone:
		case <-r.Context().Done():
			return
		}
	}
	lease := Lease{Epoch: t.reign.Epoch(), HoldsMS: ask(t, time.Now()).Milliseconds()}
	if lease.HoldsMS == 0 {
		http.Error(w, "this term is over: stop, and ask GET /lead for the next", http.StatusGone)
		return
	}
	answer(w, http.StatusOK, lease)
}

// mustHold is told to a program that says neither.
const mustHold = "if this node is killed alone, the others lead at once, and this program might act yet: have it hold the node's address while it acts, and ask /lead?hold=true " +
	"(impl/AGENT.md; the clients and bully lead do); or say /lead?fenced=true, if what it writes to refuses older epochs; or give -no-proof to all nodes"

// parseLimits reads how silent a program may be, and what the end of its node says of it.
func parseLimits(r *http.Request) (limits, error) {
	l := limits{lease: defaultSilence}
	for name, into := range map[string]*bool{"hold": &l.hold, "fenced": &l.fenced} {
		switch text := r.FormValue(name); text {
		case "true":
			*into = true
		case "", "false":
		default:
			return l, fmt.Errorf("%s=%q: give true or false", name, text)
		}
	}
	for name, into := range map[string]*time.Duration{"lease": &l.lease, "progress": &l.progress} {
		text := r.FormValue(name)
		if text == "" {
			continue
		}
		d, err := time.ParseDuration(text)
		if err != nil || d < time.Millisecond || d > maxSilence {
			return l, fmt.Errorf("%s=%q: give a time from 1ms to 24h, as in %s=2s", name, text, name)
		}
		*into = d
	}
	return l, nil
}

// lines writes lines of JSON to who reads them as they come.
type lines struct {
	w   http.ResponseWriter
	out *http.ResponseController
}

func newLines(w http.ResponseWriter) *lines {
	w.Header().Set("Content-Type", "application/x-ndjson")
	return &lines{w, http.NewResponseController(w)}
}

func (l *lines) write(v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		err = l.out.SetWriteDeadline(time.Now().Add(patience))
	}
	if err == nil {
		_, err = l.w.Write(append(line, '\n'))
	}
	return errors.Join(err, l.flush())
}

func (l *lines) flush() error { return l.out.Flush() }
