package main

import (
	"sync"
	"time"
)

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

// change changes the view, if that is a change at all.
func (h *hub) change(by func(v *view)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := h.now
	by(&v)
	switch {
	case v.Leading:
		v.Role = "leader"
	case v.Leader != nil:
		v.Role = "follower"
	default:
		v.Role = "candidate"
	}
	if v.same(h.now) {
		return
	}
	v.At = time.Now().UnixMicro()
	h.now = v
	close(h.changed)
	h.changed = make(chan struct{})
}

// leads says that this node was elected, in an epoch.
func (h *hub) leads(epoch uint64) {
	h.change(func(v *view) {
		v.Leading = true
		if epoch >= v.Epoch {
			v.Leader, v.Epoch = &v.Node, epoch
		}
	})
}

// leadsNot says that this node no longer leads.
func (h *hub) leadsNot() { h.change(func(v *view) { v.Leading = false }) }

// knowsNobody says that this node cannot tell who leads.
func (h *hub) knowsNobody() { h.change(func(v *view) { v.Leader = nil }) }

// names says whom the oldest key names. Older keys than one that was seen are gone, so one of an older epoch is heard of
// late. A key of this node without a word of Campaign is one that it left behind, or one of which that word is to come.
func (h *hub) names(leader string, epoch uint64) {
	h.change(func(v *view) {
		switch {
		case epoch < v.Epoch:
		case leader == v.Node && !v.Leading:
			v.Leader, v.Epoch = nil, epoch
		default:
			v.Leader, v.Epoch = &leader, epoch
		}
	})
}
