// Package membership says which change of members comes next on the way to those that are wanted, one member at a time (R47): for a host, whose operators want it, and
// for each of many groups, whose members follow those of the cluster. And it writes the configurations of those in few bytes.
package membership

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Verdict says what is to be done next for what is wanted of a member.
type Verdict uint8

const (
	Fulfilled Verdict = iota + 1 // nothing
	Changes                      // a configuration is to be made
	Awaits                       // a new member must have acknowledged the configuration first
	HandsOver                    // the rest is for another leader to do
)

// Next returns what is to be done next by the leader me, in its configuration c, which is settled, so that one member comes to be as wanted; or to be none, if the kind wanted is
// "". For Changes it returns the members of the configuration to be made. A node that is to vote is an observer until it has answered: a quorum that
// counts a node which does not run is one that needs all others. A leader is not removed: made a witness first, it hands
// over (R47).
func Next(c spec.Configuration, me spec.NodeID, wanted spec.Member, answered func(spec.NodeID) bool) (Verdict, []spec.Member) {
	now, member := c.Member(wanted.ID)
	switch {
	case now == wanted || !member && wanted.Kind == "":
		return Fulfilled, nil
	case wanted.ID == me && now.Kind == spec.Witness && !Votes(wanted.Kind):
		return HandsOver, nil
	case wanted.ID == me && !Votes(wanted.Kind):
		wanted = now
		wanted.Kind = spec.Witness
	case wanted.Kind == "", !Votes(wanted.Kind), Votes(now.Kind):
	case !member:
		wanted.Kind = spec.Observer
	case now.Address != wanted.Address:
		wanted.Kind = spec.Observer // it must answer from where it is now
	case !answered(wanted.ID):
		return Awaits, nil
	}
	return Changes, With(c.Members(), wanted)
}

// Votes reports whether members of a kind are electors.
func Votes(k spec.MemberKind) bool { return k == spec.Voter || k == spec.Witness }

// With returns members after what is wanted of one.
func With(members []spec.Member, wanted spec.Member) []spec.Member {
	members = slices.DeleteFunc(members, func(m spec.Member) bool { return m.ID == wanted.ID })
	if wanted.Kind != "" {
		members = append(members, wanted)
	}
	return members
}

// LosesQuorum says why a configuration would leave a cluster without a leader, as far as its leader me can tell from who
// backs it now; or it returns "".
func LosesQuorum(c spec.Configuration, me spec.NodeID, backs func(spec.NodeID) bool) string {
	var electors, backing int
	var missing []string
	leads := false
	for _, m := range c.Members() {
		if !Votes(m.Kind) {
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

// IsQuorum reports whether those of a set who vote are a quorum of all who do (R3, R42).
func IsQuorum(backing, electors policy.Set) bool {
	return 2*(backing&electors).Size() > electors.Size()
}
