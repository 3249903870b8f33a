package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// seen is what is seen of a node.
type seen struct {
	node int // from 1 on
	view View
}

// in is a node that runs, and is in an epoch; leads is one that leads it; and down is one that is down.
func in(node int, e spec.Epoch) seen { return seen{node, View{Up: true, Epoch: e}} }
func leads(node int, e spec.Epoch) seen {
	return seen{node, View{Up: true, Acts: true, Leads: e, Epoch: e}}
}
func down(node int, e spec.Epoch) seen { return seen{node, View{Epoch: e}} }

// listed is a node with a configuration, of voters.
func listed(t *testing.T, node int, e spec.Epoch, version uint64, ids ...uint64) seen {
	t.Helper()
	var members []spec.Member
	for _, id := range ids {
		members = append(members, spec.Member{ID: spec.IntegerID(id), Kind: spec.Voter})
	}
	c, err := spec.NewConfiguration(e, version, members)
	require.NoError(t, err)
	return seen{node, View{Up: true, Epoch: e, Configuration: c}}
}

// three returns three nodes.
func three() MonitorOptions {
	return MonitorOptions{Members: []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}}
}

// breaks shows a promise kept by all that is seen but the last, and broken with that: by a monitor of all promises, and by
// lights. A monitor that has seen no more than the last holds it to be all right.
func breaks(t *testing.T, p *Promise, says string, history ...seen) {
	t.Helper()
	m, l, last := NewMonitor(three()), NewLights(three()), len(history)-1
	for k := range history {
		s := &history[k]
		breach := m.Breaks(s.node-1, &s.view)
		if k < last {
			require.Nil(t, breach, "%d", k)
			m.Note(s.node-1, &s.view)
			l.See(s.node-1, &s.view)
			require.Empty(t, l.brokenNow(p), "%d", k)
			continue
		}
		require.NotNil(t, breach)
		require.EqualError(t, breach, string(p.Name)+": "+says)
	}
	l.Changed()
	l.See(history[last].node-1, &history[last].view)
	require.Contains(t, l.Changed(), Light{p, says})

	m.Reset(three().Members)
	require.Nil(t, m.Breaks(history[last].node-1, &history[last].view), "a run begins anew")
}

// TestPromises has one of every property of the specification, in its order, and each has a sentence.
func TestMonitorPromises(t *testing.T) {
	var names []spec.Property
	for _, p := range promises {
		names = append(names, p.Name)
		require.Equal(t, p.Says, PromiseSentence(string(p.Name)))
		require.Regexp(t, `^[A-Z].*\.$`, p.Says)
		require.False(t, p.When == Eventually && p.check != nil && p.Now == "", p.Name)
	}
	require.Equal(t, spec.Properties(), names)
	require.Empty(t, PromiseSentence("R1"))
}

// TestNames says things as an algorithm does that calls them otherwise.
func TestNames(t *testing.T) {
	m := NewMonitor(MonitorOptions{Members: make([]spec.NodeID, 2), Name: func(i int) string { return string(rune('a' + i)) }, Epoch: "term"})
	first := leads(1, 4).view
	m.Note(0, &first)
	require.EqualError(t, m.Breaks(1, &first), "OneLeaderPerEpoch: nodes a and b have both led term 4")
}

// TestAsked asks of one promise only.
func TestAsked(t *testing.T) {
	o := three()
	o.Asked = func(p *Promise) bool { return p.Own }
	m := NewMonitor(o)
	first := leads(1, 4).view
	m.Note(0, &first)
	require.Nil(t, m.Breaks(1, &first))
	before := in(1, 3).view
	require.NotNil(t, m.Breaks(0, &before))
	require.Equal(t, first, m.Seen(0))
}

// TestViewOf takes what is seen of a node from its state.
func TestViewOf(t *testing.T) {
	s := spec.State{Role: spec.Leader, Epoch: 4}
	require.Equal(t, leads(1, 4).view, ViewOf(&s))
	require.Equal(t, down(1, 4).view, ViewOf(&s).Down())
	s.Role = spec.Claimant
	require.Equal(t, in(1, 4).view, ViewOf(&s))
}

// TestNothingAllocates sees steps of nodes without any memory.
func TestNothingAllocates(t *testing.T) {
	m := NewMonitor(three())
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for e := range spec.Epoch(2) {
			now := View{Up: true, Acts: e == 0, Leads: 4 - 4*e, Epoch: 4}
			m.Breaks(0, &now)
			m.Note(0, &now)
		}
	}))
	require.Zero(t, testing.AllocsPerRun(100, func() { m.Reset(m.options.Members) }))
}

func TestEpochMonotonic(t *testing.T) {
	breaks(t, &epochMonotonic, "the epoch of node 1 goes back from 4 to 3", in(1, 4), down(1, 4), in(1, 3))
}

func TestConfigurationMonotonic(t *testing.T) {
	breaks(t, &configurationMonotonic, "the configuration of node 1 becomes epoch:0 version:1 {1}, which is not newer than epoch:0 version:2 {1 2}",
		listed(t, 1, 0, 2, 1, 2), listed(t, 1, 0, 1, 1))
}

func TestOneConfiguration(t *testing.T) {
	breaks(t, &oneConfiguration, "node 2 has configuration epoch:0 version:1 {1 3}, and there has been epoch:0 version:1 {1 2}",
		listed(t, 1, 0, 1, 1, 2), listed(t, 2, 0, 1, 1, 3))
}

// TestListsAreForgotten lets members change for ever.
func TestListsAreForgotten(t *testing.T) {
	m := NewMonitor(three())
	for version := uint64(1); version <= 3*maxLists; version++ {
		now, other := listed(t, 1, 0, version, 1, 2).view, listed(t, 1, 0, version, 1, 3).view
		m.Note(0, &now)
		if breach := m.Breaks(1, &other); breach == nil || breach.Promise != &oneConfiguration {
			t.Fatalf("version %d: %v", version, breach)
		}
	}
	for k := range m.asked {
		if l, is := m.asked[k].check.(lists); is {
			require.LessOrEqual(t, len(l), maxLists)
			return
		}
	}
	t.Fatal("nobody looks")
}

func TestMonitorOneActing(t *testing.T) {
	breaks(t, &oneActing, "two nodes act as leader: node 1 leads epoch 4, node 2 leads epoch 5", leads(1, 4), leads(2, 5))
}

// TestOneActingIsForTimersOnTime asks for it no more when timers are late.
func TestOneActingIsForTimersOnTime(t *testing.T) {
	m, first, second := NewMonitor(three()), leads(1, 4).view, leads(2, 5).view
	m.Note(0, &first)
	require.NotNil(t, m.Breaks(1, &second))
	m.Late()
	require.Nil(t, m.Breaks(1, &second))
}
