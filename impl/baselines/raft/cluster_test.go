package raft_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/impl/baselines/raft"
)

// cluster is some nodes with nothing between them that keeps an order or a promise: any message may arrive at any time,
// twice or never, any timer may end, any node may crash.
type cluster struct {
	config  raft.Config
	disk    disk
	nodes   []*raft.Node // by id; nil if down, and at 0
	saved   []raft.Saved
	timers  [][]raft.Timer // that the host lets run
	flight  []raft.Message
	leaders map[uint64]int // of each term
	wrong   string         // what must not have happened
}

// disk says what a host saves.
type disk int

const (
	durable disk = iota // what it must
	noVote              // the term alone
	tooLate             // what it must, but after the messages have left
	noDisk              // nothing
)

func newCluster(c raft.Config, d disk, nodes int) *cluster {
	k := &cluster{config: c, disk: d, nodes: make([]*raft.Node, nodes+1), saved: make([]raft.Saved, nodes+1),
		timers: make([][]raft.Timer, nodes+1), leaders: map[uint64]int{}}
	k.config.Nodes = nodes
	for id := 1; id <= nodes; id++ {
		k.restart(id)
	}
	return k
}

func (k *cluster) fail(format string, args ...any) {
	if k.wrong == "" {
		k.wrong = fmt.Sprintf(format, args...)
	}
}

func (k *cluster) restart(id int) {
	k.config.ID = id
	node, err := raft.New(k.config)
	if err != nil {
		k.fail("%v", err)
		return
	}
	k.nodes[id] = node
	k.step(id, raft.Start(k.saved[id]), false)
}

func (k *cluster) crash(id int) { k.nodes[id], k.timers[id] = nil, nil }

// step lets a node take a step. One that crashes in it has saved, and sends nothing; but a host that saves too late does it
// the other way round.
func (k *cluster) step(id int, in raft.Input, crashes bool) {
	node := k.nodes[id]
	term := node.Term()
	out := node.Step(in)
	if out.Ignored != "" {
		k.fail("%d ignores %v: %s", id, in, out.Ignored)
	}
	if _, starts := in.(raft.Start); node.Term() < term && !starts {
		k.fail("%d goes back from term %d to %d", id, term, node.Term())
	}
	if out.Save && (k.disk != tooLate || !crashes) {
		k.saved[id] = map[disk]raft.Saved{durable: out.Saved, tooLate: out.Saved, noVote: {Term: out.Saved.Term}}[k.disk]
	}
	if !crashes || k.disk == tooLate {
		k.flight = append(k.flight, out.Send...)
	}
	if crashes {
		k.crash(id)
		return
	}
	k.time(id, out)
	k.look(id)
}

// time stops and sets timers, and holds the host's to those that the node says run.
func (k *cluster) time(id int, out raft.Output) {
	for _, t := range out.Stop {
		if !slices.Contains(k.timers[id], t) {
			k.fail("%d stops %s, which does not run", id, t)
		}
		k.timers[id] = slices.DeleteFunc(k.timers[id], func(s raft.Timer) bool { return s == t })
	}
	for _, t := range out.Set {
		if !slices.Contains(k.timers[id], t) {
			k.timers[id] = append(k.timers[id], t)
		}
	}
	slices.Sort(k.timers[id])
	if running := slices.Sorted(slices.Values(k.nodes[id].Running())); !slices.Equal(k.timers[id], running) {
		k.fail("%d has timers %v, and its host %v", id, running, k.timers[id])
	}
}

// look holds a node to the safety of elections (§5.2): at most one leader in a term, and nobody follows another.
func (k *cluster) look(id int) {
	node := k.nodes[id]
	if node.Leader() == 0 {
		return
	}
	if before := k.leaders[node.Term()]; before != 0 && before != node.Leader() {
		k.fail("%d and %d lead term %d", before, node.Leader(), node.Term())
	}
	k.leaders[node.Term()] = node.Leader()
}

// act lets something happen. Pick picks a number below n.
func (k *cluster) act(pick func(n int) int) {
	const most = 16 // messages under way: more are lost, oldest first
	k.flight = k.flight[max(0, len(k.flight)-most):]
	id := 1 + pick(len(k.nodes)-1)
	crashes := pick(10) == 0
	switch what := pick(20); {
	case k.nodes[id] == nil:
		k.restart(id)
	case what > 1 && len(k.flight) > 0:
		i := pick(len(k.flight))
		m := k.flight[i]
		if pick(10) > 0 {
			k.flight = slices.Delete(k.flight, i, i+1) // else it will arrive once more
		}
		if k.nodes[m.To] != nil {
			k.step(m.To, m, crashes)
		}
	case what == 0: // the patience of many ends at once
		for id := range k.nodes {
			if slices.Contains(k.timers[id], raft.Election) && pick(2) == 0 {
				k.step(id, raft.Election, false)
			}
		}
	default:
		k.step(id, k.timers[id][pick(len(k.timers[id]))], crashes)
	}
}

