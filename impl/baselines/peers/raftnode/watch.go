package main

import (
	"context"
	"time"

	"github.com/hashicorp/raft"

	"github.com/seed-fdf591db/bully/impl/baselines/peers"
)

// look returns what raft says now. Raft gives role, leader and term one at a time: they are read again until two
// readings agree.
func look(r *raft.Raft, id string) peers.View {
	read := func() peers.View {
		v := peers.View{Node: id, Role: role(r.State()), Epoch: r.CurrentTerm()}
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
		if again.Same(v) {
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

// set makes a view the current one.
func set(h *peers.Hub, v peers.View) { h.Change(func(now *peers.View) { *now = v }) }

// watch keeps the hub current until the context ends: raft pushes each change of role or leader, and the term is looked
// at every so often.
func watch(ctx context.Context, r *raft.Raft, id string, h *peers.Hub, every time.Duration) {
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
		set(h, look(r, id)) // also for what has changed before the observer was there
		select {
		case <-observations:
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
