package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

func TestMain(m *testing.M) {
	status := m.Run()
	http.DefaultClient.CloseIdleConnections()
	if err := goleak.Find(); status == 0 && err != nil {
		fmt.Println(err)
		status = 1
	}
	os.Exit(status)
}

// fake is a node that is what it is told to be.
type fake struct {
	named  spec.NodeID // whom it was told to hand over to
	hold   time.Duration
	status host.Status
	err    error
	asked  int
}

func (f *fake) Status() host.Status          { return f.status }
func (f *fake) Check(context.Context) error  { return f.err }
func (f *fake) Resign(context.Context) error { f.asked++; return f.err }
func (f *fake) HandOver(_ context.Context, to spec.NodeID, hold time.Duration) error {
	f.asked++
	f.named, f.hold = to, hold
	return f.err
}

var three, five = spec.IntegerID(3), spec.IntegerID(5)

// newFake returns node 3, which follows 5.
func newFake() *fake {
	return &fake{status: host.Status{ID: three, Members: []spec.NodeID{three, five}, Role: spec.Follower, Leader: five, Epoch: 4,
		Links: []host.LinkStatus{{Node: five, Up: true, LastHeardMS: 12, Phi: 0.5}},
		Counters: host.Counters{Steps: 7, Actions: map[spec.Action]uint64{spec.StartAction: 1}, Saves: 3, SavedWithin: map[time.Duration]uint64{time.Millisecond: 2}, SaveTime: 5 * time.Millisecond, Ignored: map[bully.Cause]uint64{bully.NonMember: 2},
			Sent: map[spec.MessageType]uint64{spec.Ack: 3}, Received: map[spec.MessageType]uint64{spec.Heartbeat: 3}}}}
}

// serve serves a node, and returns its address.
func serve(t *testing.T, f *fake, change func(*Config)) (url string, events *Events) {
	t.Helper()
	return serveNode(t, f, NewEvents(three, nil), change)
}

// serveWith serves a host.
func serveWith(t *testing.T, n Node, events *Events) (url string, _ *Events) {
	t.Helper()
	return serveNode(t, n, events, func(c *Config) { c.Views, c.Stats = nil, nil })
}

func serveNode(t *testing.T, n Node, events *Events, change func(*Config)) (url string, _ *Events) {
	t.Helper()
	c := Config{Node: n, Events: events, Cluster: "demo", Version: "abc", Control: true, Views: map[spec.NodeID]string{five: "http://five.example:8001"},
		Stats: func() transport.Stats {
			return transport.Stats{Sent: 3, BytesOut: 138, Lost: 1, Refused: map[transport.Refusal]uint64{transport.WrongCluster: 2}}
		}}
	if change != nil {
		change(&c)
	}
	s, err := New(c)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-done)
	})
	return "http://" + l.Addr().String(), events
}

// get returns the answer to GET.
func get(t *testing.T, url string) (int, string, http.Header) {
	t.Helper()
	return do(t, http.MethodGet, url, nil)
}

func do(t *testing.T, method, url string, header http.Header) (int, string, http.Header) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, url, nil)
	require.NoError(t, err)
	if header != nil {
		request.Header = header
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err, "the node must answer %s %s within a minute", method, url)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode, string(body), response.Header
}

func TestStatus(t *testing.T) {
	url, _ := serve(t, newFake(), nil)
	code, body, header := get(t, url+"/status")
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, "application/json", header.Get("Content-Type"))
	require.Equal(t, "*", header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, "no-store", header.Get("Cache-Control"))
	var s struct {
		ID, Leader, Cluster, Version string
		Counters                     struct {
			Steps     int
			Sent      map[string]int
			BytesSent int `json:"bytes_sent"`
			Lost      int
		}
	}
	require.NoError(t, json.Unmarshal([]byte(body), &s))
	require.Equal(t, []string{"3", "5", "demo", "abc"}, []string{s.ID, s.Leader, s.Cluster, s.Version})
	require.Equal(t, 7, s.Counters.Steps)
	require.Equal(t, 138, s.Counters.BytesSent)
	require.Equal(t, 1, s.Counters.Lost)
	require.Equal(t, map[string]int{"ACK": 3}, s.Counters.Sent)
	require.Equal(t, 1, strings.Count(body, `"counters"`))
}

