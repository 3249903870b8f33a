package transport

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// Config says which member of which cluster a [TCP] is, and how it treats its connections. ID, Cluster and Members
// must be given; the zero value of every other field is its default.
type Config struct {
	// ID is this node, one of Members.
	ID spec.NodeID
	// Cluster is the name of the cluster, the same at all members: 1 to 64 of the characters A-Z a-z 0-9 . _ -
	Cluster string
	// Members are the addresses of all members, host:port, this node's included. An address must belong to its member
	// alone, or be proof of nothing: see NoProof. A host name is looked up at each dial. If members change, these are who
	// they are at first: see SetMembers.
	Members map[spec.NodeID]string
	// Record is the record of this node before the node starts: what Storage.Load returns, and nothing where there is none. The others
	// remember what a node has used and promised, for as long as they run, and do not connect to one whose record knows of less: see
	// LostDisk.
	Record spec.Durable
	// Changing makes this a node of changing members. Default: they are fixed.
	Changing *Changing

	// Listener accepts the connections of the others. Default: it listens on this node's address. NewTCP takes it over
	// unless it returns an error.
	Listener net.Listener
	// Dial opens a connection to an address, and gives up when ctx ends. An error that wraps syscall.ECONNREFUSED says
	// that the host of the address answers, and that nobody listens there. Default: TCP.
	Dial func(ctx context.Context, address string) (net.Conn, error)
	// Resolver looks up host names, unless Dial is given. Default: that of the system.
	Resolver *net.Resolver
	// TLS, if given, has the certificate of this node, and RootCAs that vouch for the others. ClientCAs default to
	// RootCAs, MinVersion to TLS 1.3. Both ends show certificates; server names and ClientAuth are not used. It must not
	// be changed any more. See the package comment on the names in certificates.
	TLS *tls.Config
	// Insecure lets links be plain beyond this host: whoever reaches a node can then pose as a member, and stop others for good. Without
	// it, and without TLS, only loopback addresses are listened on and dialled; a Dial of the caller's own is left to the caller.
	Insecure bool
	// Logger is told of connections that open, end, fail and are refused. Default: nobody is.
	Logger *slog.Logger
	// Rand jitters the pauses between dials. Default: a random seed. It must not be used elsewhere.
	Rand *rand.Rand

	// DialTimeout bounds one dial. It is also about how late a link that has healed may be found. Default 1 s.
	DialTimeout time.Duration
	// HandshakeTimeout bounds TLS and the handshake, at both ends. Default 1 s.
	HandshakeTimeout time.Duration
	// FrameTimeout bounds the time from the first byte of a frame to its last. Default 1 s.
	FrameTimeout time.Duration
	// WriteTimeout bounds one write. A connection that does not take what is written for so long is closed. Default 2 s.
	WriteTimeout time.Duration
	// UserTimeout is after how long without an answer of the other host a connection is given up, on Linux
	// (TCP_USER_TIMEOUT); elsewhere, and where nothing is sent, keepalive probes each second find out, later. Default 2 s.
	UserTimeout time.Duration
	// BackoffMin and BackoffMax bound the pauses between dials that fail: they double from the first to the second, and
	// are jittered by half. At least 1 ms. Defaults 25 ms and 500 ms.
	BackoffMin, BackoffMax time.Duration

	// Queue is how many messages to one member may wait to be written. Default 256.
	Queue int
	// Inbox is how many messages of one member may wait for Next. Default 256.
	Inbox int
	// MaxPending is how many connections may be open that have not shown yet which member they are of. Default 64.
	MaxPending int
	// NoProof makes a refused dial prove nothing: Dead is never told. It is for networks where something else than the
	// host of a member may refuse in its stead: proxies, load balancers, firewalls that reject; and for nodes that lead for other processes,
	// which may act on though their node is dead: such a node must not be started again within Timing.Reign of its death, either (R39.4).
	NoProof bool
	// HoldMemory has the address of this process refuse as soon as it dies, however much memory it has: without, the others have no proof of its
	// death for 0.1 ms a MiB longer. The kernel frees the memory of a process before it closes its sockets, unless another process has that memory too:
	// one that does nothing else, shows in lists of processes as bully-memory, and ends by itself. It needs Linux 5.9 on amd64 or arm64; elsewhere,
	// and with NoProof, nothing is done.
	HoldMemory bool
	// Bundles makes this a node of many groups: it sends and hears bundles (SendBundle, Bundle), and connects to such nodes alone. Queue and Inbox count them beside
	// messages, which there are only where members change: those of the cluster's own election, whose record Record is. Where they are fixed there is none.
	Bundles bool
	// Saves is the number of saves in the groups before this life: that of storage.Groups when it was opened.
	Saves uint64

	dialsItself bool // Dial was given
}

