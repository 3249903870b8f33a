package rules

import (
	"errors"
	"fmt"

	"github.com/seed-fdf591db/bully/spec"
)

// The rules as they are: of clusters whose members change, and of those whose members never do.
var standard, static = New(), NewStatic()

// Answer returns what node id does in the state before with one input: a message received, well formed or not, the end of a
// timer, running or not, or a call; for a start, what Start and Restart return, with what before has. Where members change every
// input of a state that CheckState passes has an answer, and it is an error if before is not such a state; where they do not, of
// any state. It is an error, besides, if a configuration comes without a call to change, if links are cut, and if an id occurs
// that is not among the names; but for that of a non-member who says something where members never change, which is ignored (R34).
func (n *Names) Answer(id spec.NodeID, before *spec.State, in *spec.Input) (answer spec.Step, err error) {
	switch in.Call {
	case spec.StartCall:
		return n.Start(id, before.Configuration)
	case spec.RestartCall:
		return n.Restart(id, before.Durable())
	}
	if err := n.check(id, before); err != nil {
		return spec.Step{}, err
	}
	if !in.Configuration.IsNone() && in.Call != spec.ChangeCall || len(in.Cut) > 0 {
		return spec.Step{}, errors.New("rules: the input is no message, end of a timer or call: " +
			"a configuration is for a call to change, and a cut for the network")
	}
	n.nonMember = spec.NodeID{}
	i, s := n.ID(id), n.State(before)
	step := n.step(i, s, id, in)
	if err := n.unknown(); err != nil {
		return spec.Step{}, err
	}
	if step.Ignored {
		return spec.Step{Ignored: true, State: *before}, nil
	}
	err = n.tell(&step, &answer)
	return answer, err
}

// step returns the step of node i, which is id, in state s.
func (n *Names) step(i ID, s State, id spec.NodeID, in *spec.Input) Step {
	switch {
	case in.Timer != "":
		return n.rules.Timeout(i, s, TimerOf(in.Timer))
	case in.Call == spec.ResignCall:
		k := n.place(in.Names)
		if in.Hold.Valid() && (k != None || in.Names.IsNone()) {
			return n.rules.HandOver(i, s, k, in.Hold)
		}
		return ignored(s)
	case in.Call == spec.HolderDeadCall:
		return n.rules.HolderDead(i, s)
	case in.Call == spec.ChangeCall && !n.isStatic() && in.Configuration.Validate() == nil:
		return n.rules.Change(i, s, n.Configuration(&in.Configuration))
	case in.Call != "" || !n.heard(id, &in.Message): // a call that there is not, or that no node is in a state for, too
		return ignored(s)
	}
	return n.rules.Hear(i, s, n.Message(&in.Message))
}

// heard reports whether node id can hear m at all: it is well formed (R33), for this node, and of a cluster of its kind (R34).
func (n *Names) heard(id spec.NodeID, m *spec.Message) bool {
	return m.Validate() == nil && m.To == id && m.Configuration.IsNone() == n.isStatic()
}

// sender returns who says m. Where members never change it is None for a non-member, who is not heard (R34).
func (n *Names) sender(m *spec.Message) ID {
	if n.isStatic() {
		return n.place(m.From)
	}
	return n.ID(m.From)
}

// tell says in the words of package spec what a step is. It is an error if there are none for the state after it.
func (n *Names) tell(step *Step, answer *spec.Step) (err error) {
	if answer.State, err = n.SpecState(&step.State); err != nil {
		return fmt.Errorf("rules: the state after the step: %w", err)
	}
	answer.Sent = n.SpecSent(step, answer.State.Configuration) // each message carries the configuration after the step (R43)
	return nil
}

// unknown is an error if an id has occurred that is not among the names.
func (n *Names) unknown() error {
	if n.nonMember.IsNone() {
		return nil
	}
	return fmt.Errorf("rules: node %v occurs, and is not among the names", n.nonMember)
}

// Start returns what node id does when it starts for the first time, with a configuration that it was given: none, if members
// never change. R32, R49. It is an error if that is none where they change, or not valid.
func (n *Names) Start(id spec.NodeID, first spec.Configuration) (spec.Step, error) {
	after := spec.State{Role: spec.Follower, Latest: 1, Configuration: first}
	if err := n.check(id, &after); err != nil {
		return spec.Step{}, err
	}
	return spec.Step{State: after}, nil
}

