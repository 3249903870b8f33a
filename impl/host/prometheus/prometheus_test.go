package prometheus

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

var one = spec.IntegerID(1)

// alone returns a node that is its whole cluster, and does not run.
func alone(t *testing.T) *host.Host {
	t.Helper()
	h, err := host.New(host.Config{ID: one, Members: []spec.NodeID{one}, Storage: storage.NewMemory(), Transport: transport.NewNetwork(nil).Join(one)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	return h
}

func counted() transport.Stats {
	return transport.Stats{Sent: 3, Refused: map[transport.Refusal]uint64{transport.WrongCluster: 2}}
}

// fixed is a node that is what it is.
type fixed host.Status

func (f fixed) Status() host.Status { return host.Status(f) }

// changing is a node of members that come and go.
func changing(t *testing.T) fixed {
	t.Helper()
	now, err := spec.NewConfiguration(3, 7, []spec.Member{
		{ID: one, Kind: spec.Voter}, {ID: spec.IntegerID(2), Kind: spec.Voter}, {ID: spec.IntegerID(3), Kind: spec.Observer},
	})
	require.NoError(t, err)
	s := alone(t).Status()
	s.Role, s.Leader, s.Leading, s.Epoch, s.Configuration, s.Settled = spec.Leader, one, true, 3, &now, true
	s.Links = []host.LinkStatus{{Node: spec.IntegerID(2), Up: true, LastHeardMS: 12, Phi: 0.5}}
	return fixed(s)
}

func TestNothingYet(t *testing.T) {
	c := New(Config{Node: alone(t)})
	require.Equal(t, len(spec.Actions())-3, testutil.CollectAndCount(c, "bully_steps_total"), "all but Crash, Lose and Cut")
	require.Equal(t, len(bully.Causes()), testutil.CollectAndCount(c, "bully_ignored_total"))
	require.Equal(t, len(spec.MessageTypes()), testutil.CollectAndCount(c, "bully_messages_sent_total"))
	require.Equal(t, len(spec.MessageTypes()), testutil.CollectAndCount(c, "bully_messages_received_total"))
	for _, absent := range []string{"bully_epoch", "bully_leading", "bully_members", "bully_transport_sent_total"} {
		require.Zero(t, testutil.CollectAndCount(c, absent), absent)
	}
	require.NoError(t, testutil.CollectAndCompare(c, strings.NewReader(`
# HELP bully_leadership_changes_total How often who leads, or in which epoch, has changed.
# TYPE bully_leadership_changes_total counter
bully_leadership_changes_total 0
# HELP bully_leadership_since_timestamp_seconds When who leads has last changed, in seconds since 1970; 0 if it never has.
# TYPE bully_leadership_since_timestamp_seconds gauge
bully_leadership_since_timestamp_seconds 0
`), "bully_leadership_changes_total", "bully_leadership_since_timestamp_seconds"))
}

func TestRegistry(t *testing.T) {
	registry, labelled := prometheus.NewPedanticRegistry(), func(labels map[string]string) *Collector {
		return New(Config{Node: changing(t), Stats: counted, Labels: labels})
	}
	require.NoError(t, registry.Register(labelled(map[string]string{"cluster": "a"})))
	require.NoError(t, registry.Register(labelled(map[string]string{"cluster": "b"})))
	require.Error(t, registry.Register(labelled(map[string]string{"cluster": "a"})), "the same twice")
	require.Error(t, registry.Register(labelled(map[string]string{"not a\xffname": "a"})))
	require.Error(t, registry.Register(labelled(map[string]string{"action": "a"})), "a label that a metric has already")
	require.ErrorContains(t, registry.Register(New(Config{})), "the Config of the metrics has no Node")
	_, err := registry.Gather()
	require.NoError(t, err)

	problems, err := testutil.CollectAndLint(labelled(nil))
	require.NoError(t, err)
	require.Empty(t, problems)
}

// The package comment names every metric, and no other.
func TestDocumented(t *testing.T) {
	source, err := os.ReadFile("prometheus.go")
	require.NoError(t, err)
	comment, _, _ := bytes.Cut(source, []byte("\npackage"))
	var documented, told []web.Metric
	for _, line := range regexp.MustCompile(`(?m)^//\t(bully_\w+)(?:\{(\w+)\})? +(counter|gauge|histogram) +(.*)$`).FindAllSubmatch(comment, -1) {
		documented = append(documented, web.Metric{Name: string(line[1]), Kind: web.MetricKind(line[3]), Label: string(line[2]), Help: string(line[4])})
	}
	told = slices.Concat(web.Metrics(), web.GroupMetrics())
	require.Equal(t, told, documented)
}

// TestOneVocabulary asks one node by a registry and by the page of the command: both say the same, in the same words; and all of it is in
// the table.
func TestOneVocabulary(t *testing.T) {
	node := changing(t)
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(New(Config{Node: node, Stats: counted}))
	gathered, err := registry.Gather()
	require.NoError(t, err)
	library := map[string]*dto.MetricFamily{}
	for _, family := range gathered {
		library[family.GetName()] = family
	}
	command := ofCommand(t, node)

	for _, f := range web.ProcessMetrics() {
		delete(command, f.Name)
	}
	table := map[string]web.Metric{}
	for _, f := range web.Metrics() {
		table[f.Name] = f
		require.Contains(t, library, f.Name)
		require.Contains(t, command, f.Name)
	}
	for name, family := range library {
		require.Contains(t, table, name)
		require.Equal(t, string(table[name].Kind), strings.ToLower(family.GetType().String()))
		require.Equal(t, table[name].Help, family.GetHelp())
		for _, metric := range family.Metric {
			require.Equal(t, table[name].Label != "", len(metric.Label) == 1, name)
			for _, label := range metric.Label {
				require.Equal(t, table[name].Label, label.GetName())
			}
		}
		require.Equal(t, textOf(t, family), textOf(t, command[name]))
	}
	require.Len(t, command, len(library))
}

// A node of many groups tells what is of groups, and what it has in common with others; and nothing of one election.
func TestOfGroups(t *testing.T) {
	node, err := groups.Open(groups.Config{ID: one, Cluster: "test", Dir: t.TempDir(), Addresses: map[spec.NodeID]string{one: "127.0.0.1:0", spec.IntegerID(2): "127.0.0.1:1"}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, node.Close()) })
	require.NoError(t, node.Add(t.Context(), "orders-1", "orders-2"))
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(New(Config{Groups: node, Stats: counted}))
	gathered, err := registry.Gather()
	require.NoError(t, err)
	told := map[string]*dto.MetricFamily{}
	for _, family := range gathered {
		told[family.GetName()] = family
	}
	for _, f := range web.GroupMetrics() {
		require.Contains(t, told, f.Name)
	}
	require.Equal(t, 2.0, told["bully_groups"].Metric[0].Gauge.GetValue())
	require.Equal(t, 2.0, told["bully_groups_without_leader"].Metric[0].Gauge.GetValue(), "the other node does not run")
	require.Contains(t, told, "bully_link_up")
	require.Contains(t, told, "bully_pauses_total")
	require.Contains(t, told, "bully_transport_sent_total")
	require.NotContains(t, told, "bully_leading")
	require.NotContains(t, told, "bully_epoch")
}

// A node of groups whose members change tells of the cluster's own election as well.
func TestOfChangingGroups(t *testing.T) {
	dir, first := t.TempDir(), founding(t)
	require.NoError(t, storage.Init(dir, storage.Identity{ID: one, Cluster: "test", Incarnation: storage.NewIncarnation()}, first))
	node, err := groups.Open(groups.Config{ID: one, Cluster: "test", Dir: dir, Address: "127.0.0.1:0"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, node.Close()) })
	require.Eventually(t, func() bool { return node.Own.Status().Configuration != nil }, time.Minute, time.Millisecond, "before the start it is not told")
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(New(Config{Groups: node, Stats: counted}))
	gathered, err := registry.Gather()
	require.NoError(t, err)
	var told []string
	for _, family := range gathered {
		told = append(told, family.GetName())
	}
	require.Subset(t, told, []string{"bully_groups_lagging", "bully_role", "bully_configuration_settled", "bully_transport_sent_total"})
}

