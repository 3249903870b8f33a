package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/hold"
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
	quiet   limiter    // of what non-members can make this node log
	gate    gate       // of handshakes of TLS

	boot  uint64
	begun bool // Begun has been called

	// Of changing members only.
	nonMembers    []*link
	nonMemberPace limiter   // of connections of non-members
	recent        uint64    // rises with what comes of non-members
	past          LinkStats // the counters of links that are gone
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
		quiet: limiter{burst: 10, every: time.Second}, gate: newGate(), nonMemberPace: limiter{burst: maxNonMembers, every: meetEvery},
	}
	if t.listener == nil {
		if t.listener, err = hold.Listen(c.listenAddress()); err != nil {
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
	t.holdMemory()
	t.boot = newBoot()
	if c.TLS != nil {
		t.tls = t.guarded(acceptorTLS(c.TLS))
	}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.inbox = newInbox(nil, 0)
	t.stats.Refused = make(map[Refusal]uint64)
	for r := range refusals { // all from the start: of a counter that begins with its first event, nobody sees that it has grown
		if r := Refusal(r); r != welcome {
			t.stats.Refused[r] = 0
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.setMembers(c.Members)
	t.acceptors.Go(t.accept)
	return t, nil
}

// holdMemory has the memory of this process held, and says so if it is not.
func (t *TCP) holdMemory() {
	if !t.config.HoldMemory || t.config.NoProof {
		return
	}
	if err := hold.Memory(); err != nil {
		t.config.Logger.Info("when this process dies, its memory is freed before its address refuses", "err", err)
	}
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

// Stats are the counters of a [TCP] since it began, and how its links are. All messages that were sent are in Sent,
// Lost, Dropped or Unsendable, or wait still; all that came from members are in Received or one of the faults.
type Stats struct {
	Links      []LinkStats // of members, ascending by node
	NonMembers []LinkStats // of nodes that are no members of a cluster of changing members, ascending by node

	// What follows are counters of all links together, those too that have ended for good.

	Sent, Received    uint64 // messages
	BytesOut, BytesIn uint64
	Lost              uint64
	Dropped           uint64

	Unsendable uint64 // messages given to Send that are not valid, not of this node, or for nobody who is known

	Accepted        uint64             // connections accepted
	Pending         int                // of those, how many have not shown yet of which node they are
	Evicted         uint64             // connections that were closed before they could, for want of room
	Shed            uint64             // TLS handshakes that were not begun, as too many had been
	Refused         map[Refusal]uint64 // connections that were refused
	Unwelcome       uint64             // connections that ended before they were welcome, evicted and refused ones too
	AcceptErrors    uint64             // errors of the listener
	LastAcceptError string             // the last of them, or ""

	Malformed    uint64 // connections closed for a frame that is none (R33)
	Stalled      uint64 // connections closed because a handshake or a frame did not end in time
	Unknown      uint64 // frames of a wire version or type that this node does not know, passed over (R34.3)
	Spoofed      uint64 // connections closed for a message of another sender (R34.4)
	Misaddressed uint64 // connections closed for a message to another node (R34.2)
	Untold       uint64 // link events dropped because nobody called Next
}

// LinkStats says how the links to and from one node are.
type LinkStats struct {
	Node      spec.NodeID
	Up        bool      // what is sent may arrive: our connection to it is open
	Since     time.Time // since when it is so
	Hears     bool      // its connection to us is open
	Dead      bool      // it is proved dead
	LostDisk  bool      // its disk is lost, or an old copy; it is not heeded
	LastError string    // why the last connection ended, or was not made; "" if none has

	Dials             uint64 // begun
	Sent, Received    uint64 // messages written and read
	BytesOut, BytesIn uint64 // of their frames
	Lost              uint64 // messages that were sent while there was no connection, or that were queued when it ended
	Dropped           uint64 // messages dropped from a full queue to the node
	Overrun           uint64 // messages of the node that were dropped because nobody called Next
	Replaced          uint64 // connections of the node that a newer one has replaced
	Undelivered       uint64 // messages that were dropped when a newer connection came
	Queued, Waiting   int    // messages that wait now: to be written, and for Next
}

// Stats returns a copy.
func (t *TCP) Stats() Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.stats
	s.Refused = maps.Clone(s.Refused)
	s.Pending = len(t.pending)
	s.add(t.past)
	for _, l := range t.links {
		s.Links = append(s.Links, s.add(l.now()))
	}
	for _, l := range slices.SortedFunc(slices.Values(t.nonMembers), func(a, b *link) int { return a.stats.Node.Compare(b.stats.Node) }) {
		s.NonMembers = append(s.NonMembers, s.add(l.now()))
	}
	return s
}

// add adds the counters of a link to those of all, and returns them.
func (s *Stats) add(k LinkStats) LinkStats {
	s.Sent += k.Sent
	s.Received += k.Received
	s.BytesOut += k.BytesOut
	s.BytesIn += k.BytesIn
	s.Lost += k.Lost
	s.Dropped += k.Dropped
	return k
}

// now returns how the link is.
func (l *link) now() LinkStats {
	k := l.stats
	k.Hears, k.Dead, k.LostDisk, k.Waiting, k.Queued = l.in != nil, l.dead, l.lostDisk, l.box.messages.n+l.box.bundles.n, l.waiting.n
	if l.out != nil {
		k.Queued = l.out.queue.n + l.out.bundles.n
	}
	return k
}

// acceptorTLS returns the configuration for connections that are accepted. Whom the certificate names is compared with
// the hello that follows.
func acceptorTLS(c *tls.Config) *tls.Config {
	c = baseTLS(c)
	c.ClientAuth = tls.RequireAndVerifyClientCert
	if c.ClientCAs == nil {
		c.ClientCAs = c.RootCAs
	}
	return c
}

// diallerTLS returns the configuration for connections to a node. The check of a server's name is replaced by that of
// the node's, so the chain is verified here too.
func diallerTLS(c *tls.Config, cluster string, node spec.NodeID) *tls.Config {
	c = baseTLS(c)
	c.ServerName = node.String()
	c.InsecureSkipVerify = true
	also := c.VerifyConnection
	c.VerifyConnection = func(state tls.ConnectionState) error {
		if err := verifyChain(c, state); err != nil {
			return err
		}
		if err := verifyName(state, cluster, node); err != nil {
			return err
		}
		if also != nil {
			return also(state)
		}
		return nil
	}
	return c
}

func baseTLS(c *tls.Config) *tls.Config {
	c = c.Clone()
	if c.MinVersion == 0 {
		c.MinVersion = tls.VersionTLS13
	}
	return c
}

// verifyChain does for the dialler what crypto/tls does for the acceptor.
func verifyChain(c *tls.Config, state tls.ConnectionState) error {
	if len(state.PeerCertificates) == 0 {
		return errors.New("the other end has shown no certificate")
	}
	now := time.Now
	if c.Time != nil {
		now = c.Time
	}
	options := x509.VerifyOptions{Roots: c.RootCAs, CurrentTime: now(), Intermediates: x509.NewCertPool()}
	for _, certificate := range state.PeerCertificates[1:] {
		options.Intermediates.AddCert(certificate)
	}
	_, err := state.PeerCertificates[0].Verify(options)
	return err
}

// verifyName returns an error unless the certificate of the other end names the node.
func verifyName(state tls.ConnectionState, cluster string, node spec.NodeID) error {
	if len(state.PeerCertificates) == 0 {
		return errors.New("the other end has shown no certificate")
	}
	if err := CheckName(state.PeerCertificates[0], cluster, node); err != nil {
		return fmt.Errorf("the other end: %w: give node %v its own", err, node)
	}
	return nil
}

// CertificateURI returns the URI by which a certificate names a node of a cluster, such as bully://jobs/3.
func CertificateURI(cluster string, node spec.NodeID) string {
	return "bully://" + cluster + "/" + node.String()
}

// CheckName returns an error unless the certificate names the node: by that URI, or by a DNS name that is the text of its id.
func CheckName(certificate *x509.Certificate, cluster string, node spec.NodeID) error {
	id, uri := node.String(), CertificateURI(cluster, node)
	if slices.Contains(certificate.DNSNames, id) ||
		slices.ContainsFunc(certificate.URIs, func(u *url.URL) bool { return u.String() == uri }) {
		return nil
	}
	return fmt.Errorf("the certificate names neither %s nor %s, but %q and %v", id, uri, certificate.DNSNames, certificate.URIs)
}
