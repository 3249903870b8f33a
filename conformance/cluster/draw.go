package cluster

import (
	"math/bits"
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// Enabled appends to dst what can happen next, in a fixed order: on each busy link a delivery and a loss; for each node
// that runs the end of each of its timers, a crash, and a resignation, a proof of death or a change if that is a step; for each
// other its start; and that the links heal, if any is cut. Crashes within a step, cuts, and what is no step are left out.
func (c *Cluster) Enabled(dst []Op) []Op {
	for i, row := range c.links {
		for j, q := range row {
			if len(q) > 0 {
				link := spec.Link{From: c.members[i], To: c.members[j]}
				dst = append(dst, Op{Kind: Deliver, Link: link}, Op{Kind: Repeat, Link: link}, Op{Kind: Lose, Link: link})
			}
		}
	}
	for _, h := range c.hosts {
		switch {
		case h.node != nil:
			for t := range h.timers.All() {
				dst = append(dst, Op{Kind: End, Node: h.id, Timer: t})
			}
			dst = append(dst, Op{Kind: Crash, Node: h.id})
			for _, call := range []struct {
				Kind
				spec.Call
			}{{Resign, spec.ResignCall}, {Dead, spec.HolderDeadCall}} {
				if conformance.NoStep(h.id, &h.state, &spec.Input{Call: call.Call}) == "" {
					dst = append(dst, Op{Kind: call.Kind, Node: h.id})
				}
			}
			dst = c.changes(dst, h)
		case h.record != nil:
			dst = append(dst, Op{Kind: Restart, Node: h.id})
		default:
			dst = append(dst, Op{Kind: Start, Node: h.id})
		}
	}
	if len(c.cut) > 0 {
		dst = append(dst, Op{Kind: Heal})
	}
	return dst
}

// DrawScript draws who the members of a cluster are, one to seven of them, and seldom what is on their disks: a script
// without ops yet, of fixed members unless DrawFirst follows. Ids are close to each other or far, integers or UUIDs; epochs on disks are low, or close to the bound
// of R2.
func DrawScript(choose func(n int) int) *Script {
	s := &Script{}
	n, first := 1+choose(7), uint64(1)
	if choose(4) == 0 { // such as 9 and 10, or 255 and 256, which some would compare otherwise
		first = []uint64{9, 98, 254, 1<<63 - 3}[choose(4)]
	}
	for i := range n {
		s.Members = append(s.Members, spec.IntegerID(first+uint64(i)))
	}
	if choose(4) == 0 {
		for i := n - 1 - choose(n); i < n; i++ {
			s.Members[i] = spec.NodeID{byte(16 * (2*i + 3)), 1, 2, 3, 4, 5, 0x46, 7, 0x88, 9, 10, 11, 12, 13, 14, 15}
		}
	}
	if choose(6) != 0 {
		return s
	}
	epoch := spec.Epoch(choose(5))
	if choose(2) == 0 {
		epoch = spec.MaxEpoch - 5 + epoch
	}
	s.Records = make([]*spec.Durable, n)
	for i := range s.Records {
		if k := choose(n + 2); k < n {
			s.Records[i] = &spec.Durable{Epoch: epoch, Grantee: s.Members[k], Reserved: spec.Block}
		} else if k == n {
			s.Records[i] = &spec.Durable{Epoch: epoch + 1, Reserved: spec.Block}
		}
	}
	return s
}

// DrawFirst draws who of the members of a script, which are then the nodes that there are, the first members are, of every
// kind; all others join. If there are records, they are of one configuration. It returns the script.
func (s *Script) DrawFirst(choose func(n int) int) *Script {
	var members []spec.Member
	for _, id := range s.Members {
		kind := []spec.MemberKind{spec.Voter, spec.Voter, spec.Voter, spec.Voter, spec.Witness, spec.Observer, ""}[choose(7)]
		if kind != "" {
			members = append(members, spec.Member{ID: id, Kind: kind})
		}
	}
	var err error
	if s.First, err = spec.NewConfiguration(0, 1, members); err != nil || s.First.IsEmpty() {
		s.First, _ = spec.NewConfiguration(0, 1, []spec.Member{{ID: s.Members[choose(len(s.Members))], Kind: spec.Voter}})
	}
	held := spec.MaxEpoch // below all promises: whoever has won it has been heard of by all
	for _, record := range s.Records {
		if record != nil {
			held = min(held, max(1, record.Epoch)-1)
		}
	}
	for i, record := range s.Records {
		if record == nil {
			continue
		}
		record.Configuration = spec.EmptyConfiguration()
		if _, is := s.First.Member(s.Members[i]); is {
			record.Configuration = s.First.At(held, 1)
		}
	}
	return s
}

// weights say how often each kind is drawn when it is possible: while messages are under way, and while none is. They are
// such that leaders come, lead for a while, and are lost.
var weights = []struct {
	kind        Kind
	busy, quiet int
}{
	{Deliver, 100, 0}, {Settle, 12, 0}, {End, 12, 100}, {Lose, 4, 0}, {Repeat, 6, 0}, {Crash, 2, 3}, {Restart, 6, 14}, {Start, 6, 14},
	{Resign, 1, 3}, {Dead, 2, 5}, {Late, 1, 1}, {Cut, 2, 5}, {Heal, 2, 4}, {Change, 6, 20},
}

// withinStep is one in how many steps a crash cuts short.
const withinStep = 40

// Tosses makes a choose for Draw of tosses of a coin. Most generators of tests draw small numbers more often than others.
func Tosses(toss func() bool) func(n int) int {
	return func(n int) int {
		x, width := 0, bits.Len(uint(n))+3
		for range width {
			x *= 2
			if toss() {
				x++
			}
		}
		return x * n >> width
	}
}

// Draw draws what happens next, so that over many ops all happens: elections that come to something and others, reigns,
// hand-overs, crashes within steps, cuts of some links in one direction or both. The same choices in the same state draw
// the same op, which is possible. Choose returns a number from 0 to n-1, each as often as the others; n is above 0.
func (c *Cluster) Draw(choose func(n int) int) Op {
	enabled := c.Enabled(nil)
	busy := len(c.Busy(nil)) > 0
	weigh := func(i int) int {
		w := weights[i]
		switch {
		case !slices.ContainsFunc(enabled, func(op Op) bool { return op.Kind == w.kind }) && !c.drawable(w.kind, busy):
			return 0
		case busy:
			return w.busy
		}
		return w.quiet
	}
	total := 0
	for i := range weights {
		total += weigh(i)
	}
	drawn := choose(total)
	for i := range weights {
		if drawn -= weigh(i); drawn < 0 {
			return c.drawOf(weights[i].kind, enabled, choose)
		}
	}
	return Op{Kind: Settle} // not reached: choose has kept below its bound
}

// drawable reports whether there is an op of a kind that Enabled leaves out.
func (c *Cluster) drawable(kind Kind, busy bool) bool {
	switch kind {
	case Settle:
		return busy
	case Late:
		return slices.ContainsFunc(c.hosts, func(h *host) bool { return h.node != nil })
	case Cut:
		return len(c.members) > 1
	}
	return false
}

// drawOf draws an op of one kind, of which there is one.
func (c *Cluster) drawOf(kind Kind, enabled []Op, choose func(n int) int) Op {
	switch kind {
	case Settle:
		return Op{Kind: Settle}
	case Deliver:
		// What was sent last goes first half of the time: so some messages stay under way until all has changed.
		if last := c.last(); choose(2) == 0 {
			enabled = []Op{{Kind: Deliver, Link: last}}
		}
	case Cut:
		return c.drawCut(choose)
	case Late:
		return c.drawLate(choose)
	case End:
		// A node first, then one of its timers: a leader, which has two, has them end no oftener than others.
		var nodes []spec.NodeID
		for _, op := range enabled {
			if op.Kind == End && !slices.Contains(nodes, op.Node) {
				nodes = append(nodes, op.Node)
			}
		}
		node := nodes[choose(len(nodes))]
		enabled = slices.DeleteFunc(enabled, func(op Op) bool { return op.Node != node })
	}
	enabled = slices.DeleteFunc(enabled, func(op Op) bool { return op.Kind != kind })
	op := enabled[choose(len(enabled))]
	if op.isStep() && choose(withinStep) == 0 {
		op.Crash = BeforeSave + Point(choose(4))
	}
	return op
}

// last returns the link whose first message was sent last.
func (c *Cluster) last() (link spec.Link) {
	number := uint64(0)
	for i, row := range c.links {
		for j, q := range row {
			if len(q) > 0 && q[0].number >= number {
				number, link = q[0].number, c.link(i, j)
			}
		}
	}
	return link
}

// drawLate draws what must come to no step, of a node that runs: the end of a timer that does not, or a call that is none.
func (c *Cluster) drawLate(choose func(n int) int) Op {
	var ops, refused []Op
	for _, h := range c.hosts {
		if h.node == nil {
			continue
		}
		for _, t := range spec.Timers() {
			if !h.timers.Has(t) {
				ops = append(ops, Op{Kind: Late, Node: h.id, Timer: t})
			}
		}
		if conformance.NoStep(h.id, &h.state, &spec.Input{Call: spec.ResignCall}) != "" {
			ops = append(ops, Op{Kind: Resign, Node: h.id})
		}
		if conformance.NoStep(h.id, &h.state, &spec.Input{Call: spec.HolderDeadCall}) != "" {
			ops = append(ops, Op{Kind: Dead, Node: h.id})
		}
		refused = c.refusedChanges(refused, h)
	}
	if len(refused) > 0 && choose(2) == 0 {
		ops = refused
	}
	return ops[choose(len(ops))]
}

// drawCut draws links to cut: those that are cut already and a further one, one in both directions, all between two
// groups, all of one node in one direction; but not just those that are cut.
func (c *Cluster) drawCut(choose func(n int) int) Op {
	n := len(c.members)
	first := choose(n)
	second := (first + 1 + choose(n-1)) % n
	some := 1 + choose(1<<n-1)
	in := func(i int) bool { return some>>i&1 == 1 }
	var is func(i, j int) bool
	switch choose(4) {
	case 0:
		is = func(i, j int) bool { return i == first && j == second || slices.Contains(c.cut, c.link(i, j)) }
	case 1:
		is = func(i, j int) bool { return i == first && j == second || i == second && j == first }
	case 2:
		is = func(i, j int) bool { return in(i) != in(j) || i == first && j == second }
	default:
		is = func(i, j int) bool { return i == first }
	}
	var cut []spec.Link
	for i := range n {
		for j := range n {
			if i != j && is(i, j) {
				cut = append(cut, c.link(i, j))
			}
		}
	}
	if slices.Equal(cut, c.cut) {
		return Op{Kind: Heal}
	}
	return Op{Kind: Cut, Cut: cut}
}

func (c *Cluster) link(i, j int) spec.Link { return spec.Link{From: c.members[i], To: c.members[j]} }
