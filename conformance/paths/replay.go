package paths

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	model "github.com/seed-fdf591db/bully/model/cluster"
	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// replay is a cluster that is led along one path.
type replay struct {
	graph   *graph
	cluster *cluster.Cluster
	members []spec.NodeID
	names   *rules.Names
	links   []spec.Link
	// leftOut[l] says of each message under way on links[l] whether the graph leaves it out.
	leftOut  [][]bool
	expected model.Snapshot
	scratch  []spec.Message
}

func newReplay(t *Tour, newNode conformance.Maker, o cluster.Options) (*replay, error) {
	r := &replay{graph: t.graph}
	for i := range t.configuration.Nodes {
		r.members = append(r.members, spec.IntegerID(uint64(i+1)))
	}
	for _, from := range r.members {
		for _, to := range r.members {
			if from != to {
				r.links = append(r.links, spec.Link{From: from, To: to})
			}
		}
	}
	r.leftOut = make([][]bool, len(r.links))
	var err error
	if r.names, err = rules.NewStaticNames(r.members); err == nil {
		r.cluster, err = cluster.New(r.members, newNode, o)
	}
	return r, err
}

// script returns what has been done, as a script of package cluster.
func (r *replay) script() string {
	s := cluster.Script{Members: r.members, Ops: r.cluster.Done()}
	return s.OneLine()
}

// begin brings the cluster into an initial state.
func (r *replay) begin(start int) error {
	if err := r.expect(start); err != nil {
		return err
	}
	if len(r.expected.Cut) > 0 {
		if err := r.do(r.cutOp()); err != nil {
			return err
		}
	}
	return r.compare()
}

// expect unpacks the state in which the cluster should be next.
func (r *replay) expect(state int) error {
	return model.Unpack(r.graph.model, []byte(r.graph.states[state]), &r.expected)
}

// step takes one edge.
func (r *replay) step(e edge) error {
	if err := r.expect(e.to); err != nil {
		return err
	}
	action := spec.Action(e.step.Action)
	if err := r.do(r.op(e.step)); err != nil {
		return err
	}
	if action == spec.HeartbeatTimeout {
		if err := r.leaveOut(r.id(rules.ID(e.step.Args[0]))); err != nil {
			return err
		}
	}
	if err := r.lose(); err != nil {
		return err
	}
	return r.compare()
}

// op returns what a step of the graph is to the cluster.
func (r *replay) op(step explore.Step) cluster.Op {
	action, first := spec.Action(step.Action), r.id(rules.ID(step.Args[0]))
	if action.Receipt() != "" || action == spec.LoseAction {
		kind := cluster.Deliver
		if action == spec.LoseAction {
			kind = cluster.Lose
		}
		return cluster.Op{Kind: kind, Link: spec.Link{From: first, To: r.id(rules.ID(step.Args[1]))}}
	}
	if action == spec.CutAction {
		return r.cutOp()
	}
	kinds := map[spec.Action]cluster.Kind{
		spec.ResignAction: cluster.Resign, spec.HolderDeadAction: cluster.Dead, spec.CrashAction: cluster.Crash, spec.RestartAction: cluster.Restart,
	}
	if kind, ok := kinds[action]; ok {
		return cluster.Op{Kind: kind, Node: first}
	}
	return cluster.Op{Kind: cluster.End, Node: first, Timer: action.Timer()}
}

// cutOp returns the op that cuts the links that should be cut.
func (r *replay) cutOp() cluster.Op {
	op := cluster.Op{Kind: cluster.Heal}
	for _, l := range r.expected.Cut {
		op.Kind = cluster.Cut
		op.Cut = append(op.Cut, spec.Link{From: r.id(l[0]), To: r.id(l[1])})
	}
	return op
}

// do lets something happen, and keeps leftOut in step.
func (r *replay) do(op cluster.Op) error {
	if err := r.cluster.Do(op); err != nil {
		return err
	}
	for l, link := range r.links {
		if op.Kind == cluster.Deliver || op.Kind == cluster.Lose {
			if link == op.Link {
				r.leftOut[l] = slices.Delete(r.leftOut[l], 0, 1)
			}
		}
		under := len(r.underWay(l))
		for len(r.leftOut[l]) < under {
			r.leftOut[l] = append(r.leftOut[l], false)
		}
		r.leftOut[l] = r.leftOut[l][:under] // shorter after a crash or a cut
	}
	return nil
}

// underWay returns what is under way on a link, good until the next call.
func (r *replay) underWay(l int) []spec.Message {
	r.scratch = r.cluster.UnderWay(r.scratch[:0], r.links[l])
	return r.scratch
}