// Changing is what a node of changing members says of itself to whoever it connects to.
type Changing struct {
	// Incarnation is that of the record of this node (storage.Identity). It is not 0.
	Incarnation uint64
	// Address is where others reach this node, host:port; without a Listener it is what is listened on. Default: the
	// address of the Listener. A port 0 is replaced by the one that the system has chosen.
	Address string
	// Idle is after how long without a message a connection to a node that is no member is closed. Default 2 s.
	Idle time.Duration
}

// at returns c with its defaults, for a node that listens there.
func (c Changing) at(listening net.Addr) *Changing {
	if c.Idle == 0 {
		c.Idle = 2 * time.Second
	}
	host, port, err := net.SplitHostPort(c.Address)
	if _, actual, failed := net.SplitHostPort(listening.String()); err == nil && port == "0" && failed == nil {
		c.Address = net.JoinHostPort(host, actual)
	}
	if c.Address == "" {
		c.Address = listening.String()
	}
	return &c
}

// listenAddress returns the address to listen on, if no Listener is given.
func (c Config) listenAddress() string {
	if c.Changing != nil {
		return c.Changing.Address
	}
	return c.Members[c.ID]
}

// maxMembers is the greatest membership that bully.New takes.
const maxMembers = 64

const (
	defaultQueue   = 256
	defaultInbox   = 256
	defaultPending = 64
)

