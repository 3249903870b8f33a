package resourcelock

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

func TestConfig(t *testing.T) {
	me := id(1)
	node, err := host.New(host.Config{ID: me, Members: []spec.NodeID{me}, Storage: storage.NewMemory(), Transport: transport.NewNetwork(nil).Join(me)})
	require.NoError(t, err)
	defer node.Close()
	second := time.Second
	for want, c := range map[string]Config{
		"": {LeaseDuration: 15 * second, RenewDeadline: 10 * second, RetryPeriod: 2 * second}, // client-go's own
		"LeaseDuration is 999ms, but must be at least 1s":                            {LeaseDuration: 999 * ms, RenewDeadline: 500 * ms, RetryPeriod: 100 * ms},
		"RetryPeriod is 0s, but must be positive: give all three durations, or none": {LeaseDuration: second, RenewDeadline: 500 * ms},
		"RenewDeadline is 120ms, but must be more than 1.2 times RetryPeriod":        {LeaseDuration: second, RenewDeadline: 120 * ms, RetryPeriod: 100 * ms},
		"RetryPeriod + RenewDeadline is 901ms, but must be at most 900ms":            {LeaseDuration: second, RenewDeadline: 801 * ms, RetryPeriod: 100 * ms},
	} {
		_, err := New(node, c)
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "resourcelock: "+want)
	}
	_, err = New(nil, Config{})
	require.ErrorContains(t, err, "the node is missing")

	var log strings.Builder
	lock, err := New(node, Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	require.Equal(t, []time.Duration{second, 600 * ms, 100 * ms}, []time.Duration{lock.Config().LeaseDuration, lock.Config().RenewDeadline, lock.Config().RetryPeriod})
	require.Equal(t, "1", lock.Identity())
	require.Equal(t, "bully/1", lock.Describe())
	lock.RecordEvent("became leader")
	require.Contains(t, log.String(), `node=1 event="became leader"`)
}
