package ring_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/impl/baselines/ring"
)

// net is a ring of nodes with links that are first in, first out, and deliver in any order otherwise.
type net struct {
	t     *rapid.T
	form  ring.Form
	ids   []int
	nodes map[int]*ring.Node // those that are alive
	links map[[2]int][]ring.Message
	runs  map[int]map[ring.Timer]bool
	sent  map[ring.Kind]int
}

func newNet(t *rapid.T, form ring.Form, ids, dead []int) *net {
	w := &net{t: t, form: form, ids: ids, nodes: map[int]*ring.Node{}, links: map[[2]int][]ring.Message{},
		runs: map[int]map[ring.Timer]bool{}, sent: map[ring.Kind]int{}}
	for _, id := range ids {
		if !slices.Contains(dead, id) {
			node, err := ring.New(ring.Config{ID: id, Ring: ids, Form: form})
			require.NoError(t, err)
			w.nodes[id], w.runs[id] = node, map[ring.Timer]bool{}
			w.step(id, ring.Start())
		}
	}
	return w
}

// step does what a host does, and holds the node to what every Output must keep.
func (w *net) step(id int, in ring.Input) {
	out, runs := w.nodes[id].Step(in), w.runs[id]
	require.Empty(w.t, out.Ignored)
	for _, timer := range out.Stop {
		require.True(w.t, runs[timer], "node %d stops timer %d, which does not run", id, timer)
		runs[timer] = false
	}
	for _, timer := range out.Set {
		runs[timer] = true
	}
	for _, m := range out.Send {
		require.Equal(w.t, id, m.From)
		require.NotEqual(w.t, id, m.To)
		w.sent[m.Kind]++
		if w.nodes[m.To] != nil {
			w.links[[2]int{m.From, m.To}] = append(w.links[[2]int{m.From, m.To}], m)
		}
	}
	node := w.nodes[id]
	require.Equal(w.t, node.Leading(), runs[ring.Heartbeat])
	require.Equal(w.t, node.Participating(), runs[ring.Election])
	require.Equal(w.t, !node.Leading() && !node.Participating(), runs[ring.Patience])
}

// end ends a timer, as the clock does.
func (w *net) end(id int, timer ring.Timer) {
	w.runs[id][timer] = false
	w.step(id, ring.Timeout(timer))
}

// settle delivers all messages, and ends the wait for an ACK only when none is on its way any more, until nothing is left.
func (w *net) settle() {
	for range 100_000 {
		var busy [][2]int
		for _, from := range w.ids {
			for _, to := range w.ids {
				if len(w.links[[2]int{from, to}]) > 0 {
					busy = append(busy, [2]int{from, to})
				}
			}
		}
		if len(busy) > 0 {
			link := rapid.SampledFrom(busy).Draw(w.t, "link")
			m := w.links[link][0]
			w.links[link] = w.links[link][1:]
			w.step(m.To, ring.Receive(m))
			continue
		}
		var waiting []int
		for _, id := range w.ids {
			if w.runs[id][ring.Hop] {
				waiting = append(waiting, id)
			}
		}
		if len(waiting) == 0 {
			return
		}
		w.end(rapid.SampledFrom(waiting).Draw(w.t, "waits in vain"), ring.Hop)
	}
	w.t.Fatal("the election does not end")
}

// elections says how many ELECTION of an id Chang and Roberts send, in other words: the id of a starter is taken from node
// to node. A node that is no starter and has seen none go by puts its own in place of a lower one. The first that goes by
// a node is of the nearest starter behind it.
func elections(ids, starters []int) (n int) {
	for _, s := range starters {
		carried, first := s, true
		for i := slices.Index(ids, s) + 1; ; i++ {
			n++
			node := ids[i%len(ids)]
			first = first && !slices.Contains(starters, node)
			if node == carried || node > carried && !first {
				break
			}
			carried = max(carried, node)
		}
	}
	return n
}

// draw draws a ring, and who of it starts an election.
func draw(t *rapid.T, least int) (ids, starters []int) {
	n := rapid.IntRange(least, 9).Draw(t, "nodes")
	for i := range n {
		ids = append(ids, i+1)
	}
	ids = rapid.Permutation(ids).Draw(t, "ring")
	starters = rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 1, n, rapid.ID).Draw(t, "starters")
	return ids, starters
}

