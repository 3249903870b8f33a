package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// TestResign calls the leader to resign, and a follower, which takes no step.
func TestResign(t *testing.T) {
	all, result := events(t, quiet(3, sim.Fault{At: 150 * ms, Kind: sim.ResignFault, Node: id(3)}, sim.Fault{At: 150 * ms, Kind: sim.ResignFault, Node: id(1)}))
	require.True(t, result.Timely)
	require.Equal(t, "150ms Resign | 3→1 RESIGN epoch:1 question:4 | 3→2 RESIGN epoch:1 question:4 | 3 is follower leader:none epoch:1 grantee:3 support:{} latest:4", since(all, id(3), 150*ms, 1)[0])
	require.EqualValues(t, 1, result.Stats.Ignored)
	require.Equal(t, "151ms PatienceTimeout", since(all, id(2), 151*ms, 2)[1][:len("151ms PatienceTimeout")], "at once after the RESIGN: who resigns is not waited for")
	require.Equal(t, id(3), leads(all, 250*ms), "the highest stands as soon as another does (R10)")
}

// TestHandOver has the highest name the lowest, which leads before anybody else stands, until it is pre-empted; and if that one does not
// come, the next leads.
func TestHandOver(t *testing.T) {
	handOver := sim.Fault{At: 150 * ms, Kind: sim.HandOverFault, Node: id(3), To: id(1)}
	p := quiet(3, handOver)
	p.Timing.Preempt = -1
	all, result := events(t, p)
	require.True(t, result.Timely)
	require.Contains(t, since(all, id(3), 150*ms, 1)[0], "150ms Resign names:1 | 3→1 RESIGN epoch:1 question:4 names:1")
	require.Contains(t, since(all, id(1), 151*ms, 1)[0], "1→2 CLAIM epoch:2 question:2 names:3")
	require.Equal(t, []sim.Reign{{Epoch: 1, Leader: id(3)}, {Epoch: 2, Leader: id(1)}}, result.Reigns)

	p = quiet(3, sim.Fault{At: 140 * ms, For: 200 * ms, Kind: sim.CrashFault, Node: id(1), Point: sim.Between}, handOver)
	all, result = events(t, p)
	require.Equal(t, []sim.Reign{{Epoch: 1, Leader: id(3)}, {Epoch: 2, Leader: id(3)}}, result.Reigns, "the named is down: the highest leads again")
	require.Contains(t, since(all, id(2), 152*ms, 1)[0], "PatienceTimeout", "after patience, and not at once")
	require.Equal(t, id(3), leads(all, 150*ms+2*p.Timing.Patience))

	_, result = events(t, quiet(3, handOver))
	require.Equal(t, sim.Reign{Epoch: 3, Leader: id(3)}, result.Reigns[len(result.Reigns)-1], "where it may be, the named is pre-empted")

	p = quiet(3, sim.Fault{At: 150 * ms, Kind: sim.HandOverFault, Node: id(3), To: id(3)}, sim.Fault{At: 151 * ms, Kind: sim.HandOverFault, Node: id(2), To: id(1)})
	_, result = events(t, p)
	require.EqualValues(t, 2, result.Stats.Ignored, "nobody names itself, and only who leads hands over")
	require.Zero(t, result.Stats.Of(spec.ResignAction))
}
