package policy

import "time"

// Profile is a Timing that has a name.
type Profile struct {
	Name   string // as people give it: local, lan, busy, wan
	Timing Timing
}

// Profiles returns every profile, the fastest first.
func Profiles() []Profile {
	return []Profile{{"local", Local()}, {"lan", LAN()}, {"busy", Busy()}, {"wan", WAN()}}
}

// Local is the profile for nodes on one machine, or on a quiet network of one rack, where nobody is held up for 20 ms. A leader that
// hangs is followed by another after 70 ms or so: Quorum is what bound c asks for, and so patience is short.
func Local() Timing {
	return Timing{
		Delay: 8 * time.Millisecond, Drift: 0.01, Heartbeat: 20 * time.Millisecond, Reign: 57 * time.Millisecond,
		Patience: 59 * time.Millisecond, Election: 17 * time.Millisecond, Coordinator: 78 * time.Millisecond,
		Claim: 33 * time.Millisecond, Stagger: 17 * time.Millisecond, Defer: 2 * time.Millisecond, Preempt: 500 * time.Millisecond,
	}
}

// LAN is the profile for machines of one site. A leader that hangs is followed by another after 140 ms or so. To forgive a heartbeat that
// is lost would take 90 ms more, and buy little: a connection loses none while it lasts, but holds them up. So Quorum is what a leader
// needs that is held up for 45 ms, and not only for the 36 ms of bound c.
func LAN() Timing {
	return Timing{
		Delay: 12 * time.Millisecond, Drift: 0.01, Heartbeat: 100 * time.Millisecond, Reign: 150 * time.Millisecond,
		Patience: 154 * time.Millisecond, Election: 25 * time.Millisecond, Coordinator: 155 * time.Millisecond,
		Claim: 50 * time.Millisecond, Stagger: 25 * time.Millisecond, Defer: 3 * time.Millisecond, Preempt: time.Second,
	}
}

// Busy is the profile for machines that do much else, and for pods with limits of CPU: whoever has used up its part of a period of
// 100 ms, as is usual, stands still for most of the rest. One such pause is a lost heartbeat, and is forgiven.
func Busy() Timing { return TimingFor(60 * time.Millisecond) }

// WAN is the profile for sites far apart. One lost heartbeat is forgiven: a lost packet is sent again after 200 ms or more, and whatever
// comes behind it waits.
func WAN() Timing {
	return Timing{
		Delay: 250 * time.Millisecond, Drift: 0.01, Heartbeat: 500 * time.Millisecond, Reign: 2550 * time.Millisecond,
		Patience: 2610 * time.Millisecond, Election: 550 * time.Millisecond, Coordinator: 2650 * time.Millisecond,
		Claim: 1050 * time.Millisecond, Stagger: 550 * time.Millisecond, Defer: 50 * time.Millisecond, Preempt: 10 * time.Second,
	}
}

// TimingFor returns a timing for a system in which messages, disk writes and queues included, take less than a delay, from a
// microsecond to 20 minutes, and clocks are right to one in a hundred. It forgives one lost heartbeat, and keeps every bound of R37 with
// a little to spare. A leader that hangs is followed by another after twelve times the delay or so, and one whose process ends after
// a few round trips.
func TimingFor(delay time.Duration) Timing {
	grain := time.Millisecond // people are to read it
	for grain > delay/8 && grain > 1 {
		grain /= 10
	}
	above := func(needed float64) time.Duration { return time.Duration(needed)/grain*grain + grain }
	t := Timing{Delay: delay, Drift: 0.01, Heartbeat: 4 * delay, Defer: delay / 4}
	t.Election = above(t.fast(2 * float64(delay)))
	t.Stagger = t.Election
	t.Claim = above(t.fast(4 * float64(delay)))
	t.Reign = above(t.answered(1))
	t.Patience = above(t.reign())
	t.Coordinator = max(t.Patience, above(t.elected()))
	t.Preempt = 4 * t.Coordinator
	return t
}
