package tla_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/tla"
)

var update = flag.Bool("update", false, "write the table of README.md that says how far the configurations go")

// asked is what one row of the table is about.
type asked struct{ of, nodes string }

// reached counts configurations, and knows the most states that any of them has.
type reached struct{ configurations, states int }

func (r reached) String() string {
	if r.configurations == 0 {
		return ""
	}
	return fmt.Sprintf("%d, up to %s", r.configurations, thousands(r.states))
}

// thousands writes n with a comma before each three digits.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// subject names what a configuration is of: its module, of which Cluster is three things.
func subject(c tla.Configuration) string {
	name := strings.TrimPrefix(c.Module, "MC")
	_, kept := c.Replacements["Kept"]
	_, free := c.Replacements["Free"]
	switch {
	case name != "Cluster":
		return "`" + name + "`"
	case kept || free:
		return "`Cluster`, timers at any time, or a network that keeps every message"
	case c.Constants["MaxChange"] != "0":
		return "`Cluster`, members change"
	default:
		return "`Cluster`"
	}
}

// far makes the table: of all that must hold, how many configurations there are and how large they get.
func far(entries []tla.Entry) string {
	const ways = 3 // by both, by the explorer alone, liveness
	rows := map[asked]*[ways]reached{}
	for _, e := range entries {
		if e.Verdict != tla.Holds {
			continue
		}
		way := 0
		switch {
		case e.Configuration.Specification == "FairSpec":
			way = 2
		case !e.TLC:
			way = 1
		}
		key := asked{subject(e.Configuration), e.Configuration.Constants["N"]}
		if rows[key] == nil {
			rows[key] = &[ways]reached{}
		}
		cell := &rows[key][way]
		cell.configurations++
		cell.states = max(cell.states, e.Distinct)
	}
	keys := make([]asked, 0, len(rows))
	for key := range rows {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b asked) int { return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.nodes, b.nodes)) })
	lines := []string{"| of | nodes | TLC and explorer | explorer alone | TLC, liveness |", "|---|---|---|---|---|"}
	for _, key := range keys {
		row := rows[key]
		lines = append(lines, fmt.Sprintf("| %s | %s | %v | %v | %v |", key.of, key.nodes, row[0], row[1], row[2]))
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestReadmeSaysHowFar holds the table of README.md to models.json; with -update it writes it.
func TestReadmeSaysHowFar(t *testing.T) {
	const begin, end = "<!-- far:begin -->\n", "<!-- far:end -->"
	entries, err := tla.Load(tla.FS())
	require.NoError(t, err)
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(page), begin)
	table, after, closed := strings.Cut(rest, end)
	require.True(t, found && closed, "README.md has the markers of the table")
	if *update {
		require.NoError(t, os.WriteFile("README.md", []byte(before+begin+far(entries)+end+after), 0o600))
		return
	}
	require.Equal(t, far(entries), table, "go test ./tla -run HowFar -update writes it")
}
