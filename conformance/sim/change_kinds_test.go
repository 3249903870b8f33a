package sim_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// voters returns the first n nodes as voters.
func voters(n int) (first []spec.Member) {
	for i := range n {
		first = append(first, spec.Member{ID: id(i + 1), Kind: spec.Voter})
	}
	return first
}

// growing returns a quiet plan of n nodes of which the first are members, and whose members change. The highest of these leads
// from 4 ms on.
func growing(n, first int, changes ...sim.Change) *sim.Plan {
	p := quiet(n)
	p.Length += began
	p.First, p.Changes = voters(first), changes
	return p
}

// change returns a change that is asked for at a time in ms.
func change(at int, kind sim.ChangeKind, node int) sim.Change {
	return sim.Change{At: began + time.Duration(at)*ms, Kind: kind, Node: id(node)}
}

// configurations runs a plan on the model, and returns the configurations that there have been, in the order in which a node
// first had them, each as a person would say it.
func configurations(t *testing.T, p *sim.Plan) (all []string, result sim.Result) {
	t.Helper()
	result, err := sim.Run(p, model, sim.Options{Observe: func(c *conformance.Case) {
		if text := c.Want.State.Configuration.String(); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}})
	require.NoError(t, err)
	require.Nil(t, result.Violation)
	return all, result
}

// TestJoin adds a node: it hears of it, follows, and is made a voter; it is the highest, and comes to lead.
func TestJoin(t *testing.T) {
	all, result := configurations(t, growing(3, 2, change(100, sim.ObserverChange, 3), change(500, sim.VoterChange, 3)))
	require.Equal(t, []string{"epoch:0 version:1 {1 2}", "epoch:0 version:0 {}", "epoch:1 version:1 {1 2}", "epoch:1 version:2 {1 2 observer:3}",
		"epoch:1 version:3 {1 2 3}", "epoch:2 version:3 {1 2 3}"}, all)
	require.Equal(t, []sim.Reign{{Epoch: 1, Leader: id(2)}, {Epoch: 2, Leader: id(3)}}, result.Reigns)
	require.EqualValues(t, 2, result.Stats.Settled)
	require.EqualValues(t, 2, result.Stats.Of(spec.ChangeAction))
	require.Zero(t, result.Stats.Stopped)
}

// TestLeaderLeaves removes the leader: it is made a witness, hands over when that is settled, and the next leader removes it.
// Its host stops it, for good; or, if the plan says so, it runs again with its old disk, and disturbs nobody.
func TestLeaderLeaves(t *testing.T) {
	p := growing(3, 3, change(100, sim.RemoveChange, 3))
	all, result := configurations(t, p)
	require.Equal(t, []string{"epoch:0 version:1 {1 2 3}", "epoch:1 version:1 {1 2 3}", "epoch:1 version:2 {1 2 witness:3}", "epoch:2 version:2 {1 2 witness:3}",
		"epoch:2 version:3 {1 2}"}, all)
	require.Equal(t, []sim.Reign{{Epoch: 1, Leader: id(3)}, {Epoch: 2, Leader: id(2)}}, result.Reigns)
	require.EqualValues(t, 1, result.Stats.Of(spec.ResignAction))
	require.EqualValues(t, 1, result.Stats.Stopped)
	require.Zero(t, result.Stats.Of(spec.RestartAction))

	p.Changes[0].Back = 300 * ms
	_, again := configurations(t, p)
	require.EqualValues(t, 1, again.Stats.Of(spec.RestartAction))
	require.EqualValues(t, 1, again.Stats.Stopped)
	require.Equal(t, result.Reigns, again.Reigns)

	// Added again, it is started with its old disk.
	p.Changes = append(p.Changes, change(1500, sim.VoterChange, 3))
	p.Changes[0].Back = 0
	all, again = configurations(t, p)
	require.Contains(t, all, "epoch:2 version:4 {1 2 3}")
	require.EqualValues(t, 1, again.Stats.Of(spec.RestartAction))
}

