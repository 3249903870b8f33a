package narrate

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// told tells a golden trace.
func told(t *testing.T, name string, o Options, some func(i int, e *spec.Event) bool) (frames []recording.Frame, indicators map[string]recording.Light) {
	t.Helper()
	text, err := fs.ReadFile(traces.Valid, name+".ndjson")
	require.NoError(t, err)
	in, err := spec.NewTraceReader(bytes.NewReader(text))
	require.NoError(t, err)
	narrator, err := New(in.Header().Members, o)
	require.NoError(t, err)
	h := narrator.Header()
	h.Source = recording.Trace
	checker, err := recording.NewChecker(&h)
	require.NoError(t, err)
	indicators = map[string]recording.Light{}
	for i := 0; ; i++ {
		var e spec.Event
		if in.Read(&e) != nil {
			return frames, indicators
		}
		if !some(i, &e) {
			continue
		}
		for _, f := range narrator.Tell(&e) {
			require.NoError(t, checker.Frame(&f), "%s %d", name, i)
			for _, indicator := range f.Indicators {
				indicators[indicator.Name] = indicator.Light
			}
			frames = append(frames, f)
		}
	}
}

func all(int, *spec.Event) bool { return true }

// TestGoldenWords looks at what is said in golden traces of the thing that each is about.
func TestGoldenWords(t *testing.T) {
	for name, wants := range map[string]string{
		"failover":                      "refuses: it keeps the lease of 3 still",
		"split-claim":                   "refuses: it keeps the lease of",
		"hand-over":                     "leads no more, grants it epoch 3, and says RESIGN to all",
		"resign":                        "leads no more, and says so to all",
		"restart-silence":               "it has restarted, and may have forgotten whom it follows",
		"stale-leader-is-refused":       "refuses: epoch 1 is past, its own is 2",
		"claim-starved":                 "gives up its claim of epoch 1",
		"leader-that-hears-nobody":      "leads no more, for it could be alone",
		"proof-of-death-of-a-claimant":  "is told that 3 is dead",
		"leader-back-unnoticed":         "its lease ends",
		"lost-in-the-claim":             "is lost",
		"one-way-link":                  "nothing gets from",
		"late-first-start":              "starts for the first time",
		"grant-of-an-earlier-claim":     "does not count: it is of another claim",
		"last-epoch":                    "claims nothing",
		"crash-before-save":             "only what is on its disk is left",
		"another-leads-what-i-promised": "follows",
	} {
		frames, indicators := told(t, name, Options{}, all)
		said := ""
		for _, f := range frames {
			said += f.Text + " | " + f.Note + "\n"
		}
		require.Contains(t, said, wants, name)
		require.NotContains(t, indicators, string(spec.OneLeaderPerEpoch), name)
		require.NotContains(t, indicators, string(spec.EpochMonotonic), name)
	}
}

// TestIndicatorsGoOnAndOff looks at a trace with two acting leaders for a while.
func TestIndicatorsGoOnAndOff(t *testing.T) {
	frames, indicators := told(t, "false-proof-deposes-a-leader", Options{}, all)
	require.Equal(t, recording.Green, indicators[string(spec.OneActing)])
	reds := 0
	for _, f := range frames {
		for _, indicator := range f.Indicators {
			if indicator.Name == string(spec.OneActing) && indicator.Light == recording.Red {
				require.Equal(t, "two nodes act as leader: node 2 leads epoch 2, node 3 leads epoch 1", indicator.Says)
				reds++
			}
		}
	}
	require.Equal(t, 1, reds)
}

