package cluster

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// Transition is one step of one node, as a cluster comes to it. The step is that of the node's own rules: what tla/Cluster.tla
// leaves out of a step because it changes nothing for the cluster is in it.
type Transition struct {
	Nodes   int // the nodes are 1 to Nodes
	Node    rules.ID
	Before  rules.State         // for a Start, that with the first configuration; for a Restart, what was on disk
	Action  spec.Action         // which step, and so which input: a receipt, the end of a timer, a call, Start or Restart
	Message rules.Message       // what is received, if Action is a receipt
	Names   rules.ID            // whom the node is to name, if Action is Resign; or None
	Wanted  rules.Configuration // the configuration that is asked for, if Action is Change
	Step    rules.Step
}

// Transitions explores a configuration, whose properties it does not check, and calls emit once for each distinct transition
// that any node takes in any reachable state, in an order that is always the same. The transition is emit's only until it
// returns. Two steps that the cluster leaves out, because they change little, are taken in every state in which a node leads:
// the heartbeat, and the end of the reign. The result is that of the exploration. It
// is an error if there is no such model; see [New].
func Transitions(c explore.Configuration, emit func(*Transition)) (explore.Result, error) {
	c.Invariants, c.Properties = nil, nil
	m, err := newCluster(c)
	if err != nil {
		return explore.Result{}, err
	}
	o := &observed{cluster: m}
	result, err := explore.Run(context.Background(), o, explore.Options{})
	if err != nil {
		return result, fmt.Errorf("cluster: transitions: %w", err)
	}
	all := transitions{}
	m.init(func(s *clusterState) {
		for i := rules.ID(1); i <= m.n; i++ {
			t := Transition{Nodes: int(m.n), Node: i, Before: s.node[i], Action: spec.StartAction}
			all[m.keyOf(&t)] = t
		}
	})
	for _, seen := range o.seen {
		maps.Copy(all, seen)
	}
	for _, k := range slices.Sorted(maps.Keys(all)) {
		t := all[k]
		t.Step = m.stepOf(&t)
		emit(&t)
	}
	return result, nil
}

// transitions are distinct transitions, without their steps, by a key that is one to one, and in the order of which they come.
type transitions map[string]Transition

func (c *cluster) keyOf(t *Transition) string {
	m := &t.Message
	p := c.payload(&rules.Said{Type: m.Type, Epoch: m.Epoch, Question: m.Question, Keeps: m.Keeps, Granted: m.Granted, Names: m.Names}, m.Conf)
	b := append(make([]byte, 0, 64), byte(t.Node), byte(slices.Index(steps, t.Action)), byte(m.From|t.Names)) // one of the two is None
	b = packNode(b, &t.Before)
	for i := range c.n {
		b = append(b, smallQuestion(t.Before.Answered.Of(i+1)))
	}
	b = binary.BigEndian.AppendUint64(b, uint64(p))
	for _, conf := range []rules.Configuration{t.Before.Conf, m.Conf, t.Wanted} {
		b = appendConf(b, packConf(conf))
	}
	return string(b)
}

// steps are the actions, by the number that stands for them in a key.
var steps = spec.Actions()

// stepOf returns the step of a transition.
func (c *cluster) stepOf(t *Transition) rules.Step {
	switch t.Action {
	case spec.StartAction:
		return rules.Step{State: t.Before}
	case spec.RestartAction:
		return c.rules.Restart(t.Node, t.Before)
	case spec.ResignAction:
		return c.rules.HandOver(t.Node, t.Before, t.Names, 0)
	case spec.HolderDeadAction:
		return c.rules.HolderDead(t.Node, t.Before)
	case spec.ChangeAction:
		return c.rules.Change(t.Node, t.Before, t.Wanted)
	}
	if timer := t.Action.Timer(); timer != "" {
		return c.rules.Timeout(t.Node, t.Before, rules.TimerOf(timer))
	}
	return c.rules.Hear(t.Node, t.Before, t.Message)
}

