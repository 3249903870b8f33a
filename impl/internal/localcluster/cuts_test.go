package localcluster

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// still is how long a cluster is watched for changes that must not come: several times what an election takes.
const still = 8 * time.Second

// TestCuts cuts links of five nodes that 5 leads. A leader is only where the quorum is, and 5 leads again when all is
// healed. The rows say what must be while the links are cut.
func TestCuts(t *testing.T) {
	t.Parallel()
	type row struct {
		name    string
		cut     []Link
		follow  []int // name a leader
		leader  int
		without []int // name none
		stays   bool  // the leader of before leads on in its epoch, also after all is healed
	}
	together(t, []row{
		{"1 and 2", Between([]int{1, 2}, []int{3, 4, 5}), []int{3, 4, 5}, 5, []int{1, 2}, true},
		{"4 and 5", Between([]int{4, 5}, []int{1, 2, 3}), []int{1, 2, 3}, 3, []int{4, 5}, false},
		{"5 is not heard", OneWay([]int{5}, ids(1, 4)), ids(1, 4), 4, []int{5}, false},
		{"5 does not hear", OneWay(ids(1, 4), []int{5}), ids(1, 4), 4, nil, false},
		{"5 from 4 only", Between([]int{5}, []int{4}), []int{1, 2, 3, 5}, 5, []int{4}, true},
		{"4 does not hear 5", OneWay([]int{5}, []int{4}), []int{1, 2, 3, 5}, 5, []int{4}, true},
		{"5 does not hear 4", OneWay([]int{4}, []int{5}), ids(1, 5), 5, nil, true},
	}, func(x row) string { return x.name }, func(t *testing.T, x row) {
		config := Config{Nodes: 5, Command: steadyCommand(t, "-preempt", "300ms"), Network: Proxied, Traces: true}
		calmly(t, config, ids(1, 5), 5, func(c *Cluster, old Reign) error {
			heard := len(c.Events(0))
			_, err := c.Cut(x.cut...)
			require.NoError(t, err)
			above := old.Epoch
			if x.stays {
				above--
			}
			reign := leads(t, c, x.leader, above, x.follow...)
			leaderless(t, c, x.without...)
			require.NoError(t, sleep(t.Context(), still))
			during := c.Events(heard)
			_, err = c.Heal()
			require.NoError(t, err)
			last := leads(t, c, 5, above, c.IDs()...)
			after := epochsSince(c.Events(heard))
			t.Logf("5 led epoch %d; cut: %d led epoch %d, epochs told of in %s: %v; healed: 5 leads epoch %d, epochs %v",
				old.Epoch, reign.Leader, reign.Epoch, still, epochsSince(during), last.Epoch, after)
			if x.stays {
				if len(after) > 1 || last.Epoch != old.Epoch {
					return fmt.Errorf("a leader with a quorum was deposed: epochs %v after %d", after, old.Epoch)
				}
				return nil
			}
			if err := climbing(during, above); err != nil {
				return err
			}
			return successive(c.Events(heard), 5, x.leader)
		})
	})
}

// climbing returns an error if a reign of an epoch above one that was told of was followed by one whose leader is not higher. One reign is enough as a rule; but whom the answers of others
// reach too late, or whose own do, comes after a lower one, and pre-empts it. Nobody leads a second time while links stay as they are.
func climbing(events []Event, above uint64) error {
	leaders := map[uint64]int{}
	for _, e := range events {
		if e.Leader != 0 && e.Epoch > above {
			leaders[e.Epoch] = e.Leader
		}
	}
	last := 0
	for _, epoch := range slices.Sorted(maps.Keys(leaders)) {
		if leaders[epoch] <= last {
			return fmt.Errorf("%d led epoch %d after a reign of %d, while links were cut: %v", leaders[epoch], epoch, last, leaders)
		}
		last = leaders[epoch]
	}
	return nil
}

// successive returns an error if a node began to lead before another had stopped to, by what they told: the first could
// not hear the other, so only its own clock can have told it (R26).
func successive(events []Event, first, second int) error {
	left := slices.IndexFunc(events, func(e Event) bool { return e.Node == first && !e.Leading })
	took := slices.IndexFunc(events, func(e Event) bool { return e.Node == second && e.Leading })
	if left < 0 || took < 0 || !events[left].At.Before(events[took].At) {
		return fmt.Errorf("%s: %d began to lead before %d had stopped to", spec.OneActing, second, first)
	}
	return nil
}

// TestHigherUnheard lets 4 lead while 5 is down, cuts the two from each other, and starts 5. It reaches a quorum and
// does not hear its leader: it may depose 4, more than once (decision 0016), but must not go on for ever.
func TestHigherUnheard(t *testing.T) {
	t.Parallel()
	config := Config{Nodes: 5, Command: steadyCommand(t, "-preempt", "300ms"), Network: Proxied, Traces: true}
	calmly(t, config, ids(1, 4), 4, func(c *Cluster, old Reign) error {
		heard := len(c.Events(0))
		_, err := c.Cut(Between([]int{4}, []int{5})...)
		require.NoError(t, err)
		require.NoError(t, c.Start(5))
		require.NoError(t, sleep(t.Context(), 2*still))
		epochs := epochsSince(c.Events(heard))
		reign := agree(t, c, 0, 1, 2, 3)
		_, err = c.Heal()
		require.NoError(t, err)
		last := leads(t, c, 5, 0, c.IDs()...)
		t.Logf("4 led epoch %d; not a word between it and 5: epochs told of in %s: %v, then %d led %d; healed: 5 leads %d", old.Epoch,
			2*still, epochs, reign.Leader, reign.Epoch, last.Epoch)
		if len(epochs) > 3 {
			return fmt.Errorf("they depose each other: epochs %v", epochs)
		}
		return nil
	})
}

// TestCutOff takes real networks apart, if it may: packets are lost, not only messages.
func TestCutOff(t *testing.T) {
	t.Parallel()
	if err := CanNamespace(); err != nil {
		t.Skip("needs ip: ", err)
	}
	c := bullies(t, Config{Nodes: 5, Command: steadyCommand(t, "-preempt", "300ms"), Network: Namespaced, Traces: true})
	require.NoError(t, c.Start())
	old := leads(t, c, 5, 0, c.IDs()...)
	at, err := c.Cut(Between([]int{4, 5}, []int{1, 2, 3})...)
	require.NoError(t, err)
	next := leads(t, c, 3, old.Epoch, 1, 2, 3)
	leaderless(t, c, 4, 5)
	t.Logf("cut off with 4: 3 leads instead of 5 after %s", next.At.Sub(at))
	require.NoError(t, sleep(t.Context(), time.Second))
	healed, err := c.Heal()
	require.NoError(t, err)
	last := leads(t, c, 5, next.Epoch, c.IDs()...)
	t.Logf("healed: 5 leads again after %s", last.At.Sub(healed))
}
