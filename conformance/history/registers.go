package history

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// registerParts returns the register of each epoch, ascending. Of all writes that a node makes for an epoch the first to
// be called is enough: the register keeps what that has set.
func registerParts(ops []Op) []part {
	epochs := map[spec.Epoch]*part{}
	claimed := map[spec.Epoch]map[string]*Op{}
	add := func(as role, op *Op, back int64) {
		p := epochs[op.Epoch]
		if p == nil {
			p = &part{name: fmt.Sprintf("epoch %d", op.Epoch)}
			p.explain = p.explainEpoch
			epochs[op.Epoch] = p
		}
		p.ops = append(p.ops, item{as, op}.operation(op.Call, back))
	}
	for i := range ops {
		switch op := &ops[i]; op.Kind {
		case LedOp:
			add(leads, op, op.Return)
		case FollowedOp:
			add(follows, op, op.Return)
		case WriteOp:
			if claimed[op.Epoch] == nil {
				claimed[op.Epoch] = map[string]*Op{}
			}
			if first := claimed[op.Epoch][op.Client]; first == nil || op.Call < first.Call {
				claimed[op.Epoch][op.Client] = op
			}
		}
	}
	for _, first := range claimed {
		for _, client := range slices.Sorted(maps.Keys(first)) {
			add(leads, first[client], first[client].Call) // it says so when it calls, whatever comes of it
		}
	}
	var parts []part
	for _, e := range slices.Sorted(maps.Keys(epochs)) {
		parts = append(parts, *epochs[e])
	}
	return parts
}

// leader returns who leads the epoch of the operation, by what it says.
func (o *Op) leader() spec.NodeID {
	if o.Kind == FollowedOp {
		return o.Leader
	}
	id, _ := spec.ParseNodeID(o.Client) // it is valid
	return id
}

// stepEpoch is the register of an epoch. It is written once: to write the same again changes nothing.
func (i item) stepEpoch(c content) (bool, content) {
	leader := i.op.leader()
	if i.as == follows || !c.leader.IsNone() {
		return c.leader == leader, c
	}
	return true, content{leader: leader}
}

// explainEpoch says why the register of an epoch is refused: two operations disagree, or somebody was told too early.
func (p *part) explainEpoch(*stuck) (broken, explanation string) {
	ops := make([]*Op, len(p.ops))
	for i := range p.ops {
		ops[i] = p.ops[i].Input.(item).op
	}
	slices.SortStableFunc(ops, func(a, b *Op) int { return cmp.Compare(a.Call, b.Call) })
	var first *Op // the first that says that somebody leads
	for _, op := range ops {
		if other := ops[0]; op.leader() != other.leader() {
			return string(spec.OneLeaderPerEpoch), fmt.Sprintf("epoch %d has two leaders, %s and %s: %s, and %s", op.Epoch,
				other.leader(), op.leader(), other, op)
		}
		if op.Kind != FollowedOp && first == nil {
			first = op
		}
	}
	for _, op := range ops {
		switch {
		case op.Kind != FollowedOp:
		case first == nil:
			return "R39", fmt.Sprintf("%s, and nobody ever led it", op)
		case op.Return < first.Call:
			return "R39", fmt.Sprintf("%s, and that was before: %s", op, first)
		}
	}
	return string(spec.OneLeaderPerEpoch), p.name + ": no order of its operations explains them"
}

// TraceOps returns what nodes tell their users in a trace (R39) as operations: who led, and who was told of whom. Each
// takes effect at the step. An operation comes at the time of its event, in nanoseconds since that of the first, but never
// before the operation that the trace has before it: the order of a trace says more than the clocks of many writers do. If
// the trace is cut short it returns what there is, and the error.
func TraceOps(trace io.Reader) ([]Op, error) {
	reader, err := spec.NewTraceReader(trace)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	type told struct {
		leader spec.NodeID
		epoch  spec.Epoch
	}
	last := map[spec.NodeID]told{}
	var ops []Op
	var e spec.Event
	var begin, now int64
	for {
		switch err := reader.Read(&e); {
		case err == io.EOF:
			return ops, nil
		case err != nil:
			return ops, fmt.Errorf("history: %w", err)
		}
		now++
		if at := int64(e.At) * 1000; e.At > 0 {
			if begin == 0 {
				begin = at
			}
			now = max(now, at-begin)
		}
		if !e.Action.OfNode() {
			continue
		}
		var is told
		if s := &e.State; s.Role == spec.Leader || s.Role == spec.Follower && !s.Leader.IsNone() {
			is = told{s.Leader, s.Epoch}
			if s.Role == spec.Leader {
				is.leader = e.Node
			}
		}
		was := last[e.Node]
		last[e.Node] = is
		if is == was || is.leader.IsNone() {
			continue
		}
		op := Op{Client: e.Node.String(), Kind: FollowedOp, Epoch: is.epoch, Leader: is.leader, Call: now, Return: now}
		if is.leader == e.Node {
			op.Kind, op.Leader = LedOp, spec.NodeID{}
		}
		ops = append(ops, op)
	}
}
