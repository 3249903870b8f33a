package compare_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/toy"
)

// scenario returns three nodes of the toy, of which 3 leads from 110 ms on.
func scenario(length time.Duration, faults ...compare.Fault) *compare.Scenario {
	timing := compare.Timing{Delay: 2 * ms, Heartbeat: 20 * ms, Patience: 110 * ms, TTL: 110 * ms}
	return &compare.Scenario{Name: "test", Nodes: 3, Length: length, Timing: timing, Faults: faults}
}

const ms = time.Millisecond

func run(t *testing.T, s *compare.Scenario) compare.Result {
	t.Helper()
	result, err := compare.Run(s, toy.New(), 1, compare.Options{Timeline: true})
	require.NoError(t, err)
	return result
}

// TestReign measures three nodes to which nothing happens.
func TestReign(t *testing.T) {
	r := run(t, scenario(200*ms))
	require.Equal(t, []compare.Reign{{Leader: 3, Epoch: 1, Begin: 110 * ms, End: 200 * ms}}, r.Reigns)
	require.Equal(t, map[string]int{"LEAD": 2, "HEARTBEAT": 8}, r.Messages)
	require.Equal(t, 2, r.Election)
	require.Zero(t, r.None, "before the first reign nothing counts")
	require.Zero(t, r.Two)
	require.Equal(t, 1, r.AtOnce)
	require.Equal(t, 1, r.SameEpoch)
	require.Equal(t, 3, r.Elections)
	require.True(t, r.Agreed)
	require.Equal(t, 200*ms, r.Ended)
	require.Zero(t, r.Accepted+r.Refused+r.Stale)
}

// TestCrash lets the leader die, whoever it is, and looks when it is replaced, and what it has kept when it returns.
func TestCrash(t *testing.T) {
	r := run(t, scenario(time.Second, compare.Fault{Kind: compare.Crash, Node: compare.Leader, At: 200 * ms, For: 600 * ms}))
	// The last heartbeat of 3 was there at 191 ms; 2 waits for 120 ms from then on. 3 hears one of 2 soon after its return.
	require.Equal(t, []compare.Reign{{3, 1, 110 * ms, 200 * ms}, {2, 1, 311 * ms, time.Second}}, r.Reigns)
	require.Equal(t, compare.FaultResult{Node: 3, Began: 200 * ms, Election: 2, Healed: 112 * ms}, r.Faults[0])
	require.Equal(t, 111*ms, r.None)
	require.Equal(t, 2, r.SameEpoch, "the toy numbers its reigns as it likes")
	require.True(t, r.Agreed)

	r = run(t, scenario(time.Second, compare.Fault{Kind: compare.Crash, Node: 3, At: 200 * ms, For: ms},
		compare.Fault{Kind: compare.Suspect, Node: 3, At: 210 * ms}))
	require.Equal(t, uint64(2), r.Reigns[1].Epoch, "the disk has kept the first")
	require.Equal(t, 3, r.Reigns[1].Leader)
}

// TestCut cuts the leader off: two lead at once, until the cut is over; and the writes of the older reign are stale.
func TestCut(t *testing.T) {
	s := scenario(600*ms, compare.Fault{Kind: compare.Cut, Links: []compare.Link{{From: compare.Leader}}, At: 200 * ms, For: 300 * ms})
	s.Work = 10 * ms
	r := run(t, s)
	require.Equal(t, []compare.Reign{{3, 1, 110 * ms, 312 * ms}, {2, 1, 311 * ms, 600 * ms}}, r.Reigns)
	require.Equal(t, ms, r.Two, "what 2 sends reaches 3")
	require.Equal(t, 2, r.AtOnce)
	require.Equal(t, 112*ms, r.Faults[0].Healed)
	require.Zero(t, r.Stale)

	s.Faults[0].Links = append(s.Faults[0].Links, compare.Link{To: compare.Leader})
	r = run(t, s)
	require.Equal(t, 200*ms, r.Two.Round(10*ms), "nothing reaches 3 until the cut is over")
	require.Greater(t, r.Stale, 10)
	require.Greater(t, r.Accepted, r.Stale)
	require.Zero(t, r.Refused, "without a fence")

	fenced := toy.New()
	fenced.Fences = true
	r, err := compare.Run(s, fenced, 1, compare.Options{})
	require.NoError(t, err)
	require.Positive(t, r.Stale, "both reigns have the same epoch, and the fence cannot help")
}

