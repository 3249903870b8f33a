package explore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// workerCounts are the numbers of workers that must not make a difference.
var workerCounts = []int{1, 2, 3, 8}

func TestHandComputedCounts(t *testing.T) {
	for _, c := range []struct {
		name                       string
		model                      Model
		distinct, generated, depth int
	}{
		// 3 places × 8 sets; a Pass from all 24, a Mark from half of them, and Init. The
		// last state is all marked and the token once around and at node 1: 4 Pass, 3 Mark.
		{"ring of 3", ring(3), 24, 1 + 24 + 12, 8},
		// The same for 5 places × 32 sets: 5 + 3 Pass, 5 Mark.
		{"ring of 5", ring(5), 160, 1 + 160 + 80, 14},
		{"grid", grid(3, 4, 0), 64, 1 + 3*64, 10},
		// TLC counts the same for the jugs of the Example, the rings and the mutex.
		{"jugs", jugs(), 16, 97, 8},
		{"mutex", toy{initial: mutex().initial, expand: mutex().expand}, 9, 17, 5},
		{"no initial state", toy{}, 0, 0, 0},
	} {
		for _, workers := range workerCounts {
			r := mustRun(t, c.model, Options{Workers: workers})
			if r.Distinct != c.distinct || r.Generated != c.generated || r.Depth != c.depth {
				t.Errorf("%s, %d workers: got %d distinct, %d generated, depth %d; want %d, %d, %d", c.name,
					workers, r.Distinct, r.Generated, r.Depth, c.distinct, c.generated, c.depth)
			}
			if r.Violation != nil {
				t.Errorf("%s: %v", c.name, r.Violation)
			}
			if !reflect.DeepEqual(r.Unchecked, []string{"SomeLiveness"}) {
				t.Errorf("%s: unchecked %q", c.name, r.Unchecked)
			}
		}
	}
}

// The workers of a run work at the same time: each waits until all of them are at it.
func TestWorkersShareALevel(t *testing.T) {
	for _, workers := range workerCounts {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		var busy atomic.Int64
		m := toy{initial: [][]byte{{}}, expand: func(s []byte, emit func(Step, []byte, string)) {
			if len(s) == 0 {
				for i := range 10_000 {
					emit(Step{Action: "Spread"}, fmt.Appendf(nil, "%100d", i), "")
				}
				return
			}
			for busy.Add(1); busy.Load() < int64(workers) && ctx.Err() == nil; {
				runtime.Gosched()
			}
		}}
		if _, err := Run(ctx, m, Options{Workers: workers}); err != nil {
			t.Errorf("fewer than %d workers worked: %v", workers, err)
		}
		cancel()
	}
}

func TestMutexFails(t *testing.T) {
	r := mustRun(t, mutex(), Options{})
	if r.Violation == nil {
		t.Fatal("two nodes entered the room, and nobody saw it")
	}
	var actions []string
	for _, e := range r.Violation.Run {
		actions = append(actions, e.Step.Action)
	}
	a := fmt.Sprint(actions)
	if a != "[ Look Look Enter Enter]" || r.Depth != 5 || r.Violation.Property != "OneInside" {
		t.Errorf("depth %d, %v", r.Depth, r.Violation)
	}
}

func TestInitialStateViolates(t *testing.T) {
	m := ring(3)
	m.check = func(s []byte) string {
		if s[0] == 0 {
			return "NotAtZero"
		}
		return ""
	}
	r := mustRun(t, m, Options{})
	if r.Violation == nil || len(r.Violation.Run) != 1 || r.Depth != 1 || r.Generated != 1 {
		t.Errorf("depth %d, %d generated, %v", r.Depth, r.Generated, r.Violation)
	}
}

// A step may break a property although its target was seen long ago.
func TestStepPropertyOfAnOldState(t *testing.T) {
	m := grid(2, 3, 0)
	expand := m.expand
	m.expand = func(s []byte, emit func(Step, []byte, string)) {
		expand(s, func(step Step, next []byte, _ string) {
			broken := ""
			if next[0] < s[0] {
				broken = "NeverBack"
			}
			emit(step, next, broken)
		})
	}
	r := mustRun(t, m, Options{})
	if r.Violation == nil || r.Violation.Kind != StepProperty || r.Depth != 4 {
		t.Fatalf("depth %d, %v", r.Depth, r.Violation)
	}
	if s := r.Violation.Run[3].State[0].Value; s != "0000" {
		t.Errorf("the run ends in %s", s)
	}
}

