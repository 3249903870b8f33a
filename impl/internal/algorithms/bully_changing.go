package algorithms

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// BullyMembers is ours with members that come and go (R42 to R49). The first members are the lowest nodes, as
// many as FirstMembers says; all others join when a leader is asked for it, by a Change. It is none of All: a scenario says
// nothing of members.
func BullyMembers() compare.Algorithm {
	a := Bully()
	a.Name, a.Title = "bully-members", "Ours, with members that come and go"
	a.New = newBullyMembers
	return a
}

// FirstMembers returns how many of so many nodes are members at first: all but two, and two at least.
func FirstMembers(nodes int) int { return max(2, nodes-2) }

// Change is what the leader is asked for: that a node be of a kind from now on, or if Kind is "", that it be no member.
type Change struct {
	ID   int
	Kind spec.MemberKind
}

var _ compare.Asker = (*bullyNode)(nil)

// newBullyMembers makes a node that has the first configuration, or the empty one if it is to join (R49).
func newBullyMembers(c compare.Config) compare.Node {
	n := newOurs(c, BullyTiming(c.Timing))
	first := spec.EmptyConfiguration()
	if most := FirstMembers(c.Nodes); c.ID <= most {
		var members []spec.Member
		for _, id := range n.members[:most] {
			members = append(members, spec.Member{ID: id, Kind: spec.Voter})
		}
		first, _ = spec.NewConfiguration(0, 1, members) // it is valid: at most MaxMembers, all of them voters
	}
	core, err := bully.NewChanging(n.members[c.ID-1], first)
	if err != nil {
		panic(err) // the ids are 1 to Nodes, and a node is in the first configuration or has the empty one
	}
	n.begin(core, BullyTiming(c.Timing))
	return n
}

// wanted returns the configuration that a change makes of that of the node.
func (n *bullyNode) wanted(c Change) (spec.Configuration, error) {
	id := n.members[c.ID-1]
	members := slices.DeleteFunc(n.state.Configuration.Members(), func(m spec.Member) bool { return m.ID == id })
	if c.Kind != "" {
		members = append(members, spec.Member{ID: id, Kind: c.Kind})
	}
	return spec.NewConfiguration(n.state.Configuration.Epoch, n.state.Configuration.Version+1, members)
}

// MayAsk says why a node cannot make a Change now (R47).
func (n *bullyNode) MayAsk(what any) error {
	change, ok := what.(Change)
	if !ok || change.ID < 1 || change.ID > len(n.members) {
		return fmt.Errorf("%v is no change of a member", what)
	}
	wanted, err := n.wanted(change)
	if err != nil {
		return err
	}
	return n.core.MayChange(wanted)
}

// Ask makes a Change (R47).
func (n *bullyNode) Ask(what any, out *compare.Output) {
	change, _ := what.(Change) // MayAsk has seen to it
	wanted, err := n.wanted(change)
	if err != nil {
		return
	}
	n.last.input = spec.Input{Call: spec.ChangeCall, Configuration: wanted}
	n.step(bully.Change(wanted), 0, out)
}
