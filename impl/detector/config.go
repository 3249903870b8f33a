package detector

import (
	"fmt"
	"math"
	"time"
)

// What a PhiConfig means by the zero value of a field.
const (
	// defaultThreshold is a suspicion once in 10⁸ intervals, if they are as regular as the window says.
	defaultThreshold = 8
	// defaultWindow is how many intervals are remembered.
	defaultWindow = 1000
)

// Limits of a PhiConfig. Within them every sum over the window is exact.
const (
	// maxThreshold is far above what any clock can tell apart.
	maxThreshold = 100
	// maxWindow bounds the memory of a detector, at 8 bytes an interval.
	maxWindow = 1 << 16
	// maxCap is the greatest patience.
	maxCap = time.Hour
)

// PhiConfig says how a Phi judges. Heartbeat and Floor are needed; zero means the default for all else.
type PhiConfig struct {
	// Heartbeat is the heartbeat interval, at which arrivals are expected before any is measured: Timing.Heartbeat of the host.
	Heartbeat time.Duration
	// Floor is the least patience: Timing.Patience of the host. At least Heartbeat. (R37 d)
	Floor time.Duration
	// Cap is the greatest patience, and so the longest time to detect a death. At least Floor, at most an hour; by
	// default four times Floor, which leaves room for two mistakes.
	Cap time.Duration
	// Threshold is the phi at which patience ends: 8 means one false suspicion in 10⁸ intervals. Above 0, at most
	// 100; by default 8.
	Threshold float64
	// MinDeviation is the least standard deviation of the intervals, however regular they were. Above 0, at most Cap;
	// by default a tenth of Heartbeat, and at least a microsecond if that is below Cap.
	MinDeviation time.Duration
	// Pause is for how long after the mean interval nothing is thought of a silence: a pause of the other node that
	// is acceptable. From 0, the default, to Cap. Floor usually leaves enough room already.
	Pause time.Duration
	// Window is how many intervals are remembered. From 2 to 65,536; by default 1,000.
	Window int
}

// ConfigError says which field of a configuration is wrong, and how.
type ConfigError struct {
	Field   string // such as PhiConfig.Floor
	Problem string // such as: is 10ms, but must be at least Heartbeat, 50ms
}

func (e *ConfigError) Error() string {
	return "detector: " + e.Field + " " + e.Problem
}

// withDefaults returns the configuration with no field zero that may not be.
func (c PhiConfig) withDefaults() PhiConfig {
	if c.Cap == 0 {
		c.Cap = 4 * min(c.Floor, maxCap/4)
	}
	if c.Threshold == 0 {
		c.Threshold = defaultThreshold
	}
	if c.MinDeviation == 0 {
		c.MinDeviation = min(max(c.Heartbeat/10, time.Microsecond), c.Cap)
	}
	if c.Window == 0 {
		c.Window = defaultWindow
	}
	return c
}

// Validate returns nil if the configuration, with its defaults filled in, can be used, and else a *ConfigError.
func (c PhiConfig) Validate() error {
	c = c.withDefaults()
	bad := func(field, format string, a ...any) error {
		return &ConfigError{Field: "PhiConfig." + field, Problem: fmt.Sprintf(format, a...)}
	}
	switch {
	case c.Heartbeat <= 0:
		return bad("Heartbeat", "is %v, but must be above 0: the interval at which arrivals are expected", c.Heartbeat)
	case c.Floor < c.Heartbeat:
		return bad("Floor", "is %v, but must be at least Heartbeat, %v: or every heartbeat is late", c.Floor, c.Heartbeat)
	case c.Floor > maxCap:
		return bad("Floor", "is %v, but must be at most %v", c.Floor, maxCap)
	case c.Cap < c.Floor || c.Cap > maxCap:
		return bad("Cap", "is %v, but must be from Floor, %v, to %v", c.Cap, c.Floor, maxCap)
	case math.IsNaN(c.Threshold) || c.Threshold <= 0 || c.Threshold > maxThreshold:
		return bad("Threshold", "is %v, but must be above 0 and at most %d", c.Threshold, maxThreshold)
	case c.MinDeviation < 0 || c.MinDeviation > c.Cap:
		return bad("MinDeviation", "is %v, but must be above 0 and at most Cap, %v", c.MinDeviation, c.Cap)
	case c.Pause < 0 || c.Pause > c.Cap:
		return bad("Pause", "is %v, but must be from 0 to Cap, %v", c.Pause, c.Cap)
	case c.Window < 2 || c.Window > maxWindow:
		return bad("Window", "is %d, but must be from 2 to %d", c.Window, maxWindow)
	}
	return nil
}
