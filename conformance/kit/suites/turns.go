package suites

import (
	"encoding/json"
	"errors"
	"iter"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/port"
)

const (
	abreast  = 32 // runs that take turns, so that their requests are sent in one piece
	maxTalks = 10 // requests that a failure shows
)

// talk is what is said to a port in one run of several, which take turns.
type talk struct {
	port     *port.Process
	name     string // of the run: nodes of other runs are called otherwise
	say      func(*port.Request) (*port.Reply, error)
	last     []port.Request
	answered string
}

// alone makes the talk of a run that takes no turns.
func alone(p *port.Process) *talk {
	t := &talk{port: p, name: "alone"}
	t.say = func(q *port.Request) (*port.Reply, error) {
		reply, err := p.Ask(q)
		t.answered = p.Answered()
		return reply, err
	}
	return t
}

// ask asks one thing, of a node that is called as in this run.
func (t *talk) ask(q *port.Request) (*port.Reply, error) {
	q.Node = t.name + "/" + q.Node
	reply, err := t.say(q)
	t.last = append(t.last[max(0, len(t.last)-maxTalks+1):], *q)
	return reply, err
}

// wrong makes a failure of the last exchange of this run.
func (t *talk) wrong(rule, problem string) *port.Failure {
	failure := t.port.Wrong(rule, problem)
	failure.Last = nil
	for k := range t.last {
		text, err := json.Marshal(&t.last[k])
		if err != nil {
			continue // it was said, and so it can be written
		}
		failure.Last = append(failure.Last, string(text))
		failure.Request = string(text)
	}
	failure.Reply = t.answered
	return failure
}

// errNoMore ends a run that nobody waits for any more.
var errNoMore = errors.New("another run has failed")

// turn is a run that takes turns: it stops where it asks something, until it is answered.
type turn struct {
	talk
	next    func() (*port.Request, bool)
	stop    func()
	request *port.Request
	reply   *port.Reply
	err     error
}

// newTurn makes a run wait for its first turn.
func newTurn(p *port.Process, name string, run func(*talk) error) *turn {
	t := &turn{talk: talk{port: p, name: name}}
	t.next, t.stop = iter.Pull(func(yield func(*port.Request) bool) {
		t.say = func(q *port.Request) (*port.Reply, error) {
			if !yield(q) {
				return nil, errNoMore
			}
			return t.reply, nil
		}
		t.err = run(&t.talk)
	})
	return t
}

// together makes many runs, some at a time, each of which asks one thing when it is its turn: what a run asks depends on what it was
// answered, and still the port is asked many things ahead. The first run that fails, in their order, ends all.
func together(p *port.Process, names []string, runs []func(*talk) error) error {
	var busy []*turn
	defer func() {
		for _, t := range busy {
			t.stop()
		}
	}()
	for begun := 0; begun < len(runs) || len(busy) > 0; {
		for ; begun < len(runs) && len(busy) < abreast; begun++ {
			busy = append(busy, newTurn(p, names[begun], runs[begun]))
		}
		var asked []*turn
		var requests []port.Request
		for _, t := range busy {
			q, more := t.next()
			switch {
			case more:
				t.request = q
				asked, requests = append(asked, t), append(requests, *q)
			case t.err != nil:
				return t.err
			}
		}
		busy = asked
		if err := p.AskAll(slices.Values(requests), func(n int, q *port.Request, reply *port.Reply) error {
			t := asked[n]
			t.reply, t.answered, t.request.ID = reply, p.Answered(), q.ID
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
