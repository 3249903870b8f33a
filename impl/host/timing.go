package host

import (
	"fmt"
	"math"
	"time"
)

// Timing says how long the timers of a node are (R36), and what they assume of the system (R37). All nodes of a cluster
// must be given the same. Take a profile, [Local], [LAN] or [WAN], and change what must be changed: a profile whose
// Delay does not hold costs leaders that are well, and may cost OneActing; it never costs OneLeaderPerEpoch.
type Timing struct {
	// Delay is δ: while the system behaves, less time passes from a step that sends a message to the step that takes it,
	// disk writes and queues included; and the loop runs within Delay of when it wants to. Above 0.
	Delay time.Duration
	// Drift is ρ: the rate by which a clock may be wrong, 0.01 for one in a hundred. From 0 to below 1.
	Drift float64
	// Beat is how often a leader says HEARTBEAT. Above 0.
	Beat time.Duration
	// Quorum is how often a leader checks that a quorum still acknowledges it. Bound c.
	Quorum time.Duration
	// Heartbeat is the least patience of a follower with a silent leader; a detector may only wait longer. Bound d.
	Heartbeat time.Duration
	// Election is how long a candidate waits for answers. Bound a.
	Election time.Duration
	// Coordinator is how long a node waits for somebody better, and how long a restarted node keeps silent. Bounds e to h.
	Coordinator time.Duration
	// Claim is how long a claimant waits for grants. Bound b.
	Claim time.Duration
	// Stagger is how long a node that keeps no lease waits for each higher node that may stand first, so that normally one
	// node stands. It should be twice Delay. From 0.
	Stagger time.Duration
	// Settle is how long a node waits after the lease that it kept has been released or its holder proved dead, so that
	// the others know of it as well. From 0; 0 costs a refused ELECTION now and then.
	Settle time.Duration
	// Preempt is how long a follower lets a lower leader lead before it stands itself, so that a node which keeps
	// restarting does not depose it each time: 0 is at once, as in the textbook; negative is never, and then the highest
	// node need not come to lead (R9).
	Preempt time.Duration
}

// Local is the profile for nodes on one machine, or on a quiet network of one rack.
func Local() Timing {
	return Timing{
		Delay: 10 * time.Millisecond, Drift: 0.01, Beat: 20 * time.Millisecond, Quorum: 55 * time.Millisecond,
		Heartbeat: 150 * time.Millisecond, Election: 25 * time.Millisecond, Coordinator: 150 * time.Millisecond,
		Claim: 45 * time.Millisecond, Stagger: 20 * time.Millisecond, Settle: time.Millisecond, Preempt: 500 * time.Millisecond,
	}
}

// LAN is the profile for machines of one site. It is what the zero Timing means.
func LAN() Timing {
	return Timing{
		Delay: 12 * time.Millisecond, Drift: 0.01, Beat: 100 * time.Millisecond, Quorum: 140 * time.Millisecond,
		Heartbeat: 325 * time.Millisecond, Election: 25 * time.Millisecond, Coordinator: 325 * time.Millisecond,
		Claim: 50 * time.Millisecond, Stagger: 25 * time.Millisecond, Settle: time.Millisecond, Preempt: time.Second,
	}
}

// WAN is the profile for sites far apart.
func WAN() Timing {
	return Timing{
		Delay: 250 * time.Millisecond, Drift: 0.01, Beat: 500 * time.Millisecond, Quorum: 1300 * time.Millisecond,
		Heartbeat: 3500 * time.Millisecond, Election: 550 * time.Millisecond, Coordinator: 3500 * time.Millisecond,
		Claim: 1050 * time.Millisecond, Stagger: 500 * time.Millisecond, Settle: 50 * time.Millisecond, Preempt: 10 * time.Second,
	}
}

// Failover returns how long at most it takes, from the death of a leader until all others follow the next highest node
// that lives, while the bounds hold and patience is Heartbeat: proved, if all are told a proof of the death within Delay
// (the process is gone, and its machine says so); silent, if nothing is heard (the machine is gone, stopped or cut off).
// Both have room for a first attempt that comes too soon; most do not, and take a small part of this.
func (t Timing) Failover() (proved, silent time.Duration) {
	slow := func(d time.Duration) time.Duration { return time.Duration(math.Ceil(float64(d) / (1 - t.Drift))) }
	again := t.firstBackoff() // and in between, an attempt has found leases still kept
	// Proof, end of a timer, ELECTION, REFUSE, end of a timer, ELECTION, ASSENT, CLAIM, GRANT, COORDINATOR: a Delay each.
	proved = slow(t.Settle) + slow(again) + 10*t.Delay
	// The last HEARTBEAT, four ends of timers, CLAIM, GRANT, COORDINATOR.
	silent = slow(t.Heartbeat+t.Delay/2) + 2*slow(t.Election) + slow(again) + 8*t.Delay
	return proved, silent
}

