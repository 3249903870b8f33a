package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// SplitAddress takes the address of a member of a configuration apart: host:port, or host:port#incarnation with an
// incarnation of 16 hexadecimal digits. It is 0 if none is named: then any will do.
func SplitAddress(address string) (hostPort string, incarnation uint64, err error) {
	hostPort, digits, named := strings.Cut(address, "#")
	if !named {
		return address, 0, nil
	}
	incarnation, err = strconv.ParseUint(digits, 16, 64)
	if err != nil || len(digits) != 16 || incarnation == 0 || digits != strings.ToLower(digits) {
		return "", 0, fmt.Errorf("transport: %q: after # an incarnation of 16 digits 0-9 a-f is wanted, and not zero", address)
	}
	return hostPort, incarnation, nil
}

// JoinAddress returns the address that SplitAddress takes apart.
func JoinAddress(hostPort string, incarnation uint64) string {
	if incarnation == 0 {
		return hostPort
	}
	return fmt.Sprintf("%s#%016x", hostPort, incarnation)
}

// A way is where a node is dialled, and which incarnation of it is wanted, or 0.
type way struct {
	address     string
	incarnation uint64
}

// parseWay returns the way of an address; dialled says that it must be one that can be dialled by TCP.
func parseWay(address string, dialled bool) (way, error) {
	hostPort, incarnation, err := SplitAddress(address)
	if err != nil {
		return way{}, err
	}
	if dialled && !isHostPort(hostPort) {
		return way{}, fmt.Errorf("transport: %q is not host:port", hostPort)
	}
	return way{hostPort, incarnation}, nil
}

func isHostPort(address string) bool {
	_, port, err := net.SplitHostPort(address)
	return err == nil && port != ""
}

// validAddress reports whether an address is one that a handshake may carry: one that a member may have, or none.
func validAddress(address string) bool {
	_, err := spec.NewConfiguration(0, 1, []spec.Member{{ID: spec.IntegerID(1), Kind: spec.Voter, Address: address}})
	return err == nil
}

// An attempt is a dial that has begun.
type attempt struct {
	way
	ctx    context.Context
	cancel context.CancelFunc
	heard  uint64 // what had come from the node by then
	owed   int    // messages that waited by then, if the node is a non-member,
	boot   uint64 // for this run of its program
	proved bool   // that the node is dead
}

// connect dials the node, and says and hears who is there.
func (t *TCP) connect(l *link) (*outbound, attempt, error) {
	a := t.begin(l)
	if err := t.config.mayDial(a.address); err != nil {
		a.cancel()
		t.failed(l, err)
		return nil, a, err
	}
	raw, err := t.config.Dial(a.ctx, a.address)
	a.cancel()
	if err != nil {
		if a.proved = t.proves(l, a, err); a.proved {
			t.logDead(l, a.address)
		}
		return nil, a, err
	}
	stop := context.AfterFunc(t.ctx, func() { _ = raw.Close() })
	c, err := t.greet(l, a.way, raw)
	stop()
	if err == nil {
		if err = t.open(l, c); err == nil {
			return c, a, nil
		}
	}
	_ = raw.Close()
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.isDisowned(err) && !l.disowned {
		l.disowned = true
		t.tell(l, Disowned)
	}
	l.stats.LastError = err.Error()
	return nil, a, err
}

// isDisowned reports whether a refusal says that this node's disk is lost, so that it must stop. That is said by the member itself, and
// of something that the record does not know: of all else it is no proof. A non-member that says so may be a member later, and say it again.
func (l *link) isDisowned(err error) bool {
	refusal, ok := errors.AsType[*refusalError](err)
	return ok && refusal.code == RecordLost && refusal.node == l.node && refusal.lacks != "" && l.member
}

// failed notes why there is no connection.
func (t *TCP) failed(l *link, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l.stats.LastError = err.Error()
}

// begin notes what has come from the node when the dial begins. A kick from before is answered by this dial.
func (t *TCP) begin(l *link) attempt {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-l.kick:
	default:
	}
	l.stats.Dials++
	l.dialled = time.Now()
	var dialling context.Context
	dialling, l.abandon = context.WithTimeout(t.ctx, t.config.DialTimeout)
	return attempt{way: l.target(), ctx: dialling, cancel: l.abandon, heard: l.heard, owed: l.waiting.n, boot: l.said.boot}
}

