package bully

import (
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/transport"
)

// The words of package host that a program needs besides.
type (
	// Reign is one time of leading: its epoch is the fencing token.
	Reign = host.Reign
	// Leadership is who leads, as far as the node knows.
	Leadership = host.Leadership
	// Status is all that a node says of itself.
	Status = host.Status
	// Timing says how long timers run. All nodes of a cluster must be given the same. host.LAN and its like are profiles.
	Timing = host.Timing
)

// Config says which node of which cluster this is. Folder must be given; ID, Cluster and Members or Found too, if members are fixed.
type Config struct {
	// Folder keeps the promise of the node, on a disk that survives what its machine does not. It belongs to one node.
	Folder string
	// ID is this node: an integer from 1 on, or a UUID of version 4. The highest leads. A node keeps it for life.
	ID string
	// Cluster is the name of the cluster, the same at all its nodes, and at no other.
	Cluster string
	// Members are all nodes, and where they listen (host:port), the same at each: ParseMembers reads them. If there are none, members come and go: who they are,
	// and who this node is, is in the record in Folder, which storage.Init or the command bully init makes.
	Members map[string]string
	// Found are members that FindMembers has found, instead of Members. At its first start the node waits until it has reached them all, and
	// they have found the same. It listens on all addresses of its host, and takes no refused connection for a death: DNS may be behind.
	Found *Found
	// Address is where this node listens if members come and go. Default: what its record says, or what bully init and join have kept.
	Address string
	// TLS has the certificate of this node, and those that vouch for the others: see [LoadCertificate], and bully cert.
	TLS *tls.Config
	// Insecure lets links be plain beyond this host: whoever reaches a node can then pose as a member, and stop others for good.
	Insecure bool
	// Timing must be the same at every node. The zero Timing means host.LAN.
	Timing Timing
	// Logger is told who leads, of links, of pauses, and why the node stops. Each line says which node it is of (node): do not add that. Default:
	// nobody is told.
	Logger *slog.Logger

	// Guard is told that this node goes on: see host.FindGuard. Default: nobody is.
	Guard *host.Guard
	// HoldMemory has the address of this process refuse as soon as it dies, however much memory it has: see transport.Config.HoldMemory. Who
	// embeds a node in a large program sets it. Default: false.
	HoldMemory bool
	// Progress is how long the work of a leader may report no progress (Reign.Progress) before the node resigns. Default: for ever.
	Progress time.Duration

	// Links and Host, if given, change the parts before they are made.
	Links func(*transport.Config)
	Host  func(*host.Config)
}
