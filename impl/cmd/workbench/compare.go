package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/questions"
	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

// compareHelp is what bully help compare says before the flags.
const compareHelp = `
Asks all election algorithms the same questions, in the same simulated network and with the same timing: how many
messages does an election take, how long does a failover take, how many nodes lead at once? Every run is made now.
The same seeds give the same numbers on any machine.

  workbench compare -seeds 5              # the quick form, in about five seconds on two cores
  workbench compare                       # all questions with 100 seeds, as tables: about half a minute
  workbench compare -html compare.html    # the same as a page with plots, tables and scenarios
  workbench compare -question failover-loss -algorithm bully,raft,lease -seeds 1000
  workbench compare -replay failover-loss/5% -algorithm textbook -seed 17   # one of these runs, as a timeline

A scenario is one run in which an algorithm goes wrong. It is shown as a timeline, and then the same with our
algorithm. "workbench view split-brain" plays one in the browser.

  workbench compare -list                          # all questions, settings, algorithms and scenarios
  workbench compare -scenario split-brain
  workbench compare -scenario split-brain -algorithm raft -seed 7

`

// compareFlags are the flags of workbench compare.
type compareFlags struct {
	questions, algorithms   string
	seed                    uint64
	seeds, workers          int
	json, list, upkeep      bool
	html                    string
	scenario, replay        string
	chosen                  []compare.Algorithm
	seedGiven, chosenByName bool
	given                   map[string]bool
}

// compareAlgorithms compares election algorithms.
func compareAlgorithms(ctx context.Context, p program, args []string) error {
	f := compareFlags{}
	flags := p.Flags("compare")
	flags.StringVar(&f.questions, "question", "all", "a `list` of questions, or all")
	flags.StringVar(&f.algorithms, "algorithm", "", "a `list` of algorithms, or all; the usual forms if empty, or those that a scenario is about")
	flags.Uint64Var(&f.seed, "seed", 1, "the first `seed`; a scenario has one of its own unless this is given")
	flags.IntVar(&f.seeds, "seeds", 100, "run each setting with so `many` seeds")
	flags.IntVar(&f.workers, "workers", 0, "run with this many `goroutines`; 0 means one for each processor")
	flags.BoolVar(&f.json, "json", false, "print the answers as JSON")
	flags.StringVar(&f.html, "html", "", "write a page with plots, tables and scenarios to this `file`; it needs nothing else")
	flags.BoolVar(&f.list, "list", false, "list questions, algorithms and scenarios")
	flags.StringVar(&f.scenario, "scenario", "", "run the scenario of this `name`, and show its timeline")
	flags.StringVar(&f.replay, "replay", "", "run one seed of a `question/setting`, and show its timeline")
	flags.BoolVar(&f.upkeep, "upkeep", false, "show heartbeats in timelines too")
	if err := p.ParseSome(flags, args, cli.Manual{Text: compareHelp}); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return cli.Usage(fmt.Sprintf("unexpected argument %q (\"workbench help compare\" lists the flags)", flags.Arg(0)))
	}
	given := map[string]bool{}
	flags.Visit(func(g *flag.Flag) { given[g.Name] = true })
	f.given, f.seedGiven, f.chosenByName = given, given["seed"], given["algorithm"]
	if err := f.choose(); err != nil {
		return err
	}
	switch {
	case f.list:
		return p.listContest()
	case f.scenario != "":
		return p.showScenario(f)
	case f.replay != "":
		return p.replayQuestion(f)
	}
	return p.askQuestions(ctx, f)
}

// choose reads the flags that say of which algorithms.
func (f *compareFlags) choose() error {
	if f.seeds < 1 || f.workers < 0 {
		return cli.Usage("-seeds must be at least 1, and -workers not negative")
	}
	modes := 0
	for _, is := range []bool{f.list, f.scenario != "", f.replay != ""} {
		if is {
			modes++
		}
	}
	if modes > 1 {
		return cli.Usage("-list, -scenario and -replay each show one thing: give one of them")
	}
	for _, name := range []string{"question", "seeds", "json", "html", "workers"} {
		if modes == 1 && f.given[name] {
			return cli.Usage(fmt.Sprintf("-%s is about all questions, and goes with none of -list, -scenario and -replay", name))
		}
	}
	switch {
	case !f.chosenByName:
		f.chosen = algorithms.Usual()
		return nil
	case f.algorithms == "all":
		f.chosen = algorithms.All()
		return nil
	}
	var names []string
	for _, a := range algorithms.All() {
		names = append(names, a.Name)
	}
	for name := range strings.SplitSeq(f.algorithms, ",") {
		a, ok := algorithms.Named(name)
		if !ok {
			return cli.UnknownChoice("algorithm", name, names)
		}
		if slices.ContainsFunc(f.chosen, func(b compare.Algorithm) bool { return b.Name == name }) {
			return cli.Usage(fmt.Sprintf("-algorithm: %s is there twice", name))
		}
		f.chosen = append(f.chosen, a)
	}
	return nil
}

// listContest lists what there is.
func (p program) listContest() error {
	w := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "algorithms")
	for _, a := range algorithms.All() {
		_, _ = fmt.Fprintf(w, "  %s\t%s\n", a.Name, a.Title)
	}
	_, _ = fmt.Fprintln(w, "\nquestions")
	for _, q := range questions.All() {
		var settings []string
		for _, s := range q.Settings {
			settings = append(settings, s.Name)
		}
		_, _ = fmt.Fprintf(w, "  %s\t%s\n  \tsettings: %s\n", q.ID, q.Asks, strings.Join(settings, ", "))
	}
	_, _ = fmt.Fprintln(w, "\nscenarios")
	for _, s := range scenarios.All() {
		_, _ = fmt.Fprintf(w, "  %s\t%s\t%s\n", s.Name, s.Title, s.Shows)
	}
	return w.Flush()
}

