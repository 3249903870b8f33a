package main

import (
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// mark ends the ID in the name of a holder; what follows tells its processes apart.
const mark = "_"

// view is what a node says of the leader.
type view struct {
	At      int64   `json:"at"` // µs since 1970
	Node    string  `json:"node"`
	Role    string  `json:"role"`   // follower, candidate or leader
	Leader  *string `json:"leader"` // or null
	Epoch   uint64  `json:"epoch"`
	Leading bool    `json:"leading"`
}

// same reports whether nothing has changed but the time.
func (v view) same(w view) bool {
	return v.Role == w.Role && v.Epoch == w.Epoch && v.Leading == w.Leading &&
		(v.Leader == nil) == (w.Leader == nil) && (v.Leader == nil || *v.Leader == *w.Leader)
}

// hub has the current view, and wakes who waits for the next.
type hub struct {
	mu      sync.Mutex
	holder  string // in the last record
	leading int    // how many contexts of OnStartedLeading last: those of two reigns may overlap
	now     view
	changed chan struct{} // closed when now is another
}

// newHub returns a hub of a node that knows of no leader.
func newHub(id string) *hub {
	return &hub{
		now:     view{At: time.Now().UnixMicro(), Node: id, Role: "candidate"},
		changed: make(chan struct{}),
	}
}

// current returns the view, and a channel that is closed when there is a newer one.
func (h *hub) current() (view, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now, h.changed
}

// sees takes in the last record that was read or written.
func (h *hub) sees(r resourcelock.LeaderElectionRecord) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.holder = r.HolderIdentity
	h.renew(uint64(r.LeaderTransitions) + 1)
}

// leads says that a reign of this process begins (1) or ends (-1).
func (h *hub) leads(more int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leading += more
	h.renew(h.now.Epoch)
}

// renew makes a view of what is known, the current one if it says anything new. The lock is held.
func (h *hub) renew(epoch uint64) {
	v := view{Node: h.now.Node, Role: "candidate", Epoch: epoch, Leading: h.leading > 0}
	leader, _, _ := strings.Cut(h.holder, mark)
	// A holder with the ID of this node is an earlier process of it, unless it has been told that it leads.
	if leader != "" && (leader != v.Node || v.Leading) {
		v.Leader, v.Role = &leader, "follower"
	}
	if v.Leading {
		v.Role = "leader"
	}
	if v.same(h.now) {
		return
	}
	v.At = time.Now().UnixMicro()
	h.now = v
	close(h.changed)
	h.changed = make(chan struct{})
}
