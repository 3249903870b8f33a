package main

import (
	"strings"
	"sync"

	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/seed-fdf591db/bully/impl/baselines/peers"
)

// mark ends the ID in the name of a holder; what follows tells its processes apart.
const mark = "_"

// hub has what a node knows of the Lease.
type hub struct {
	*peers.Hub
	mu      sync.Mutex
	holder  string // in the last record
	leading int    // how many contexts of OnStartedLeading last: those of two reigns may overlap
}

// sees takes in the last record that was read or written.
func (h *hub) sees(r resourcelock.LeaderElectionRecord) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.holder = r.HolderIdentity
	h.renew(func(v *peers.View) { v.Epoch = uint64(r.LeaderTransitions) + 1 })
}

// leads says that a reign of this process begins (1) or ends (-1).
func (h *hub) leads(more int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leading += more
	h.renew(func(*peers.View) {})
}

// renew makes a view of what is known. The lock is held.
func (h *hub) renew(by func(*peers.View)) {
	h.Change(func(v *peers.View) {
		by(v)
		v.Leading, v.Leader = h.leading > 0, nil
		leader, _, _ := strings.Cut(h.holder, mark)
		// A holder with the ID of this node is an earlier process of it, unless it has been told that it leads.
		if leader != "" && (leader != v.Node || v.Leading) {
			v.Leader = &leader
		}
		v.Role = peers.RoleOf(*v)
	})
}
