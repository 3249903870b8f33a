package localcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// settling is how long a proxy waits, when a node has closed a connection, for the news that the node is dead. It keeps
// a node from dialling again before the listener is closed.
const settling = 20 * time.Millisecond

// Link is one direction between two nodes: what From says to To goes over it.
type Link struct {
	From, To int
}

// Between returns the links between nodes of two groups, in both directions.
func Between(some, others []int) []Link {
	return append(OneWay(some, others), OneWay(others, some)...)
}

// OneWay returns the links from nodes of one group to nodes of another.
func OneWay(from, to []int) []Link {
	var links []Link
	for _, a := range from {
		for _, b := range to {
			links = append(links, Link{a, b})
		}
	}
	return links
}

// Cut lets links carry nothing any more, from now on and together, and returns the moment before. What is sent over
// them is held, as a network does that loses packets: a connection that outlives the cut delivers it after
// Heal. New connections are taken, and held likewise; none is refused, even if the node is dead.
// In a Namespaced cluster a link that is cut carries no packet, so no acknowledgement of the other
// direction's packets either.
func (c *Cluster) Cut(links ...Link) (time.Time, error) { return c.set(true, links) }

// Heal lets links work again; all of them if none is given.
func (c *Cluster) Heal(links ...Link) (time.Time, error) {
	if len(links) == 0 {
		links = Between(c.IDs(), c.IDs())
	}
	return c.set(false, links)
}

// set cuts or heals links.
func (c *Cluster) set(cut bool, links []Link) (time.Time, error) {
	at := time.Now()
	switch c.config.Network {
	case Namespaced:
		return at, c.spaces.set(cut, links)
	case Direct:
		return at, errors.New("the links of a cluster on bare loopback cannot be cut: use Proxied or Namespaced")
	}
	var errs []error
	for _, link := range links {
		if p := c.proxies[link]; p != nil {
			errs = append(errs, p.setCut(cut))
		}
	}
	return at, errors.Join(errs...)
}

// proxy carries the connections from one node to one other. It listens as long as the other lives or
// the link is cut: only a dead node refuses connections, and nobody can tell that over a link that is cut.
type proxy struct {
	addr, target string
	ctx          context.Context
	wait         *sync.WaitGroup

	mu         sync.Mutex
	alive, cut bool
	open       chan struct{} // closed while the link is not cut
	dead       chan struct{} // closed while the target is dead
	listener   net.Listener  // nil while nobody may connect
	fronts     map[net.Conn]struct{}
}

// newProxy returns a proxy that does not listen yet. It ends with ctx; wait then waits for it.
func newProxy(ctx context.Context, wait *sync.WaitGroup, addr, target string) *proxy {
	p := &proxy{addr: addr, target: target, ctx: ctx, wait: wait, open: closed(), dead: closed(), fronts: map[net.Conn]struct{}{}}
	wait.Go(func() {
		<-ctx.Done()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.alive, p.cut = false, false
		_ = p.listen()
		for front := range p.fronts {
			_ = front.Close()
		}
	})
	return p
}

// closed returns a channel that is closed.
func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// setAlive says whether the target lives. A node lives from before its process is started until it has ended.
func (p *proxy) setAlive(alive bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if alive == p.alive {
		return nil
	}
	p.alive = alive
	if alive {
		p.dead = make(chan struct{})
		return p.listen()
	}
	err := p.listen()
	close(p.dead)
	return err
}

// setCut says whether the link is cut.
func (p *proxy) setCut(cut bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cut == p.cut {
		return nil
	}
	p.cut = cut
	if cut {
		p.open = make(chan struct{})
		return p.listen()
	}
	err := p.listen()
	close(p.open)
	return err
}

// listen opens or closes the listener, as it must be now. The lock is held.
func (p *proxy) listen() error {
	must := (p.alive || p.cut) && p.ctx.Err() == nil
	switch {
	case must && p.listener == nil:
		listener, err := net.Listen("tcp", p.addr)
		if err != nil {
			return fmt.Errorf("proxy to %s: %w", p.target, err)
		}
		p.listener = listener
		p.wait.Go(func() { p.serve(listener) })
	case !must && p.listener != nil:
		err := shut(p.listener)
		p.listener = nil
		return err
	}
	return nil
}

// shut closes a listener for all processes. One that is being started has a copy of it until it runs its program: without
// the shutdown it would go on accepting, and the address would stay in use.
func shut(listener net.Listener) error {
	if tcp, ok := listener.(*net.TCPListener); ok {
		if raw, err := tcp.SyscallConn(); err == nil {
			_ = raw.Control(endListening) // Close says what is wrong
		}
	}
	return listener.Close()
}

// serve takes connections until the listener is closed.
func (p *proxy) serve(listener net.Listener) {
	for {
		front, err := listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		if p.ctx.Err() != nil {
			_ = front.Close()
		}
		p.fronts[front] = struct{}{}
		p.mu.Unlock()
		p.wait.Go(func() {
			p.carry(front)
			p.mu.Lock()
			defer p.mu.Unlock()
			delete(p.fronts, front)
		})
	}
}

// uncut waits until the link is not cut. It reports false if the proxy ends before.
func (p *proxy) uncut() bool {
	for {
		p.mu.Lock()
		open := p.open
		p.mu.Unlock()
		select {
		case <-open:
		case <-p.ctx.Done():
			return false
		}
		p.mu.Lock()
		cut := p.cut
		p.mu.Unlock()
		if !cut {
			return true
		}
	}
}

// hold keeps a new connection while the link is cut, and returns what was sent over it. It reports false if who has
// opened it gives up before: that connection was never made.
func (p *proxy) hold(front net.Conn) (held []byte, ok bool) {
	cut := make(chan struct{})
	p.wait.Go(func() {
		if p.uncut() {
			_ = front.SetReadDeadline(time.Unix(1, 0)) // ends the Read below
		}
		close(cut)
	})
	buffer := make([]byte, 4<<10)
	for {
		n, err := front.Read(buffer)
		held = append(held, buffer[:n]...)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			<-cut
			return held, front.SetReadDeadline(time.Time{}) == nil
		}
		if err != nil {
			return nil, false
		}
	}
}

// carry carries one connection until either end closes it.
func (p *proxy) carry(front net.Conn) {
	defer func() { _ = front.Close() }()
	held, ok := p.hold(front)
	if !ok {
		return
	}
	back, err := (&net.Dialer{}).DialContext(p.ctx, "tcp", p.target)
	if err != nil {
		p.settle()
		return
	}
	if _, err := back.Write(held); err != nil {
		_ = back.Close() // The pumps see that, and end.
	}
	var there sync.WaitGroup
	there.Go(func() {
		p.pump(back, front)
		_ = back.Close()
	})
	p.pump(front, back)
	p.settle()
	_ = front.Close()
	there.Wait()
}

// pump copies what it reads, and waits while the link is cut: with what it has read, and with the news that
// the connection has ended too.
func (p *proxy) pump(to, from net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if !p.uncut() {
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				reset(to)
			}
			return
		}
	}
}

// reset lets the end of a connection be a reset, as it was at the other end.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}

// settle waits a little for the news that the target is dead.
func (p *proxy) settle() {
	p.mu.Lock()
	dead := p.dead
	p.mu.Unlock()
	timer := time.NewTimer(settling)
	defer timer.Stop()
	select {
	case <-dead:
	case <-timer.C:
	case <-p.ctx.Done():
	}
}
