package host

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// TestRemovedRunsOn: a removed node is at rest, and answers, for as long as others need to follow another leader; then it
// stops. Started again, it asks, is a member no more, and stops again. It disturbs nobody.
func TestRemovedRunsOn(t *testing.T) {
	roam(t, 4, 4, func(t *testing.T, c *cluster) {
		c.startSome(1, 2, 3, 4)
		_, err := c.host(4).RemoveMember(c.soon(), id(1), 0)
		require.NoError(t, err)
		for range 2 {
			began, backs := time.Now(), c.count(spec.ImBack)
			time.Sleep(c.timing.Linger() / 2)
			s := c.host(1).Status()
			require.Equal(t, "removed", s.Membership)
			require.False(t, s.Stopped, "a removed node must run on until it has lingered")
			require.NoError(t, c.host(1).Check(t.Context()))
			require.Equal(t, backs, c.count(spec.ImBack), "it says nothing more")
			c.gone(1)
			took := time.Since(began)
			require.Greater(t, took, c.timing.Linger()-c.timing.Heartbeat-15*ms)
			require.Less(t, took, c.timing.Linger()+15*ms)
			require.True(t, c.follow(4), "node 4 must lead on")
			require.EqualValues(t, 1, c.epoch())
			backs = c.count(spec.ImBack)
			c.start(1)
			c.await(c.timing.Heartbeat+10*ms, "it asks", func() bool { return c.count(spec.ImBack) == backs+3 })
		}
	})
}

// TestRemovedHears: a removed node tells who holds an older configuration that there is a newer one, and hears nothing else (R44), until
// it is a member again.
func TestRemovedHears(t *testing.T) {
	playChanging(t, 1, voters(0, 1, 1, 2, 3), func(t *testing.T, p *fakeHost) {
		p.first = voters(4, 2, 2, 3)
		p.hear(spec.Heartbeat, 3, 4)
		require.Equal(t, "removed", p.Status().Membership)
		p.first = voters(3, 1, 1, 2, 3)
		p.links.forget()
		p.hear(spec.Election, 2, 9)
		require.True(t, p.links.has(spec.Refuse), "a removed node must refuse to take part")
		require.EqualValues(t, 4, p.Status().Epoch, "it learns nothing")
		p.first = voters(5, 2, 1, 2, 3)
		p.hear(spec.Heartbeat, 2, 5)
		require.Equal(t, "voter", p.Status().Membership)
		require.Equal(t, id(2), p.Status().Leader)
	})
}

// TestRemovalLost: a leader that has no quorum removes a node, which hears of it; the next leader has not. The node is a
// member again, as soon as it hears that, whether it has stopped meanwhile and is started again or not.
func TestRemovalLost(t *testing.T) {
	for _, late := range []bool{false, true} {
		roam(t, 5, 5, func(t *testing.T, c *cluster) {
			c.startSome(1, 2, 3, 4, 5)
			time.Sleep(10 * ms)
			c.divide([]int{1, 5}, []int{2, 3, 4})
			_, err := c.host(5).RemoveMember(c.soon(), id(1), 0)
			require.ErrorIs(t, err, ErrOutcomeUnknown)
			c.await(10*ms, "it is told", func() bool { return c.host(1).Status().Membership == "removed" })
			c.await(c.timing.Linger()/2, "4 leads the others", func() bool { return c.host(4).seen.Load().told.Leading })
			if late {
				c.gone(1)
			}
			c.unite()
			if late {
				c.start(1)
			}
			c.await(c.timing.Linger(), "it is a member", func() bool { return c.host(1).Status().Membership == "voter" })
			c.awaitLeader(5*time.Second, 5)
			time.Sleep(2 * c.timing.Linger())
			require.True(t, c.follow(5), "node 5 must lead on")
			require.True(t, voters(1, 1, 1, 2, 3, 4, 5).SameMembers(c.leader().Members()), "the members must be nodes 1 to 5")
		})
	}
}