// Restart returns what node id does when it starts with what it has kept. R30, R49. It is an error if that is not what a node
// can keep.
func (n *Names) Restart(id spec.NodeID, kept spec.Durable) (answer spec.Step, err error) {
	before := spec.State{
		Role: spec.Follower, Epoch: kept.Epoch, Grantee: kept.Grantee, Latest: max(kept.Reserved, 1), Configuration: kept.Configuration,
	}
	if err := n.check(id, &before); err != nil {
		return spec.Step{}, err
	}
	before.Latest = kept.Reserved
	n.nonMember = spec.NodeID{}
	i, s := n.ID(id), n.State(&before)
	if err := n.unknown(); err != nil {
		return spec.Step{}, err
	}
	step := n.rules.Restart(i, s)
	err = n.tell(&step, &answer)
	return answer, err
}

// check returns an error if the state is none that a question can be about.
func (n *Names) check(id spec.NodeID, s *spec.State) error {
	switch {
	case n.isStatic() && s.Configuration.IsNone():
		return nil
	case n.isStatic():
		return fmt.Errorf("rules: node %v has a configuration, and members never change", id)
	}
	err := CheckState(id, *s)
	switch {
	case err != nil:
		return fmt.Errorf("rules: %w", err)
	case s.Configuration.IsNone():
		return fmt.Errorf("rules: node %v cannot be %v: it has no configuration, as if members never changed", id, *s) // by value: s would escape, and every state that is asked about with it
	}
	return nil
}

// CheckState returns nil if node id can be in state s, and else an error that says why not. No input leads from such a state
// to one that is not: what it says are the invariants of a node. Where members never change s has no configuration: then all
// whom it names are taken for members.
func CheckState(id spec.NodeID, s spec.State) error {
	if !id.Valid() {
		return fmt.Errorf("%v is not the id of a node", id)
	}
	if err := s.Validate(); err != nil {
		return fmt.Errorf("the state of node %v: %w", id, err)
	}
	if problem := problemOf(id, &s); problem != "" {
		return fmt.Errorf("node %v cannot be %v: %s", id, s, problem)
	}
	return nil
}

// problemOf says why node id cannot be in the valid state s, or is "".
func problemOf(id spec.NodeID, s *spec.State) string {
	stands := s.Role == spec.Candidate || s.Role == spec.Claimant
	switch {
	case s.Role == spec.Follower && (s.Leader == id || len(s.Support) > 0):
		return "a follower keeps no lease of its own, and nobody backs it (R6)"
	case (s.Lease == 0) != (s.Leader.IsNone() || s.Leader == id):
		return "the lease of another node is of a question, and no other lease is (R5)"
	case s.Latest == 0:
		return "each start takes a number (R50)"
	case s.Role != spec.Electing && stands != (s.Asked != 0):
		return "who stands asks something, and who follows or leads asks nothing that a candidate or claimant does (R8, R16)"
	case (s.Role == spec.Leader) != (s.Dated != 0):
		return "a reign is dated from a question, and nothing else is (R26)"
	case stands && kindOf(s, id) != spec.Voter:
		return "only a voter stands (R46)"
	case stands && !s.Leader.IsNone() && !s.Configuration.Higher(id, s.Leader) && (kindOf(s, s.Leader) == spec.Voter || s.Leader == id):
		return "who stands keeps a lease at most of a node that it outranks (R9)"
	case s.Role == spec.Claimant && s.Epoch == spec.MaxEpoch:
		return "there is no epoch left to claim (R2)"
	case s.Role == spec.Leader && (s.Leader != id || s.Grantee != id || s.Epoch == 0):
		return "a leader has promised its epoch to itself (R20)"
	case s.Role == spec.Leader && !s.Configuration.IsNone() && s.Configuration.Epoch != s.Epoch:
		return "the configuration of a leader is of its epoch (R48)"
	}
	for _, backer := range s.Support {
		if kindOf(s, backer) == "" || backer == id {
			return "another member backs a node, and nobody else (R44)"
		}
	}
	for _, a := range s.Answered {
		if kindOf(s, a.Node) == "" || a.Node == id {
			return "another member answers a leader, and nobody else (R44)"
		}
	}
	return ""
}

// kindOf returns what a node is in the configuration of s, or "" if it is no member. Where members never change all vote.
func kindOf(s *spec.State, id spec.NodeID) spec.MemberKind {
	if s.Configuration.IsNone() {
		return spec.Voter
	}
	m, _ := s.Configuration.Member(id)
	return m.Kind
}
