package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/questions"
	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/traces/viewer"
)

// comparison is what the page of workbench compare -html draws; the page reads it by traces/viewer/src/compare/types.ts.
type comparison struct {
	Title      string           `json:"title"`
	Intro      []string         `json:"intro"`
	Algorithms []drawnAlgorithm `json:"algorithms"`
	Questions  []drawnQuestion  `json:"questions"`
	Scenarios  []toldScenario   `json:"scenarios"`
}

// drawnAlgorithm is an algorithm. Place is its place among all there are, so that it looks alike in all plots of all pages.
type drawnAlgorithm struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Place int    `json:"place"`
	Ours  bool   `json:"ours"`
}

// drawnQuestion is a question with its answer, and how to draw that.
type drawnQuestion struct {
	questions.Answer
	How      string        `json:"how"`
	Log      bool          `json:"log"`    // of X
	Single   bool          `json:"single"` // one seed says all
	Settings []string      `json:"settings"`
	Axes     []measureAxis `json:"axes"` // one for each measure
	Bounds   []curve       `json:"bounds"`
	Command  string        `json:"command"` // gives the same again
}

// measureAxis is the axis of a measure.
type measureAxis struct {
	Name  string         `json:"name"`
	Unit  string         `json:"unit"` // "" for a count
	Stat  questions.Stat `json:"stat"`
	Log   bool           `json:"log"`             // what is below 1 is drawn as 1
	Limit float64        `json:"limit,omitempty"` // what is more is wrong; 0: there is no limit
}

// curve is a bound, at some places from the least X to the greatest.
type curve struct {
	Name   string       `json:"name"`
	Points [][2]float64 `json:"points"`
}

// toldScenario is a scenario, with what came of it with the algorithm that it is about and with ours.
type toldScenario struct {
	Name   string    `json:"name"`
	Title  string    `json:"title"`
	Flaw   string    `json:"flaw"`
	Watch  string    `json:"watch"`
	Cause  string    `json:"cause"`
	Remedy string    `json:"remedy"`
	Runs   []toldRun `json:"runs"`
}

// toldRun is what came of a run. Times are in milliseconds.
type toldRun struct {
	Algorithm string  `json:"algorithm"`
	Title     string  `json:"title"`
	Wrong     bool    `json:"wrong"`
	Two       float64 `json:"two"`
	SameEpoch int     `json:"same_epoch"` // 0: it has no epochs
	Stale     int     `json:"stale"`
	Refused   int     `json:"refused"`
	Agreed    bool    `json:"agreed"`
	None      float64 `json:"none"`
	Reigns    int     `json:"reigns"`
	Messages  int     `json:"messages"`
}

// ours is the name of our own algorithm.
const ours = "bully"

// writeComparison writes the page of all answers, and of all scenarios.
func (f *compareFlags) writeComparison(all []questions.Question, answers []questions.Answer) error {
	timing := compare.LAN()
	c := comparison{Title: "Election algorithms on one axis", Intro: []string{
		fmt.Sprintf("All algorithms run in the same simulated world, where messages take a millisecond unless it says otherwise, with timers derived from the same timing: "+
			"a leader is heard of every %s, followers have a patience of %s, a lease in a store is good for %s, and messages are expected within %s.",
			timing.Heartbeat, timing.Patience, timing.TTL, timing.Delay),
		fmt.Sprintf("The numbers come from runs that were made for this page, with seeds from %d on; the same seeds give the same numbers on any machine. "+
			"Nothing was timed: time is that of the simulator.", f.seed),
	}}
	for _, a := range f.chosen {
		place := slices.IndexFunc(algorithms.All(), func(b compare.Algorithm) bool { return a.Name == b.Name })
		c.Algorithms = append(c.Algorithms, drawnAlgorithm{Name: a.Name, Title: a.Title, Place: place, Ours: a.Name == ours})
	}
	for i := range all {
		c.Questions = append(c.Questions, f.drawn(&all[i], answers[i]))
	}
	for _, s := range scenarios.All() {
		told, err := tell(&s)
		if err != nil {
			return err
		}
		c.Scenarios = append(c.Scenarios, told)
	}
	return writePage(f.html, func(w io.Writer) error { return viewer.WriteComparison(w, c) })
}

// drawn returns a question with its answer.
func (f *compareFlags) drawn(q *questions.Question, answer questions.Answer) drawnQuestion {
	a := drawnQuestion{Answer: answer, How: q.How, Log: q.Log, Single: q.Single, Command: fmt.Sprintf("workbench compare -question %s -seed %d", q.ID, f.seed)}
	if !q.Single {
		a.Command += fmt.Sprintf(" -seeds %d", f.seeds)
	}
	if f.chosenByName {
		a.Command += " -algorithm " + f.algorithms
	}
	for k := range q.Settings {
		a.Settings = append(a.Settings, q.Settings[k].Name)
	}
	for k := range q.Measures {
		m := &q.Measures[k]
		axis := measureAxis{Name: m.Name, Unit: m.Unit, Stat: m.Stat, Log: m.Log}
		if q.X == "" && m.Unit == "" && m.Stat == questions.Most { // a number of leaders
			axis.Limit = 1
		}
		a.Axes = append(a.Axes, axis)
	}
	for _, b := range q.Bounds {
		a.Bounds = append(a.Bounds, sampled(b, q.Settings[0].X, q.Settings[len(q.Settings)-1].X))
	}
	return a
}

// samples is at how many places a bound is computed.
const samples = 48

// sampled computes a bound at places of equal factors: bounds are of questions whose X is drawn so.
func sampled(b questions.Bound, from, to float64) curve {
	c := curve{Name: b.Name}
	for k := range samples + 1 {
		x := from * math.Pow(to/from, float64(k)/samples)
		c.Points = append(c.Points, [2]float64{x, b.At(x)})
	}
	return c
}

// tell runs a scenario, on the algorithm that it is about and on ours.
func tell(s *scenarios.Named) (toldScenario, error) {
	told := toldScenario{Name: s.Name, Title: s.Title, Flaw: string(s.Flaw), Watch: s.Watch, Cause: s.Cause, Remedy: s.Remedy}
	for _, a := range toldOf(s) {
		r, err := compare.Run(&s.Scenario, a, s.Seed, compare.Options{})
		if err != nil {
			return told, err
		}
		told.Runs = append(told.Runs, toldRun{Algorithm: a.Name, Title: a.Title, Wrong: s.Flaw != scenarios.NoFlaw && s.Found(&r), Two: ms(r.Two), SameEpoch: r.SameEpoch,
			Stale: r.Stale, Refused: r.Refused, Agreed: r.Agreed, None: ms(r.None), Reigns: len(r.Reigns), Messages: r.Election})
	}
	return told, nil
}
