package diagram_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/conformance/contest"
	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
	"github.com/seed-fdf591db/bully/conformance/contest/diagram"
)

// run runs a scenario, and returns what there is to draw.
func run(t require.TestingT, s *contest.Scenario, a contest.Algorithm) diagram.Diagram {
	result, err := contest.Run(s, a, 1, contest.Options{Timeline: true})
	require.NoError(t, err)
	return diagram.Diagram{Title: "A run", Scenario: s, Result: &result, Servers: a.Servers, Leave: a.Upkeep}
}

// draw draws a diagram, and holds that it is well drawn.
func draw(t require.TestingT, d diagram.Diagram, width int) string {
	drawing, err := d.SVG(width)
	require.NoError(t, err)
	require.NoError(t, svg.Check(drawing))
	again, err := d.SVG(width)
	require.NoError(t, err)
	require.Equal(t, string(drawing), string(again), "the same run, the same bytes")
	return string(drawing)
}

// has holds that there is something in a drawing, without showing all of it if there is not.
func has(t *testing.T, drawing, want string) {
	t.Helper()
	require.True(t, strings.Contains(strings.ReplaceAll(drawing, "\u00a0", " "), want), "there is no %s", want)
}

// UPDATE_GOLDEN=1 keeps what is drawn now. Look at it before you commit it.
func TestGolden(t *testing.T) {
	path := filepath.Join("testdata", "split.svg")
	drawing := draw(t, run(t, split(), loud(0)), 520)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(drawing), 0o644))
	}
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(kept), drawing, "if the change is meant: UPDATE_GOLDEN=1 go test ./conformance/contest/diagram, and look at %s", path)
}

// All that a run has is in its diagram.
func TestWhatIsDrawn(t *testing.T) {
	drawing := draw(t, run(t, split(), loud(1)), 520)
	for _, want := range []string{
		"<title>4 leads from 0 to 2,601 ms, epoch 1</title>",
		"<title>3 leads from 700 to 2,601 ms, epoch 2</title>",
		"<title>2 lead at once, from 700 to 2,200 ms</title>", // until a leader is paused
		"<title>2 lead at once, from 2,300 to 2,600 ms</title>",
		"<title>3 lead at once, from 2,600 to 2,601 ms</title>",
		"<title>3 and 4 cannot reach each other</title>",
		"<title>3 and 5 are cut off",
		"<title>2 is down from 1,600 to 2,000 ms</title>",
		"<title>1 is paused from 1,700 to 1,900 ms</title>",
		"<title>3 is paused from 2,200 to 2,300 ms</title>",
		"<title>4 sends LEADER to 1 at 0 ms, taken at 1 ms</title>",
		"<title>3 sends LEADER to 5 at 700 ms: lost</title>",
		"<title>a write of 4, at 801 ms</title>",
		">2 crashes</text>", ">2 restarts</text>", ">4 is tired of waiting</text>", ">4 leads (epoch 1)</text>",
		">1…3, 5 follow 4 (epoch 1)</text>", ">4 → 1…3, 5 LEADER</text>", ">3 → 4, 5 LEADER: lost</text>",
		">2 lead at once: 3 and 4</text>", "more times, until", "ms later</text>", ">S</text>", ">S: a server</text>", "messages of upkeep",
	} {
		has(t, drawing, want)
	}
	require.NotContains(t, drawing, "BEAT")
}

// Which direction between neighbours is cut is told, and drawn otherwise than a cut of both.
func TestOneDirection(t *testing.T) {
	for link, want := range map[contest.Link]string{{From: 2, To: 1}: "2 cannot reach 1", {From: 1, To: 2}: "1 cannot reach 2"} {
		s := &contest.Scenario{Nodes: 2, Length: time.Second, Timing: contest.LAN(), Faults: []contest.Fault{{Kind: contest.Cut, At: ms, Links: []contest.Link{link}}}}
		drawing := draw(t, run(t, s, loud(0)), 360)
		has(t, drawing, "<title>"+want+"</title>")
		has(t, drawing, `stroke-dasharray="2 5"`)
	}
}

