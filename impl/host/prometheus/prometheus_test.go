package prometheus

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

func TestNothingYet(t *testing.T) {
	c := New(nil)
	require.Equal(t, len(spec.Actions())-3, testutil.CollectAndCount(c, "bully_steps_total"), "all but Crash, Lose and Cut")
	require.Equal(t, len(bully.Causes()), testutil.CollectAndCount(c, "bully_ignored_total"))
	require.Equal(t, len(spec.MessageTypes()), testutil.CollectAndCount(c, "bully_messages_sent_total"))
	require.Equal(t, len(spec.MessageTypes()), testutil.CollectAndCount(c, "bully_messages_received_total"))
	require.NoError(t, testutil.CollectAndCompare(c, strings.NewReader(`
# HELP bully_epoch The epoch of the leader that this node is told of, or of the last one.
# TYPE bully_epoch gauge
bully_epoch 0
# HELP bully_leader 1 if this node leads, else 0.
# TYPE bully_leader gauge
bully_leader 0
# HELP bully_leader_known 1 if this node is told of a leader, else 0.
# TYPE bully_leader_known gauge
bully_leader_known 0
# HELP bully_leadership_changes_total How often who leads, or in which epoch, has changed.
# TYPE bully_leadership_changes_total counter
bully_leadership_changes_total 0
# HELP bully_leadership_since_timestamp_seconds When who leads has last changed, in seconds since 1970.
# TYPE bully_leadership_since_timestamp_seconds gauge
bully_leadership_since_timestamp_seconds 0
`), "bully_epoch", "bully_leader", "bully_leader_known", "bully_leadership_changes_total",
		"bully_leadership_since_timestamp_seconds"))
}

func TestWhatIsTold(t *testing.T) {
	c := New(map[string]string{"cluster": "demo"})
	c.Stepped(spec.OnClaim)
	c.Stepped(spec.OnClaim)
	c.Stepped("Juggle")
	c.Ignored(string(bully.NonMember))
	c.Ignored("whatever else")
	c.Sent(spec.Grant)
	c.Received(spec.Claim)
	c.Received(spec.Claim)
	c.Received(spec.Claim)
	for action, want := range map[string]float64{"OnClaim": 2, "Juggle": 1, "OnGrant": 0} {
		require.Equal(t, want, testutil.ToFloat64(c.steps.all.WithLabelValues(action)), action)
	}
	require.Equal(t, 1.0, testutil.ToFloat64(c.ignored.all.WithLabelValues("non-member")))
	require.Equal(t, 1.0, testutil.ToFloat64(c.ignored.all.WithLabelValues("whatever else")))
	require.Equal(t, 1.0, testutil.ToFloat64(c.sent.all.WithLabelValues("GRANT")))
	require.Zero(t, testutil.ToFloat64(c.sent.all.WithLabelValues("CLAIM")))
	require.Equal(t, 3.0, testutil.ToFloat64(c.received.all.WithLabelValues("CLAIM")))

	c.Saved(40 * time.Microsecond)
	c.Saved(600 * time.Microsecond)
	c.Saved(time.Minute)
	require.NoError(t, testutil.CollectAndCompare(c, strings.NewReader(`
# HELP bully_save_seconds Time to make a promise durable.
# TYPE bully_save_seconds histogram
bully_save_seconds_bucket{cluster="demo",le="5e-05"} 1
bully_save_seconds_bucket{cluster="demo",le="0.0001"} 1
bully_save_seconds_bucket{cluster="demo",le="0.0002"} 1
bully_save_seconds_bucket{cluster="demo",le="0.0004"} 1
bully_save_seconds_bucket{cluster="demo",le="0.0008"} 2
bully_save_seconds_bucket{cluster="demo",le="0.0016"} 2
bully_save_seconds_bucket{cluster="demo",le="0.0032"} 2
bully_save_seconds_bucket{cluster="demo",le="0.0064"} 2
bully_save_seconds_bucket{cluster="demo",le="0.0128"} 2
bully_save_seconds_bucket{cluster="demo",le="0.0256"} 2
bully_save_seconds_bucket{cluster="demo",le="0.0512"} 2
bully_save_seconds_bucket{cluster="demo",le="0.1024"} 2
bully_save_seconds_bucket{cluster="demo",le="0.2048"} 2
bully_save_seconds_bucket{cluster="demo",le="0.4096"} 2
bully_save_seconds_bucket{cluster="demo",le="0.8192"} 2
bully_save_seconds_bucket{cluster="demo",le="1.6384"} 2
bully_save_seconds_bucket{cluster="demo",le="+Inf"} 3
bully_save_seconds_sum{cluster="demo"} 60.00064
bully_save_seconds_count{cluster="demo"} 3
`), "bully_save_seconds"))
}

func TestLeadership(t *testing.T) {
	c := New(nil)
	since := time.UnixMilli(1_700_000_000_250)
	for i, test := range []struct {
		told                        host.Leadership
		leader, known, epoch, since float64
	}{
		{host.Leadership{}, 0, 0, 0, 0},
		{host.Leadership{Leader: spec.IntegerID(5), Epoch: 3, Since: since}, 0, 1, 3, 1_700_000_000.25},
		{host.Leadership{Since: since.Add(time.Second)}, 0, 0, 3, 1_700_000_001.25},
		{host.Leadership{Leader: spec.IntegerID(4), Epoch: spec.MaxEpoch, Leading: true, Since: since}, 1, 1, 1<<53 - 1, 1_700_000_000.25},
	} {
		c.Changed(test.told)
		require.Equal(t, test.leader, testutil.ToFloat64(c.leader), "%d", i)
		require.Equal(t, test.known, testutil.ToFloat64(c.known), "%d", i)
		require.Equal(t, test.epoch, testutil.ToFloat64(c.epoch), "%d", i)
		require.Equal(t, test.since, testutil.ToFloat64(c.since), "%d", i)
		require.Equal(t, float64(i+1), testutil.ToFloat64(c.changes))
	}
}