// TestWitnessWaits: what makes a follower without a lease stand early makes no witness speak early.
func TestWitnessWaits(t *testing.T) {
	first, err := spec.NewConfiguration(0, 1, []spec.Member{at(1, spec.Voter), at(2, spec.Voter), at(3, spec.Witness)})
	require.NoError(t, err)
	playChanging(t, 3, first, func(t *testing.T, p *fakeHost) {
		lan := LAN()
		says := func(after time.Duration) {
			t.Helper()
			require.InDelta(t, after, p.until(spec.ImBack, time.Minute), float64(200*time.Microsecond))
		}
		p.learn(transport.Up, 1)
		p.learn(transport.Up, 2)
		says(2*lan.Patience + 2*lan.Stagger) // after a first start
		p.hear(spec.Heartbeat, 2, 1)
		time.Sleep(100 * ms)
		p.hear(spec.Resign, 2, 1)
		says(lan.Patience - 100*ms) // a release restarts no timer
		p.learn(transport.Dead, 2)
		p.learn(transport.Dead, 1)
		says(lan.Patience + lan.Stagger) // as was set before: for 1 alone
		says(lan.Patience)
	})
}

// TestWitnessTells: the only one left that has the newest members is a witness, without which there is no quorum. It says so,
// and who has not heard of them yet leads (L14).
func TestWitnessTells(t *testing.T) {
	roam(t, 3, 2, func(t *testing.T, c *cluster) {
		c.startSome(1, 2)
		c.start(3)
		c.add(3, spec.Observer)
		c.divide([]int{1}, []int{2, 3})
		_, err := c.host(2).AddMember(c.soon(), at(3, spec.Witness), 0)
		require.NoError(t, err, "2 and 3 are a quorum of all three")
		require.Equal(t, "voter", c.host(1).Status().Membership)
		require.Equal(t, spec.Observer, kindOfMember(c.host(1).Members(), id(3)), "1 has not heard of it")
		c.kill(2)
		c.unite()
		c.awaitLeader(3*time.Second, 1)
		require.Equal(t, "witness", c.host(3).Status().Membership)
	})
}

// TestWitnessSpeaks: who may not lead, and follows nobody, says IM_BACK every Patience or so: not more often, and not at all
// while it follows.
func TestWitnessSpeaks(t *testing.T) {
	for _, kind := range []spec.MemberKind{spec.Witness, spec.Observer} {
		roam(t, 4, 3, func(t *testing.T, c *cluster) {
			c.startSome(1, 2, 3)
			c.start(4)
			c.add(4, kind)
			before := c.count(spec.ImBack)
			time.Sleep(5 * time.Second)
			require.Equal(t, before, c.count(spec.ImBack), "it follows")
			for i := 1; i <= 3; i++ {
				c.kill(i)
			}
			const many = 20
			time.Sleep(many * c.timing.Patience)
			require.InDelta(t, many*3, c.count(spec.ImBack)-before, 3, "to all three others")
		})
	}
}

// TestNonMemberIsNotBelieved: who is no member cannot make a node adopt members, whatever it claims; a member can, and who is to be
// believed. A node that waits to be added believes those by whom it is to be.
func TestNonMemberIsNotBelieved(t *testing.T) {
	playChanging(t, 1, voters(0, 1, 1, 2, 3), func(t *testing.T, p *fakeHost) {
		p.first = voters(1, 1, 1, 2, 3)
		p.hear(spec.Heartbeat, 3, 1)
		for _, claimed := range []spec.Configuration{voters(9, 9, 9), voters(1, 2, 1, 2, 3, 9), voters(4, 1, 1, 2, 9)} {
			for _, kind := range []spec.MessageType{spec.ImBack, spec.Refuse, spec.Heartbeat, spec.Election, spec.Claim} {
				p.first = claimed
				p.hear(kind, 9, 9)
			}
		}
		s := p.Status()
		require.Equal(t, "voter", s.Membership)
		require.Equal(t, voters(1, 1, 1, 2, 3), *s.Configuration)
		require.EqualValues(t, 1, s.Epoch)
		require.Equal(t, []spec.NodeID{id(9)}, s.Unbelieved)
		require.EqualValues(t, 15, s.Counters.Unbelieved)

		p.first = voters(0, 1, 1, 2, 3, 9)
		p.links.forget()
		p.hear(spec.Election, 9, 9)
		time.Sleep(LAN().Defer)
		synctest.Wait()
		require.True(t, p.links.has(spec.Refuse), "who knows of no newer ones is told who they are (R44)")

		p.first = voters(4, 2, 1, 2, 9)
		p.hear(spec.Heartbeat, 2, 4)
		s = p.Status()
		require.Equal(t, p.first, *s.Configuration, "a member is believed")
		require.Empty(t, s.Unbelieved)
		p.first = voters(5, 1, 1, 9)
		p.hear(spec.Heartbeat, 9, 5)
		require.Equal(t, p.first, *p.Status().Configuration, "and so is who is one by now")
	})
	playChanging(t, 1, spec.EmptyConfiguration(), func(t *testing.T, p *fakeHost) {
		p.first = voters(4, 2, 1, 2, 9)
		p.hear(spec.Heartbeat, 9, 4)
		require.Equal(t, p.first, *p.Status().Configuration, "who waits to be added, and was not told by whom, believes everybody")
	})
}

