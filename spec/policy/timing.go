package policy

import "time"

// Timing says how long the timers of a node are (R36), and what they assume of the system (R37). All nodes of a cluster
// must be given the same. Take a profile, [Local], [LAN] or [WAN], and change what must be changed: a profile whose
// Delay does not hold costs leaders that are well, and may cost OneActing; it never costs OneLeaderPerEpoch.
type Timing struct {
	// Delay is δ: while the system behaves, less time passes from a step that sends a message to the step that takes it,
	// disk writes and queues included; and the loop runs within Delay of when it wants to. Above 0.
	Delay time.Duration
	// Drift is ρ: the rate by which a clock may be wrong, 0.01 for one in a hundred. From 0 to below 1.
	Drift float64
	// Heartbeat is the heartbeat interval: how often a leader says HEARTBEAT. Above 0.
	Heartbeat time.Duration
	// Reign is how long a leader leads until it checks again that a quorum acknowledges it. Bound c.
	Reign time.Duration
	// Patience is how long a follower waits for a silent leader at least; a detector may only wait longer. Bound d.
	Patience time.Duration
	// Election is how long a candidate waits for answers. Bound a.
	Election time.Duration
	// Coordinator is how long a node waits for somebody better, and how long a restarted node keeps silent. Bounds e to h.
	Coordinator time.Duration
	// Claim is how long a claimant waits for grants. Bound b.
	Claim time.Duration
	// Preempt is how long a follower lets a lower leader lead before it stands itself, so that a node which keeps
	// restarting does not depose it each time: 0 is at once, as in the textbook; negative is never, and then the highest
	// node need not come to lead (R9).
	Preempt time.Duration `never:"yes"`
	// Stagger is how long a node that keeps no lease waits for each higher node that may stand first, so that normally one
	// node stands. It should be twice Delay. From 0.
	Stagger time.Duration
	// Settle is how long a node waits after the lease that it kept has been released or its holder proved dead, so that
	// the others know of it as well. From 0; 0 costs a refused ELECTION now and then.
	Settle time.Duration
}

// Profile is a Timing that has a name.
type Profile struct {
	Name   string // as people give it: local, lan, wan
	Timing Timing
}

// Profiles returns every profile, the fastest first.
func Profiles() []Profile { return []Profile{{"local", Local()}, {"lan", LAN()}, {"wan", WAN()}} }

// Local is the profile for nodes on one machine, or on a quiet network of one rack.
func Local() Timing {
	return Timing{
		Delay: 10 * time.Millisecond, Drift: 0.01, Heartbeat: 20 * time.Millisecond, Reign: 55 * time.Millisecond,
		Patience: 150 * time.Millisecond, Election: 25 * time.Millisecond, Coordinator: 150 * time.Millisecond,
		Claim: 45 * time.Millisecond, Stagger: 20 * time.Millisecond, Settle: time.Millisecond, Preempt: 500 * time.Millisecond,
	}
}

// LAN is the profile for machines of one site.
func LAN() Timing {
	return Timing{
		Delay: 12 * time.Millisecond, Drift: 0.01, Heartbeat: 100 * time.Millisecond, Reign: 140 * time.Millisecond,
		Patience: 325 * time.Millisecond, Election: 25 * time.Millisecond, Coordinator: 325 * time.Millisecond,
		Claim: 50 * time.Millisecond, Stagger: 25 * time.Millisecond, Settle: time.Millisecond, Preempt: time.Second,
	}
}

// WAN is the profile for sites far apart.
func WAN() Timing {
	return Timing{
		Delay: 250 * time.Millisecond, Drift: 0.01, Heartbeat: 500 * time.Millisecond, Reign: 1300 * time.Millisecond,
		Patience: 3500 * time.Millisecond, Election: 550 * time.Millisecond, Coordinator: 3500 * time.Millisecond,
		Claim: 1050 * time.Millisecond, Stagger: 500 * time.Millisecond, Settle: 50 * time.Millisecond, Preempt: 10 * time.Second,
	}
}
