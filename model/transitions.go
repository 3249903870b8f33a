package model

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/spec"
)

// Transition is one step of one node, as a cluster comes to it. The step is that of the node's own rules: what tla/Cluster.tla
// leaves out of a step because it changes nothing for the cluster is in it.
type Transition struct {
	Members int // the members are 1 to Members
	Node    ID
	Before  State       // for a Restart, what was on disk
	Action  spec.Action // which step, and so which input: a receipt, the end of a timer, a call, Start or Restart
	Message Message     // what is received, if Action is a receipt
	Step    Step
}

// Transitions explores a configuration, whose properties it does not check, and calls emit once for each distinct transition
// that any node takes in any reachable state, in an order that is always the same. The transition is emit's only until it
// returns. Two steps that the cluster leaves out, because they change little, are taken in every state in which a node leads:
// the beat, and the quorum check with the support that the node really has. The result is that of the exploration. It is an
// error if there is no such model; see [New].
func Transitions(c explore.Configuration, emit func(*Transition)) (explore.Result, error) {
	c.Invariants, c.Properties = nil, nil
	m, err := New(c)
	if err != nil {
		return explore.Result{}, err
	}
	o := &observed{cluster: m.(*cluster)}
	result, err := explore.Run(context.Background(), o, explore.Options{})
	if err != nil {
		return result, fmt.Errorf("model: transitions: %w", err)
	}
	all := map[transitionKey]struct{}{}
	for i := ID(1); i <= o.rules.n; i++ {
		all[keyOf(i, State{}, startAction, Message{})] = struct{}{}
	}
	for _, seen := range o.seen {
		maps.Copy(all, seen)
	}
	var t Transition
	for _, k := range slices.Sorted(maps.Keys(all)) {
		k.unpack(o.rules, &t)
		emit(&t)
	}
	return result, nil
}

// transitionKey is a transition without its step, which follows. From the highest bit: node 3; action 5; the message's sender 3
// and epoch 5; role 3, leader 3, epoch 5, grantee 3, support 7.
type transitionKey uint64

// stepOfNode are the actions that are a step of a node, by the number that stands for them in a key.
var stepOfNode = spec.FixedActions()

var (
	startAction = slices.Index(stepOfNode, spec.StartAction)
	beatAction  = slices.Index(stepOfNode, spec.BeatTimeout)
	checkAction = slices.Index(stepOfNode, spec.QuorumTimeout)
)

func keyOf(i ID, s State, action int, m Message) transitionKey {
	k := uint64(i)
	k = k<<5 | uint64(action)
	k = k<<3 | uint64(m.From)
	k = k<<5 | uint64(smallEpoch(m.Epoch))
	k = k<<3 | uint64(s.Role)
	k = k<<3 | uint64(s.Leader)
	k = k<<5 | uint64(smallEpoch(s.Epoch))
	k = k<<3 | uint64(s.Grantee)
	return transitionKey(k<<7 | uint64(s.Support>>1))
}

// unpack sets t to the transition that k is the key of.
func (k transitionKey) unpack(r *Rules, t *Transition) {
	take := func(bits int) uint64 {
		low := uint64(k) & (1<<bits - 1)
		k >>= bits
		return low
	}
	*t = Transition{Members: int(r.n)}
	t.Before.Support = Set(take(7)) << 1
	t.Before.Grantee = ID(take(3))
	t.Before.Epoch = spec.Epoch(take(5))
	t.Before.Leader = ID(take(3))
	t.Before.Role = Role(take(3))
	e, from := spec.Epoch(take(5)), ID(take(3))
	t.Action = stepOfNode[take(5)]
	t.Node = ID(take(3))
	if kind := t.Action.Receipt(); kind != "" {
		t.Message = Message{MessageType(slices.Index(messageTypes, kind)), from, t.Node, e}
	}
	t.Step = r.stepOf(t)
}

// stepOf returns the step of a transition.
func (r *Rules) stepOf(t *Transition) Step {
	switch t.Action {
	case spec.StartAction:
		return quietly(State{})
	case spec.RestartAction:
		return r.Restart(t.Node, t.Before)
	case spec.ResignAction:
		return r.Resign(t.Node, t.Before)
	case spec.HolderDeadAction:
		return r.HolderDead(t.Node, t.Before)
	}
	if timer := t.Action.Timer(); timer != "" {
		return r.Timeout(t.Node, t.Before, Timer(slices.Index(timers, timer)))
	}
	return r.Hear(t.Node, t.Before, t.Message)
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
	for i := ID(1); i <= w.rules.n; i++ {
		if s := w.now.node[i]; w.now.up.Has(i) && s.Role == Leader {
			w.add(i, beatAction, Message{})
			w.add(i, checkAction, Message{})
		}
	}
}

// noteStep notes which node takes the step, and on what. What the network does alone is nobody's.
func (w *watcher) noteStep(step explore.Step, next []byte, broken string) {
	action := slices.Index(stepOfNode, spec.Action(step.Action))
	switch a := stepOfNode[action]; {
	case a == spec.LoseAction || a == spec.CutAction || a == spec.CrashAction:
	case a.Receipt() != "":
		from, to := ID(step.Args[0]), ID(step.Args[1])
		w.add(to, action, Message{From: from, Epoch: spec.Epoch(w.now.net[w.index[from][to]].at[0].epoch)})
	default:
		w.add(ID(step.Args[0]), action, Message{})
	}
	w.emit(step, next, broken)
}

func (w *watcher) add(i ID, action int, m Message) {
	w.seen[keyOf(i, w.now.node[i], action, m)] = struct{}{}
}