func TestLeader(t *testing.T) {
	f := newFake()
	url, _ := serve(t, f, nil)
	code, body, _ := get(t, url+"/leader")
	require.Equal(t, http.StatusOK, code)
	require.JSONEq(t, `{"leader":"5","epoch":4}`, body)
	f.status.Leader = spec.NodeID{}
	code, body, _ = get(t, url+"/leader")
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.JSONEq(t, `{"leader":null,"epoch":4}`, body)

	code, body, _ = get(t, url+"/views")
	require.Equal(t, http.StatusOK, code)
	require.JSONEq(t, `{"node":"3","cluster":"demo","members":["3","5"],"views":{"5":"http://five.example:8001"}}`, body)
}

func TestHealth(t *testing.T) {
	f := newFake()
	url, _ := serve(t, f, nil)
	code, body, _ := get(t, url+"/healthz")
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, "ok\n", body)
	f.err = errors.New("the disk hangs")
	code, body, _ = get(t, url+"/healthz")
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Equal(t, "the disk hangs\n", body)
}

// TestResign sees that a node is made to resign by who means it, and not by any page that a browser shows.
func TestResign(t *testing.T) {
	f := newLeader(time.Hour)
	url, _ := serve(t, f, nil)
	for _, c := range []struct {
		method, origin, site string
		code                 int
	}{
		{http.MethodPost, "", "", http.StatusOK},
		{http.MethodPost, url, "same-origin", http.StatusOK},
		{http.MethodPost, "http://five.example:8001", "cross-site", http.StatusOK}, // a -view
		{http.MethodPost, "http://evil.example", "cross-site", http.StatusForbidden},
		{http.MethodPost, "http://evil.example", "", http.StatusForbidden},
		{http.MethodGet, "", "", http.StatusMethodNotAllowed},
	} {
		header := http.Header{}
		if c.origin != "" {
			header.Set("Origin", c.origin)
		}
		if c.site != "" {
			header.Set("Sec-Fetch-Site", c.site)
		}
		before := f.asked
		code, _, answered := do(t, c.method, url+"/resign", header)
		require.Equal(t, c.code, code, c)
		require.Equal(t, code == http.StatusOK, f.asked > before, c)
		if c.method == http.MethodPost {
			require.Empty(t, answered.Get("Access-Control-Allow-Origin"))
		}
	}
	require.True(t, f.named.IsNone(), "a refused request must not name a successor")
	for query, want := range map[string]struct {
		code int
		says string
		hold time.Duration
	}{
		"?to=5":              {http.StatusOK, `"resigned":true`, 0},
		"?to=5&hold=1m30s":   {http.StatusOK, `"resigned":true`, 90 * time.Second},
		"?to=x":              {http.StatusBadRequest, "to: ", 0},
		"?to=":               {http.StatusBadRequest, "to: ", 0},
		"?hold=3s":           {http.StatusBadRequest, "hold is for who is named: say to as well", 0},
		"?to=5&hold=-1s":     {http.StatusBadRequest, `hold: "-1s" is no time from 0 to 24h0m0s, such as 30s`, 0},
		"?to=5&hold=24h1ms":  {http.StatusBadRequest, "is no time from 0 to 24h0m0s", 0},
		"?to=5&hold=forever": {http.StatusBadRequest, "is no time from 0 to 24h0m0s", 0},
	} {
		f.named, f.hold = spec.NodeID{}, 0
		code, body, _ := do(t, http.MethodPost, url+"/resign"+query, nil)
		require.Equal(t, want.code, code, query)
		require.Contains(t, body, want.says, query)
		require.Equal(t, want.hold, f.hold, query)
		require.Equal(t, code == http.StatusOK, f.named == spec.IntegerID(5), query)
	}
	f.err = errors.New("stopped")
	code, body, _ := do(t, http.MethodPost, url+"/resign", nil)
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Equal(t, "stopped\n", body)
}

