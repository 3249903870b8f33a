package port

import (
	"context"
	"iter"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// TakenStep is an input that a node was given in a run, and what it did.
type TakenStep struct {
	Name    string // of the node in requests
	Node    spec.NodeID
	Members []spec.NodeID
	Crashed bool         // the node has crashed before this start
	Promise spec.Durable // of a restart; of a first start, the first configuration alone
	Before  spec.State
	Input   spec.Input
	Did     spec.Step
}

// Record makes nodes that do what those of maker do, and hands on each input with what has come of it; that is good until the
// next. The nodes of a run are called by the name of the run and their ids.
func Record(run string, maker conformance.Maker, given func(*TakenStep)) conformance.Maker {
	started := map[spec.NodeID]bool{}
	return func(id spec.NodeID, members []spec.NodeID) conformance.Node {
		n := &recorded{node: maker(id, members), tell: given}
		n.given = TakenStep{Name: run + "/" + id.String(), Node: id, Members: members, Crashed: started[id]}
		n.given.Before.Role = spec.Follower
		started[id] = true
		return n
	}
}

// recorded is a node whose inputs are handed on.
type recorded struct {
	node  conformance.Node
	given TakenStep
	tell  func(*TakenStep)
}

func (n *recorded) Start(first spec.Configuration, out *spec.Step) {
	n.given.Promise = spec.Durable{Configuration: first}
	n.given.Before = check.Survivor(n.given.Promise)
	n.node.Start(first, out)
	n.did(spec.Input{Call: spec.StartCall}, out)
}

func (n *recorded) Restart(promise spec.Durable, out *spec.Step) {
	n.given.Promise = promise
	n.given.Before = check.Survivor(promise)
	n.node.Restart(promise, out)
	n.did(spec.Input{Call: spec.RestartCall}, out)
}

func (n *recorded) Step(in *spec.Input, out *spec.Step) {
	n.node.Step(in, out)
	n.did(*in, out)
}

func (n *recorded) did(in spec.Input, out *spec.Step) {
	n.given.Input, n.given.Did = in, *out
	n.tell(&n.given)
	n.given.Before, n.given.Crashed = out.State.Clone(), false
}

// Clone returns a copy of g that shares no memory with it but the members.
func (g *TakenStep) Clone() *TakenStep {
	c := *g
	c.Before, c.Did.State = g.Before.Clone(), g.Did.State.Clone()
	c.Did.Sent = append([]spec.Message(nil), g.Did.Sent...)
	return &c
}

// Replay gives the nodes of the port what other nodes were given, without waiting for each reply, as AskAll does. Each is told
// what the port's node has done; and if that is nothing that a node could do, in which way: of what it has done then only the state and what
// is sent are good, and nothing if the failure is not of the kind Wrong.
func (p *Process) Replay(run iter.Seq[*TakenStep], each func(g *TakenStep, did *spec.Step, wrong *Failure) error) error {
	var waiting []*TakenStep
	requests := func(yield func(Request) bool) {
		for g := range run {
			if g.Crashed {
				waiting = append(waiting, nil)
				if !yield(Request{Op: Crash, Node: g.Name}) {
					return
				}
			}
			waiting = append(waiting, g)
			if !yield(g.request()) {
				return
			}
		}
	}
	var did spec.Step
	err := p.AskAll(requests, func(_ int, _ *Request, reply *Reply) error {
		g := waiting[0]
		if g != nil {
			before := g.Before
			wrong := p.understand(reply, g.Node, &before, &g.Input, &did)
			if err := each(g, &did, wrong); err != nil {
				return err
			}
		}
		waiting = waiting[1:]
		return nil
	})
	if len(waiting) > 0 && waiting[0] != nil {
		blame(err, waiting[0].Rule())
	}
	return err
}

// Rule returns the rule by which a node takes this.
func (g *TakenStep) Rule() string { return check.RuleOf(g.Case()) }

// Case returns this as package conformance has it, with what was done as what is wanted.
func (g *TakenStep) Case() *conformance.Case {
	return &conformance.Case{ID: g.Node, Members: g.Members, Before: g.Before, Input: g.Input,
		Want: spec.Step{Ignored: g.Did.Ignored, State: g.Did.State, Sent: g.Did.Sent}}
}

// request returns how a port is given this.
func (g *TakenStep) request() Request {
	switch {
	case g.Input.Call == spec.StartCall:
		return StartOf(g.Name, g.Node, g.Members, g.Promise.Configuration)
	case g.Input.Call == spec.RestartCall:
		return RestartOf(g.Name, g.Node, g.Members, g.Promise)
	}
	return InputOf(g.Name, &g.Input)
}

// Wrong makes a failure of the last exchange: the port has done what a rule does not allow. The rule is "" if the protocol is
// about it.
func (p *Process) Wrong(rule, problem string) *Failure {
	return p.failure(Wrong, rule, problem, p.lastRequest(), p.answered)
}

// Answered returns the line that the port has answered last.
func (p *Process) Answered() string { return p.answered }

// Apart starts the same port once more, with a program for each node, and one for each resource (Config.Isolate). It is for the
// caller to close.
func (p *Process) Apart(ctx context.Context) (*Process, error) {
	c := p.config
	c.Isolate, c.Record = true, nil
	return Start(ctx, c)
}

// Slowly reports whether the port is asked one thing after the other, never ahead (Again).
func (p *Process) Slowly() bool { return p.slowly || p.config.Isolate }

// Again starts the same port once more, so that it is asked one thing after the other, never ahead: of one that dies it is then
// known at which request. It is for the caller to close.
func (p *Process) Again(ctx context.Context) (*Process, error) {
	c := p.config
	c.Record = nil
	q, err := Start(ctx, c)
	if err == nil {
		q.slowly = true
	}
	return q, err
}
