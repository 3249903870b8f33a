package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"syscall"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// A link is what a node has to do with one other node: the connection that it dials, and sends on, and the one that
// it accepts, and reads. The mutex of its TCP guards all but what one goroutine has to itself.
type link struct {
	node spec.NodeID
	way  way         // to a member, as the members have it
	tls  *tls.Config // of the connection that is dialled, or nil
	box  *box

	member bool // the node is one; it is a non-member otherwise
	alone  bool // nobody else is at the address: if that refuses, the node is dead
	said   hello
	memory memory // of its numbers
	// What it has said last of its record contradicts that: its disk is lost, and it is not connected.
	lostDisk bool
	disowned bool     // Disowned has been told of it
	other    net.Addr // where another run of it was turned away from, while the one that is heeded was connected; or nil
	twice    limiter  // of saying that two programs have its id
	// What was sent to a non-member who is not connected. It is for the run of the program that has said what it said.
	waiting ring[spec.Message]
	bundles ring[[]byte] // the same, of bundles
	running bool         // there is a goroutine that dials it
	gone    bool         // a non-member who had to give way; nothing of it counts any more
	recent  uint64       // rises with what comes of any non-member

	out   *outbound
	in    *inbound
	from  net.Addr // of the connection that was accepted last
	heard uint64   // rises with all that comes from the node: connections, and frames
	dead  bool     // Dead has been told, and nothing has come since
	// The dial that was refused last while what the node has sent may not have come yet. It is a proof as soon as that has.
	refused *attempt
	stats   LinkStats

	kick    chan struct{}      // dial now, if there is no connection
	dialled time.Time          // when the present dial began
	abandon context.CancelFunc // ends the present dial, until it is answered

	pace pace // of run
}

// An outbound is a connection that was dialled, and what is to be written to it. A queue belongs to one connection, so
// that what was sent to a node before it restarted ends with the connection to it.
type outbound struct {
	raw, conn net.Conn // conn is raw, or TLS over raw
	way       way

	life        // of the program at the other end
	untold bool // of its end nothing is told, as nothing was told of its beginning
	begun  bool // the frame of that name is written
	queue  ring[spec.Message]
	// What there is besides, or instead where members are fixed, with Config.Bundles: frames.
	bundles ring[[]byte]
	ready   chan struct{} // has a value if there may be something in the queue
	done    chan struct{} // closed when the connection has ended
}

func newLink(c Config, node spec.NodeID, b *box) *link {
	l := &link{node: node, box: b, kick: make(chan struct{}, 1), twice: limiter{burst: 1, every: time.Minute}}
	l.waiting.max, l.bundles.max = maxWaiting, maxWaiting
	l.stats.Node, l.stats.Since = node, time.Now()
	l.abandon = func() {}
	if c.TLS != nil {
		l.tls = diallerTLS(c.TLS, c.Cluster, node)
	}
	return l
}

// target returns where the node is to be dialled: a member at its address, and a non-member where it says that it is.
func (l *link) target() way {
	switch {
	case l.member && l.way.address != "" || l.said.address == "":
		return l.way
	case l.member && l.way.incarnation != 0:
		return way{l.said.address, l.way.incarnation}
	}
	return way{l.said.address, l.said.incarnation}
}

// clearWaiting drops what waits for a connection to a non-member, and returns how much.
func (l *link) clearWaiting() int { return l.waiting.clear() + l.bundles.clear() }

// run keeps a connection to the node, until Close. It keeps one to a non-member only as long as there is something to send.
func (t *TCP) run(l *link) {
	last := ""
	for t.wanted(l) {
		c, a, err := t.connect(l)
		if err == nil {
			last = ""
			t.config.Logger.Log(t.ctx, t.level(l), "connected", "to", l.node, "address", a.address)
			t.carry(l, c)
		} else {
			reason := reasonOf(err)
			t.logFailure(l, a.way, err, a.proved || reason == last)
			last = reason
			t.giveUp(l, a)
		}
		if !t.pause(l, err) {
			return
		}
	}
}

// wanted reports whether the node is to be connected. If not, run ends; start begins it again.
func (t *TCP) wanted(l *link) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	l.running = !t.closing && (l.member || l.waiting.n > 0 || l.bundles.n > 0)
	return l.running
}

// start makes sure that the node is dialled.
func (t *TCP) start(l *link) {
	if l.running || t.closing {
		return
	}
	l.running = true
	t.diallers.Go(func() { t.run(l) })
}

