package transport

import (
	"bytes"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// bundling returns two nodes of many groups that know each other's addresses.
func bundling(t *testing.T, records ...spec.Durable) (all []*TCP) {
	members := map[spec.NodeID]string{}
	var listeners []net.Listener
	for i := range 2 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		listeners = append(listeners, l)
		members[spec.IntegerID(uint64(i+1))] = l.Addr().String()
	}
	for i, l := range listeners {
		c := Config{ID: spec.IntegerID(uint64(i + 1)), Cluster: "test", Members: members, Listener: l, Bundles: true}
		if i < len(records) {
			c.Record = records[i]
		}
		node, err := NewTCP(c)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, node.Close()) })
		all = append(all, node)
	}
	return all
}

// await returns the next event of a kind.
func awaitKind(t *testing.T, node *TCP, kind Kind) Event {
	timeout := time.After(30 * time.Second)
	for {
		for e, ok := node.Next(); ok; e, ok = node.Next() {
			if e.Kind == kind {
				return e
			}
		}
		select {
		case <-node.Wake():
		case <-timeout:
			require.FailNow(t, "nothing came", "%v", kind)
		}
	}
}

// Bundles arrive whole, in order, the longest too.
func TestBundles(t *testing.T) {
	nodes := bundling(t)
	awaitKind(t, nodes[0], Up)
	nodes[0].Begun()
	long := bytes.Repeat([]byte("0123456789abcdef"), maxBundle/16)
	for _, bundle := range [][]byte{{7}, long, []byte("end")} {
		nodes[0].SendBundle(spec.IntegerID(2), 1, bundle)
		got := awaitKind(t, nodes[1], Bundle)
		require.Equal(t, spec.IntegerID(1), got.Node)
		require.Equal(t, string(bundle), got.Bundle)
	}
	nodes[0].SendBundle(spec.IntegerID(2), 1, nil)
	nodes[0].SendBundle(spec.IntegerID(2), 1, append(long, 1))
	nodes[0].SendBundle(spec.IntegerID(3), 1, []byte{1})
	require.Equal(t, uint64(3), nodes[0].Stats().Unsendable)
}

// A node of one group and one of many do not connect: neither would understand the other.
func TestBundlesAlone(t *testing.T) {
	one := Config{Members: map[spec.NodeID]string{spec.IntegerID(1): "", spec.IntegerID(2): ""}}
	many := one
	many.Bundles = true
	require.NotEqual(t, one.digest(), many.digest())
}

// Whoever has heard of a save knows a disk that lacks it.
func TestSavesAreRemembered(t *testing.T) {
	first := life{boot: 1}
	first.reserved = 3 * spec.Block
	k := memory{}
	k.meets(first)
	k.saved(first, 5)
	for saves, lost := range map[spec.Question]bool{3: true, 4: true, 5: false, 6: false} {
		next := life{boot: 2}
		next.reserved = saves * spec.Block
		require.Equal(t, lost, k.lost(next) != "", "%d saves", saves)
	}
	k.saved(first, 1<<63)
	require.Equal(t, 5*spec.Block, k.reserved, "no node says that")
}

// What is no bundle ends its connection.
func TestBadBundles(t *testing.T) {
	says := map[string]string{
		"no length": "length: 0 is not that of a bundle", "no bytes": "length: 8 is not that of a bundle", "too long": "length: 4278190080 is not that of a bundle",
		"cut": "unexpected EOF",
	}
	for name, frame := range map[string][]byte{
		"no length": {0, 0, 0, 0}, "no bytes": {0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1}, "too long": {0xff, 0, 0, 0}, "cut": {0, 0, 0, 9, 1},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := net.Pipe()
			go func() {
				_, _ = a.Write(frame)
				_ = a.Close()
			}()
			node := &TCP{config: Config{FrameTimeout: time.Minute}}
			require.ErrorContains(t, node.readBundles(nil, nil, b), says[name])
			require.NoError(t, b.Close())
		})
	}
}
