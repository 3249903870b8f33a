package web

import (
	"bufio"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// alone is a node that is the only member, beside programs that want to lead.
type alone struct {
	*host.Host
	url      string
	server   *Server
	programs *Programs
	ctx      context.Context // as the node is to run in it
	leave    func()
}

func newAlone(t *testing.T) *alone { return newLending(t, nil) }

// newLending is newAlone, of a node that lends its address, or does not if that is nil. Its reigns outlast the time for which a busy machine lets a
// test stand still, so such tests take their time, and do so together.
func newLending(t *testing.T, address Lent) *alone {
	t.Helper()
	t.Parallel()
	events := NewEvents(three, nil)
	h, err := host.New(host.Config{ID: three, Members: []spec.NodeID{three}, Storage: storage.NewMemory(), Transport: transport.NewNetwork(nil).Join(three),
		Timing: host.WAN(), Metrics: events, Trace: events})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	t.Cleanup(func() { cancel(); require.NoError(t, <-ended); require.NoError(t, h.Close()) })
	server, err := New(Config{Node: h, Events: events, Control: true})
	require.NoError(t, err)
	waiting := NewWaiting(func() host.Status { return host.Status{ID: three, Stopped: true, Guard: &host.GuardStatus{Guard: 7}} }, "jobs", "v1")
	waiting.Says("a program")
	a := &alone{Host: h, server: server, programs: NewPrograms(slog.New(slog.DiscardHandler), waiting, address != nil)}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	a.url = "http://" + l.Addr().String()
	served := make(chan error, 1)
	go func() { served <- a.programs.Serve(l) }()
	t.Cleanup(func() {
		require.NoError(t, a.programs.Close())
		require.NoError(t, <-served)
		require.NoError(t, server.Close())
	})
	a.programs.enter(1) // the node is not to end before there is a program
	a.ctx, a.leave = a.programs.Join(ctx, h, server, address)
	t.Cleanup(a.leave)
	return a
}

// program is one that leads, or waits for that.
type program struct {
	t     *testing.T
	url   string
	lines *bufio.Scanner
	close func()
}

func newProgram(t *testing.T, url, limits string) *program {
	ctx, cancel := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/lead"+limits, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode)
	p := &program{t, url, bufio.NewScanner(response.Body), func() { cancel(); _ = response.Body.Close() }}
	t.Cleanup(p.close)
	return p
}

// line returns the next line.
func (p *program) line() (line TermLine) {
	require.True(p.t, p.lines.Scan(), "the node says no more")
	require.NoError(p.t, json.Unmarshal(p.lines.Bytes(), &line))
	return line
}

// asks asks something about a term, and returns the answer.
func (p *program) asks(method, path, term string) (code int, lease Lease) {
	code, body, _ := do(p.t, method, p.url+path+"?term="+term, nil)
	if code == http.StatusOK && path != "/stopped" {
		require.NoError(p.t, json.Unmarshal([]byte(body), &lease))
	}
	return code, lease
}

// TestProgramLeads: a program leads until it says that it has stopped; then the node has resigned, and the program may lead again.
func TestProgramLeads(t *testing.T) {
	node := newAlone(t)
	p := newProgram(t, node.url, "?lease=24h")
	leads := p.line()
	require.True(t, leads.Leading, "the program must lead")
	require.NotEmpty(t, leads.Term)
	for _, question := range [][2]string{{http.MethodGet, "/lease"}, {http.MethodPost, "/progress"}} {
		code, lease := p.asks(question[0], question[1], leads.Term)
		require.Equal(t, http.StatusOK, code, question)
		require.Equal(t, leads.Epoch, lease.Epoch)
		require.Positive(t, lease.HoldsMS)
		require.LessOrEqual(t, lease.HoldsMS, host.WAN().Reign.Milliseconds())
	}
	code, _ := p.asks(http.MethodPost, "/stopped", leads.Term)
	require.Equal(t, http.StatusOK, code)
	then := p.line()
	require.True(t, then.Leading, "the program must lead again after it has stopped")
	require.Greater(t, then.Epoch, leads.Epoch)
	code, _ = p.asks(http.MethodGet, "/lease", leads.Term)
	require.Equal(t, http.StatusGone, code)
}

// TestProgramIsToldOfTheEnd: whoever has the node resign waits for the program, which is told, and gets no lease any more.
func TestProgramIsToldOfTheEnd(t *testing.T) {
	node := newAlone(t)
	p := newProgram(t, node.url, "?lease=24h")
	leads := p.line()
	code, _ := p.asks(http.MethodGet, "/lease", leads.Term)
	require.Equal(t, http.StatusOK, code)
	resigned := make(chan error, 1)
	go func() { resigned <- node.Resign(context.Background()) }()
	require.Equal(t, TermLine{Epoch: leads.Epoch, Term: leads.Term, Why: "the reign is over"}, p.line())
	code, _ = p.asks(http.MethodGet, "/lease", leads.Term)
	require.Equal(t, http.StatusGone, code)
	p.asks(http.MethodPost, "/stopped", leads.Term)
	require.NoError(t, <-resigned)
	require.Greater(t, p.line().Epoch, leads.Epoch)
}

// TestLastLeaseHolds: the node does not resign while the program may act that has not said that it has stopped.
func TestLastLeaseHolds(t *testing.T) {
	node := newAlone(t)
	p := newProgram(t, node.url, "?lease=24h")
	leads, asked := p.line(), time.Now()
	code, lease := p.asks(http.MethodGet, "/lease", leads.Term)
	require.Equal(t, http.StatusOK, code)
	resigned := make(chan error, 1)
	go func() { resigned <- node.Resign(context.Background()) }()
	require.False(t, p.line().Leading, "the program must be told that its reign is over")
	require.NoError(t, <-resigned)
	require.False(t, time.Now().Before(asked.Add(time.Duration(lease.HoldsMS)*time.Millisecond)), "OneActing: the node has resigned before the lease of its program was over")
	require.True(t, p.line().Leading, "the program must lead again")
}

// answering is an answer to a program that goes away when it begins, and who looks then.
type answering struct {
	*httptest.ResponseRecorder
	begins func()
}

// FlushError begins the answer.
func (a answering) FlushError() error {
	a.begins()
	return net.ErrClosed
}

// TestWhoIsAnsweredIsThere: a program that has its answer is one beside which the node runs on.
func TestWhoIsAnsweredIsThere(t *testing.T) {
	p := NewPrograms(slog.New(slog.DiscardHandler), nil, false)
	there := 0
	p.lead(answering{httptest.NewRecorder(), func() { there = p.there }}, httptest.NewRequest(http.MethodGet, "/lead", nil))
	require.Equal(t, 1, there)
	require.Zero(t, p.there, "it has gone")
}

// TestConnectionIsNoProgram: whose connection ends may act until its lease is over.
func TestConnectionIsNoProgram(t *testing.T) {
	node := newAlone(t)
	first := newProgram(t, node.url, "?lease=24h")
	leads, asked := first.line(), time.Now()
	second := newProgram(t, node.url, "?lease=24h")
	code, lease := first.asks(http.MethodGet, "/lease", leads.Term)
	require.Equal(t, http.StatusOK, code)
	first.close()
	for over := asked.Add(time.Duration(lease.HoldsMS) * time.Millisecond); ; {
		leads := node.Status().Leading
		if !time.Now().Before(over) {
			break
		}
		require.True(t, leads, "until the lease is over")
	}
	require.True(t, second.line().Leading, "the second program must lead when the lease of the first is over")
}

// TestNodeRunsBesidePrograms: it is to run while one asks to lead, and one that comes later waits for the next.
func TestNodeRunsBesidePrograms(t *testing.T) {
	node := newAlone(t)
	first := newProgram(t, node.url, "?lease=24h")
	leads := first.line()
	second := newProgram(t, node.url, "?lease=24h")
	node.programs.enter(-1)
	first.asks(http.MethodPost, "/stopped", leads.Term)
	again := first.line()
	first.close()
	require.NoError(t, node.ctx.Err())
	require.Greater(t, second.line().Epoch, again.Epoch, "one leads at a time")
	second.close()
	<-node.ctx.Done()
	node.leave()
	code, body, _ := do(t, http.MethodGet, node.url+"/status", nil)
	require.Equal(t, http.StatusOK, code)
	for _, part := range []string{`"waits":"a program"`, `"guard":{"guard":7,`, `"stopped":true`, `"cluster":"jobs"`} {
		require.Contains(t, body, part)
	}
	code, body, _ = do(t, http.MethodGet, node.url+"/leader", nil)
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Contains(t, body, "does not run yet: a program")
	third := newProgram(t, node.url, "?lease=24h")
	require.NoError(t, node.programs.Wait(t.Context()))
	ends, leave := node.programs.Join(t.Context(), node.Host, node.server, nil)
	require.True(t, third.line().Leading, "the third program must lead")
	third.close()
	<-ends.Done()
	leave()
}

// TestSilentProgram: one that asks for no lease, or makes no progress, leads no longer, and is there no longer.
func TestSilentProgram(t *testing.T) {
	for name, c := range map[string]struct{ limits, asks, why string }{
		"asks for nothing":  {"?lease=30ms", "", "it has not asked for its lease for 30ms"},
		"makes no progress": {"?progress=30ms", "/lease", "it has made no progress for 30ms"},
	} {
		t.Run(name, func(t *testing.T) {
			node := newAlone(t)
			p := newProgram(t, node.url, c.limits)
			leads := p.line()
			node.programs.enter(-1)
			if c.asks != "" {
				require.Eventually(t, func() bool {
					code, _ := p.asks(http.MethodGet, c.asks, leads.Term)
					return code == http.StatusGone
				}, 30*time.Second, time.Millisecond)
			}
			require.Equal(t, TermLine{Epoch: leads.Epoch, Term: leads.Term, Why: c.why}, p.line())
			require.False(t, p.lines.Scan(), "it is to ask anew")
			<-node.ctx.Done()
		})
	}
}

// TestTermEnds: a term does not end before what was granted has passed, and then no later than it must.
func TestTermEnds(t *testing.T) {
	now := time.Now()
	work, end := context.WithCancel(context.Background())
	term := &term{work: work, limits: limits{lease: 10 * time.Second, progress: 5 * time.Second}, asked: now, further: now, granted: now.Add(time.Second)}
	for _, c := range []struct {
		name   string
		change func()
		left   time.Duration
		why    string
	}{
		{"progress is due first", func() {}, 5 * time.Second, "it has made no progress for 5s"},
		{"its lease is", func() { term.further = now.Add(time.Minute) }, 10 * time.Second, "it has not asked for its lease for 10s"},
		{"it has been silent, but may act", func() { term.asked = now.Add(-time.Hour) }, time.Second, "it has not asked for its lease for 10s"},
		{"it is to stop, and may act", func() { term.asked = now; end() }, time.Second, ""},
	} {
		c.change()
		left, why := term.left(now)
		require.Equal(t, c.left, left, c.name)
		require.Equal(t, c.why, why, c.name)
	}
}

// TestLeadRefuses what is asked wrongly.
func TestLeadRefuses(t *testing.T) {
	node := newAlone(t)
	ask := func(method, path string, code int, says string) {
		t.Helper()
		got, body, _ := do(t, method, node.url+path, nil)
		require.Equal(t, code, got, path)
		require.Contains(t, body, says)
	}
	for _, wrong := range []string{"lease=soon", "lease=0s", "lease=25h", "progress=-1s"} {
		ask(http.MethodGet, "/lead?"+wrong, http.StatusBadRequest, "give a time from 1ms to 24h")
	}
	ask(http.MethodPost, "/stopped?term=x", http.StatusGone, "ask GET /lead for the next")
	for path, others := range map[string][]string{"/lead": {"HEAD", "POST"}, "/lease": {"HEAD", "POST"}, "/hold": {"HEAD", "POST"}, "/progress": {"GET"}, "/stopped": {"GET", "PUT"}} {
		for _, method := range others {
			got, _, header := do(t, method, node.url+path, nil)
			require.Equal(t, http.StatusMethodNotAllowed, got, method+" "+path)
			require.Equal(t, map[bool]string{true: "GET", false: "POST"}[path != "/progress" && path != "/stopped"], header.Get("Allow"))
		}
	}
	ask(http.MethodGet, "/nothing", http.StatusNotFound, "")
	ask(http.MethodGet, "/lead?hold=perhaps", http.StatusBadRequest, `hold="perhaps": give true or false`)
	ask(http.MethodGet, "/hold?term=x", http.StatusGone, "ask GET /lead for the next")
	ask(http.MethodGet, "/lease", http.StatusBadRequest, "which term?")
	ask(http.MethodGet, "/lease?term=x", http.StatusGone, "ask GET /lead for the next")
	newProgram(t, node.url, "?lease=24h").line()
	ask(http.MethodGet, "/leading", http.StatusOK, `"leading":true`)
}
