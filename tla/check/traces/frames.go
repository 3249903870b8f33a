package traces

import (
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// chunk is a part of a trace that is replayed on its own, from one frame to another.
type chunk struct {
	trace       *trace
	first, last int    // its events: trace.events[first:last]
	begin       *frame // before the first
	end         *frame // after the last; nil at the end of the trace
}

// frame is the state of the whole cluster between two events. It is a guess, made by taking the trace at its word; TLC
// finds out whether it is so. Of what was sent it has only what will be received or lost by an event: all that was ever sent would
// grow for ever.
type frame struct {
	states  []int32 // of each rank, a place in trace.states
	up, new []bool  // of each rank: it runs, it has never started
	way     []int32 // of what was sent, and comes later, places in trace.messages; in the order sent
	cut     int32   // a place in trace.cuts
}

// cut returns the chunks of the trace, of so many events each. If a message comes that was not sent, the trace ends
// with that event: TLC refuses it there, or before.
func (t *trace) chunks(size int) []chunk {
	first := newTracker(t)
	end := len(t.events)
	for i := range t.events {
		if !first.take(i) {
			end = i + 1
			break
		}
	}
	second := newTracker(t)
	chunks := make([]chunk, 0, end/size+1)
	for at := 0; at < end || at == 0; at += size {
		begin := second.frame(first, at)
		if at > 0 {
			chunks[len(chunks)-1].end = begin
		}
		chunks = append(chunks, chunk{trace: t, first: at, last: min(at+size, end), begin: begin})
		for i := at; i < min(at+size, end); i++ {
			second.take(i)
		}
	}
	return chunks
}

// tracker follows what a trace says of the cluster.
type tracker struct {
	*trace
	now   frame
	sent  map[int32]bool
	order []int32       // what was sent, each once
	comes map[int32]int // the last event that takes it
}

func newTracker(t *trace) *tracker {
	n := len(t.members) + 1
	k := &tracker{trace: t, sent: map[int32]bool{}, comes: map[int32]int{}}
	k.now = frame{states: make([]int32, n), up: make([]bool, n), new: make([]bool, n)}
	for i := 1; i < n; i++ {
		k.now.new[i] = true
	}
	return k
}

// frame returns the present state, before an event; whole has come to the end of the trace.
func (k *tracker) frame(whole *tracker, before int) *frame {
	f := frame{states: slices.Clone(k.now.states), up: slices.Clone(k.now.up), new: slices.Clone(k.now.new), cut: k.now.cut}
	k.order = slices.DeleteFunc(k.order, func(m int32) bool { at, comes := whole.comes[m]; return !comes || at < before })
	f.way = slices.Clone(k.order)
	return &f
}

// take takes an event. It reports false if a message comes that was not sent.
func (k *tracker) take(i int) bool {
	e := &k.events[i]
	if e.input != 0 {
		if !k.sent[e.input] {
			return false
		}
		k.comes[e.input] = i
	}
	switch e.action {
	case spec.LoseAction:
		return true
	case spec.CutAction:
		k.now.cut = e.sent
		return true
	case spec.StartAction, spec.RestartAction:
		k.now.up[e.node], k.now.new[e.node] = true, false
	case spec.CrashAction:
		k.now.up[e.node], k.now.new[e.node] = false, false
	}
	k.now.states[e.node] = e.state
	for _, m := range k.sents.all[e.sent] {
		if message := &k.messages.all[m]; !k.sent[m] && !slices.Contains(k.cuts.all[k.now.cut], spec.Link{From: message.From, To: message.To}) {
			k.sent[m] = true
			k.order = append(k.order, m)
		}
	}
	return true
}
