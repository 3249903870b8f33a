package model

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The counts are those of TLC 2.18 with one worker, for configurations with proofs of death.
func TestCountsWithProofsAreThoseOfTLC(t *testing.T) {
	for _, test := range []struct {
		topology, budget           string
		replaced                   []string
		distinct, generated, depth int
	}{
		{"Whole", "0 1 0 0 0", []string{"MayProve <- Proofs"}, 21620, 66736, 45},
		{"Whole", "0 1 0 0 0", []string{"MayProve <- Proofs", "Answered <- HighestAlive"}, 22443, 69531, 45},
		{"Star", "0 1 0 0 0", []string{"MayProve <- Proofs", "Answered <- HighestAlive"}, 3445, 6286, 41},
		{"Star", "0 1 0 0 0", []string{"LeaseOver <- EndsByProofOnly"}, 1496, 2631, 45},
		{"Whole", "0 0 0 0 0", []string{"MayProve <- ProvesAnything"}, 11711, 44059, 25},
	} {
		c := configuration(3, test.topology, test.budget, test.replaced...)
		c.Invariants = []string{"TypeOK", "OneLeaderPerEpoch"}
		c.Properties = []string{"EpochMonotonic", "Refines"}
		got := run(t, c)
		require.Nil(t, got.Violation)
		require.Equal(t, []int{test.distinct, test.generated, test.depth}, []int{got.Distinct, got.Generated, got.Depth}, test)
	}
}

// Node n led epoch 1, and is dead. Once all are told so, the next takes over with five messages to or from each of the others,
// one more for each ACK, and is refused by nobody. If it alone is told, the others, who keep their lease, refuse it (R41).
func TestFailoverAfterProofs(t *testing.T) {
	for n := ID(3); n <= MaxNodes; n++ {
		t.Run(strconv.Itoa(int(n)), func(t *testing.T) {
			next, others := n-1, int(n)-2
			c := newFailover(t, n)
			for i := ID(1); i < n; i++ {
				c.do(c.rules.HolderDead(i, c.node[i]), i)
			}
			c.do(c.rules.Timeout(next, c.node[next], HeartbeatTimer), next)
			c.do(c.rules.Timeout(next, c.node[next], ElectionTimer), next)
			require.Equal(t, Leader, c.node[next].Role)
			require.Equal(t, map[MessageType]int{
				Election: others, Assent: others, Claim: others, Grant: others, Coordinator: others, Ack: others,
			}, c.sent)
			for i := ID(1); i < next; i++ {
				require.Equal(t, State{Leader: next, Epoch: 2, Grantee: next}, c.node[i])
			}

			c = newFailover(t, n)
			c.do(c.rules.HolderDead(next, c.node[next]), next)
			c.do(c.rules.Timeout(next, c.node[next], HeartbeatTimer), next)
			c.do(c.rules.Timeout(next, c.node[next], ElectionTimer), next)
			require.Equal(t, State{Epoch: 1, Grantee: n}, c.node[next])
			require.Equal(t, map[MessageType]int{Election: others, Refuse: others}, c.sent)
		})
	}
}

// A failover is the nodes that are left of a cluster, and what they said, but to the dead.
type failover struct {
	rules *Rules
	node  map[ID]State
	sent  map[MessageType]int
}

func newFailover(t *testing.T, n ID) *failover {
	rules, err := NewRules(int(n))
	require.NoError(t, err)
	c := &failover{rules: rules, node: map[ID]State{}, sent: map[MessageType]int{}}
	for i := ID(1); i < n; i++ {
		c.node[i] = State{Leader: n, Epoch: 1, Grantee: n}
	}
	return c
}

// do has node i take the step, and all take what follows from it, first sent first.
func (c *failover) do(step Step, i ID) {
	c.node[i] = step.State
	underWay := append([]Message(nil), step.Sent()...)
	for len(underWay) > 0 {
		m := underWay[0]
		underWay = underWay[1:]
		if s, lives := c.node[m.To]; lives {
			c.sent[m.Type]++
			next := c.rules.Hear(m.To, s, m)
			c.node[m.To] = next.State
			underWay = append(underWay, next.Sent()...)
		}
	}
}