// TestRemovedWhileDown removes a node that is down. It comes back, is told that it is no member, and is stopped.
func TestRemovedWhileDown(t *testing.T) {
	p := growing(3, 3, change(200, sim.RemoveChange, 1))
	p.Faults = later(sim.Fault{At: 150 * ms, For: 500 * ms, Kind: sim.CrashFault, Node: id(1), Point: sim.Between})
	all, result := events(t, p)
	lines := since(all, id(1), 600*ms, 9)
	require.Len(t, lines, 3, lines)
	require.Contains(t, lines[0], "650ms Restart | 1→2 IM_BACK")
	require.Contains(t, lines[1], "REFUSE epoch:1 question:1048577 configuration:epoch:1 version:2 {2 3} | 1 is electing leader:1")
	require.Contains(t, lines[2], "Crash | 1 is follower")
	require.EqualValues(t, 1, result.Stats.Stopped)
}

// TestStoppedTooSoon lets a node hear that it is removed, and be stopped, by a leader that crashes before anybody else hears of
// it: the change is lost, and the node is needed again.
func TestStoppedTooSoon(t *testing.T) {
	p := growing(3, 3, change(100, sim.RemoveChange, 1))
	p.Faults = later(sim.Fault{At: 100 * ms, For: 20 * ms, Kind: sim.CutFault, Links: linksOf(3, 2)},
		sim.Fault{At: 119 * ms, For: time.Second, Kind: sim.CrashFault, Node: id(3), Point: sim.Between})
	for seed := uint64(0); ; seed++ {
		require.Less(t, seed, uint64(50), "the operator never asks in time")
		p.Seed = seed
		all, result := configurations(t, p)
		if result.Stats.Stopped == 0 || slices.Contains(all, "epoch:3 version:2 {2 3}") {
			continue // it was not asked in time, or asked again
		}
		require.Contains(t, all, "epoch:1 version:2 {2 3}")
		require.Zero(t, result.Stats.Settled)
		require.EqualValues(t, 2, result.Stats.Of(spec.RestartAction), "node 3, and node 1")
		return
	}
}

// TestRanks has the lowest begin as the highest, and gives that place to another while it leads, which comes to lead.
func TestRanks(t *testing.T) {
	p := growing(3, 3, change(100, sim.RankChange, 2), change(1500, sim.RankChange, 1))
	p.First[0].Rank, p.Changes[0].Rank = 1, 2
	all, result := configurations(t, p)
	require.Equal(t, []string{"epoch:0 version:1 {1^1 2 3}", "epoch:1 version:1 {1^1 2 3}", "epoch:1 version:2 {1^1 2^2 3}", "epoch:2 version:2 {1^1 2^2 3}",
		"epoch:2 version:3 {1 2^2 3}"}, all)
	require.Equal(t, []sim.Reign{{Epoch: 1, Leader: id(1)}, {Epoch: 2, Leader: id(2)}}, result.Reigns)
	require.EqualValues(t, 2, result.Stats.Settled)
}

// TestTwoOperators lets two ask at once: each gets what it wants, one after the other, though one has seen a version that is over.
func TestTwoOperators(t *testing.T) {
	all, result := configurations(t, growing(4, 3, change(100, sim.ObserverChange, 4), change(100, sim.AddressChange, 1), change(100, sim.WitnessChange, 2)))
	last := all[len(all)-1]
	require.Equal(t, "epoch:1 version:4 {1 witness:2 3 observer:4}", last)
	require.EqualValues(t, 3, result.Stats.Settled)
	require.Greater(t, result.Stats.Asked, uint64(3), "of which some were no step")
	require.Equal(t, result.Stats.Asked-3, result.Stats.Ignored)
}

