package localcluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/proctest"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/spec"
)

// changingCommand makes a command line that of a node whose members come and go.
func changingCommand(command []string) []string {
	command = append(command, "-http-control")
	at := slices.Index(command, "-cluster") // it is in the record
	return slices.Delete(command, at, at+2)
}

// changeRounds returns how often a cluster grows and shrinks: 100 times if BULLY_SOAK is set.
func changeRounds() int {
	if os.Getenv("BULLY_SOAK") != "" {
		return 100
	}
	return 1
}

// An island is a cluster whose members come and go, with somebody who changes them and somebody who does harm.
type island struct {
	*Cluster
	t    *testing.T
	rand *rand.Rand
	join map[int]spec.Member // as each that was added later is to be
	in   []int               // who are to be members, ascending
}

// ensure makes a change, however often nodes die meanwhile. It never fails for good, for somebody starts them again.
func (c *island) ensure(change web.Change) error {
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	for {
		all := c.URLs(c.IDs()...)
		operator := web.Operator{Nodes: all}
		err := operator.CarryOut(ctx, change)
		if why, ok := errors.AsType[*web.Changed](err); ok && (why.Refusal == web.WouldLose || why.Refusal == web.InProgress) {
			if err := sleep(ctx, 20*time.Millisecond); err != nil {
				return fmt.Errorf("%w: %s", err, why.Message)
			}
			continue
		}
		return err
	}
}

// add makes a record for a node, starts it, and makes it a member.
func (c *island) add(id int) {
	c.t.Helper()
	m, err := c.Join("island", id)
	require.NoError(c.t, err)
	c.join[id] = m
	require.NoError(c.t, c.Start(id))
	c.in = append(c.in, id)
	require.NoError(c.t, c.ensure(web.Change{Do: "add", ID: m.ID, Address: m.Address}), "add node %d", id)
}

// drop removes a member.
func (c *island) drop(id int) {
	c.t.Helper()
	require.NoError(c.t, c.ensure(web.Change{Do: "remove", ID: nodeID(id)}), "remove node %d", id)
	c.in = slices.DeleteFunc(c.in, func(in int) bool { return in == id })
}

// settle waits until a leader says that its members are these, and that a quorum knows it.
func (c *island) settle(ids ...int) {
	c.t.Helper()
	operator := web.Operator{Nodes: c.URLs(ids...)}
	proctest.Until(c.t, func() string { return fmt.Sprintf("the members are %v, and settled", ids) }, func() bool {
		h, err := operator.Newest(c.t.Context())
		if err != nil || !h.Settled {
			return false
		}
		var members []int
		for _, id := range c.IDs() {
			if m, member := h.Configuration.Member(nodeID(id)); member && m.Kind == spec.Voter {
				members = append(members, id)
			}
		}
		return slices.Equal(members, ids) && h.Configuration.Len() == len(ids)
	})
}

// harm does something bad to nodes again and again, until ctx ends, and mends it after a while. It returns how often, and
// closes struck as soon as it has done each thing that it can do. From then on it rests now and then, for long enough that two
// nodes which need each other can elect: a restarted one keeps silent for T_coord.
func (c *island) harm(ctx context.Context, random *rand.Rand, cuts bool, struck chan<- struct{}) (kills, cut int, err error) {
	for {
		pause := time.Duration(random.Int64N(int64(60 * time.Millisecond)))
		switch {
		case struck == nil:
			if random.IntN(8) == 0 {
				pause += time.Second
			}
		case kills > 0 && (cut > 0 || !cuts):
			close(struck)
			struck = nil
		}
		if sleep(ctx, pause) != nil {
			return kills, cut, nil
		}
		victim := 1 + random.IntN(len(c.nodes))
		if cuts && (cut == 0 || random.IntN(2) == 0) {
			links := Between([]int{victim}, c.IDs(victim))
			if _, err := c.Cut(links...); err != nil {
				return kills, cut, err
			}
			cut++
			_ = sleep(c.t.Context(), time.Duration(random.Int64N(int64(700*time.Millisecond))))
			if _, err := c.Heal(links...); err != nil {
				return kills, cut, err
			}
			continue
		}
		if !c.nodes[victim-1].running() {
			continue
		}
		if _, err := c.Kill(victim); err != nil {
			continue // it has just ended: it was removed
		}
		kills++
		_ = sleep(c.t.Context(), time.Duration(random.Int64N(int64(150*time.Millisecond))))
		if err := c.Start(victim); err != nil {
			return kills, cut, err
		}
	}
}