// TestPause pauses the leader amid a write: it is done when the node goes on, and is stale by then.
func TestPause(t *testing.T) {
	s := scenario(600*ms, compare.Fault{Kind: compare.Pause, Node: compare.Leader, At: 200*ms + ms/2, For: 200 * ms})
	s.Work = 10 * ms
	r := run(t, s)
	require.Equal(t, 1, r.Stale)
	require.Zero(t, r.Two, "a node that is paused does not lead, and heartbeats of 2 have waited for it")
	require.Equal(t, 200*ms, r.Faults[0].Healed, "that they agreed before, for less than their patience, does not count")
	require.Equal(t, 110*ms+ms/2, r.None)
}

// TestSlow delays links, and loses what they carry.
func TestSlow(t *testing.T) {
	slow := compare.Fault{Kind: compare.Slow, Links: []compare.Link{{From: 3}}, Delay: compare.Range{Min: 5 * ms, Max: 5 * ms}, For: 300 * ms}
	s := scenario(200*ms, slow)
	r := run(t, s)
	require.Equal(t, 115*ms, takenAt(&r, "LEAD"))
	s.Faults[0].Loss = 1
	require.Less(t, takenAt(ptr(run(t, s)), "LEAD"), time.Duration(0))
	require.Positive(t, run(t, s).Lost)
	s = scenario(200*ms, slow)
	s.Faults[0].For = 50 * ms
	require.Equal(t, 111*ms, takenAt(ptr(run(t, s)), "LEAD"), "links are as before")
}

func ptr[T any](v T) *T { return &v }

// takenAt returns when the first message of a kind was taken.
func takenAt(r *compare.Result, kind string) time.Duration {
	for _, e := range r.Timeline {
		if e.Kind == compare.Sends && e.Text == kind {
			return e.Arrives
		}
	}
	return -2
}

// TestQuiet ends a run when its election is over, and not before all faults have begun.
func TestQuiet(t *testing.T) {
	s := scenario(time.Second, compare.Fault{Kind: compare.Suspect, Node: 1, At: 10 * ms})
	s.Quiet = true
	r := run(t, s)
	require.Equal(t, 11*ms, r.Ended)
	require.Equal(t, 2, r.Election)
	require.True(t, r.Agreed)
	s.Faults = append(s.Faults, compare.Fault{Kind: compare.Suspect, Node: 2, At: 45 * ms})
	require.Equal(t, 46*ms, run(t, s).Ended)
	s.Disk = compare.Range{Min: 3 * ms, Max: 3 * ms}
	require.Equal(t, 49*ms, run(t, s).Ended, "a node leads when its disk says so")
}

// TestWaitsForALeader lets a fault that befalls the leader wait until there is one.
func TestWaitsForALeader(t *testing.T) {
	r := run(t, scenario(300*ms, compare.Fault{Kind: compare.Crash, Node: compare.Leader, At: 0}))
	require.Equal(t, 110*ms, r.Faults[0].Began)
	require.Equal(t, 3, r.Faults[0].Node)
	r = run(t, scenario(100*ms, compare.Fault{Kind: compare.Crash, Node: compare.Leader, At: 0}))
	require.Less(t, r.Faults[0].Began, time.Duration(0), "there was none")
	require.Less(t, r.Faults[0].Healed, time.Duration(0))
}

// TestClocks has a clock that is twice as fast as the others: its patience ends first.
func TestClocks(t *testing.T) {
	s := scenario(200 * ms)
	s.Rates = []float64{2, 1, 1}
	require.Equal(t, 1, run(t, s).Reigns[0].Leader)
	require.Equal(t, 65*ms, run(t, s).Reigns[0].Begin)
}