// TestMayNot asks for what no leader may do: it does nothing, again and again.
func TestMayNot(t *testing.T) {
	all, result := configurations(t, growing(4, 3, change(100, sim.ForceChange, 3), change(100, sim.SwapChange, 1)))
	require.Len(t, all, 3, "%s: the first, none, and that of the reign", all)
	require.Greater(t, result.Stats.Ignored, uint64(6))
	require.Zero(t, result.Stats.Settled)
	all, _ = configurations(t, growing(4, 3, change(100, sim.ForceChange, 1)))
	require.Contains(t, all, "epoch:1 version:2 {2 3}", "of another node it may")
}

// TestOnlyWitnessesKnow makes the only voter one while it is cut off from the leader, which is then made a witness and resigns.
// Nobody stands: who is to lead does not know it. The other witness tells it, long before the cut is over.
func TestOnlyWitnessesKnow(t *testing.T) {
	p := growing(3, 3, change(100, sim.WitnessChange, 2), change(250, sim.VoterChange, 1), change(400, sim.WitnessChange, 3))
	p.First[0].Kind = spec.Observer
	p.Length = 20 * time.Second
	p.Faults = later(sim.Fault{At: 245 * ms, For: 19 * time.Second, Kind: sim.CutFault, Links: linksOf(3, 1)})
	for p.Seed = range 10 {
		led, spoken := time.Duration(0), false
		result, err := sim.Run(p, model, sim.Options{
			Observe: func(c *conformance.Case) {
				spoken = spoken || c.Input.Timer == spec.PatienceTimer && c.ID == id(2) && len(c.Want.Sent) == 2
			},
			Notify: func(told sim.Notification) {
				if told.Leading && told.Node == id(1) {
					led = told.At
				}
			},
		})
		require.NoError(t, err)
		require.Nil(t, result.Violation)
		require.True(t, spoken && 0 < led && led < 5*time.Second, "seed %d: %v", p.Seed, led)
	}
}

// TestWitnessJoins adds a witness at once.
func TestWitnessJoins(t *testing.T) {
	all, _ := configurations(t, growing(3, 2, change(100, sim.WitnessChange, 3)))
	require.Equal(t, "epoch:1 version:2 {1 2 witness:3}", all[len(all)-1])
}

// TestNobodyToAsk ends with operators who have given up: there is no leader until the end.
func TestNobodyToAsk(t *testing.T) {
	p := growing(3, 2, change(100, sim.ObserverChange, 3))
	p.Length = began + 20*time.Second
	p.Faults = later(sim.Fault{At: 0, For: 20 * time.Second, Kind: sim.CutFault, Links: linksOf(1, 2, 2, 1)})
	_, result := configurations(t, p)
	require.Zero(t, result.Stats.Asked)
}

const changingText = `{"plan":1,"seed":81,"members":["1","2","3"],
 "timing":{"delay":"12ms","drift":0.01,"heartbeat":"100ms","reign":"140ms","patience":"325ms","election":"25ms","coordinator":"325ms","claim":"50ms","preempt":"1s","stagger":"25ms","defer":"1ms"},
 "links":{"delay":{"min":"1ms","max":"1ms"},"loss":0,"repeated":0},"disk":{"min":"0s","max":"0s"},"rates":[],"proofs":false,"length":"2s",
 "faults":[
  {"at":"300ms","kind":"resign","node":"3"}],
 "first":[{"id":"1","kind":"voter","address":"node-1:0"},{"id":"2","kind":"witness"}],"changes":[
  {"at":"100ms","change":"observer","node":"3"},
  {"at":"200ms","change":"voter","node":"3"},
  {"at":"400ms","change":"address","node":"2"},
  {"at":"500ms","change":"remove","node":"1","back":"1s"},
  {"at":"600ms","change":"remove","node":"2","back":"never"},
  {"at":"700ms","change":"force","node":"1"},
  {"at":"800ms","change":"swap","node":"2"},
  {"at":"900ms","change":"rank","node":"1","rank":65535}]}`

