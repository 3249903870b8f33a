package blame

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// namesWrongly reports whether a wrong step is one about who is named (R51): what is sent names another, or for another time; who is named
// claims, or does not; or a CLAIM that names ends a lease, or does not.
func namesWrongly(c *conformance.Case, got *spec.Step) bool {
	m, before, want, is := &c.Input.Message, &c.Before, &c.Want.State, &got.State
	switch {
	case namedOtherwise(c.Want.Sent, got.Sent):
		return true
	case m.Names.IsNone():
		return false
	case m.Type == spec.Claim:
		return (want.Leader == before.Leader) != (is.Leader == before.Leader)
	}
	return m.Type == spec.Resign && before.Role != spec.Claimant && (want.Role == spec.Claimant) != (is.Role == spec.Claimant)
}

// namedOtherwise reports whether two lists of messages are the same but for whom they name, and for how long.
func namedOtherwise(want, got []spec.Message) bool {
	return !slices.Equal(want, got) && slices.EqualFunc(want, got, func(a, b spec.Message) bool {
		a.Names, a.Hold = b.Names, b.Hold
		return a == b
	})
}
