package web

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// newLeader returns node 3, which leads for a while yet.
func newLeader(left time.Duration) *fake {
	f := newFake()
	f.status.Role, f.status.Leader, f.status.Leading, f.status.Deadline = spec.Leader, three, true, time.Now().Add(left)
	return f
}

// TestLeading asks nodes of every kind whether they act as leader, with GET and HEAD.
func TestLeading(t *testing.T) {
	const long = time.Hour
	followsNobody := newFake()
	followsNobody.status.Leader = spec.NodeID{}
	stopped := newLeader(long)
	stopped.status.Stopped = true
	without := newLeader(long)
	without.status.Deadline = time.Time{}
	byWallClock := newLeader(long)
	byWallClock.status.Deadline = time.Now().Round(0).Add(-long) // of a time that has no monotonic reading
	for name, c := range map[string]struct {
		node *fake
		code int
		says Leading
	}{
		"leads":                   {newLeader(long), http.StatusOK, Leading{Leading: true, Node: three, Leader: three, Epoch: 4}},
		"follows":                 {newFake(), http.StatusServiceUnavailable, Leading{Node: three, Leader: five, Epoch: 4, View: "http://five.example:8001"}},
		"follows nobody":          {followsNobody, http.StatusServiceUnavailable, Leading{Node: three, Epoch: 4}},
		"its deadline has passed": {newLeader(-time.Nanosecond), http.StatusServiceUnavailable, Leading{Node: three, Epoch: 4}},
		"its host has ended":      {stopped, http.StatusServiceUnavailable, Leading{Node: three, Epoch: 4}},
		"its reign is over":       {without, http.StatusServiceUnavailable, Leading{Node: three, Epoch: 4}},
		"by the wall clock alone": {byWallClock, http.StatusServiceUnavailable, Leading{Node: three, Epoch: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := serve(t, c.node, nil)
			code, body, header := get(t, url+"/leading")
			require.Equal(t, c.code, code, body)
			require.Equal(t, "no-store", header.Get("Cache-Control"))
			var says Leading
			require.NoError(t, json.Unmarshal([]byte(body), &says))
			if code == http.StatusOK {
				require.Positive(t, says.HoldsMS)
				require.LessOrEqual(t, says.HoldsMS, long.Milliseconds())
				says.HoldsMS = 0
			}
			require.Equal(t, c.says, says)
			code, body, _ = do(t, http.MethodHead, url+"/leading", nil)
			require.Equal(t, c.code, code)
			require.Empty(t, body)
			code, _, _ = do(t, http.MethodPost, url+"/leading", nil)
			require.Equal(t, http.StatusMethodNotAllowed, code)
		})
	}
}

// TestLeadingBeforeTheStart: a node that has not started says no epoch, as it may have said a higher one before it ended.
func TestLeadingBeforeTheStart(t *testing.T) {
	url, _ := serve(t, &fake{}, nil)
	code, body, _ := get(t, url+"/leading")
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Equal(t, "the node has not started yet\n", body)
}

// TestHolds: by whichever clock the deadline comes first.
func TestHolds(t *testing.T) {
	now := time.Now()
	s := newLeader(0).status
	s.Deadline = now.Add(time.Second)
	require.Equal(t, time.Second, holds(s, now))
	require.Zero(t, holds(s, now.Add(2*time.Second)))
	require.Equal(t, time.Second, holds(s, now.Round(0)))
	s.Leading = false
	require.Zero(t, holds(s, now))
}

// TestResignOfFollower: one that does not lead says so, who does, and is not made to do anything.
func TestResignOfFollower(t *testing.T) {
	f := newFake()
	url, _ := serve(t, f, nil)
	code, body, _ := do(t, http.MethodPost, url+"/resign", nil)
	require.Equal(t, http.StatusConflict, code)
	require.Equal(t, `{"resigned":false,"leader":"5","epoch":4}`+"\n", body)
	require.Zero(t, f.asked)
	f = newLeader(time.Hour)
	url, _ = serve(t, f, nil)
	code, body, _ = do(t, http.MethodPost, url+"/resign", nil)
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, `{"resigned":true,"leader":null,"epoch":4}`+"\n", body)
	require.Equal(t, 1, f.asked)
}

// BenchmarkLeading: load balancers ask often.
func BenchmarkLeading(b *testing.B) {
	s, err := New(Config{Node: newLeader(time.Hour), Events: NewEvents(three, nil)})
	require.NoError(b, err)
	r, err := http.NewRequest(http.MethodGet, "/leading", nil)
	require.NoError(b, err)
	for b.Loop() {
		s.leading(discard{http.Header{}}, r)
	}
}

// discard is an answer that nobody reads.
type discard struct{ header http.Header }

func (d discard) Header() http.Header       { return d.header }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}
