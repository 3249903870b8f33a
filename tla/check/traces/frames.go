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
// finds out whether it is so. Of what is under way it has only what will be received or lost by an event: all else may be
// lost at once, and a link of which nobody takes anything would grow for ever.
type frame struct {
	states  []int32   // of each rank, a place in trace.states
	up, new []bool    // of each rank: it runs, it has never started
	way     []message // what is under way, in the order sent
	cut     int32     // a place in trace.cuts
}

// cut returns the chunks of the trace, of so many events each. If a message comes that was not under way, the trace ends
// with that event: TLC refuses it there, or before.
func (t *trace) chunks(size int) []chunk {
	first := newTracker(t, nil)
	end := len(t.events)
	for i := range t.events {
		if !first.take(&t.events[i]) {
			end = i + 1
			break
		}
	}
	second := newTracker(t, first.taken)
	chunks := make([]chunk, 0, end/size+1)
	for at := 0; at < end || at == 0; at += size {
		begin := second.frame()
		if at > 0 {
			chunks[len(chunks)-1].end = begin
		}
		chunks = append(chunks, chunk{trace: t, first: at, last: min(at+size, end), begin: begin})
		for i := at; i < min(at+size, end); i++ {
			second.take(&t.events[i])
		}
	}
	return chunks
}

// tracker follows what a trace says of the cluster.
type tracker struct {
	*trace
	now   frame
	links map[link][]flight
	sent  int    // how many messages there have been
	taken []bool // which of them have been received or lost by an event
	only  []bool // which of them are followed; nil for all
}

// flight is a message under way.
type flight struct {
	number int // among all that were sent
	message
}

func newTracker(t *trace, only []bool) *tracker {
	n := len(t.members) + 1
	k := &tracker{trace: t, links: map[link][]flight{}, only: only}
	k.now = frame{states: make([]int32, n), up: make([]bool, n), new: make([]bool, n)}
	for i := 1; i < n; i++ {
		k.now.new[i] = true
	}
	return k
}

// frame returns the present state.
func (k *tracker) frame() *frame {
	f := frame{states: slices.Clone(k.now.states), up: slices.Clone(k.now.up), new: slices.Clone(k.now.new), cut: k.now.cut}
	var way []flight
	for _, queue := range k.links {
		way = append(way, queue...)
	}
	slices.SortFunc(way, func(a, b flight) int { return a.number - b.number })
	for _, m := range way {
		f.way = append(f.way, m.message)
	}
	return &f
}

// take takes an event. It reports false if a message comes that is not under way.
func (k *tracker) take(e *event) bool {
	arrives := e.input.kind == "" || k.arrive(e)
	switch e.action {
	case spec.LoseAction:
		return arrives
	case spec.CutAction:
		k.now.cut = e.sent
		for _, l := range k.cuts[e.sent] {
			delete(k.links, l)
		}
		return true
	case spec.StartAction, spec.RestartAction:
		k.now.up[e.node], k.now.new[e.node] = true, false
	case spec.CrashAction:
		k.now.up[e.node] = false
		for other := range k.now.up {
			delete(k.links, link{e.node, rank(other)})
			delete(k.links, link{rank(other), e.node})
		}
	}
	k.now.states[e.node] = e.state
	for _, m := range k.sents[e.sent] {
		if k.now.up[m.to] && !slices.Contains(k.cuts[k.now.cut], m.link) && (k.only == nil || k.sent < len(k.only) && k.only[k.sent]) {
			k.links[m.link] = append(k.links[m.link], flight{k.sent, m})
		}
		k.sent++
	}
	return arrives
}

// arrive takes a message from its link: the first that is the same. What was sent before a message received is lost.
func (k *tracker) arrive(e *event) bool {
	queue := k.links[e.input.link]
	at := slices.IndexFunc(queue, func(f flight) bool { return f.message == e.input })
	if at < 0 {
		return false
	}
	if k.only == nil {
		number := queue[at].number
		if number >= len(k.taken) {
			k.taken = append(k.taken, make([]bool, number+1-len(k.taken))...)
		}
		k.taken[number] = true
	}
	if e.action == spec.LoseAction {
		k.links[e.input.link] = slices.Delete(queue, at, at+1)
	} else {
		k.links[e.input.link] = queue[at+1:]
	}
	return true
}
