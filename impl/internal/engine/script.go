package engine

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/impl/internal/subject"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces"
)

// Script makes a script of package cluster of a trace. The error is why there is none: the core, when it does what the script
// says, must do what the trace says. Times are not looked at, since a script has none; nor is when exactly a message was lost.
func Script(trace []byte) (*cluster.Script, error) {
	header, events, err := traces.Read(trace)
	if err != nil {
		return nil, err
	}
	w := writer{script: cluster.Script{Members: header.Members, Unstarted: true, First: firstOf(&header, events)}, links: map[spec.Link][]underWay{}, up: map[spec.NodeID]bool{},
		known: map[spec.NodeID]bool{}, again: repeats(events)}
	for i := range events {
		if err := w.add(&events[i]); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
	}
	var out bytes.Buffer
	again := spec.NewTraceWriter(&out, spec.Header{Changing: header.Changing, Members: header.Members, Commit: "script"})
	if _, err := w.script.Run(subject.New, cluster.Options{Trace: again}); err != nil {
		return nil, err
	}
	if err := again.Flush(); err != nil {
		return nil, err
	}
	_, replayed, err := traces.Read(out.Bytes())
	if err != nil {
		return nil, err
	}
	if at, same := sameSteps(events, replayed); !same {
		return nil, fmt.Errorf("as a script it goes another way from step %d on", at+1)
	}
	return &w.script, nil
}

// firstOf returns the configuration that the first members of a trace start with; none where members are fixed. If none of them
// starts in it, one will do that nobody starts with.
func firstOf(h *spec.Header, events []spec.Event) (first spec.Configuration) {
	if !h.Changing {
		return first
	}
	for i := range events {
		if c := events[i].State.Configuration; events[i].Action == spec.StartAction && !c.IsEmpty() {
			return c
		}
	}
	first, _ = spec.NewConfiguration(0, 1, []spec.Member{{ID: h.Members[0], Kind: spec.Voter}})
	return first
}

// sameSteps reports whether two runs are the same, but for their losses and times, and else from which step on they are not.
func sameSteps(a, b []spec.Event) (at int, same bool) {
	lost := func(e spec.Event) bool { return e.Action == spec.LoseAction }
	a, b = slices.DeleteFunc(slices.Clone(a), lost), slices.DeleteFunc(slices.Clone(b), lost)
	for i := range min(len(a), len(b)) {
		x, y := &a[i], &b[i]
		if x.Node != y.Node || x.Action != y.Action || x.Input.Message != y.Input.Message ||
			x.Input.Configuration != y.Input.Configuration || !slices.Equal(x.Input.Cut, y.Input.Cut) ||
			!slices.Equal(x.Sent, y.Sent) || !x.State.Equal(y.State) {
			return i, false
		}
	}
	return min(len(a), len(b)), len(a) == len(b)
}

// writer makes a script of events.
type writer struct {
	script cluster.Script
	links  map[spec.Link][]underWay // what is under way, as far as the script has it
	up     map[spec.NodeID]bool
	known  map[spec.NodeID]bool // it has a record
	cut    []spec.Link
	again  map[spec.Message]int // how often a message comes once more than it was sent
}

// repeats returns how often each message is received, or lost, once more than it was sent, if it is.
func repeats(events []spec.Event) map[spec.Message]int {
	again := map[spec.Message]int{}
	for i := range events {
		for _, m := range events[i].Sent {
			again[m]--
		}
		if m := events[i].Input.Message; m != (spec.Message{}) {
			again[m]++
		}
	}
	return again
}

// underWay is a message, and whether it is lost already: a script loses it when what was sent after it arrives. Until then it
// makes no difference.
type underWay struct {
	message spec.Message
	lost    bool
}

// find returns the place of a message on its link that is not lost, or -1.
func (w *writer) find(m *spec.Message) int {
	return slices.Index(w.links[spec.Link{From: m.From, To: m.To}], underWay{message: *m})
}

func (w *writer) op(op cluster.Op) { w.script.Ops = append(w.script.Ops, op) }