// TestMetrics reads the metrics as Prometheus does.
func TestMetrics(t *testing.T) {
	url, _ := serve(t, newFake(), nil)
	code, body, header := get(t, url+"/metrics")
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, "text/plain; version=0.0.4; charset=utf-8", header.Get("Content-Type"))
	line := regexp.MustCompile(`^(bully_[a-z_]+)(\{[a-z]+="[^"\\]*"\})? [0-9.e+-]+$`)
	kinds, seen := map[string]string{}, map[string]bool{}
	for text := range strings.Lines(body) {
		text = strings.TrimSuffix(text, "\n")
		if rest, ok := strings.CutPrefix(text, "# TYPE "); ok {
			name, kind, _ := strings.Cut(rest, " ")
			require.Empty(t, kinds[name], "once: %s", name)
			require.Equal(t, kind == "counter", strings.HasSuffix(name, "_total"), name)
			kinds[name] = kind
			if kind == "histogram" {
				kinds[name+"_bucket"], kinds[name+"_sum"], kinds[name+"_count"] = kind, kind, kind
			}
			continue
		}
		if strings.HasPrefix(text, "# HELP ") {
			continue
		}
		match := line.FindStringSubmatch(text)
		require.NotNil(t, match, text)
		require.NotEmpty(t, kinds[match[1]], text)
		require.False(t, seen[match[1]+match[2]], text)
		seen[match[1]+match[2]] = true
	}
	for _, want := range []string{
		`bully_role{role="follower"} 1`, `bully_role{role="leader"} 0`, `bully_epoch 4`, `bully_has_leader 1`, `bully_leading 0`,
		`bully_link_up{node="5"} 1`, `bully_link_heard_seconds{node="5"} 0.012`, `bully_messages_sent_total{type="ACK"} 3`, `bully_steps_total{action="Start"} 1`,
		`bully_ignored_total{cause="non-member"} 2`, `bully_transport_sent_bytes_total 138`, `bully_leader_phi 0.5`, `bully_save_seconds_bucket{le="0.001"} 2`, `bully_save_seconds_bucket{le="+Inf"} 3`, `bully_save_seconds_sum 0.005`,
	} {
		require.Contains(t, body, want+"\n")
	}
	require.Regexp(t, `bully_transport_refused_total\{reason="[a-z ]+"\} 2`, body)

	f := newFake()
	f.status.Links[0].LastHeardMS = 0
	url, _ = serve(t, f, func(c *Config) { c.Stats = nil })
	_, body, _ = get(t, url+"/metrics")
	require.NotContains(t, body, "bully_transport")
	require.Contains(t, body, "bully_link_heard_seconds{node=\"5\"} 0\n", "just now")
	f.status.Links[0].LastHeardMS = -1
	_, body, _ = get(t, url+"/metrics")
	require.NotContains(t, body, "bully_link_heard_seconds{", "never")
}

// TestPage sees that the page is served under / alone, and that nothing is there if there is none.
func TestPage(t *testing.T) {
	url, _ := serve(t, newFake(), func(c *Config) {
		c.Page = func() (http.Handler, error) {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "a page") }), nil
		}
	})
	code, body, _ := get(t, url+"/")
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, "a page", body)
	code, _, _ = get(t, url+"/nothing")
	require.Equal(t, http.StatusNotFound, code)
	code, _, _ = do(t, http.MethodPost, url+"/", nil)
	require.Equal(t, http.StatusMethodNotAllowed, code)
	url, _ = serve(t, newFake(), nil)
	code, _, _ = get(t, url+"/")
	require.Equal(t, http.StatusNotFound, code)
	broken := errors.New("broken")
	_, err := New(Config{Node: newFake(), Events: NewEvents(three, nil), Page: func() (http.Handler, error) { return nil, broken }})
	require.ErrorIs(t, err, broken)
}

func TestViewsRefused(t *testing.T) {
	_, err := New(Config{Node: newFake(), Events: NewEvents(three, nil), Views: map[spec.NodeID]string{five: "five"}})
	require.ErrorContains(t, err, `view "five": give it as http://host:port: `)
}

// TestBounds sees that who says nothing, or too much, is not listened to for long; and that who listens may go on.
func TestBounds(t *testing.T) {
	url, events := serve(t, newFake(), nil)
	stream := open(t, url)
	_, ok := stream.next()
	require.True(t, ok, "a stream begins with an event")
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	_, err = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("a", 64<<10)+"\r\n\r\n")
	require.NoError(t, err)
	status, err := bufio.NewReader(c).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, status, "431")

	slow, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	defer func() { require.NoError(t, slow.Close()) }()
	_, err = io.WriteString(slow, "GET / HT")
	require.NoError(t, err)
	require.NoError(t, slow.SetReadDeadline(time.Now().Add(24*patience)))
	_, err = io.ReadAll(slow)
	require.NoError(t, err, "the server has closed the connection")
	require.NoError(t, events.Record(step(spec.Follower, five, 9)))
	_, ok = stream.next()
	require.True(t, ok, "the stream is older than that connection")
}

// TestNoGroups: who asks a node of one election for groups is told that it has none, and is not told who leads instead.
func TestNoGroups(t *testing.T) {
	url, _ := serve(t, newFake(), nil)
	for _, path := range []string{"/groups", "/leader?group=orders"} {
		code, body := send(t, http.MethodGet, url+path, "")
		require.Equal(t, http.StatusNotFound, code)
		require.Contains(t, body, "this node runs one election, and no groups")
	}
}
