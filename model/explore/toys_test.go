package explore

import (
	"context"
	"fmt"
	"math/rand"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// toy is a system of a few closures, for tests.
type toy struct {
	initial [][]byte
	check   func(state []byte) string
	expand  func(state []byte, emit func(Step, []byte, string))
}

func (t toy) Init(emit func([]byte)) {
	for _, s := range t.initial {
		emit(s)
	}
}

func (t toy) Expander() Expander { return &strict{toy: t} }

func (t toy) Render(state []byte) []Variable {
	return []Variable{{"state", fmt.Sprintf("%x", state)}}
}

func (t toy) Unchecked() []string { return []string{"SomeLiveness"} }

// strict is an Expander that panics if Check or Expand is called while the other runs,
// and that reuses its memory for the next state, as real ones do.
type strict struct {
	toy
	busy    bool
	scratch []byte
}

func (s *strict) enter() func() {
	if s.busy {
		panic("an Expander was entered twice")
	}
	s.busy = true
	return func() { s.busy = false }
}

func (s *strict) Check(state []byte) string {
	defer s.enter()()
	if s.toy.check == nil {
		return ""
	}
	return s.toy.check(state)
}

func (s *strict) Expand(state []byte, emit func(Step, []byte, string)) {
	defer s.enter()()
	s.toy.expand(state, func(step Step, next []byte, broken string) {
		s.scratch = append(s.scratch[:0], next...)
		emit(step, s.scratch, broken)
		clear(s.scratch)
	})
	runtime.Gosched() // mixes the workers, even on one processor
}

// ring is n nodes that pass a token around; its holder may mark itself, once. A state is
// the place of the token and the set of marked nodes.
func ring(n int) toy {
	return toy{
		initial: [][]byte{{0, 0}},
		expand: func(s []byte, emit func(Step, []byte, string)) {
			emit(Step{Action: "Pass"}, []byte{byte((int(s[0]) + 1) % n), s[1]}, "")
			if s[1]>>s[0]&1 == 0 {
				emit(Step{Action: "Mark"}, []byte{s[0], s[1] | 1<<s[0]}, "")
			}
		},
	}
}

// jugs is the system of the Example.
func jugs() toy {
	return toy{
		initial: [][]byte{{0, 0}},
		expand: func(s []byte, emit func(Step, []byte, string)) {
			in, out := min(s[0], 5-s[1]), min(s[1], 3-s[0])
			for _, next := range [][]byte{{3, s[1]}, {s[0], 5}, {0, s[1]}, {s[0], 0}, {s[0] - in, s[1] + in}, {s[0] + out, s[1] - out}} {
				emit(Step{Action: "Pour"}, next, "")
			}
		},
	}
}

// mutex is two nodes that enter a room if they saw it empty a moment ago. A state is
// what each of them does: 0 outside, 1 saw the room empty, 2 inside.
func mutex() toy {
	return toy{
		initial: [][]byte{{0, 0}},
		check: func(s []byte) string {
			if s[0] == 2 && s[1] == 2 {
				return "OneInside"
			}
			return ""
		},
		expand: func(s []byte, emit func(Step, []byte, string)) {
			for i := range s {
				next := slices.Clone(s)
				step := Step{Args: [2]int8{int8(i + 1)}}
				switch {
				case s[i] == 0 && s[1-i] != 2:
					step.Action, next[i] = "Look", 1
				case s[i] == 1:
					step.Action, next[i] = "Enter", 2
				case s[i] == 2:
					step.Action, next[i] = "Leave", 0
				default:
					continue
				}
				emit(step, next, "")
			}
		},
	}
}

// grid is counters that count, one at a time, from 0 to side-1 and back to 0. The padding
// makes a state as long as a real one.
func grid(counters, side, padding int) toy {
	return toy{
		initial: [][]byte{make([]byte, counters+padding)},
		expand: func(s []byte, emit func(Step, []byte, string)) {
			var next [64]byte
			n := copy(next[:], s)
			for i := range counters {
				next[i] = byte((int(s[i]) + 1) % side)
				emit(Step{Action: "Count", Args: [2]int8{int8(i)}, Form: One}, next[:n], "")
				next[i] = s[i]
			}
		},
	}
}

// graph is a random system: node i is written as pads[i].
type graph struct {
	pads     [][]byte
	number   map[string]int
	edges    [][]edge
	badNodes map[int]string
	start    []int
}

type edge struct {
	to     int
	broken string
}

// newGraph draws a graph. Its nodes are strings of all lengths; few of them are longer
// than a chunk. Some nodes have no successor, some edges are double, some are loops.
func newGraph(rng *rand.Rand, nodes int, badNode, badEdge float64) *graph {
	g := &graph{number: map[string]int{}, badNodes: map[int]string{}}
	for i := range nodes {
		size := rng.Intn(300)
		if rng.Intn(500) == 0 {
			size += chunkBytes
		}
		pad := []byte(fmt.Sprintf("%d%s", i, strings.Repeat(".", size)))
		g.pads = append(g.pads, pad)
		g.number[string(pad)] = i
		if rng.Float64() < badNode {
			g.badNodes[i] = fmt.Sprintf("Invariant%d", rng.Intn(3))
		}
	}
	degree := 1 + rng.Intn(4)
	for range nodes {
		var es []edge
		for range rng.Intn(2 * degree) {
			e := edge{to: rng.Intn(nodes)}
			if rng.Float64() < badEdge {
				e.broken = fmt.Sprintf("Property%d", rng.Intn(3))
			}
			es = append(es, e)
		}
		g.edges = append(g.edges, es)
	}
	for range 1 + rng.Intn(4) {
		g.start = append(g.start, rng.Intn(nodes), rng.Intn(min(3, nodes)))
	}
	return g
}

// model returns g as a system. Args of a step are the low bits of where it leads.
func (g *graph) model() toy {
	t := toy{
		check: func(s []byte) string { return g.badNodes[g.number[string(s)]] },
		expand: func(s []byte, emit func(Step, []byte, string)) {
			for _, e := range g.edges[g.number[string(s)]] {
				step := Step{"Go", [2]int8{int8(e.to), int8(e.to >> 8)}, Two}
				emit(step, g.pads[e.to], e.broken)
			}
		},
	}
	for _, i := range g.start {
		t.initial = append(t.initial, g.pads[i])
	}
	return t
}

// dumb is what explore must find, computed in the plainest way: a map, and one level after
// the other. length is that of the shortest violating runs, and kinds and properties
// are those that such a run may end with.
type dumb struct {
	distinct, generated, depth int
	length                     int
	ends                       map[string]bool
}

func exploreDumbly(m Model, deadlock bool) (d dumb) {
	e := m.Expander()
	seen := map[string]bool{}
	d.ends = map[string]bool{}
	var next []string
	find := func(length int, kind Kind, property string) {
		if d.length == 0 || length < d.length {
			d.length = length
			clear(d.ends)
		}
		if length == d.length {
			d.ends[fmt.Sprint(kind, property)] = true
		}
	}
	add := func(s []byte) {
		d.generated++
		if !seen[string(s)] {
			seen[string(s)] = true
			next = append(next, string(s))
		}
	}
	m.Init(add)
	for len(next) > 0 {
		d.depth++
		for _, s := range next {
			if p := e.Check([]byte(s)); p != "" {
				find(d.depth, Invariant, p)
			}
		}
		if d.length > 0 {
			break
		}
		level := next
		next = nil
		for _, s := range level {
			n := d.generated
			e.Expand([]byte(s), func(_ Step, to []byte, broken string) {
				add(to)
				if broken != "" {
					find(d.depth+1, StepProperty, broken)
				}
			})
			if n == d.generated && deadlock {
				find(d.depth, Deadlock, "Deadlock")
			}
		}
		if len(next) == 0 {
			break
		}
	}
	d.distinct = len(seen)
	if d.length > 0 {
		d.depth = d.length
	}
	return d
}

// mustRun runs m, and fails the test on an error.
func mustRun(t testing.TB, m Model, o Options) Result {
	t.Helper()
	r, err := Run(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