// observed is a cluster whose expanders note the transitions.
type observed struct {
	*cluster
	seen []transitions // one for each expander
}

// Expander implements explore.Model.
func (o *observed) Expander() explore.Expander {
	w := &watcher{stepper: stepper{cluster: o.cluster}, seen: transitions{}}
	w.note = w.noteStep
	o.seen = append(o.seen, w.seen)
	return w
}

// watcher is a stepper that notes the transitions.
type watcher struct {
	stepper
	seen transitions
	emit func(step explore.Step, next []byte, broken string)
	note func(step explore.Step, next []byte, broken string) // its method noteStep
}

// Expand implements explore.Expander.
func (w *watcher) Expand(state []byte, emit func(step explore.Step, next []byte, broken string)) {
	w.emit = emit
	w.stepper.Expand(state, w.note)
	for i := range w.now.up.All() {
		if w.now.node[i].Role == rules.Leader {
			w.add(Transition{Node: i, Action: spec.HeartbeatTimeout})
			w.add(Transition{Node: i, Action: spec.ReignTimeout})
		}
	}
}

// noteStep notes which node takes the step, and on what. What the network does alone is nobody's.
func (w *watcher) noteStep(step explore.Step, next []byte, broken string) {
	t := Transition{Node: rules.ID(step.Args[0]), Action: spec.Action(step.Action)}
	switch {
	case !t.Action.OfNode() || t.Action == spec.CrashAction:
		w.emit(step, next, broken)
		return
	case t.Action.Receipt() != "":
		t.Node = rules.ID(step.Args[1])
		t.Message = w.message(&w.now, w.index[step.Args[0]][t.Node], 0)
		if t.Message.Question == 0 { // an answer that counts for nothing any more
			t.Message.Question = spent(&w.now.node[t.Node])
		}
	case t.Action == spec.ResignAction:
		t.Names = rules.ID(step.Args[1])
	case t.Action == spec.ChangeAction:
		t.Wanted = w.next.node[t.Node].Conf
	}
	w.add(t)
	w.emit(step, next, broken)
}

func (w *watcher) add(t Transition) {
	t.Nodes, t.Before = int(w.n), w.now.node[t.Node]
	w.seen[w.keyOf(&t)] = t
}

// spent returns the number of a question that no answer to s counts for.
func spent(s *rules.State) rules.Question {
	if s.Asked == 1 {
		return 2
	}
	return 1
}

// Snapshot is the state of a whole cluster, but for the budget of faults that is left, and the history.
type Snapshot struct {
	Nodes    []rules.State   // Nodes[i-1] is the state of node i; of one that is down, what survives
	Up       rules.Set       // the nodes that run
	UnderWay []rules.Message // link by link, ascending by sender and then by receiver; on each link first sent first
	Cut      [][2]rules.ID   // the links that carry nothing, from and to, in the same order
}

// Unpack sets s to the state that the explorer has packed, in the memory of s. It is an error if m was not made by [New]; the
// state must be one of m's.
func Unpack(m explore.Model, state []byte, s *Snapshot) error {
	c, ok := m.(*cluster)
	if !ok {
		return fmt.Errorf("cluster: a %T is not a model made by New", m)
	}
	var t clusterState
	c.unpack(state, &t)
	s.Nodes = append(s.Nodes[:0], t.node[1:c.n+1]...)
	s.Up, s.UnderWay, s.Cut = t.up, s.UnderWay[:0], s.Cut[:0]
	for l, ends := range c.links {
		for k := range t.net[l].n {
			s.UnderWay = append(s.UnderWay, c.message(&t, l, k))
		}
		if c.cuts[t.cut].has(ends.from, ends.to) {
			s.Cut = append(s.Cut, [2]rules.ID{ends.from, ends.to})
		}
	}
	return nil
}