// add adds what makes an event happen.
func (w *writer) add(e *spec.Event) error {
	switch {
	case e.Action == spec.LoseAction:
		m := &e.Input.Message
		at := w.find(m)
		if at < 0 {
			return errors.New(m.String() + " is not under way")
		}
		w.links[spec.Link{From: m.From, To: m.To}][at].lost = true
		return nil
	case e.Action == spec.CutAction:
		op := cluster.Op{Kind: cluster.Cut, Cut: e.Input.Cut}
		if len(e.Input.Cut) == 0 {
			op.Kind = cluster.Heal
		}
		w.op(op)
		w.cut = slices.Clone(e.Input.Cut)
		for _, l := range w.cut {
			delete(w.links, l)
		}
		return nil
	case e.Action == spec.CrashAction:
		w.crash(e)
		return nil
	case e.Action == spec.StartAction:
		w.op(cluster.Op{Kind: cluster.Start, Node: e.Node})
		w.known[e.Node] = true
	case e.Action == spec.RestartAction:
		w.record(e)
		w.op(cluster.Op{Kind: cluster.Restart, Node: e.Node})
	case e.Input.Timer != "":
		w.op(cluster.Op{Kind: cluster.End, Node: e.Node, Timer: e.Input.Timer})
	case e.Input.Call == spec.ResignCall:
		w.op(cluster.Op{Kind: cluster.Resign, Node: e.Node})
	case e.Input.Call == spec.HolderDeadCall:
		w.op(cluster.Op{Kind: cluster.Dead, Node: e.Node})
	case e.Input.Call == spec.ChangeCall:
		w.op(cluster.Op{Kind: cluster.Change, Node: e.Node, Configuration: e.Input.Configuration})
	default:
		if err := w.deliver(&e.Input.Message); err != nil {
			return err
		}
	}
	w.up[e.Node] = true
	for _, m := range e.Sent {
		if link := (spec.Link{From: m.From, To: m.To}); w.up[m.To] && !slices.Contains(w.cut, link) {
			w.links[link] = append(w.links[link], underWay{message: m})
		}
	}
	return nil
}

// record gives a node that nothing is known of the record that it must have had before the trace began.
func (w *writer) record(e *spec.Event) {
	if w.known[e.Node] {
		return
	}
	w.known[e.Node] = true
	if w.script.Records == nil {
		w.script.Records = make([]*spec.Durable, len(w.script.Members))
	}
	promise := e.State.Durable()
	if e.Action == spec.RestartAction {
		promise.Reserved = e.State.Latest - 1 // a restart begins above what was reserved (R50)
	}
	w.script.Records[slices.Index(w.script.Members, e.Node)] = &promise
}

// crash takes a node down. One that is down already was about to start again.
func (w *writer) crash(e *spec.Event) {
	w.record(e)
	if w.up[e.Node] {
		w.op(cluster.Op{Kind: cluster.Crash, Node: e.Node})
	} else {
		w.op(cluster.Op{Kind: cluster.Restart, Node: e.Node, Crash: cluster.BeforeSave})
	}
	w.up[e.Node] = false
	for link := range w.links {
		if link.From == e.Node || link.To == e.Node {
			delete(w.links, link)
		}
	}
}

// deliver lets a message arrive, and loses those before it on its link.
func (w *writer) deliver(m *spec.Message) error {
	link := spec.Link{From: m.From, To: m.To}
	at := w.find(m)
	if at < 0 {
		return errors.New(m.String() + " is not under way")
	}
	for range at {
		w.op(cluster.Op{Kind: cluster.Lose, Link: link})
	}
	w.links[link] = w.links[link][at+1:]
	if w.again[*m] > 0 {
		w.again[*m]--
		w.op(cluster.Op{Kind: cluster.Repeat, Link: link})
		w.links[link] = append(w.links[link], underWay{message: *m})
		return nil
	}
	w.op(cluster.Op{Kind: cluster.Deliver, Link: link})
	return nil
}