// TestSame runs the same thing twice, and another seed once.
func TestSame(t *testing.T) {
	s := scenario(time.Second, compare.Fault{Kind: compare.Crash, Node: 3, At: 200 * ms})
	s.Delay, s.Loss = compare.Range{Min: ms, Max: 9 * ms}, 0.3
	one, two := run(t, s), run(t, s)
	require.Equal(t, one, two)
	other, err := compare.Run(s, toy.New(), 2, compare.Options{})
	require.NoError(t, err)
	require.NotEqual(t, one.Digest, other.Digest)
}

// TestServers gives the toy a server, which no fault befalls unless it names it.
func TestServers(t *testing.T) {
	a := toy.New()
	a.Servers = 1
	s := scenario(300*ms, compare.Fault{Kind: compare.Crash, Node: 4, At: 50 * ms}, compare.Fault{Kind: compare.Cut, Links: compare.Isolate(3, 1), At: 60 * ms})
	r, err := compare.Run(s, a, 1, compare.Options{})
	require.NoError(t, err)
	require.Equal(t, 4, r.Faults[0].Node)
	r, err = compare.Run(s, toy.New(), 1, compare.Options{})
	require.NoError(t, err)
	require.Less(t, r.Faults[0].Began, time.Duration(0), "there is no such node")
	require.Equal(t, 60*ms, r.Faults[1].Began)
}

// TestAlgorithmsMayNot runs an algorithm that does what none may.
func TestAlgorithmsMayNot(t *testing.T) {
	a := toy.New()
	a.MaxNodes = 2
	_, err := compare.Run(scenario(time.Second), a, 1, compare.Options{})
	require.ErrorContains(t, err, "toy can have 2 nodes")
	for _, to := range []int{0, 3, 9} {
		a = toy.New()
		a.New = func(c compare.Config) compare.Node { return &sender{toy.Node(c), c.ID, to} }
		_, err = compare.Run(scenario(time.Second), a, 1, compare.Options{})
		require.ErrorContains(t, err, "node 3 sends NONSENSE to")
	}
}

// sender sends something to a node that there is not, or to itself, when it suspects its leader.
type sender struct {
	compare.Node
	id, to int
}

func (n *sender) End(compare.Timer, *compare.Output) {}

func (n *sender) Start(out *compare.Output) {
	if n.id == 3 {
		out.Send = append(out.Send, compare.Sent{To: n.to, Message: compare.Message{Kind: "NONSENSE"}})
	}
}

// TestValidate gives every field a value that it cannot have.
func TestValidate(t *testing.T) {
	for problem, spoil := range map[string]func(s *compare.Scenario){
		"Nodes: 0":              func(s *compare.Scenario) { s.Nodes = 0 },
		"Nodes: 102":            func(s *compare.Scenario) { s.Nodes = 102 },
		"Length":                func(s *compare.Scenario) { s.Length = 0 },
		"Work":                  func(s *compare.Scenario) { s.Work = -1 },
		"Loss: 1.5":             func(s *compare.Scenario) { s.Loss = 1.5 },
		"Delay and Disk":        func(s *compare.Scenario) { s.Delay = compare.Range{Min: 2, Max: 1} },
		"Rates: there are 1":    func(s *compare.Scenario) { s.Rates = []float64{1} },
		"Rates: a clock":        func(s *compare.Scenario) { s.Rates = []float64{1, 0, 1} },
		"Timing":                func(s *compare.Scenario) { s.Timing.Patience = s.Timing.Heartbeat },
		"Order: [1 2 2]":        func(s *compare.Scenario) { s.Order = []int{1, 2, 2} },
		"there is no kind":      func(s *compare.Scenario) { s.Faults = []compare.Fault{{Kind: "flood", Node: 1}} },
		"begins within the run": func(s *compare.Scenario) { s.Faults = []compare.Fault{{Kind: compare.Crash, Node: 1, At: time.Hour}} },
		"there is no node 5":    func(s *compare.Scenario) { s.Faults = []compare.Fault{{Kind: compare.Crash, Node: 5}} },
		"there is no node 0":    func(s *compare.Scenario) { s.Faults = []compare.Fault{{Kind: compare.Crash}} },
		"links are cut":         func(s *compare.Scenario) { s.Faults = []compare.Fault{{Kind: compare.Cut, Node: 1}} },
		"links are cut or slow": func(s *compare.Scenario) {
			s.Faults = []compare.Fault{{Kind: compare.Crash, Links: compare.Between(1, 2)}}
		},
		"a pause takes": func(s *compare.Scenario) { s.Faults = []compare.Fault{{Kind: compare.Pause, Node: 1}} },
		"Delay goes from": func(s *compare.Scenario) {
			s.Faults = []compare.Fault{{Kind: compare.Slow, Links: compare.Between(1, 2), Loss: 2}}
		},
		"no link from 1 to 1": func(s *compare.Scenario) {
			s.Faults = []compare.Fault{{Kind: compare.Cut, Links: compare.Between(1, 1)}}
		},
		"no link from 1 to 5": func(s *compare.Scenario) {
			s.Faults = []compare.Fault{{Kind: compare.Cut, Links: compare.Between(1, 5)}}
		},
		"Faults[1]: there is no": func(s *compare.Scenario) { s.Faults = []compare.Fault{{Kind: compare.Crash, Node: 1}, {}} },
	} {
		s := scenario(time.Second)
		spoil(s)
		_, err := compare.Run(s, toy.New(), 1, compare.Options{})
		require.ErrorContains(t, err, problem)
		require.ErrorContains(t, err, `scenario "test"`)
	}
}

