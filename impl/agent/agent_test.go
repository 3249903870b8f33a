package agent_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/seed-fdf591db/bully/impl/agent"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/hold"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newClient returns a program that a node takes to be silent only after a long time: a busy machine may let a test stand still.
func newClient(socket string) *agent.Client { return &agent.Client{Socket: socket, Silence: time.Hour} }

// newNode runs a node that is the only member, beside programs, and returns its socket. Its reigns outlast the time for which a busy machine lets
// a test stand still, so such tests take their time, and do so together.
func newNode(t *testing.T) (socket string, stop func()) {
	t.Helper()
	t.Parallel()
	one := spec.IntegerID(1)
	address, err := hold.Listen("127.0.0.1:0")
	require.NoError(t, err)
	events := web.NewEvents(one, nil)
	h, err := host.New(host.Config{ID: one, Members: []spec.NodeID{one}, Storage: storage.NewMemory(), Transport: transport.NewNetwork(nil).Join(one),
		Timing: host.WAN(), Metrics: events, Trace: events})
	require.NoError(t, err)
	server, err := web.New(web.Config{Node: h, Events: events, Control: true})
	require.NoError(t, err)
	programs := web.NewPrograms(slog.New(slog.DiscardHandler), nil, true)
	socket = filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended, served := make(chan error, 1), make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	go func() { served <- programs.Serve(l) }()
	joined := make(chan func(), 1)
	go func() {
		if programs.Wait(ctx) == nil {
			_, leave := programs.Join(ctx, h, server, address) // it runs on, whoever comes and goes
			joined <- leave
		}
		close(joined)
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-ended)
		if leave := <-joined; leave != nil {
			leave()
		}
		require.NoError(t, programs.Close())
		require.NoError(t, <-served)
		require.NoError(t, errors.Join(server.Close(), h.Close(), address.Close()))
	})
	t.Cleanup(stop)
	return socket, stop
}

// TestLead: work has a reign that is valid until it is over; what work returns is what Lead returns, and the node has resigned.
func TestLead(t *testing.T) {
	socket, _ := newNode(t)
	client := newClient(socket)
	enough := errors.New("enough")
	var epochs []uint64
	for range 2 {
		if len(epochs) > 0 {
			require.NoError(t, client.Resign(t.Context())) // as this node runs on, which one beside programs alone would not
		}
		var reign *agent.Reign
		begun := 0
		bounded, cancel := context.WithTimeout(t.Context(), time.Minute)
		err := client.Lead(bounded, func(ctx context.Context, r *agent.Reign) error {
			reign = r
			begun++
			require.True(t, r.Valid(), "the reign is valid when its work begins")
			require.NoError(t, r.Progress(ctx))
			first := r.Deadline()
			require.LessOrEqual(t, time.Until(first), host.WAN().Reign)
			for !r.Deadline().After(first) { // it moves on by itself
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(time.Millisecond):
				}
			}
			return enough
		})
		require.NoError(t, bounded.Err(), "the client renewed its lease in none of %d reigns", begun)
		cancel()
		require.ErrorIs(t, err, enough)
		require.False(t, reign.Valid(), "the reign must be over when Lead has returned")
		require.Zero(t, reign.Deadline())
		require.Error(t, reign.Progress(t.Context()))
		require.False(t, reign.Valid(), "an answer that comes late does not begin it again")
		epochs = append(epochs, reign.Epoch())
	}
	require.Greater(t, epochs[1], epochs[0], "it is another reign")
}

// TestWorkIsWaitedFor: when ctx ends while work runs, the node leads on until work has returned.
func TestWorkIsWaitedFor(t *testing.T) {
	socket, _ := newNode(t)
	asks := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	ctx, cancel := context.WithCancel(t.Context())
	err := newClient(socket).Lead(ctx, func(_ context.Context, r *agent.Reign) error {
		deadline := r.Deadline()
		cancel()
		for asked := 0; ; asked++ {
			answer, err := asks.Get("http://bully/leading")
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			if !time.Now().Before(deadline) {
				t.Logf("asked %d times", asked)
				return nil
			}
			require.Equal(t, http.StatusOK, answer.StatusCode, "it leads on while work acts")
		}
	})
	require.ErrorIs(t, err, context.Canceled)
}

