package transport

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// handledChanging starts node 1 of a cluster of changing members, with node 2 in the hands of the test.
func handledChanging(t *testing.T, change func(*Config)) (*TCP, <-chan dial) {
	var dials <-chan dial
	node := aloneChanging(t, func(c *Config) {
		dials = byHand(c)
		c.Members = map[spec.NodeID]string{two: "two"}
		if change != nil {
			change(c)
		}
	})
	return node, dials
}

// What is queued for a member when it leaves is written, and then its link is closed.
func TestMemberThatLeavesIsToldAll(t *testing.T) {
	node, dials := handledChanging(t, func(c *Config) { c.Changing.Idle, c.WriteTimeout = alwaysIdle, never })
	conn := next(t, dials).answerAs(t, disk(two), 1)
	sees(t, node, "Up 2")
	for i := range 20 {
		node.Send(claim(one, two, i)) // the first is being written: the pipe has no room for it
	}
	node.SetMembers(nil)
	for i := range 20 {
		m, err := spec.ReadFrame(conn)
		require.NoError(t, err)
		require.Equal(t, claim(one, two, i), m)
	}
	ends(t, conn)
	eventually(t, "it is over", func() bool { s := node.Stats(); return len(s.Links) == 0 && s.Sent == 20 && !s.NonMembers[0].Up })
	nothing(t, node)
	node.Send(claim(one, two, 99))
	require.Equal(t, uint64(1), node.Stats().Lost, "it has never said where it is, and is no member")
}

// So is the link of one to which there is nothing to say.
func TestMemberThatLeavesIsClosed(t *testing.T) {
	node, dials := handledChanging(t, func(c *Config) { c.Changing.Idle = alwaysIdle })
	conn := next(t, dials).answerAs(t, disk(two), 1)
	sees(t, node, "Up 2")
	node.SetMembers(nil)
	ends(t, conn)
}

// What is known of a member that leaves and has not been told yet is not told any more; what it has said is.
func TestMemberThatLeavesIsUntold(t *testing.T) {
	node, dials := handledChanging(t, nil)
	member := meetAs(t, node, offerOf(two))
	next(t, dials).answerAs(t, disk(two), 1)
	eventually(t, "it is open", func() bool { return node.Stats().Links[0].Up })
	write(t, member, claim(two, one, 1))
	eventually(t, "it has come", func() bool { return node.Stats().Received == 1 })
	node.SetMembers(nil)
	sees(t, node, "Received 2→1 CLAIM epoch:1 question:1")
	nothing(t, node)
	node.SetMembers(map[spec.NodeID]string{two: "two"})
	sees(t, node, "Up 2")
	nothing(t, node)
}

// That a node refuses while it is no member proves nothing, and is no news when it is one again.
func TestMemberThatLeavesAndEnds(t *testing.T) {
	members := map[spec.NodeID]string{two: JoinAddress("two", disk(two))}
	node, dials := handledChanging(t, func(c *Config) { c.Members = members })
	require.NoError(t, meetAs(t, node, saidAt(7)).Close())
	eventually(t, "its end is known", func() bool { s := node.Stats(); return s.Accepted == 1 && !s.Links[0].Hears })
	for d := next(t, dials); ; d = next(t, dials) { // it may be dialled anew, for having been heard
		if node.SetMembers(nil); d.ctx.Err() != nil {
			break
		}
	}
	node.Send(claim(one, two, 1))
	next(t, dials).fail(errRefused)
	eventually(t, "it cannot be reached", func() bool { return node.Stats().Lost == 1 })
	nothing(t, node)
	require.False(t, node.Stats().NonMembers[0].Dead, "a node that refuses is not proved dead")
	node.SetMembers(members)
	next(t, dials).fail(errRefused)
	sees(t, node, "Dead 2")
}

// A non-member that becomes a member somewhere else than it has said is connected there, and nothing is told of before.
func TestNonMemberThatJoinsElsewhere(t *testing.T) {
	var dials <-chan dial
	node := aloneChanging(t, func(c *Config) {
		dials = byHand(c)
		c.Changing.Idle, c.Dial = never, keepAddress(make(chan string, 10), c.Dial)
	})
	meetAs(t, node, saidAt(7))
	node.Send(claim(one, two, 1))
	conn := next(t, dials).answerAs(t, disk(two), 7)
	_, err := spec.ReadFrame(conn)
	require.NoError(t, err)
	node.SetMembers(map[spec.NodeID]string{two: "three"})
	ends(t, conn)
	next(t, dials).answerAs(t, disk(two), 7)
	sees(t, node, "Up 2")
	nothing(t, node)
}