// A moment of which something is told has its time beside it, rather than one that is near and of which nothing is.
func TestTimes(t *testing.T) {
	s := &contest.Scenario{Nodes: 2, Length: 150 * ms, Timing: contest.LAN(), Faults: []contest.Fault{
		{Kind: contest.Suspect, Node: 1}, {Kind: contest.Pause, Node: 2, At: 101*ms + ms/10, For: 20 * ms}}}
	result, err := contest.Run(s, loud(0), 1, contest.Options{Timeline: true, Upkeep: true})
	require.NoError(t, err)
	drawing := draw(t, diagram.Diagram{Title: "A run", Scenario: s, Result: &result}, 520)
	has(t, drawing, ">101.1</text>")
	require.NotContains(t, drawing, ">101</text>")
}

// Upkeep is drawn if it is not to be left out.
func TestUpkeep(t *testing.T) {
	s := split()
	s.Length, s.Faults = 500*ms, s.Faults[:1]
	result, err := contest.Run(s, loud(0), 1, contest.Options{Timeline: true, Upkeep: true})
	require.NoError(t, err)
	d := diagram.Diagram{Title: "A run", Scenario: s, Result: &result}
	has(t, draw(t, d, 520), "<title>4 sends BEAT to 1 at 100 ms")
	d.Leave = []string{"BEAT"}
	drawing := draw(t, d, 520)
	require.NotContains(t, drawing, "BEAT")
	has(t, drawing, "Not drawn: 20 messages of upkeep")
}

// Of very many messages the first are drawn, and how many are not is said.
func TestMost(t *testing.T) {
	d := run(t, split(), loud(0))
	d.Most = 5
	drawing := draw(t, d, 520)
	require.Equal(t, 4, strings.Count(drawing, " sends LEADER to "), "those of the first moment; the next is too many")
	has(t, drawing, "8 more messages, from 700 ms on, are not drawn.")
	has(t, drawing, ">5 leads (epoch 2)</text>")

	s := &contest.Scenario{Nodes: 3, Length: 10 * time.Second, Timing: contest.LAN()}
	for i := range 300 {
		s.Faults = append(s.Faults, contest.Fault{Kind: contest.Pause, Node: i%3 + 1, At: time.Duration(i*30+i%7) * ms, For: 3 * ms})
	}
	drawing = draw(t, run(t, s, loud(0)), 520)
	has(t, drawing, "200 more lines of text are left out.")
}

// Where the same happens again and again, it is said how often.
func TestFold(t *testing.T) {
	s := &contest.Scenario{Nodes: 3, Length: 5 * time.Second, Timing: contest.LAN()}
	for i := range 20 {
		s.Faults = append(s.Faults, contest.Fault{Kind: contest.Suspect, Node: i%2 + 1, At: time.Duration(i) * 200 * ms})
	}
	drawing := strings.ReplaceAll(draw(t, run(t, s, loud(0)), 1200), "\u00a0", " ")
	require.Equal(t, 1, strings.Count(drawing, ">1 leads (epoch 3)</text>"))
	require.NotContains(t, drawing, ">1 leads (epoch 9)</text>")
	has(t, drawing, ">the same 8 more times, with other epochs, until 3,601 ms<")
	require.NotContains(t, drawing, "<title>1 leads from 3,200")
}

func TestBadDiagrams(t *testing.T) {
	good := run(t, split(), loud(0))
	with := func(change func(d *diagram.Diagram)) diagram.Diagram {
		d := good
		scenario, result := *good.Scenario, *good.Result
		d.Scenario, d.Result = &scenario, &result
		change(&d)
		return d
	}
	for want, d := range map[string]diagram.Diagram{
		"Scenario or Result is nil":            {},
		"no timeline":                          with(func(d *diagram.Diagram) { d.Result.Timeline = nil }),
		"21 nodes and 0 servers":               with(func(d *diagram.Diagram) { d.Scenario.Nodes = 21 }),
		"-1 servers":                           with(func(d *diagram.Diagram) { d.Servers = -1 }),
		"is this another scenario":             with(func(d *diagram.Diagram) { d.Scenario.Nodes = 3 }),
		"the result has 8 faults":              with(func(d *diagram.Diagram) { d.Scenario.Faults = nil }),
		"reign 0 is of node 9":                 with(func(d *diagram.Diagram) { d.Result.Reigns = []contest.Reign{{Leader: 9}} }),
		"To must be after From":                with(func(d *diagram.Diagram) { d.From, d.To = 2, 1 }),
		"from 9s to the end of the run, at 3s": with(func(d *diagram.Diagram) { d.From = 9 * time.Second }),
		"Most is -1":                           with(func(d *diagram.Diagram) { d.Most = -1 }),
	} {
		_, err := d.SVG(520)
		require.ErrorContains(t, err, want)
	}
	for _, width := range []int{0, diagram.Narrowest - 1, diagram.Widest + 1} {
		_, err := good.SVG(width)
		require.ErrorContains(t, err, "it must be from 300 to 2000")
	}
}

