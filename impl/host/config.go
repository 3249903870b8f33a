package host

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Config says which node of which cluster a [Host] runs, and with what. ID, Storage and Transport must be given, and
// Members if they are fixed; the zero value of every other field is its default. A Storage, Transport, Detector and Rand
// belong to one host.
type Config struct {
	// ID is this node, one of Members. A node keeps it for life (R1).
	ID spec.NodeID
	// Members are all nodes of the cluster, in any order, from 1 to 64, each once; the same at every node. If there are none, members
	// come and go: who they are is in the record of Storage, and Transport is a ChangingTransport (R40, R42).
	Members []spec.NodeID
	// Storage keeps the promise of the node. See package storage.
	Storage Storage
	// Transport carries the messages. The host closes it. See package transport.
	Transport Transport
	// Together makes the first start of the node wait until it has reached all other members, each at least once: for members that were
	// found, and not given by a person. Each of them must refuse whoever has other members, as package transport does.
	Together bool
	// Timing must be the same at every node. The zero Timing means [LAN].
	Timing Timing
	// Detector judges the silence of the leader. Default: Timing.Patience, always. See [NewPhi].
	Detector Detector
	// Believe are nodes that are believed who the members are, though this node does not know them as members. It is for a node that was
	// away while all others that it knew were replaced: see doc, Changing members. Default: none.
	Believe []spec.NodeID
	// AddedBy are members of the cluster that this node is to be added to, while it waits for that: until then it believes these who the members
	// are, and Believe, and nobody else. Without any it believes whoever is the first to reach it; so would the cluster then, as this node is one
	// of its members.
	AddedBy []spec.NodeID
	// Follows, if given, says whether all that goes by the members has come to go by a configuration: until then no further change is made, unless that is forced. It is called by the
	// loop, and must not block. Default: it has.
	Follows func(spec.Configuration) bool
	// Leaves, if given, says whether this node may stop as it is no member any more: Run goes on until it does. It is called by the loop, again and
	// again, and must not block. Default: it may.
	Leaves func() bool
	// Overrun, if given, is called when work has not returned by the last deadline of its reign: somebody else may lead
	// from now on, and work may still write. It is called once for each such work, by a goroutine of its own.
	//
	// Where all that is written to is fenced it may log, and count. Where something is not, let it end the process:
	//
	//	Overrun: func(host.Reign) { os.Exit(1) },
	//
	// Work that has missed the end of its context hangs in a call, or computes, and nothing in a Go program can stop it there: only the
	// end of the process does. A panic would first run deferred functions, which may write. The node does not resign then; the others
	// see its address refuse, and elect as after a crash. Whoever supervises the process starts it again, and it stands anew.
	Overrun func(Reign)

	// Progress is how long work may report no progress (Reign.Progress): a leader whose work hangs would else lead on, and nobody would do
	// the work. Its context ends, and the node resigns as soon as work has returned, or at the deadline: then Overrun is called first. Default: for ever.
	Progress time.Duration
	// Guard is told that the loop goes round: see [FindGuard]. Default: nobody is.
	Guard *Guard

	// Clock tells the time. Default: that of the system.
	Clock Clock
	// Rand jitters how long the node waits after attempts that failed. Default: a random seed.
	Rand *rand.Rand
	// Logger is told who leads, of pauses, and why the host stops. Each line says which node it is of (node): do not add that. Default: nobody is told.
	Logger *slog.Logger
	// Metrics are told what happens. Default: nobody is. See [NewExpvar].
	Metrics Metrics
	// Trace records every step. Default: none is recorded. See package trace.
	Trace Trace
}

// Storage keeps the promise of a node over crashes. An error of Save is final: it stops the host for good (R4).
type Storage interface {
	// Load returns the promise that is kept, and false if there has never been one: the node starts for the first time.
	// Where members come and go its configuration is there even so, as it was made with the record (R49). A record that
	// cannot be read, or is of another node, is an error (R32).
	Load() (promise spec.Durable, found bool, err error)
	// Save makes the promise durable before it returns nil.
	Save(promise spec.Durable) error
}

// A disowner is a Storage that can put its record out of use.
type disowner interface{ Disown() error }

// A rememberer is a Transport that tells the others how far the record of this node had come: as Storage.Load says.
type rememberer interface{ Record() spec.Durable }

// A diskRememberer is a Transport that knows which disk a node had when it was heard last. It does not connect to one that has come back
// with another.
type diskRememberer interface {
	Remembers(node spec.NodeID) (incarnation uint64, remembers bool)
}

// A beginner is a Transport that tells the others that this node has taken its first step: from then on it cannot have lost its record
// and made no promise.
type beginner interface{ Begun() }

// Transport carries messages to the other members, and tells, in one order, what has come and what is known of links.
type Transport interface {
	// Send sends m to m.To, or loses it. It must not block.
	Send(m spec.Message)
	// Wake returns a channel that has a value when Next has something.
	Wake() <-chan struct{}
	// Next returns the next event, and false if there is none now.
	Next() (transport.Event, bool)
	// Close sends what has been sent, as far as that is possible in short time; only then it stops listening (R37).
	Close() error
}

// Detector judges from arrivals how long to wait for the next one. A Detector that also has the method
// Paused(until time.Time) is told when the node itself did not run: what arrives before until says nothing.
type Detector interface {
	// Heard notes an arrival from the leader.
	Heard(now time.Time)
	// Patience returns how long after the last arrival to wait. The host never waits less than Timing.Patience.
	Patience(now time.Time) time.Duration
	// Reset forgets all: another leader is followed.
	Reset()
	// Phi returns how suspicious the silence is, for people to see.
	Phi(now time.Time) float64
}

