package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/spec"
)

// successor is a node that, when it is asked to resign, has another lead.
type successor struct {
	now   atomic.Pointer[host.Status]
	other *successor // or nil: it leads again
	err   error
	hold  atomic.Int64 // for which a hand-over was asked
}

func (s *successor) Status() host.Status         { return *s.now.Load() }
func (s *successor) Check(context.Context) error { return nil }
func (s *successor) Resign(context.Context) error {
	was := s.Status()
	follows := was
	follows.Leading, follows.Leader, follows.Deadline = false, spec.NodeID{}, time.Time{}
	next := s.other
	if next == nil {
		next = s
	}
	s.now.Store(&follows)
	leads := was
	leads.ID, leads.Leader = next.Status().ID, next.Status().ID
	leads.Epoch++
	next.now.Store(&leads)
	return s.err
}

func (s *successor) HandOver(ctx context.Context, to spec.NodeID, hold time.Duration) error {
	s.hold.Store(int64(hold))
	if s.other == nil || s.other.Status().ID != to {
		return errors.New("it is not connected")
	}
	return s.Resign(ctx)
}

// TestOperatorHandOver names who is to lead next; to name the leader itself does nothing.
func TestOperatorHandOver(t *testing.T) {
	leader, other := newSuccessors()
	leader.other = other
	a, _ := serveWith(t, leader, NewEvents(three, nil))
	b, _ := serveWith(t, other, NewEvents(five, nil))
	o := Operator{Nodes: []string{a, b}}
	_, err := o.HandOver(t.Context(), three, time.Second)
	require.EqualError(t, err, "node 3 leads already: nothing was done")
	leader.other = nil
	_, err = o.HandOver(bounded(t), five, time.Second)
	require.EqualError(t, err, "it is not connected", "and nothing is waited for")
	require.True(t, leader.Status().Leading, "node 3 must lead on")
	leader.other = other
	r, err := o.HandOver(t.Context(), five, time.Second)
	require.NoError(t, err)
	require.Equal(t, time.Second, time.Duration(leader.hold.Load()))
	require.Equal(t, [2]spec.NodeID{three, five}, [2]spec.NodeID{r.Old.Node, r.New.Node})
}

// newSuccessors returns node 3, which leads, and node 5, which follows.
func newSuccessors() (three, five *successor) {
	three, five = &successor{}, &successor{}
	leads, follows := newLeader(time.Hour).status, newFake().status
	follows.ID, follows.Leader = spec.IntegerID(5), leads.ID
	three.now.Store(&leads)
	five.now.Store(&follows)
	return three, five
}

// TestOperatorResign asks for a resignation, and sees who leads next: another, or the same again.
func TestOperatorResign(t *testing.T) {
	leader, other := newSuccessors()
	leader.other = other
	a, _ := serveWith(t, leader, NewEvents(three, nil))
	b, _ := serveWith(t, other, NewEvents(five, nil))
	o := Operator{Nodes: []string{a, b}}
	r, err := o.Resign(t.Context())
	require.NoError(t, err)
	require.Equal(t, [2]spec.NodeID{three, five}, [2]spec.NodeID{r.Old.Node, r.New.Node})
	require.Equal(t, [2]spec.Epoch{4, 5}, [2]spec.Epoch{r.Old.Epoch, r.New.Epoch})
	require.Positive(t, r.Without)
	r, err = o.Resign(t.Context())
	require.NoError(t, err)
	require.Equal(t, [2]spec.NodeID{five, five}, [2]spec.NodeID{r.Old.Node, r.New.Node})
	require.EqualValues(t, 6, r.New.Epoch)
	leader, other = newSuccessors()
	leader.other, leader.err = other, context.DeadlineExceeded // its work takes longer than the server waits, and it resigns all the same
	a, _ = serveWith(t, leader, NewEvents(three, nil))
	b, _ = serveWith(t, other, NewEvents(five, nil))
	said := ""
	r, err = (&Operator{Nodes: []string{a, b}, Say: func(text string) { said += text + "\n" }}).Resign(t.Context())
	require.NoError(t, err)
	require.Equal(t, five, r.New.Node)
	require.Contains(t, said, "node 3 leads epoch 4, and is asked to resign\n")
	require.Contains(t, said, "503 Service Unavailable: context deadline exceeded")
}

