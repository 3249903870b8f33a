package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// linger is how long Close waits for what is queued to be written: the RESIGN of a node that stops is worth that.
const linger = 100 * time.Millisecond

var errClosing = errors.New("this node closes its transport")

// TCP is the transport of one node over TCP. All its methods may be called at the same time.
type TCP struct {
	config   Config
	listener net.Listener
	tls      *tls.Config // of connections that are accepted, or nil

	ctx                 context.Context // of dials; ends when Close begins
	cancel              context.CancelFunc
	diallers, acceptors sync.WaitGroup
	closed              chan struct{} // closed when Close is done

	mu      sync.Mutex
	closing bool
	inbox   *inbox
	links   []*link // to all other members, ascending
	byNode  map[spec.NodeID]*link
	pending []*inbound // connections that have not shown of whom they are, the oldest first
	stats   Stats      // its counters
	quiet   limiter    // of what strangers can make this node log
	gate    gate       // of handshakes of TLS

	boot  uint64
	begun bool // Begun has been called

	// Of changing members only.
	strangers []*link
	strange   limiter   // of connections of strangers
	recent    uint64    // rises with what comes of strangers
	past      LinkStats // the counters of links that are gone
}

// NewTCP listens, begins to dial all other members, and returns at once; if they change, SetMembers says who they are from
// then on. The error says what of the Config is wrong, or
// why the address cannot be listened on.
func NewTCP(c Config) (*TCP, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	t := &TCP{
		config: c, listener: c.Listener, closed: make(chan struct{}), byNode: make(map[spec.NodeID]*link),
		quiet: limiter{burst: 10, every: time.Second}, gate: newGate(), strange: limiter{burst: maxStrangers, every: meetEvery},
	}
	if t.listener == nil {
		if t.listener, err = listenTCP(c.listenAddress()); err != nil {
			return nil, fmt.Errorf("transport: node %v cannot listen: %w", c.ID, err)
		}
	}
	if err := c.checkPlain(t.listener.Addr()); err != nil {
		if c.Listener == nil {
			_ = t.listener.Close()
		}
		return nil, err
	}
	if c.Changing != nil {
		t.config.Changing = c.Changing.at(t.listener.Addr())
	}
	t.boot = newBoot()
	if c.TLS != nil {
		t.tls = t.guarded(acceptorTLS(c.TLS))
	}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.inbox = newInbox(nil, 0)
	t.stats.Refused = make(map[Refusal]uint64)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.setMembers(c.Members)
	t.acceptors.Go(t.accept)
	return t, nil
}

// Addr returns the address that the transport listens on.
func (t *TCP) Addr() net.Addr { return t.listener.Addr() }

// Send sends m to m.To. It never blocks: what it cannot send is lost, and counted. See Stats.
func (t *TCP) Send(m spec.Message) {
	if c := t.enqueue(m); c != nil {
		c.wake()
	}
}

// enqueue returns the connection whose queue it has put m in, or nil.
func (t *TCP) enqueue(m spec.Message) *outbound {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.byNode[m.To]
	if l == nil || m.From != t.config.ID || m.Validate() != nil {
		t.stats.Unsendable++
		return nil
	}
	if t.closing || l.out == nil && (l.member || l.said.address == "") {
		l.stats.Lost++
		return nil
	}
	if l.out == nil {
		if l.waiting.push(m) {
			l.stats.Dropped++
		}
		t.start(l)
		return nil
	}
	if l.out.queue.push(m) {
		l.stats.Dropped++
	}
	return l.out
}

// Wake returns a channel that has a value while Next has an event. Close does not close it.
func (t *TCP) Wake() <-chan struct{} { return t.inbox.wake }

// Next returns the oldest event, and false if there is none now, or the transport is closed. It never returns a message
// of a connection that has been replaced.
func (t *TCP) Next() (Event, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.inbox.next()
}

// Close gives what has been sent a moment to leave, ends all connections, stops listening, and returns when no
// goroutine is left. It takes 0.1 s if a member does not read, and else no time. It returns nil, always.
//
// A node that leads must resign before (R28, R37): who dials a node that listens no more takes it for dead.
func (t *TCP) Close() error {
	t.mu.Lock()
	if t.closing {
		t.mu.Unlock()
		<-t.closed
		return nil
	}
	t.closing = true
	t.mu.Unlock()

	t.cancel()
	late := time.AfterFunc(linger, t.breakAll)
	t.diallers.Wait()
	late.Stop()
	_ = t.listener.Close()
	t.breakAll()
	t.acceptors.Wait()

	t.mu.Lock()
	t.inbox.close()
	t.mu.Unlock()
	close(t.closed)
	return nil
}

// breakAll closes all connections; who reads or writes them does the rest.
func (t *TCP) breakAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.pending {
		_ = p.raw.Close()
	}
	for _, l := range t.byNode {
		if l.in != nil {
			_ = l.in.raw.Close()
		}
		if l.out != nil {
			_ = l.out.raw.Close()
		}
	}
}
