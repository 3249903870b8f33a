package peers

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fake is a node that has what a test gives it.
type fake struct {
	hub    *Hub
	well   error // what Healthy returns
	counts error // what Describe returns
	fails  chan error
	closed bool
}

func (f *fake) Hub() *Hub { return f.hub }

func (f *fake) Elect(ctx context.Context) error {
	select {
	case err := <-f.fails:
		return err
	case <-ctx.Done():
		return nil
	}
}

func (f *fake) Healthy() error { return f.well }

func (f *fake) Describe(s *Status) error {
	s.Counters = map[string]uint64{"writes": 3}
	return f.counts
}

func (f *fake) Close() error {
	f.closed = true
	return errors.New("it has closed")
}

func TestViewsThatDiffer(t *testing.T) {
	two, three := "2", "3"
	v := View{At: 1, Node: "1", Role: "follower", Leader: &two, Epoch: 4}
	other := "2"
	require.True(t, v.Same(View{At: 2, Node: "1", Role: "follower", Leader: &other, Epoch: 4}), "views that differ in their times are the same")
	for _, w := range []View{
		{Role: "candidate", Leader: &two, Epoch: 4},
		{Role: "follower", Epoch: 4},
		{Role: "follower", Leader: &three, Epoch: 4},
		{Role: "follower", Leader: &two, Epoch: 5},
		{Role: "follower", Leader: &two, Epoch: 4, Leading: true},
	} {
		require.False(t, v.Same(w), "view %+v must differ from %+v", w, v)
		require.False(t, w.Same(v), "view %+v must differ from %+v", v, w)
	}

	h := NewHub("1")
	first, changed := h.Current()
	h.Change(func(v *View) { v.At++ })
	select {
	case <-changed:
		require.Fail(t, "nothing has changed")
	default:
	}
	h.Change(func(v *View) { v.Epoch, v.At = 5, 0 })
	<-changed
	now, _ := h.Current()
	require.GreaterOrEqual(t, now.At, first.At)
}

// What is served has these names and no others: localcluster and people's programs read them.
func TestFace(t *testing.T) {
	n := &fake{hub: NewHub("2")}
	n.hub.now.At = 1_767_225_600_000_000
	serve := handler(n, Options{ID: "2", Members: map[string]string{"1": "a:1", "2": "b:2"}, Profile: "fast"})
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // a stream ends after what it says at once
		serve.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", path, nil))
		return w
	}
	require.Equal(t, "ok\n", get("/healthz").Body.String())
	w := get("/status")
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	status := w.Body.String()
	before, after, ok := strings.Cut(status, `"since":"`)
	require.True(t, ok, status)
	require.Equal(t, `{"id":"2","members":{"1":"a:1","2":"b:2"},"role":"candidate","leader":null,"epoch":0,"leading":false,`, before)
	_, after, _ = strings.Cut(after, `",`)
	require.Equal(t, `"profile":"fast","counters":{"writes":3}}`+"\n", after)
	w = get("/events")
	require.Equal(t, "text/event-stream", w.Header().Get("Content-Type"))
	require.Equal(t, `data: {"at":1767225600000000,"node":"2","role":"candidate","leader":null,"epoch":0,"leading":false}`+"\n\n",
		w.Body.String())

	n.well, n.counts = errors.New("it is not well"), errors.New("it cannot count")
	w = get("/healthz")
	require.Equal(t, 503, w.Code)
	require.Equal(t, "it is not well\n", w.Body.String())
	w = get("/status")
	require.Equal(t, 500, w.Code)
	require.Equal(t, "it cannot count\n", w.Body.String())
}

// A node is closed however it ends.
func TestEnds(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		ctx        context.Context
		http, want string
	}{
		{ended, "", "it has closed"},
		{t.Context(), "", "it cannot go on\nit has closed"},
		{t.Context(), "127.0.0.1:0", "it cannot go on\nit has closed"},
		{t.Context(), taken.Addr().String(), "address already in use\nit has closed"},
	} {
		n := &fake{hub: NewHub("1"), fails: make(chan error, 1)}
		if test.ctx == t.Context() {
			n.fails <- errors.New("it cannot go on")
		}
		s := System{Start: func(Options, io.Writer) (Node, error) { return n, nil }}
		require.ErrorContains(t, s.serve(test.ctx, Options{HTTP: test.http}, io.Discard), test.want)
		require.True(t, n.closed, "a node must be closed when its server ends")
	}
}
