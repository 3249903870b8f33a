package port

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os/exec"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

const (
	ahead   = 256      // requests without a reply at any moment: fewer than what pipes hold, so that nobody waits for nothing
	parcels = 16 << 10 // bytes that are written at once
)

// AskAll asks many things without waiting for each reply, so that a slow way there and back costs little: each is told each
// reply, with its number, which counts from 0, in the order of requests. What is asked
// must not depend on what is answered. The first error ends it: of the port, which is a *Failure, or of each. No reply may take
// longer than Config.Answer after the one before it.
func (p *Process) AskAll(requests iter.Seq[Request], each func(n int, request *Request, reply *Reply) error) error {
	if p.failed != nil {
		return p.failed
	}
	if p.config.Isolate || p.slowly {
		return p.askEach(requests, each)
	}
	a := newAsking(p, each)
	defer a.end()
	for request := range requests {
		if err := a.add(request); err != nil {
			return a.stop(err)
		}
	}
	a.post()
	for len(a.waiting) > 0 {
		if err := a.take(); err != nil {
			return a.stop(err)
		}
	}
	return nil
}

// askEach asks one thing after the other: which program is asked, only a request says.
func (p *Process) askEach(requests iter.Seq[Request], each func(n int, request *Request, reply *Reply) error) error {
	n := 0
	for request := range requests {
		reply, err := p.Ask(&request)
		if err == nil {
			err = each(n, &request, reply)
		}
		if err != nil {
			return err
		}
		n++
	}
	return nil
}

// asking is what AskAll has under way.
type asking struct {
	port    *Process
	program *program
	each    func(n int, request *Request, reply *Reply) error
	waiting []sent // without a reply yet
	taken   int
	parcel  []byte
	posted  chan []byte // to who writes
	written chan error  // what came of it, once
}

// sent is a request that was sent.
type sent struct {
	request Request
	text    string
}

func newAsking(p *Process, each func(int, *Request, *Reply) error) *asking {
	a := &asking{port: p, program: p.programs[0], each: each, posted: make(chan []byte, ahead), written: make(chan error, 1)}
	go func(to io.Writer) {
		var failed error
		for parcel := range a.posted {
			if failed == nil {
				_, failed = to.Write(parcel)
			}
		}
		a.written <- failed
	}(a.program.in)
	return a
}

// add sends one more, and takes replies when enough are under way.
func (a *asking) add(request Request) error {
	p := a.port
	p.next++
	request.ID = p.next
	text, err := json.Marshal(&request)
	if err != nil {
		panic(fmt.Sprintf("port: %s: %v", request.Op, err)) // the kit makes requests that can be written
	}
	a.waiting = append(a.waiting, sent{request, string(text)})
	if a.parcel = append(append(a.parcel, text...), '\n'); len(a.parcel) >= parcels {
		a.post()
	}
	if len(a.waiting) < ahead {
		return nil
	}
	a.post()
	for len(a.waiting) > ahead/2 {
		if err := a.take(); err != nil {
			return err
		}
	}
	return nil
}

// post hands on what is to be written.
func (a *asking) post() {
	if len(a.parcel) > 0 {
		a.posted <- a.parcel
		a.parcel = nil
	}
}

// take takes the reply that comes next.
func (a *asking) take() error {
	next := a.waiting[0]
	a.waiting = a.waiting[1:]
	a.port.remember(a.program, next.text)
	reply, failure := a.port.take(a.program, &next.request, next.text, a.port.config.Answer)
	if failure != nil {
		return failure
	}
	a.taken++
	return a.each(a.taken-1, &next.request, reply)
}

// stop takes the replies that are still to come, so that the port can be asked more, and returns the error.
func (a *asking) stop(err error) error {
	a.post()
	a.each = func(int, *Request, *Reply) error { return nil }
	for len(a.waiting) > 0 && a.port.failed == nil {
		_ = a.take() // what else is wrong comes too late
	}
	return err
}

// end waits until what was posted is written, or cannot be.
func (a *asking) end() {
	close(a.posted)
	if a.port.failed != nil {
		_ = a.program.in.Close() // so that who writes to a port that reads no more is not stuck
	}
	<-a.written
}

// Answers puts many cases to the port without waiting for each answer, as AskAll does, and tells each what came: an outcome; and if
// the answer is none that any node could give, in which way: the outcome is then good if the failure is of the kind Wrong. The case that it
// is told is a copy, and is its own.
func (p *Process) Answers(cases iter.Seq[*conformance.Case], each func(c *conformance.Case, got spec.Step, wrong *Failure) error) error {
	type question struct {
		conformance.Case
		requests int      // that have no reply yet
		unloaded *Failure // the node is not in the state that it was given
	}
	var waiting []*question
	requests := func(yield func(Request) bool) {
		for c := range cases {
			q := &question{Case: *c}
			q.Before = c.Before.Clone()
			q.Want.State, q.Want.Sent = c.Want.State.Clone(), slices.Clone(c.Want.Sent)
			all := questionOf(q.ID, q.Members, &q.Before, &q.Input)
			q.requests = len(all)
			waiting = append(waiting, q)
			for k := range all {
				if !yield(all[k]) {
					return
				}
			}
		}
	}
	err := p.AskAll(requests, func(_ int, _ *Request, reply *Reply) error {
		q := waiting[0]
		if q.requests--; q.requests > 0 {
			q.unloaded = p.unloaded(reply, &q.Before)
			return nil
		}
		got, wrong := spec.Step{}, q.unloaded
		if wrong == nil {
			got, wrong = p.judge(reply, q.ID, &q.Before, &q.Input)
		}
		if err := each(&q.Case, got, wrong); err != nil {
			return err
		}
		waiting = waiting[1:]
		return nil
	})
	if len(waiting) > 0 {
		blame(err, waiting[0].Rule)
	}
	return err
}

