package bully

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// Why a configuration cannot be made that of the cluster now (R47). MayChange returns one of them, in a text that says
// what to do.
var (
	// ErrNotLeader says that the node does not lead: another one may.
	ErrNotLeader = errors.New("this node does not lead")
	// ErrStale says that the configuration does not follow that of the leader: of the same epoch, and of the next version.
	ErrStale = errors.New("this is not the next configuration")
	// ErrNotSettled says that a quorum is not known to hold the leader's configuration. That passes as it acknowledges.
	ErrNotSettled = errors.New("the configuration is not settled")
	// ErrMoreThanOne says that more than one member differs, or none.
	ErrMoreThanOne = errors.New("not exactly one member differs")
	// ErrKeepsLeader says that the leader would be no elector.
	ErrKeepsLeader = errors.New("the leader does not stay an elector")
)

var errFixed = errors.New("members are fixed: make the nodes with NewChanging")

// MayChange returns nil if Change(c) would be a step, and else which condition of R47 does not hold: an error that is
// ErrNotLeader, ErrStale, ErrNotSettled, ErrMoreThanOne or ErrKeepsLeader, and says what to do. The error is another one if c
// is not valid, or if members are fixed.
func (n *Node) MayChange(c spec.Configuration) error {
	problem := n.problem(c)
	if problem == nil {
		return nil
	}
	advice := ""
	switch problem {
	case ErrNotLeader:
		leader, _ := n.Told()
		advice = fmt.Sprintf(": node %s knows of leader %s: ask the leader", n.id(), leader)
	case ErrStale:
		advice = fmt.Sprintf(": epoch %d version %d is given, and the node has %s: begin with that, and ask for epoch %d version %d",
			c.Epoch, c.Version, n.configuration, n.epoch, n.configuration.Version+1)
	case ErrNotSettled:
		advice = fmt.Sprintf(": of the electors of %s only %v are known to hold it: ask again when more have acknowledged a heartbeat",
			n.configuration, n.idsOf(n.support.with(n.me)&n.electors))
	case ErrMoreThanOne:
		advice = fmt.Sprintf(": %d differ between %s and %s: change one at a time", n.differing(c), n.configuration, c)
	case ErrKeepsLeader:
		advice = fmt.Sprintf(": node %s leads: make it a witness, let it resign when that is settled, and let the next leader remove it", n.id())
	}
	return fmt.Errorf("bully: change: %w%s", problem, advice)
}

// problem returns which condition of R47 does not hold, or nil, without words.
func (n *Node) problem(c spec.Configuration) error {
	switch {
	case n.configuration.IsNone():
		return errFixed
	case n.role != spec.Leader:
		return ErrNotLeader
	case c.Epoch != n.epoch || c.Version != n.configuration.Version+1:
		return ErrStale
	case !n.isQuorum():
		return ErrNotSettled
	}
	if err := c.Validate(); err != nil {
		return err
	}
	if n.differing(c) != 1 {
		return ErrMoreThanOne
	}
	if m, is := c.Member(n.id()); !is || m.Kind == spec.Observer {
		return ErrKeepsLeader
	}
	return nil
}

// differing returns how many members have been added, have been removed, or are of another kind or at another address in
// c. If it is one, the quorums of both configurations meet (R47).
func (n *Node) differing(c spec.Configuration) int {
	there, differ := 0, 0
	for i := range n.members.all() {
		was, _ := n.configuration.Member(n.known[i])
		m, is := c.Member(was.ID)
		if is {
			there++
		}
		if m != was {
			differ++
		}
	}
	return differ + c.Len() - there
}

// change makes c the configuration of the cluster, and reports whether it may. It tells those who were members, too: so
// one that is removed learns of it (R47).
func (n *Node) change(c spec.Configuration) bool {
	if n.problem(c) != nil {
		return false
	}
	told := n.idsOf(n.members)
	n.configure(c)
	n.number()
	n.date()
	told = append(told, n.idsOf(n.members)...)
	slices.SortFunc(told, spec.NodeID.Compare)
	for _, id := range slices.Compact(told) {
		if id != n.id() {
			n.send(id, spec.Message{Type: spec.Heartbeat, Epoch: n.epoch, Question: n.latest})
		}
	}
	return true
}

// Settled reports whether the node leads, and a quorum is known to hold its configuration: it has acknowledged since the
// last change.
func (n *Node) Settled() bool { return n.role == spec.Leader && n.isQuorum() }
