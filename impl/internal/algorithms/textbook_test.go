package algorithms_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare"
)

// The timers of the textbook Bully in these tests.
const (
	textbookTelec  = 25 * time.Millisecond
	textbookTcoord = 2 * textbookTelec
)

// textbookReign is a reign as tests write it down.
func textbookReign(leader int, begin, end time.Duration) compare.Reign {
	return compare.Reign{Leader: leader, Begin: begin, End: end}
}

// The highest that lives takes over a message and a T_elec after it is asked.
func TestTextbookFiveNodes(t *testing.T) {
	const ms = time.Millisecond
	r := play(t, named(t, "five-nodes"), algorithm(t, "textbook"))
	require.Equal(t, []compare.Reign{textbookReign(5, textbookTelec, 500*ms), textbookReign(4, 701*ms+textbookTelec, 5000*ms)}, r.Reigns)
	require.Equal(t, map[string]int{"ELECTION": 3, "OK": 1, "COORDINATOR": 4 + 4}, textbookElections(r))
	require.Equal(t, 3, r.Elections)
	require.True(t, r.Agreed, "all nodes must agree on the leader at the end")
}

// After the death of the second leader it takes what is left of T_coord and a T_elec more: 2·T_elec and a round trip, less the
// half millisecond that 4 had still to wait; from the suspicion on it is 3·T_elec and a round trip.
func TestTextbookCascade(t *testing.T) {
	const ms = time.Millisecond
	r := play(t, named(t, "cascade"), algorithm(t, "textbook"))
	death, asked := 725*ms+ms/2, 700*ms
	require.Equal(t, []compare.Reign{
		textbookReign(5, textbookTelec, 500*ms), textbookReign(3, asked+2*ms+textbookTcoord+textbookTelec, 5000*ms),
	}, r.Reigns)
	require.Equal(t, 2*textbookTelec+3*ms/2, r.Reigns[1].Begin-death)
	require.True(t, r.Agreed, "all nodes must agree on the leader at the end")
}

// The needless election costs 4 its reign for a T_elec; were COORDINATOR 1.5 ms faster, there would be none.
func TestTextbookLateCoordinator(t *testing.T) {
	const ms = time.Millisecond
	s := named(t, "late-coordinator")
	r := play(t, s, algorithm(t, "textbook"))
	require.Equal(t, []compare.Reign{
		textbookReign(5, textbookTelec, 500*ms), textbookReign(4, 701*ms+textbookTelec, 753*ms), textbookReign(4, 753*ms+textbookTelec, 5000*ms),
	}, r.Reigns)
	last := len(s.Faults) - 1
	s.Faults[last].Delay = compare.Range{Min: 25 * ms, Max: 25 * ms}
	require.Len(t, play(t, s, algorithm(t, "textbook")).Reigns, 2)
}

// All that detect at once send (n-1)·n messages, with the highest of n dead: each asks all above it, and all but the dead one
// answer. One that detects it alone needs n, if it is the right one; if it is the lowest, it makes a herd of the others.
func TestTextbookHerdOfFifteen(t *testing.T) {
	const ms = time.Millisecond
	s := named(t, "herd")
	const n, began = 15, 14 // the first election takes n-1 messages
	r := play(t, s, algorithm(t, "textbook"))
	require.Equal(t, map[string]int{"ELECTION": n * (n - 1) / 2, "OK": (n - 1) * (n - 2) / 2, "COORDINATOR": n - 1 + began}, textbookElections(r))
	require.Equal(t, began+n*(n-1), r.Election)
	for _, one := range []struct{ starter, want int }{{14, n}, {1, n * (n - 1)}} {
		s := s
		s.Timing.Patience = time.Hour
		s.Faults = append(s.Faults[:2:2], compare.Fault{Kind: compare.Suspect, Node: one.starter, At: 1250 * ms})
		r := play(t, s, algorithm(t, "textbook"))
		require.Equal(t, began+one.want, r.Election)
		require.Equal(t, 14, r.Reigns[1].Leader)
	}
}

// textbookElections returns the messages that are no upkeep.
func textbookElections(r compare.Result) map[string]int {
	delete(r.Messages, "HEARTBEAT")
	return r.Messages
}

// Without T_coord nobody ever leads again; with it 3 does, as in the cascade.
func TestTextbookOkThenDie(t *testing.T) {
	const ms = time.Millisecond
	s := named(t, "ok-then-die")
	r := play(t, s, algorithm(t, "textbook-no-tcoord"))
	require.Equal(t, []compare.Reign{textbookReign(5, textbookTelec, 500*ms)}, r.Reigns)
	require.Equal(t, s.Length-500*ms, r.None)
	require.False(t, r.Agreed, "without T_coord no node leads again")

	r = play(t, s, algorithm(t, "textbook"))
	require.Len(t, r.Reigns, 2)
	require.Equal(t, 3, r.Reigns[1].Leader)
	require.True(t, r.Agreed, "T_coord must let node 3 lead")
}

// Both sides of a partition have a leader, and nothing ends either reign when it heals.
func TestTextbookSplitBrain(t *testing.T) {
	const ms = time.Millisecond
	r := play(t, named(t, "split-brain"), algorithm(t, "textbook"))
	require.Equal(t, []compare.Reign{textbookReign(5, textbookTelec, 3*time.Second), textbookReign(3, 1276*ms, 3*time.Second)}, r.Reigns)
	require.Equal(t, 3*time.Second-1276*ms, r.Two)
	require.Equal(t, 2, r.AtOnce)
	require.Equal(t, 17, r.Stale)
}

