package interactive

import (
	"math"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// Sketch is what a run looks like from afar: what each node is, from its beginning to its end. The zero Sketch is of no node.
type Sketch struct {
	rows  [][]byte // of each node: what it is after each change of any
	times []float64
}

// columns is how wide a sketch is.
const columns = 60

// See adds what a node is from a time on, in microseconds, if that is something else than before.
func (s *Sketch) See(at int64, node int, is byte) {
	for len(s.rows) <= node {
		s.rows = append(s.rows, []byte(strings.Repeat("d", len(s.times))))
	}
	if n := len(s.times); n > 0 && s.rows[node][n-1] == is {
		return
	}
	s.times = append(s.times, float64(at))
	for k, row := range s.rows {
		last := byte('d')
		if n := len(row); n > 0 {
			last = row[n-1]
		}
		if k == node {
			last = is
		}
		s.rows[k] = append(row, last)
	}
}

// Rows returns a line of letters of each node: a digit as long as it leads, which is its epoch modulo 8; s, w, f and i for the looks of a
// recording that begin so; p as long as it is paused, and d if it is down. A change has a width of its own, and a long wait a little more.
func (s *Sketch) Rows(end int64) (rows []string) {
	weights, all := make([]float64, len(s.times)), 0.0
	for k, at := range s.times {
		next := float64(end)
		if k+1 < len(s.times) {
			next = s.times[k+1]
		}
		weights[k] = 0.4 + math.Log2(1+max(0, next-at)/10_000)
		all += weights[k]
	}
	for _, row := range s.rows {
		var line []byte
		until := 0.0
		for k, is := range row {
			until += weights[k]
			for float64(len(line)+1) <= until*columns/all+0.5 && len(line) < columns {
				line = append(line, is)
			}
		}
		rows = append(rows, string(line))
	}
	return rows
}

// Letter returns how a sketch has the state of a node.
func Letter(s *recording.State) byte {
	switch {
	case s.Look == recording.Down:
		return 'd'
	case s.Paused:
		return 'p'
	case s.Look == recording.Leads:
		return '0' + byte(s.Epoch%8)
	}
	return s.Look[0]
}

// SketchOf plays a scenario as the algorithm does that it is about, tells nobody, and returns what it looks like.
func SketchOf(scenario string) ([]string, error) {
	spec := RunSpec{RunSpec: 1, Scenario: scenario}
	set, err := spec.setting()
	if err != nil {
		return nil, err
	}
	var sketch Sketch
	var play *compare.Play
	see := func(m *compare.Moment) {
		if m.Node == 0 || m.Node > set.scenario.Nodes {
			return
		}
		sketch.See(m.At.Microseconds(), m.Node-1, letterOf(play.View(m.Node)))
	}
	if play, err = compare.Begin(&set.scenario, set.algorithm, set.seed, compare.Options{Watch: see}); err != nil {
		return nil, err
	}
	for play.Next(set.scenario.Length) {
	}
	return sketch.Rows(play.Now().Microseconds()), nil
}

// letterOf is Letter of what is seen of a node.
func letterOf(v compare.View) byte {
	state := recording.State{Look: recording.Idle, Paused: v.Paused, Epoch: v.Status.Epoch}
	switch {
	case !v.Up:
		state.Look = recording.Down
	case v.Status.Leading:
		state.Look = recording.Leads
	case v.Status.Standing:
		state.Look = recording.Stands
	case v.Status.Leader > 0:
		state.Look = recording.Follows
	}
	return Letter(&state)
}
