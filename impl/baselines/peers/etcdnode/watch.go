package main

import "github.com/seed-fdf591db/bully/impl/baselines/peers"

// hub has what a node knows of the keys of the candidates.
type hub struct{ *peers.Hub }

// change changes what the node says of the leader, and its role with it.
func (h hub) change(by func(v *peers.View)) {
	h.Change(func(v *peers.View) {
		by(v)
		v.Role = peers.RoleOf(*v)
	})
}

// leads says that this node was elected, in an epoch.
func (h hub) leads(epoch uint64) {
	h.change(func(v *peers.View) {
		v.Leading = true
		if epoch >= v.Epoch {
			v.Leader, v.Epoch = &v.Node, epoch
		}
	})
}

// leadsNot says that this node no longer leads.
func (h hub) leadsNot() { h.change(func(v *peers.View) { v.Leading = false }) }

// knowsNobody says that this node cannot tell who leads.
func (h hub) knowsNobody() { h.change(func(v *peers.View) { v.Leader = nil }) }

// names says whom the oldest key names. Older keys than one that was seen are gone, so one of an older epoch is heard of
// late. A key of this node without a word of Campaign is one that it left behind, or one of which that word is to come.
func (h hub) names(leader string, epoch uint64) {
	h.change(func(v *peers.View) {
		switch {
		case epoch < v.Epoch:
		case leader == v.Node && !v.Leading:
			v.Leader, v.Epoch = nil, epoch
		default:
			v.Leader, v.Epoch = &leader, epoch
		}
	})
}
