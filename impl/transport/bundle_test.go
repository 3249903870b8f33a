package transport

import (
	"bytes"
	"net"
	"runtime"
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

// A node of one group and one of many do not connect, whoever dials: neither would understand the other. So where members change, too.
func TestBundlesAlone(t *testing.T) {
	for name, changing := range map[string]bool{"fixed": false, "changing": true} {
		t.Run(name, func(t *testing.T) {
			nodes := couple(t, changing, func(c *Config) { c.Bundles = c.ID == one })
			for _, node := range nodes {
				for node.Stats().Refused[otherGroupsRefusal] == 0 {
					require.Empty(t, up(node))
					runtime.Gosched()
				}
			}
		})
	}
}

// couple returns nodes 1 and 2, of fixed or of changing members.
func couple(t *testing.T, changing bool, change func(*Config)) (nodes [2]*TCP) {
	at, listeners := map[spec.NodeID]string{}, [2]net.Listener{}
	for i, id := range []spec.NodeID{one, two} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		listeners[i], at[id] = l, l.Addr().String()
	}
	for i, id := range []spec.NodeID{one, two} {
		c := Config{ID: id, Cluster: "test", Members: at, Listener: listeners[i]}
		if changing {
			c.Changing = &Changing{Incarnation: uint64(i + 1), Address: at[id]}
		}
		change(&c)
		node, err := NewTCP(c)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, node.Close()) })
		nodes[i] = node
	}
	return nodes
}

// up returns to whom a node is connected.
func up(node *TCP) (to []spec.NodeID) {
	for _, l := range node.Stats().Links {
		if l.Up {
			to = append(to, l.Node)
		}
	}
	return to
}

// Where members change, messages and bundles come on one connection, and from a node that is no member any more too; what is sent to such a node while there is no connection waits for one.
func TestBundlesBesideMessages(t *testing.T) {
	nodes := couple(t, true, func(c *Config) { c.Bundles = true })
	awaitKind(t, nodes[0], Up)
	nodes[0].Send(message(one, two))
	require.Equal(t, one, awaitKind(t, nodes[1], Received).Node)
	nodes[0].SendBundle(two, 1, []byte("first"))
	require.Equal(t, "first", awaitKind(t, nodes[1], Bundle).Bundle)
	nodes[1].SetMembers(nil)
	nodes[0].SendBundle(two, 2, []byte("second"))
	require.Equal(t, "second", awaitKind(t, nodes[1], Bundle).Bundle)
	nodes[1].mu.Lock() // as after a while
	l := nodes[1].byNode[one]
	if c := l.out; c != nil {
		nodes[1].unuse(l, c, errIdle)
		_ = c.raw.Close()
	}
	nodes[1].mu.Unlock()
	nodes[1].SendBundle(one, 1, []byte("answer"))
	require.Equal(t, "answer", awaitKind(t, nodes[0], Bundle).Bundle)
}

// message returns a message of changing members.
func message(from, to spec.NodeID) spec.Message {
	return spec.Message{Type: spec.Heartbeat, From: from, To: to, Epoch: 1, Question: 1, Configuration: spec.EmptyConfiguration()}
}

// Whoever has heard of a save knows a disk that lacks it.
func TestSavesAreRemembered(t *testing.T) {
	first := life{boot: 1, bundles: true}
	first.saves = 3
	k := memory{}
	k.meets(first)
	k.began(first)
	require.Equal(t, record{saves: 4}, k.record, "it has no other record, and has begun this one")
	k.saved(5)
	for saves, lost := range map[uint64]bool{3: true, 4: true, 5: false, 6: false} {
		next := life{boot: 2, bundles: true}
		next.saves = saves
		require.Equal(t, lost, k.lost(next) != "", "%d saves", saves)
	}
	k.saved(1 << 63)
	require.Equal(t, uint64(5), k.saves, "no node says that")
}

// Where members change a node has two records, and neither hides what the other lacks, however much it has grown.
func TestTwoRecordsAreTold(t *testing.T) {
	first := life{boot: 1, bundles: true, incarnation: 7}
	first.saves, first.reserved = 9, 4*spec.Block
	k := memory{}
	k.meets(first)
	k.began(first)
	for lack, wrong := range map[string]struct {
		saves    uint64
		reserved spec.Question
	}{
		"":                              {10, 5 * spec.Block},
		"it has saved 10 times":         {9, 99 * spec.Block},
		"it has used numbers up to 419": {99, 4 * spec.Block},
	} {
		next := life{boot: 2, bundles: true, incarnation: 7}
		next.saves, next.reserved = wrong.saves, wrong.reserved
		if said := k.lost(next); lack == "" {
			require.Empty(t, said)
		} else {
			require.Contains(t, said, lack)
		}
	}
}

// What is no bundle ends its connection.
func TestBadBundles(t *testing.T) {
	says := map[string]string{
		"no length": "length: 0 is neither", "no bytes": "length: 8 is neither", "too long": "length: 2130706432 is neither", "a message": "length: 9 is not that of a bundle",
		"too long for a message": "length: 1025 is neither", "cut": "unexpected EOF",
	}
	for name, frame := range map[string][]byte{
		"no length": {0, 0, 0, 0}, "no bytes": {0x80, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1}, "too long": {0xff, 0, 0, 0}, "a message": {0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		"too long for a message": {0, 0, 4, 1}, "cut": {0x80, 0, 0, 9, 1},
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
