package main

import (
	"errors"
	"fmt"
	"slices"
)

// groupsTable returns what many groups cost: a column for each program.
func groupsTable(r *record) (string, error) {
	if len(r.Groups) == 0 {
		return "", errors.New("bench groups has measured nothing")
	}
	led := func(g *manyGroups) bool { return g.Cold > 0 }
	killed := func(g *manyGroups) bool { return len(g.Kills) > 0 }
	rows := []struct {
		name  string
		needs func(g *manyGroups) bool // what must have been measured
		of    func(g *manyGroups) string
	}{
		{"cold start, until all are led and all nodes know", led, func(g *manyGroups) string { return fmt.Sprintf("%.1f s", g.Cold) }},
		{"the share of a node that is farthest from even is off by", led, func(g *manyGroups) string { return fmt.Sprintf("%.1f %%", 100*g.Spread) }},
		{"idle: of a core, the node that takes most", led, func(g *manyGroups) string { return fmt.Sprintf("%.1f %%", 100*g.CPU) }},
		{"memory of a node", led, func(g *manyGroups) string { return fmt.Sprintf("%.0f MiB", g.Resident/(1<<20)) }},
		{"frames a second of a node; and if each led one group", led, func(g *manyGroups) string {
			if g.Frames == 0 {
				return ""
			}
			if g.FramesOne == 0 { // nobody has written it down
				return fmt.Sprintf("%.0f", g.Frames)
			}
			return fmt.Sprintf("%.0f; %.0f", g.Frames, g.FramesOne)
		}},
		{"`kill -9` of the node that leads most: how many it led", killed, func(g *manyGroups) string { return thousands(float64(g.Kills[0].Led)) }},
		{"… until the first has another leader, median (worst)", killed, func(g *manyGroups) string { return g.times(func(i int) float64 { return g.Kills[i].First }) }},
		{"… until the last has", killed, func(g *manyGroups) string { return g.times(func(i int) float64 { return g.Kills[i].All }) }},
		{"… saves of the node that saves most often, at most", killed, func(g *manyGroups) string {
			saves := 0.0
			for _, k := range g.Kills {
				saves = max(saves, k.Saves)
			}
			if saves == 0 {
				return ""
			}
			return thousands(saves)
		}},
	}
	head, line := "| |", "|---|"
	for i := range r.Groups {
		g := &r.Groups[i]
		name := g.Program + ", " + g.Members + " members"
		if g.Program != "bully" {
			if name = nameOf(g.Program); name == "" {
				return "", fmt.Errorf("%s measures %q, which has no name for people: add it in page.go", r.Command, g.Program)
			}
		}
		if len(g.Kills) == 0 && g.Stuck == "" {
			return "", fmt.Errorf("%s has killed no node of %s", r.Command, g.Program)
		}
		head += " " + name + " |"
		line += "---|"
	}
	text := head + "\n" + line
	for _, row := range rows {
		text += "\n| " + row.name + " |"
		for i := range r.Groups {
			if g := &r.Groups[i]; row.needs(g) {
				text += " " + row.of(g) + " |"
			} else {
				text += " |"
			}
		}
	}
	if slices.ContainsFunc(r.Groups, func(g manyGroups) bool { return g.Stuck != "" }) {
		text += "\n| came no further |"
		for i := range r.Groups {
			text += " " + r.Groups[i].Stuck + " |"
		}
	}
	return text, nil
}

// times returns the median of the kills, and the worst if there were several.
func (g *manyGroups) times(of func(i int) float64) string {
	var all []float64
	for i := range g.Kills {
		all = append(all, of(i))
	}
	slices.Sort(all)
	if len(all) == 1 {
		return ms(all[0]) + " ms"
	}
	return fmt.Sprintf("%s ms (%s)", ms(all[len(all)/2]), ms(all[len(all)-1]))
}

// groupsAdded says what came of a node that was added.
func groupsAdded(r *record) (string, error) {
	for _, g := range r.Groups {
		if g.Added != nil {
			return fmt.Sprintf("all groups have it as a member after %.1f s, and the %s that it is to lead have moved after %.0f s", g.Added.Has, thousands(float64(g.Added.Moved)), g.Added.Led), nil
		}
	}
	return "", fmt.Errorf("%s has added no node: members that change are to be measured", r.Command)
}
