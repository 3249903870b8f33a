package transport

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// An inbound is a connection that was accepted. It is pending until it has shown of which node it is.
type inbound struct {
	serial uint64 // in which order it was accepted
	raw    net.Conn
	left   chan struct{} // closed when its goroutine leaves

	pace      limiter // of what a non-member may say; its reader has these two to itself
	nonMember bool    // whoever has said something last was one
}

// accept takes connections until Close. When that fails it waits, longer each time: it may be for want of files, and
// those that are open are to go on.
func (t *TCP) accept() {
	const shortest, longest = 5 * time.Millisecond, time.Second
	pause := shortest
	for {
		raw, err := t.listener.Accept()
		if err == nil {
			t.admit(raw)
			pause = shortest
			continue
		}
		if !t.acceptFailed(err) {
			return
		}
		timer := time.NewTimer(pause)
		select {
		case <-t.ctx.Done():
			timer.Stop()
		case <-timer.C:
		}
		pause = min(2*pause, longest)
	}
}

// acceptFailed takes note of an error of the listener, and gives it the file of the oldest pending connection. It
// returns false when the transport closes.
func (t *TCP) acceptFailed(err error) bool {
	t.mu.Lock()
	closing := t.closing
	t.stats.AcceptErrors++
	t.stats.LastAcceptError = err.Error()
	loud := t.quiet.allow(time.Now())
	oldest := t.evict(1)
	t.mu.Unlock()
	oldest.close()
	if closing {
		return false
	}
	if loud {
		t.config.Logger.Error("cannot accept connections", "err", err)
	}
	return true
}

// admit begins to serve a connection. There are never more than MaxPending that have not shown who they are, nor
// goroutines for them: the oldest gives way to the new one.
func (t *TCP) admit(raw net.Conn) {
	t.mu.Lock()
	oldest := t.evict(t.config.MaxPending)
	t.mu.Unlock()
	oldest.close()

	t.mu.Lock()
	defer t.mu.Unlock()
	t.stats.Accepted++
	p := &inbound{serial: t.stats.Accepted, raw: raw, left: make(chan struct{})}
	if t.closing {
		_ = raw.Close()
		return
	}
	p.pace = limiter{burst: nonMemberBurst, every: nonMemberEvery}
	t.pending = append(t.pending, p)
	t.acceptors.Go(func() { t.serve(p) })
}

// evict takes the oldest pending connection out if there are limit of them or more. It may return nil.
func (t *TCP) evict(limit int) *inbound {
	if len(t.pending) < limit {
		return nil
	}
	oldest := t.pending[0]
	t.pending = slices.Delete(t.pending, 0, 1)
	t.stats.Evicted++
	return oldest
}

// close ends a connection and waits until its goroutine has left.
func (p *inbound) close() {
	if p != nil {
		_ = p.raw.Close()
		<-p.left
	}
}

// serve finds out of which member a connection is, and reads it to its end.
func (t *TCP) serve(p *inbound) {
	defer close(p.left)
	l, conn, err := t.welcome(p)
	if err == nil {
		err = t.read(l, p, conn)
	}
	loud := t.leave(l, p, err)
	_ = p.raw.Close()
	if loud {
		t.config.Logger.Warn("connection closed", "from", p.raw.RemoteAddr(), "err", err)
	}
}

// welcome does the acceptor's part of the handshake. The link is nil if the connection is not of a member.
func (t *TCP) welcome(p *inbound) (*link, net.Conn, error) {
	if err := p.raw.SetDeadline(time.Now().Add(t.config.HandshakeTimeout)); err != nil {
		return nil, nil, err
	}
	conn, state := p.raw, (*tls.ConnectionState)(nil)
	if t.tls != nil {
		secured := tls.Server(p.raw, t.tls)
		if err := secured.Handshake(); err != nil {
			return nil, nil, err
		}
		conn, state = secured, new(secured.ConnectionState())
	}
	said, err := readHello(conn)
	if err != nil && !errors.Is(err, errVersion) {
		return nil, nil, err
	}
	l, code, err := t.judge(p, said, state, err)
	if _, failed := conn.Write(t.answer(code, l)); failed != nil && err == nil {
		err = failed
	}
	if err != nil {
		return l, nil, err
	}
	tune(p.raw, t.config.UserTimeout)
	return l, conn, p.raw.SetDeadline(time.Time{})
}

