package trace

import (
	"fmt"

	"github.com/seed-fdf591db/bully/spec"
)

// gap is what is missing in a record before a crash: a step whose promise was on disk by then, and that was not recorded any more.
type gap struct {
	crash  int         // which step of the record the crash is
	looked int         // how much of what has been said to the node has been tried
	event  *spec.Event // the step, once it is known
}

// promised returns what a node had promised as far as recorded, and what it had promised when it crashed next. They say nothing of
// numbers: a start reserves some, and may end before it can be recorded (section 14).
func (r *run) promised(node int) (recorded, kept spec.Durable) {
	x, i := &r.records[node], r.next[node]
	recorded, kept = x.steps[i-1].State.Durable(), x.steps[i].State.Durable()
	recorded.Reserved, kept.Reserved = 0, 0
	return recorded, kept
}

// explained reports whether it is known what a node did before the crash that it comes to next: nothing more than was recorded, or a
// step on something that has been said to it by now, or a timer, or a call.
func (r *run) explained(node int) bool {
	if r.next[node] == 0 {
		return true // a record that begins so: its older files are not here
	}
	recorded, kept := r.promised(node)
	g := &r.gaps[node]
	if g.crash != r.next[node] {
		*g = gap{crash: r.next[node]}
	}
	if recorded == kept || g.event != nil {
		return true
	}
	if r.merging.Step == nil {
		return false
	}
	said, first := r.said[node], g.looked == 0
	for i := len(said) - 1; i >= g.looked; i-- { // it is most likely of what was said last
		if r.explains(node, spec.Input{Message: said[i]}) {
			return true
		}
	}
	g.looked = len(said)
	if !first {
		return false
	}
	for _, timer := range spec.Timers() {
		if r.explains(node, spec.Input{Timer: timer}) {
			return true
		}
	}
	return kept.Configuration != recorded.Configuration && r.explains(node, spec.Input{Call: spec.ChangeCall, Configuration: kept.Configuration})
}

// explains reports whether the step that a node takes on an input makes the promise that was kept, and remembers that step.
func (r *run) explains(node int, in spec.Input) bool {
	_, kept := r.promised(node)
	x := &r.records[node]
	action, after, send := r.merging.Step(x.node, r.header.Members, x.steps[r.next[node]-1].State.Clone(), in)
	made := after.Durable()
	made.Reserved = 0
	if action == "" || made != kept {
		return false
	}
	e := spec.Event{Node: x.node, Action: action, Input: in, Sent: send, State: after}
	e = e.Clone()
	r.gaps[node].event = &e
	return true
}

// fill adds what a node did before the crash that it comes to next, and that was not recorded.
func (r *run) fill(node int) {
	if e := r.gaps[node].event; e != nil {
		r.merged = append(r.merged, *e)
		r.summary.Filled++
	}
}

// unexplained says what is not known of the node whose crash comes next.
func (r *run) unexplained(node int) string {
	if r.merging.Step == nil {
		return r.onDisk(node) + ": the step between was not recorded, and there is no Step to fill it in"
	}
	return r.onDisk(node) + ": no message that was sent to it explains that"
}

// onDisk says what a node had promised, and what of it was on its disk after the crash that comes next.
func (r *run) onDisk(node int) string {
	x, i := &r.records[node], r.next[node]
	return promises(x.node, &x.steps[i-1], &x.steps[i])
}

// promises says what a node had promised before a crash, and what after.
func promises(id spec.NodeID, before, crash *step) string {
	was, is := before.State.Durable(), crash.State.Durable()
	return fmt.Sprintf("%s: node %s had promised epoch:%d grantee:%s reserved:%d at %s, and has epoch:%d grantee:%s reserved:%d after its crash",
		crash.place, id, was.Epoch, was.Grantee, was.Reserved, before.place, is.Epoch, is.Grantee, is.Reserved)
}
