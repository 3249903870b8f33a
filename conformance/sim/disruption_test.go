package sim_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// claims lets a node claim, though it may have no support.
func claims(c *conformance.Case) spec.Step {
	got := spec.Step{State: c.Before.Clone()}
	got.State.Role, got.State.Support = spec.Claimant, nil
	got.State.Leader, got.State.Lease = spec.NodeID{}, 0
	got.State.Latest++
	got.State.Asked = got.State.Latest
	for _, j := range c.Members {
		if j != c.ID {
			got.Sent = append(got.Sent, spec.Message{Type: spec.Claim, From: c.ID, To: j, Epoch: got.State.Epoch + 1, Question: got.State.Asked})
		}
	}
	return got
}

// claimsUnasked lets a node claim when its election ends, whatever its support.
func claimsUnasked(c *conformance.Case, got spec.Step) spec.Step {
	if c.Input.Timer != spec.ElectionTimer || got.State.Role == spec.Claimant {
		return got
	}
	return claims(c)
}

// takes reports whether a node takes a message of a type from another.
func takes(c *conformance.Case, node int, t spec.MessageType, from int) bool {
	m := &c.Input.Message
	return c.ID == id(node) && m.Type == t && m.From == id(from)
}

// hears reports whether a node takes a heartbeat with this number.
func hears(c *conformance.Case, node int, n spec.Question) bool {
	m := &c.Input.Message
	return c.ID == id(node) && m.Type == spec.Heartbeat && m.Question == n
}

// alone returns a plan of five nodes of which node 5 comes late, and is linked to node 4 alone, which leads.
func alone() *sim.Plan {
	p := quiet(5, sim.Fault{At: 0, For: 300 * ms, Kind: sim.CrashFault, Node: id(5), Point: sim.Between},
		sim.Fault{At: 0, For: 6 * time.Second, Kind: sim.CutFault, Links: linksOf(1, 5, 5, 1, 2, 5, 5, 2, 3, 5, 5, 3)})
	p.Faults[0].At, p.Faults[1].At = 0, 0
	p.Length, p.Timing.Preempt = 6*time.Second, 3*time.Second // when nothing that it did while it was eligible counts any more
	return p
}

// disrupted runs a plan on the model, which must hold, and on nodes that are wrong, and returns what is said of NoDisruption.
func disrupted(t *testing.T, p *sim.Plan, maker conformance.Maker) string {
	t.Helper()
	require.Nil(t, run(t, p, model).Violation)
	result := run(t, p, maker)
	require.NotNil(t, result.Violation)
	require.True(t, result.Timely)
	require.Equal(t, spec.NoDisruption, result.Violation.Property, result.Violation)
	return result.Violation.Explanation
}

// TestNoDisruption lets a node that reaches no quorum claim without having the support of one: the leader hands over to it.
func TestNoDisruption(t *testing.T) {
	require.Contains(t, disrupted(t, alone(), step(claimsUnasked)),
		"node 4 led epoch 1 with a quorum within its reach, and with 5→4 CLAIM epoch:2 question:1048579 is electing leader:5 lease:1048579 epoch:2")
}

// TestOtherClaimant lets an eligible node claim the same epoch besides, which is promised to it: the leader does not hand over to
// that one.
func TestOtherClaimant(t *testing.T) {
	said := disrupted(t, alone(), step(func(c *conformance.Case, got spec.Step) spec.Step {
		switch {
		case hears(c, 3, 33): // shortly before node 5 claims
			return claims(c)
		case takes(c, 1, spec.Claim, 3):
			return grants(c)
		}
		return claimsUnasked(c, got)
	}))
	require.Contains(t, said, "and with 5→4 CLAIM epoch:2")
	require.Contains(t, said, "though no node that was eligible has claimed that epoch, and was promised it")
}

// TestMerelyHigher deposes a leader by an epoch that an eligible node has claimed, and that nobody has promised to it: node 1 says
// that it has it, and has not. Some link was cut before, so that more is excused.
func TestMerelyHigher(t *testing.T) {
	p := quiet(5, sim.Fault{At: 150 * ms, For: ms, Kind: sim.CutFault, Links: linksOf(1, 2)})
	require.Contains(t, disrupted(t, p, step(func(c *conformance.Case, got spec.Step) spec.Step {
		switch {
		case hears(c, 3, 10):
			return claims(c)
		case hears(c, 1, 12):
			got.Sent[0].Type, got.Sent[0].Epoch = spec.Refuse, 2
		}
		return got
	})), "and with 1→5 REFUSE epoch:2 question:12 is follower leader:none epoch:2 grantee:none support:{} latest:12, though no node that was eligible")
}

// TestPromisedToNobody deposes a leader by an epoch that node 1 has promised to node 3, which claimed it, and then to nobody. Where
// links change an epoch may outlive its claim; here none does.
func TestPromisedToNobody(t *testing.T) {
	forgets := step(func(c *conformance.Case, got spec.Step) spec.Step {
		switch {
		case hears(c, 3, 10):
			return claims(c)
		case takes(c, 1, spec.Claim, 3):
			return grants(c)
		case takes(c, 1, spec.Election, 3) && c.Before.Epoch == 2:
			got.State.Grantee = spec.NodeID{}
		}
		return got
	})
	require.Contains(t, disrupted(t, quiet(5), forgets), "though no link was ever cut, and nobody who reaches a quorum, or is down, is promised that epoch, or a higher one")
	result := run(t, quiet(5, sim.Fault{At: 150 * ms, For: ms, Kind: sim.CutFault, Links: linksOf(1, 2)}), forgets)
	require.Nil(t, result.Violation)
	require.EqualValues(t, 1, result.Stats.Stale)
}