// proves takes note of a dial that failed, and reports whether that has proved the node dead. Nobody was listening at
// some moment since the dial began. A node listens before it says anything, and as long as it runs; so what it had said
// before, heard then, was said by a program that has ended. What came meanwhile may be of its successor: then this dial proves nothing, and
// there is another. What a connection still holds would come after Dead: it has to end first (see leave).
func (t *TCP) proves(l *link, a attempt, err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	l.stats.LastError = err.Error()
	if !refused(err) || !t.mayProve(l, a) {
		return false
	}
	if l.in != nil {
		l.refused = &a
		return false
	}
	t.died(l)
	return true
}

// mayProve reports whether a dial that was refused proves the node dead, now that no connection of it is left.
func (t *TCP) mayProve(l *link, a attempt) bool {
	return l.heard == a.heard && !l.dead && !t.closing && !t.config.NoProof && l.member && l.alone && l.way == a.way
}

// died tells the host that the node is dead.
func (t *TCP) died(l *link) {
	l.dead = true
	t.tell(l, Dead)
}

func (t *TCP) logDead(l *link, address string) {
	t.config.Logger.Info("dead: its address refuses", "to", l.node, "address", address)
}

// greet makes a dialled connection one to the node.
func (t *TCP) greet(l *link, to way, raw net.Conn) (*outbound, error) {
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
	if _, err := conn.Write(t.greeting(l.node, to)); err != nil {
		return nil, err
	}
	a, err := readAnswer(conn)
	switch {
	case err != nil:
		return nil, fmt.Errorf("no answer to the handshake: %w", err)
	case a.code != welcome:
		return nil, &refusalError{a.code, a.node, t.life().lacks(a.record)}
	case (a.incarnation == 0) != (t.config.Changing == nil):
		return nil, &refusalError{otherKindRefusal, a.node, ""}
	case a.bundles != t.config.Bundles:
		return nil, &refusalError{otherGroupsRefusal, a.node, ""}
	case a.node != l.node:
		return nil, fmt.Errorf("node %v answers at %s: correct the address of node %v", a.node, to.address, l.node)
	case to.incarnation != 0 && a.incarnation != to.incarnation:
		return nil, fmt.Errorf("incarnation %016x of node %v answers at %s, and not %016x", a.incarnation, a.node, to.address, to.incarnation)
	}
	tune(raw, t.config.UserTimeout)
	c := &outbound{raw: raw, conn: conn, way: to, life: a.life,
		ready: make(chan struct{}, 1), done: make(chan struct{})}
	c.queue.max, c.bundles.max = t.config.Queue, t.config.Queue
	return c, raw.SetDeadline(time.Time{})
}

// life returns what this node says of itself.
func (t *TCP) life() life {
	own := life{boot: t.boot, record: recordOf(t.config.Record), bundles: t.config.Bundles}
	if c := t.config.Changing; c != nil {
		own.incarnation = c.Incarnation
	}
	own.saves = t.config.Saves
	return own
}

// greeting returns what is said to a node that was dialled.
func (t *TCP) greeting(to spec.NodeID, by way) []byte {
	said := hello{from: t.config.ID, to: to, cluster: t.config.Cluster, wanted: by.incarnation, life: t.life()}
	if c := t.config.Changing; c != nil {
		said.address = c.Address
	} else {
		said.wanted = t.config.digest()
	}
	return said.append(nil)
}

// refusalError says that the other end refuses this node.
type refusalError struct {
	code Refusal
	node spec.NodeID // who says so

	lacks string // of RecordLost: what its record does not know
}

func (e *refusalError) Error() string {
	if e.code == RecordLost {
		return fmt.Sprintf("refused by node %v: %v: %s", e.node, e.code, e.lacks)
	}
	return fmt.Sprintf("refused by node %v: %v", e.node, e.code)
}