// TestWithoutFaults elects the highest in every ring, whoever starts, and takes as many messages as it should.
func TestWithoutFaults(t *testing.T) {
	for name, form := range forms {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			ids, starters := draw(t, 2)
			w := newNet(t, form, ids, nil)
			for _, id := range starters {
				w.end(id, ring.Patience)
			}
			w.settle()
			w.agreed(len(ids))
			n, k := len(ids), len(starters)
			want := map[ring.Kind]int{ring.ElectionKind: n * k, ring.CoordinatorKind: n * k, ring.AckKind: 2 * n * k}
			if form == ring.ChangRoberts {
				e := elections(ids, starters)
				want = map[ring.Kind]int{ring.ElectionKind: e, ring.ElectedKind: n, ring.AckKind: e + n}
			}
			require.Equal(t, want, w.sent)
		}))
	}
}

// TestFailedNeighbours elects the highest of those alive. In the form with lists each place of the ring is tried once a
// round, dead or alive; so the messages are the same.
func TestFailedNeighbours(t *testing.T) {
	for name, form := range forms {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			ids, starters := draw(t, 2)
			dead := rapid.SliceOfDistinct(rapid.SampledFrom(ids), rapid.ID).Draw(t, "dead")
			dead = slices.DeleteFunc(dead, func(id int) bool { return id == starters[0] })
			w := newNet(t, form, ids, dead)
			w.end(starters[0], ring.Patience)
			w.settle()
			n, alive := len(ids), len(ids)-len(dead)
			best := 0
			for id := range w.nodes {
				best = max(best, id)
			}
			w.agreed(best)
			if form == ring.Lists && alive > 1 {
				require.Equal(t, map[ring.Kind]int{ring.ElectionKind: n, ring.CoordinatorKind: n, ring.AckKind: 2 * alive}, w.sent)
			}
		}))
	}
}

// agreed requires that l leads, and that all follow it and wait for nothing.
func (w *net) agreed(l int) {
	for id, node := range w.nodes {
		require.Equal(w.t, l, node.Leader(), "node %d", id)
		require.Equal(w.t, id == l, node.Leading())
		require.False(w.t, node.Participating(), "node %d must not take part in an election that has ended", id)
	}
}

// TestAnyInput gives a node anything at all. It does not panic, it says why it ignores what it ignores, and what it sends
// is right.
func TestAnyInput(t *testing.T) {
	for name, form := range forms {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			node, err := ring.New(ring.Config{ID: 2, Ring: []int{3, 1, 2, 4}, Form: form})
			require.NoError(t, err)
			for range rapid.IntRange(1, 40).Draw(t, "inputs") {
				leader, led, part := node.Leader(), node.Leading(), node.Participating()
				out := node.Step(anyInput(t))
				if out.Ignored != "" {
					require.Equal(t, ring.Output{Ignored: out.Ignored}, out)
					require.Equal(t, fmt.Sprint(leader, led, part), fmt.Sprint(node.Leader(), node.Leading(), node.Participating()))
				}
				for _, m := range out.Send {
					require.Equal(t, 2, m.From)
					require.Contains(t, []int{1, 3, 4}, m.To)
				}
			}
		}))
	}
}

func anyInput(t *rapid.T) ring.Input {
	id := rapid.IntRange(-1, 5)
	list := rapid.SliceOfN(id, 0, 5)
	kinds := []ring.Kind{ring.ElectionKind, ring.ElectedKind, ring.CoordinatorKind, ring.AckKind, ring.HeartbeatKind, "", "OK"}
	switch rapid.IntRange(0, 5).Draw(t, "input") {
	case 0:
		return ring.Start()
	case 1:
		return ring.Input{}
	case 2, 3:
		return ring.Timeout(ring.Timer(id.Draw(t, "timer")))
	}
	return ring.Receive(ring.Message{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), From: id.Draw(t, "from"),
		To: rapid.SampledFrom([]int{2, 2, 2, 3}).Draw(t, "to"), ID: id.Draw(t, "id"), List: list.Draw(t, "list"),
		Informed: list.Draw(t, "told"), Hop: rapid.IntRange(-1, 4).Draw(t, "hop")})
}
