package peers

import (
	"sync"
	"time"
)

// View is what a node says of the leader.
type View struct {
	At      int64   `json:"at"` // µs since 1970
	Node    string  `json:"node"`
	Role    string  `json:"role"`   // follower, candidate, leader or shutdown
	Leader  *string `json:"leader"` // or null
	Epoch   uint64  `json:"epoch"`
	Leading bool    `json:"leading"`
}

// Same reports whether nothing has changed but the time.
func (v View) Same(w View) bool {
	return v.Role == w.Role && v.Epoch == w.Epoch && v.Leading == w.Leading &&
		(v.Leader == nil) == (w.Leader == nil) && (v.Leader == nil || *v.Leader == *w.Leader)
}

// Hub has the current view of a node, and wakes who waits for the next.
type Hub struct {
	mu      sync.Mutex
	now     View
	changed chan struct{} // closed when now is another
}

// NewHub returns a hub of a node that knows of no leader.
func NewHub(id string) *Hub {
	return &Hub{
		now:     View{At: time.Now().UnixMicro(), Node: id, Role: "candidate"},
		changed: make(chan struct{}),
	}
}

// Current returns the view, and a channel that is closed when there is a newer one.
func (h *Hub) Current() (View, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now, h.changed
}

// Change changes the view, if that is a change at all. No other change comes between.
func (h *Hub) Change(by func(v *View)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := h.now
	by(&v)
	if v.Same(h.now) {
		return
	}
	v.At = time.Now().UnixMicro()
	h.now = v
	close(h.changed)
	h.changed = make(chan struct{})
}

// RoleOf names the role of a node in the words of bully run: it leads, follows, or is a candidate.
func RoleOf(v View) string {
	switch {
	case v.Leading:
		return "leader"
	case v.Leader != nil:
		return "follower"
	default:
		return "candidate"
	}
}