func TestDeadlock(t *testing.T) {
	m := grid(2, 3, 0)
	expand := m.expand
	m.expand = func(s []byte, emit func(Step, []byte, string)) {
		if !bytes.Equal(s, []byte{2, 2}) {
			expand(s, emit)
		}
	}
	if r := mustRun(t, m, Options{}); r.Violation != nil || r.Distinct != 9 {
		t.Errorf("nobody asked for deadlock: %d distinct, %v", r.Distinct, r.Violation)
	}
	r := mustRun(t, m, Options{CheckDeadlock: true})
	if r.Violation == nil || r.Violation.Kind != Deadlock || r.Violation.Property != "Deadlock" || r.Depth != 5 {
		t.Errorf("depth %d, %v", r.Depth, r.Violation)
	}
	if r := mustRun(t, ring(3), Options{CheckDeadlock: true}); r.Violation != nil {
		t.Errorf("the ring always has a successor: %v", r.Violation)
	}
}

// Random systems give what the dumb explorer gives, whatever the number of workers.
func TestRandomGraphs(t *testing.T) {
	violations := map[Kind]int{}
	for seed := range int64(150) {
		rng := rand.New(rand.NewSource(seed))
		rate := []float64{0, 0.001, 0.01}
		g := newGraph(rng, 1+rng.Intn(3000), rate[rng.Intn(3)], rate[rng.Intn(3)])
		m, deadlock := g.model(), rng.Intn(3) == 0
		want := exploreDumbly(m, deadlock)
		var one Result
		for _, workers := range workerCounts {
			r := mustRun(t, m, Options{Workers: workers, CheckDeadlock: deadlock})
			length, end := 0, ""
			if v := r.Violation; v != nil {
				length, end = len(v.Run), fmt.Sprint(v.Kind, v.Property)
				g.mustBeRun(t, v)
			}
			if r.Distinct != want.distinct || r.Generated != want.generated || r.Depth != want.depth ||
				length != want.length || (length > 0 && !want.ends[end]) {
				t.Fatalf("seed %d, %d workers: got %d distinct, %d generated, depth %d, run of %d to %s, want %+v",
					seed, workers, r.Distinct, r.Generated, r.Depth, length, end, want)
			}
			if workers == 1 {
				one = r
				if r.Violation != nil {
					violations[r.Violation.Kind]++
				}
			} else if !reflect.DeepEqual(r.Violation, one.Violation) {
				t.Fatalf("seed %d, %d workers: got %v\nwith one worker: %v", seed, workers, r.Violation, one.Violation)
			}
		}
	}
	t.Logf("violations by kind: %v", violations)
	if violations[Invariant] < 10 || violations[StepProperty] < 10 || violations[Deadlock] < 10 {
		t.Errorf("the graphs are too tame: %v", violations)
	}
}

// Not only the run that is reported, but all the links are the same for any workers.
func TestLinksDoNotDependOnWorkers(t *testing.T) {
	for seed := range int64(5) {
		m := newGraph(rand.New(rand.NewSource(seed)), 3000, 0, 0).model()
		var one map[uint64]link
		for _, workers := range workerCounts {
			links := map[uint64]link{}
			r := newRun(m, Options{Workers: workers})
			var states []uint64
			r.options.Visit = func(s []byte) { states = append(states, fingerprint(s)) }
			r.explore()
			for _, fp := range states {
				links[fp] = r.table.lookup(fp)
			}
			if one == nil {
				one = links
			}
			if !reflect.DeepEqual(links, one) {
				t.Errorf("seed %d: other links with %d workers than with one", seed, workers)
			}
		}
	}
}

// mustBeRun checks that v is a run of g from an initial state to a violation.
func (g *graph) mustBeRun(t *testing.T, v *Violation) {
	t.Helper()
	at := -1
	for i, e := range v.Run {
		var to int
		var pad []byte
		if _, err := fmt.Sscanf(e.State[0].Value, "%x", &pad); err != nil {
			t.Fatal(err)
		}
		to = g.number[string(pad)]
		ok := false
		if i == 0 {
			for _, s := range g.start {
				ok = ok || s == to
			}
			ok = ok && e.Step == Step{}
		} else {
			for _, x := range g.edges[at] {
				last := i == len(v.Run)-1 && v.Kind == StepProperty
				ok = ok || x.to == to && e.Step.Args[0] == int8(to) && (!last || x.broken == v.Property)
			}
		}
		if !ok {
			t.Fatalf("state %d of the run cannot come here: %v", i, v)
		}
		at = to
	}
	if v.Kind == Invariant && g.badNodes[at] != v.Property || v.Kind == Deadlock && len(g.edges[at]) > 0 {
		t.Fatalf("the last state is in order: %v", v)
	}
}

func TestVisit(t *testing.T) {
	g := newGraph(rand.New(rand.NewSource(7)), 5000, 0, 0)
	var first [][]byte
	for _, workers := range workerCounts {
		var visited [][]byte
		seen := map[string]bool{}
		r := mustRun(t, g.model(), Options{Workers: workers, Visit: func(s []byte) {
			visited = append(visited, bytes.Clone(s))
			seen[string(s)] = true
		}})
		if len(visited) != r.Distinct || len(seen) != r.Distinct {
			t.Errorf("%d workers: %d visits of %d states, want %d", workers, len(visited), len(seen), r.Distinct)
		}
		if first == nil {
			first = visited
		}
		if !reflect.DeepEqual(visited, first) {
			t.Errorf("%d workers: another order than with one", workers)
		}
	}
}

