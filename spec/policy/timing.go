package policy

import "time"

// Timing says how long the timers of a node are (R36), and what they assume of the system (R37). All nodes of a cluster
// must be given the same. Take a profile ([Profiles]), or make one with [TimingFor]. A Delay that does not hold costs leaders that
// are well; it costs neither OneLeaderPerEpoch nor OneActing. A clock that is worse than Drift may cost OneActing.
type Timing struct {
	// Delay is δ: while the system behaves, less time passes from a step that sends a message to the step that takes it,
	// disk writes and queues included; and the loop runs within Delay of when it wants to. Above 0.
	Delay time.Duration
	// Drift is ρ: the rate by which a clock may be wrong, 0.01 for one in a hundred. From 0 to below 1.
	Drift float64
	// Heartbeat is the heartbeat interval: how often a leader says HEARTBEAT. Above 0.
	Heartbeat time.Duration
	// Reign is how long a leader leads on after it has asked the latest question that a quorum has answered: a CLAIM, a HEARTBEAT or a
	// change of members. Bounds c and i.
	Reign time.Duration
	// Patience is the least patience of a follower with a silent leader; a detector may only wait longer. It
	// outlasts Reign. Bound d.
	Patience time.Duration
	// Election is how long a candidate waits for answers. Bound a.
	Election time.Duration
	// Coordinator is how long a node waits for somebody better, and how long a restarted node keeps silent. Bounds e, g and h.
	Coordinator time.Duration
	// Claim is how long a claimant waits for grants, from when it has asked. Bounds b and i.
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