// TestBelieved: a node that was away while all others that it knew were replaced is told whom to believe.
func TestBelieved(t *testing.T) {
	h := &Host{config: Config{Believe: []spec.NodeID{id(9)}, Logger: slog.New(slog.DiscardHandler)}, counters: newCounters()}
	h.state.Configuration = voters(0, 1, 1, 2)
	message := func(from int) *spec.Message {
		return &spec.Message{From: id(from), Configuration: voters(3, 1, 1, 8, 9)}
	}
	require.True(t, h.heeds(message(9)), "the operator has named node 9 as one to believe")
	require.False(t, h.heeds(message(8)), "node 8 is unknown, and must not be believed")
	for i := range 100 {
		require.False(t, h.heeds(message(100+i)), "unknown node %d must not be believed", 100+i)
	}
	require.Len(t, h.unbelieved.list(), maxUnbelieved)

	h.config.AddedBy = []spec.NodeID{id(8)}
	require.False(t, h.heeds(message(8)), "it has members of its own")
	h.state.Configuration = spec.EmptyConfiguration()
	require.True(t, h.heeds(message(8)), "node 8 added this node, which has no members yet")
	require.True(t, h.heeds(message(9)), "the operator has named node 9 as one to believe")
	require.False(t, h.heeds(message(1)), "node 1 did not add this node, and is not to be believed")
}

// TestOtherDisk: an id that was heard of before does not come back with another disk, and a member does not get one.
func TestOtherDisk(t *testing.T) {
	c := voters(1, 3, 1, 2, 3) // without incarnations in their addresses
	remembers := func(node spec.NodeID) (uint64, bool) { return 0xa, node == id(2) || node == id(4) }
	for address, of := range map[string]map[int]bool{
		"10.0.0.9:1#000000000000000a": {1: true, 2: true, 4: true, 5: true}, // the disk that is remembered, moved or not
		"10.0.0.9:1#000000000000000b": {1: true, 2: false, 4: false, 5: true},
		"10.0.0.9:1":                  {1: true, 2: true, 4: false, 5: true}, // a member's disk cannot be told; who comes back is to say
		"10.0.0.9:1#b":                {2: false, 5: false},
	} {
		for node, fits := range of {
			err := plan{{ID: id(node), Kind: spec.Observer, Address: address}}.checkDisks(c, remembers)
			require.Equal(t, fits, err == nil, "node %d at %s: %v", node, address, err)
		}
	}
	require.NoError(t, plan{{ID: id(2)}, at(2, spec.Witness)}.checkDisks(c, remembers), "its address stays")
	err := plan{{ID: id(4), Kind: spec.Voter, Address: "a:1#000000000000000b"}}.checkDisks(c, remembers)
	require.EqualError(t, err, "node 4 was here before, with another disk (000000000000000a), and an id belongs to one disk for life: "+
		"join under a new id, and add that; if it has its old disk, add it at a:1#000000000000000a")
}
