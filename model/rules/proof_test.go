package rules

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Node n led epoch 1, and is dead. Once all are told so, the next takes over with five messages to or from each of the others,
// one more for each ACK, and is refused by nobody. If it alone is told, the others, who keep their lease, refuse it (R41).
func TestFailoverAfterProofs(t *testing.T) {
	for n := ID(3); n <= 7; n++ {
		t.Run(strconv.Itoa(int(n)), func(t *testing.T) {
			next, others := n-1, int(n)-2
			c := newFailover(n)
			for i := ID(1); i < n; i++ {
				c.do(c.rules.HolderDead(i, c.node[i]), i)
			}
			c.do(c.rules.Timeout(next, c.node[next], PatienceTimer), next)
			c.do(c.rules.Timeout(next, c.node[next], ElectionTimer), next)
			require.Equal(t, Leader, c.node[next].Role)
			require.Equal(t, map[MessageType]int{
				Election: others, Assent: others, Claim: others, Grant: others, Coordinator: others, Ack: others,
			}, c.sent)
			for i := ID(1); i < next; i++ {
				require.Equal(t, State{Leader: next, Epoch: 2, Grantee: next, Conf: constant(n)}, plain(c.node[i]))
			}

			c = newFailover(n)
			c.do(c.rules.HolderDead(next, c.node[next]), next)
			c.do(c.rules.Timeout(next, c.node[next], PatienceTimer), next)
			c.do(c.rules.Timeout(next, c.node[next], ElectionTimer), next)
			require.Equal(t, State{Epoch: 1, Grantee: n, Conf: constant(n)}, plain(c.node[next]))
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

func newFailover(n ID) *failover {
	c := &failover{rules: NewStatic(), node: map[ID]State{}, sent: map[MessageType]int{}}
	for i := ID(1); i < n; i++ {
		c.node[i] = State{Leader: n, Lease: 5, Epoch: 1, Grantee: n, Latest: 1, Conf: constant(n)}
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