// TestBrokenPromisesAreSeen tells what nobody may do.
func TestBrokenPromisesAreSeen(t *testing.T) {
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	narrator, err := New([]spec.NodeID{one, two}, Options{})
	require.NoError(t, err)
	indicators := map[string]string{}
	for i, e := range []spec.Event{
		{Node: one, Action: spec.StartAction, State: spec.State{Role: spec.Leader, Leader: one, Epoch: 3}},
		{Node: two, Action: spec.StartAction, State: spec.State{Role: spec.Leader, Leader: two, Epoch: 3}},
		{Node: one, Action: spec.CrashAction, State: spec.State{Role: spec.Follower, Epoch: 2}},
	} {
		e.Seq = uint64(i + 1)
		for _, f := range narrator.Tell(&e) {
			for _, indicator := range f.Indicators {
				if indicator.Light == recording.Red {
					indicators[indicator.Name] = indicator.Says
				}
			}
		}
	}
	require.Equal(t, "nodes 1 and 2 have both led epoch 3", indicators[string(spec.OneLeaderPerEpoch)])
	require.Equal(t, "the epoch of node 1 goes back from 3 to 2", indicators[string(spec.EpochMonotonic)])
	require.Contains(t, indicators[string(spec.OneActing)], "two nodes act as leader: node 1 leads epoch 3, node 2 leads epoch 3")
}

// TestLossesThatNobodySays makes frames of messages that others have overtaken.
func TestLossesThatNobodySays(t *testing.T) {
	frames, _ := told(t, "sim-loss-seed-13", Options{Timed: true}, func(_ int, e *spec.Event) bool { return e.Action != spec.LoseAction })
	lost := 0
	for _, f := range frames {
		if f.Kind == recording.Lose {
			require.Positive(t, f.Takes)
			require.Equal(t, "what was sent after it has arrived", f.Note)
			lost++
		}
	}
	require.Positive(t, lost)
}

// TestMiddleOfARun begins to listen late, and misses a crash: what is told is coherent, and says so.
func TestMiddleOfARun(t *testing.T) {
	for _, name := range []string{"sim-crash-seed-1", "sim-cut-seed-2", "restart-of-a-follower", "flapping-highest-node"} {
		for from := range 20 {
			frames, _ := told(t, name, Options{Timed: true, Middle: true}, func(i int, e *spec.Event) bool { return i >= from && e.Action != spec.CrashAction })
			said := ""
			for _, f := range frames {
				said += f.Text + "; " + f.Note + "\n"
			}
			if from > 3 {
				require.Contains(t, said, "is seen for the first time", name)
			}
			if strings.HasPrefix(name, "restart") && from < 10 {
				require.Contains(t, said, "nobody saw it", "%s from %d", name, from)
			}
		}
	}
}

// TestClocksThatDiffer tells a message that arrives before it was sent, by the clocks of two nodes.
func TestClocksThatDiffer(t *testing.T) {
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	narrator, err := New([]spec.NodeID{one, two}, Options{Timed: true, Middle: true})
	require.NoError(t, err)
	m := spec.Message{Type: spec.Heartbeat, From: two, To: one, Epoch: 1}
	follows := spec.State{Role: spec.Follower, Leader: two, Epoch: 1, Grantee: two}
	leads := spec.State{Role: spec.Leader, Leader: two, Epoch: 1, Grantee: two}
	first := narrator.Tell(&spec.Event{Seq: 1, At: 1000, Node: one, Action: spec.OnHeartbeat, Input: spec.Input{Message: m}, State: follows})
	second := narrator.Tell(&spec.Event{Seq: 1, At: 900, Node: two, Action: spec.HeartbeatTimeout, Input: spec.Input{Timer: spec.HeartbeatTimer}, Sent: []spec.Message{m}, State: leads})
	third := narrator.Tell(&spec.Event{Seq: 2, At: 1500, Node: two, Action: spec.HeartbeatTimeout, Input: spec.Input{Timer: spec.HeartbeatTimer}, Sent: []spec.Message{m}, State: leads})
	require.Zero(t, first[0].Takes)
	require.Empty(t, second[0].Sends)
	require.Equal(t, int64(0), second[0].At)
	require.Len(t, third[0].Sends, 1)
	require.Equal(t, int64(500), third[0].At)
	back := narrator.Tell(&spec.Event{Seq: 3, At: 1200, Node: two, Action: spec.HeartbeatTimeout, Input: spec.Input{Timer: spec.HeartbeatTimer}, Sent: []spec.Message{m}, State: leads})
	require.Equal(t, int64(500), back[0].At, "time does not go back")
}