func TestMembers(t *testing.T) {
	c := New(nil)
	require.Equal(t, len(spec.MemberKinds()), testutil.CollectAndCount(c, "bully_members"))
	configuration, err := spec.NewConfiguration(3, 7, []spec.Member{
		{ID: spec.IntegerID(1), Kind: spec.Voter}, {ID: spec.IntegerID(2), Kind: spec.Voter}, {ID: spec.IntegerID(3), Kind: spec.Observer},
	})
	require.NoError(t, err)
	c.Configured(host.Membership{Configuration: configuration, Settled: true})
	require.Equal(t, 3.0, testutil.ToFloat64(c.confEpoch))
	require.Equal(t, 7.0, testutil.ToFloat64(c.confVersion))
	require.Equal(t, 1.0, testutil.ToFloat64(c.settled))
	for kind, want := range map[spec.MemberKind]float64{spec.Voter: 2, spec.Witness: 0, spec.Observer: 1} {
		require.Equal(t, want, testutil.ToFloat64(c.members.WithLabelValues(string(kind))), kind)
	}
	c.Configured(host.Membership{Configuration: spec.EmptyConfiguration()})
	require.Equal(t, 0.0, testutil.ToFloat64(c.members.WithLabelValues(string(spec.Voter))))
	require.Equal(t, 0.0, testutil.ToFloat64(c.settled))
}

func TestRegistry(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(New(map[string]string{"cluster": "a"})))
	require.NoError(t, registry.Register(New(map[string]string{"cluster": "b"})))
	require.Error(t, registry.Register(New(map[string]string{"cluster": "a"})), "the same twice")
	require.Error(t, registry.Register(New(map[string]string{"not a\xffname": "a"})))
	require.Error(t, registry.Register(New(map[string]string{"action": "a"})), "a label that a metric has already")
	_, err := registry.Gather()
	require.NoError(t, err)

	problems, err := testutil.CollectAndLint(New(nil))
	require.NoError(t, err)
	require.Empty(t, problems)
}

// The package comment names every metric, and no other.
func TestDocumented(t *testing.T) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(New(nil))
	families, err := registry.Gather()
	require.NoError(t, err)
	source, err := os.ReadFile("prometheus.go")
	require.NoError(t, err)
	comment, _, _ := bytes.Cut(source, []byte("\npackage"))
	var documented, gathered []string
	for _, line := range regexp.MustCompile(`(?m)^//\t(bully_\w+)(\{(\w+)\})? +(counter|gauge|histogram) `).FindAllSubmatch(comment, -1) {
		documented = append(documented, fmt.Sprintf("%s %s %s", line[1], line[3], line[4]))
	}
	for _, family := range families {
		label := ""
		if labels := family.Metric[0].Label; len(labels) > 0 {
			label = labels[0].GetName()
		}
		gathered = append(gathered, fmt.Sprintf("%s %s %s", family.GetName(), label, strings.ToLower(family.GetType().String())))
	}
	require.ElementsMatch(t, documented, gathered)
}

// The loop counts while Prometheus looks.
func TestAtTheSameTime(t *testing.T) {
	c := New(nil)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 500 {
				c.Stepped(spec.OnAck)
				c.Stepped("Juggle")
				c.Saved(time.Millisecond)
				c.Changed(host.Leadership{Leader: spec.IntegerID(1), Epoch: 1})
			}
		})
		all.Go(func() {
			for range 5 {
				testutil.CollectAndCount(c)
			}
		})
	}
	all.Wait()
	require.Equal(t, 2000.0, testutil.ToFloat64(c.steps.all.WithLabelValues("OnAck")))
	require.Equal(t, 2000.0, testutil.ToFloat64(c.changes))
}

// A host that leads, with no others, tells all that this package counts.
func TestOfAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(nil)
		one := spec.IntegerID(1)
		h, err := host.New(host.Config{
			ID: one, Members: []spec.NodeID{one}, Metrics: c,
			Storage: storage.NewMemory(), Transport: transport.NewNetwork(nil).Join(one),
		})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- h.Run(ctx) }()
		time.Sleep(20 * time.Second)
		require.Equal(t, 1.0, testutil.ToFloat64(c.leader))
		require.Equal(t, 1.0, testutil.ToFloat64(c.known))
		require.Equal(t, 1.0, testutil.ToFloat64(c.epoch))
		require.Equal(t, 1.0, testutil.ToFloat64(c.steps.all.WithLabelValues("Start")))
		require.Greater(t, testutil.ToFloat64(c.steps.all.WithLabelValues("HeartbeatTimeout")), 100.0)
		cancel()
		require.NoError(t, <-ended)
		require.Zero(t, testutil.ToFloat64(c.leader), "it has resigned")
		require.Equal(t, 1.0, testutil.ToFloat64(c.steps.all.WithLabelValues("Resign")))
	})
}

// What the loop pays for a step.
func BenchmarkStepped(b *testing.B) {
	c := New(nil)
	b.ReportAllocs()
	for b.Loop() {
		c.Stepped(spec.OnAck)
	}
}
