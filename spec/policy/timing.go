package policy

import (
	"math"
	"math/bits"
	"time"
)

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
	// Defer is how long a node that keeps a lease lets an ELECTION wait whose sender keeps none: most likely the leader has gone, and this
	// node is about to hear of that too. From 0; 0 costs a refused ELECTION now and then.
	Defer time.Duration
}

// MaxTiming is the longest that a timer can be: far from where sums of lengths overflow.
const MaxTiming = 24 * time.Hour

// slow returns how long at most a timer of this length runs, in nanoseconds.
func (t *Timing) slow(d time.Duration) float64 { return float64(d) / float64(1-t.Drift) }

// Slowest returns how long at most a timer of this length runs, by the slowest clock, but for the Delay in which its end is given.
func (t *Timing) Slowest(d time.Duration) time.Duration { return time.Duration(math.Ceil(t.slow(d))) }

// heard returns how long it takes at most until a leader is heard, if there is one, by the clocks that are worst for that.
func (t *Timing) heard() time.Duration {
	return time.Duration(math.Ceil(t.fast(float64(t.slow(t.Heartbeat) + float64(3*float64(t.Delay))))))
}

// Failover returns how long at most it takes, from the death of a leader until all others follow the next highest node
// that lives, while the bounds hold and patience is Timing.Patience: proved, if all are told a proof of the death within Delay
// (the process is gone, and its machine says so); silent, if nothing is heard (the machine is gone, stopped or cut off).
// Both have room for a first attempt that comes too soon; most do not, and take a small part of this.
func (t Timing) Failover() (proved, silent time.Duration) {
	again := t.FirstBackoff() // and in between, an attempt has found leases still kept
	// Proof, end of a timer, ELECTION, REFUSE, end of a timer, ELECTION, ASSENT, CLAIM, GRANT, COORDINATOR: a Delay each.
	proved = t.Slowest(t.Defer) + t.Slowest(again) + 10*t.Delay
	// The last HEARTBEAT, four ends of timers, CLAIM, GRANT, COORDINATOR.
	silent = t.Slowest(t.Patience+t.Delay/2) + 2*t.Slowest(t.Election) + t.Slowest(again) + 8*t.Delay
	return proved, silent
}

// Linger returns how long a node runs on that is no member any more: twice the time in which others come to follow another
// leader, if the one that has removed it has gone.
func (t Timing) Linger() time.Duration {
	_, silent := t.Failover()
	return 2 * silent
}

// FirstBackoff returns how long at most a node waits after its first attempt in vain, beside what is waited in any case.
func (t Timing) FirstBackoff() time.Duration { return 2 * max(t.Stagger/8, t.Defer, time.Millisecond) }

// maxBackoff returns how long at most a node waits after many attempts in vain, beside what is waited in any case.
func (t *Timing) maxBackoff() time.Duration { return max(4*t.Patience, t.FirstBackoff()) }

// reconnection returns how long a node waits at least after a new connection, when so many attempts, one or more, were in vain: twice
// as long after each, up to what it waits without one.
func (t *Timing) reconnection(attempts int) time.Duration {
	return doubled(2*t.Heartbeat, attempts, t.maxBackoff())
}

// LongestWait returns how long at most patience and coordinator run, of a node among so many, with the patience of its
// Timing: for the end of a lease, and after many attempts in vain, and for all others to stand first.
func (t Timing) LongestWait(members int) time.Duration {
	return max(t.Coordinator, t.Patience) + t.Delay/2 + t.maxBackoff() + time.Duration(members-1)*t.Stagger
}

// LongestPreemption returns how long at most a follower lets a lower node lead, after so many pre-emptions in vain; if it
// never stands, 0.
func (t Timing) LongestPreemption(inVain int) time.Duration {
	wait := t.Preempt
	switch {
	case wait < 0:
		return 0
	case inVain > 0:
		wait = t.preemption(inVain)
		wait += wait / 4
	}
	return min(wait, MaxTiming)
}

// preemption returns how long a follower lets a lower node lead after pre-emptions in vain, but for jitter: twice as long
// after each further one.
func (t *Timing) preemption(inVain int) time.Duration {
	return max(t.Preempt, t.Patience) << min(inVain, maxPreemptShift)
}

// maxPreemptShift bounds the wait before a pre-emption at 64 times the first.
const maxPreemptShift = 6

// backoff returns how long at most a node waits after so many attempts in vain, one or more: twice as long after each, from
// a quarter of Stagger or so to four times Patience (R37, Besides 5).
func (t *Timing) backoff(attempts int) time.Duration {
	return doubled(t.FirstBackoff(), attempts, t.maxBackoff())
}

// doubled returns the wait after so many attempts, one or more: first after one, twice as long after each further one, and at most
// so long. It does not overflow, however many there were.
func doubled(first time.Duration, attempts int, most time.Duration) time.Duration {
	if doublings := attempts - 1; doublings < bits.Len64(uint64(most/first)) {
		return min(first<<doublings, most)
	}
	return most
}
