package host

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// TestSharedAddress: two ways to write a host and port are one address; names that are none are as different as they look; and which disk
// is there is no part of it.
func TestSharedAddress(t *testing.T) {
	for address, shared := range map[string]bool{"[10.0.0.1]:7000": true, "10.0.0.1:7000#9": true, "10.0.0.1:7001": false, "first": false} {
		there := []spec.Member{{ID: spec.IntegerID(1), Kind: spec.Voter, Address: address}}
		_, taken := sharesAddress(there, spec.Member{ID: spec.IntegerID(2), Kind: spec.Voter, Address: "10.0.0.1:7000"})
		require.Equal(t, shared, taken, address)
	}
	_, taken := sharesAddress([]spec.Member{{ID: spec.IntegerID(1), Kind: spec.Voter, Address: "first"}}, spec.Member{ID: spec.IntegerID(2), Kind: spec.Voter, Address: "second"})
	require.False(t, taken, "members with two addresses share none")
}

// TestGrowAndShrink: one node, then three, then five, then three others, then one that was no member at first.
func TestGrowAndShrink(t *testing.T) {
	roam(t, 6, 1, func(t *testing.T, c *cluster) {
		c.startSome(1)
		c.start(2)
		c.start(3)
		require.Equal(t, voters(1, 3, 1, 2), c.add(2, spec.Voter), "as an observer first")
		require.Equal(t, voters(1, 5, 1, 2, 3), c.add(3, spec.Voter))
		for _, link := range c.leader().Status().Links {
			require.True(t, link.Up, "what was known of others is known still")
		}
		c.awaitLeader(3*time.Second, 3)
		require.Equal(t, voters(2, 5, 1, 2, 3), c.leader().Members(), "stamped by who came to lead")
		c.start(4)
		c.start(5)
		c.add(4, spec.Voter)
		c.add(5, spec.Voter)
		c.awaitLeader(3*time.Second, 5)
		time.Sleep(time.Second)
		require.Equal(t, voters(3, 9, 1, 2, 3, 4, 5), c.leader().Members())
		require.Equal(t, spec.Epoch(3), c.epoch(), "nobody is deposed but for pre-emption")
		c.drop(1)
		c.drop(3)
		c.drop(5)
		require.Equal(t, voters(4, 13, 2, 4), c.leader().Members(), "made a witness first")
		c.drop(4)
		c.awaitLeader(time.Second, 2)
		require.Equal(t, voters(5, 15, 2), c.leader().Members())
	})
}

// TestAddMemberWaits: a node that does not run is an observer until it does; who gives up leaves it at that.
func TestAddMemberWaits(t *testing.T) {
	roam(t, 3, 2, func(t *testing.T, c *cluster) {
		c.startSome(1, 2)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.leader().AddMember(ctx, at(3, spec.Voter), 1)
		require.ErrorIs(t, err, ErrOutcomeUnknown)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		now := c.leader().Members()
		require.Equal(t, uint64(2), now.Version)
		require.Equal(t, spec.Observer, kindOfMember(now, id(3)))
		require.Equal(t, id(2), c.leader().Status().Leader)

		time.Sleep(c.timing.Heartbeat / 3)
		c.start(3)
		began := time.Now()
		require.Equal(t, voters(1, 3, 1, 2, 3), c.add(3, spec.Voter), "the call is repeated, and goes on")
		require.Less(t, time.Since(began), 5*c.timing.Delay, "who comes up need not wait for the next heartbeat")
		again, err := c.leader().AddMember(c.soon(), at(3, spec.Voter), 3)
		require.NoError(t, err)
		require.Equal(t, voters(1, 3, 1, 2, 3), again, "nothing is left to be done")
		c.awaitLeader(3*time.Second, 3)
	})
}