// showScenario shows the timeline of a scenario, on the algorithm that it is about and on ours, or on those that were chosen.
func (p program) showScenario(f compareFlags) error {
	var names []string
	for _, s := range scenarios.All() {
		if s.Name != f.scenario {
			names = append(names, s.Name)
			continue
		}
		if !f.seedGiven {
			f.seed = s.Seed
		}
		if !f.chosenByName {
			f.chosen = toldOf(&s)
		}
		_, _ = fmt.Fprintf(p.Out, "%s: %s\n", s.Name, s.Title)
		for _, line := range []struct{ name, text string }{{"watch", s.Watch}, {"cause", s.Cause}, {"remedy", s.Remedy}} {
			if line.text != "" {
				_, _ = fmt.Fprintf(p.Out, "  %s: %s\n", line.name, line.text)
			}
		}
		for _, a := range f.chosen {
			result, err := compare.Run(&s.Scenario, a, f.seed, compare.Options{Timeline: true, Upkeep: f.upkeep})
			if err != nil {
				return err
			}
			if err := p.showRun(&s.Scenario, &a, f.seed, &result); err != nil {
				return err
			}
		}
		return nil
	}
	return cli.UnknownChoice("scenario", f.scenario, names)
}

// toldOf returns the algorithms of which a scenario is told: the one that it is about, and ours.
func toldOf(s *scenarios.Named) []compare.Algorithm {
	shown, _ := algorithms.Named(s.Shows)
	return []compare.Algorithm{shown, algorithms.Bully()}
}

// showRun prints one run.
func (p program) showRun(s *compare.Scenario, a *compare.Algorithm, seed uint64, result *compare.Result) error {
	_, _ = fmt.Fprintf(p.Out, "\n%s (%s), seed %d\n\n", a.Title, a.Name, seed)
	return compare.WriteTimeline(p.Out, s, result)
}

// replayQuestion shows one run of a question.
func (p program) replayQuestion(f compareFlags) error {
	id, setting, ok := strings.Cut(f.replay, "/")
	if !ok || strings.Contains(id, ",") || id == "all" {
		return cli.Usage(fmt.Sprintf("-replay %s: give one question and a setting, such as failover-loss/5%%", f.replay))
	}
	asked, err := chosenQuestions(id)
	if err != nil {
		return err
	}
	q := &asked[0]
	var settings []string
	for _, s := range q.Settings {
		settings = append(settings, s.Name)
	}
	if !slices.Contains(settings, setting) {
		return cli.UnknownChoice("replay", setting, settings)
	}
	for i := range f.chosen {
		run, err := q.Replay(&f.chosen[i], setting, f.seed, compare.Options{Timeline: true, Upkeep: f.upkeep})
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(p.Out, "%s, %s: %s\n", q.Title, setting, run.Scenario.Name)
		if err := p.showRun(&run.Scenario, &f.chosen[i], f.seed, &run.Result); err != nil {
			return err
		}
	}
	return nil
}

// chosenQuestions reads a list of questions.
func chosenQuestions(text string) (chosen []questions.Question, err error) {
	all := questions.All()
	if text == "all" {
		return all, nil
	}
	var names []string
	for _, q := range all {
		names = append(names, q.ID)
	}
	for name := range strings.SplitSeq(text, ",") {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, cli.UnknownChoice("question", name, names)
		}
		if slices.ContainsFunc(chosen, func(q questions.Question) bool { return q.ID == name }) {
			return nil, cli.Usage(fmt.Sprintf("-question: %s is there twice", name))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// askQuestions asks the questions, and prints the answers.
func (p program) askQuestions(ctx context.Context, f compareFlags) error {
	asked, err := chosenQuestions(f.questions)
	if err != nil {
		return err
	}
	begin := time.Now()
	var answers []questions.Answer
	for i := range asked {
		q := &asked[i]
		answer, err := questions.Ask(ctx, q, f.chosen, questions.Options{First: f.seed, Seeds: f.seeds, Workers: f.workers,
			Progress: p.throttled(func(done, of int) string {
				return fmt.Sprintf("question %d of %d, %s: %d of %d", i+1, len(asked), q.ID, done, of)
			})})
		p.Clear()
		if err != nil {
			return err
		}
		answers = append(answers, answer)
		if !f.json {
			_, _ = fmt.Fprintf(p.Out, "%s (%s)\n%s\n%s\n\n%s\n", q.Title, q.ID, q.Asks, q.How, answer.Table(q))
		}
	}
	_, _ = fmt.Fprintf(p.Log, "%d questions, seeds from %d on, in %s\n", len(asked), f.seed, time.Since(begin).Round(time.Millisecond))
	if f.json {
		err = p.JSON(answers)
	}
	if f.html != "" {
		if failed := f.writeComparison(asked, answers); failed != nil {
			err = errors.Join(err, fmt.Errorf("-html: %w", failed))
		}
	}
	return err
}

// throttled returns a function that shows how far a long run has come, now and then. Many goroutines may call it.
func (p program) throttled(line func(done, of int) string) func(done, of int) {
	var mu sync.Mutex
	next := time.Now().Add(p.Every())
	return func(done, of int) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); !now.Before(next) {
			next = now.Add(p.Every())
			p.Progress(line(done, of))
		}
	}
}
