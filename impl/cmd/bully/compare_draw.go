package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/contest"
	"github.com/seed-fdf591db/bully/conformance/contest/chart"
	"github.com/seed-fdf591db/bully/conformance/contest/diagram"
	"github.com/seed-fdf591db/bully/conformance/contest/page"
	"github.com/seed-fdf591db/bully/conformance/contest/questions"
	"github.com/seed-fdf591db/bully/conformance/contest/scenarios"
	"github.com/seed-fdf591db/bully/impl/cmd/bully/contenders"
)

// plotWidth is how wide a plot in a file is, in CSS pixels.
const plotWidth = 760

// comparison is a question with its answer.
type comparison struct {
	questions.Question
	questions.Answer
	algorithms []contest.Algorithm
}

// drawAnswers writes the plots and the page that were asked for.
func (p program) drawAnswers(f compareFlags, asked []questions.Question, answers []questions.Answer) error {
	var all []comparison
	for i := range asked {
		all = append(all, comparison{asked[i], answers[i], f.chosen})
	}
	if f.svg != "" {
		if err := writePlots(f.svg, all); err != nil {
			return fmt.Errorf("-svg: %w", err)
		}
	}
	if f.html == "" {
		return nil
	}
	whole, err := f.page(all)
	if err == nil {
		err = writePage(f.html, func(w io.Writer) error { return page.Write(w, whole) })
	}
	if err != nil {
		return fmt.Errorf("-html: %w", err)
	}
	return nil
}