func TestChangeErrors(t *testing.T) {
	roam(t, 4, 3, func(t *testing.T, c *cluster) {
		c.startSome(1, 2, 3)
		ctx, leader := c.soon(), c.host(3)
		var why *MembersError

		_, err := c.host(1).AddMember(ctx, at(4, spec.Voter), 0)
		require.ErrorIs(t, err, ErrNotLeader)
		require.ErrorAs(t, err, &why)
		require.Equal(t, id(3), why.Leader)
		require.EqualError(t, err, "host: this node does not lead: node 3 does, ask there")

		_, err = leader.RemoveMember(ctx, id(1), 7)
		require.ErrorIs(t, err, ErrStaleVersion)
		require.ErrorAs(t, err, &why)
		require.Equal(t, uint64(7), why.Wanted)
		require.Equal(t, uint64(1), why.Configuration.Version)
		require.EqualError(t, err, "host: the members are not of the version that is expected: version 7 is expected, and they are at epoch:1 version:1 {1 2 3}")

		for _, test := range []struct {
			call func() (spec.Configuration, error)
			want string
		}{
			{func() (spec.Configuration, error) { return leader.RemoveMember(ctx, id(9), 0) },
				"host: node 9 is no member, and so cannot be removed: the members are epoch:1 version:1 {1 2 3}"},
			{func() (spec.Configuration, error) { return leader.AddMember(ctx, spec.Member{ID: id(4)}, 0) },
				"host: node 4 has no address: give the one at which it listens to the others"},
			{func() (spec.Configuration, error) {
				return leader.AddMember(ctx, spec.Member{ID: id(4), Address: "10.0.0.2:7400#00000000000000ff"}, 0)
			}, "host: node 2 is at 10.0.0.2:7400 already: node 4 needs an address of its own"},
			{func() (spec.Configuration, error) {
				return leader.AddMember(ctx, spec.Member{ID: id(2), Address: "10.0.0.9:1"}, 0)
			},
				"host: node 2 is a member at 10.0.0.2:7400, not at 10.0.0.9:1: if it has moved with its disk, force this; without its disk it is another node: join under a new id, and replace this one"},
			{func() (spec.Configuration, error) {
				return leader.AddMember(ctx, spec.Member{ID: id(4), Kind: "boss", Address: "10.0.0.9:1"}, 0)
			}, `host: the members wanted make no configuration: members[3].kind: "boss" is no kind of member`},
			{func() (spec.Configuration, error) { return leader.ReplaceMember(ctx, id(2), at(2, spec.Voter), 0) },
				"host: node 2 cannot replace itself: give the new node an id of its own"},
		} {
			_, err := test.call()
			require.EqualError(t, err, test.want)
		}
		require.Equal(t, voters(1, 1, 1, 2, 3), leader.Members(), "nothing of it has changed anything")
	})
	bubble(t, 1, func(t *testing.T, c *cluster) {
		c.startAll()
		c.awaitLeader(time.Second, 1)
		_, err := c.host(1).AddMember(c.soon(), at(2, spec.Voter), 0)
		require.ErrorContains(t, err, "the members are fixed")
		require.True(t, c.host(1).Members().IsNone(), "a cluster of fixed members shows no configuration")
	})
	roam(t, 1, 1, func(t *testing.T, c *cluster) {
		c.startSome(1)
		_, err := c.leader().RemoveMember(c.soon(), id(1), 0)
		require.EqualError(t, err, "host: node 1 is the last member, and cannot be removed")
	})
}

