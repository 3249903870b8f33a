package trace

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// Showing says how a trace is shown. The zero value leaves out what happens all the time.
type Showing struct {
	All bool // shows every event, not only those in which a role, a leader or an epoch changes
}

// Show is Showing.Show for the zero Showing.
func Show(out io.Writer, trace io.Reader) error { return Showing{}.Show(out, trace) }

// Show prints a trace as a timeline — when, who, what, and what the node then is — and then the reigns in it. Times are
// since the first event that has one. If the trace is cut short it shows what there is, and returns the error.
func (g Showing) Show(out io.Writer, trace io.Reader) error {
	reader, err := spec.NewTraceReader(trace)
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	s := shower{states: map[spec.NodeID]spec.State{}, last: map[spec.NodeID]ending{}, all: g.All, out: w}
	_, _ = fmt.Fprintln(w, "time\tnode\twhat\tis")
	var fault error
	for {
		var e spec.Event
		if fault = reader.Read(&e); fault != nil {
			break
		}
		s.show(&e)
	}
	_ = w.Flush()
	_, _ = fmt.Fprintf(out, "\n%d of %d events shown.\n\n", s.shown, s.events)
	s.endings(out, reader.Header().Members)
	if err := s.reigns.print(out); err != nil {
		return err
	}
	if fault != io.EOF {
		return fmt.Errorf("trace: %w", fault)
	}
	return nil
}

// shower shows one event after the other.
type shower struct {
	out           io.Writer
	all           bool
	first         uint64
	states        map[spec.NodeID]spec.State
	last          map[spec.NodeID]ending // of those that were not said to be down
	reigns        reigns
	events, shown int
}

// ending is the last event of a node.
type ending struct {
	event int    // its number
	at    uint64 // when it was
}

func (s *shower) show(e *spec.Event) {
	s.events++
	if s.first == 0 {
		s.first = e.At
	}
	switch {
	case e.Action == spec.CrashAction:
		delete(s.last, e.Node)
	case e.Action.OfNode():
		s.last[e.Node] = ending{s.events, e.At}
	}
	before, known := s.states[e.Node]
	s.states[e.Node] = e.State
	s.reigns.add(e, s.first)
	same := known && before.Role == e.State.Role && before.Leader == e.State.Leader && before.Epoch == e.State.Epoch
	if same && e.Action != spec.CrashAction && !s.all {
		return
	}
	s.shown++
	what := string(e.Action) + e.Input.Besides()
	if len(e.Sent) > 0 {
		what += "; says " + said(e.Sent)
	}
	node, is := "", ""
	if e.Action.OfNode() {
		node, is = e.Node.String(), describe(e)
	}
	_, _ = fmt.Fprintf(s.out, "%s\t%s\t%s\t%s\n", since(e.At, s.first), node, what, is)
}

// endings says after which line each node is heard no more that was not said to be down: what it is shown as last is no news of it, as
// it may have been killed. Of nodes that run the last lines are the last of the trace, or close to them.
func (s *shower) endings(out io.Writer, members []spec.NodeID) {
	for _, id := range members {
		if last, up := s.last[id]; up {
			_, _ = fmt.Fprintf(out, "node %s is heard no more after line %d%s.\n", id, last.event+1, atTime(last.at, s.first))
		}
	}
	if len(s.last) > 0 {
		_, _ = fmt.Fprintln(out)
	}
}

// atTime says when something was, if that is known.
func atTime(at, first uint64) string {
	if at == 0 {
		return ""
	}
	return ", at " + since(at, first)
}

// describe says what a node is after an event.
func describe(e *spec.Event) string {
	if e.Action == spec.CrashAction {
		return fmt.Sprintf("down, has promised epoch %d", e.State.Epoch)
	}
	text := string(e.State.Role)
	switch {
	case e.State.Role == spec.Leader:
		return fmt.Sprintf("LEADER, epoch %d, dated %d", e.State.Epoch, e.State.Dated)
	case e.State.Leader.IsNone():
	case e.State.Role == spec.Follower:
		text += fmt.Sprintf(" of %s since question %d", e.State.Leader, e.State.Lease)
	case e.State.Leader == e.Node:
		text += ", silent" // R30
	default:
		text += fmt.Sprintf(", keeps the lease of %s since question %d", e.State.Leader, e.State.Lease)
	}
	return fmt.Sprintf("%s, epoch %d", text, e.State.Epoch)
}

