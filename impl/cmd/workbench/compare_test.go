package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

// TestCompare asks two questions of three algorithms: the numbers that are known are right, and the same again.
func TestCompare(t *testing.T) {
	t.Parallel()
	args := []string{"compare", "-question", "messages-worst,leaders", "-algorithm", "bully,textbook,raft-plain", "-seeds", "2"}
	status, out, log := workbench(t, args...)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "Messages of an election: the worst start (messages-worst)")
	for _, line := range []string{
		"algorithm 3 5 7 11 17 25 35 51 64 75 101",
		"textbook 8 24 48 120 288 624 1224 2600 4095 5624 10200", // n²-1
		"raft-plain 8 16 24 40 64 96 136 200 252 296 400",        // 4(n-1)
		"algorithm partition leader-cut-off pause deaf-leader mute-leader drift-1% drift-30%",
		"textbook 2 2 1 1 2 2 2",
	} {
		require.Contains(t, squeeze(out), line)
	}
	_, again, _ := workbench(t, append(args, "-workers", "1")...)
	require.Equal(t, out, again)
}

// squeeze makes single spaces of many.
func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestCompareOurs holds ours, with many seeds, to at most one leader at once and in an epoch, and no stale write, while
// clocks and delays are within what it was told.
func TestCompareOurs(t *testing.T) {
	t.Parallel()
	seeds := 10
	if os.Getenv("BULLY_SOAK") != "" {
		seeds = 50
	}
	status, out, log := workbench(t, "compare", "-question", "leaders,failover-loss", "-algorithm", "bully", "-seeds", strconv.Itoa(seeds), "-json")
	require.Equal(t, cli.OK, status, log)
	var answers []struct {
		ID   string
		Rows []struct {
			Setting string
			Runs    int
			Values  []struct{ Most any }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &answers))
	require.Len(t, answers, 2)
	for _, row := range answers[0].Rows {
		require.Equal(t, seeds, row.Runs)
		if row.Setting != "drift-30%" { // beyond its bounds only time is lost: no epoch has two, and no write is stale
			require.EqualValues(t, 1, row.Values[0].Most, row.Setting)
			require.Zero(t, row.Values[1].Most, row.Setting)
		}
		require.EqualValues(t, 1, row.Values[2].Most, row.Setting)
		require.Zero(t, row.Values[3].Most, row.Setting)
	}
	for _, row := range answers[1].Rows {
		if row.Setting != "30%" { // then it may take longer than the ten seconds that a run goes on
			require.NotEqual(t, "never", row.Values[0].Most, row.Setting)
		}
		require.Zero(t, row.Values[1].Most, row.Setting)
	}
}

// TestCompareScenario shows a scenario on the algorithm that it is about and on ours; it says why, and is the same each time.
func TestCompareScenario(t *testing.T) {
	t.Parallel()
	status, out, log := workbench(t, "compare", "-scenario", "split-brain")
	require.Equal(t, cli.OK, status, log)
	for _, part := range []string{"  watch: ", "  cause: ", "  remedy: ", "Textbook Bully (textbook), seed 0", "2 lead at once", "(ours) (bully)"} {
		require.Contains(t, out, part)
	}
	_, again, _ := workbench(t, "compare", "-scenario", "split-brain", "-algorithm", "textbook,bully", "-seed", "0")
	require.Equal(t, out, again)
	_, other, _ := workbench(t, "compare", "-scenario", "split-brain", "-algorithm", "raft", "-seed", "9", "-upkeep")
	require.Contains(t, other, "HEARTBEAT")
}

// TestCompareReplay shows one run of a question, which has the worst that the table tells of.
func TestCompareReplay(t *testing.T) {
	t.Parallel()
	status, out, log := workbench(t, "compare", "-replay", "leaders/partition", "-algorithm", "textbook", "-seed", "1")
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "2 lead at once: 4 and 5")
}