// growAndShrink grows a cluster from one node to three and to five, and shrinks it to one again, while nodes are killed at
// random moments, and cut off if that can be done. All of it comes to be, and nobody ever hears of two leaders in an epoch.
func growAndShrink(t *testing.T, network Network, seed uint64) (kills, cuts int) {
	t.Helper()
	c := &island{Cluster: bullies(t, Config{Nodes: 5, Changing: true, Network: network, Command: changingCommand(quickCommand(t, "-preempt", "300ms")), Traces: true}),
		t: t, rand: rand.New(rand.NewPCG(seed, 0)), join: map[int]spec.Member{}}
	order := c.rand.Perm(5)
	for i := range order {
		order[i]++
	}
	require.NoError(t, c.Init("island", order[0]))
	require.NoError(t, c.Start(order[0]))
	c.in = []int{order[0]}
	type outcome struct {
		kills, cuts int
		err         error
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	harmed, struck := make(chan outcome, 1), make(chan struct{})
	go func() {
		kills, cuts, err := c.harm(ctx, rand.New(rand.NewPCG(seed, 1)), network == Namespaced, struck)
		harmed <- outcome{kills, cuts, err}
	}()
	for i, id := range order[1:] {
		c.add(id)
		if i == 1 { // a fast machine may have made every change before any harm is done
			select {
			case <-struck:
			case end := <-harmed:
				require.NoError(t, end.err)
			}
		}
		require.NoError(t, sleep(ctx, time.Duration(c.rand.Int64N(int64(100*time.Millisecond)))))
	}
	for _, at := range c.rand.Perm(5)[:4] {
		c.drop(order[at])
		require.NoError(t, sleep(ctx, time.Duration(c.rand.Int64N(int64(100*time.Millisecond)))))
	}
	cancel()
	end := <-harmed
	require.NoError(t, end.err)
	last := c.in[0]
	c.settle(last)
	for _, id := range c.IDs(last) {
		ends(t, c.Cluster, id) // it is no member any more
	}
	return end.kills, end.cuts
}

// TestGrowAndShrinkKilled: from one to three to five nodes and back, under kill −9.
func TestGrowAndShrinkKilled(t *testing.T) {
	t.Parallel()
	seed, kills, n := rand.Uint64(), 0, changeRounds()
	t.Logf("seed %d", seed)
	began := time.Now()
	for round := range n {
		k, _ := growAndShrink(t, Direct, seed+uint64(round))
		kills += k
	}
	t.Logf("%d rounds in %s: grown from 1 to 5 and shrunk back, with %d kills at random moments", n, time.Since(began).Round(time.Millisecond), kills)
	require.Positive(t, kills)
}

// TestGrowAndShrinkCut is the same, with nodes cut off the network too.
func TestGrowAndShrinkCut(t *testing.T) {
	t.Parallel()
	if err := CanNamespace(); err != nil {
		t.Skipf("needs ip: links cannot be cut: %v", err)
	}
	seed, kills, cuts, n := rand.Uint64(), 0, 0, changeRounds()
	t.Logf("seed %d", seed)
	began := time.Now()
	for round := range n {
		k, c := growAndShrink(t, Namespaced, seed+uint64(round))
		kills, cuts = kills+k, cuts+c
	}
	t.Logf("%d rounds in %s: grown from 1 to 5 and shrunk back, with %d kills and %d cuts at random moments", n, time.Since(began).Round(time.Millisecond), kills, cuts)
	require.Positive(t, cuts)
}

// TestReplaceAll replaces five nodes by five new ones, one by one, and says for how long nobody led in all. How short that may be is a
// matter of the machine: what a hand-over takes of messages and waits is asked in virtual time, in impl/host.
func TestReplaceAll(t *testing.T) {
	t.Parallel()
	for range max(changeRounds()/5, 1) {
		c := &island{Cluster: bullies(t, Config{Nodes: 10, Changing: true, Command: changingCommand(steadyCommand(t, "-preempt", "1s")), Traces: true}), t: t, join: map[int]spec.Member{}}
		require.NoError(t, c.Init("island", ids(1, 5)...))
		require.NoError(t, c.Start(ids(1, 5)...))
		agree(t, c.Cluster, 0, ids(1, 5)...)
		began := time.Now()
		for id := 1; id <= 5; id++ {
			m, err := c.Join("island", id+5)
			require.NoError(t, err)
			require.NoError(t, c.Start(id+5))
			require.NoError(t, c.ensure(web.Change{Do: "replace", Old: nodeID(id), ID: m.ID, Address: m.Address}))
		}
		took := time.Since(began)
		c.settle(6, 7, 8, 9, 10)
		leads(t, c.Cluster, 10, 0, 6, 7, 8, 9, 10)
		var without time.Duration
		gaps := Gaps(c.Events(0))
		for _, gap := range gaps {
			without += gap.Took()
		}
		t.Logf("five nodes replaced in %s; nobody led for %s in all, in %d hand-overs", took.Round(time.Millisecond), without.Round(10*time.Microsecond), len(gaps))
		for id := 1; id <= 5; id++ {
			ends(t, c.Cluster, id)
		}
	}
}

// TestGaps sees that the sum of times without a leader is one.
func TestGaps(t *testing.T) {
	t.Parallel()
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	e := func(ms, node int, leads bool) Event {
		return Event{Node: node, At: at(ms), Running: true, Leading: leads}
	}
	require.Empty(t, Gaps(nil))
	require.Equal(t, []Gap{{at(20), at(27), 5, 4}, {at(60), at(90), 5, 5}}, Gaps([]Event{
		e(1, 4, false), e(10, 5, true), e(27, 4, true), e(20, 5, false), e(40, 5, true), e(50, 4, false), {Node: 5, At: at(60)}, e(90, 5, true),
	}))
}
