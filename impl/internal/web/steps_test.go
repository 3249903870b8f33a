package web

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/spec"
)

// watching is a stream of steps that is being read.
type watching struct {
	t     *testing.T
	lines *bufio.Scanner
	id    string // of the last
	leave func()
}

// watch opens the stream of steps, behind the one with this id if it is not "".
func watch(t *testing.T, url, last string) *watching {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/steps", nil)
	require.NoError(t, err)
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	return watchBy(t, request, cancel)
}

func watchBy(t *testing.T, request *http.Request, cancel func()) *watching {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	leave := sync.OnceFunc(func() { cancel(); _ = response.Body.Close() })
	t.Cleanup(leave)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "text/event-stream", response.Header.Get("Content-Type"))
	require.Equal(t, "*", response.Header.Get("Access-Control-Allow-Origin"))
	return &watching{t: t, lines: bufio.NewScanner(response.Body), leave: leave}
}

// next returns the next step, and false at the end of the stream.
func (w *watching) next() (spec.Event, bool) {
	w.t.Helper()
	for w.lines.Scan() {
		if id, ok := strings.CutPrefix(w.lines.Text(), "id: "); ok {
			w.id = id
		}
		if data, ok := strings.CutPrefix(w.lines.Text(), "data: "); ok {
			var e spec.Event
			require.NoError(w.t, json.Unmarshal([]byte(data), &e))
			require.True(w.t, strings.HasSuffix(w.id, fmt.Sprintf("-%d", e.Seq)), "%s is the id of step %d", w.id, e.Seq)
			require.Positive(w.t, e.At)
			return e, true
		}
	}
	return spec.Event{}, false
}

// wants reads steps, which must have these numbers.
func (w *watching) wants(seqs ...uint64) {
	w.t.Helper()
	for _, want := range seqs {
		e, ok := w.next()
		require.True(w.t, ok, "step %d must be sent", want)
		require.Equal(w.t, want, e.Seq)
	}
}

// started is a first start of node 3, and heartbeat a HEARTBEAT that it says.
func started() *spec.Event {
	return &spec.Event{Node: three, Action: spec.StartAction, State: spec.State{Role: spec.Follower, Latest: 1}}
}

func heartbeat() *spec.Event {
	return &spec.Event{Node: three, Action: spec.HeartbeatTimeout, Input: spec.Input{Timer: spec.HeartbeatTimer},
		Sent: []spec.Message{{Type: spec.Heartbeat, From: three, To: five, Epoch: 4, Question: 9}},
		State: spec.State{Role: spec.Leader, Leader: three, Epoch: 4, Grantee: three, Support: []spec.NodeID{five},
			Latest: 9, Dated: 8, Answered: []spec.Answered{{Node: five, Question: 8}}}}
}

// stood is a step of an election: each is of an epoch of its own.
func stood(epoch spec.Epoch) *spec.Event {
	return &spec.Event{Node: three, Action: spec.PatienceTimeout, Input: spec.Input{Timer: spec.PatienceTimer},
		Sent: []spec.Message{{Type: spec.Election, From: three, To: five, Question: 2}}, State: spec.State{Role: spec.Electing, Epoch: epoch, Asked: 2, Latest: 2}}
}

func record(t *testing.T, events *Events, all ...*spec.Event) {
	t.Helper()
	for _, e := range all {
		require.NoError(t, events.Record(e))
	}
}

// to returns the numbers from one to another.
func to(from, last uint64) (all []uint64) {
	for n := from; n <= last; n++ {
		all = append(all, n)
	}
	return all
}

// TestSteps sees that who comes is told what there was, and then what happens; and that who comes back has no step twice, and
// misses none.
func TestSteps(t *testing.T) {
	url, events := serve(t, newFake(), nil)
	record(t, events, started(), stood(0))
	w := watch(t, url, "")
	w.wants(1)
	e, ok := w.next()
	require.True(t, ok, "the stream must go on")
	want := *stood(0)
	want.Seq, want.At = 2, e.At
	require.Equal(t, want, e)
	record(t, events, stood(1), heartbeat(), heartbeat())
	w.wants(3, 4, 5)
	w.leave()

	record(t, events, heartbeat(), stood(2))
	w = watch(t, url, w.id)
	w.wants(6, 7)
	record(t, events, heartbeat())
	w.wants(8)

	ctx, cancel := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/steps?after="+w.id, nil)
	require.NoError(t, err)
	by := watchBy(t, request, cancel)
	record(t, events, heartbeat())
	by.wants(9)
	for _, other := range []string{"17-8", "8", "x-y", strings.Replace(w.id, "-8", "-x", 1), strings.Replace(w.id, "-8", "--8", 1)} {
		watch(t, url, other).wants(1, 2, 3, 4, 5, 6, 7, 8, 9)
	}

	w.wants(9)
	events.close()
	_, ok = w.next()
	require.False(t, ok, "the stream must end when the events are closed")
	code, _, _ := get(t, url+"/steps")
	require.Equal(t, http.StatusServiceUnavailable, code)
}

