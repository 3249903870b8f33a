package trace

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed-fdf591db/bully/spec"
)

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
