package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
)

// Programs lets programs of this machine lead, over a Unix socket, as if the node were inside of them: it is to run while one of them
// asks to lead, and not else. So a machine whose program is dead, or stuck, does not lead.
type Programs struct {
	logger *slog.Logger
	lends  bool // the address of the node, to whoever leads
	server *http.Server
	slots  *slots
	terms  terms
	turn   chan struct{} // has a value while a program leads, or is the next to

	waiting *Waiting // answers while no node runs

	mu      sync.Mutex
	there   int           // programs that ask to lead
	node    *beside       // that runs, or nil
	changed chan struct{} // closed when one of these is another
}

// beside is a node that runs beside programs.
type beside struct {
	leader  Leader
	server  http.Handler
	address Lent // or nil
}

// mostPrograms is how many connections programs may have open at once.
const mostPrograms = 64

// NewPrograms returns Programs that serve nothing yet. What is asked while no node runs, and not of programs, waiting answers. A node that lends
// its address is taken to be dead when that refuses: so a program may lead only if it holds that, or what it writes to refuses older epochs.
func NewPrograms(logger *slog.Logger, waiting *Waiting, lends bool) *Programs {
	p := &Programs{logger: logger, lends: lends, waiting: waiting, slots: &slots{most: mostPrograms}, turn: make(chan struct{}, 1), changed: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /lead", p.lead)
	for path, method := range map[string]string{"/lead": http.MethodGet, "/lease": http.MethodGet, "/hold": http.MethodGet, "/progress": http.MethodPost, "/stopped": http.MethodPost} {
		mux.HandleFunc(path, only(method))
		mux.HandleFunc("HEAD "+path, only(method)) // else it would be taken for GET, and lead
	}
	mux.HandleFunc("GET /lease", p.lease)
	mux.HandleFunc("GET /hold", p.hold)
	mux.HandleFunc("POST /progress", p.progress)
	mux.HandleFunc("POST /stopped", p.stopped)
	mux.HandleFunc("/", p.others)
	p.server = &http.Server{ConnState: p.slots.note, Handler: mux, ReadHeaderTimeout: patience, ReadTimeout: patience, MaxHeaderBytes: 8 << 10,
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelDebug)}
	return p
}

// only returns what answers every other method than that of its path.
func only(method string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", method)
		http.Error(w, "ask "+method, http.StatusMethodNotAllowed)
	}
}

// Serve serves on l until Close. It closes l. Its error is nil after Close.
func (p *Programs) Serve(l net.Listener) error {
	p.slots.Listener = l
	if err := p.server.Serve(p.slots); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close ends all connections, at once.
func (p *Programs) Close() error { return p.server.Close() }

// Wait waits until a program asks to lead.
func (p *Programs) Wait(ctx context.Context) error {
	return p.until(ctx, func() bool { return p.there > 0 })
}

// Join has a node lead for the programs that ask. Its server answers what else they ask; its address is the listener that it lends, or nil. The node is to end when the context does: when
// ctx ends, or when no program asks to lead any more. Leave is to be called when it has.
func (p *Programs) Join(ctx context.Context, leader Leader, server *Server, address Lent) (_ context.Context, leave func()) {
	p.change(func() { p.node = &beside{leader, server.handler(), address} })
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		_ = p.until(ctx, func() bool { return p.there == 0 })
		cancel()
	})
	return ctx, func() {
		cancel()
		watching.Wait()
		p.change(func() { p.node = nil })
	}
}

// next waits for a node that runs, and is not the last one.
func (p *Programs) next(ctx context.Context, last *beside) (node *beside, err error) {
	err = p.until(ctx, func() bool {
		node = p.node
		return node != nil && node != last
	})
	return node, err
}

// enter notes that a program has come, or has gone.
func (p *Programs) enter(count int) { p.change(func() { p.there += count }) }

func (p *Programs) change(set func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	set()
	close(p.changed)
	p.changed = make(chan struct{})
}

// until waits until a condition holds.
func (p *Programs) until(ctx context.Context, holds func() bool) error {
	for {
		p.mu.Lock()
		held, changed := holds(), p.changed
		p.mu.Unlock()
		if held {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// others serves what the node serves, if it runs.
func (p *Programs) others(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	node := p.node
	p.mu.Unlock()
	if node == nil {
		p.waiting.handler.ServeHTTP(w, r)
		return
	}
	node.server.ServeHTTP(w, r)
}