// TestPrint holds that a writer's error is not lost.
func TestPrint(t *testing.T) {
	s := scenario(300*ms, compare.Fault{Kind: compare.Cut, Links: compare.Between(2, 3), At: 100 * ms})
	r := run(t, s)
	var b strings.Builder
	require.NoError(t, compare.WriteTimeline(&b, s, &r))
	require.Contains(t, b.String(), "2–3 cut\n")
	require.Contains(t, b.String(), "3 sends LEAD to 2: lost\n")
	require.Contains(t, b.String(), "2 lead at once: 2 and 3\n")
	require.ErrorIs(t, compare.WriteTimeline(full{}, s, &r), errFull)
}

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestStorm gives a run up in which messages beget messages.
func TestStorm(t *testing.T) {
	a := toy.New()
	a.New = func(c compare.Config) compare.Node { return &gossip{toy.Node(c), c} }
	r, err := compare.Run(scenario(time.Hour), a, 1, compare.Options{})
	require.NoError(t, err)
	require.True(t, r.Storm)
	require.False(t, r.Agreed)
	require.Less(t, r.Ended, time.Second)
}

// gossip passes all that it hears on to everybody else.
type gossip struct {
	compare.Node
	config compare.Config
}

func (n *gossip) Receive(from int, m compare.Message, out *compare.Output) {
	n.Node.Receive(from, m, out)
	for id := 1; id <= n.config.Nodes; id++ {
		if id != n.config.ID {
			out.Send = append(out.Send, compare.Sent{To: id, Message: m})
		}
	}
}

// TestQuietWaits ends a run of nodes that give thanks only when the last thanks have arrived.
func TestQuietWaits(t *testing.T) {
	a := toy.New()
	a.New = func(c compare.Config) compare.Node { return &polite{toy.Node(c)} }
	s := scenario(time.Second, compare.Fault{Kind: compare.Suspect, Node: 1, At: 10 * ms})
	s.Quiet = true
	r, err := compare.Run(s, a, 1, compare.Options{})
	require.NoError(t, err)
	require.Equal(t, 12*ms, r.Ended)
	require.Equal(t, 4, r.Election)
}

// polite thanks for each LEAD.
type polite struct{ compare.Node }

func (n *polite) Receive(from int, m compare.Message, out *compare.Output) {
	if m.Kind == "THANKS" {
		return
	}
	n.Node.Receive(from, m, out)
	if m.Kind == "LEAD" {
		out.Send = append(out.Send, compare.Sent{To: from, Message: compare.Message{Kind: "THANKS"}})
	}
}

