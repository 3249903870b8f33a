package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// A link is what a node has to do with one other member: the connection that it dials, and sends on, and the one that
// it accepts, and reads. The mutex of its TCP guards all but what one goroutine has to itself.
type link struct {
	node    spec.NodeID
	address string
	tls     *tls.Config // of the connection that is dialled, or nil
	box     *box

	out   *outbound
	in    *inbound
	heard uint64 // rises with all that comes from the node: connections, and frames
	dead  bool   // Dead has been told, and nothing has come since
	stats LinkStats

	kick    chan struct{}      // dial now, if there is no connection
	dialled time.Time          // when the present dial began
	abandon context.CancelFunc // ends the present dial, until it is answered

	pace pace // of run
}

// An outbound is a connection that was dialled, and what is to be written to it. A queue belongs to one connection, so
// that what was sent to a node before it restarted ends with the connection to it.
type outbound struct {
	raw, conn net.Conn // conn is raw, or TLS over raw
	queue     ring[spec.Message]
	ready     chan struct{} // has a value if there may be something in the queue
	done      chan struct{} // closed when the connection has ended
}

func newLink(c Config, node spec.NodeID, b *box) *link {
	l := &link{node: node, address: c.Members[node], box: b, kick: make(chan struct{}, 1)}
	l.stats.Node, l.stats.Since = node, time.Now()
	l.abandon = func() {}
	if c.TLS != nil {
		l.tls = diallerTLS(c.TLS, c.Cluster, node)
	}
	return l
}

// run keeps a connection to the node, until Close.
func (t *TCP) run(l *link) {
	last := ""
	for {
		c, err := t.connect(l)
		if err == nil {
			last = ""
			t.config.Logger.Info("connected", "to", l.node, "address", l.address)
			t.carry(l, c)
		} else {
			reason := reasonOf(err)
			t.logFailure(l, err, reason == last)
			last = reason
		}
		if !t.pause(l, err) {
			return
		}
	}
}

// logFailure logs why a connection was not made. One reason is told once, and then only to who wants all.
func (t *TCP) logFailure(l *link, err error, again bool) {
	level := slog.LevelInfo
	var refusal *refusalError
	switch {
	case again || t.ctx.Err() != nil:
		level = slog.LevelDebug
	case errors.As(err, &refusal):
		level = slog.LevelWarn
	}
	t.config.Logger.Log(t.ctx, level, "not connected", "to", l.node, "address", l.address, "error", err)
}

// reasonOf returns an error's text without the ports in it, which are others each time.
func reasonOf(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Op + ": " + op.Err.Error()
	}
	return err.Error()
}

// connect dials the node, and says and hears who is there.
func (t *TCP) connect(l *link) (*outbound, error) {
	dialling, cancel, heard := t.begin(l)
	raw, err := t.config.Dial(dialling, l.address)
	cancel()
	if err != nil {
		if t.proves(l, heard, err) {
			t.config.Logger.Info("dead: its address refuses", "to", l.node, "address", l.address)
		}
		return nil, err
	}
	stop := context.AfterFunc(t.ctx, func() { _ = raw.Close() })
	conn, err := t.greet(l, raw)
	stop()
	if err == nil {
		if c := t.open(l, raw, conn); c != nil {
			return c, nil
		}
		err = errClosing
	}
	_ = raw.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	l.stats.LastError = err.Error()
	return nil, err
}

// begin notes what has come from the node when the dial begins. A kick from before is answered by this dial.
func (t *TCP) begin(l *link) (dialling context.Context, cancel func(), heard uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-l.kick:
	default:
	}
	l.stats.Dials++
	l.dialled = time.Now()
	dialling, l.abandon = context.WithTimeout(t.ctx, t.config.DialTimeout)
	return dialling, l.abandon, l.heard
}

// proves takes note of a dial that failed, and reports whether that has proved the node dead. Nobody was listening at
// some moment since the dial began. A node listens before it says anything, and as long as it runs; so what it had said
// before, heard then, was said by a program that has ended. What came meanwhile may be of its successor, and what a
// connection still holds would come after Dead: in both cases this dial proves nothing. Each of the two ends with a
// kick, and so with another dial.
func (t *TCP) proves(l *link, heard uint64, err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	l.stats.LastError = err.Error()
	if !refused(err) || l.in != nil || l.heard != heard || l.dead || t.closing || t.config.NoProof {
		return false
	}
	l.dead = true
	t.tell(l, Dead)
	return true
}

