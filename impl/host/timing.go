package host

import (
	"errors"
	"time"

	"github.com/seed-fdf591db/bully/spec/policy"
)

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

// wrongTiming returns what is wrong with a timing as a *ConfigError, or nil.
func wrongTiming(t Timing) error {
	var wrong *policy.Error
	if errors.As(t.Validate(), &wrong) {
		return &ConfigError{Field: "Timing." + wrong.Field, Rule: wrong.Rule, Problem: wrong.Problem}
	}
	return nil
}