// writePlots writes each plot to a file of its own.
func writePlots(folder string, all []comparison) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for i := range all {
		a := &all[i]
		for m, picture := range a.pictures() {
			data, err := picture.SVG(plotWidth)
			if err != nil {
				return fmt.Errorf("%s: %w", a.Question.ID, err)
			}
			name := a.Question.ID
			if m > 0 {
				name += "-" + strings.ReplaceAll(strings.ReplaceAll(a.Measures[m].Name, ",", ""), " ", "-")
			}
			if err := os.WriteFile(filepath.Join(folder, name+".svg"), data, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// pictures returns a plot for each measure.
func (a *comparison) pictures() (pictures []page.Picture) {
	for m := range a.Measures {
		if a.Question.X == "" {
			pictures = append(pictures, a.bars(m))
		} else {
			pictures = append(pictures, a.lines(m))
		}
	}
	return pictures
}

// style is the place of an algorithm among all, so that it looks alike in all plots.
func style(name string) int {
	return 1 + slices.IndexFunc(contenders.All(), func(a contest.Algorithm) bool { return a.Name == name })
}

// rows returns the rows of an algorithm, in the order of the settings.
func (a *comparison) rows(name string) (rows []*questions.Row) {
	for i := range a.Rows {
		if a.Rows[i].Algorithm == name {
			rows = append(rows, &a.Rows[i])
		}
	}
	return rows
}

// ours is the name of our own algorithm.
const ours = "bully"

// lines plots a measure against X.
func (a *comparison) lines(m int) page.Picture {
	measure := &a.Measures[m]
	l := chart.Lines{
		Title: a.Question.Title, Note: a.note(m),
		X: chart.Axis{Label: a.Question.X, Log: a.Log, Even: !a.Log},
		Y: chart.Axis{Label: measure.Name, Unit: measure.Unit, Log: measure.Log},
	}
	if m > 0 {
		l.Title += ": " + measure.Name
	} else {
		for _, b := range a.Bounds {
			l.Bounds = append(l.Bounds, chart.Curve{Name: b.Name, At: b.At})
		}
	}
	for _, algorithm := range a.algorithms {
		s := chart.Series{Name: algorithm.Name, Style: style(algorithm.Name), Strong: algorithm.Name == ours}
		for _, row := range a.rows(algorithm.Name) {
			if row.Runs == 0 {
				continue
			}
			v := row.Values[m]
			point := chart.Point{X: row.X, Y: v.Of(measure.Stat), N: row.Runs}
			point.Low, point.High = point.Y, point.Y
			if measure.Stat == questions.Median && !a.Single {
				point.Low, point.High = v.Least, v.P99
			}
			if measure.Log {
				point.Y, point.Low, point.High = max(point.Y, 1), max(point.Low, 1), max(point.High, 1)
			}
			s.Points = append(s.Points, point)
		}
		l.Series = append(l.Series, s)
	}
	return l
}

// bars plots a measure of settings that have no order.
func (a *comparison) bars(m int) page.Picture {
	measure := &a.Measures[m]
	b := chart.Bars{Title: a.Question.Title + ": " + measure.Name, Note: a.note(m), Value: chart.Axis{Label: measure.Name, Unit: measure.Unit}, Apart: true}
	if measure.Unit == "" && measure.Stat == questions.Most { // a number of leaders
		b.Apart, b.Limit, b.LimitName = false, 1, "at most one"
	}
	if strings.EqualFold(measure.Name, a.Question.Title) {
		b.Title = a.Question.Title
	}
	for k := range a.Settings {
		b.Categories = append(b.Categories, a.Settings[k].Name)
	}
	for _, algorithm := range a.algorithms {
		row := chart.Row{Name: algorithm.Name, Strong: algorithm.Name == ours}
		for _, r := range a.rows(algorithm.Name) {
			v := chart.Unknown
			if r.Runs > 0 {
				v = r.Values[m].Of(measure.Stat)
			}
			row.Values = append(row.Values, v)
		}
		b.Rows = append(b.Rows, row)
	}
	return b
}

// note says what a plot shows of many runs.
func (a *comparison) note(m int) string {
	switch stat := a.Measures[m].Stat; {
	case a.Single && m == 0:
		return a.Asks()
	case a.Single:
		return ""
	case stat == questions.Median:
		return fmt.Sprintf("Median of %d runs; the range is from the least to the 99th percentile.", a.Seeds)
	case a.Seeds == 1:
		return "One run."
	case stat == questions.Mean:
		return fmt.Sprintf("Mean of %d runs.", a.Seeds)
	}
	return fmt.Sprintf("The most of %d runs.", a.Seeds)
}

// Asks returns the question, which answer and question both have.
func (a *comparison) Asks() string { return a.Question.Asks }

// table returns all numbers of an answer.
func (a *comparison) table() page.Table {
	t := page.Table{Columns: []page.Column{{Name: "setting"}, {Name: "algorithm"}}}
	for m := range a.Measures {
		t.Columns = append(t.Columns, page.Column{Name: a.Names[m], Number: true})
		if a.Measures[m].Stat == questions.Median && !a.Single {
			t.Columns = append(t.Columns, page.Column{Name: "99 %", Number: true})
		}
	}
	if !a.Single {
		t.Columns = append(t.Columns, page.Column{Name: "seed of the most", Number: true})
	}
	for k := range a.Settings {
		for i := range a.Rows {
			row := &a.Rows[i]
			if row.Setting != a.Settings[k].Name || row.Runs == 0 {
				continue
			}
			cells := []string{row.Setting, row.Algorithm}
			for m := range a.Measures {
				cells = append(cells, questions.Number(row.Values[m].Of(a.Measures[m].Stat)))
				if a.Measures[m].Stat == questions.Median && !a.Single {
					cells = append(cells, questions.Number(row.Values[m].P99))
				}
			}
			if !a.Single {
				cells = append(cells, fmt.Sprint(row.Worst))
			}
			t.Rows = append(t.Rows, cells)
		}
	}
	return t
}

// page returns the page of all answers, and of all scenarios.
func (f *compareFlags) page(all []comparison) (page.Page, error) {
	timing := contest.LAN()
	whole := page.Page{
		Title: "Election algorithms on one axis",
		Intro: fmt.Sprintf("All algorithms run in the same simulated world, where messages take a millisecond unless it says otherwise, with timers derived from the same timing: "+
			"a leader is heard of every %s, followers have a patience of %s, a lease in a store is good for %s, and messages are expected within %s.\n\n"+
			"The numbers come from runs that were made for this page, with seeds from %d on; the same seeds give the same numbers on any machine.",
			timing.Beat, timing.Patience, timing.TTL, timing.Delay, f.seed),
		Machine: "Nothing was timed: time is that of the simulator.",
	}
	for i := range all {
		a := &all[i]
		command := fmt.Sprintf("bully compare -question %s -seed %d", a.Question.ID, f.seed)
		if !a.Single {
			command += fmt.Sprintf(" -seeds %d", f.seeds)
		}
		if f.chosenByName {
			command += " -algorithm " + f.algorithms
		}
		whole.Sections = append(whole.Sections, page.Section{ID: a.Question.ID, Title: a.Question.Title, Question: a.Asks(), Text: a.How,
			Pictures: a.pictures(), Table: a.table(), Command: command})
	}
	stories, err := stories()
	whole.Sections = append(whole.Sections, stories)
	return whole, err
}

// stories are all scenarios, each on the algorithm that it is about and on ours.
func stories() (page.Section, error) {
	section := page.Section{ID: "scenarios", Title: "What goes wrong, and what is done about it",
		Text: "Each scenario on the algorithm that it is about, and on ours. Time runs down; a coloured band is a reign, red is where more than one leads."}
	for _, s := range scenarios.All() {
		shown, _ := contenders.Named(s.Shows)
		story := page.Story{ID: s.Name, Title: s.Title, Watch: s.Watch, Cause: s.Cause, Remedy: s.Remedy, Command: "bully compare -scenario " + s.Name}
		for _, a := range []contest.Algorithm{shown, contenders.Bully()} {
			result, err := contest.Run(&s.Scenario, a, s.Seed, contest.Options{Timeline: true})
			if err != nil {
				return section, err
			}
			story.Runs = append(story.Runs, page.Run{Name: a.Title, Verdict: judged(&result), Wrong: s.Flaw != scenarios.NoFlaw && s.Found(&result),
				Picture: diagram.Diagram{Title: s.Title + ": " + a.Title, Scenario: &s.Scenario, Result: &result, Servers: a.Servers, Leave: a.Upkeep}})
		}
		section.Stories = append(section.Stories, story)
	}
	return section, nil
}

// judged says what came of a run.
func judged(r *contest.Result) string {
	var parts []string
	add := func(is bool, format string, args ...any) {
		if is {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	const fine = 100 * time.Microsecond
	add(r.Two > 0, "more than one leader for %s", r.Two.Round(fine))
	add(r.SameEpoch > 1, "%d leaders of one epoch", r.SameEpoch)
	add(r.Stale > 0, "%s", counting(r.Stale, "stale write"))
	add(r.Refused > 0, "%s refused", counting(r.Refused, "write"))
	add(!r.Agreed, "not all follow one leader in the end")
	add(true, "nobody led for %s", r.None.Round(fine))
	add(true, "%s", counting(len(r.Reigns), "reign"))
	add(true, "%d messages of elections", r.Election)
	return strings.Join(parts, ", ")
}

// counting writes a number of things.
func counting(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
