package host

import (
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// A plan is what a call wants of the members, one after the other: that a node is a member of a kind, at an address; or
// that it is none, if the kind is "". Each step to it changes one member (R47).
type plan []spec.Member

// verdict says what a plan comes to in a configuration.
type verdict uint8

const (
	fulfilled verdict = iota + 1 // nothing is left to be done
	changes                      // a configuration is to be made
	awaits                       // a new member must have acknowledged the configuration first
	handsOver                    // the rest is for another leader to do
)

// next returns what is to be done next by the leader me, in its configuration c, which is settled: for changes, the
// members of the configuration to be made. A node that is to vote is an observer until it has answered: a quorum that
// counts a node which does not run is one that needs all others. A leader is not removed: made a witness first, it hands
// over (R47).
func (p plan) next(c spec.Configuration, me spec.NodeID, answered func(spec.NodeID) bool) (verdict, []spec.Member) {
	for _, wanted := range p {
		now, member := c.Member(wanted.ID)
		switch {
		case now == wanted || !member && wanted.Kind == "":
			continue
		case wanted.ID == me && now.Kind == spec.Witness && !votes(wanted.Kind):
			return handsOver, nil
		case wanted.ID == me && !votes(wanted.Kind):
			wanted.Kind, wanted.Address = spec.Witness, now.Address
		case wanted.Kind == "", !votes(wanted.Kind), votes(now.Kind):
		case !member:
			wanted.Kind = spec.Observer
		case now.Address != wanted.Address:
			wanted.Kind = spec.Observer // it must answer from where it is now
		case !answered(wanted.ID):
			return awaits, nil
		}
		return changes, with(c.Members(), wanted)
	}
	return fulfilled, nil
}

// votes reports whether members of a kind are electors.
func votes(k spec.MemberKind) bool { return k == spec.Voter || k == spec.Witness }

// with returns members after what is wanted of one.
func with(members []spec.Member, wanted spec.Member) []spec.Member {
	members = slices.DeleteFunc(members, func(m spec.Member) bool { return m.ID == wanted.ID })
	if wanted.Kind != "" {
		members = append(members, wanted)
	}
	return members
}

// check returns what is wrong with a plan, whoever leads: it is looked at before anything is changed.
func (p plan) check(c spec.Configuration, force bool) error {
	members := c.Members()
	for _, wanted := range p {
		now, member := c.Member(wanted.ID)
		switch {
		case wanted.Kind == "" && !member:
			return fmt.Errorf("node %s is no member, and so cannot be removed: the members are %s", wanted.ID, c)
		case wanted.Kind != "" && wanted.Address == "":
			return fmt.Errorf("node %s has no address: give the one at which it listens to the others", wanted.ID)
		case wanted.Kind != "" && member && now.Address != wanted.Address && !force:
			return fmt.Errorf("node %s is a member at %s, not at %s: remove it first, and add it under a new id; or force it, if it is the same "+
				"node, with its disk, at another address", wanted.ID, now.Address, wanted.Address)
		}
		members = with(members, wanted)
		if other, taken := sharesAddress(members, wanted); taken {
			return fmt.Errorf("node %s is at %s already: node %s needs an address of its own", other, endpoint(wanted.Address), wanted.ID)
		}
	}
	if len(members) == 0 {
		return fmt.Errorf("node %s is the last member, and cannot be removed", p[len(p)-1].ID)
	}
	if _, err := spec.NewConfiguration(c.Epoch, c.Version, members); err != nil {
		return fmt.Errorf("the members wanted make no configuration: %w", err)
	}
	return nil
}

// checkDisks returns an error if a node is to be a member with another disk than it had when it was heard last, which remembers tells: an
// id never comes back so (R1). The others would take the new disk for a lost one, and the node would stop for good (R32).
func (p plan) checkDisks(c spec.Configuration, remembers func(spec.NodeID) (uint64, bool)) error {
	for _, wanted := range p {
		now, member := c.Member(wanted.ID)
		if wanted.Kind == "" || wanted.Address == now.Address {
			continue
		}
		_, disk, err := transport.SplitAddress(wanted.Address)
		if err != nil {
			return err
		}
		if former, known := remembers(wanted.ID); known && disk != former && (disk != 0 || !member) {
			return fmt.Errorf("node %s was here before, with another disk (%016x), and no id comes back with a new one: join under a new id, and add "+
				"that; if it has its old disk, add it at %s", wanted.ID, former, transport.JoinAddress(endpoint(wanted.Address), former))
		}
	}
	return nil
}

// sharesAddress returns another member at the address of one: the end of the one would be taken for a proof of the
// death of the other.
func sharesAddress(members []spec.Member, one spec.Member) (other spec.NodeID, taken bool) {
	for _, m := range members {
		if one.Kind != "" && m.ID != one.ID && endpoint(m.Address) == endpoint(one.Address) {
			return m.ID, true
		}
	}
	return spec.NodeID{}, false
}

// endpoint returns the host and port of an address, without which disk is there.
func endpoint(address string) string {
	at, _, _ := strings.Cut(address, "#")
	if host, port, err := net.SplitHostPort(at); err == nil {
		return net.JoinHostPort(host, port)
	}
	return at
}

// losesQuorum says why a configuration would leave the cluster without a leader, as far as its leader me can tell from who
// backs it now; or it returns "".
func losesQuorum(c spec.Configuration, me spec.NodeID, backs func(spec.NodeID) bool) string {
	var electors, backing int
	var missing []string
	leads := kindOfMember(c, me) == spec.Voter
	for _, m := range c.Members() {
		if !votes(m.Kind) {
			continue
		}
		electors++
		if m.ID != me && !backs(m.ID) {
			missing = append(missing, m.ID.String())
			continue
		}
		backing++
		leads = leads || m.Kind == spec.Voter
	}
	switch {
	case 2*backing <= electors:
		return fmt.Sprintf("of the %d that would vote %d answer, which are no quorum: nothing is heard of %s", electors, backing, strings.Join(missing, ", "))
	case !leads:
		return fmt.Sprintf("node %s would lead no more, and nothing is heard of those that could: %s", me, strings.Join(missing, ", "))
	}
	return ""
}
