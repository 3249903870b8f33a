package interactive_test

import (
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/interactive"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// viewer is what the page makes of frames: what the flights and the nodes are, by the rules of traces/viewer/src/recording.ts.
type viewer struct {
	t          require.TestingT
	header     recording.Header
	checker    *recording.Checker // what files of recordings are held to
	count      int
	at         int64
	last       recording.Kind // of the last frame
	woke       int64          // when a node went on last
	flights    []flight
	links      map[recording.Link][]int // the messages under way, by number, in the order in which they were sent
	nodes      []recording.State
	cut        []recording.Link
	indicators map[string]recording.Light
	unsent     map[int]int // of each node that waits for its disk: the first message that waits with it
}

type flight struct {
	recording.Message
	from  int
	sent  int64
	ended bool
}

func viewerOf(t require.TestingT, h recording.Header) *viewer {
	v := &viewer{t: t, header: h, nodes: make([]recording.State, len(h.Nodes)), indicators: map[string]recording.Light{}, links: map[recording.Link][]int{}, unsent: map[int]int{}, woke: -1}
	var err error
	v.checker, err = recording.NewChecker(&h)
	require.NoError(t, err)
	for i := range v.nodes {
		v.nodes[i] = recording.State{Look: recording.Down, Leader: -1}
	}
	for _, l := range h.Indicators {
		v.indicators[l.Name] = l.Light
	}
	return v
}

// show adds frames, and holds them to be such that what the page makes of them is what has happened.
func (v *viewer) show(frames []recording.Frame) {
	for k := range frames {
		v.frame(&frames[k])
		v.count++
	}
}

// must holds that something is so in a frame.
func (v *viewer) must(so bool, f *recording.Frame, what string) {
	if !so {
		require.Fail(v.t, what, "%s, frame %d: %+v", v.header.Title, v.count+1, *f)
	}
}

func (v *viewer) frame(f *recording.Frame) {
	if err := v.checker.Frame(f); err != nil {
		v.must(false, f, err.Error())
	}
	v.must(f.At >= v.at, f, "time goes on")
	v.must(f.Text != "" && f.Node >= -1 && f.Node < len(v.nodes), f, "it says what happened, and to whom")
	v.at, v.last = f.At, f.Kind
	v.ends(f)
	for _, m := range f.Sends {
		v.must(m.Number == len(v.flights)+1 && m.To >= 0 && m.To < len(v.nodes) && m.To != f.Node && m.Kind != "", f, "messages have numbers in their order")
		v.must(v.carries(f.Node, m.To) == !m.Lost, f, "what is lost at once is what nothing carries")
		v.must(m.Lost || m.Due >= f.At, f, "it arrives later")
		v.flights = append(v.flights, flight{Message: m, from: f.Node, sent: f.At, ended: m.Lost})
		if link := (recording.Link{f.Node, m.To}); !m.Lost {
			v.links[link] = append(v.links[link], m.Number)
		}
	}
	switch {
	case f.Kind == recording.Save || f.Kind == recording.Crash:
		delete(v.unsent, f.Node)
	case f.State != nil && f.State.Saving && len(f.Sends) > 0:
		v.unsent[f.Node] = f.Sends[0].Number
	}
	for _, m := range f.Moves {
		v.must(f.Kind == recording.Intervene && !v.flights[m.Number-1].ended && m.Due >= v.flights[m.Number-1].sent, f, "what moves is under way")
	}
	if f.Cut != nil {
		v.cut = *f.Cut
		v.lose(func(l recording.Link) bool { return slices.Contains(v.cut, l) })
	}
	v.state(f)
	for _, l := range f.Indicators {
		v.must(v.indicators[l.Name] != l.Light && (l.Light == recording.Green) == (l.Says == ""), f, "an indicator changes, and says why")
		v.indicators[l.Name] = l.Light
	}
	acting := 0
	for _, n := range v.nodes {
		if n.Look == recording.Leads && !n.Paused {
			acting++
		}
	}
	if f.Kind == recording.Resume {
		v.woke = f.At
	}
	red, amber := v.indicators["OneActing"] == recording.Red, v.indicators["SomeLeader"] == recording.Amber
	v.must(acting > 1 || !red, f, "OneActing shows what the nodes show")
	v.must(acting < 2 || red || v.woke == f.At, f, "OneActing shows what the nodes show, but for who wakes up this moment")
	v.must(acting == 0 || !amber || v.woke == f.At, f, "SomeLeader shows what the nodes show")
}

// ends holds that a message ends once, and in its turn on its link.
func (v *viewer) ends(f *recording.Frame) {
	v.must((f.Takes > 0) == (f.Kind == recording.Receive || f.Kind == recording.Lose), f, "it says what it takes")
	if f.Takes > 0 {
		v.must(f.Takes <= len(v.flights) && !v.flights[f.Takes-1].ended, f, "what is taken is under way")
		m := &v.flights[f.Takes-1]
		link := recording.Link{m.from, m.To}
		v.must(f.Kind == recording.Lose || m.To == f.Node && v.links[link][0] == f.Takes, f, "it is taken by whom it is to, and overtakes none")
		waits, saves := v.unsent[m.from]
		v.must(!saves || f.Takes < waits, f, "it has left its sender")
		m.ended = true
		v.links[link] = slices.DeleteFunc(v.links[link], func(n int) bool { return n == f.Takes })
	}
	if f.Kind == recording.Crash {
		v.lose(func(l recording.Link) bool { return l[0] == f.Node || l[1] == f.Node })
	}
}

func (v *viewer) lose(which func(l recording.Link) bool) {
	for l, numbers := range v.links {
		if which(l) {
			for _, n := range numbers {
				v.flights[n-1].ended = true
			}
			delete(v.links, l)
		}
	}
}

// carries reports whether what is sent over a link leaves: it is not cut, and the receiver is up. One that has not started yet
// is there already.
func (v *viewer) carries(from, to int) bool {
	return !slices.Contains(v.cut, recording.Link{from, to}) && (v.count < len(v.nodes) || v.nodes[to].Look != recording.Down)
}

// state holds that a node that is down, or paused, does nothing.
func (v *viewer) state(f *recording.Frame) {
	if f.Node < 0 {
		v.must(f.State == nil, f, "it befalls none")
		return
	}
	was := v.nodes[f.Node]
	switch f.Kind {
	case recording.Start, recording.Restart:
		v.must(was.Look == recording.Down, f, "it was down")
	case recording.Receive, recording.Timer, recording.Call, recording.Save:
		v.must(was.Look != recording.Down && was.Saving == (f.Kind == recording.Save), f, "it is up, and waits for its disk")
		v.must(!f.State.Paused || f.Kind == recording.Save, f, "it is not paused")
	}
	if f.State == nil {
		v.must(f.Kind == recording.Write, f, "it has a state")
		return
	}
	v.must((f.Kind == recording.Crash) == (f.State.Look == recording.Down), f, "who crashes is down")
	v.must(f.State.Role != "" && f.State.Leader >= -1 && f.State.Leader < len(v.nodes)-v.header.Servers, f, "a state")
	v.nodes[f.Node] = *f.State
}

// leader returns who leads, or -1.
func (v *viewer) leader() int {
	return slices.IndexFunc(v.nodes, func(n recording.State) bool { return n.Look == recording.Leads && !n.Paused })
}

// until goes on until something is so, in at most so many frames, and returns the last frame.
func (v *viewer) until(s *interactive.Run, most int, so func() bool) (last recording.Frame) {
	for range most {
		frames, ended := s.Next(1)
		v.show(frames)
		if len(frames) > 0 {
			last = frames[0]
		}
		if so() {
			return last
		}
		require.False(v.t, ended, "the run ended before the condition held")
	}
	require.Fail(v.t, "it never is so", "%s, after %d frames", v.header.Title, v.count)
	return last
}
