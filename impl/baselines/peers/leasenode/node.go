package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"

	"github.com/seed-fdf591db/bully/impl/baselines/peers"
)

// profile is how long things take, in the words of leaderelection.LeaderElectionConfig.
type profile struct {
	lease, renew, retry time.Duration
}

// profiles are those there are: the defaults of the core components of Kubernetes, and the shortest that are safe.
//
// A Lease lasts for whole seconds: leaderelection drops the part of a duration below a second, and the API of Kubernetes
// refuses 0. And 1 s does not do, because a follower takes a Lease for renewed only if its time of renewal has changed,
// and compares that in whole seconds (LeaderElectionRecord has a metav1.Time): it sees one change a second, however often
// the leader renews. With 1 s, and 1.9 s that becomes 1 s, three idle nodes changed their leader within 15 s in four of
// six trials, and with 2 s in none of four.
//
// For the same reason the last renewal may be nearly a second younger than a follower knows. So a leader must give up
// earlier than a lease duration after it: the renewal deadline, with a retry before it, must be a second shorter. For as
// long as that deadline a leader that was stopped leads on when it goes on, though it sees at once who has its Lease
// (LeaderElector.renew).
var profiles = map[string]profile{
	"default": {15 * time.Second, 10 * time.Second, 2 * time.Second},
	"fast":    {2 * time.Second, 750 * time.Millisecond, 100 * time.Millisecond},
}

// Where the Lease is.
const (
	namespace = "default"
	leaseName = "leader"
)

// node is a candidate.
type node struct {
	config   leaderelection.LeaderElectionConfig
	hub      *hub
	store    string      // its folder
	answered atomic.Bool // the store, to the last request
	sent     struct{ bytes, requests atomic.Uint64 }
}

// newNode returns a node that does nothing yet.
func newNode(o peers.Options, store string, log io.Writer) (*node, error) {
	if err := logTo(log, o.Log); err != nil {
		return nil, err
	}
	p := profiles[o.Profile]
	identity := o.ID + mark + rand.Text()
	n := &node{hub: &hub{Hub: peers.NewHub(o.ID)}, store: store}
	config := &rest.Config{
		Host: "http://store", // a name for a socket
		QPS:  -1,             // no throttle: it would be 5 requests a second
		// The store knows no other; the client would prefer Protobuf.
		ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeJSON},
		Proxy:         func(*http.Request) (*url.URL, error) { return nil, nil },
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			connection, err := dial(ctx, store)
			if err != nil {
				return nil, err
			}
			return &counted{connection, n}, nil
		},
		WrapTransport: func(next http.RoundTripper) http.RoundTripper { return &tripper{next, n} },
	}
	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, namespace, leaseName,
		resourcelock.ResourceLockConfig{Identity: identity}, config, p.renew)
	if err != nil {
		return nil, err
	}
	n.config = leaderelection.LeaderElectionConfig{
		Lock: &watched{lock, n}, Name: leaseName, ReleaseOnCancel: true,
		LeaseDuration: p.lease, RenewDeadline: p.renew, RetryPeriod: p.retry,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				n.hub.leads(1)
				<-ctx.Done()
				n.hub.leads(-1)
			},
			OnStoppedLeading: func() {}, // the context has ended; leaderelection wants it
		},
	}
	return n, nil
}

// logTo lets client-go log to out.
func logTo(out io.Writer, least slog.Level) error {
	handler := slog.Handler(slog.DiscardHandler)
	if least < peers.Off { // what is an error is not asked whether it is enabled
		handler = slog.NewTextHandler(out, &slog.HandlerOptions{Level: least})
	}
	klog.SetSlogLogger(slog.New(handler))
	verbosity := "0"
	if least == slog.LevelDebug {
		verbosity = "4"
	}
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	return flags.Set("v", verbosity)
}

// Hub has what the node says of the leader.
func (n *node) Hub() *peers.Hub { return n.hub.Hub }

// Healthy returns an error while the store does not answer.
func (n *node) Healthy() error {
	if !n.answered.Load() {
		return errors.New("the store has not answered")
	}
	return nil
}

// Describe adds the store, and what was sent to it.
func (n *node) Describe(s *peers.Status) error {
	s.Store = n.store
	s.Counters = map[string]uint64{"bytes_sent": n.sent.bytes.Load(), "writes": n.sent.requests.Load()}
	return nil
}

// Close has nothing to do: with its context a node lets go of the Lease.
func (n *node) Close() error { return nil }

// Elect lets the node be a candidate until the context ends. Leaderelection gives up for good when it has lost a
// Lease, and a controller ends then, and is started anew.
func (n *node) Elect(ctx context.Context) error {
	for ctx.Err() == nil {
		elector, err := leaderelection.NewLeaderElector(n.config)
		if err != nil {
			return err
		}
		elector.Run(ctx)
	}
	return nil
}

// watched is a lock whose records are told. The callback OnNewLeader names a new holder, but not its transitions.
type watched struct {
	resourcelock.Interface
	node *node
}

// Get reads the record.
func (w *watched) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	r, raw, err := w.Interface.Get(ctx)
	if err == nil {
		w.node.hub.sees(*r)
	}
	return r, raw, w.note(err)
}

// Create writes the first record.
func (w *watched) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return w.wrote(w.Interface.Create(ctx, r), r)
}

// Update writes a record over the last one that was read.
func (w *watched) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return w.wrote(w.Interface.Update(ctx, r), r)
}

func (w *watched) wrote(err error, r resourcelock.LeaderElectionRecord) error {
	if err == nil {
		w.node.hub.sees(r)
	}
	return w.note(err)
}

// note remembers whether there was an answer; a refusal is one.
func (w *watched) note(err error) error {
	var status apierrors.APIStatus
	w.node.answered.Store(err == nil || errors.As(err, &status))
	return err
}

// tripper counts requests.
type tripper struct {
	next http.RoundTripper
	node *node
}

// RoundTrip sends a request.
func (t *tripper) RoundTrip(r *http.Request) (*http.Response, error) {
	t.node.sent.requests.Add(1)
	response, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return response, nil
}

// counted is a connection whose bytes are counted.
type counted struct {
	net.Conn
	node *node
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.node.sent.bytes.Add(uint64(n))
	return n, err
}