// TestStepsCopy sees that what is kept does not change with what the host makes of its event.
func TestStepsCopy(t *testing.T) {
	s := newSteps()
	e := heartbeat()
	e.At = 17
	s.add(e)
	e.Sent[0].Epoch, e.State.Support[0] = 9, five
	*e = *started()
	got, lost := s.read(0)
	require.False(t, lost, "no step is lost")
	want := *heartbeat()
	want.Seq, want.At = 1, 17
	require.Equal(t, []spec.Event{want}, got)
}

// TestUpkeep sees which steps only keep a reign alive.
func TestUpkeep(t *testing.T) {
	leads := heartbeat().State
	for _, c := range []struct {
		e      *spec.Event
		before spec.State
		want   bool
	}{
		{heartbeat(), leads, true},
		{heartbeat(), spec.State{Role: spec.Claimant, Epoch: 4, Grantee: three}, false},
		{heartbeat(), spec.State{Role: spec.Leader, Leader: three, Epoch: 3, Grantee: three}, false},
		{&spec.Event{Action: spec.OnHeartbeat, State: spec.State{Role: spec.Follower, Leader: five}}, spec.State{Role: spec.Electing, Leader: five}, false},
		{&spec.Event{Action: spec.ReignTimeout, State: spec.State{Role: spec.Leader, Leader: three, Epoch: 4}}, leads, false},
		{&spec.Event{Action: spec.OnHeartbeat, State: leads}, leads, true},
		{&spec.Event{Action: spec.OnAck, State: leads}, leads, true},
		{&spec.Event{Action: spec.OnHeartbeat, Sent: []spec.Message{{Type: spec.Ack}}, State: leads}, leads, true},
		{&spec.Event{Action: spec.OnHeartbeat, Sent: []spec.Message{{Type: spec.Refuse}}, State: leads}, leads, false},
		{&spec.Event{Action: spec.OnImBack, State: leads}, leads, false},
	} {
		require.Equal(t, c.want, isUpkeep(c.e, &c.before), c.e)
	}
}

// TestStepsKept sees that memory is bounded, and that a long quiet time leaves the last elections.
func TestStepsKept(t *testing.T) {
	url, events := serve(t, newFake(), nil)
	for n := range spec.Epoch(keptTelling + 10) {
		record(t, events, stood(n+1))
	}
	record(t, events, heartbeat()) // the first is none of the upkeep: it leads now
	for range 3 * keptUpkeep {
		record(t, events, heartbeat())
	}
	w := watch(t, url, "")
	total := uint64(keptTelling + 11 + 3*keptUpkeep)
	w.wants(to(12, keptTelling+11)...)
	w.wants(to(total-keptUpkeep+1, total)...)
	s := events.steps
	require.Len(t, s.telling.slots, keptTelling)
	require.Len(t, s.upkeep.slots, keptUpkeep)
	_, lost := s.read(total - keptUpkeep)
	require.False(t, lost, "the last steps of upkeep must be kept")
	_, lost = s.read(total - keptUpkeep - 1)
	require.True(t, lost, "upkeep that is kept no more")
}

// count returns how many listen.
func (s *steps) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.listeners)
}

// blocked is a listener that takes nothing more after the first few writes, until it is let go.
type blocked struct {
	*httptest.ResponseRecorder
	writes  int
	stuck   chan struct{}
	goesOn  chan struct{}
	stuckAt int
}

func (b *blocked) SetWriteDeadline(time.Time) error { return nil }

func (b *blocked) Write(p []byte) (int, error) {
	if b.writes++; b.writes == b.stuckAt {
		close(b.stuck)
		<-b.goesOn
	}
	return b.ResponseRecorder.Write(p)
}

// TestStepsBehind sees that a listener who does not read holds up neither the node nor others, and is cut off when it has
// missed a step; it may come back.
func TestStepsBehind(t *testing.T) {
	events := NewEvents(three, nil)
	record(t, events, started())
	slow := &blocked{ResponseRecorder: httptest.NewRecorder(), stuck: make(chan struct{}), goesOn: make(chan struct{}), stuckAt: 2}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		events.steps.serve(slow, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/steps", nil))
	}()
	<-slow.stuck // with step 1 to be written
	for n := range spec.Epoch(keptTelling) {
		record(t, events, stood(n+1))
	}
	require.Equal(t, 1, events.steps.count())
	record(t, events, stood(1000)) // step 2 is kept no more
	close(slow.goesOn)
	<-ended
	require.Zero(t, events.steps.count())
	text := slow.Body.String()
	require.Contains(t, text, `data: {"seq":1,`)
	require.NotContains(t, text, `data: {"seq":2,`)
	require.NotContains(t, text, `data: {"seq":3,`, "no gap that it does not know of")

	l := listener{steps: events.steps, out: httptest.NewRecorder(), seq: 1}
	found, lost := l.steps.read(l.seq)
	require.True(t, lost, "a listener must learn that it has missed a step")
	require.EqualValues(t, 3, found[0].Seq, "it begins anew with what there is")
}

