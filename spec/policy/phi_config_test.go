package policy

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// lan is the configuration that the tests use where nothing else is said: the timers of the host's profile LAN.
var lan = PhiConfig{Heartbeat: 50 * ms, Floor: 265 * ms}

func TestDefaults(t *testing.T) {
	require.Equal(t, PhiConfig{
		Heartbeat: 50 * ms, Floor: 265 * ms, Cap: 1060 * ms, Threshold: 8, MinDeviation: 5 * ms, Window: 1000,
	}, lan.withDefaults())
	require.Equal(t, time.Hour, PhiConfig{Heartbeat: 1, Floor: 20 * time.Minute}.withDefaults().Cap)
	require.Equal(t, time.Microsecond, PhiConfig{Heartbeat: 1, Floor: 1, Cap: 1 * ms}.withDefaults().MinDeviation)
	require.Equal(t, time.Duration(4), PhiConfig{Heartbeat: 1, Floor: 1}.withDefaults().MinDeviation)
}

func TestConfig(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		change func(*PhiConfig)
		want   string // "" if it is well
	}{
		{func(*PhiConfig) {}, ""},
		{func(c *PhiConfig) { c.Heartbeat = 0 }, "PhiConfig.Heartbeat is 0s, but must be above 0: the interval at which arrivals are expected"},
		{func(c *PhiConfig) { c.Heartbeat = -1 }, "PhiConfig.Heartbeat is -1ns, but must be above 0: the interval at which arrivals are expected"},
		{func(c *PhiConfig) { c.Floor = 0 }, "PhiConfig.Floor is 0s, but must be at least Heartbeat, 50ms: or every heartbeat is late"},
		{func(c *PhiConfig) { c.Floor = c.Heartbeat - 1 }, "PhiConfig.Floor is 49.999999ms, but must be at least Heartbeat, 50ms: or every heartbeat is late"},
		{func(c *PhiConfig) { c.Floor = c.Heartbeat }, ""},
		{func(c *PhiConfig) { c.Floor = math.MinInt64 }, "PhiConfig.Floor is -2562047h47m16.854775808s, but must be at least Heartbeat, 50ms: or every heartbeat is late"},
		{func(c *PhiConfig) { c.Floor = maxCap }, ""},
		{func(c *PhiConfig) { c.Heartbeat, c.Floor = maxCap, maxCap }, ""},
		{func(c *PhiConfig) { c.Floor = maxCap + 1 }, "PhiConfig.Floor is 1h0m0.000000001s, but must be at most 1h0m0s"},
		{func(c *PhiConfig) { c.Cap = c.Floor }, ""},
		{func(c *PhiConfig) { c.Cap = c.Floor - 1 }, "PhiConfig.Cap is 264.999999ms, but must be from Floor, 265ms, to 1h0m0s"},
		{func(c *PhiConfig) { c.Cap = maxCap + 1 }, "PhiConfig.Cap is 1h0m0.000000001s, but must be from Floor, 265ms, to 1h0m0s"},
		{func(c *PhiConfig) { c.Threshold = -1 }, "PhiConfig.Threshold is -1, but must be above 0 and at most 100"},
		{func(c *PhiConfig) { c.Threshold = nan }, "PhiConfig.Threshold is NaN, but must be above 0 and at most 100"},
		{func(c *PhiConfig) { c.Threshold = math.Inf(1) }, "PhiConfig.Threshold is +Inf, but must be above 0 and at most 100"},
		{func(c *PhiConfig) { c.Threshold = 100.5 }, "PhiConfig.Threshold is 100.5, but must be above 0 and at most 100"},
		{func(c *PhiConfig) { c.Threshold = 100 }, ""},
		{func(c *PhiConfig) { c.MinDeviation = -1 }, "PhiConfig.MinDeviation is -1ns, but must be above 0 and at most Cap, 1.06s"},
		{func(c *PhiConfig) { c.MinDeviation = 2 * time.Second }, "PhiConfig.MinDeviation is 2s, but must be above 0 and at most Cap, 1.06s"},
		{func(c *PhiConfig) { c.Pause = -1 }, "PhiConfig.Pause is -1ns, but must be from 0 to Cap, 1.06s"},
		{func(c *PhiConfig) { c.Pause = 2 * time.Second }, "PhiConfig.Pause is 2s, but must be from 0 to Cap, 1.06s"},
		{func(c *PhiConfig) { c.Window = 1 }, "PhiConfig.Window is 1, but must be from 2 to 65536"},
		{func(c *PhiConfig) { c.Window = -1 }, "PhiConfig.Window is -1, but must be from 2 to 65536"},
		{func(c *PhiConfig) { c.Window = maxWindow + 1 }, "PhiConfig.Window is 65537, but must be from 2 to 65536"},
		{func(c *PhiConfig) { c.Window = maxWindow }, ""},
	}
	for _, test := range tests {
		config := lan
		test.change(&config)
		phi, err := NewPhi(config)
		if test.want == "" {
			require.NoError(t, err)
			require.NotNil(t, phi)
			continue
		}
		require.EqualError(t, err, "policy: "+test.want)
		require.Nil(t, phi)
		var wrong *Error
		require.True(t, errors.As(err, &wrong))
	}
}