// answer returns what is said to who has dialled.
func (t *TCP) answer(code Refusal, l *link) []byte {
	a := answer{code, t.config.ID, t.life()}
	if code == RecordLost {
		t.mu.Lock()
		defer t.mu.Unlock()
		a.record = l.memory.record
	}
	return a.append(nil)
}

// judge says whether a connection is welcome, and why not. One that is is in use before its dialler hears of it.
func (t *TCP) judge(p *inbound, said hello, state *tls.ConnectionState, failed error) (l *link, code Refusal, err error) {
	defer func() {
		if code != welcome {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.stats.Refused[code]++
			err = fmt.Errorf("refused: %w", err)
		}
	}()
	switch c := t.config.Changing; {
	case failed != nil:
		return nil, WrongVersion, failed
	case (c == nil) != (said.incarnation == 0):
		return nil, otherKindRefusal, fmt.Errorf("it is node %v, and members change at one end, and are fixed at the other", said.from)
	case said.cluster != t.config.Cluster:
		return nil, WrongCluster, fmt.Errorf("it is of cluster %q", said.cluster)
	case said.from == t.config.ID:
		return nil, itselfRefusal, fmt.Errorf("it says that it is node %v, as this one is", said.from)
	case c == nil && !t.knows(said.from):
		return nil, nonMemberRefusal, fmt.Errorf("it says that it is node %v, which is no member", said.from)
	case said.to != t.config.ID:
		return nil, wrongNodeRefusal, fmt.Errorf("it is node %v, and wants node %v", said.from, said.to)
	case c != nil && said.wanted != 0 && said.wanted != c.Incarnation:
		return nil, staleAddressRefusal, fmt.Errorf("it is node %v, and wants incarnation %016x of this node, which is %016x", said.from, said.wanted, c.Incarnation)
	}
	if state != nil {
		if err := verifyName(*state, t.config.Cluster, said.from); err != nil {
			return nil, wrongNameRefusal, err
		}
	}
	if said.bundles != t.config.Bundles {
		return nil, otherGroupsRefusal, fmt.Errorf("it is node %v, and one end is of many groups (-group), and the other is not: run both alike", said.from)
	}
	if t.config.Changing == nil && said.wanted != 0 && said.wanted != t.config.digest() {
		return nil, otherMembersRefusal, fmt.Errorf("it is node %v, and has been given other members than this one, whose are %v", said.from, t.config.memberIDs())
	}
	return t.use(p, said)
}

func (t *TCP) knows(node spec.NodeID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byNode[node] != nil
}

// use makes a connection the one of its node, in place of an older one: that, and what of it has not been delivered
// yet, is dropped (section 2). It is superseded if there is a newer one already, or this one has been taken out. That
// the node is there may also be news for who dials it.
func (t *TCP) use(p *inbound, said hello) (*link, Refusal, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.pending, p)
	l := t.byNode[said.from]
	switch nonMember := l == nil || !l.member; {
	case i < 0 || l != nil && l.in != nil && l.in.serial > p.serial:
		return l, supersededRefusal, fmt.Errorf("node %v has connected again since", said.from)
	case nonMember && !t.nonMemberPace.allow(time.Now()):
		return nil, busyRefusal, fmt.Errorf("it is node %v, which is no member, and too many of those have come", said.from)
	case !nonMember && !l.admits(said):
		return nil, wrongIncarnationRefusal, fmt.Errorf("it is incarnation %016x of node %v, whose disk is %016x", said.incarnation, said.from, l.way.incarnation)
	case l != nil && l.memory.lost(said.life) != "":
		return l, RecordLost, t.lostDisk(l, said.life, p.raw.RemoteAddr())
	case l == nil:
		l = t.meet(said.from)
	}
	l.memory.meets(said.life)
	t.pending = slices.Delete(t.pending, i, i+1)
	if l.in != nil {
		_ = l.in.raw.Close()
		l.stats.Replaced++
	}
	l.stats.Undelivered += uint64(t.inbox.forget(l.box))
	t.restarted(l, said)
	l.in, l.from, l.other, l.said = p, p.raw.RemoteAddr(), nil, said
	l.dead, l.lostDisk = false, false
	l.heard++
	t.noted(l)
	if l.member && l.out == nil {
		l.dialNow()
		if time.Since(l.dialled) > t.config.BackoffMin {
			l.abandon() // the way may have been cut when it began
		}
	}
	return l, welcome, nil
}

