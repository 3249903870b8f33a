package web

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/spec"
)

// stream is a stream of events that is being read.
type stream struct {
	t     *testing.T
	lines *bufio.Scanner
}

func open(t *testing.T, url string) stream {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/events", nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "text/event-stream", response.Header.Get("Content-Type"))
	require.Equal(t, "*", response.Header.Get("Access-Control-Allow-Origin"))
	return stream{t, bufio.NewScanner(response.Body)}
}

// next returns the next event, but for when it was, and false at the end of the stream.
func (s stream) next() (string, bool) {
	s.t.Helper()
	for s.lines.Scan() {
		if data, ok := strings.CutPrefix(s.lines.Text(), "data: "); ok {
			var e Event
			require.NoError(s.t, json.Unmarshal([]byte(data), &e))
			require.Positive(s.t, e.At)
			_, rest, _ := strings.Cut(data, ",")
			return "{" + rest, true
		}
	}
	return "", false
}

// step is a step after which node 3 is in a state.
func step(role spec.Role, lease spec.NodeID, epoch spec.Epoch) *spec.Event {
	return &spec.Event{Node: three, State: spec.State{Role: role, Leader: lease, Epoch: epoch}}
}

func TestEvents(t *testing.T) {
	url, events := serve(t, newFake(), nil)
	require.NoError(t, events.Record(step(spec.Follower, spec.NodeID{}, 0)))
	s := open(t, url)
	says := func(want string) {
		t.Helper()
		got, ok := s.next()
		require.True(t, ok, "the stream must go on; the next event must be %s", want)
		require.Equal(t, want, got)
	}
	says(`{"node":"3","role":"follower","leader":null,"epoch":0,"leading":false}`)
	for _, c := range []struct {
		step *spec.Event
		want string
	}{
		{step(spec.Electing, five, 3), `{"node":"3","role":"electing","leader":null,"epoch":3,"leading":false}`}, // a lease is no reign
		{step(spec.Follower, five, 3), `{"node":"3","role":"follower","leader":"5","epoch":3,"leading":false}`},
		{step(spec.Claimant, five, 3), `{"node":"3","role":"claimant","leader":null,"epoch":3,"leading":false}`},
		{step(spec.Leader, three, 4), `{"node":"3","role":"leader","leader":"3","epoch":4,"leading":true}`},
	} {
		require.NoError(t, events.Record(c.step))
		require.NoError(t, events.Record(c.step), "no change")
		says(c.want)
	}
	// The end of a reign is told before the step is recorded.
	events.Changed(host.Leadership{})
	says(`{"node":"3","role":"leader","leader":null,"epoch":4,"leading":false}`)
	events.Changed(host.Leadership{Leader: five, Epoch: 5})
	require.NoError(t, events.Record(step(spec.Follower, five, 5)))
	says(`{"node":"3","role":"follower","leader":"5","epoch":5,"leading":false}`)

	// Who comes late is told at once, and what it is now.
	late := open(t, url)
	got, ok := late.next()
	require.True(t, ok, "a late listener must get an event at once")
	require.Equal(t, `{"node":"3","role":"follower","leader":"5","epoch":5,"leading":false}`, got)
	events.close()
	_, ok = late.next()
	require.False(t, ok, "the stream must end when the events are closed")
	code, _, _ := get(t, url+"/events")
	require.Equal(t, http.StatusServiceUnavailable, code)
}

// TestBehind sees that a listener who does not read is cut off, and holds up neither the node nor others.
func TestBehind(t *testing.T) {
	events := NewEvents(three, nil)
	slow, _, ok := events.listen()
	require.True(t, ok, "a slow listener is admitted")
	for epoch := range spec.Epoch(backlog + 10) {
		require.NoError(t, events.Record(step(spec.Follower, spec.NodeID{}, epoch+1)))
	}
	require.Equal(t, backlog, drainCut(t, slow))
	fresh, stop, ok := events.listen()
	require.True(t, ok, "a second listener is admitted")
	require.Equal(t, spec.Epoch(backlog+10), (<-fresh).Epoch)
	stop()
	stop()
	require.Zero(t, drainCut(t, fresh))
}

// drainCut returns how many events a listener can read that has been cut off. It does not wait: Events
// cuts a listener off before Record or stop returns.
func drainCut(t *testing.T, listener <-chan Event) (read int) {
	t.Helper()
	for {
		select {
		case _, open := <-listener:
			if !open {
				return read
			}
			read++
		default:
			require.Fail(t, "the listener is not cut off", "it has read %d events", read)
		}
	}
}

func TestTooManyListeners(t *testing.T) {
	url, events := serve(t, newFake(), nil)
	var stops []func()
	for range maxListeners {
		_, stop, ok := events.listen()
		require.True(t, ok, "each listener up to the bound is admitted")
		stops = append(stops, stop)
	}
	code, _, _ := get(t, url+"/events")
	require.Equal(t, http.StatusServiceUnavailable, code)
	stops[0]()
	open(t, url)
}

// TestHeadOfAStream asks for the head of each stream, which ends at once: who asks for it does not listen.
func TestHeadOfAStream(t *testing.T) {
	url, events := serve(t, newFake(), nil)
	record(t, events, started())
	for _, path := range []string{"/events", "/steps"} {
		ended := make(chan struct{})
		w := httptest.NewRecorder()
		go func() {
			defer close(ended)
			if path == "/events" {
				events.serve(w, httptest.NewRequest(http.MethodHead, path, nil))
			} else {
				events.steps.serve(w, httptest.NewRequest(http.MethodHead, path, nil))
			}
		}()
		<-ended
		require.Equal(t, "text/event-stream", w.Header().Get("Content-Type"))
		response, err := http.Head(url + path)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode)
	}
}

// recorder is a trace that fails.
type recorder struct{ steps int }

func (r *recorder) Record(*spec.Event) error {
	r.steps++
	return errors.New("the disk is full")
}

// TestRecord sees that steps go on to the trace, and its errors back.
func TestRecord(t *testing.T) {
	var r recorder
	events := NewEvents(three, &r)
	require.EqualError(t, events.Record(step(spec.Follower, five, 3)), "the disk is full")
	require.Equal(t, 1, r.steps)
	c, _, _ := events.listen()
	require.Equal(t, five, (<-c).Leader, "what the node is does not depend on its record")
}
