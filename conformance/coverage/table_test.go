package coverage

import (
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// Source is where a Coverage comes from, such as a simulator.
type Source struct {
	Name string
	// Counted says that the table shows how often something was visited, and not just that it was: for what is always the
	// same, so that the table changes when something else does.
	Counted bool
	*Coverage
}

// Table returns what sources have visited as tables of Markdown: the actions, the branches, and the states of a node. In the
// last, the states that reachable has visited are what the others are measured by. A branch that only changing members come
// to is marked.
func Table(reachable Source, sources ...Source) string {
	var b strings.Builder
	b.WriteString(heading("action", sources))
	for _, a := range spec.Actions() {
		row(&b, "`"+string(a)+"`", sources, func(c *Coverage) uint64 { return c.Action(a) })
	}
	b.WriteString("\n" + heading("branch", sources))
	for i, branch := range branches {
		name := branch.String()
		if branch.Changing {
			name += " (*only where members change*)"
		}
		if branch.Never != "" {
			name += " (*never in a run: " + branch.Never + "*)"
		}
		row(&b, name, sources, func(c *Coverage) uint64 { return c.Branch(i) })
	}
	b.WriteString("\n" + statesTable(reachable, sources))
	return b.String()
}

func heading(what string, sources []Source) string {
	line := "| " + what
	for _, s := range sources {
		line += " | " + s.Name
	}
	return line + " |\n|---" + strings.Repeat("|---", len(sources)) + "|\n"
}

func row(b *strings.Builder, name string, sources []Source, visited func(*Coverage) uint64) {
	b.WriteString("| " + name)
	for _, s := range sources {
		b.WriteString(" | ")
		switch n := visited(s.Coverage); {
		case n == 0:
			b.WriteString("–")
		case s.Counted:
			b.WriteString(thousands(n))
		default:
			b.WriteString("✓")
		}
	}
	b.WriteString(" |\n")
}

// statesTable says, by number of members, how many of the reachable states each source has visited.
func statesTable(reachable Source, sources []Source) string {
	var b strings.Builder
	// Two columns come first here, not one.
	b.WriteString(strings.Replace(heading("members | states: "+reachable.Name, sources), "|---", "|---|---", 1))
	for members := 1; members <= mostMembers; members++ {
		all := reachable.States(members)
		if all == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %d | %d", members, all)
		for _, s := range sources {
			fmt.Fprintf(&b, " | %s", part(s.StatesOf(reachable.Coverage, members), all))
		}
		b.WriteString(" |\n")
	}
	return b.String()
}

// mostMembers is the greatest number of members that the model, and so a Coverage, knows.
const mostMembers = 7

// part returns how much of all n is, in steps of 10 %, so that it seldom changes.
func part(n, all int) string {
	switch percent := 100 * n / all; {
	case n == all:
		return "all"
	case n == 0:
		return "–"
	case percent < 10:
		return "< 10 %"
	default:
		return fmt.Sprintf("≥ %d %%", percent/10*10)
	}
}

// thousands writes a number as people do: 12,345.
func thousands(n uint64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
