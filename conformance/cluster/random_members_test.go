package cluster_test

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// changed counts what has become of members, where they change.
type changed struct {
	grown, shrunk, kinds, addresses, ranks int // changes of a leader
	adopted, told, refused, removed        int // newer configurations; by a REFUSE; sent with one; by a node that is none any more
	stamped, joined, demoted               int // on winning; a member that was empty; leaders that lead on as witnesses
	outside                                int // messages that no rule of section 8 saw

	oneWay, bridged, partial int // configurations that are new to a node while links are cut so
}

func (n *changed) observe(c *conformance.Case, cut []spec.Link) {
	before, after := c.Before.Configuration, c.Want.State.Configuration
	if before.IsNone() || c.Input.Starts() {
		return
	}
	if before != after {
		n.cut(c.Members, cut)
	}
	_, was := before.Member(c.ID)
	me, is := after.Member(c.ID)
	switch {
	case c.Input.Call == spec.ChangeCall && after.Len() > before.Len():
		n.grown++
	case c.Input.Call == spec.ChangeCall && after.Len() < before.Len():
		n.shrunk++
	case c.Input.Call == spec.ChangeCall && ranksOf(before) != ranksOf(after):
		n.ranks++
	case c.Input.Call == spec.ChangeCall && after.String()[len("epoch:1 version:1"):] == before.String()[len("epoch:1 version:1"):]:
		n.addresses++
	case c.Input.Call == spec.ChangeCall:
		n.kinds++
	case c.Input.Message.Configuration == after && before != after:
		n.adopted++
		if c.Input.Message.Type == spec.Refuse {
			n.told++
		}
		if was && !is {
			n.removed++
		}
		if before.IsEmpty() && is {
			n.joined++
		}
	case before != after:
		n.stamped++
	}
	if check.RuleOf(c) == "R44" {
		n.outside++
		if len(c.Want.Sent) > 0 {
			n.refused++
		}
	}
	if c.Want.State.Role == spec.Leader && me.Kind == spec.Witness {
		n.demoted++
	}
}

// ranksOf returns the sum of all ranks.
func ranksOf(c spec.Configuration) (sum int) {
	for _, m := range c.Members() {
		sum += int(m.Rank)
	}
	return sum
}

// cut notes how links are cut: some in one direction alone; two nodes from each other that are both linked to a third, which is
// their bridge; two in one direction alone, and both linked to a third.
func (n *changed) cut(nodes []spec.NodeID, cut []spec.Link) {
	linked := func(i, j spec.NodeID) bool {
		return !slices.Contains(cut, spec.Link{From: i, To: j}) && !slices.Contains(cut, spec.Link{From: j, To: i})
	}
	oneWay, bridged, partial := false, false, false
	for _, l := range cut {
		back := slices.Contains(cut, spec.Link{From: l.To, To: l.From})
		oneWay = oneWay || !back
		for _, k := range nodes {
			between := k != l.From && k != l.To && linked(k, l.From) && linked(k, l.To)
			bridged = bridged || back && between
			partial = partial || !back && between
		}
	}
	for counted, is := range map[*int]bool{&n.oneWay: oneWay, &n.bridged: bridged, &n.partial: partial} {
		if is {
			*counted++
		}
	}
}