// Trace records steps. Record must not keep e, nor what it points to, after it has returned. It is called when the
// promise of a step is on disk, and before what it sends leaves. An error costs the event, and does not stop the host.
type Trace interface {
	Record(e *spec.Event) error
}

// ConfigError says which field of a configuration is wrong, and how.
type ConfigError struct {
	Field   string // such as Timing.Patience
	Rule    string // the rule that it breaks, such as R37 d; "" if there is none
	Problem string // such as: is 100ms, but must be at least 153.031ms: the lease of a follower must outlast the reign that it backs
}

func (e *ConfigError) Error() string {
	if e.Rule == "" {
		return "host: " + e.Field + " " + e.Problem
	}
	return "host: " + e.Field + " " + e.Problem + " (" + e.Rule + ")"
}

var (
	// ErrClosed says that the host has been closed, or has stopped in good order.
	ErrClosed = errors.New("host: closed")
	// ErrStopped says that the host has stopped for good, because its promise could not be read or saved. What
	// wraps it says why. Starting the node later is safe, if the disk is well then; not so after ErrLostDisk (R4, R32).
	ErrStopped = errors.New("host: stopped for good")
	// ErrLostDisk is wrapped, besides ErrStopped, by the error of Run if another node remembers more of this one than its record
	// does: the disk was lost, or an old copy was put in its place, or two nodes run under one id. What it has promised is not
	// known (R32). The record is put out of use, if the Storage has a method Disown() error, as storage.File has.
	ErrLostDisk = errors.New("the disk of this node is lost, or an old copy")
	// ErrNotLeader is the cause for which the context of work ends when its reign does: context.Cause returns it.
	// A call that only a leader answers returns it, in a *MembersError.
	ErrNotLeader = errors.New("host: the reign is over")
)

// withDefaults returns the configuration with nothing left to be filled in, or a *ConfigError.
func (c Config) withDefaults() (Config, error) {
	if c.Storage == nil {
		return c, &ConfigError{Field: "Storage", Rule: "R4", Problem: "is missing: give a storage.File, or a storage.Memory in tests"}
	}
	if c.Transport == nil {
		return c, &ConfigError{Field: "Transport", Problem: "is missing: give a transport.TCP, or a transport.Endpoint in tests"}
	}
	if _, changing := c.Transport.(ChangingTransport); c.changing() && !changing {
		return c, &ConfigError{Field: "Members", Rule: "R40", Problem: "are missing: give all nodes; or, if members are to come and go, a " +
			"transport that has SetMembers"}
	}
	if !c.ID.Valid() {
		return c, &ConfigError{Field: "ID", Rule: "R1", Problem: fmt.Sprintf("is %s: give an integer from 1 on or a UUID of version 4", c.ID)}
	}
	if c.Timing == (Timing{}) {
		c.Timing = LAN()
	}
	if err := configError(c.Timing.Validate()); err != nil {
		return c, err
	}
	if c.Progress < 0 || c.Progress > policy.MaxTiming {
		return c, &ConfigError{Field: "Progress", Problem: fmt.Sprintf("is %v: give how long work may report nothing, up to %v; or 0, if it need not report",
			c.Progress, policy.MaxTiming)}
	}
	if c.Detector == nil {
		c.Detector = policy.NewFixed(c.Timing.Patience)
	}
	if c.Clock == nil {
		c.Clock = SystemClock{}
	}
	if c.Rand == nil {
		c.Rand = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Logger = c.Logger.With("node", c.ID.String())
	if c.Metrics == nil {
		c.Metrics = noMetrics{}
	}
	return c, nil
}

// newNode is bully.New with a *ConfigError. Where members come and go the node is made when its record is read.
func newNode(c Config) (*bully.Node, error) {
	if c.changing() {
		return nil, nil
	}
	node, err := bully.New(c.ID, c.Members)
	if err != nil {
		return nil, &ConfigError{Field: "ID and Members", Rule: "R40", Problem: fmt.Sprintf("make no node: %v", err)}
	}
	return node, nil
}

// Timing says how long the timers of a node are, and what they assume of the system. All nodes of a cluster must be given
// the same.
type Timing = policy.Timing

// Local is the profile for nodes on one machine, or on a quiet network of one rack.
func Local() Timing { return policy.Local() }

// LAN is the profile for machines of one site. It is what the zero Timing means.
func LAN() Timing { return policy.LAN() }

// WAN is the profile for sites far apart.
func WAN() Timing { return policy.WAN() }

// Busy is the profile for machines that do much else, and for pods with limits of CPU.
func Busy() Timing { return policy.Busy() }

// TimingFor returns a timing for a system in which messages, disk writes and queues included, take less than a delay. See
// [policy.TimingFor].
func TimingFor(delay time.Duration) Timing { return policy.TimingFor(delay) }

// PhiConfig says how a Detector judges that learns: see [NewPhi].
type PhiConfig = policy.PhiConfig

// NewPhi returns a Detector that learns how regular the heartbeats of the leader are, and waits longer where they are not. It is of one node, and is not to be
// used by two. The error is a *ConfigError. [policy.Phi] says how it judges.
func NewPhi(config PhiConfig) (Detector, error) {
	phi, err := policy.NewPhi(config)
	if err != nil {
		return nil, configError(err)
	}
	return phi, nil
}

// configError returns what package policy says is wrong as a *ConfigError, and nil of nil.
func configError(err error) error {
	var wrong *policy.Error
	if errors.As(err, &wrong) {
		return &ConfigError{Field: wrong.Field, Rule: wrong.Rule, Problem: wrong.Problem}
	}
	return err
}