// TestHeld runs plans on which a check was wrong once, and nothing else: the model holds.
//
// In change-after-a-cut and change-after-a-crash a leader has lost its quorum, and makes somebody a member with whom it would have one,
// so shortly before its reign ends that he cannot answer in time.
func TestHeld(t *testing.T) {
	plans := read(t, "testdata/held.json")
	require.Len(t, plans, 2)
	for name, p := range plans {
		all, result := events(t, &p)
		require.True(t, result.Timely, name)
		i := slices.IndexFunc(all, func(e spec.Event) bool { return e.Action == spec.ReignTimeout })
		change := all[i-1]
		for k := i; change.Action != spec.ChangeAction; k-- {
			change = all[k]
		}
		require.Equal(t, all[i].Node, change.Node, name)
		require.Less(t, time.Duration(all[i].At-change.At)*time.Microsecond, p.Timing.Delay, name)
	}
}

// deaf makes leaders count no answer once members have changed.
var deaf = anyStep(func(c *conformance.Case, got spec.Step) spec.Step {
	if c.Before.Role == spec.Leader && c.Input.Message.Type == spec.Ack && c.Before.Configuration.Version > 1 {
		return spec.Step{State: c.Before.Clone()}
	}
	return got
})

// TestNewMembers ends reigns after a change. If those who were members before are a quorum with the leader, that is a breach. If
// not, it is none, since the new member may have been asked too late; but the next reign is asked of it from the beginning.
func TestNewMembers(t *testing.T) {
	said := disrupted(t, growing(4, 3, change(500, sim.VoterChange, 4)), deaf)
	require.Contains(t, said, "node 3 led epoch 1 with a quorum which nothing has disturbed for so long, and with reign ends is follower")
	require.Contains(t, said, "{1 2 3 4}")
	said = disrupted(t, growing(2, 1, change(500, sim.VoterChange, 2)), deaf)
	require.Contains(t, said, "led epoch 2 with a quorum which nothing has disturbed for so long, and with reign ends is follower")
}

// TestStaleEpoch deposes a leader that reaches a quorum through a node that reaches none: node 1 alone has granted what node
// 5 claimed twice, while node 5 reached a quorum; then both are cut off, node 4 comes to lead below that, and node 1 comes
// back to it alone: the epoch has outlived its claim (section 3; R24, R7).
func TestStaleEpoch(t *testing.T) {
	at := func(us int) time.Duration { return time.Duration(us) * time.Microsecond }
	p := quiet(5,
		sim.Fault{At: at(2500), For: 40 * ms, Kind: sim.CutFault, Links: linksOf(5, 2, 5, 3, 5, 4)},
		sim.Fault{At: at(59500), For: 1900 * ms, Kind: sim.CutFault, Links: linksOf(2, 5, 3, 5, 4, 5, 5, 2, 5, 3, 5, 4)},
		sim.Fault{At: at(62500), For: 1900 * ms, Kind: sim.CutFault, Links: linksOf(1, 5, 5, 1, 1, 2, 2, 1, 1, 3, 3, 1)},
		sim.Fault{At: at(62500), For: time.Second, Kind: sim.CutFault, Links: linksOf(1, 4, 4, 1)})
	p.Seed = 1
	all, result := events(t, p)
	require.True(t, result.Timely)
	require.Equal(t, id(4), leads(all, time.Second))
	i := slices.IndexFunc(all, func(e spec.Event) bool { return e.Node == id(4) && e.Input.Message.Type == spec.Refuse })
	require.Equal(t, "OnRefuse 1→4 REFUSE epoch:2 question:12 | 4 is follower leader:none epoch:2 grantee:none support:{} latest:12", all[i].String()[len("110 "):])
	require.EqualValues(t, 1, result.Stats.Stale)
}

// TestStaleSupport deposes a leader that reaches a quorum through a node that hears nobody any more: node 4 has the support
// of all when it is cut off, in one direction, and claims when T_coord ends, as node 5, which had said OK, does not. It was
// eligible when it asked (section 3; R15, R18).
func TestStaleSupport(t *testing.T) {
	p := quiet(5, sim.Fault{At: 20 * ms, For: 300 * ms, Kind: sim.CrashFault, Node: id(4), Point: sim.Between},
		sim.Fault{At: 20 * ms, For: 800 * ms, Kind: sim.CrashFault, Node: id(5), Point: sim.Between},
		sim.Fault{At: 1345 * ms, For: 500 * ms, Kind: sim.CutFault, Links: linksOf(1, 4, 2, 4, 3, 4, 5, 4)})
	all, result := events(t, p)
	require.True(t, result.Timely)
	require.Equal(t, id(3), leads(all, 1400*ms))
	i := slices.IndexFunc(all, func(e spec.Event) bool {
		return e.Node == id(3) && e.Input.Message.Type == spec.Claim && e.At > 1345000
	})
	require.Contains(t, all[i].String(), "OnClaim 4→3 CLAIM epoch:3 question:1048579 | 3→4 GRANT epoch:3")
	require.EqualValues(t, 1, result.Stats.Stale)
}