// blame says of a port that has failed at a request by which rule it had to take it.
func blame(err error, rule string) {
	var failure *Failure
	if errors.As(err, &failure) && failure.Rule == "" && failure.Kind != Wrong && failure.Kind != Missing {
		failure.Rule = rule
	}
}

// unloaded holds a reply to Load to the state that was given.
func (p *Process) unloaded(reply *Reply, state *spec.State) *Failure {
	switch {
	case reply.Error != "":
		return p.fail(Erred, "the port says: "+reply.Error)
	case reply.Unsupported != "":
		return p.fail(Missing, "the port does not support this: "+reply.Unsupported)
	case !reply.State.Equal(*state):
		return p.wrong("", reply, "the state after \"load\" must be the one that was given")
	}
	return nil
}

// AskPieces asks many things at once, as text that arrives in pieces: cut is given all lines, and returns what is written, piece by
// piece, with a pause between two. Every line that is there as a whole must be answered before the next piece is written. It returns
// the lines that were answered, of which there are fewer than requests if one failed. A piece must be shorter than what a pipe holds. All go to the first program, whatever Config.Isolate says.
func (p *Process) AskPieces(requests []Request, cut func(text []byte) [][]byte, pause time.Duration) (answers []string, err error) {
	if p.failed != nil {
		return nil, p.failed
	}
	g := p.programs[0]
	var text []byte
	var lines []string
	for k := range requests {
		p.next++
		requests[k].ID = p.next
		line, err := json.Marshal(&requests[k])
		if err != nil {
			return nil, fmt.Errorf("port: %s: %w", requests[k].Op, err)
		}
		lines = append(lines, string(line))
		text = append(append(text, line...), '\n')
	}
	for k, piece := range cut(text) {
		if k > 0 {
			time.Sleep(pause)
		}
		if _, err := g.in.Write(piece); err != nil {
			return answers, p.give(Died, lines[len(answers)], "", g.gone(err))
		}
		for range bytes.Count(piece, []byte("\n")) {
			n := len(answers)
			p.remember(g, lines[n])
			if _, failure := p.take(g, &requests[n], lines[n], p.config.Answer); failure != nil {
				return answers, failure
			}
			answers = append(answers, p.answered)
		}
	}
	return answers, nil
}

// Leave ends the port, which is of no more use then, and says what is wrong with how it ends: within some time, with status 0, and
// without another word. If bye, it is told so, and its input stays open; if not, its input ends. The rest is what it is sent behind bye, or
// before the end: it must not be answered.
func (p *Process) Leave(bye bool, rest string, within time.Duration) error {
	g, after := p.programs[0], "after bye"
	if bye {
		if err := p.bye(g, rest); err != nil {
			return err
		}
	} else {
		after = "after the end of its input, which is as good as bye"
		_, _ = g.in.Write([]byte(rest)) // if it has ended already, its status says so
		_ = g.in.Close()
	}
	over := time.NewTimer(within)
	defer over.Stop()
	wrong := func(kind Kind, problem string) error {
		_ = g.in.Close()
		p.Kill()
		return p.give(kind, p.lastRequest(), "", problem)
	}
	ended := make(chan error, 1)
	lines := g.lines
	for {
		select {
		case l, more := <-lines:
			switch {
			case more && (l.err == nil || len(l.text) > 0):
				return wrong(Nonsense, fmt.Sprintf("it goes on writing %s: %s", after, short(l.text)))
			case lines != nil: // nothing more comes
				lines = nil
				go func() { ended <- g.wait() }()
			}
		case err := <-ended:
			var status *exec.ExitError
			switch {
			case errors.As(err, &status):
				return wrong(Wrong, fmt.Sprintf("its exit status is %d %s, and must be 0 (%v)", status.ExitCode(), after, err))
			case err != nil:
				return wrong(Wrong, fmt.Sprintf("it does not end well %s: %v", after, err))
			}
			return nil
		case <-over.C:
			return wrong(Wrong, fmt.Sprintf("it has not ended %.3g s %s", within.Seconds(), after))
		}
	}
}

// bye tells a program that it must end, and in the same breath something more.
func (p *Process) bye(g *program, rest string) error {
	p.next++
	request := Request{ID: p.next, Op: Bye}
	text := fmt.Sprintf(`{"id":%d,"op":%q}`, request.ID, request.Op)
	p.remember(g, text)
	if _, err := g.in.Write([]byte(text + "\n" + rest)); err != nil {
		return p.give(Died, text, "", g.gone(err))
	}
	if _, failure := p.take(g, &request, text, p.config.Answer); failure != nil {
		return failure
	}
	return nil
}

// CountFrom lets the ids of requests go on from a number, which must be higher than all that there have been: they are integers, up to 2^53-1.
func (p *Process) CountFrom(id uint64) { p.next = max(p.next, id-1) }
