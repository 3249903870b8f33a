package check

import (
	"github.com/seed-fdf591db/bully/spec"
)

// Promise is what the specification promises.
type Promise struct {
	Name spec.Property
	Says string // a sentence
	// Proved is what is proved of it (tla/proof); "" if nothing is.
	Proved string
	When   When
	// Now is what is asked of each moment of a promise that need not hold at each; "" if nothing is.
	Now string
	// Own says that a node is held to what it was before, and to no other node.
	Own bool
	// Changing says that it is of members that change: where they are fixed it holds of itself.
	Changing bool

	check func() check // nil: what is seen of nodes does not tell
}

// When is when a promise holds.
type When int

const (
	Always     When = iota // whatever happens: once broken it stays so
	OnTime                 // while all timers are on time, and no proof of death is false (R37)
	Eventually             // once faults have stopped for long enough
)

// check is what is asked of a run. Which nodes there are, and what was seen of them last, the monitor knows.
type check interface {
	// breaks says how the promise is broken if node i is seen so now, and nil if it is not. It notes nothing.
	breaks(m *Monitor, i int, now *View) *Breach
	// note keeps what is asked of later views.
	note(m *Monitor, i int, now *View)
	// reset forgets all of a run.
	reset()
}

// memoryless is of a check that needs no more than what was seen of the nodes last.
type memoryless struct{}

func (memoryless) note(*Monitor, int, *View) {}
func (memoryless) reset()                    {}

// promises are in the order of [spec.Properties]. The first that is broken is the one that counts.
var promises = []*Promise{
	&oneLeaderPerEpoch, &epochMonotonic, &noStaleWrite, &oneActing, &someLeader, &highestLeads, &noDisruption,
	&configurationMonotonic, &oneConfiguration,
}

// PromiseSentence returns what a promise says, by its name; "" for what is none.
func PromiseSentence(name string) string {
	for _, p := range promises {
		if string(p.Name) == name {
			return p.Says
		}
	}
	return ""
}
