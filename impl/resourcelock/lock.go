package resourcelock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/seed-fdf591db/bully/impl/host"
)

// A Node is what a lock needs of a node: a *bully.Node or a *host.Host.
type Node interface {
	Lead(ctx context.Context, work func(context.Context, host.Reign) error) error
	Status() host.Status
}

// A Lock is the lock of one elector. Its methods may be called by many goroutines.
type Lock struct {
	node   Node
	id     string
	config Config

	mu      sync.Mutex
	now     *reign                            // that the node leads; nil if it leads none, or is to resign from it
	held    host.Reign                        // in which the elector has renewed last; the zero one if it does not hold the lock
	renewed time.Time                         // when it has
	record  resourcelock.LeaderElectionRecord // what it has written then
	ended   error                             // the node has
}

// A reign is one of this node, and what becomes of it.
type reign struct {
	host.Reign
	began time.Time // or a little later
	work  context.Context
	let   chan struct{} // closed when the elector lets go
}

var _ resourcelock.Interface = (*Lock)(nil)

// New returns the lock of an elector beside a node, which may run already or not. What it starts ends with the node.
func New(node Node, config Config) (*Lock, error) {
	if node == nil {
		return nil, errors.New("resourcelock: the node is missing")
	}
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	l := &Lock{node: node, id: node.Status().ID.String(), config: config}
	go l.follow()
	return l, nil
}

// follow does the work of the lock in each reign of the node: it is there.
func (l *Lock) follow() {
	var err error
	for err == nil {
		err = l.node.Lead(context.Background(), l.lead)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = err
}

// lead holds a reign for the elector until it lets go, or the reign is over. When the node is to stop or to resign, the reign goes on until the elector has
// stopped.
func (l *Lock) lead(ctx context.Context, of host.Reign) error {
	r := &reign{Reign: of, began: time.Now(), work: ctx, let: make(chan struct{})}
	l.set(r)
	defer l.set(nil)
	select {
	case <-r.let:
		return nil
	case <-ctx.Done():
	}
	for left := l.left(r); left > 0 && r.Valid(); left = l.left(r) {
		timer := time.NewTimer(min(left, time.Until(r.Deadline()))) // nobody tells when a reign is over that was to end
		select {
		case <-r.let:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

func (l *Lock) set(r *reign) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = r
}

// left returns how long the elector may still hold the lock in a reign, if it renews no more.
func (l *Lock) left(r *reign) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held != r.Reign {
		return 0
	}
	return time.Until(l.renewed.Add(l.config.LeaseDuration))
}

// Reign returns the reign in which the elector holds the lock, or the zero one. Its epoch is the fencing token of what the elector guards: ask for each write,
// as the elector may have gone on in another reign. It is over as soon as the reign is, and the elector stops later.
func (l *Lock) Reign() host.Reign {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

// Get returns who holds the lock, as far as this node knows: at the node that leads, as its elector has written it; elsewhere the leader, whose record is as
// fresh as the node's trust in it; and nobody if none is known. The bytes differ whenever the record does, or is fresh.
func (l *Lock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	status, now := l.node.Status(), metav1.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	record := resourcelock.LeaderElectionRecord{LeaseDurationSeconds: l.config.seconds(), RenewTime: now}
	switch {
	case l.ended != nil:
		return nil, nil, l.hasEnded()
	case l.now != nil && l.now.Valid() && l.held == l.now.Reign:
		record = l.record
	case l.now != nil && l.now.Valid():
		record.LeaderTransitions = int(l.now.Epoch()) - 1 // an elector that acquires writes one more
	case !status.Leader.IsNone() && status.Leader != status.ID:
		record.HolderIdentity, record.LeaderTransitions = status.Leader.String(), int(status.Epoch)
		record.AcquireTime = metav1.NewTime(status.Since)
	}
	raw, err := json.Marshal(struct {
		resourcelock.LeaderElectionRecord
		Fresh int64 `json:"fresh"`
	}{record, record.RenewTime.UnixNano()})
	return &record, raw, err
}

// Create is Update: there is always a record.
func (l *Lock) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.Update(ctx, r)
}

// Update acquires the lock for this node's elector, or renews it, or with no holder lets it go. To acquire it waits until whoever held the lock before has stopped: see
// the package. The error says who leads, or why this node's reign is no good.
func (l *Lock) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	switch {
	case r.HolderIdentity == "":
		l.letGo(r)
		return nil
	case r.HolderIdentity != l.id:
		return fmt.Errorf("resourcelock: this is the lock of node %s, and %q cannot hold it: an elector's identity is that of its lock", l.id, r.HolderIdentity)
	case r.LeaseDurationSeconds != l.config.seconds():
		return fmt.Errorf("resourcelock: the elector has a LeaseDuration of %d s, and the lock one of %v: give both the same, see Lock.Elector", r.LeaseDurationSeconds, l.config.LeaseDuration)
	}
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		wait, over, err := l.hold(r)
		if err != nil || wait <= 0 {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-over:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// hold has the elector hold the lock, or says how long it has to wait, unless its reign is over before.
func (l *Lock) hold(r resourcelock.LeaderElectionRecord) (wait time.Duration, over <-chan struct{}, err error) {
	status := l.node.Status()
	l.mu.Lock()
	defer l.mu.Unlock()
	now, renews := time.Now(), l.now != nil && l.held == l.now.Reign
	switch {
	case l.ended != nil:
		return 0, nil, l.hasEnded()
	case l.now == nil || !l.now.Valid():
		return 0, nil, fmt.Errorf("resourcelock: node %s does not lead: the leader is %s", l.id, status.Leader)
	case l.now.work.Err() != nil && !(renews && errors.Is(context.Cause(l.now.work), host.ErrClosed)):
		return 0, nil, fmt.Errorf("resourcelock: node %s is to lead no longer: %w", l.id, context.Cause(l.now.work))
	case !renews && !l.goesOn(now):
		if wait = l.now.began.Add(l.config.LeaseDuration).Sub(now); wait > 0 {
			return wait, l.now.work.Done(), nil
		}
	}
	l.held, l.renewed, l.record = l.now.Reign, now, r
	return 0, nil, nil
}

// goesOn reports whether the elector has held the lock in an earlier reign, so lately that nobody else can have acquired it since.
func (l *Lock) goesOn(now time.Time) bool {
	return l.held != host.Reign{} && now.Sub(l.renewed) <= l.config.acts()
}

// letGo ends the reign in which the elector holds the lock.
func (l *Lock) letGo(r resourcelock.LeaderElectionRecord) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now != nil && l.held == l.now.Reign {
		close(l.now.let)
		l.now = nil
	}
	l.held, l.record = host.Reign{}, r
}

func (l *Lock) hasEnded() error {
	return fmt.Errorf("resourcelock: node %s has ended: %w", l.id, l.ended)
}

// RecordEvent logs what the elector has done.
func (l *Lock) RecordEvent(event string) {
	l.config.Logger.Info("election of client-go", slog.String("node", l.id), slog.String("event", event))
}

// Identity returns the id of the node.
func (l *Lock) Identity() string { return l.id }

// Describe returns the name of the lock, and whose it is.
func (l *Lock) Describe() string { return l.config.Name + "/" + l.id }