// TestRepeatedMessages: in a run that was seen from its beginning, a message that comes twice is not taken for one that is sent later.
func TestRepeatedMessages(t *testing.T) {
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	narrator, err := New([]spec.NodeID{one, two}, Options{})
	require.NoError(t, err)
	m := spec.Message{Type: spec.Claim, From: two, To: one, Epoch: 1, Question: 7}
	claims := spec.State{Role: spec.Claimant, Asked: 7, Latest: 7}
	says := &spec.Event{Node: two, Action: spec.ElectionTimeout, Input: spec.Input{Timer: spec.ElectionTimer}, Sent: []spec.Message{m}, State: claims}
	hears := &spec.Event{Node: one, Action: spec.OnClaim, Input: spec.Input{Message: m}, State: spec.State{Role: spec.Follower}}
	for _, id := range []spec.NodeID{one, two} {
		narrator.Tell(&spec.Event{Node: id, Action: spec.StartAction, State: spec.State{Role: spec.Follower}})
	}
	narrator.Tell(says)
	narrator.Tell(hears)
	require.Contains(t, narrator.Tell(hears)[0].Note, "it was taken for lost, or comes once more")
	require.Len(t, narrator.Tell(says)[0].Sends, 1)

	// A claim may be repeated, and a grant answers one of them.
	grant := spec.Message{Type: spec.Grant, From: one, To: two, Epoch: 1, Question: 6}
	f := narrator.Tell(&spec.Event{Node: two, Action: spec.OnGrant, Input: spec.Input{Message: grant}, State: claims})[0]
	require.Contains(t, f.Note, "does not count: it is of another claim")
}

// TestDownIsNotUp: of two nodes that run somebody should lead, and of one of two nobody can.
func TestDownIsNotUp(t *testing.T) {
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	narrator, err := New([]spec.NodeID{one, two}, Options{})
	require.NoError(t, err)
	last := func(e spec.Event) []recording.Indicator { return narrator.Tell(&e)[0].Indicators }
	idle := spec.State{Role: spec.Follower}
	last(spec.Event{Node: one, Action: spec.StartAction, State: idle})
	indicators := last(spec.Event{Node: two, Action: spec.StartAction, State: idle})
	require.Equal(t, "nobody leads, though 2 of 2 nodes run", indicators[0].Says)
	indicators = last(spec.Event{Node: two, Action: spec.CrashAction, State: idle})
	require.Equal(t, recording.Green, indicators[0].Light)
}

// TestUnderWayForLong: a link whose messages are not seen to arrive does not fill the page.
func TestUnderWayForLong(t *testing.T) {
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	narrator, err := New([]spec.NodeID{one, two}, Options{Timed: true, Middle: true})
	require.NoError(t, err)
	for q := range spec.Question(maxUnderWay + 2) {
		frames := narrator.Tell(&spec.Event{Node: two, Action: spec.HeartbeatTimeout, Input: spec.Input{Timer: spec.HeartbeatTimer},
			Sent:  []spec.Message{{Type: spec.Heartbeat, From: two, To: one, Epoch: 1, Question: q + 1}},
			State: spec.State{Role: spec.Leader, Leader: two, Epoch: 1, Grantee: two, Latest: q + 1}})
		if q < maxUnderWay {
			require.Len(t, frames, 1)
			continue
		}
		require.Len(t, frames, 2)
		require.Equal(t, "it has not arrived for so long that it is taken for lost", frames[0].Note)
	}
	require.Equal(t, "asks 3; the latest was 5", questions(&spec.State{Asked: 3, Latest: 5}))
}

