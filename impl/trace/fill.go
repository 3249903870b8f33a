package trace

import (
	"fmt"

	"github.com/seed-fdf591db/bully/spec"
)

// fill adds the step that a node took just before the Crash at step i, and that was not recorded any more, if there is
// one: its promise was on disk by then. The node has kept another promise than it had made, as far as recorded.
func (r *run) fill(node, i int) *stuck {
	x := &r.records[node]
	before, now := x.steps[i-1].State, x.steps[i].State.Durable()
	kept := ofLastLife(before, now)
	if before.Durable() == kept {
		r.fillLives(x.node, kept, now)
		return nil
	}
	text := fmt.Sprintf("%s: node %s had promised epoch:%d grantee:%s at %s, and has epoch:%d grantee:%s after its crash",
		x.steps[i].place, x.node, before.Epoch, before.Grantee, x.steps[i-1].place, kept.Epoch, kept.Grantee)
	switch {
	case kept.Epoch < before.Epoch:
		return &stuck{err: fmt.Errorf("%s: its disk has not kept what it had written", text)}
	case r.merging.Step == nil:
		return &stuck{err: fmt.Errorf("%s: the step between was not recorded, and there is no Step to fill it in", text)}
	}
	var inputs []spec.Input
	for from := range r.links {
		q := &r.links[from][node]
		for _, s := range r.merger.links[from][node].sends[q.head:q.tail] {
			inputs = append(inputs, spec.Input{Message: s.message})
		}
	}
	for _, timer := range spec.Timers() {
		inputs = append(inputs, spec.Input{Timer: timer})
	}
	if kept.Configuration != before.Configuration {
		inputs = append(inputs, spec.Input{Call: spec.ChangeCall, Configuration: kept.Configuration})
	}
	for _, in := range inputs {
		if e, ok := r.explains(in, x.node, before, kept); ok {
			r.merged = append(r.merged, e)
			r.summary.Filled++
			r.fillLives(x.node, kept, now)
			return nil
		}
	}
	why := &stuck{err: fmt.Errorf("%s: no message that was under way explains that", text)}
	r.elsewhere(node, i, before, kept, why)
	return why
}

// explains returns the step that a node takes on an input, and whether it makes the promise that was kept.
func (r *run) explains(in spec.Input, id spec.NodeID, before spec.State, kept spec.Durable) (spec.Event, bool) {
	action, after, send := r.merging.Step(id, r.header.Members, before.Clone(), in)
	e := spec.Event{Node: id, Action: action, Input: in, Sent: send, State: after}
	return e.Clone(), action != "" && after.Durable() == kept
}

// elsewhere looks for a message that explains the promise that was kept, among those that were lost in a crash of either
// end, the last first, and then among those that are sent later. It says in why what would have helped.
func (r *run) elsewhere(node, i int, before spec.State, kept spec.Durable, why *stuck) {
	for from := range r.links {
		q, sends := &r.links[from][node], r.merger.links[from][node].sends
		for n := range len(sends) - q.delivered {
			at := q.tail - 1 - n
			if at < q.delivered {
				at = q.delivered + n
			}
			if _, ok := r.explains(spec.Input{Message: sends[at].message}, r.records[node].node, before, kept); !ok {
				continue
			}
			why.helps = true
			start, _ := preceding(r.records[node].starts, i)
			switch {
			case at >= q.tail:
				why.first, why.then = ref{from, sends[at].step}, ref{node, i}
			case q.lostAt(at).node == from:
				why.first, why.then = ref{node, i}, q.lostAt(at)
			default:
				why.first, why.then = ref{node, start}, ref{from, sends[at].step}
			}
			return
		}
	}
}
