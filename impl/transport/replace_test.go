package transport

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A new connection of a member replaces the old one, and drops what that has not delivered (section 2).
func TestReplaced(t *testing.T) {
	node := alone(t, nil)
	old := connectAs(t, node, two)
	other := connectAs(t, node, three)
	write(t, old, claim(two, one, 1), claim(two, one, 2))
	write(t, other, claim(three, one, 3))
	eventually(t, "all has come", func() bool { return node.Stats().Received == 3 })

	newer := connectAs(t, node, two)
	ends(t, old)
	write(t, newer, claim(two, one, 4))
	events := untilEpoch(t, node, 4)
	require.Equal(t, []int{4}, epochs(events, two))
	require.Equal(t, []int{3}, epochs(events, three), "that of other members stays")
	stats := node.Stats().Links[0]
	require.Equal(t, uint64(1), stats.Replaced)
	require.Equal(t, uint64(2), stats.Undelivered)
	require.True(t, stats.Hears, "the new connection of node 2 must be in use")
}

// What had been read of the old one, and not yet delivered, comes too late.
func TestReplacedWhileReading(t *testing.T) {
	node := alone(t, nil)
	connectAs(t, node, two)
	link := node.byNode[two]
	node.mu.Lock()
	old := link.in
	node.mu.Unlock()
	newer := connectAs(t, node, two)
	require.ErrorIs(t, node.received(link, old, claim(two, one, 1), frameSize, false), errReplaced)
	write(t, newer, claim(two, one, 2))
	require.Equal(t, []int{2}, epochs(untilEpoch(t, node, 2), two))
}

// So does the first one after an old one has ended.
func TestReplacedAfterItsEnd(t *testing.T) {
	node := alone(t, nil)
	old := connectAs(t, node, two)
	write(t, old, claim(two, one, 1), claim(two, one, 2))
	require.NoError(t, old.Close())
	eventually(t, "it has ended", func() bool { return !node.Stats().Links[0].Hears })
	require.Equal(t, uint64(2), node.Stats().Received)
	write(t, connectAs(t, node, two), claim(two, one, 4))
	require.Equal(t, []int{4}, epochs(untilEpoch(t, node, 4), two))
}

// A connection whose handshake was slow does not replace one that was opened after it.
func TestSuperseded(t *testing.T) {
	node := alone(t, nil)
	slow := connect(t, node)
	eventually(t, "it is accepted", func() bool { return node.Stats().Accepted == 1 })
	newer := connectAs(t, node, two)
	write(t, newer, claim(two, one, 1))
	require.Equal(t, supersededRefusal, greetAs(t, slow, helloOf(two)).code)
	ends(t, slow)
	write(t, newer, claim(two, one, 2))
	require.Equal(t, []int{1, 2}, epochs(untilEpoch(t, node, 2), two))
	require.Equal(t, uint64(1), node.Stats().Refused[supersededRefusal])
}

// However often a connection is replaced, what Next returns of a node is of one connection, from its first message on.
func TestReplacedOverAndOver(t *testing.T) {
	node := alone(t, nil)
	const rounds = 200
	for round := range rounds {
		conn := connectAs(t, node, two)
		go func() {
			var frames []byte
			for i := range 20 {
				frames = append(frames, framed(claim(two, one, 100*round+i))...)
			}
			_, _ = conn.Write(frames) // fails if the next one is quicker
		}()
		if round%3 == 0 {
			node.Next()
		}
	}
	events := untilEpoch(t, node, 100*(rounds-1)+19)
	got := epochs(events, two)
	for i, epoch := range got {
		require.Equal(t, 100*(rounds-1)+i, epoch)
	}
	require.Len(t, got, 20)
}