// greet makes a dialled connection one to the node.
func (t *TCP) greet(l *link, raw net.Conn) (net.Conn, error) {
	if err := raw.SetDeadline(time.Now().Add(t.config.HandshakeTimeout)); err != nil {
		return nil, err
	}
	conn := raw
	if l.tls != nil {
		secured := tls.Client(raw, l.tls)
		if err := secured.Handshake(); err != nil {
			return nil, err
		}
		conn = secured
	}
	said := hello{t.config.ID, l.node, t.config.Cluster}
	if _, err := conn.Write(said.append(nil)); err != nil {
		return nil, err
	}
	a, err := readAnswer(conn)
	switch {
	case err != nil:
		return nil, fmt.Errorf("no answer to the handshake: %w", err)
	case a.code != welcome:
		return nil, &refusalError{a.code, a.node}
	case a.node != l.node:
		return nil, fmt.Errorf("node %v answers at %s: correct the address of node %v", a.node, l.address, l.node)
	}
	tune(raw, t.config.UserTimeout)
	return conn, raw.SetDeadline(time.Time{})
}

// refusalError says that the other end refuses this node.
type refusalError struct {
	code Refusal
	node spec.NodeID // who says so
}

func (e *refusalError) Error() string {
	return fmt.Sprintf("refused by node %v: %v", e.node, e.code)
}

// open puts a connection to use, unless the transport closes.
func (t *TCP) open(l *link, raw, conn net.Conn) *outbound {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing {
		return nil
	}
	c := &outbound{raw: raw, conn: conn, ready: make(chan struct{}, 1), done: make(chan struct{})}
	c.queue.max = t.config.Queue
	l.out, l.dead = c, false
	l.stats.Up, l.stats.Since = true, time.Now()
	t.tell(l, Up)
	return c
}

// carry writes what is sent, until the connection ends.
func (t *TCP) carry(l *link, c *outbound) {
	t.diallers.Go(func() { t.watch(l, c) })
	t.end(l, c, t.write(l, c))
}

// watch waits for the end of the connection, which would else be noticed only with the next write. Nothing comes on it.
func (t *TCP) watch(l *link, c *outbound) {
	var one [1]byte
	_, err := c.conn.Read(one[:])
	if err == nil {
		err = errors.New("the node has sent something on a connection that is not for that")
	}
	t.end(l, c, err)
}

// write writes what is queued, all in one, whenever there is something. When Close begins it does so once more.
func (t *TCP) write(l *link, c *outbound) error {
	var buffer []byte
	for last := false; !last; {
		select {
		case <-c.ready:
		case <-c.done:
			return nil
		case <-t.ctx.Done():
			last = true
		}
		var n uint64
		buffer, n = t.take(c, buffer[:0])
		if n == 0 {
			continue
		}
		err := c.conn.SetWriteDeadline(time.Now().Add(t.config.WriteTimeout))
		if err == nil {
			_, err = c.conn.Write(buffer)
		}
		t.wrote(l, n, err)
		if err != nil {
			return err
		}
	}
	return errClosing
}

// take empties the queue into frames. They cannot fail: Send has looked at each message.
func (t *TCP) take(c *outbound, buffer []byte) (_ []byte, n uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for ; c.queue.n > 0; n++ {
		buffer, _ = spec.AppendFrame(buffer, c.queue.pop())
	}
	return buffer, n
}

func (t *TCP) wrote(l *link, n uint64, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		l.stats.Lost += n
		return
	}
	l.stats.Sent += n
	l.stats.BytesOut += n * frameSize
}

// end takes a connection out of use, once. What is queued for it is lost.
func (t *TCP) end(l *link, c *outbound, err error) {
	if t.takeOut(l, c, err) {
		_ = c.raw.Close()
		t.config.Logger.Info("disconnected", "to", l.node, "error", err)
	}
}

func (t *TCP) takeOut(l *link, c *outbound, err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.out != c {
		return false
	}
	l.out = nil
	l.stats.Up, l.stats.Since, l.stats.LastError = false, time.Now(), err.Error()
	l.stats.Lost += uint64(c.queue.clear())
	if !t.closing {
		t.tell(l, Down)
	}
	close(c.done)
	return true
}

// tell tells the host what has become of a link.
func (t *TCP) tell(l *link, k Kind) {
	if t.inbox.tell(l.box, k) {
		t.stats.Untold++
	}
}