// TestRankMember: the member of the highest rank takes over, and leads as long as it has that rank; a rank stays with a member, and goes over
// to who takes its place.
func TestRankMember(t *testing.T) {
	roam(t, 4, 3, func(t *testing.T, c *cluster) {
		c.startSome(1, 2, 3)
		ranked := func(i int, rank uint16) {
			conf, err := c.leader().RankMember(c.soon(), id(i), rank, 0)
			require.NoError(t, err)
			m, _ := conf.Member(id(i))
			require.Equal(t, rank, m.Rank)
		}
		require.Equal(t, id(3), c.leader().Status().ID)
		ranked(2, 5)
		c.awaitLeader(3*time.Second, 2)
		ranked(1, 7)
		c.awaitLeader(3*time.Second, 1)
		epoch := c.epoch()
		time.Sleep(3 * time.Second)
		require.True(t, c.follow(1), "no other pre-empts it, though its id is the lowest")
		require.Equal(t, epoch, c.epoch())
		_, err := c.leader().RankMember(c.soon(), id(9), 1, 0)
		require.ErrorContains(t, err, "host: node 9 is no member, and so cannot be given a rank: the members are ")
		_, err = c.leader().AddMember(c.soon(), at(2, spec.Witness), 0)
		require.NoError(t, err)
		c.start(4)
		conf, err := c.leader().ReplaceMember(c.soon(), id(2), at(4, spec.Voter), 0)
		require.NoError(t, err)
		require.Contains(t, conf.String(), "{1^7 3 4^5}", "the rank of 2, which it has kept")
		ranked(1, 0)
		time.Sleep(3 * time.Second)
		require.True(t, c.host(4).Status().Leading, "node 4 must lead on")
	})
}

// TestWouldLoseQuorum: with one of three dead, no other can be removed, unless it is forced; the dead one can.
func TestWouldLoseQuorum(t *testing.T) {
	roam(t, 4, 3, func(t *testing.T, c *cluster) {
		c.startSome(1, 2, 3)
		c.kill(1)
		time.Sleep(10 * ms) // until its death is proved
		began := time.Now()
		_, err := c.leader().RemoveMember(c.soon(), id(2), 0)
		require.ErrorIs(t, err, ErrWouldLoseQuorum)
		require.EqualError(t, err, "host: the cluster would lose its quorum: of the 2 that would vote 1 answer, which are no quorum: nothing is heard of 1")
		require.Less(t, time.Since(began), 3*c.timing.Reign)
		_, err = c.leader().ReplaceMember(c.soon(), id(2), at(1, spec.Witness), 0)
		require.ErrorIs(t, err, ErrWouldLoseQuorum, "what it comes to is looked at before anything is changed")
		require.Equal(t, voters(1, 1, 1, 2, 3), c.leader().Members())

		c.drop(1)
		require.Equal(t, voters(1, 2, 2, 3), c.leader().Members())
		c.start(4)
		c.add(4, spec.Voter)
		c.awaitLeader(3*time.Second, 4)
		c.kill(2)
		time.Sleep(time.Second)
		_, err = c.leader().RemoveMember(c.soon(), id(3), 0, Force)
		require.ErrorIs(t, err, ErrOutcomeUnknown, "it has lost its quorum indeed")
		c.gone(3)
		c.start(2)
		c.awaitLeader(3*time.Second, 4)
		require.True(t, voters(1, 1, 2, 4).SameMembers(c.leader().Members()), "%v", c)
	})
}

// TestNobodyToLead: the last voter that answers leads on, though witnesses would be a quorum with it.
func TestNobodyToLead(t *testing.T) {
	roam(t, 3, 2, func(t *testing.T, c *cluster) {
		c.startSome(1, 2)
		c.start(3)
		c.add(3, spec.Witness)
		c.kill(1)
		time.Sleep(10 * ms)
		_, err := c.host(2).AddMember(c.soon(), at(2, spec.Witness), 0)
		require.EqualError(t, err, "host: the cluster would lose its quorum: node 2 would lead no more, and nothing is heard of those that could: 1")
	})
}

// TestTwoOperators: of two calls at once one wins, and the other is told; with the version that both have seen, only the
// first of two is carried out.
func TestTwoOperators(t *testing.T) {
	roam(t, 5, 3, func(t *testing.T, c *cluster) {
		c.startSome(1, 2, 3)
		c.start(4)
		c.start(5)
		errs := make(chan error, 2)
		for i := 4; i <= 5; i++ {
			go func() {
				_, err := c.leader().AddMember(c.soon(), at(i, spec.Voter), 1)
				errs <- err
			}()
		}
		first, second := <-errs, <-errs
		if first == nil {
			first, second = second, first
		}
		require.ErrorIs(t, first, ErrChangeInProgress)
		require.NoError(t, second)
		require.Equal(t, 4, c.leader().Members().Len())
		_, err := c.leader().RemoveMember(c.soon(), id(1), 1)
		require.ErrorIs(t, err, ErrStaleVersion)
	})
}