// leaveOut marks the heartbeats that a leader has just sent, and that are not in the graph: on their links there is one message
// more than there should be. It is an error if the heartbeat has left somebody out who could hear it (R27).
func (r *replay) leaveOut(leader spec.NodeID) error {
	for l, link := range r.links {
		if link.From != leader || !r.cluster.Up(link.To) || slices.Contains(r.cluster.CutLinks(), link) {
			continue
		}
		under, out := r.underWay(l), r.leftOut[l]
		if len(under) == 0 || under[len(under)-1].Type != spec.Heartbeat {
			return fmt.Errorf("the heartbeat has sent no HEARTBEAT to %s", link.To)
		}
		there := len(out)
		for _, left := range out {
			if left {
				there--
			}
		}
		if there > len(r.expectedOn(l)) {
			out[len(out)-1] = true
		}
	}
	return nil
}

// lose loses what is left out and comes first.
func (r *replay) lose() error {
	for l, link := range r.links {
		for len(r.leftOut[l]) > 0 && r.leftOut[l][0] {
			if err := r.do(cluster.Op{Kind: cluster.Lose, Link: link}); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare returns the first difference between the cluster and the state in which it should be. Numbers of questions are as small
// as can be in both: the graph gives them anew in each state.
func (r *replay) compare() error {
	got, want := r.seen(), r.wanted()
	got.forget(&want)
	got.rename()
	want.rename()
	for i, id := range r.members {
		if !want.nodes[i].Equal(got.nodes[i]) {
			return fmt.Errorf("node %s is\n  %s\nand should be\n  %s", id, got.nodes[i], want.nodes[i])
		}
		if up := r.expected.Up.Has(rules.ID(i + 1)); up != r.cluster.Up(id) {
			return fmt.Errorf("node %s runs: %t, and should: %t", id, r.cluster.Up(id), up)
		}
	}
	for l, link := range r.links {
		if got, want := got.underWay[l], want.underWay[l]; !slices.Equal(got, want) {
			return fmt.Errorf("from %s to %s there is under way %v, and there should be %v", link.From, link.To, got, want)
		}
	}
	if op := r.cutOp(); !slices.Equal(op.Cut, r.cluster.CutLinks()) {
		return fmt.Errorf("cut are %v, and should be %v", r.cluster.CutLinks(), op.Cut)
	}
	return nil
}

// seen returns what there is to see of the cluster, without what the graph leaves out.
func (r *replay) seen() view {
	v := view{members: r.members}
	for _, id := range r.members {
		s := r.cluster.State(id).Clone()
		if !r.cluster.Up(id) {
			s.Latest = 0 // what is reserved, of which the graph has no blocks
		}
		v.nodes = append(v.nodes, s)
	}
	for l := range r.links {
		var on []spec.Message
		for k, m := range r.underWay(l) {
			if !r.leftOut[l][k] {
				on = append(on, m)
			}
		}
		v.underWay = append(v.underWay, on)
	}
	return v
}

// wanted returns what there should be to see.
func (r *replay) wanted() view {
	v := view{members: r.members}
	for i := range r.members {
		s := r.state(r.expected.Nodes[i])
		if !r.expected.Up.Has(rules.ID(i + 1)) {
			s.Latest = 0
		}
		v.nodes = append(v.nodes, s)
	}
	for l := range r.links {
		var on []spec.Message
		for _, m := range r.expectedOn(l) {
			on = append(on, r.message(m))
		}
		v.underWay = append(v.underWay, on)
	}
	return v
}

// expectedOn returns what should be under way on a link. Both lists are in the order of links.
func (r *replay) expectedOn(l int) []rules.Message {
	all, link := r.expected.UnderWay, r.links[l]
	on := func(m rules.Message) bool { return r.id(m.From) == link.From && r.id(m.To) == link.To }
	from := slices.IndexFunc(all, on)
	if from < 0 {
		return nil
	}
	to := from
	for to < len(all) && on(all[to]) {
		to++
	}
	return all[from:to]
}

// id returns the node that has a rank.
func (r *replay) id(i rules.ID) spec.NodeID { return r.names.SpecID(i) }

func (r *replay) message(m rules.Message) spec.Message {
	return spec.Message{
		Type: m.Type.Spec(), From: r.id(m.From), To: r.id(m.To), Epoch: m.Epoch, Question: spec.Question(m.Question), Keeps: r.id(m.Keeps),
		Granted: r.names.SpecGranted(m.Granted),
	}
}

// state returns a state of the graph, whose members are fixed.
func (r *replay) state(s rules.State) spec.State {
	t, _ := r.names.SpecState(&s) // there is one: the rules make no configuration
	t.Configuration = spec.Configuration{}
	return t
}