// TestComparePage writes the page: what it is given has each question with what there is to draw, and every scenario with both
// runs and the flaw where it must be.
func TestComparePage(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "page.html")
	status, _, log := workbench(t, "compare", "-question", "messages-best,failover-loss,leaders", "-algorithm", "bully,textbook", "-seeds", "2", "-html", file)
	require.Equal(t, cli.OK, status, log)
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Less(t, len(page), 300_000)
	_, text, ok := strings.Cut(string(page), `id="answers">`)
	require.True(t, ok, "the page has no answers")
	text, _, _ = strings.Cut(text, "</script>")
	var c comparison
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(text, `"never"`, "1e9")), &c))
	require.Equal(t, []string{"bully", "textbook"}, []string{c.Algorithms[0].Name, c.Algorithms[1].Name})
	require.True(t, c.Algorithms[0].Ours, "%s", c.Algorithms[0].Name)
	require.Equal(t, "textbook", algorithms.All()[c.Algorithms[1].Place].Name)

	best, loss, leaders := c.Questions[0], c.Questions[1], c.Questions[2]
	require.Equal(t, "workbench compare -question messages-best -seed 1 -algorithm bully,textbook", best.Command)
	require.Equal(t, "workbench compare -question failover-loss -seed 1 -seeds 2 -algorithm bully,textbook", loss.Command)
	require.Len(t, best.Bounds, 4)
	require.Equal(t, [2]float64{3, 2}, best.Bounds[0].Points[0], "n-1, of the fewest nodes")
	last := best.Bounds[1].Points[samples]
	require.InDelta(t, 101*101-1, last[1], 1e-6, "n²-1, of the most nodes")
	require.True(t, best.Log && best.Single && best.Axes[0].Log, "messages-best: %+v", best)
	require.EqualValues(t, []string{"0%", "1%", "2%", "5%", "10%", "20%", "30%"}, loss.Settings)
	require.Equal(t, "ms", loss.Axes[0].Unit)
	require.Zero(t, loss.Axes[0].Limit)
	require.Equal(t, 2, loss.Seeds)
	require.InDelta(t, 1, leaders.Axes[0].Limit, 0, "at most one leads")
	for _, q := range c.Questions {
		require.NotEmpty(t, q.How)
		require.Len(t, q.Rows, 2*len(q.Settings))
		for _, row := range q.Rows {
			require.True(t, row.Runs == 0 || len(row.Values) == len(q.Axes), "a value for each axis: %+v", row)
		}
	}

	for i, s := range scenarios.All() {
		told := c.Scenarios[i]
		require.Equal(t, s.Name, told.Name)
		require.Equal(t, []string{s.Shows, ours}, []string{told.Runs[0].Algorithm, told.Runs[1].Algorithm})
		require.Equal(t, s.Flaw != scenarios.NoFlaw, told.Runs[0].Wrong, s.Name)
		require.Equal(t, s.Flaw == scenarios.Herd, told.Runs[1].Wrong, "%s: ours takes many messages, and goes wrong in no other way", s.Name)
	}
}

// TestCompareList lists all that there is.
func TestCompareList(t *testing.T) {
	t.Parallel()
	status, out, log := workbench(t, "compare", "-list")
	require.Equal(t, cli.OK, status, log)
	for _, a := range algorithms.All() {
		require.Contains(t, out, "  "+a.Name+" ")
	}
	for _, s := range scenarios.All() {
		require.Contains(t, out, "  "+s.Name+" ")
	}
}

// TestCompareUsage calls it wrongly: it says how.
func TestCompareUsage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"now"}, `unexpected argument "now"`},
		{[]string{"-seeds", "0"}, "-seeds must be at least 1"},
		{[]string{"-workers", "-1"}, "-workers not negative"},
		{[]string{"-algorithm", "paxos"}, `unknown "paxos"`},
		{[]string{"-algorithm", "textbok"}, "textbook"},
		{[]string{"-question", "why"}, `unknown "why"`},
		{[]string{"-scenario", "split-brian"}, "split-brain"},
		{[]string{"-replay", "leaders"}, "one question and a setting"},
		{[]string{"-scenario", "herd", "-replay", "leaders/pause"}, "give one of them"},
		{[]string{"-replay", "leaders/partitoin"}, "partition"},
		{[]string{"-svg", "x"}, "not defined: -svg"},
		{[]string{"-scenario", "herd", "-html", "x"}, "-html is about all questions"},
		{[]string{"-algorithm", "bully,bully"}, "bully is there twice"},
		{[]string{"-question", "leaders,leaders"}, "leaders is there twice"},
	} {
		status, _, log := workbench(t, append([]string{"compare"}, c.args...)...)
		require.Equal(t, cli.Misused, status, c.args)
		require.Contains(t, log, c.says)
	}
	status, _, log := workbench(t, "compare", "-question", "messages-best", "-algorithm", "bully", "-html", filepath.Join(t.TempDir(), "no", "page.html"))
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "-html:")
}