// level returns at which level the ups and downs of a link are logged: non-members are to fill no disk.
func (t *TCP) level(l *link) slog.Level {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.member {
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// logFailure logs why a connection was not made. One reason is told once, and then only to who wants all.
func (t *TCP) logFailure(l *link, to way, err error, again bool) {
	level := t.level(l)
	var refusal *refusalError
	switch {
	case again || t.ctx.Err() != nil || level == slog.LevelDebug:
		level = slog.LevelDebug
	case errors.As(err, &refusal), errors.Is(err, errVersion):
		level = slog.LevelWarn
	}
	t.config.Logger.Log(t.ctx, level, "not connected", "to", l.node, "address", to.address, "err", err)
}

// reasonOf returns an error's text without the ports in it, which are others each time.
func reasonOf(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Op + ": " + op.Err.Error()
	}
	return err.Error()
}

// wake makes write look at the queue.
func (c *outbound) wake() {
	select {
	case c.ready <- struct{}{}:
	default:
	}
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
	idle := idleness{transport: t, link: l}
	defer idle.stop()
	for last := false; !last; {
		select {
		case <-c.ready:
		case <-c.done:
			return nil
		case <-idle.over():
			if !t.isMember(l) {
				return errIdle
			}
		case <-t.ctx.Done():
			last = true
		}
		var n uint64
		buffer, n = t.take(c, buffer[:0])
		if len(buffer) == 0 {
			continue
		}
		err := c.conn.SetWriteDeadline(time.Now().Add(t.config.WriteTimeout))
		if err == nil {
			_, err = c.conn.Write(buffer)
		}
		t.wrote(l, n, len(buffer), err)
		if err != nil {
			return err
		}
	}
	return errClosing
}

// take empties the queue into frames, and says first that this node has begun. They cannot fail: Send has looked at each message.
func (t *TCP) take(c *outbound, buffer []byte) (_ []byte, n uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.begun && !c.begun {
		c.begun = true
		buffer = append(buffer, begun...)
	}
	for ; c.queue.n > 0; n++ {
		buffer, _ = spec.AppendFrame(buffer, c.queue.pop())
	}
	if c.bundles.n > 0 {
		return c.takeBundles(buffer)
	}
	return buffer, n
}

func (t *TCP) wrote(l *link, n uint64, size int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	count := t.countFor(l)
	if err != nil {
		count.Lost += n
		return
	}
	count.Sent += n
	count.BytesOut += uint64(size)
}

// end takes a connection out of use, once. What is queued for it is lost.
func (t *TCP) end(l *link, c *outbound, err error) {
	if t.takeOut(l, c, err) {
		_ = c.raw.Close()
		t.config.Logger.Log(t.ctx, t.level(l), "disconnected", "to", l.node, "err", err)
	}
}

func (t *TCP) takeOut(l *link, c *outbound, err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.out != c {
		return false
	}
	t.unuse(l, c, err)
	return true
}

func (t *TCP) unuse(l *link, c *outbound, err error) {
	l.out = nil
	l.stats.Up, l.stats.Since, l.stats.LastError = false, time.Now(), err.Error()
	l.stats.Lost += uint64(c.queue.clear())
	l.stats.Lost += uint64(c.bundles.clear())
	if !t.closing && !c.untold {
		t.tell(l, Down)
	}
	close(c.done)
}

// tell tells the host what has become of a link to a member.
func (t *TCP) tell(l *link, k Kind) {
	if l.member && t.inbox.tell(l.box, k) {
		t.stats.Untold++
	}
}

// dialNow makes run dial without further pause.
func (l *link) dialNow() {
	select {
	case l.kick <- struct{}{}:
	default:
	}
}

const (
	// A program that ends takes its connections and its listener with it, one after the other, and the listener may be the last (see
	// hold.Listen). Who dials in between is heard by nobody, and dials again: three times at once, as that is a matter of
	// microseconds, and then after dyingPause, and a little longer each time.
	dyingTries = 16
	dyingPause = time.Millisecond
)

// A pace says how soon a node is dialled again.
type pace struct {
	failures int // dials that failed in a row, but for
	ends     int // the first that ended in the handshake
	haste    haste
}

// pause waits until the node is to be dialled again: at once if a connection has ended or a new one has come, else after
// a while. err is why it could not be connected; it is nil if it was. pause returns false when the transport closes.
func (t *TCP) pause(l *link, err error) bool {
	p, dying := &l.pace, false
	switch {
	case err == nil:
		p.failures, p.ends = 0, 0
	case isEnd(err) && p.ends < dyingTries:
		p.ends++
		dying = true
	default:
		p.failures++
	}
	t.mu.Lock()
	usual := backoff(t.config, p.failures)
	t.mu.Unlock()
	wait, kick := usual, l.kick
	switch {
	case !p.haste.left(time.Now()):
		kick = nil
	case err == nil:
		wait = 0
	case dying:
		wait = min(dyingPause*time.Duration(p.ends/4), usual)
	}
	if wait == 0 {
		p.haste.spend()
		return t.ctx.Err() == nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-t.ctx.Done():
		return false
	case <-kick:
		p.failures, p.ends = 0, 0
		p.haste.spend()
	case <-timer.C:
		if wait < usual {
			p.haste.spend()
		}
	}
	return true
}

// backoff returns the pause after some failed dials in a row: doubled for each, and jittered by half.
func backoff(c Config, failures int) time.Duration {
	d := c.BackoffMin
	for ; failures > 1 && d < c.BackoffMax; failures-- {
		d *= 2
	}
	d = max(min(d, c.BackoffMax), time.Millisecond)
	return d/2 + time.Duration(c.Rand.Int64N(int64(d/2)+1))
}

// isEnd reports whether a handshake failed because the other end has closed the connection.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// haste bounds how often a node is dialled without a pause, so that two programs with one id that replace each other's
// connections, or a non-member who feigns new ones, keep nobody busy.
type haste struct {
	spent int
	since time.Time
}

const (
	maxHaste   = 16                    // dials without a pause are in hand,
	hasteEvery = 20 * time.Millisecond // and one more is so often
)

func (h *haste) left(now time.Time) bool {
	if earned := int(now.Sub(h.since) / hasteEvery); earned > 0 {
		h.spent = max(0, h.spent-earned)
		h.since = now
	}
	return h.spent < maxHaste
}

func (h *haste) spend() { h.spent++ }
