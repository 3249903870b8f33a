package transport

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
)

// TestNetworkCutKeepsNothing cuts a link that has messages under way, and does not heal it until they would have arrived.
func TestNetworkCutKeepsNothing(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		n := NewNetwork(laterBy(10 * time.Millisecond))
		first, second := n.Join(one), n.Join(two)
		time.Sleep(20 * time.Millisecond)
		all(first)
		all(second)
		first.Send(claim(one, two, 1))
		second.Send(claim(two, one, 2))
		time.Sleep(5 * time.Millisecond)
		n.Cut(one, two)
		time.Sleep(20 * time.Millisecond)
		require.Empty(t, all(second), "a cut loses what is under way")
		require.Equal(t, []string{"Down 2", "Received 2→1 CLAIM epoch:2 question:1"}, all(first), "in its own direction only")
	})
}

// TestNetworkRestartUnderWay restarts a node while messages to it are under way: they are not for its successor.
func TestNetworkRestartUnderWay(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		n := NewNetwork(laterBy(10 * time.Millisecond))
		first, second := n.Join(one), n.Join(two)
		time.Sleep(20 * time.Millisecond)
		all(first)
		all(second)
		for epoch := range 8 {
			first.Send(claim(one, two, epoch))
			time.Sleep(time.Millisecond)
		}
		second = n.Join(two)
		var told []string
		for range 100 { // what comes is read at once: later it would be dropped, as that of an older connection
			time.Sleep(time.Millisecond)
			told = append(told, all(second)...)
		}
		require.Equal(t, []string{"Up 1"}, told)
		first.Send(claim(one, two, 9))
		time.Sleep(20 * time.Millisecond)
		require.Equal(t, []string{"Received 1→2 CLAIM epoch:9 question:1"}, all(second))
	})
}
