package algorithms_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/spec"
)

// TestTold pins what the nodes of each usual algorithm, and of ours with members that change, tell of a run in which everything
// befalls them: the whole of every step that is told in other words than any before it, but for numbers, or sends other messages. To
// write it anew: go test ./impl/internal/algorithms -run TestTold -update
func TestTold(t *testing.T) {
	var text strings.Builder
	for _, a := range append(algorithms.Usual(), algorithms.BullyMembers()) {
		fmt.Fprintf(&text, "-- %s --\n%s", a.Name, toldBy(t, a))
	}
	pin(t, filepath.Join("testdata", "told.txtar"), text.String())
}

var digits = regexp.MustCompile(`[0-9]+`)

// toldBy plays the run, and returns a line for each step.
func toldBy(t *testing.T, a compare.Algorithm) string {
	const ms = time.Millisecond
	s := &compare.Scenario{Name: "told", Nodes: 5, Length: 24 * time.Second, Timing: compare.LAN(), Delay: compare.Range{Min: ms, Max: 9 * ms}, Loss: 0.08,
		Disk: compare.Range{Min: ms, Max: 3 * ms}, Faults: []compare.Fault{
			{Kind: compare.Crash, Node: compare.Leader, At: 2 * time.Second, For: 2 * time.Second},
			{Kind: compare.Pause, Node: compare.Leader, At: 6 * time.Second, For: time.Second},
			{Kind: compare.Suspect, Node: 1, At: 9 * time.Second}, {Kind: compare.Suspect, Node: compare.Leader, At: 9 * time.Second},
			{Kind: compare.Cut, Aside: 1, At: 11 * time.Second, For: 2 * time.Second},
			{Kind: compare.Cut, Aside: 3, At: 14 * time.Second, For: time.Second},
			{Kind: compare.Crash, Node: 1, At: 18 * time.Second, For: time.Second},
		}}
	var text strings.Builder
	seen := map[string]bool{}
	var p *compare.Play
	watch := func(m *compare.Moment) {
		if m.Out == nil {
			return
		}
		v := p.View(m.Node)
		node, ok := v.Node.(algorithms.Teller)
		require.True(t, ok, "node %T must tell its steps", v.Node)
		telling, step := node.Tell(), node.Did()
		about := ""
		if m.What == compare.Took {
			epoch, words := node.About(m.Message)
			about = fmt.Sprintf("%s from %d, epoch %d %s", m.Message.Kind, m.From, epoch, words)
		}
		if m.What == compare.Ended {
			about = "the end of " + a.Timers[m.Timer]
		}
		kinds := ""
		for _, sent := range m.Out.Send {
			if kind := " " + sent.Message.Kind; !strings.HasSuffix(kinds, kind) {
				kinds += kind
			}
		}
		kind, _, _ := strings.Cut(about, " from ")
		of := fmt.Sprint(m.What, kind, telling.Role, step, m.Out.Note, kinds)
		if of = digits.ReplaceAllString(of, "#"); seen[of] {
			return
		}
		seen[of] = true
		fmt.Fprintf(&text, "%s node %d, what %d: %s\n\tis %+v, status %+v\n\tdid %+v; note %q; sends%s; sets %d, stops %d; kept %q\n",
			m.At.Round(time.Microsecond), m.Node, m.What, about, telling, node.Status(), step, m.Out.Note, kinds, len(m.Out.Set), len(m.Out.Stop), node.Kept(v.Saved))
		if ours, ok := node.(interface {
			Case() conformance.Case
			Event() (spec.Event, bool)
		}); ok {
			c := ours.Case()
			event, told := ours.Event()
			fmt.Fprintf(&text, "\twas %+v, call %q, event %v %s\n", c.Before, c.Input.Call, told, event.Action)
		}
	}
	p, err := compare.Begin(s, a, 1, compare.Options{Watch: watch})
	require.NoError(t, err)
	for at := time.Second; at <= s.Length; at += time.Second {
		for p.Next(at) {
		}
		for id := 1; id <= s.Nodes; id++ {
			kind := []spec.MemberKind{spec.Voter, spec.Witness, "", spec.Observer}[int(at.Seconds())%4]
			err := p.Ask(id, algorithms.Change{ID: 4 + int(at.Seconds())/4%2, Kind: kind})
			if said := digits.ReplaceAllString(fmt.Sprint(err), "#"); !seen[said] {
				seen[said] = true
				fmt.Fprintf(&text, "%s node %d is asked to make a %q: %v\n", at, id, kind, err)
			}
			if at == 16*time.Second {
				fmt.Fprintf(&text, "%s node %d is told to resign: %v\n", at, id, p.Resign(id))
			}
		}
		if at == 3*time.Second {
			require.Error(t, p.Ask(1, algorithms.Change{ID: s.Nodes + 1}))
			require.Error(t, p.Ask(1, errors.New("no change")))
		}
	}
	_, err = p.Finish()
	require.NoError(t, err)
	return text.String()
}