// leave takes a connection out of use, and counts why. It reports whether that is worth a line in the log: if a non-member
// could write there at will, it would fill a disk.
func (t *TCP) leave(l *link, p *inbound, err error) (loud bool) {
	died := ""
	defer func() {
		if died != "" {
			t.logDead(l, died)
		}
	}()
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.pending, p); i >= 0 {
		t.pending = slices.Delete(t.pending, i, i+1)
	}
	if l != nil && l.in == p {
		l.in = nil
		switch a := l.refused; {
		case a != nil && t.mayProve(l, *a):
			t.died(l)
			died = a.address
		case l.member:
			l.dialNow()
		}
		l.refused = nil
	}
	if t.closing {
		return false
	}
	if l == nil {
		t.stats.Unwelcome++
	}
	var field *spec.FieldError
	switch {
	case errors.As(err, &field):
		t.stats.Malformed++
	case errors.Is(err, os.ErrDeadlineExceeded):
		t.stats.Stalled++
	case l != nil && errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed):
		return false
	}
	return t.quiet.allow(time.Now())
}

var errReplaced = fmt.Errorf("replaced by a newer connection: %w", net.ErrClosed)

// read gives the host the messages of a connection, until it ends. A frame that is of a later version or type is passed
// over (section 7); whatever else is wrong with one ends the connection.
func (t *TCP) read(l *link, p *inbound, conn net.Conn) error {
	if t.config.Bundles {
		return t.readBundles(l, p, conn)
	}
	f := frames{conn: conn, timeout: t.config.FrameTimeout}
	for {
		m, err := f.next()
		if err != nil && !errors.Is(err, spec.ErrWireVersion) && !errors.Is(err, spec.ErrMessageType) {
			return err
		}
		if f.size == len(begun) && errors.Is(err, spec.ErrMessageType) {
			err = t.hasBegun(l, p)
		} else {
			err = t.received(l, p, m, f.size, err != nil)
		}
		if err != nil {
			return err
		}
		if err := t.slows(p); err != nil {
			return err
		}
	}
}

// slows keeps what a non-member says to its pace. The error is that the transport closes.
func (t *TCP) slows(p *inbound) error {
	for p.nonMember && !p.pace.allow(time.Now()) {
		if !t.hold() {
			return errClosing
		}
	}
	return nil
}

// hold keeps what a non-member says to its pace: it is not read meanwhile. It returns false when the transport closes.
func (t *TCP) hold() bool {
	timer := time.NewTimer(nonMemberEvery)
	defer timer.Stop()
	select {
	case <-t.ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// hasBegun notes that the node has taken its first step.
func (t *TCP) hasBegun(l *link, p *inbound) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.in != p {
		return errReplaced
	}
	l.memory.began(l.said.life)
	return nil
}

// received delivers a message, or counts a frame that is unknown.
func (t *TCP) received(l *link, p *inbound, m spec.Message, size int, unknown bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.in != p {
		return errReplaced
	}
	l.heard++
	t.noted(l)
	p.nonMember = !l.member
	switch {
	case unknown:
		t.stats.Unknown++
		return nil
	case m.From != l.node: // R34.4
		t.stats.Spoofed++
		return fmt.Errorf("node %v has sent %v, which is of another sender", l.node, m)
	case m.To != t.config.ID: // R34.2
		t.stats.Misaddressed++
		return fmt.Errorf("node %v has sent %v, which is for another node", l.node, m)
	}
	l.memory.heard(l.said.life, &m)
	t.goesOn(l, p)
	l.stats.Received++
	l.stats.BytesIn += uint64(size)
	if t.inbox.receive(l.box, m) {
		l.stats.Overrun++
	}
	return nil
}

// A limiter lets a burst pass, and then one at a time.
type limiter struct {
	burst  int
	every  time.Duration
	passed int
	since  time.Time
}

func (q *limiter) allow(now time.Time) bool {
	if n := int(now.Sub(q.since) / q.every); n > 0 {
		q.passed = max(0, q.passed-n)
		q.since = now
	}
	if q.passed >= q.burst {
		return false
	}
	q.passed++
	return true
}
