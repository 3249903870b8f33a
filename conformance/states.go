package conformance

import (
	"iter"
	"slices"

	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// none is no node.
var none spec.NodeID

// legal reports whether a node can be in a state.
func legal(id spec.NodeID, s *spec.State) bool { return rules.CheckState(id, *s) == nil }

// The numbers in the states of statesOf: those that the node has asked, and that of the lease of another.
const (
	earlier = 2 // of a leader: answered by those who have granted its claim
	later   = 4 // of a leader: answered by those who support it
	asks    = 6 // the latest, which is asked if something is
	kept    = 3
)

// Numbered returns s with numbers, as they could have come to be: the latest is 6, and is asked if anything is; a lease of another is
// of 3; of a leader, who supports it has answered 4, and all others 2.
func Numbered(id spec.NodeID, members []spec.NodeID, s spec.State) spec.State {
	s.Latest = asks
	if s.Leader != none && s.Leader != id {
		s.Lease = kept
	}
	switch s.Role {
	case spec.Candidate, spec.Claimant:
		s.Asked = asks
	case spec.Electing:
		if len(s.Support) > 0 {
			s.Asked = asks
		}
	case spec.Leader:
		answeredLike(id, members, &s)
	}
	return s
}

// answeredLike numbers what has been answered to a leader.
func answeredLike(id spec.NodeID, members []spec.NodeID, s *spec.State) {
	electors := members
	if c := &s.Configuration; !c.IsNone() {
		members, electors = nil, nil
		for _, m := range c.Members() {
			members = append(members, m.ID)
			if m.Kind != spec.Observer {
				electors = append(electors, m.ID)
			}
		}
	}
	backers := 0
	for _, m := range electors {
		if m == id || slices.Contains(s.Support, m) {
			backers++
		}
	}
	s.Dated = earlier
	switch {
	case len(electors) == 1 && electors[0] == id:
		s.Dated = asks
	case 2*backers > len(electors):
		s.Dated = later
	}
	for _, m := range members {
		a := spec.Answered{Node: m, Question: earlier}
		if slices.Contains(s.Support, m) {
			a.Question = later
		}
		if m != id {
			s.Answered = append(s.Answered, a)
		}
	}
}

// statesOf yields each state of node id with one epoch, with numbers. A state is good until the next.
func statesOf(id spec.NodeID, members []spec.NodeID, epoch spec.Epoch) iter.Seq[spec.State] {
	nodes := append([]spec.NodeID{none}, members...)
	return func(yield func(spec.State) bool) {
		for _, role := range spec.Roles() {
			for _, leader := range nodes {
				for _, grantee := range nodes {
					for bits := range 1 << len(members) {
						s := Numbered(id, members, spec.State{Role: role, Leader: leader, Epoch: epoch, Grantee: grantee, Support: subset(members, bits)})
						if legal(id, &s) && !yield(s) {
							return
						}
						if s.Role == spec.Electing && bits == 0 { // it may have asked, and had no answer but a refusal
							if s.Asked = asks; !yield(s) {
								return
							}
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

// numbers are those of questions that a message of a type is put with.
type numbers func(kind spec.MessageType) []spec.Question

// inputsOf yields each input of node id, with messages from all others, of all these epochs and numbers; but no first start, which
// is an input of the blank state alone.
func inputsOf(id spec.NodeID, members []spec.NodeID, epochs []spec.Epoch, numbers numbers) iter.Seq[spec.Input] {
	return func(yield func(spec.Input) bool) {
		for _, from := range members {
			if from != id && !receiptsOf(from, id, members, epochs, numbers, yield) {
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

// receiptsOf yields each message from one node to another of these epochs and numbers, and reports whether there may be more.
func receiptsOf(from, to spec.NodeID, members []spec.NodeID, epochs []spec.Epoch, numbers numbers, yield func(spec.Input) bool) bool {
	for _, kind := range spec.MessageTypes() {
		for _, e := range epochs {
			for _, q := range numbers(kind) {
				m := spec.Message{Type: kind, From: from, To: to, Epoch: e, Question: q}
				for _, m := range besides(m, members) {
					if !yield(spec.Input{Message: m}) {
						return false
					}
				}
			}
		}
	}
	return true
}

// allThatDiffer are the numbers that make a difference: before, at and after those that count.
func allThatDiffer(kind spec.MessageType) []spec.Question {
	switch kind {
	case spec.Ack:
		return []spec.Question{1, kept, asks}
	case spec.OK, spec.Assent, spec.Grant, spec.Refuse:
		return []spec.Question{asks - 1, asks}
	}
	return []spec.Question{kept - 1, kept, kept + 1}
}

// thatCounts is the one number with which a message says most: an answer that of what is asked, and all else that of the lease.
func thatCounts(kind spec.MessageType) []spec.Question {
	switch kind {
	case spec.OK, spec.Assent, spec.Grant, spec.Refuse, spec.Ack:
		return []spec.Question{asks}
	}
	return []spec.Question{kept}
}

// besides returns a message with each thing that only messages of its type may say.
func besides(m spec.Message, members []spec.NodeID) []spec.Message {
	all := []spec.Message{m}
	for _, id := range members {
		more := m
		switch m.Type {
		case spec.Election:
			more.Keeps = id
		case spec.Resign:
			more.Granted = spec.Granted{By: id, Epoch: min(m.Epoch+1, spec.MaxEpoch), Question: kept + 2}
		default:
			return all
		}
		all = append(all, more)
	}
	return all
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