// TestLastLeader lets a fault befall the leader while two lead: it is the one that began last.
func TestLastLeader(t *testing.T) {
	for _, last := range []int{1, 2} {
		r := run(t, scenario(400*ms, compare.Fault{Kind: compare.Cut, Links: []compare.Link{{From: 1}, {From: 2}}},
			compare.Fault{Kind: compare.Suspect, Node: 3 - last, At: 20 * ms}, compare.Fault{Kind: compare.Suspect, Node: last, At: 30 * ms},
			compare.Fault{Kind: compare.Crash, Node: compare.Leader, At: 50 * ms}))
		require.Equal(t, last, r.Faults[3].Node)
	}
}

// TestAside parts the leader and the lowest others from the rest, and a link of the leader from all others.
func TestAside(t *testing.T) {
	s := scenario(300*ms, compare.Fault{Kind: compare.Cut, Aside: 1, At: 200 * ms})
	s.Nodes = 4
	text := func() string {
		r := run(t, s)
		for _, e := range r.Timeline {
			if e.Kind == compare.Happens && e.Node == 0 {
				return e.Text
			}
		}
		return ""
	}
	require.Equal(t, "1–2 1–3 2–4 3–4 cut", text(), "4 leads")
	s.Rates = []float64{2, 1, 1, 1}
	require.Equal(t, "1–3 1–4 2–3 2–4 cut", text(), "1 leads")
	s.Faults[0].Aside, s.Faults[0].Links = 0, compare.Between(compare.Leader, compare.Lowest)
	require.Equal(t, "1–2 cut", text())
	s.Rates = nil
	require.Equal(t, "1–4 cut", text())
	s.Faults[0].Aside = 1
	require.ErrorContains(t, s.Validate(), "Aside is 1")
}

// TestNobody counts all the time of a run in which nobody ever leads.
func TestNobody(t *testing.T) {
	require.Equal(t, 100*ms, ptr(run(t, scenario(100*ms))).None)
}

// TestAgain counts rounds: a node that stands, and goes on standing after a timer that begins another.
func TestAgain(t *testing.T) {
	a := toy.New()
	a.Again = 1
	a.New = func(c compare.Config) compare.Node { return &undecided{toy.Node(c), c} }
	r, err := compare.Run(scenario(time.Second), a, 1, compare.Options{})
	require.NoError(t, err)
	require.Equal(t, 3+3*10, r.Elections)
	require.Empty(t, r.Reigns)
}

// undecided stands for ever, and says so each 100 ms.
type undecided struct {
	compare.Node
	config compare.Config
}

func (n *undecided) Start(out *compare.Output) {
	out.Set = append(out.Set, compare.SetTimer{Timer: 0, After: 100 * ms})
}

func (n *undecided) End(_ compare.Timer, out *compare.Output) { n.Start(out) }

// TestLaterEpoch lets a node of a lower epoch begin to lead after one of a higher, and write first: what the other writes then
// is not stale.
func TestLaterEpoch(t *testing.T) {
	a := toy.New()
	a.Fences = true
	a.New = func(c compare.Config) compare.Node { return &ranked{Node: toy.Node(c), config: c} }
	s := scenario(300*ms, compare.Fault{Kind: compare.Cut, Links: []compare.Link{{From: 1}, {From: 2}, {From: 3}}},
		compare.Fault{Kind: compare.Suspect, Node: 2, At: 20 * ms}, compare.Fault{Kind: compare.Suspect, Node: 1, At: 40 * ms})
	s.Work = 50 * ms
	r, err := compare.Run(s, a, 1, compare.Options{})
	require.NoError(t, err)
	require.Equal(t, []uint64{2, 1}, []uint64{r.Reigns[0].Epoch, r.Reigns[1].Epoch})
	require.Zero(t, r.Stale)
	require.Positive(t, r.Refused)
}

// ranked has its id as its epoch.
type ranked struct {
	compare.Node
	config compare.Config
}

func (n *ranked) Status() compare.Status {
	s := n.Node.Status()
	if s.Leading {
		s.Epoch = uint64(n.config.ID)
	}
	return s
}
