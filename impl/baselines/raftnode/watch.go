package main

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

// view is what a node says of the leader.
type view struct {
	At      int64   `json:"at"` // µs since 1970
	Node    string  `json:"node"`
	Role    string  `json:"role"`   // follower, candidate, leader or shutdown
	Leader  *string `json:"leader"` // or null
	Epoch   uint64  `json:"epoch"`
	Leading bool    `json:"leading"`
}

// same reports whether nothing has changed but the time.
func (v view) same(w view) bool {
	return v.Role == w.Role && v.Epoch == w.Epoch && v.Leading == w.Leading &&
		(v.Leader == nil) == (w.Leader == nil) && (v.Leader == nil || *v.Leader == *w.Leader)
}

// look returns what raft says now. Raft gives role, leader and term one at a time: they are read again until two
// readings agree.
func look(r *raft.Raft, id string) view {
	read := func() view {
		v := view{Node: id, Role: role(r.State()), Epoch: r.CurrentTerm()}
		if _, leader := r.LeaderWithID(); leader != "" {
			text := string(leader)
			v.Leader = &text
			v.Leading = text == id && v.Role == "leader"
		}
		return v
	}
	v := read()
	for {
		again := read()
		if again.same(v) {
			again.At = time.Now().UnixMicro()
			return again
		}
		v = again
	}
}

// role returns the name of a state in the words that bully run has for it.
func role(s raft.RaftState) string {
	switch s {
	case raft.Follower:
		return "follower"
	case raft.Candidate:
		return "candidate"
	case raft.Leader:
		return "leader"
	}
	return "shutdown"
}

// termEvery is how often the term is looked at. Raft tells its observers of roles and leaders, but not of a
// candidate's next term.
const termEvery = 100 * time.Millisecond

// hub has the current view, and wakes who waits for the next.
type hub struct {
	mu      sync.Mutex
	now     view
	changed chan struct{} // closed when now is another
}

// newHub returns a hub with a first view.
func newHub(first view) *hub {
	return &hub{now: first, changed: make(chan struct{})}
}

// current returns the view, and a channel that is closed when there is a newer one.
func (h *hub) current() (view, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now, h.changed
}

// set makes a view the current one, if it says anything new.
func (h *hub) set(v view) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if v.same(h.now) {
		return
	}
	h.now = v
	close(h.changed)
	h.changed = make(chan struct{})
}

// watch keeps the hub current until the context ends: raft pushes each change of role or leader, and the term is looked
// at every so often.
func watch(ctx context.Context, r *raft.Raft, id string, h *hub, every time.Duration) {
	// An observation that finds the channel full is dropped; but then one is waiting, and the look comes after it.
	observations := make(chan raft.Observation, 64)
	observer := raft.NewObserver(observations, false, func(o *raft.Observation) bool {
		switch o.Data.(type) {
		case raft.LeaderObservation, raft.RaftState:
			return true
		}
		return false
	})
	r.RegisterObserver(observer)
	defer r.DeregisterObserver(observer)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		h.set(look(r, id)) // also for what has changed before the observer was there
		select {
		case <-observations:
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
