package web

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// TestMetricsText reads what Prometheus would: help and kind once, then the numbers, in order.
func TestMetricsText(t *testing.T) {
	var text strings.Builder
	all := ReadMetrics(host.Status{
		Role: spec.Leader, Leading: true, Leader: spec.IntegerID(2), Epoch: spec.MaxEpoch, Since: time.UnixMilli(1_700_000_000_250),
		Links: []host.LinkStatus{{Node: spec.IntegerID(1), Up: true, LastHeardMS: -1}, {Node: spec.IntegerID(3), LastHeardMS: 12}},
		Counters: host.Counters{Saves: 3, SaveTime: 60 * time.Second,
			SavedWithin: map[time.Duration]uint64{50 * time.Microsecond: 1, 100 * time.Microsecond: 1, 1600 * time.Millisecond: 2}},
	}, nil)
	require.NoError(t, writeMetrics(&text, all))
	for _, want := range []string{`
# HELP bully_epoch The highest epoch that this node has promised or learned.
# TYPE bully_epoch gauge
bully_epoch 9.007199254740991e+15
`, `
bully_leadership_since_timestamp_seconds 1.70000000025e+09
`, `
# HELP bully_link_up Whether the connection to a member is open.
# TYPE bully_link_up gauge
bully_link_up{node="1"} 1
bully_link_up{node="3"} 0
`, `
# TYPE bully_link_heard_seconds gauge
bully_link_heard_seconds{node="3"} 0.012
`, `
# TYPE bully_save_seconds histogram
bully_save_seconds_bucket{le="5e-05"} 1
bully_save_seconds_bucket{le="0.0001"} 1
bully_save_seconds_bucket{le="1.6"} 2
bully_save_seconds_bucket{le="+Inf"} 3
bully_save_seconds_sum 60
bully_save_seconds_count 3
`} {
		require.Contains(t, "\n"+text.String(), want)
	}
	require.NotContains(t, text.String(), "bully_members", "they are fixed")
}

// TestMetricsByKind: of each role and each kind of member a number is told, also of those that there are none of.
func TestMetricsByKind(t *testing.T) {
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	members, err := spec.NewConfiguration(1, 2, []spec.Member{{ID: one, Kind: spec.Voter}, {ID: two, Kind: spec.Voter}, {ID: spec.IntegerID(3), Kind: spec.Witness}})
	require.NoError(t, err)
	status := host.Status{ID: one, Role: spec.Follower, Epoch: 1, Configuration: &members, Links: []host.LinkStatus{{Node: two, LastHeardMS: 0, Phi: 2.5}}}
	var text strings.Builder
	require.NoError(t, writeMetrics(&text, ReadMetrics(status, func() transport.Stats { return transport.Stats{Sent: 7} })))
	for _, want := range []string{
		`bully_role{role="follower"} 1`, `bully_role{role="leader"} 0`,
		`bully_members{kind="voter"} 2`, `bully_members{kind="witness"} 1`, `bully_members{kind="observer"} 0`,
		`bully_link_heard_seconds{node="2"} 0`, "bully_transport_sent_total 7", " 2.5",
	} {
		require.Contains(t, text.String(), want+"\n")
	}
}

// TestMetricNames: each is there once, and says by its end what it is.
func TestMetricNames(t *testing.T) {
	seen := map[string]bool{}
	require.Greater(t, len(Metrics()), len(ReadMetrics(host.Status{}, nil)), "some are told only where something is known")
	require.NotEmpty(t, ProcessMetrics())
	for _, f := range slices.Concat(Metrics(), GroupMetrics(), ProcessMetrics()) {
		require.False(t, seen[f.Name], f.Name)
		seen[f.Name] = true
		require.Equal(t, f.Kind == Counter, strings.HasSuffix(f.Name, "_total"), f.Name)
		require.True(t, strings.HasPrefix(f.Name, metricPrefix) && strings.HasSuffix(f.Help, ".") && !strings.Contains(f.Help, "\n"), "%+v", f)
	}
}

// TestMetricsBeforeTheStart: nothing is said of what is not known.
func TestMetricsBeforeTheStart(t *testing.T) {
	var text strings.Builder
	require.NoError(t, writeMetrics(&text, append(ReadMetrics(host.Status{}, nil), process{}.read()...)))
	for _, absent := range []string{"bully_epoch ", "bully_leading ", "bully_has_leader ", "bully_certificate"} {
		require.NotContains(t, text.String(), absent)
	}
	require.Contains(t, text.String(), "bully_log_dropped_total 0\n")
	require.Error(t, writeMetrics(broken{}, nil))
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }
