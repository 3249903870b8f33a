package host

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/reigns"
	"github.com/seed-fdf591db/bully/spec"
)

// TestHandOver: the node that is named leads next, whichever it is, after three messages and two saves; and no higher one takes over
// for as long as it is held, though each is free to stand.
func TestHandOver(t *testing.T) {
	for to := 1; to <= 4; to++ {
		bubble(t, 5, func(t *testing.T, c *cluster) {
			c.startAll()
			c.awaitLeader(time.Second, 5)
			hold := 20 * c.timing.Preempt
			began := time.Now()
			require.NoError(t, c.host(5).HandOver(t.Context(), id(to), hold))
			c.awaitLeader(time.Second, to)
			took := time.Since(began)
			t.Logf("%d leads %v after 5 was called", to, took)
			require.Less(t, took, 5*ms)
			require.Equal(t, spec.Epoch(2), c.epoch())
			stood := c.host(5).Status().Counters.Sent[spec.Election]
			time.Sleep(hold - 2*took - ms)
			require.True(t, c.follow(to), "its reign is left in peace")
			require.Equal(t, stood, c.host(5).Status().Counters.Sent[spec.Election], "who has named it does not stand against it")
			require.Equal(t, spec.Epoch(2), c.epoch())
			c.awaitLeader(time.Minute, 5)
		})
	}
}

// TestHoldAgainstWhoComesLater: a higher node that has not heard for how long the named one is to be left in peace stands in vain, and
// leads when that is over.
func TestHoldAgainstWhoComesLater(t *testing.T) {
	bubble(t, 5, func(t *testing.T, c *cluster) {
		for i := 1; i <= 4; i++ {
			c.start(i)
		}
		c.awaitLeader(time.Second, 4)
		hold := 20 * c.timing.Preempt
		require.NoError(t, c.host(4).HandOver(t.Context(), id(1), hold))
		c.awaitLeader(5*ms, 1)
		began := time.Now()
		c.start(5)
		time.Sleep(hold - 10*ms)
		require.True(t, c.follow(1), "its reign is left in peace")
		require.Positive(t, c.host(5).Status().Counters.Sent[spec.Claim], "5 has stood")
		c.awaitLeader(time.Minute, 5)
		require.GreaterOrEqual(t, time.Since(began), hold-10*ms)
	})
}

// TestHandOverWithoutHold: who is named without a hold leads for as long as any lower node.
func TestHandOverWithoutHold(t *testing.T) {
	bubble(t, 5, func(t *testing.T, c *cluster) {
		c.startAll()
		c.awaitLeader(time.Second, 5)
		require.NoError(t, c.host(5).HandOver(t.Context(), id(2), 0))
		c.awaitLeader(5*ms, 2)
		require.Less(t, c.awaitLeader(time.Minute, 5), 2*c.timing.Preempt)
	})
}

// TestHandOverToNobody: the one that is named hangs, and the next leads after a patience.
func TestHandOverToNobody(t *testing.T) {
	bubble(t, 5, func(t *testing.T, c *cluster) {
		c.timing.Preempt = -1
		c.startAll()
		c.awaitLeader(time.Second, 5)
		c.hang(2)
		require.NoError(t, c.host(5).HandOver(t.Context(), id(2), time.Minute))
		took := c.await(time.Second, "the next leads", func() bool { return c.host(5).Status().Leading || c.host(4).Status().Leading })
		require.GreaterOrEqual(t, took, c.timing.Patience)
		require.Less(t, took, 3*c.timing.Patience)
		c.wake(2)
	})
}

// TestHandOverIsRefused: the node leads on.
func TestHandOverIsRefused(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		c.start(3)
		c.start(2)
		c.awaitLeader(time.Second, 3)
		three := c.host(3)
		for to, says := range map[int]string{3: "node 3 leads already", 9: "node 9 is no voter", 1: "there is no connection to node 1"} {
			require.ErrorContains(t, three.HandOver(t.Context(), id(to), 0), says)
		}
		require.ErrorContains(t, three.HandOver(t.Context(), id(2), -1), "-1ns is not from 0 to 24h0m0s")
		require.ErrorContains(t, three.HandOver(t.Context(), id(2), MaxHold+1), "is not from 0 to 24h0m0s")
		require.True(t, three.Status().Leading, "node 3 must lead on when a hand-over is refused")
		require.NoError(t, c.host(2).HandOver(t.Context(), id(3), 0), "of a node that does not lead")
		require.NoError(t, Reign{}.HandOver(t.Context(), id(2), 0))
	})
}

// TestReignHandOver: work hands its own reign over, and leads on until it has returned.
func TestReignHandOver(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		c.startAll()
		c.awaitLeader(time.Second, 3)
		called, asked := make(chan error, 1), make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_ = c.host(3).Lead(ctx, func(ctx context.Context, r Reign) error {
				close(asked)
				err := r.HandOver(ctx, id(1), time.Minute)
				require.True(t, c.host(3).Status().Leading, "node 3 must lead until its work has returned")
				called <- err
				return nil
			})
		}()
		<-asked
		require.ErrorIs(t, <-called, context.Canceled, "its own context ends first")
		c.awaitLeader(5*ms, 1)
		cancel()
	})
}

// TestHoldIsForOneReign: a claim is lost while the reign lasts for which the node was named, and in no other.
func TestHoldIsForOneReign(t *testing.T) {
	h := &Host{config: Config{ID: id(2)}, watch: &reigns.Watch{}}
	h.config.Logger = slog.New(slog.DiscardHandler)
	h.state = spec.State{Role: spec.Leader, Epoch: 5}
	h.held = held{5, 10}
	claim := spec.Message{Type: spec.Claim, From: id(3), To: id(2), Epoch: 6, Question: 1}
	require.True(t, h.holds(&claim), "a claim of another node must be held while the reign lasts")
	for name, change := range map[string]func(){
		"a lower node":     func() { claim.From = id(1) },
		"another message":  func() { claim.Type = spec.Election },
		"another reign":    func() { h.state.Epoch = 6 },
		"it leads no more": func() { h.state.Role = spec.Electing },
		"the hold is over": func() { h.watch.Now = 10 },
	} {
		before, state, now := claim, h.state, h.watch.Now
		change()
		require.False(t, h.holds(&claim), name)
		claim, h.state, h.watch.Now = before, state, now
	}
}

// TestHoldIsAgainstTheHigher: whose claim is lost is said by the ranks of the configuration, and then by ids (R1); where members are
// fixed, by ids.
func TestHoldIsAgainstTheHigher(t *testing.T) {
	first, third := at(1, spec.Voter), at(3, spec.Voter)
	first.Rank, third.Rank = 2, 1
	ranked, err := spec.NewConfiguration(1, 1, []spec.Member{first, at(2, spec.Voter), third})
	require.NoError(t, err)
	h := &Host{config: Config{Logger: slog.New(slog.DiscardHandler)}, watch: &reigns.Watch{}, held: held{5, 10}}
	for _, test := range []struct {
		conf spec.Configuration
		me   int
		lost []int
	}{
		{spec.Configuration{}, 1, []int{2, 3}},
		{spec.Configuration{}, 2, []int{3}},
		{spec.Configuration{}, 3, nil},
		{ranked, 1, nil},
		{ranked, 2, []int{1, 3}},
		{ranked, 3, []int{1}},
	} {
		h.config.ID = id(test.me)
		h.state = spec.State{Role: spec.Leader, Epoch: 5, Configuration: test.conf}
		var lost []int
		for i := 1; i <= 3; i++ {
			claim := spec.Message{Type: spec.Claim, From: id(i), To: id(test.me), Epoch: 6, Question: 1, Configuration: test.conf}
			if i != test.me && h.holds(&claim) {
				lost = append(lost, i)
			}
		}
		require.Equal(t, test.lost, lost, "%d with %v", test.me, test.conf)
	}
}