// TestStepsStuck sees that a listener who takes nothing more, or to whom no deadline can be given, is left.
func TestStepsStuck(t *testing.T) {
	events := NewEvents(three, nil)
	for range keptUpkeep {
		record(t, events, heartbeat())
	}
	l := listener{steps: events.steps, out: failing{httptest.NewRecorder()}}
	require.False(t, l.catchUp(), "a listener that cannot be written to must be dropped")
	require.EqualValues(t, batch, l.seq, "it ends with the first write that fails")
	require.False(t, (&listener{out: httptest.NewRecorder()}).write([]byte("x")), "nor does one to whom no deadline can be given")
}

// failing is a listener that is gone.
type failing struct{ *httptest.ResponseRecorder }

func (failing) SetWriteDeadline(time.Time) error { return nil }
func (failing) Write([]byte) (int, error)        { return 0, http.ErrHandlerTimeout }
func (f failing) Unwrap() http.ResponseWriter    { return f.ResponseRecorder }

// TestManyListeners sees that all who listen hear the same, while steps are taken, and that no more may listen than that.
func TestManyListeners(t *testing.T) {
	url, events := serve(t, newFake(), nil)
	record(t, events, started())
	const n, steps = 20, 300
	var all []*watching
	for range n {
		all = append(all, watch(t, url, ""))
	}
	var reading sync.WaitGroup
	heard := make([]int, n)
	for i, w := range all {
		reading.Go(func() {
			for heard[i] < steps {
				e, ok := w.next()
				if !ok || e.Seq != uint64(heard[i]+1) {
					return
				}
				heard[i]++
			}
		})
	}
	for range steps - 1 {
		record(t, events, heartbeat())
	}
	reading.Wait()
	for _, h := range heard {
		require.Equal(t, steps, h)
	}
	for range maxListeners - n {
		_, _, ok := events.steps.listen()
		require.True(t, ok, "each listener up to the bound is admitted")
	}
	code, _, _ := get(t, url+"/steps")
	require.Equal(t, http.StatusServiceUnavailable, code)
	all[0].leave()
	require.Eventually(t, func() bool {
		_, stop, ok := events.steps.listen()
		if ok {
			stop()
		}
		return ok
	}, time.Minute, time.Millisecond)
}

// TestStepThatIsNone sees that a step which is not well formed is said to be one, and does not end the stream.
func TestStepThatIsNone(t *testing.T) {
	s := newSteps()
	s.add(step(spec.Follower, five, 3))
	s.add(started())
	found, _ := s.read(0)
	text := string(s.encode(found))
	require.Regexp(t, `^: step 1 cannot be written: ".*action.*"\n\nid: \d+-2\ndata: \{"seq":2,.*\}\n\n$`, text)
}

// BenchmarkRecord is what a step costs a node when nobody listens, and when one does who reads nothing: the cost of encoding
// is the listener's.
func BenchmarkRecord(b *testing.B) {
	for _, listeners := range []int{0, 1, maxListeners} {
		b.Run(fmt.Sprintf("listeners=%d", listeners), func(b *testing.B) {
			events := NewEvents(three, nil)
			for range listeners {
				_, stop, _ := events.steps.listen()
				defer stop()
			}
			e := heartbeat()
			for range 2 * keptUpkeep {
				_ = events.Record(e)
			}
			b.ReportAllocs()
			for b.Loop() {
				_ = events.Record(e)
			}
		})
	}
}

// paper is what a listener is written on.
type paper struct {
	http.ResponseWriter
	writes int
}

func (p *paper) Write(text []byte) (int, error)   { p.writes++; return len(text), nil }
func (p *paper) Header() http.Header              { return http.Header{} }
func (p *paper) SetWriteDeadline(time.Time) error { return nil }
func (p *paper) Flush()                           {}

// TestPace: however many steps there are, a page is written to a few times a second.
func TestPace(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		s, p := newSteps(), &paper{}
		ctx, leave := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "/steps", nil)
		require.NoError(t, err)
		served := make(chan struct{})
		go func() { s.serve(p, request); close(served) }()
		for range 50 { // no batch is full
			s.add(&spec.Event{Node: three, Action: spec.StartAction})
			time.Sleep(pace / 5)
		}
		leave()
		<-served
		require.GreaterOrEqual(t, p.writes, 10)
		require.LessOrEqual(t, p.writes, 12, "one that it is there, one for what came so far, and one after each pause")
	})
}
