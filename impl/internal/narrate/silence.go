package narrate

import (
	"fmt"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

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
