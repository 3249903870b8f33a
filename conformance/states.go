package conformance

import (
	"iter"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// none is no node.
var none spec.NodeID

// legal reports whether a node can be in a state: what the last column of the table in section 6 says, and below it.
func legal(id spec.NodeID, s *spec.State) bool {
	if slices.Contains(s.Support, id) {
		return false
	}
	lower := s.Leader.Compare(id) < 0 // or none
	switch s.Role {
	case spec.Follower:
		return s.Leader != id && len(s.Support) == 0
	case spec.Candidate:
		return lower
	case spec.Claimant: // of an epoch that there is (R2)
		return lower && s.Epoch < spec.MaxEpoch
	case spec.Leader: // of an epoch that somebody leads (R2)
		return s.Leader == id && s.Grantee == id && s.Epoch > 0
	}
	return true
}

// statesOf yields each state of node id with one epoch. A state is good until the next.
func statesOf(id spec.NodeID, members []spec.NodeID, epoch spec.Epoch) iter.Seq[spec.State] {
	nodes := append([]spec.NodeID{none}, members...)
	return func(yield func(spec.State) bool) {
		for _, role := range spec.Roles() {
			for _, leader := range nodes {
				for _, grantee := range nodes {
					for bits := range 1 << len(members) {
						s := spec.State{Role: role, Leader: leader, Epoch: epoch, Grantee: grantee, Support: subset(members, bits)}
						if legal(id, &s) && !yield(s) {
							return
						}
					}
				}
			}
		}
	}
}

// subset returns the members whose bits are set.
func subset(members []spec.NodeID, bits int) (some []spec.NodeID) {
	for i, member := range members {
		if bits>>i&1 == 1 {
			some = append(some, member)
		}
	}
	return some
}

// inputsOf yields each input of node id, with messages from all others, of all these epochs; but no first start, which
// is an input of the blank state alone.
func inputsOf(id spec.NodeID, members []spec.NodeID, epochs []spec.Epoch) iter.Seq[spec.Input] {
	return func(yield func(spec.Input) bool) {
		for _, from := range members {
			if from != id && !receiptsOf(from, id, epochs, yield) {
				return
			}
		}
		for _, timer := range spec.Timers() {
			if !yield(spec.Input{Timer: timer}) {
				return
			}
		}
		_ = yield(spec.Input{Call: spec.ResignCall}) && yield(spec.Input{Call: spec.HolderDeadCall}) && yield(spec.Input{Call: spec.RestartCall})
	}
}

// receiptsOf yields each message from one node to another of these epochs, and reports whether there may be more.
func receiptsOf(from, to spec.NodeID, epochs []spec.Epoch, yield func(spec.Input) bool) bool {
	for _, kind := range spec.MessageTypes() {
		for _, e := range epochs {
			if !yield(spec.Input{Message: spec.Message{Type: kind, From: from, To: to, Epoch: e}}) {
				return false
			}
		}
	}
	return true
}

// about returns the epochs that are at most two apart from e.
func about(e spec.Epoch) (epochs []spec.Epoch) {
	for near := max(e, 2) - 2; near <= min(e+2, spec.MaxEpoch); near++ {
		epochs = append(epochs, near)
	}
	return epochs
}

// ownAndNext returns the epoch of a node, and the one that it could claim.
func ownAndNext(e spec.Epoch) []spec.Epoch { return []spec.Epoch{e, e + 1} }

// integers returns the ids 1 to n.
func integers(n int) []spec.NodeID {
	ids := make([]spec.NodeID, n)
	for i := range ids {
		ids[i] = spec.IntegerID(uint64(i + 1))
	}
	return ids
}

// uuid returns the id that text says, which is one.
func uuid(text string) spec.NodeID {
	id, err := spec.ParseNodeID(text)
	if err != nil {
		panic(err)
	}
	return id
}