// linger returns how long a node runs on that is no member any more: twice the time in which others come to follow another
// leader, if the one that has removed it has gone.
func (t Timing) linger() time.Duration {
	_, silent := t.Failover()
	return 2 * silent
}

// firstBackoff returns how long at most a node waits after its first attempt in vain.
func (t Timing) firstBackoff() time.Duration {
	return 2 * max(t.Stagger/8, t.Settle, time.Millisecond)
}

// Validate returns nil if the timing keeps every bound of R37, and else a *ConfigError with the first field that does
// not, the letter of the bound, and the value that is needed.
func (t Timing) Validate() error {
	if err := t.validateSigns(); err != nil {
		return err
	}
	var (
		up    = 1 + t.Drift
		delay = float64(t.Delay)
		slow  = func(ds ...time.Duration) (sum float64) { // at most how long timers of these lengths run
			for _, d := range ds {
				sum += float64(d) / (1 - t.Drift)
			}
			return sum
		}
	)
	for _, bound := range []struct {
		rule  string
		field string
		value time.Duration
		above float64 // exclusive, in nanoseconds
		why   string
	}{
		{"R37 a", "Election", t.Election, 2 * delay * up, "every ELECTION must have been answered"},
		{"R37 b", "Claim", t.Claim, 4 * delay * up, "a claim by way of a hand-over takes four messages"},
		{"R37 c", "Quorum", t.Quorum, float64(t.Beat) + 3*delay*up, "a beat must have been acknowledged between two checks"},
		{"R37 d", "Heartbeat", t.Heartbeat, up * (slow(t.Quorum, t.Quorum) + 3*delay), "an ACK supports its leader for two checks"},
		{"R37 e", "Coordinator", t.Coordinator, up * (slow(t.Election, t.Claim) + 3*delay), "whoever said OK has its election and its claim"},
		{"R37 f", "Coordinator", t.Coordinator, up * (slow(t.Claim, t.Quorum) + 3*delay), "a GRANT supports a claim and a reign until its first check"},
		{"R37 g", "Coordinator", t.Coordinator, up * (slow(t.Quorum, t.Quorum) + 3*delay), "it must outlast the lease of a follower"},
	} {
		if float64(bound.value) <= bound.above {
			return breach(bound.field, bound.rule, bound.value, "above", ceil(bound.above), bound.why)
		}
	}
	if t.Coordinator < 2*t.Election {
		return breach("Coordinator", "R37 h", t.Coordinator, "at least", 2*t.Election, "a higher node may open its own election one Election later")
	}
	return nil
}

// validateSigns refuses what is no length of time, and no rate.
func (t Timing) validateSigns() error {
	for _, field := range []struct {
		name  string
		value time.Duration
		least time.Duration
	}{
		{"Delay", t.Delay, 1}, {"Beat", t.Beat, 1}, {"Quorum", t.Quorum, 1}, {"Heartbeat", t.Heartbeat, 1}, {"Election", t.Election, 1},
		{"Coordinator", t.Coordinator, 1}, {"Claim", t.Claim, 1}, {"Stagger", t.Stagger, 0}, {"Settle", t.Settle, 0},
	} {
		if field.value < field.least {
			return &ConfigError{Field: "Timing." + field.name, Problem: fmt.Sprintf("is %v, but must be at least %v", field.value, field.least)}
		}
		if field.value > maxTiming {
			return &ConfigError{Field: "Timing." + field.name, Problem: fmt.Sprintf("is %v, but must be at most %v", field.value, maxTiming)}
		}
	}
	if !(t.Drift >= 0 && t.Drift < 1) { // written so that no number is refused as well
		return &ConfigError{Field: "Timing.Drift", Rule: "R37", Problem: fmt.Sprintf("is %v, but must be from 0 to below 1", t.Drift)}
	}
	if t.Preempt > maxTiming {
		return &ConfigError{Field: "Timing.Preempt", Problem: fmt.Sprintf("is %v, but must be at most %v", t.Preempt, maxTiming)}
	}
	return nil
}

// maxTiming is the longest that a timer can be: far from where sums of durations overflow.
const maxTiming = 24 * time.Hour

// breach is the error for a field that breaks a bound.
func breach(field, rule string, value time.Duration, relation string, needed time.Duration, why string) error {
	return &ConfigError{Field: "Timing." + field, Rule: rule, Problem: fmt.Sprintf("is %v, but must be %s %v: %s", value, relation, needed, why)}
}

// ceil rounds up to a microsecond, which is as exact as a person wants it.
func ceil(nanoseconds float64) time.Duration {
	return time.Duration(math.Ceil(nanoseconds/1e3)) * time.Microsecond
}
