package trace

import "github.com/seed-fdf591db/bully/spec"

// fillLives adds the lives of a node, each a Restart and its Crash, that ended after it had reserved numbers, and before it could
// record that it had started: each start reserves a block (R50).
func (r *run) fillLives(id spec.NodeID, first, kept spec.Durable) {
	for ; first.Reserved < kept.Reserved; first.Reserved += spec.Block {
		r.merged = append(r.merged, crashed(id, first), r.restarted(id, first))
		r.summary.Filled++
	}
}

// crashed returns the Crash of a node that keeps a promise.
func crashed(id spec.NodeID, p spec.Durable) spec.Event {
	return spec.Event{Node: id, Action: spec.CrashAction, State: spec.State{
		Role: spec.Follower, Epoch: p.Epoch, Grantee: p.Grantee, Latest: p.Reserved, Configuration: p.Configuration}}
}

// restarted returns the Restart of a node with a promise (R30).
func (r *run) restarted(id spec.NodeID, p spec.Durable) spec.Event {
	e := spec.Event{Node: id, Action: spec.RestartAction, State: spec.State{
		Role: spec.Electing, Leader: id, Epoch: p.Epoch, Grantee: p.Grantee, Latest: p.Reserved + 1, Configuration: p.Configuration}}
	members := r.header.Members
	if !p.Configuration.IsNone() {
		members = nil
		for _, m := range p.Configuration.Members() {
			members = append(members, m.ID)
		}
	}
	for _, to := range members {
		if to != id {
			e.Sent = append(e.Sent, spec.Message{Type: spec.ImBack, From: id, To: to, Epoch: p.Epoch, Question: e.State.Latest, Configuration: p.Configuration})
		}
	}
	return e
}
