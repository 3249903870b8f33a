package changing

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// Answer is what a node does at once, in the words of package spec.
type Answer struct {
	Action spec.Action    // which step; "" if it is none: the state stays, and nothing is sent
	After  spec.State     // the state after the step
	Sent   []spec.Message // what the step sends, in order
}

// standard are the rules as they are.
var standard = NewRules()

// Step returns what node id does in the state before with one input: a message received, well formed or not, the end of a
// timer, running or not, or a call. Every input of a state that CheckState passes has an answer. It is an error if before is
// not such a state, if a configuration comes without a call to change, if links are cut, and if more than MaxIDs different
// ids occur.
func Step(id spec.NodeID, before spec.State, in spec.Input) (Answer, error) {
	n, err := namesIn(id, before, in)
	if err != nil {
		return Answer{}, err
	}
	return n.Step(id, before, in)
}

// Step is the function Step, for who asks more than once about the same nodes: it is an error, besides, if an id occurs
// that is not among the names.
func (n *Names) Step(id spec.NodeID, before spec.State, in spec.Input) (Answer, error) {
	if err := CheckState(id, before); err != nil {
		return Answer{}, fmt.Errorf("changing: %w", err)
	}
	if !in.Configuration.IsNone() && in.Call != spec.ChangeCall || len(in.Cut) > 0 {
		return Answer{}, errors.New("changing: the input is no message, end of a timer or call: " +
			"a configuration is for a call to change, and a cut for the network")
	}
	if in.Timer == "" && in.Call == "" && !heard(&in.Message) || in.Call == spec.ChangeCall && in.Configuration.Validate() != nil {
		return Answer{After: before}, nil
	}
	n.stranger = spec.NodeID{}
	i, s, m, wanted := n.ID(id), n.State(&before), n.Message(&in.Message), n.Configuration(&in.Configuration)
	if err := n.unknown(); err != nil {
		return Answer{}, err
	}
	switch {
	case in.Timer != "":
		return n.answer(in.Timer.Action(), standard.Timeout(i, s, model.Timer(slices.Index(timers, in.Timer))))
	case in.Call == spec.ResignCall:
		return n.answer(spec.ResignAction, standard.Resign(i, s))
	case in.Call == spec.HolderDeadCall:
		return n.answer(spec.HolderDeadAction, standard.HolderDead(i, s))
	case in.Call == spec.ChangeCall:
		return n.answer(spec.ChangeAction, standard.Change(i, s, wanted))
	case in.Call != "":
		return Answer{After: before}, nil // there is no such call
	}
	return n.answer(in.Message.Type.Action(), standard.Hear(i, s, m))
}

// unknown is an error if an id has occurred that is not among the names.
func (n *Names) unknown() error {
	if n.stranger.IsNone() {
		return nil
	}
	return fmt.Errorf("changing: node %v occurs, and is not among the names", n.stranger)
}

// heard reports whether m can be heard at all: it is well formed (R33), and of a cluster whose members change (R34).
func heard(m *spec.Message) bool { return m.Validate() == nil && !m.Configuration.IsNone() }

// Start returns what node id does when it starts for the first time, with a configuration that it was given. R32, R49. It is
// an error if that is none, or not valid.
func Start(id spec.NodeID, first spec.Configuration) (Answer, error) {
	after := spec.State{Role: spec.Follower, Configuration: first}
	if err := CheckState(id, after); err != nil {
		return Answer{}, fmt.Errorf("changing: %w", err)
	}
	return Answer{Action: spec.StartAction, After: after}, nil
}

// Restart returns what node id does when it starts with what it has kept. R30, R49. It is an error if that is not what a node
// can keep.
func Restart(id spec.NodeID, kept spec.Durable) (Answer, error) {
	n, err := namesIn(id, spec.State{Grantee: kept.Grantee, Configuration: kept.Configuration}, spec.Input{})
	if err != nil {
		return Answer{}, err
	}
	return n.Restart(id, kept)
}

// Restart is the function Restart, for who asks more than once about the same nodes.
func (n *Names) Restart(id spec.NodeID, kept spec.Durable) (Answer, error) {
	before := spec.State{Role: spec.Follower, Epoch: kept.Epoch, Grantee: kept.Grantee, Configuration: kept.Configuration}
	if err := CheckState(id, before); err != nil {
		return Answer{}, fmt.Errorf("changing: %w", err)
	}
	n.stranger = spec.NodeID{}
	i, s := n.ID(id), n.State(&before)
	if err := n.unknown(); err != nil {
		return Answer{}, err
	}
	return n.answer(spec.RestartAction, standard.Restart(i, s))
}

// CheckState returns nil if node id can be in state s, and else an error that says why not. No input leads from such a state
// to one that is not: what it says are the invariants of a node.
func CheckState(id spec.NodeID, s spec.State) error {
	if !id.Valid() {
		return fmt.Errorf("%v is not the id of a node", id)
	}
	if err := s.Validate(); err != nil {
		return fmt.Errorf("the state of node %v: %w", id, err)
	}
	if problem := problemOf(id, s); problem != "" {
		return fmt.Errorf("node %v cannot be %v: %s", id, s, problem)
	}
	return nil
}

// problemOf says why node id cannot be in the valid state s, or is "".
func problemOf(id spec.NodeID, s spec.State) string {
	stands := s.Role == spec.Candidate || s.Role == spec.Claimant
	own, _ := s.Configuration.Member(id)
	holder, _ := s.Configuration.Member(s.Leader)
	switch {
	case s.Configuration.IsNone():
		return "it has no configuration, as if members were fixed"
	case s.Role == spec.Follower && (s.Leader == id || len(s.Support) > 0):
		return "a follower keeps no lease of its own, and nobody backs it (R6)"
	case stands && own.Kind != spec.Voter:
		return "only a voter stands (R46)"
	case stands && !s.Leader.IsNone() && s.Leader.Compare(id) >= 0 && (holder.Kind == spec.Voter || s.Leader == id):
		return "who stands keeps a lease at most of a node that it outranks (R9)"
	case s.Role == spec.Claimant && s.Epoch == spec.MaxEpoch:
		return "there is no epoch left to claim (R2)"
	case s.Role == spec.Leader && (s.Leader != id || s.Grantee != id || s.Epoch == 0):
		return "a leader has promised its epoch to itself (R20)"
	case s.Role == spec.Leader && s.Configuration.Epoch != s.Epoch:
		return "the configuration of a leader is of its epoch (R48)"
	}
	for _, backer := range s.Support {
		if _, known := s.Configuration.Member(backer); !known || backer == id {
			return "another member backs a node, and nobody else (R44)"
		}
	}
	return ""
}