// A member that moves, or whose disk is another one now, is connected anew, and at once.
func TestMemberThatMoves(t *testing.T) {
	for name, to := range map[string]string{"address": "three", "disk": JoinAddress("two", disk(three))} {
		t.Run(name, func(t *testing.T) {
			dialled := make(chan string, 10)
			node, dials := handledChanging(t, func(c *Config) {
				by := c.Dial
				c.Dial = keepAddress(dialled, by)
			})
			conn := next(t, dials).answerAs(t, disk(two), 1)
			sees(t, node, "Up 2")
			node.SetMembers(map[spec.NodeID]string{two: "two"}) // as before
			node.SetMembers(map[spec.NodeID]string{two: JoinAddress("two", disk(two))})
			require.True(t, node.Stats().Links[0].Up, "that is the disk of the node that has answered")
			node.SetMembers(map[spec.NodeID]string{two: to})
			ends(t, conn)
			sees(t, node, "Down 2")
			next(t, dials).answerAs(t, disk(three), 2)
			sees(t, node, "Up 2")
			require.Equal(t, "two", <-dialled)
			hostPort, _, err := SplitAddress(to)
			require.NoError(t, err)
			require.Equal(t, hostPort, <-dialled)
		})
	}
}

// A dial to where a member was proves nothing, and is given up.
func TestOldAddressProvesNothing(t *testing.T) {
	node, dials := handledChanging(t, nil)
	old := next(t, dials)
	node.SetMembers(map[spec.NodeID]string{two: JoinAddress("two", disk(two))})
	<-old.ctx.Done()
	current := next(t, dials)
	nothing(t, node)
	current.fail(errRefused)
	sees(t, node, "Dead 2")

	// The same if the refusal is there before it is given up.
	node, dials = handledChanging(t, nil)
	old = next(t, dials)
	node.mu.Lock()
	a := attempt{way: node.byNode[two].target(), heard: node.byNode[two].heard}
	node.mu.Unlock()
	node.SetMembers(map[spec.NodeID]string{two: JoinAddress("two", disk(two))})
	require.False(t, node.proves(node.byNode[two], a, errRefused), "a dial to an old address proves nothing")
	<-old.ctx.Done()
	node.SetMembers(nil)
	require.False(t, node.proves(node.byNode[two], a, errRefused), "nor of one that is no member")
	nothing(t, node)
}

// Nor does a refusal at an address that two members have, or that a member has given itself.
func TestSharedAddressProvesNothing(t *testing.T) {
	node, dials := handledChanging(t, func(c *Config) {
		c.Members = map[spec.NodeID]string{two: "two", three: JoinAddress("two", disk(three))}
		c.BackoffMin, c.BackoffMax = time.Millisecond, time.Millisecond
	})
	for range 6 {
		next(t, dials).fail(errRefused)
	}
	d := next(t, dials)
	nothing(t, node)
	node.SetMembers(map[spec.NodeID]string{two: "two"})
	d.fail(errRefused)
	next(t, dials).fail(errRefused)
	sees(t, node, "Dead 2")

	node, dials = handledChanging(t, func(c *Config) {
		c.Members = map[spec.NodeID]string{two: ""}
		c.BackoffMin, c.BackoffMax = time.Millisecond, time.Millisecond
		by := c.Dial
		c.Dial = keepAddress(make(chan string, 1000), by)
	})
	require.NoError(t, meetAs(t, node, saidAt(7)).Close())
	for range 3 {
		next(t, dials).fail(errRefused) // where it was dialled before, or where it is
	}
	next(t, dials).answerAs(t, disk(two), 7)
	sees(t, node, "Up 2")
}

// An address that is none is said to be so, and all others are dialled.
func TestBadAddressOfAMember(t *testing.T) {
	var logged log
	node, dials := handledChanging(t, func(c *Config) { c.Logger = logged.logger() })
	node.SetMembers(map[spec.NodeID]string{one: "x", two: "two", three: "three#nonsense"})
	require.Contains(t, logged.String(), "a member cannot be dialled")
	require.Contains(t, logged.String(), "three#nonsense")
	next(t, dials).answerAs(t, disk(two), 1)
	sees(t, node, "Up 2")
	require.Len(t, node.Stats().Links, 2)

	fixed := alone(t, func(c *Config) { c.Logger = logged.logger() })
	fixed.SetMembers(nil)
	require.Len(t, fixed.Stats().Links, 2)
	require.Contains(t, logged.String(), "members are fixed, and cannot be set")
}

