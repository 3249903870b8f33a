package cluster

import (
	"bytes"
	"context"
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
	Wanted  rules.Configuration // the configuration that is asked for, if Action is Change
	Step    rules.Step
}

// Transitions explores a configuration, whose properties it does not check, and calls emit once for each distinct transition
// that any node takes in any reachable state, in an order that is always the same. The transition is emit's only until it
// returns. Two steps that the cluster leaves out, because they change little, are taken in every state in which a node leads:
// the heartbeat, and the quorum check with the support that the node really has. The result is that of the exploration. It
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
	all := map[transitionKey]struct{}{}
	m.init(func(s *clusterState) {
		for i := rules.ID(1); i <= m.n; i++ {
			all[keyOf(&Transition{Node: i, Before: s.node[i], Action: spec.StartAction})] = struct{}{}
		}
	})
	for _, seen := range o.seen {
		maps.Copy(all, seen)
	}
	byBytes := func(a, b transitionKey) int { return bytes.Compare(a[:], b[:]) }
	for _, k := range slices.SortedFunc(maps.Keys(all), byBytes) {
		t := m.transition(k)
		t.Step = m.stepOf(&t)
		emit(&t)
	}
	return result, nil
}

// transitionKey is a transition without its step, which follows: node, action; the message's sender and epoch; role, leader, epoch,
// grantee and support before; the configuration before, that of the message, and the one that is wanted.
type transitionKey [2 + 2 + 5 + 3*3]byte

// steps are the actions, by the number that stands for them in a key.
var steps = spec.Actions()

func keyOf(t *Transition) (k transitionKey) {
	b := append(k[:0], byte(t.Node), byte(slices.Index(steps, t.Action)), byte(t.Message.From), smallEpoch(t.Message.Epoch))
	s := &t.Before
	b = append(b, byte(s.Role), byte(s.Leader), smallEpoch(s.Epoch), byte(s.Grantee), byte(s.Support))
	for _, c := range []rules.Configuration{s.Conf, t.Message.Conf, t.Wanted} {
		b = appendConf(b, packConf(c))
	}
	return k
}

// transition returns the transition that k is the key of, without its step.
func (c *cluster) transition(k transitionKey) Transition {
	conf := func(at int) rules.Configuration { return c.unpackConf(confOf(k[at:])) }
	t := Transition{Nodes: int(c.n), Node: rules.ID(k[0]), Action: steps[k[1]], Before: rules.State{
		Role: rules.Role(k[4]), Leader: rules.ID(k[5]), Epoch: spec.Epoch(k[6]), Grantee: rules.ID(k[7]), Support: rules.Set(k[8]), Conf: conf(9),
	}}
	if kind := t.Action.Receipt(); kind != "" {
		t.Message = rules.Message{
			Type: rules.MessageTypeOf(kind), From: rules.ID(k[2]), To: t.Node, Epoch: spec.Epoch(k[3]), Conf: conf(12),
		}
	}
	if t.Action == spec.ChangeAction {
		t.Wanted = conf(15)
	}
	return t
}

// stepOf returns the step of a transition.
func (c *cluster) stepOf(t *Transition) rules.Step {
	switch t.Action {
	case spec.StartAction:
		return rules.Step{State: t.Before}
	case spec.RestartAction:
		return c.rules.Restart(t.Node, t.Before)
	case spec.ResignAction:
		return c.rules.Resign(t.Node, t.Before)
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
	seen []map[transitionKey]struct{} // one for each expander
}

// Expander implements explore.Model.
func (o *observed) Expander() explore.Expander {
	w := &watcher{stepper: stepper{cluster: o.cluster}, seen: map[transitionKey]struct{}{}}
	w.note = w.noteStep
	o.seen = append(o.seen, w.seen)
	return w
}

// watcher is a stepper that notes the transitions.
type watcher struct {
	stepper
	seen map[transitionKey]struct{}
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
	case t.Action == spec.ChangeAction:
		t.Wanted = w.next.node[t.Node].Conf
	}
	w.add(t)
	w.emit(step, next, broken)
}

func (w *watcher) add(t Transition) {
	t.Before = w.now.node[t.Node]
	w.seen[keyOf(&t)] = struct{}{}
}