// TestChangingText writes and reads a plan of changing members, and says it as a person would.
func TestChangingText(t *testing.T) {
	var p sim.Plan
	require.NoError(t, p.UnmarshalJSON([]byte(changingText)))
	text, err := p.MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, changingText, string(text))
	require.Equal(t, p, p.Clone())
	require.Equal(t, `  first   epoch:0 version:1 {1 witness:2}
       100ms  node 3 is to be a member: observer
       200ms  node 3 is to be a member: voter
       300ms  node 3 is called to resign
       400ms  node 2 is to have another address
       500ms  node 1 is to be removed, and runs again 1s after it has stopped
       600ms  node 2 is to be removed
       700ms  node 1 is to be removed, though it lead
       800ms  node 2 is to be removed and another added, at once
       900ms  node 1 is to have rank 65535
`, strings.Join(strings.SplitAfter(p.String(), "\n")[3:], ""))
	require.Equal(t, "600ms node 2 is to be removed", p.Changes[4].String())
	for _, c := range []struct{ old, new, want string }{
		{`"first":[{"id":"1"`, `"last":[{"id":"1"`, "changes: is unknown here"},
		{`"kind":"witness"}`, `"kind":"king"}`, "sim: plan: First is not valid: members"},
		{`"id":"2",`, ``, "first[1].id: is missing"},
		{`"kind":"witness"}`, `"kind":"witness","port":3}`, "first[1].port: is unknown here"},
		{`{"id":"1","kind":"voter","address":"node-1:0"},{"id":"2","kind":"witness"}`, ``, "first: is empty"},
		{`"change":"observer"`, `"change":"king"`, `changes[0].change: "king" is no kind of change: there are [observer voter`},
		{`"back":"1s"`, `"back":"soon"`, `changes[3].back: "soon" is no length of time`},
		{`,"back":"1s"`, ``, "changes[3].back: is missing"},
		{`"change":"voter","node":"3"`, `"change":"voter","node":"3","back":"1s"`, "changes[1].back: is unknown here"},
	} {
		require.Contains(t, changingText, c.old)
		err := new(sim.Plan).UnmarshalJSON([]byte(strings.Replace(changingText, c.old, c.new, 1)))
		require.ErrorContains(t, err, c.want, c.new)
	}
}

// TestValidateChanges changes a good plan: what is wrong is named.
func TestValidateChanges(t *testing.T) {
	for want, change := range map[string]func(p *sim.Plan){
		"Changes[0].Rank is 3, but must be 0 but for rank":                      func(p *sim.Plan) { p.Changes[0].Rank = 3 },
		"Changes are 2, but must be none without First: members are fixed then": func(p *sim.Plan) { p.First = nil },
		"First[0] is 9, which is no node":                                       func(p *sim.Plan) { p.First[0].ID = id(9) },
		"First[1] is 1, but must be above 1":                                    func(p *sim.Plan) { p.First[1].ID = id(1) },
		"First is not valid: members: ":                                         func(p *sim.Plan) { p.First = []spec.Member{{ID: id(1), Kind: spec.Witness}} },
		`Changes[0].Kind is "king", which is no change`:                         func(p *sim.Plan) { p.Changes[0].Kind = "king" },
		"Changes[1].At is 3s, but must be from 0 to Length, 2.308s":             func(p *sim.Plan) { p.Changes[1].At = 3 * time.Second },
		"Changes[1].At is 1ms, but must not be before that of the change befor": func(p *sim.Plan) { p.Changes[1].At = ms },
		"Changes[0].Node is 4, which is no node":                                func(p *sim.Plan) { p.Changes[0].Node = id(4) },
		"Changes[0].Back is 1ms, but must be from 0":                            func(p *sim.Plan) { p.Changes[0].Back = ms },
		"Changes[1].Back is -1ns, but must be from 0":                           func(p *sim.Plan) { p.Changes[1].Back = -1 },
	} {
		p := growing(3, 2, sim.Change{At: 100 * ms, Kind: sim.VoterChange, Node: id(3)}, sim.Change{At: 200 * ms, Kind: sim.RemoveChange, Node: id(1)})
		require.NoError(t, p.Validate())
		change(p)
		require.ErrorContains(t, p.Validate(), "sim: plan: "+want)
	}
}