// calm lets everything happen in good time: the nodes are up, no message is lost, and their patience ends one after the
// other. It reports whether all follow one leader then.
func (k *cluster) calm() bool {
	for id := range k.nodes {
		if id > 0 && k.nodes[id] == nil {
			k.restart(id)
		}
	}
	k.deliver()
	for turn := range 3 * len(k.nodes) {
		if k.agree() {
			return true
		}
		for _, t := range []raft.Timer{raft.Heartbeat, raft.Quorum, raft.Lease} {
			for id := 1; id < len(k.nodes); id++ {
				if slices.Contains(k.timers[id], t) {
					k.step(id, t, false)
				}
			}
			k.deliver()
		}
		if id := 1 + turn%(len(k.nodes)-1); !k.agree() && slices.Contains(k.timers[id], raft.Election) {
			k.step(id, raft.Election, false)
			k.deliver()
		}
	}
	return k.agree()
}

func (k *cluster) deliver() {
	for len(k.flight) > 0 {
		m := k.flight[0]
		k.flight = k.flight[1:]
		k.step(m.To, m, false)
	}
}

func (k *cluster) agree() bool {
	for id := 1; id < len(k.nodes); id++ {
		if n := k.nodes[id]; n.Leader() == 0 || n.Leader() != k.nodes[1].Leader() || k.nodes[n.Leader()].Role() != raft.Leader {
			return false
		}
	}
	return true
}

var configs = []raft.Config{{}, {PreVote: true}, {CheckQuorum: true}, {PreVote: true, CheckQuorum: true}}

// Whatever happens, a term has one leader at most; and when it is over, the nodes come to agree on one.
func TestCluster(t *testing.T) {
	for _, c := range configs {
		t.Run(fmt.Sprintf("prevote=%t,checkquorum=%t", c.PreVote, c.CheckQuorum), func(t *testing.T) {
			led, runs := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 81))
				k := newCluster(c, durable, rapid.IntRange(3, 5).Draw(t, "nodes"))
				for range rapid.IntRange(0, 400).Draw(t, "acts") {
					k.act(random.IntN)
					require.Empty(t, k.wrong)
				}
				led, runs = led+len(k.leaders), runs+1
				require.True(t, k.calm(), "nobody leads for good")
				require.Empty(t, k.wrong)
			})
			t.Logf("%d reigns in %d runs", led, runs)
			require.Greater(t, 4*led, runs, "hardly anybody led")
		})
	}
}

// TestBrokenDisk shows that the vote must be durable before it is told: else a term comes to have two leaders.
func TestBrokenDisk(t *testing.T) {
	const runs, acts = 400, 400
	for _, c := range configs {
		for d, want := range map[disk]bool{durable: false, noVote: true, tooLate: true, noDisk: true} {
			found, seed := "", uint64(0)
			for ; seed < runs && found == ""; seed++ {
				random := rand.New(rand.NewPCG(seed, 81))
				k := newCluster(c, d, 3+int(seed%3))
				for i := 0; i < acts && k.wrong == ""; i++ {
					k.act(random.IntN)
				}
				found = k.wrong
			}
			t.Logf("%+v, disk %d: %q after %d runs", c, d, found, seed)
			require.Equal(t, want, found != "", "%+v, disk %d", c, d)
		}
	}
}

// TestDoubleVote is the shortest way to two leaders of a term: a voter forgets its vote in a crash, and votes again.
func TestDoubleVote(t *testing.T) {
	for d, want := range map[disk]string{durable: "", noVote: "3 and 2 lead term 1"} {
		k := newCluster(raft.Config{}, d, 3)
		k.step(3, raft.Election, false)
		k.step(2, raft.Election, false)
		k.flight = nil
		k.step(1, raft.Message{Type: raft.RequestVote, From: 3, To: 1, Term: 1}, false)
		k.crash(1)
		k.restart(1)
		k.step(1, raft.Message{Type: raft.RequestVote, From: 2, To: 1, Term: 1}, false)
		k.deliver()
		require.Equal(t, want, k.wrong)
	}
}