// TestProvedOfOurRulesAlone: what is proved of a promise is said where our rules are followed, and nowhere else.
func TestProvedOfOurRulesAlone(t *testing.T) {
	proved := 0
	for _, p := range lightsOf([]spec.NodeID{spec.IntegerID(1)}, true).Promises() {
		if p.Proved != "" {
			require.Contains(t, IndicatorOf(p, true).Says, p.Proved)
			require.NotContains(t, IndicatorOf(p, false).Says, p.Proved)
			proved++
		}
	}
	require.Positive(t, proved)
}

// TestWhatStaysBroken: an epoch that has gone back stays so, and a leader may come.
func TestWhatStaysBroken(t *testing.T) {
	once := map[spec.Property]bool{}
	for _, p := range lightsOf([]spec.NodeID{spec.IntegerID(1)}, true).Promises() {
		once[p.Name] = IndicatorOf(p, true).Once
	}
	require.True(t, once[spec.EpochMonotonic], "a broken EpochMonotonic stays broken")
	require.Contains(t, once, spec.SomeLeader)
	require.False(t, once[spec.SomeLeader], "a broken SomeLeader can be mended")
}

// TestUnseenRestart: a node that is seen for the first time as it comes back has the epoch that it had.
func TestUnseenRestart(t *testing.T) {
	one := spec.IntegerID(1)
	narrator, err := New([]spec.NodeID{one, spec.IntegerID(2)}, Options{Timed: true, Middle: true})
	require.NoError(t, err)
	back := spec.State{Role: spec.Electing, Leader: one, Epoch: 5, Grantee: one, Latest: spec.Block + 1}
	f := narrator.Tell(&spec.Event{Seq: 9, At: 1000, Node: one, Action: spec.RestartAction, State: back})[0]
	require.Equal(t, "is back", f.Text)
	require.Equal(t, "R30", f.Rule)
}

// TestUnseenMayRun takes a node that nothing is known of for one that runs, and one whose crash was seen for one that does not.
func TestUnseenMayRun(t *testing.T) {
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	narrator, err := New([]spec.NodeID{one, two}, Options{Timed: true, Middle: true})
	require.NoError(t, err)
	heartbeat := spec.Event{Seq: 1, At: 1000, Node: two, Action: spec.HeartbeatTimeout, Input: spec.Input{Timer: spec.HeartbeatTimer},
		Sent: []spec.Message{{Type: spec.Heartbeat, From: two, To: one, Epoch: 1}}, State: spec.State{Role: spec.Leader, Leader: two, Epoch: 1, Grantee: two}}
	require.False(t, narrator.Tell(&heartbeat)[0].Sends[0].Lost, "a message to a node of unknown state may arrive")
	narrator.Tell(&spec.Event{Seq: 1, At: 1001, Node: one, Action: spec.CrashAction, State: spec.State{Role: spec.Follower, Epoch: 1, Grantee: two}})
	require.True(t, narrator.Tell(&heartbeat)[0].Sends[0].Lost, "a message to a crashed node is lost")
}

// TestTooManyNodes refuses what no recording can show.
func TestTooManyNodes(t *testing.T) {
	_, err := New(make([]spec.NodeID, recording.MaxNodes+1), Options{})
	require.ErrorContains(t, err, "from 1 to 128")
	_, err = New(nil, Options{})
	require.Error(t, err)
	_, err = New(make([]spec.NodeID, recording.MaxNodes), Options{})
	require.NoError(t, err)
}

// TestWhatDoesNotLeave marks what is sent to a node that is down, or over a link that is cut.
func TestWhatDoesNotLeave(t *testing.T) {
	for name, to := range map[string]int{"failover": 2, "half-on-each-side": 2} {
		frames, _ := told(t, name, Options{}, all)
		lost := 0
		for _, f := range frames {
			for _, m := range f.Sends {
				if m.Lost && m.To == to {
					lost++
				}
			}
		}
		require.Positive(t, lost, name)
	}
}