// Whatever happens to however many nodes, it can be drawn well, and texts from algorithms are nothing but text.
func TestAnyRunIsDrawn(t *testing.T) {
	drawn := 0
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 12).Draw(t, "nodes")
		node := rapid.OneOf(rapid.IntRange(1, nodes), rapid.Just(contest.Leader))
		s := &contest.Scenario{Nodes: nodes, Length: 2 * time.Second, Timing: contest.LAN(), Work: 70 * ms, Loss: rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "loss"),
			Delay: rapid.SampledFrom([]contest.Range{{}, {Min: ms / 3, Max: 40 * ms}}).Draw(t, "delay")}
		s.Faults = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) contest.Fault {
			f := contest.Fault{Kind: rapid.SampledFrom([]contest.FaultKind{contest.Suspect, contest.Suspect, contest.Crash, contest.Pause, contest.Cut, contest.Slow}).Draw(t, "kind"),
				At: time.Duration(rapid.IntRange(0, 1900).Draw(t, "at")) * ms, For: time.Duration(rapid.IntRange(1, 500).Draw(t, "for")) * ms}
			switch f.Kind {
			case contest.Suspect:
				f.Node, f.For = rapid.IntRange(1, nodes).Draw(t, "node"), 0
			case contest.Cut, contest.Slow:
				f.Links = []contest.Link{{From: node.Draw(t, "from")}, {To: node.Draw(t, "to")}}
				f.Delay = contest.Range{Min: ms, Max: 20 * ms}
			default:
				f.Node = node.Draw(t, "node")
			}
			if f.Kind == contest.Cut {
				f.Delay = contest.Range{}
			}
			return f
		}), 0, 15).Draw(t, "faults")
		if s.Validate() != nil {
			return
		}
		d := run(t, s, loud(rapid.IntRange(0, 2).Draw(t, "servers")))
		if len(d.Result.Timeline) == 0 {
			return
		}
		drawn++
		for i := range d.Result.Timeline {
			if e := &d.Result.Timeline[i]; e.Kind == contest.Decides {
				e.Text = rapid.OneOf(rapid.Just(e.Text), rapid.Just("<script>&\"]]>"), rapid.StringMatching(`\PC{0,60}`)).Draw(t, "text")
			}
		}
		d.Title = rapid.String().Draw(t, "title") + "t"
		if rapid.Bool().Draw(t, "part") {
			d.From, d.To = 300*ms, 1200*ms
		}
		drawing := draw(t, d, rapid.SampledFrom([]int{360, 520, 1200}).Draw(t, "width"))
		require.NotContains(t, drawing, "<script>")
	})
	require.Greater(t, drawn, 20)
}

// No width and no number of nodes gives a drawing that cannot be read: it is drawn well, or refused.
func TestManyNodes(t *testing.T) {
	for nodes := 1; nodes <= diagram.MostNodes; nodes++ {
		s := &contest.Scenario{Nodes: nodes, Length: time.Second, Timing: contest.LAN(), Faults: []contest.Fault{{Kind: contest.Suspect, Node: 1}}}
		for _, width := range []int{diagram.Narrowest, 360, 520} {
			drawing, err := run(t, s, loud(0)).SVG(width)
			if err != nil {
				require.ErrorContains(t, err, fmt.Sprintf("a width of %d: %d nodes and servers need more", width, nodes))
				require.Greater(t, nodes, 9)
				continue
			}
			require.NoError(t, svg.Check(drawing), "%d nodes, %d wide", nodes, width)
		}
	}
}
