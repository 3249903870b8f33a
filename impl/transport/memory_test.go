package transport

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/spec"
)

// all returns the events that there are now, as text.
func all(n node) (events []string) {
	for e, ok := n.Next(); ok; e, ok = n.Next() {
		events = append(events, e.String())
	}
	return events
}

func TestNetworkWithoutDelay(t *testing.T) {
	n := NewNetwork(nil)
	first := n.Join(one)
	second := n.Join(two)
	require.Equal(t, []string{"Up 2"}, all(first))
	require.Equal(t, []string{"Up 1"}, all(second))
	second.Send(claim(two, one, 1))
	require.Equal(t, []string{"Received 2→1 CLAIM epoch:1 question:1"}, all(first))
	n.Kill(two)
	second.Send(claim(two, one, 2))
	require.Equal(t, []string{"Down 2", "Dead 2"}, all(first))
	require.Empty(t, all(second))
	n.Kill(two)
	n.Kill(nine)
	require.Empty(t, all(first))
	require.Equal(t, []string{"Dead 2", "Up 1"}, sorted(all(n.Join(three))), "who joins is told who is dead")
	require.Equal(t, []string{"Up 3"}, all(first))
	second = n.Join(two)
	require.Equal(t, []string{"Up 2"}, all(first))
	require.Equal(t, []string{"Up 1", "Up 3"}, all(second))
	again := n.Join(two)
	require.Equal(t, []string{"Down 2", "Dead 2", "Up 2"}, all(first), "who joins twice is killed in between")
	require.Empty(t, all(second))
	second.Send(claim(two, one, 3))
	require.NoError(t, second.Close())
	require.Empty(t, all(first), "the old one has no say any more")
	again.Send(claim(two, one, 4))
	require.Equal(t, []string{"Received 2→1 CLAIM epoch:4 question:1"}, all(first))
}

func sorted(s []string) []string { slices.Sort(s); return s }

func TestNetworkCuts(t *testing.T) {
	n := NewNetwork(nil)
	first, second := n.Join(one), n.Join(two)
	all(first)
	all(second)

	n.Cut(one, two)
	require.Equal(t, []string{"Down 2"}, all(first))
	require.Empty(t, all(second), "the other direction is as it was")
	first.Send(claim(one, two, 1))
	second.Send(claim(two, one, 2))
	require.Equal(t, []string{"Received 2→1 CLAIM epoch:2 question:1"}, all(first))
	require.Empty(t, all(second))
	n.Heal(one, two)
	require.Equal(t, []string{"Up 2"}, all(first))
	first.Send(claim(one, two, 3))
	require.Equal(t, []string{"Received 1→2 CLAIM epoch:3 question:1"}, all(second))

	// There is no proof where the answer, or the dial, does not arrive.
	for _, cut := range [][]spec.Link{{{From: one, To: two}}, {{From: two, To: one}}, {{From: one, To: two}, {From: two, To: one}}} {
		for _, link := range cut {
			n.Cut(link.From, link.To)
		}
		n.Kill(two)
		require.NotContains(t, all(first), "Dead 2")
		for _, link := range cut {
			n.Heal(link.From, link.To)
		}
		told := all(first)
		require.Equal(t, "Dead 2", told[len(told)-1])
		n.Join(two)
		require.Equal(t, []string{"Up 2"}, all(first))
	}

	// A node that ends and returns behind a cut is another one: the connection to it has ended.
	n.Cut(two, one)
	n.Kill(two)
	second = n.Join(two)
	first.Send(claim(one, two, 4))
	require.Empty(t, all(second))
	require.Empty(t, all(first))
	n.Heal(two, one)
	require.Equal(t, []string{"Down 2", "Up 2"}, all(first))
	require.Equal(t, []string{"Up 1"}, all(second))
}

func TestNetworkDelays(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		n := NewNetwork(func(from, to spec.NodeID) time.Duration {
			return map[spec.Link]time.Duration{{From: one, To: two}: 10 * time.Millisecond, {From: two, To: one}: 30 * time.Millisecond}[spec.Link{From: from, To: to}]
		})
		begin := time.Now()
		first, second := n.Join(one), n.Join(two)
		at := func(n node, ms int, want ...string) {
			t.Helper()
			for i, w := range want {
				<-n.Wake()
				e, ok := n.Next()
				require.True(t, ok, "event %d comes with its wake-up", i)
				require.Equal(t, w, e.String())
				require.Equal(t, time.Duration(ms)*time.Millisecond, time.Since(begin), "%d: %v", i, e)
			}
		}
		at(second, 10, "Up 1")
		first.Send(claim(one, two, 1))  // not yet connected
		second.Send(claim(two, one, 2)) // until 40
		at(first, 30, "Up 2")
		first.Send(claim(one, two, 3))
		at(first, 40, "Received 2→1 CLAIM epoch:2 question:1")
		at(second, 40, "Received 1→2 CLAIM epoch:3 question:1")

		second.Send(claim(two, one, 4)) // does not survive its sender
		first.Send(claim(one, two, 5))  // nor its receiver
		n.Kill(two)                     // known at 70; a dial takes 40 more
		at(first, 70, "Down 2")
		at(first, 110, "Dead 2")

		second = n.Join(two)
		at(second, 120, "Up 1")
		at(first, 140, "Up 2")
		second.Send(claim(two, one, 6))
		require.NoError(t, second.Close()) // what it has sent arrives
		at(first, 170, "Received 2→1 CLAIM epoch:6 question:1", "Down 2")
		second = n.Join(two) // before it is known that it was dead
		at(second, 180, "Up 1")
		second.Send(claim(two, one, 7))
		at(first, 210, "Dead 2", "Up 2", "Received 2→1 CLAIM epoch:7 question:1")
		synctest.Wait()
		require.Empty(t, all(first))
	})
}

