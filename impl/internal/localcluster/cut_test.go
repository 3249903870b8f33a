package localcluster

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// naming waits until fake nodes name others.
func naming(t *testing.T, ctx context.Context, c *Cluster, want map[int]int) {
	t.Helper()
	require.NoError(t, c.Wait(ctx, "the fakes name others", func(v View) bool {
		for id, leader := range want {
			if v.Nodes[id-1].Leader != leader {
				return false
			}
		}
		return true
	}))
}

// TestProxies cuts links, in both directions and in one, and kills a node behind a cut.
func TestProxies(t *testing.T) {
	t.Parallel()
	testCuts(t, Proxied)
}

// TestNamespaces does the same to networks of their own.
func TestNamespaces(t *testing.T) {
	t.Parallel()
	if err := CanNamespace(); err != nil {
		t.Skip("needs ip: ", err)
	}
	testCuts(t, Namespaced)
}

func testCuts(t *testing.T, network Network) {
	ctx := within(t, patience)
	c := fakes(t, Config{Nodes: 3, Network: network})
	require.NoError(t, c.Start())
	naming(t, ctx, c, map[int]int{1: 3, 2: 3, 3: 3})

	_, err := c.Cut(Between([]int{3}, []int{1, 2})...)
	require.NoError(t, err)
	naming(t, ctx, c, map[int]int{1: 2, 2: 2, 3: 3})
	_, err = c.Heal()
	require.NoError(t, err)
	naming(t, ctx, c, map[int]int{1: 3, 2: 3, 3: 3})

	// A namespace loses packets, so that one way alone carries no connection.
	if network == Proxied {
		epoch := c.View().Nodes[2].Epoch
		_, err = c.Cut(OneWay([]int{3}, []int{1, 2})...)
		require.NoError(t, err)
		naming(t, ctx, c, map[int]int{1: 2, 2: 2, 3: 3})
		require.NoError(t, c.Wait(ctx, "3 hears that 2 leads", func(v View) bool { return v.Nodes[2].Epoch > epoch }))
		_, err = c.Heal(OneWay([]int{3}, []int{1, 2})...)
		require.NoError(t, err)
		naming(t, ctx, c, map[int]int{1: 3, 2: 3, 3: 3})
	}
	refused := func(id, by int) int {
		return refusals(t, c, by)[c.route(by, id)]
	}
	before := refused(3, 1)

	// A node that dies behind a cut shows nothing of it.
	_, err = c.Cut(Between([]int{3}, []int{1, 2})...)
	require.NoError(t, err)
	_, err = c.Kill(3)
	require.NoError(t, err)
	naming(t, ctx, c, map[int]int{1: 2, 2: 2})
	require.NoError(t, sleep(ctx, 100*time.Millisecond), "several dials")
	require.Equal(t, before, refused(3, 1), "a link that is cut refuses nothing")
	if network == Proxied { // The fake has had no reason to dial anew.
		conn, err := net.Dial("tcp", c.route(1, 3))
		require.NoError(t, err, "a link that is cut refuses nothing")
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
		_, err = conn.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded, "and ends nothing")
		require.NoError(t, conn.Close())
	}

	// Healed, a dead node refuses; and so does one that dies before our eyes.
	_, err = c.Heal()
	require.NoError(t, err)
	for refused(3, 1) == before {
		require.NoError(t, sleep(ctx, time.Millisecond), "a dead node refuses")
	}
	require.NoError(t, c.Start(3))
	naming(t, ctx, c, map[int]int{1: 3, 2: 3, 3: 3})
	before = refused(3, 1)
	_, err = c.Kill(3)
	require.NoError(t, err)
	for refused(3, 1) == before {
		require.NoError(t, sleep(ctx, time.Millisecond), "a dead node refuses")
	}
}

// refusals returns how often a fake node was refused by each address that it dials.
func refusals(t *testing.T, c *Cluster, id int) map[string]int {
	t.Helper()
	response, err := http.Get("http://" + c.HTTP(id) + "/status")
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	var s struct{ Refused map[string]int }
	require.NoError(t, json.NewDecoder(response.Body).Decode(&s))
	return s.Refused
}

// TestCutDirect sees that bare loopback cannot be cut.
func TestCutDirect(t *testing.T) {
	t.Parallel()
	c := fakes(t, Config{Nodes: 2})
	_, err := c.Cut(Link{1, 2})
	require.ErrorContains(t, err, "cannot be cut: use Proxied or Namespaced")
}

// TestLinks lists links.
func TestLinks(t *testing.T) {
	t.Parallel()
	require.Equal(t, []Link{{1, 3}, {2, 3}, {3, 1}, {3, 2}}, Between([]int{1, 2}, []int{3}))
	require.Equal(t, []Link{{1, 3}, {2, 3}}, OneWay([]int{1, 2}, []int{3}))
}