// TestReignEnds: work is told when the node resigns, is waited for, and runs again in the next reign.
func TestReignEnds(t *testing.T) {
	socket, _ := newNode(t)
	client := newClient(socket)
	var epochs []uint64
	err := client.Lead(t.Context(), func(ctx context.Context, r *agent.Reign) error {
		if epochs = append(epochs, r.Epoch()); len(epochs) == 2 {
			return nil
		}
		resigned := make(chan error, 1)
		go func() { resigned <- client.Resign(context.Background()) }()
		<-ctx.Done()
		require.ErrorIs(t, context.Cause(ctx), agent.ErrNotLeader)
		select {
		case err := <-resigned:
			t.Errorf("the node has resigned while work went on: %v", err)
		default:
		}
		t.Cleanup(func() { require.NoError(t, <-resigned) })
		return nil
	})
	require.NoError(t, err)
	require.Len(t, epochs, 2)
	require.Greater(t, epochs[1], epochs[0])
}

// TestNodeEnds: work is told, and Lead says what has become of the node.
func TestNodeEnds(t *testing.T) {
	socket, stop := newNode(t)
	client := newClient(socket)
	err := client.Lead(t.Context(), func(ctx context.Context, r *agent.Reign) error {
		go stop()
		<-ctx.Done()
		require.False(t, r.Valid(), "the reign must be over when the node ends")
		return nil
	})
	require.ErrorContains(t, err, "agent: the node leads for this program no longer")
	stop()
}

// TestHangs: a program that makes no progress leads no longer, though it is alive and asks for its lease.
func TestHangs(t *testing.T) {
	socket, _ := newNode(t)
	client := newClient(socket)
	client.Progress = 20 * time.Millisecond
	err := client.Lead(t.Context(), func(work context.Context, r *agent.Reign) error {
		<-work.Done()
		require.ErrorIs(t, context.Cause(work), agent.ErrNotLeader)
		require.ErrorIs(t, r.Progress(context.Background()), agent.ErrNotLeader)
		return nil
	})
	require.ErrorContains(t, err, "it has made no progress for 20ms")
}

// newFake serves what a node would, and lets a program lead at once. It calls asked for each other question before it answers with a lease
// of an hour, or with a status that asked returns; and of /hold when that has ended. On connections comes what becomes of each.
func newFake(t *testing.T, asked func(path string) (status int)) (socket string, connections <-chan http.ConnState) {
	return newFakeFor(t, time.Hour, asked)
}

// newFakeFor is newFake with another lease.
func newFakeFor(t *testing.T, lease time.Duration, asked func(path string) (status int)) (socket string, connections <-chan http.ConnState) {
	socket = filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	states := make(chan http.ConnState, 1000)
	node := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/lead" {
			_, _ = fmt.Fprintln(w, `{"leading":true,"epoch":7,"term":"x"}`)
			_ = http.NewResponseController(w).Flush()
		}
		if r.URL.Path == "/lead" || r.URL.Path == "/hold" {
			<-r.Context().Done()
			if r.URL.Path == "/hold" {
				asked(r.URL.Path)
			}
			return
		}
		w.WriteHeader(asked(r.URL.Path))
		if r.URL.Path != "/resign" {
			_, _ = fmt.Fprintf(w, `{"epoch":7,"holds_ms":%d}`, lease.Milliseconds())
		}
	}), ConnState: func(_ net.Conn, state http.ConnState) { states <- state }}
	served := make(chan error, 1)
	go func() { served <- node.Serve(l) }()
	t.Cleanup(func() { require.NoError(t, node.Close()); require.ErrorIs(t, <-served, http.ErrServerClosed) })
	return socket, states
}

// TestLeaseIsDatedFromTheQuestion asks a node that takes its time.
func TestLeaseIsDatedFromTheQuestion(t *testing.T) {
	var asked atomic.Pointer[time.Time]
	socket, _ := newFake(t, func(string) int {
		now := time.Now()
		asked.CompareAndSwap(nil, &now)
		return http.StatusOK
	})
	client := newClient(socket)
	require.NoError(t, client.Lead(t.Context(), func(_ context.Context, r *agent.Reign) error {
		require.Equal(t, uint64(7), r.Epoch())
		require.True(t, r.Deadline().Before(asked.Load().Add(time.Hour)), "the node was asked before it has granted anything")
		return nil
	}))
}

