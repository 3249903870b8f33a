package cluster_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/spec"
)

// changed counts what has become of members, where they change.
type changed struct {
	grown, shrunk, kinds, addresses int // changes of a leader
	adopted, told, refused, removed int // newer configurations; by a REFUSE; sent with one; by a node that is none any more
	stamped, joined, demoted        int // on winning; a member that was empty; leaders that lead on as witnesses
	outside                         int // messages that no rule of section 8 saw
}

func (n *changed) observe(c *conformance.Case) {
	before, after := c.Before.Configuration, c.Want.After.Configuration
	if before.IsNone() || c.Input.Start || c.Input.Restart {
		return
	}
	_, was := before.Member(c.ID)
	me, is := after.Member(c.ID)
	switch {
	case c.Input.Call == spec.ChangeCall && after.Len() > before.Len():
		n.grown++
	case c.Input.Call == spec.ChangeCall && after.Len() < before.Len():
		n.shrunk++
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
	if conformance.RuleOf(c) == "R44" {
		n.outside++
		if len(c.Want.Sent) > 0 {
			n.refused++
		}
	}
	if c.Want.After.Role == spec.Leader && me.Kind == spec.Witness {
		n.demoted++
	}
}

// TestRandomChangingClusters lets all happen to clusters of the model whose members change. No promise that holds for any
// timing may break.
func TestRandomChangingClusters(t *testing.T) {
	checks := 240
	if raceDetector {
		checks /= 3
	}
	all := randomClusters(t, cluster.DrawChangingScript, model, checks)
	t.Logf("%+v", *all)
	for n := 1; n <= 7; n++ {
		require.Greater(t, all.reigns[n], checks/30, "leaders among %d have been elected", n)
	}
	require.Greater(t, all.contested, checks/8, "epochs have followed on each other")
	m := all.members
	for _, n := range []int{
		all.handOvers, all.downs,
		m.grown, m.shrunk, m.kinds, m.addresses, m.adopted, m.told, m.refused, m.removed, m.stamped, m.joined, m.demoted, m.outside,
	} {
		require.Greater(t, n, checks/100, "of each there were some: %+v", *all)
	}
	for _, action := range spec.Actions() {
		require.Equal(t, action.OfNode() && action != spec.CrashAction, all.actions[action] > 0, action)
	}
}