// said says what was sent: runs of the same message to several nodes as one.
func said(sent []spec.Message) string {
	var parts []string
	for len(sent) > 0 {
		what := content(sent[0])
		n := slices.IndexFunc(sent, func(m spec.Message) bool { return content(m) != what })
		if n < 0 {
			n = len(sent)
		}
		var to []string
		for _, m := range sent[:n] {
			to = append(to, m.To.String())
		}
		parts = append(parts, what+" to "+strings.Join(to, " "))
		sent = sent[n:]
	}
	return strings.Join(parts, ", ")
}

// content says what a message says, but for its ends and its configuration: CLAIM epoch:1 question:4.
func content(m spec.Message) string {
	m.Configuration = spec.Configuration{}
	_, what, _ := strings.Cut(m.String(), " ")
	return what
}

// since says how long after the first event one happened.
func since(at, first uint64) string {
	if at == 0 {
		return ""
	}
	return fmt.Sprintf("%+.6fs", time.Duration((int64(at)-int64(first))*int64(time.Microsecond)).Seconds())
}

// Plain returns text with what the header of a trace cannot hold left out.
func Plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return -1
		}
		return r
	}, text)
	return text[:min(len(text), 255)]
}

// Reign is an epoch and the node that led it, as a trace tells.
type Reign struct {
	Epoch     spec.Epoch
	Leader    spec.NodeID
	From, To  uint64        // when, in microseconds since 1970; 0 if that is not recorded, and To is 0 too if it goes on
	Ended     spec.Action   // the step in which the leader led no more; "" if it goes on
	Followers []spec.NodeID // who followed it, ascending
}

// Reigns returns the reigns in a trace, in the order in which they began. If the trace is cut short it returns those that
// there are, and the error.
func Reigns(trace io.Reader) ([]Reign, error) {
	reader, err := spec.NewTraceReader(trace)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	var all reigns
	var e spec.Event
	for {
		switch err := reader.Read(&e); {
		case err == io.EOF:
			return all.list, nil
		case err != nil:
			return all.list, fmt.Errorf("trace: %w", err)
		}
		all.add(&e, 0)
	}
}

// reigns gathers the reigns of a trace.
type reigns struct {
	list  []Reign
	last  map[spec.NodeID]uint64 // when each node was heard of last
	first uint64
}

// add takes notice of an event. Times are printed since first.
func (r *reigns) add(e *spec.Event, first uint64) {
	if !e.Action.OfNode() {
		return
	}
	if r.last == nil {
		r.last = map[spec.NodeID]uint64{}
	}
	r.first = first
	at := e.At
	if at == 0 {
		at = r.last[e.Node] // a Crash comes after what was recorded last
	}
	r.last[e.Node] = at
	s := &e.State
	leads := s.Role == spec.Leader
	for i := range r.list {
		x := &r.list[i]
		if x.Leader == e.Node && x.Ended == "" && !(leads && s.Epoch == x.Epoch) {
			x.To, x.Ended = at, e.Action
		}
		if s.Role == spec.Follower && s.Leader == x.Leader && s.Epoch == x.Epoch && e.Action != spec.CrashAction {
			if at, known := slices.BinarySearchFunc(x.Followers, e.Node, spec.NodeID.Compare); !known {
				x.Followers = slices.Insert(x.Followers, at, e.Node)
			}
		}
	}
	if leads && !slices.ContainsFunc(r.list, func(x Reign) bool { return x.Leader == e.Node && x.Epoch == s.Epoch }) {
		r.list = append(r.list, Reign{Epoch: s.Epoch, Leader: e.Node, From: at})
	}
}

// print prints a table of the reigns.
func (r *reigns) print(out io.Writer) error {
	if len(r.list) == 0 {
		_, err := fmt.Fprintln(out, "Nobody led.")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "epoch\tleader\tfrom\tto\tended by\tfollowers")
	for _, x := range r.list {
		var followers []string
		for _, f := range x.Followers {
			followers = append(followers, f.String())
		}
		_, _ = fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", x.Epoch, x.Leader, since(x.From, r.first), since(x.To, r.first), x.Ended,
			strings.Join(followers, " "))
	}
	return w.Flush()
}