var errMoved = errors.New("it is dialled elsewhere now, or not at all")

// open puts a connection to use, unless the transport closes, or the node is wanted elsewhere by now.
func (t *TCP) open(l *link, c *outbound) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closing:
		return errClosing
	case l.gone || !l.fits(c):
		return errMoved
	case l.memory.lost(c.life) != "":
		return t.lostDisk(l, c.life, c.raw.RemoteAddr())
	}
	l.memory.meets(c.life)
	l.out, l.refused, l.dead, l.lostDisk = c, nil, false, false
	l.stats.Up, l.stats.Since = true, time.Now()
	t.tell(l, Up)
	if c.boot != l.said.boot {
		l.stats.Lost += uint64(l.clearWaiting()) // it was sent before this program began
	}
	for l.waiting.n > 0 {
		c.queue.push(l.waiting.pop())
		c.wake()
	}
	for l.bundles.n > 0 {
		c.bundles.push(l.bundles.pop())
		c.wake()
	}
	if t.begun {
		c.wake()
	}
	return nil
}

// dialTCP dials a host and port; a name is looked up anew each time. It tells one address of a host from another: the error wraps ECONNREFUSED only if all
// addresses that the host's name has refuse. That of net.Dialer is the error of the first, which proves nothing about
// the second.
func dialTCP(ctx context.Context, names *net.Resolver, address string) (net.Conn, error) {
	// Keepalive is set with the other options, once the connection is of use.
	dialer := net.Dialer{KeepAlive: -1}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddr(host); err == nil || host == "" {
		return dialer.DialContext(ctx, "tcp", address)
	}
	hosts, err := names.LookupHost(ctx, host)
	if err != nil {
		return nil, err
	}
	return dialEach(ctx, dialer.DialContext, hosts, port)
}

// dialEach dials the addresses one by one, each with its share of the time, until one answers.
func dialEach(ctx context.Context, dial func(context.Context, string, string) (net.Conn, error), hosts []string, port string) (net.Conn, error) {
	var failed error // of the address last
	var last string
	for i, host := range hosts {
		share, cancel := ctx, context.CancelFunc(func() {})
		if deadline, ok := ctx.Deadline(); ok {
			share, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(len(hosts)-i))
		}
		conn, err := dial(share, "tcp", net.JoinHostPort(host, port))
		cancel()
		if err == nil {
			return conn, nil
		}
		if failed == nil || absent(last, failed) || refused(failed) && !absent(host, err) {
			failed, last = err, host
		}
	}
	return nil, failed
}

// absent reports whether a dial failed because this host has no such address itself: localhost often has the name of
// ::1 where there is no IPv6. Nobody listens there.
func absent(host string, err error) bool {
	ip, parseErr := netip.ParseAddr(host)
	return parseErr == nil && ip.IsLoopback() && (errors.Is(err, syscall.EADDRNOTAVAIL) ||
		errors.Is(err, syscall.EAFNOSUPPORT) || errors.Is(err, syscall.ENETUNREACH))
}

// wsaConnRefused is WSAECONNREFUSED, which package syscall does not name; other systems have no error of that number.
const wsaConnRefused = syscall.Errno(10061)

// refused reports whether a dial failed because the host answers, and nobody listens at the address.
func refused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, wsaConnRefused)
}

// tune sets the options of a connection, if it is one of TCP: small messages leave at once, and an end of the other
// host, or of the way to it, is noticed.
func tune(conn net.Conn, userTimeout time.Duration) {
	tcp, ok := conn.(interface {
		syscall.Conn
		SetNoDelay(bool) error
		SetKeepAliveConfig(net.KeepAliveConfig) error
	})
	if !ok {
		return
	}
	// A connection that refuses an option has ended, and says so when it is used.
	_ = tcp.SetNoDelay(true)
	_ = tcp.SetKeepAliveConfig(net.KeepAliveConfig{
		Enable:   true,
		Idle:     time.Second,
		Interval: time.Second,
		Count:    max(2, int((userTimeout+time.Second-1)/time.Second)),
	})
	if raw, err := tcp.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { setUserTimeout(fd, userTimeout) })
	}
}