// A cut loses what is under way, and what is known of a link stays true.
func TestNetworkCutUnderWay(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		n := NewNetwork(laterBy(10 * time.Millisecond))
		first, second := n.Join(one), n.Join(two)
		time.Sleep(5 * time.Millisecond)
		n.Cut(one, two) // while the connections open
		time.Sleep(20 * time.Millisecond)
		require.Empty(t, all(first))
		require.Empty(t, all(second))
		n.Heal(one, two)
		time.Sleep(20 * time.Millisecond)
		require.Equal(t, []string{"Up 2"}, all(first))
		require.Equal(t, []string{"Up 1"}, all(second))
		second.Send(claim(two, one, 1))
		n.Cut(two, one)
		n.Heal(two, one)
		second.Send(claim(two, one, 2)) // its connection has ended, and is not open again
		time.Sleep(15 * time.Millisecond)
		require.Equal(t, []string{"Down 1", "Up 1"}, all(second))
		second.Send(claim(two, one, 3))
		time.Sleep(15 * time.Millisecond)
		require.Equal(t, []string{"Received 2→1 CLAIM epoch:3 question:1"}, all(first))
	})
}

// What is under way to a node that has ended comes to nobody.
func TestNetworkKillUnderWay(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		n := NewNetwork(laterBy(10 * time.Millisecond))
		first, second := n.Join(one), n.Join(two)
		time.Sleep(20 * time.Millisecond)
		all(first)
		all(second)
		first.Send(claim(one, two, 1))
		n.Kill(two)
		again := n.Join(two)
		time.Sleep(5 * time.Millisecond)
		n.Kill(two)
		time.Sleep(100 * time.Millisecond)
		for _, dead := range []*Endpoint{second, again} {
			require.Empty(t, dead.Wake())
			require.Empty(t, all(dead))
		}
		require.Equal(t, []string{"Down 2", "Dead 2"}, all(first), "it was not up in between")
	})
}

// However long each message takes, a link is FIFO; a message of negative delay is lost.
func TestNetworkIsFIFO(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		lost := 0
		n := NewNetwork(func(_, _ spec.NodeID) time.Duration {
			d := time.Duration(random.IntN(100)-5) * time.Millisecond
			if d < 0 {
				lost++
			}
			return d
		})
		first, second := n.Join(one), n.Join(two)
		time.Sleep(time.Second)
		all(first)
		all(second)
		lost = 0
		const sent = 200
		for i := range sent {
			second.Send(claim(two, one, i))
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		var got []Event
		for e, ok := first.Next(); ok; e, ok = first.Next() {
			got = append(got, e)
		}
		require.NotZero(t, lost)
		require.Len(t, got, sent-lost)
		require.True(t, slices.IsSorted(epochs(got, two)), "messages must arrive in the order in which they were sent")
	})
}

// TestSetMembersOfOthers: what has ended, or is of fixed members, connects nobody.
func TestSetMembersOfOthers(t *testing.T) {
	members := map[spec.NodeID]string{one: "", two: ""}
	n := NewNetwork(nil)
	first, second := n.JoinChanging(one, disk(one)), n.JoinChanging(two, disk(two))
	first.SetMembers(members)
	n.Kill(two)
	all(first)
	second.SetMembers(members)
	require.Empty(t, append(all(first), all(second)...))

	n = NewNetwork(nil)
	fixed, other := n.Join(one), n.Join(two)
	require.Equal(t, []string{"Up 2"}, all(fixed))
	require.Equal(t, []string{"Up 1"}, all(other))
	fixed.SetMembers(map[spec.NodeID]string{one: ""})
	fixed.Send(claim(one, two, 1))
	require.Equal(t, []string{"Received 1→2 CLAIM epoch:1 question:1"}, all(other))
	n.Kill(two)
	require.Equal(t, []string{"Down 2", "Dead 2"}, all(fixed))
}
