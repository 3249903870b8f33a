package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/impl/resource"
	"github.com/seed-fdf591db/bully/spec"
)

// replaceAll runs five nodes whose leader writes to a fenced resource all the time, and puts a new one in the place of each.
func (p program) replaceAll(ctx context.Context, f demoFlags) (err error) {
	load, err := newLoad()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, load.close()) }()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	command, err := nodeCommand(f.command, "-profile", "lan", "-preempt", "1s")
	if err != nil {
		return err
	}
	if f.command == "" {
		command[1] = "exec"
	}
	c, err := localcluster.New(localcluster.Config{Nodes: 2 * demoNodes, Command: command, Dir: f.dir, Changing: true, Traces: true,
		Extra: func(int) []string { return []string{"-move", "--", self, "demo", "-write", load.url()} }})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	s := &show{program: p, cluster: c, begin: time.Now()}
	return s.replace(ctx, load)
}

// replace plays all scenes.
func (s *show) replace(ctx context.Context, load *load) error {
	const name = "demo"
	_, _ = fmt.Fprintf(s.Out, "Five nodes, five processes on this machine. While one leads it writes to a fenced resource, all the time.\n"+
		"A new node takes the place of each, one after the other.\n\n")
	var first []int
	for id := 1; id <= demoNodes; id++ {
		first = append(first, id)
	}
	if err := s.cluster.Init(name, first...); err != nil {
		return err
	}
	s.say(time.Now(), "start nodes %s", list(first))
	if err := s.cluster.Start(first...); err != nil {
		return err
	}
	if _, err := s.elect(ctx, 0, first); err != nil {
		return err
	}
	if err := s.rest(ctx); err != nil {
		return err
	}
	s.line()
	load.begin()
	began := time.Now()
	for _, old := range first {
		if err := s.replaceOne(ctx, name, old, old+demoNodes); err != nil {
			return err
		}
	}
	end := time.Now()
	if err := s.farewell(ctx, first); err != nil {
		return err
	}
	fresh := s.cluster.IDs(first...)
	if _, err := s.cluster.Agree(ctx, 0, fresh...); err != nil {
		return err
	}
	if err := s.sum(ctx, load, began, end); err != nil {
		return err
	}
	return s.curtain(ctx, fresh...)
}

// replaceOne starts a node, puts it in the place of another, and waits until that has ended.
func (s *show) replaceOne(ctx context.Context, cluster string, old, fresh int) error {
	ctx, cancel := context.WithTimeout(ctx, demoPatience)
	defer cancel()
	member, err := s.cluster.Join(cluster, fresh)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := s.cluster.Start(fresh); err != nil {
		return err
	}
	operator := web.Operator{Nodes: s.cluster.URLs(), Say: func(text string) { s.say(time.Now(), "%s", text) }}
	change := web.Change{Do: "replace", Old: spec.IntegerID(uint64(old)), ID: member.ID, Kind: member.Kind, Address: member.Address}
	if err := operator.CarryOut(ctx, change); err != nil {
		return fmt.Errorf("replace node %d by node %d: %w", old, fresh, err)
	}
	s.say(time.Now(), "node %d has taken the place of node %d, %.0f ms after it was started", fresh, old, ms(time.Since(began)))
	return nil
}

// farewell waits until nodes that are no members any more have stopped, as each does after a while.
func (s *show) farewell(ctx context.Context, old []int) error {
	ctx, cancel := context.WithTimeout(ctx, demoPatience)
	defer cancel()
	for _, id := range old {
		select {
		case <-s.cluster.Gone(id):
		case <-ctx.Done():
			return fmt.Errorf("node %d is no member any more, and has not stopped; it said:\n%s", id, s.cluster.Log(id))
		}
	}
	return nil
}

// sum says what all of it has cost, and how far that is this machine's doing.
func (s *show) sum(ctx context.Context, load *load, began, end time.Time) error {
	var without, longest time.Duration
	gaps := slices.DeleteFunc(localcluster.Gaps(s.cluster.Events(0)), func(g localcluster.Gap) bool { return g.From.Before(began) })
	for _, gap := range gaps {
		s.note("%s", gap)
		without, longest = without+gap.Took(), max(longest, gap.Took())
	}
	writes, refused, pause := load.sum()
	_, err := fmt.Fprintf(s.Out, "\nFive nodes were replaced in %.1f s. Nobody led for %.1f ms in all, in %d hand-overs, of which the longest took %.1f ms.\n"+
		"The resource took %d writes, and refused %d of leaders of old; between two that it took it waited for %.1f ms at most.\n",
		end.Sub(began).Seconds(), ms(without), len(gaps), ms(longest), writes, refused, ms(pause))
	var slow, held uint64
	for id := demoNodes + 1; id <= 2*demoNodes; id++ {
		if counted, err := s.cluster.Counters(ctx, id); err == nil { // what another program counts is no matter here
			slow, held = slow+counted.SlowSaves, held+counted.HeldUp
		}
	}
	if err == nil && slow+held > 0 {
		_, err = fmt.Fprintf(s.Out, "This machine is busy: the new nodes had to wait too long %d times for the disk, and %d times for a processor. That can cost a leader its reign.\n",
			slow, held)
	}
	return err
}

// A load is a fenced resource that a leader writes to, and what becomes of its writes.
type load struct {
	server   http.Server
	listener net.Listener
	served   chan error

	mu              sync.Mutex
	writes, refused int
	last            time.Time // of the writes
	pause           time.Duration
}

func newLoad() (*load, error) {
	guard, err := resource.NewGuard(&resource.MemoryRegister{})
	if err != nil {
		return nil, err
	}
	l := &load{served: make(chan error, 1)}
	fenced := &resource.Handler{Guard: guard, Next: http.HandlerFunc(l.write)}
	l.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &noted{ResponseWriter: w}
		fenced.ServeHTTP(answer, r)
		if answer.code == http.StatusPreconditionFailed {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.refused++
		}
	})
	l.server.ReadHeaderTimeout = 5 * time.Second
	if l.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	go func() { l.served <- l.server.Serve(l.listener) }()
	return l, nil
}

// noted notes the status of an answer.
type noted struct {
	http.ResponseWriter
	code int
}

// WriteHeader implements http.ResponseWriter.
func (n *noted) WriteHeader(code int) {
	n.code = code
	n.ResponseWriter.WriteHeader(code)
}

func (l *load) url() string { return "http://" + l.listener.Addr().String() }

// write takes a write that the fence has let pass.
func (l *load) write(http.ResponseWriter, *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if !l.last.IsZero() {
		l.pause = max(l.pause, now.Sub(l.last))
	}
	l.writes, l.last = l.writes+1, now
}

// begin forgets what was before.
func (l *load) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writes, l.refused, l.pause = 0, 0, 0
}

func (l *load) sum() (writes, refused int, pause time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.writes, l.refused, l.pause
}

func (l *load) close() error {
	err := l.server.Close()
	if served := <-l.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// writeLoad writes to a resource in the epoch of its reign, again and again, until it is ended, or refused.
func writeLoad(ctx context.Context, url string) error {
	epoch, err := strconv.ParseUint(os.Getenv("BULLY_EPOCH"), 10, 64)
	if err != nil {
		return cli.Usage("-write is for work that bully exec has started: BULLY_EPOCH is missing")
	}
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte("work")))
		if err != nil {
			return err
		}
		resource.SetEpoch(request.Header, spec.Epoch(epoch))
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		if err := errors.Join(resource.CheckResponse(response), response.Body.Close()); err != nil {
			return err
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
		}
	}
	return nil
}