// TestHeldWhileWorkActs: the address is held while work acts, whoever has told it to stop; and no longer than it may.
func TestHeldWhileWorkActs(t *testing.T) {
	var released atomic.Bool
	socket, _ := newFake(t, func(path string) int {
		if path == "/hold" {
			released.Store(true)
		}
		return http.StatusOK
	})
	client := newClient(socket)
	ctx, cancel := context.WithCancel(t.Context())
	require.ErrorIs(t, client.Lead(ctx, func(working context.Context, _ *agent.Reign) error {
		cancel()
		<-working.Done()
		for range 100 {
			require.NoError(t, client.Resign(t.Context()))
			require.False(t, released.Load(), "work acts yet")
		}
		return nil
	}), context.Canceled)
	require.Eventually(t, released.Load, 30*time.Second, time.Millisecond)

	released.Store(false)
	socket, _ = newFakeFor(t, 30*time.Millisecond, func(path string) int {
		if path == "/hold" {
			released.Store(true)
		}
		return http.StatusOK
	})
	client.Socket = socket
	ctx, cancel = context.WithCancel(t.Context())
	require.ErrorIs(t, client.Lead(ctx, func(_ context.Context, r *agent.Reign) error {
		deadline := r.Deadline()
		cancel()
		require.Eventually(t, released.Load, 30*time.Second, time.Millisecond)
		require.False(t, time.Now().Before(deadline), "until then it may act, though it was told to stop")
		return nil
	}), context.Canceled)
}

// TestLateAnswer: what is granted to who does not lead any more begins nothing.
func TestLateAnswer(t *testing.T) {
	came, late := make(chan struct{}), make(chan struct{})
	socket, _ := newFake(t, func(path string) int {
		if path == "/progress" {
			close(came)
			<-late
		}
		return http.StatusOK
	})
	progress := make(chan error, 1)
	var reign *agent.Reign
	client := newClient(socket)
	require.NoError(t, client.Lead(t.Context(), func(_ context.Context, r *agent.Reign) error {
		reign = r
		go func() { progress <- r.Progress(context.Background()) }()
		<-came
		return nil
	}))
	require.False(t, reign.Valid(), "the reign must be over when Lead has returned")
	close(late)
	require.ErrorIs(t, <-progress, agent.ErrNotLeader)
	require.False(t, reign.Valid(), "a late answer must not begin a reign that is over")
}

// TestReignIsGone: a node that says only in its answers that the reign is over ends it, long before the lease does.
func TestReignIsGone(t *testing.T) {
	var asked atomic.Int64
	socket, _ := newFake(t, func(string) int {
		if asked.Add(1) == 1 {
			return http.StatusOK
		}
		return http.StatusGone
	})
	client := &agent.Client{Socket: socket, Silence: 3 * time.Millisecond}
	ctx, cancel := context.WithCancel(t.Context())
	require.ErrorIs(t, client.Lead(ctx, func(working context.Context, r *agent.Reign) error {
		<-working.Done()
		require.ErrorIs(t, context.Cause(working), agent.ErrNotLeader)
		require.False(t, r.Valid(), "the reign must be over when the node answers that it is gone")
		cancel() // this node would not begin another
		return nil
	}), context.Canceled)
}

// TestNothingIsLeft: once Lead or Resign has returned, no connection to the node is open.
func TestNothingIsLeft(t *testing.T) {
	socket, connections := newFake(t, func(string) int { return http.StatusOK })
	allClosed := func() {
		for open := 0; ; {
			switch <-connections {
			case http.StateNew:
				open++
			case http.StateClosed:
				if open--; open == 0 {
					return
				}
			}
		}
	}
	client := newClient(socket)
	require.NoError(t, client.Lead(t.Context(), func(context.Context, *agent.Reign) error { return nil }))
	allClosed()
	require.NoError(t, client.Resign(t.Context()))
	allClosed()
}

// TestWrongly: each mistake has its error.
func TestWrongly(t *testing.T) {
	nobody := &agent.Client{Socket: filepath.Join(t.TempDir(), "nobody")}
	work := func(context.Context, *agent.Reign) error { panic("it does not lead") }
	require.ErrorContains(t, nobody.Lead(t.Context(), work), "does bully run -socket run here?")
	require.ErrorContains(t, nobody.Resign(t.Context()), "does bully run -socket run here?")
	socket, _ := newNode(t)
	hasty := &agent.Client{Socket: socket, Silence: time.Nanosecond}
	require.ErrorContains(t, hasty.Lead(t.Context(), work), "give a time from 1ms to 24h")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, (&agent.Client{Socket: socket}).Lead(ended, work), context.Canceled)
}
