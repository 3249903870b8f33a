package narrate

import (
	"fmt"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// Unheard tells that nothing more is heard of a node, or that nothing ever was, and why: of such a node nobody must say that it still is
// what it was last, be it leader (section 14). What it has sent may still arrive. What was sent to it is lost, for all that anybody can tell.
// Last is its state as it was last heard, and the zero State of a node that was never heard.
func (t *Narrator) Unheard(id spec.NodeID, last *spec.State, why string) []recording.Frame {
	t.spare = nil
	i := t.place(id)
	n := &t.nodes[i]
	is := "heard no more"
	if !n.seen && last.Latest == 0 { // every node that has started has used a number
		is = "not heard"
	}
	f := recording.Frame{Kind: recording.Step, Node: i, Text: "is " + is, Note: why}
	for j := range t.members {
		to := recording.Link{j, i}
		t.pass(to, len(t.links[to]), "it was sent to a node that is heard no more")
	}
	n.state, n.up, n.seen, n.unheard, n.silent, n.asked = survives(last), false, true, is, false, Asked{}
	f.State = t.shown(i)
	f.Indicators = t.indicators(&f)
	return t.finish(f)
}

// survives returns what is left of a node of which nobody has seen the end: what was on its disk.
func survives(was *spec.State) spec.State {
	return spec.State{Role: spec.Follower, Epoch: was.Epoch, Grantee: was.Grantee, Latest: was.Latest.Reserved(), Configuration: was.Configuration}
}

// silence tells, before an event in which a real node begins to lead, which leaders of lower epochs have not been heard since. Nobody writes
// that a process was stopped (SIGSTOP), or its machine held up: its last line says that it leads, however long ago that was. Whether two act
// cannot be told from that, and a reign that is over ends before its node does anything else (R36). Who leads on all the same says so with its
// next step, and is shown as it then is.
func (t *Narrator) silence(e *spec.Event) {
	if !t.options.Real || e.State.Role != spec.Leader || e.Node.IsNone() {
		return
	}
	next := &t.nodes[t.place(e.Node)]
	if next.up && next.state.Role == spec.Leader && next.state.Epoch == e.State.Epoch {
		return
	}
	for i := range t.nodes {
		n := &t.nodes[i]
		if !n.up || n.silent || n.state.Role != spec.Leader || n.state.Epoch >= e.State.Epoch || t.members[i] == e.Node {
			continue
		}
		n.silent, n.since, n.unheard = true, e.At, "heard no more"
		t.see(i) // what turns with it is told with the event
		t.spare = append(t.spare, recording.Frame{Kind: recording.Step, Node: i, Text: "is heard no more", State: t.shown(i),
			Note: fmt.Sprintf("it led epoch %d, and %s comes to lead epoch %d now: it is held up, has crashed, or is about to say that it leads no more", n.state.Epoch, e.Node, e.State.Epoch)})
	}
}