// Members are set by several at once, and to anything, while all send; in the end all are members and hear each other.
func TestMembersOverAndOver(t *testing.T) {
	ids := []spec.NodeID{one, two, three, nine}
	g := newChangingTCP(t, func(c *Config) { c.Changing.Idle = alwaysIdle }, ids...)
	all := at(g, ids...)
	nodes := make(map[spec.NodeID]*TCP)
	for _, id := range ids {
		nodes[id] = begin(g, id, ids...).(*TCP)
	}
	var setting sync.WaitGroup
	for i, id := range ids {
		setting.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			for round := range 200 {
				some := maps.Clone(all)
				maps.DeleteFunc(some, func(spec.NodeID, string) bool { return random.IntN(3) == 0 })
				nodes[id].SetMembers(some)
				for _, other := range ids {
					nodes[id].Send(claim(id, other, round))
				}
				nodes[id].Next()
				if random.IntN(4) == 0 {
					time.Sleep(time.Duration(random.IntN(int(time.Millisecond))))
				}
			}
			nodes[id].SetMembers(all)
		})
	}
	setting.Wait()
	for _, id := range ids {
		eventually(t, fmt.Sprintf("node %v is connected to all", id), func() bool {
			s := nodes[id].Stats()
			up := 0
			for _, l := range s.Links {
				if l.Up && l.Hears {
					up++
				}
			}
			return up == len(ids)-1 && len(s.NonMembers) == 0
		})
	}
	for epoch := range 10 {
		for _, id := range ids {
			for _, other := range ids {
				if other != id {
					nodes[id].Send(claim(id, other, 1000+epoch))
				}
			}
		}
	}
	for _, id := range ids {
		last := make(map[spec.NodeID]int)
		take(t, nodes[id], func(e Event) bool {
			if e.Kind == Received && e.Message.Epoch >= 1000 {
				require.Equal(t, 1000+last[e.Node], int(e.Message.Epoch), "in order, each once")
				last[e.Node]++
			}
			return last[one]+last[two]+last[three]+last[nine] == 10*(len(ids)-1)
		})
	}
	for _, id := range ids {
		s := nodes[id].Stats()
		t.Logf("%v: %d sent, %d lost, %d received, refused %v", id, s.Sent, s.Lost, s.Received, s.Refused)
	}
}

func TestChangingConfigIsChecked(t *testing.T) {
	for _, c := range []struct {
		problem string
		change  func(*Config)
	}{
		{"Config.Changing.Incarnation: 0: give that of the record of node 1", func(c *Config) { c.Changing.Incarnation = 0 }},
		{"Config.Changing.Idle: below zero", func(c *Config) { c.Changing.Idle = -1 }},
		{`Config.Changing.Address: "" is not host:port`, func(c *Config) { c.Changing.Address = "" }},
		{`Config.Changing.Address: "127.0.0.1:" is not host:port`, func(c *Config) { c.Changing.Address = "127.0.0.1:" }},
		{`Config.Changing.Address: "a b:1" is not host:port`, func(c *Config) { c.Changing.Address = "a b:1" }},
		{"Config.Members: none is no node id", func(c *Config) { c.Members = map[spec.NodeID]string{{}: "a:1"} }},
		{`Config.Members: node 2: transport: "a" is not host:port`, func(c *Config) { c.Members = map[spec.NodeID]string{two: "a"} }},
		{`Config.Members: node 2: transport: "a:1#2": after # an incarnation`, func(c *Config) { c.Members = map[spec.NodeID]string{two: "a:1#2"} }},
		{"node 1 cannot listen", func(c *Config) { c.Changing.Address = "127.0.0.1:99999" }},
	} {
		config := Config{ID: one, Cluster: "test", Changing: &Changing{Incarnation: 1, Address: "127.0.0.1:0"}}
		c.change(&config)
		_, err := NewTCP(config)
		require.ErrorContains(t, err, "transport: ")
		require.ErrorContains(t, err, c.problem)
	}
	config := Config{ID: one, Cluster: "test", Changing: &Changing{Incarnation: 1, Address: "127.0.0.1:0"}}
	node := startTCP(t, config)
	require.Equal(t, node.Addr().String(), node.config.Changing.Address, "the port is that which was chosen")
	require.Equal(t, 2*time.Second, node.config.Changing.Idle)
	require.True(t, strings.HasSuffix(config.Changing.Address, ":0"), "what the caller has given stays as it is")
	require.Empty(t, node.Stats().Links)
}

// What comes on a connection to a non-member is its fault, as it is a member's.
func TestNothingComesBackFromNonMembers(t *testing.T) {
	var dials <-chan dial
	node := aloneChanging(t, func(c *Config) { dials = dialsOf(c); c.Changing.Idle = never })
	meetAs(t, node, saidAt(7))
	node.Send(claim(one, two, 1))
	conn := next(t, dials).answerAs(t, disk(two), 7)
	_, err := spec.ReadFrame(conn)
	require.NoError(t, err)
	_, err = io.WriteString(conn, "x")
	require.NoError(t, err)
	ends(t, conn)
	eventually(t, "it has ended", func() bool { return strings.Contains(node.Stats().NonMembers[0].LastError, "not for that") })
}

// keepAddress keeps the addresses that are dialled, and lets them be dialled as that of node 2.
func keepAddress(dialled chan<- string, dial func(context.Context, string) (net.Conn, error)) func(context.Context, string) (net.Conn, error) {
	return func(ctx context.Context, address string) (net.Conn, error) {
		dialled <- address
		return dial(ctx, "two")
	}
}