// Both leaders have heard of epoch 1, and pick 2.
func TestTextbookSameStamp(t *testing.T) {
	r := play(t, named(t, "same-stamp"), algorithm(t, "textbook-stamp"))
	require.Equal(t, 2, r.SameEpoch)
	require.Len(t, r.Reigns, 3)
	require.Equal(t, []uint64{1, 2, 2}, []uint64{r.Reigns[0].Epoch, r.Reigns[1].Epoch, r.Reigns[2].Epoch})
	require.NotEqual(t, r.Reigns[1].Leader, r.Reigns[2].Leader)
	require.NotZero(t, r.Stale)
}

// A deaf leader goes on beside its successor, and after it hears again.
func TestTextbookOneWay(t *testing.T) {
	const ms = time.Millisecond
	r := play(t, named(t, "one-way"), algorithm(t, "textbook"))
	require.Equal(t, []compare.Reign{
		textbookReign(5, textbookTelec, 3*time.Second), textbookReign(4, 1201*ms+textbookTelec, 3*time.Second),
	}, r.Reigns)
	require.NotZero(t, r.Stale)
	require.False(t, r.Agreed, "two nodes must lead at the end")
}

// A follower that hears nothing deposes its leader each T_coord and round trip, as long as the link is cut.
func TestTextbookDeafFollower(t *testing.T) {
	const ms = time.Millisecond
	r := play(t, named(t, "deaf-follower"), algorithm(t, "textbook"))
	require.Greater(t, len(r.Reigns), 3)
	for k, reign := range r.Reigns {
		require.Equal(t, 5, reign.Leader)
		if k > 1 {
			require.Equal(t, textbookTcoord+2*ms, reign.Begin-r.Reigns[k-1].Begin)
		}
	}
}

// Two lead for 5 ms, then they follow each other, and nobody leads until a patience has ended.
func TestTextbookStaleReturn(t *testing.T) {
	const ms = time.Millisecond
	r := play(t, named(t, "stale-return"), algorithm(t, "textbook"))
	require.Equal(t, []compare.Reign{
		textbookReign(5, textbookTelec, 500*ms), textbookReign(4, 725*ms, 738*ms), textbookReign(5, 728*ms, 733*ms), textbookReign(5, 1055*ms+textbookTelec, 3*time.Second),
	}, r.Reigns)
	require.Equal(t, 5*ms, r.Two)
}

// The write that the pause came into is accepted, and is the only stale one: as it wakes, 5 hears of 4.
func TestTextbookPausedLeader(t *testing.T) {
	r := play(t, named(t, "paused-leader"), algorithm(t, "textbook"))
	require.Equal(t, 1, r.Stale)
	require.Zero(t, r.Two)
	require.Len(t, r.Reigns, 2)
	require.True(t, r.Agreed, "all nodes must agree on the leader at the end")
}

// Each return of the highest deposes a leader. A cool-down spares those reigns that would be over before it is; who follows
// whoever leads spares all.
func TestTextbookTopFlap(t *testing.T) {
	const ms = time.Millisecond
	s := named(t, "top-flap")
	leaders := func(a compare.Algorithm) (ids []int) {
		for _, reign := range play(t, s, a).Reigns {
			ids = append(ids, reign.Leader)
		}
		return ids
	}
	require.Equal(t, []int{5, 4, 5, 4, 5, 4, 5}, leaders(algorithm(t, "textbook")))
	require.Equal(t, []int{5, 4, 5}, leaders(algorithm(t, "textbook-cooldown")))
	require.Equal(t, []int{5, 4}, leaders(algorithm(t, "textbook-suppressed")))
	require.Equal(t, 3*ms, play(t, s, algorithm(t, "textbook")).Two, "until COORDINATOR arrives both lead, each time")
}

// A returned node that asks and is told of no leader holds an election after all.
func TestTextbookSuppressedAlone(t *testing.T) {
	const ms = time.Millisecond
	s := named(t, "top-flap")
	s.Faults = nil
	for node := 1; node <= 5; node++ {
		s.Faults = append(s.Faults, compare.Fault{Kind: compare.Crash, Node: node, At: time.Second, For: 500 * ms})
	}
	r := play(t, s, algorithm(t, "textbook-suppressed"))
	require.Equal(t, 5, r.Reigns[len(r.Reigns)-1].Leader)
	require.Equal(t, 1500*ms+textbookTelec+textbookTelec, r.Reigns[len(r.Reigns)-1].Begin)
	require.True(t, r.Agreed, "all nodes must agree on the leader at the end")
}

// TestTextbookAlgorithms holds the forms to be those that are asked for by name, and a stamp to be no epoch to fence with.
func TestTextbookAlgorithms(t *testing.T) {
	var names []string
	for _, a := range family(t, "textbook") {
		names = append(names, a.Name)
		require.Equal(t, []string{"T_elec", "T_coord", "patience", "heartbeat", "return"}, a.Timers)
		require.False(t, a.Fences, "the stamp of %s is no epoch to fence with", a.Name)
		require.Equal(t, a.Name == "textbook-stamp", a.Epochs)
	}
	require.Equal(t, []string{"textbook", "textbook-no-tcoord", "textbook-cooldown", "textbook-suppressed", "textbook-stamp"}, names)
}
