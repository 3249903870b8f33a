package algorithms_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/questions"
	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
)

// TestReadme holds what impl/baselines/README.md says of flaws and costs to what is measured.
func TestReadme(t *testing.T) {
	cost := costs(t)
	var b strings.Builder
	b.WriteString("## What it costs\n\n" + cost + "\n## What each flaw looks like\n")
	for _, shown := range []struct {
		name     string
		from, to time.Duration
	}{
		{"split-brain", 1000, 2101}, {"ok-then-die", 500, 11000}, {"paused-leader", 1000, 5000}, {"stale-return", 500, 1100},
		{"raft-rejoin", 1500, 5000}, {"lease-pause", 1000, 3000},
	} {
		b.WriteString("\n" + told(t, named(t, shown.name), shown.from*time.Millisecond, shown.to*time.Millisecond))
	}
	b.WriteString("\n## All scenarios\n\n" + flaws(t) + "\n")
	written(t, "../../baselines/README.md", b.String())
}

// written holds what stands between the marks of a file to a text.
func written(t *testing.T, name, text string) {
	t.Helper()
	const begin, end = "<!-- compare:begin -->\n", "<!-- compare:end -->\n"
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(data), begin)
	require.True(t, ok, "%s: no %s", name, begin)
	was, after, ok := strings.Cut(rest, end)
	require.True(t, ok, "%s: no %s", name, end)
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(before+begin+text+end+after), 0o644))
		return
	}
	require.Equal(t, text, was, "%s says something else; if this is how it should be, run the test with -update", name)
}

// costs is a table of what elections cost, with five nodes.
func costs(t *testing.T) string {
	const seeds = 20
	columns := []struct {
		question, setting string
		measure           int
		head              string
	}{
		{"messages-best", "5", 0, "messages, best start"}, {"messages-worst", "5", 0, "worst start"}, {"messages-herd", "5", 0, "herd"},
		{"messages-failover", "5", 0, "of a failover"}, {"failover-loss", "0%", 0, "time to a new leader, ms"}, {"failover-loss", "10%", 0, "the same, 10 % lost"},
		{"leaders", "partition", 1, "two leaders in a partition, ms"}, {"leaders", "pause", 3, "stale writes in pauses"},
	}
	cells := map[string][]string{}
	head := "| five nodes |"
	for _, c := range columns {
		head += " " + c.head + " |"
		for _, q := range questions.All() {
			if q.ID != c.question {
				continue
			}
			for _, s := range q.Settings {
				if s.Name != c.setting {
					continue
				}
				q.Settings = []questions.Setting{s}
				answer, err := questions.Ask(context.Background(), &q, algorithms.Usual(), questions.Options{First: 1, Seeds: seeds})
				require.NoError(t, err)
				for _, row := range answer.Rows {
					cells[row.Algorithm] = append(cells[row.Algorithm], questions.Number(row.Values[c.measure].Of(q.Measures[c.measure].Stat)))
				}
				break
			}
		}
	}
	lines := []string{head, "|" + strings.Repeat("---|", len(columns)+1)}
	for _, a := range algorithms.Usual() {
		require.Len(t, cells[a.Name], len(columns), a.Name)
		lines = append(lines, "| `"+a.Name+"` | "+strings.Join(cells[a.Name], " | ")+" |")
	}
	return strings.Join(lines, "\n") + "\n\n" + fmt.Sprintf("Medians of %d seeds, means for two leaders and stale writes. Not counted: heartbeats and their ACKs, renewals and watches of leases, and the "+
		"ACK of each hop of a ring (as many again). What is sent to the dead is. `never`: all vote for themselves, and that scenario waits for nobody's random patience.\n", seeds)
}

// told is a scenario as a section, with a part of its timeline.
func told(t *testing.T, s *scenarios.Named, from, to time.Duration) string {
	theirs, ours := play(t, s, algorithm(t, s.Shows)), play(t, s, algorithms.Bully())
	var whole, part strings.Builder
	require.NoError(t, compare.WriteTimeline(&whole, &s.Scenario, &theirs))
	inside := false
	for line := range strings.Lines(whole.String()) {
		if strings.TrimSpace(line) == "" {
			break
		}
		if at, _, stamped := strings.Cut(line, " ms  "); stamped {
			v, err := strconv.ParseFloat(strings.TrimSpace(at), 64)
			require.NoError(t, err)
			d := time.Duration(v * float64(time.Millisecond))
			inside = from <= d && d <= to
		}
		if inside {
			part.WriteString(line)
		}
	}
	require.NotEmpty(t, part.String(), s.Name)
	return fmt.Sprintf("### %s\n\n`workbench compare -scenario %s`, on `%s`. %s\n\n```\n%s```\n\n**Cause:** %s\n\n**Ours:** %s With the same seed: %s.\n",
		s.Title, s.Name, s.Shows, s.Watch, part.String(), s.Cause, s.Remedy, measured(&ours))
}

// measured says what came of a run.
func measured(r *compare.Result) string {
	two := "never two leaders"
	if r.Two > 0 {
		two = fmt.Sprintf("two leaders for %s", r.Two.Round(time.Millisecond/10))
	}
	stale := "no stale write"
	if r.Stale > 0 {
		stale = fmt.Sprintf("stale writes: %d", r.Stale)
	}
	if !r.Agreed {
		stale += ", no common leader at the end"
	}
	reigns := fmt.Sprintf("%d reigns", len(r.Reigns))
	if len(r.Reigns) == 1 {
		reigns = "1 reign"
	}
	return fmt.Sprintf("%s, %s, %s, nobody leads for %s, %d messages of elections", two, stale, reigns, r.None.Round(time.Millisecond), r.Election)
}

// flaws is a table of all scenarios.
func flaws(t *testing.T) string {
	lines := []string{"| scenario | on | what goes wrong | there | ours, same seed | removed by |", "|---|---|---|---|---|---|"}
	for _, s := range scenarios.All() {
		theirs, ours := play(t, &s, algorithm(t, s.Shows)), play(t, &s, algorithms.Bully())
		flaw := string(s.Flaw)
		if s.Flaw == scenarios.NoFlaw {
			flaw = "nothing"
		}
		lines = append(lines, fmt.Sprintf("| `%s`: %s | `%s` | %s | %s | %s | %s |", s.Name, s.Title, s.Shows, flaw, measured(&theirs), measured(&ours), s.Remedy))
	}
	return strings.Join(lines, "\n")
}