// TestOperatorResignRefused: what the server says that lets nobody control it is what the operator is told, and nothing is waited for.
func TestOperatorResignRefused(t *testing.T) {
	leader, _ := newSuccessors()
	url, _ := serveNode(t, leader, NewEvents(three, nil), func(c *Config) { c.Control = false })
	_, err := (&Operator{Nodes: []string{url}}).Resign(t.Context())
	require.ErrorContains(t, err, "this node lets nobody make it resign by HTTP")
	require.True(t, leader.Status().Leading, "the leader must lead on when its resignation is refused")

	// One that has led when it was asked, and does not when it is to resign.
	var posts atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/leading":
			answer(w, http.StatusOK, Leading{Leading: true, Node: three, Leader: three, Epoch: 4, HoldsMS: 1})
		case r.URL.Path == "/resign":
			posts.Add(1)
			answer(w, http.StatusConflict, Resigned{Leader: five, Epoch: 5})
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	_, err = (&Operator{Nodes: []string{server.URL}}).Resign(t.Context())
	require.EqualError(t, err, "node 3 leads no more: nothing was done")
	require.EqualValues(t, 1, posts.Load())
}

// asked is a node that has had enough of questions when it has been asked a few times: the first has been answered by then.
type asked struct {
	*fake
	times  atomic.Int64
	enough func()
}

func (a *asked) Status() host.Status {
	if a.times.Add(1) == 6 {
		a.enough()
	}
	return a.fake.Status()
}

// TestOperatorResignNobody: without a leader among those that were asked, the error says what is known.
func TestOperatorResignNobody(t *testing.T) {
	for want, status := range map[string]func(*host.Status){
		"node 5 leads epoch 4, and is not among those that were asked: give the address of its HTTP server too": func(*host.Status) {},
		"no leader was found in time: see bully status":                                                         func(s *host.Status) { s.Leader = spec.NodeID{} },
	} {
		f := newFake()
		status(&f.status)
		ctx, cancel := context.WithCancel(t.Context())
		url, _ := serveWith(t, &asked{fake: f, enough: cancel}, NewEvents(three, nil))
		_, err := (&Operator{Nodes: []string{url}}).Resign(ctx)
		cancel()
		require.EqualError(t, err, want)
	}
}

// TestOperatorResignSilence: where no node answers, the error says what was wrong with the last question; where one does, and knows of no
// leader, that is what it says.
func TestOperatorResignSilence(t *testing.T) {
	resign := func(answers ...bool) error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		questions, nodes := make([]atomic.Int64, len(answers)), []string{}
		for i, answered := range answers {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/leading" || !answered {
					http.NotFound(w, r)
				} else {
					answer(w, http.StatusOK, Leading{Node: five})
				}
				if r.URL.Path == "/leading" {
					questions[i].Add(1)
				}
				for i := range questions {
					if questions[i].Load() < 2 { // after the first answer comes the second question
						return
					}
				}
				cancel()
			}))
			t.Cleanup(server.Close)
			nodes = append(nodes, server.URL)
		}
		_, err := (&Operator{Nodes: nodes}).Resign(ctx)
		return err
	}
	require.ErrorContains(t, resign(false), "no node has said who leads: http://")
	require.EqualError(t, resign(true, false), "no leader was found in time: see bully status")
}

// TestWithoutALeader: nobody leads from the last question that the old leader has answered as such until the first answer of a later epoch.
func TestWithoutALeader(t *testing.T) {
	w := &watcher{changed: make(chan struct{}, 1), said: map[string]said{}}
	leads := func(epoch spec.Epoch) said { return said{Leading: Leading{Leading: true, Epoch: epoch}} }
	w.note("old", time.Now(), leads(9))
	require.True(t, w.first.IsZero(), "nobody is followed yet")
	w.follow("old", 4)
	last := w.last.Add(time.Second)
	w.note("old", last, leads(4))
	require.Equal(t, last, w.last)
	later := last.Add(time.Second)
	for url, says := range map[string]said{
		"old":    {Leading: Leading{Leading: true, Epoch: 4}, err: context.DeadlineExceeded},
		"other":  leads(4),
		"lost":   {Leading: Leading{Epoch: 4}},
		"behind": leads(3),
		"idle":   {Leading: Leading{Epoch: 6}},
	} {
		w.note(url, later, says)
		require.Equal(t, last, w.last, url)
		require.True(t, w.first.IsZero(), url)
	}
	w.note("old", later, leads(5))
	require.Equal(t, last, w.last, "that is another reign")
	first := w.first
	require.False(t, first.IsZero(), "the time without a leader must begin")
	w.note("other", later, leads(6))
	require.Equal(t, first, w.first)
	require.Equal(t, first.Sub(last), w.without())
}