// TestRemoveLeader: it is made a witness, its work ends, it hands over, and the next leader removes it. Nobody leads for
// some milliseconds.
func TestRemoveLeader(t *testing.T) {
	roam(t, 3, 3, func(t *testing.T, c *cluster) {
		c.startSome(1, 2, 3)
		ended := make(chan error, 1)
		go c.host(3).Lead(t.Context(), func(ctx context.Context, _ Reign) error {
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return nil
		})
		synctest.Wait()
		began := time.Now()
		_, err := c.host(3).RemoveMember(c.soon(), id(3), 1)
		require.ErrorIs(t, err, ErrHandedOver)
		require.Less(t, time.Since(began), 10*ms, "it does not wait to be pre-empted")
		require.ErrorIs(t, <-ended, ErrNotLeader)
		require.Equal(t, "witness", c.host(3).Status().Membership)
		took := c.awaitLeader(time.Second, 2)
		t.Logf("nobody led for %v", took)
		require.Less(t, took, 10*ms)
		require.Equal(t, voters(2, 3, 1, 2), c.drop(3))
		time.Sleep(2 * time.Second)
		require.True(t, c.follow(2), "node 2 must lead on: it has the highest rank")
		require.Equal(t, spec.Epoch(2), c.epoch())
	})
}

// TestWitnessNeverLeads: it votes, so that one of two others may die; and it does not stand when they are all gone.
func TestWitnessNeverLeads(t *testing.T) {
	roam(t, 3, 2, func(t *testing.T, c *cluster) {
		c.startSome(1, 2)
		c.start(3)
		c.add(3, spec.Witness)
		time.Sleep(3 * time.Second)
		require.True(t, c.follow(2), "the witness, which is the highest, does not pre-empt")
		require.Equal(t, spec.Epoch(1), c.epoch())
		c.kill(2)
		took := c.awaitLeader(time.Second, 1)
		require.Less(t, took, 10*ms, "nobody waits for the witness to stand")
		c.kill(1)
		asked := c.count(spec.Election)
		time.Sleep(5 * time.Second)
		require.True(t, c.none(), "a witness must not lead")
		require.Equal(t, asked, c.count(spec.Election), "a witness does not stand")
		c.start(1)
		c.awaitLeader(3*time.Second, 1)
		require.Equal(t, "witness", c.host(3).Status().Membership)
		for _, m := range c.running() {
			require.Zero(t, m.Status().Counters.Ignored[bully.TimerNotRunning], "a witness runs no timer that is of no use to it")
		}
	})
}

// TestObserver follows, and is neither needed nor counted.
func TestObserver(t *testing.T) {
	roam(t, 4, 3, func(t *testing.T, c *cluster) {
		c.startSome(1, 2, 3)
		c.start(4)
		c.add(4, spec.Observer)
		time.Sleep(2 * time.Second)
		require.True(t, c.follow(3), "node 3 must lead on: an observer never leads")
		c.kill(3)
		c.awaitLeader(time.Second, 2)
		c.kill(2)
		c.await(time.Second, "one of three voters is no quorum, with an observer neither", c.none)
		time.Sleep(2 * time.Second)
		require.True(t, c.none(), "one voter and an observer are no quorum, so nobody may lead")
		c.start(2)
		c.awaitLeader(3*time.Second, 2)
		c.add(4, spec.Voter)
		c.awaitLeader(3*time.Second, 4)
		c.add(4, spec.Observer)
		c.awaitLeader(3*time.Second, 2)
	})
}