func TestMemoryBound(t *testing.T) {
	m := grid(4, 16, 20)
	all := mustRun(t, m, Options{Workers: 1})
	if r := mustRun(t, m, Options{Workers: 1, MaxBytes: all.PeakBytes}); r.Distinct != 1<<16 {
		t.Errorf("the bound that is just enough gives %d states", r.Distinct)
	}
	for _, workers := range workerCounts {
		for _, bound := range []int64{1, pageBytes, 64 << 10, all.PeakBytes / 2, all.PeakBytes - 1} {
			if workers > 1 && bound == all.PeakBytes-1 {
				continue // With more workers, more memory may hold less or more.
			}
			r, err := Run(context.Background(), m, Options{Workers: workers, MaxBytes: bound})
			var limit *LimitError
			if !errors.As(err, &limit) {
				t.Fatalf("%d workers, %d bytes: %v", workers, bound, err)
			}
			if limit.Distinct != r.Distinct || limit.Generated != r.Generated || limit.Depth != r.Depth ||
				limit.MaxBytes != bound || limit.Depth < 1 || r.PeakBytes > bound || r.Distinct >= 1<<16 {
				t.Errorf("%d workers, %d bytes: %+v, %+v", workers, bound, limit, r)
			}
			if bound > 1<<20 && r.Distinct < 1<<14 {
				t.Errorf("%d bytes hold only %d states", bound, r.Distinct)
			}
		}
	}
	r, err := Run(context.Background(), m, Options{Workers: 1, MaxBytes: all.PeakBytes + 1000, Visit: func([]byte) {}})
	if err == nil {
		t.Errorf("the memory of Visit is not counted: %+v", r)
	}
}

// What Run says it holds is what it holds, and there are no small allocations.
func TestMemoryIsCounted(t *testing.T) {
	m := cheap(6)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r := mustRun(t, m, Options{Workers: 2})
	runtime.ReadMemStats(&after)
	if allocated := int64(after.TotalAlloc - before.TotalAlloc); allocated > r.PeakBytes*11/10 {
		t.Errorf("%d bytes were allocated, and %d are counted", allocated, r.PeakBytes)
	}
	if each := float64(r.PeakBytes) / float64(r.Distinct); each > 22.5+5 {
		t.Errorf("a state costs %.1f bytes, of which at most 22.5 are the table's", each)
	}
	if n := int(after.Mallocs - before.Mallocs); n > r.Distinct/50 {
		t.Errorf("%d allocations for %d states", n, r.Distinct)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	endless := toy{
		initial: [][]byte{make([]byte, 8)},
		expand: func(s []byte, emit func(Step, []byte, string)) {
			for i := range s {
				next := bytes.Clone(s)
				next[i]++
				emit(Step{Action: "Count"}, next, "")
			}
		},
	}
	for _, workers := range workerCounts {
		ctx, cancel := context.WithCancel(ctx)
		visits := 0
		r, err := Run(ctx, endless, Options{Workers: workers, Visit: func([]byte) {
			if visits++; visits == 1000 {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) || r.Distinct < 1000 {
			t.Errorf("%d workers: %v after %d states", workers, err, r.Distinct)
		}
	}
	cancel()
	if _, err := Run(ctx, mutex(), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before it began: %v", err)
	}
}

// The run is found too if other states of the same levels may lie on it: here, all of them.
func TestReplayAmongMany(t *testing.T) {
	m := ring(5)
	r := newRun(m, Options{Workers: 2})
	var wanted []map[uint64]bool
	r.options.Visit = func(s []byte) {
		if level := r.table.lookup(fingerprint(s)).level(); level > len(wanted) {
			wanted = append(wanted, map[uint64]bool{})
		}
		wanted[len(wanted)-1][fingerprint(s)] = true
	}
	r.explore()
	if len(wanted) != 14 {
		t.Fatalf("%d levels", len(wanted))
	}
	wanted[13] = map[uint64]bool{fingerprint([]byte{3, 31}): true}
	steps := 0
	last := r.replay(wanted)
	for v := last; v != nil && v.from != nil; v = v.from {
		steps++
	}
	if steps != 13 || !bytes.Equal(last.state, []byte{3, 31}) {
		t.Errorf("%d steps to %v", steps, last)
	}
}

// A model whose second answer is not its first is found out.
func TestUnrepeatable(t *testing.T) {
	m, calls := mutex(), 0
	expand := m.expand
	m.expand = func(s []byte, emit func(Step, []byte, string)) {
		if calls++; calls < 9 {
			expand(s, emit)
		}
	}
	r, err := Run(context.Background(), m, Options{Workers: 1})
	if !errors.Is(err, errUnrepeatable) {
		t.Errorf("got %v, %v", r.Violation, err)
	}
}