// complete returns c with its defaults, or what is wrong with it.
func (c Config) complete() (Config, error) {
	if err := c.validate(); err != nil {
		return c, err
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&c.DialTimeout, time.Second}, {&c.HandshakeTimeout, time.Second}, {&c.FrameTimeout, time.Second},
		{&c.WriteTimeout, 2 * time.Second}, {&c.UserTimeout, 2 * time.Second},
		{&c.BackoffMin, 25 * time.Millisecond}, {&c.BackoffMax, max(c.BackoffMin, 500*time.Millisecond)},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	c.BackoffMin = min(c.BackoffMin, c.BackoffMax)
	for _, d := range []struct {
		field *int
		value int
	}{{&c.Queue, defaultQueue}, {&c.Inbox, defaultInbox}, {&c.MaxPending, defaultPending}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if c.dialsItself = c.Dial != nil; !c.dialsItself {
		c.Dial = func(ctx context.Context, address string) (net.Conn, error) { return dialTCP(ctx, c.Resolver, address) }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Logger = c.Logger.With("node", c.ID, "cluster", c.Cluster)
	if c.Rand == nil {
		c.Rand = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	return c, nil
}

func wrong(field, problem string, about ...any) error {
	return fmt.Errorf("transport: Config."+field+": "+problem, about...)
}

// CheckCluster returns what is wrong with the name of a cluster.
func CheckCluster(name string) error {
	if !validCluster(name) {
		return fmt.Errorf("%q is not 1 to %d characters of A-Z a-z 0-9 . _ -", name, maxCluster)
	}
	return nil
}

func (c Config) validate() error {
	switch {
	case !c.ID.Valid():
		return wrong("ID", "%v is no node id: give one of Members", c.ID)
	case CheckCluster(c.Cluster) != nil:
		return wrong("Cluster", "%w", CheckCluster(c.Cluster))
	case c.Record.Validate() != nil:
		return wrong("Record", "%w", c.Record.Validate())
	case c.Changing == nil && !c.Record.Configuration.IsNone():
		return wrong("Record", "it is of changing members: give Changing")
	case len(c.Members) > maxMembers:
		return wrong("Members", "%d members are more than %d", len(c.Members), maxMembers)
	}
	check := c.validateAddresses
	if c.Changing != nil {
		check = c.validateChanging
	} else if _, member := c.Members[c.ID]; !member {
		return wrong("Members", "node %v itself is missing", c.ID)
	}
	if err := check(); err != nil {
		return err
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"DialTimeout", c.DialTimeout}, {"HandshakeTimeout", c.HandshakeTimeout}, {"FrameTimeout", c.FrameTimeout},
		{"WriteTimeout", c.WriteTimeout}, {"UserTimeout", c.UserTimeout}, {"BackoffMin", c.BackoffMin},
		{"BackoffMax", c.BackoffMax}, {"Queue", time.Duration(c.Queue)}, {"Inbox", time.Duration(c.Inbox)},
		{"MaxPending", time.Duration(c.MaxPending)},
	} {
		if d.value < 0 {
			return wrong(d.name, "below zero: leave it at zero for the default")
		}
	}
	if c.BackoffMax > 0 && c.BackoffMin > c.BackoffMax {
		return wrong("BackoffMin", "%v is above BackoffMax, %v", c.BackoffMin, c.BackoffMax)
	}
	return validateTLS(c.TLS)
}

// validateAddresses looks for addresses that cannot be dialled, and for two members at one: the one could then be
// proved dead by the end of the other.
func (c Config) validateAddresses() error {
	at := make(map[string]spec.NodeID, len(c.Members))
	for _, id := range c.memberIDs() {
		address := c.Members[id]
		if !id.Valid() {
			return wrong("Members", "%v is no node id", id)
		}
		if other, taken := at[address]; taken && address != "" {
			return wrong("Members", "nodes %v and %v have the same address %s: give each its own", other, id, address)
		}
		at[address] = id
		if id == c.ID && c.Listener != nil || id != c.ID && c.Dial != nil {
			continue
		}
		if _, port, err := net.SplitHostPort(address); err != nil || port == "" {
			return wrong("Members", "node %v: %q is not host:port", id, address)
		}
	}
	return nil
}

// validateChanging looks at what a node of changing members is given. Two of them may have one address for a while: the one
// takes the place of the other.
func (c Config) validateChanging() error {
	switch own := c.Changing; {
	case own.Incarnation == 0:
		return wrong("Changing.Incarnation", "0: give that of the record of node %v", c.ID)
	case own.Idle < 0:
		return wrong("Changing.Idle", "below zero: leave it at zero for the default")
	case !validAddress(own.Address) || c.Listener == nil && !isHostPort(own.Address):
		return wrong("Changing.Address", "%q is not host:port", own.Address)
	}
	for _, id := range c.memberIDs() {
		if !id.Valid() {
			return wrong("Members", "%v is no node id", id)
		}
		address := c.Members[id]
		if _, err := parseWay(address, address != "" && id != c.ID && c.Dial == nil); err != nil {
			return wrong("Members", "node %v: %w", id, err)
		}
	}
	return nil
}

// memberIDs returns all members, ascending.
func (c Config) memberIDs() []spec.NodeID {
	ids := make([]spec.NodeID, 0, len(c.Members))
	for id := range c.Members {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, spec.NodeID.Compare)
	return ids
}

func validateTLS(c *tls.Config) error {
	switch {
	case c == nil:
		return nil
	case len(c.Certificates) == 0 && (c.GetCertificate == nil || c.GetClientCertificate == nil):
		return wrong("TLS", "no certificate: give Certificates, or both GetCertificate and GetClientCertificate")
	case c.RootCAs == nil:
		return wrong("TLS", "no RootCAs: the authorities of this system vouch for non-members; give those of the cluster")
	case c.GetConfigForClient != nil:
		return wrong("TLS", "GetConfigForClient is not used: use GetCertificate to change the certificate of a running node")
	}
	return nil
}

// Links without TLS are for one host alone, where whoever reaches a node runs on its machine: elsewhere anybody could say that he is a
// member, and take part in elections.
const plainLinks = "links are plain, and whoever reaches it could say that he is a member: give TLS, or say that it is to be so with Insecure"

// checkPlain returns an error if links would be plain beyond this host, and nobody has said that this is meant.
func (c *Config) checkPlain(listening net.Addr) error {
	switch at, ok := listening.(*net.TCPAddr); {
	case c.TLS != nil && c.Insecure:
		return wrong("Insecure", "TLS is given too: leave out one of the two")
	case c.TLS != nil || c.Insecure:
		return nil
	case ok && !at.IP.IsLoopback():
		return wrong("TLS", "none, and node %v listens on %v, which is no loopback address: %s", c.ID, at, plainLinks)
	}
	for _, id := range c.memberIDs() {
		hostPort, _, err := SplitAddress(c.Members[id])
		if err != nil || hostPort == "" || id == c.ID {
			continue
		}
		if err := c.mayDial(hostPort); err != nil {
			return wrong("TLS", "none, and node %v is at %s", id, err)
		}
	}
	return nil
}

// mayDial returns an error for an address that no plain link may go to.
func (c *Config) mayDial(hostPort string) error {
	if c.TLS != nil || c.Insecure || c.dialsItself || IsLoopback(hostPort) {
		return nil
	}
	return fmt.Errorf("%s, which is no loopback address: %s", hostPort, plainLinks)
}

// IsLoopback reports whether a host:port is one of this host that no other host reaches: that of an address like 127.0.0.1 or ::1, or
// of the name localhost.
func IsLoopback(hostPort string) bool {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback() || host == "localhost"
}
