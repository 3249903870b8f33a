package operator_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"k8s.io/klog/v2"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/resourcelock"
	"github.com/seed-fdf591db/bully/impl/resourcelock/operator"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// patience is how long a loaded machine may take for anything.
const patience = time.Minute

// A replica is an operator: a manager with a runnable, and the node that it elects by.
type replica struct {
	node           *host.Host
	run            func()
	stop, stopNode context.CancelFunc
	ended          chan error
	nodeEnded      chan error
}

// A record of what runs, of all replicas.
type record struct {
	mu      sync.Mutex
	runs    map[int]bool
	began   []string
	problem string
}

func (r *record) run(ctx context.Context, i int, lock *resourcelock.Lock) {
	r.mu.Lock()
	if len(r.runs) > 0 {
		r.problem = fmt.Sprintf("replica %d runs, and %v do", i, r.runs)
	}
	r.runs[i] = true
	r.began = append(r.began, fmt.Sprint(i))
	epoch := lock.Reign().Epoch()
	if epoch == 0 {
		r.problem = "no fencing token"
	}
	r.mu.Unlock()
	<-ctx.Done()
	r.mu.Lock()
	delete(r.runs, i)
	r.mu.Unlock()
}

// await waits until replica i runs, and no other.
func (r *record) await(t *testing.T, i int) {
	t.Helper()
	require.Eventually(t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.runs[i] && len(r.runs) == 1
	}, patience, 5*time.Millisecond, "replica %d does not run", i)
}

// TestManagers: of three managers one runs what is to run once; when it ends, the next does, and when the node of that one fails it says that it has lost the election. There is
// no API server.
func TestManagers(t *testing.T) {
	ctrllog.SetLogger(klog.Logger{})
	network := transport.NewNetwork(nil)
	members := []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}
	r := &record{runs: map[int]bool{}}
	replicas := map[int]*replica{}
	for i := 1; i <= 3; i++ {
		replicas[i] = newReplica(t, network, members, i, r)
	}
	for i := 3; i >= 1; i-- { // the highest is there before others ask for it
		replicas[i].run()
	}
	r.await(t, 3)

	three := replicas[3]
	three.stop()
	require.NoError(t, <-three.ended)
	three.stopNode()
	require.NoError(t, <-three.nodeEnded)
	r.await(t, 2)

	two := replicas[2]
	require.NoError(t, two.node.Close())
	require.ErrorContains(t, <-two.ended, "leader election lost")
	require.NoError(t, <-two.nodeEnded)

	one := replicas[1]
	one.stop()
	require.NoError(t, <-one.ended)
	one.stopNode()
	require.NoError(t, <-one.nodeEnded)
	require.Empty(t, r.problem)
	require.Equal(t, []string{"3", "2"}, r.began, "one node of three has no quorum")
}

// newReplica returns a replica that is to run.
func newReplica(t *testing.T, network *transport.Network, members []spec.NodeID, i int, r *record) *replica {
	t.Helper()
	me := members[i-1]
	node, err := host.New(host.Config{ID: me, Members: members, Storage: storage.NewMemory(), Transport: network.Join(me), Timing: host.WAN()})
	require.NoError(t, err)
	lock, err := resourcelock.New(node, resourcelock.Config{LeaseDuration: 6 * time.Second, RenewDeadline: 5 * time.Second, RetryPeriod: 100 * time.Millisecond})
	require.NoError(t, err)
	m, err := manager.New(&rest.Config{Host: "http://127.0.0.1:1"}, operator.Options(lock, manager.Options{
		Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0", Logger: klog.Logger{},
	}))
	require.NoError(t, err)
	require.NoError(t, m.Add(manager.RunnableFunc(func(ctx context.Context) error {
		r.run(ctx, i, lock)
		return nil
	})))
	ctx, stop := context.WithCancel(context.Background())
	running, stopNode := context.WithCancel(context.Background())
	t.Cleanup(func() { stop(); stopNode() })
	all := &replica{node: node, stop: stop, stopNode: stopNode, ended: make(chan error, 1), nodeEnded: make(chan error, 1)}
	all.run = func() {
		go func() { all.nodeEnded <- node.Run(running) }()
		go func() { all.ended <- m.Start(ctx) }()
	}
	return all
}