// founding returns the configuration that a cluster of one node begins with.
func founding(t *testing.T) spec.Configuration {
	t.Helper()
	first, err := spec.NewConfiguration(0, 1, []spec.Member{{ID: one, Kind: spec.Voter, Rank: 1, Address: "127.0.0.1:1"}})
	require.NoError(t, err)
	return first
}

// ofCommand returns what the page of the command says.
func ofCommand(t *testing.T, node fixed) map[string]*dto.MetricFamily {
	t.Helper()
	server, err := web.New(web.Config{Node: served{node}, Events: web.NewEvents(one, nil), Stats: counted})
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.NoError(t, <-ended)
	})
	response, err := http.Get("http://" + listener.Addr().String() + "/metrics")
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	require.NoError(t, err)
	return families
}

// served is a node that a page can be of.
type served struct{ fixed }

func (served) Check(context.Context) error                                { return nil }
func (served) Resign(context.Context) error                               { return nil }
func (served) HandOver(context.Context, spec.NodeID, time.Duration) error { return nil }

func textOf(t *testing.T, family *dto.MetricFamily) string {
	t.Helper()
	var text bytes.Buffer
	_, err := expfmt.MetricFamilyToText(&text, family)
	require.NoError(t, err)
	return text.String()
}

// A host that leads, with no others, tells what it has done.
func TestOfAHost(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		h := alone(t)
		c := New(Config{Node: h})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- h.Run(ctx) }()
		began := time.Now()
		time.Sleep(20 * time.Second)
		is := func(name string, value float64) {
			t.Helper()
			families := fmt.Sprintf("# HELP bully_%s %s\n# TYPE bully_%s %s\nbully_%s %v\n", name, helpOf(name), name, kindOf(name), name, value)
			require.NoError(t, testutil.CollectAndCompare(c, strings.NewReader(families), "bully_"+name))
		}
		is("leading", 1)
		is("has_leader", 1)
		is("epoch", 1)
		is("leadership_changes_total", 1)
		s := h.Status()
		require.Less(t, s.Since.Sub(began), 5*time.Second)
		require.EqualValues(t, 1, s.Counters.Actions["Start"])
		require.Greater(t, s.Counters.Actions["HeartbeatTimeout"], uint64(100))
		require.EqualValues(t, s.Counters.Saves, s.Counters.SavedWithin[50*time.Microsecond], "memory takes no time, where time is virtual")
		cancel()
		require.NoError(t, <-ended)
		is("leading", 0)
		is("leadership_changes_total", 2)
		require.EqualValues(t, 1, h.Status().Counters.Actions["Resign"])
	})
}

func family(name string) (found web.Metric) {
	for _, f := range web.Metrics() {
		if f.Name == "bully_"+name {
			found = f
		}
	}
	return found
}

func helpOf(name string) string         { return family(name).Help }
func kindOf(name string) web.MetricKind { return family(name).Kind }
