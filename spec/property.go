package spec

import "slices"

// Property names a promise of the protocol: an invariant or a temporal property that TLC, the Go model,
// the simulator and the trace validator check under this same name. The set is closed; Properties lists it.
type Property string

const (
	// OneLeaderPerEpoch promises that at most one node is ever leader in an epoch. It needs durable
	// promises, and nothing of time.
	OneLeaderPerEpoch Property = "OneLeaderPerEpoch"
	// EpochMonotonic promises that a node's epoch never goes back, over restarts too.
	EpochMonotonic Property = "EpochMonotonic"
	// NoStaleWrite promises that a fenced resource admits no epoch below the highest it has admitted.
	// It needs the check and the write to be one step.
	NoStaleWrite Property = "NoStaleWrite"
	// OneActing promises that no two nodes act as leader at the same moment. It needs clocks that are right to a known rate, and
	// nothing of the network.
	OneActing Property = "OneActing"
	// SomeLeader promises that once faults stop, every node that reaches a quorum-connected leader ends up
	// following one and the same. It needs fairness, and timers on time.
	SomeLeader Property = "SomeLeader"
	// HighestLeads promises that this leader ends up being the highest eligible node, which is the Bully
	// rule. It needs what SomeLeader needs, pre-emption, and that no node reaches only some of the eligible.
	HighestLeads Property = "HighestLeads"
	// NoDisruption promises that a leader that reaches a quorum is not deposed by a node that does not.
	NoDisruption Property = "NoDisruption"
	// ConfigurationMonotonic promises that a node's configuration never gets older, over restarts too.
	ConfigurationMonotonic Property = "ConfigurationMonotonic"
	// OneConfiguration promises that an epoch and a version name one list of members.
	OneConfiguration Property = "OneConfiguration"
)

var properties = []Property{OneLeaderPerEpoch, EpochMonotonic, NoStaleWrite, OneActing, SomeLeader, HighestLeads, NoDisruption,
	ConfigurationMonotonic, OneConfiguration}

// Properties returns every property.
func Properties() []Property { return slices.Clone(properties) }

// Valid reports whether p is one of Properties.
func (p Property) Valid() bool { return slices.Contains(properties, p) }
