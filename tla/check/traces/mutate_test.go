package traces

import (
	"math/rand/v2"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// mutations change one thing about an event of a trace, or about where it stands. What comes out may be legal all the same.
var mutations = []func(*rand.Rand, []spec.NodeID, []spec.Event, int) []spec.Event{
	inState(func(r *rand.Rand, _ []spec.NodeID, s *spec.State) { s.Role = spec.Roles()[r.IntN(len(spec.Roles()))] }),
	inState(func(r *rand.Rand, ids []spec.NodeID, s *spec.State) { s.Leader = anyOrNone(r, ids) }),
	inState(func(r *rand.Rand, ids []spec.NodeID, s *spec.State) { s.Grantee = anyOrNone(r, ids) }),
	inState(func(r *rand.Rand, _ []spec.NodeID, s *spec.State) { s.Epoch += spec.Epoch(r.IntN(2)*2 - 1) }),
	inState(func(r *rand.Rand, _ []spec.NodeID, s *spec.State) { s.Lease += spec.Question(r.IntN(2)*2 - 1) }),
	inState(func(r *rand.Rand, _ []spec.NodeID, s *spec.State) { s.Asked += spec.Question(r.IntN(2)*2 - 1) }),
	inState(func(r *rand.Rand, _ []spec.NodeID, s *spec.State) { s.Latest += spec.Question(r.IntN(2)*2 - 1) }),
	inState(func(r *rand.Rand, _ []spec.NodeID, s *spec.State) { s.Dated += spec.Question(r.IntN(2)*2 - 1) }),
	inState(func(r *rand.Rand, _ []spec.NodeID, s *spec.State) {
		if len(s.Answered) > 0 {
			s.Answered[r.IntN(len(s.Answered))].Question += spec.Question(r.IntN(2)*2 - 1)
		}
	}),
	inState(func(r *rand.Rand, ids []spec.NodeID, s *spec.State) {
		id := ids[r.IntN(len(ids))]
		if i := slices.Index(s.Support, id); i >= 0 {
			s.Support = slices.Delete(s.Support, i, i+1)
			return
		}
		s.Support = append(s.Support, id)
		slices.SortFunc(s.Support, spec.NodeID.Compare)
	}),
	inSent(func(r *rand.Rand, ms []spec.Message) []spec.Message {
		i := r.IntN(len(ms))
		return slices.Delete(ms, i, i+1)
	}),
	inSent(func(r *rand.Rand, ms []spec.Message) []spec.Message { return append(ms, ms[r.IntN(len(ms))]) }),
	inSent(func(_ *rand.Rand, ms []spec.Message) []spec.Message { slices.Reverse(ms); return ms }),
	inSent(func(r *rand.Rand, ms []spec.Message) []spec.Message { ms[r.IntN(len(ms))].Epoch++; return ms }),
	inSent(func(r *rand.Rand, ms []spec.Message) []spec.Message { ms[r.IntN(len(ms))].Question++; return ms }),
	inSent(func(r *rand.Rand, ms []spec.Message) []spec.Message {
		ms[r.IntN(len(ms))].Type = spec.MessageTypes()[r.IntN(len(spec.MessageTypes()))]
		return ms
	}),
	func(_ *rand.Rand, _ []spec.NodeID, es []spec.Event, i int) []spec.Event {
		return slices.Delete(es, i, i+1)
	},
	func(_ *rand.Rand, _ []spec.NodeID, es []spec.Event, i int) []spec.Event {
		return slices.Insert(es, i, es[i].Clone())
	},
	func(r *rand.Rand, _ []spec.NodeID, es []spec.Event, i int) []spec.Event {
		j := r.IntN(len(es))
		es[i], es[j] = es[j], es[i]
		return es
	},
	func(_ *rand.Rand, _ []spec.NodeID, es []spec.Event, i int) []spec.Event {
		es[i].Input.Message.Epoch++
		return es
	},
	func(_ *rand.Rand, _ []spec.NodeID, es []spec.Event, i int) []spec.Event {
		es[i].Input.Message.Question++
		return es
	},
	func(r *rand.Rand, ids []spec.NodeID, es []spec.Event, i int) []spec.Event {
		es[i].Node = ids[r.IntN(len(ids))]
		return es
	},
	func(_ *rand.Rand, _ []spec.NodeID, es []spec.Event, i int) []spec.Event {
		if i > 0 && es[i].Input.Message != (spec.Message{}) {
			lose := spec.Event{Action: spec.LoseAction, Input: spec.Input{Message: es[i].Input.Message}}
			return slices.Insert(es, i, lose)
		}
		return es
	},
	func(_ *rand.Rand, _ []spec.NodeID, es []spec.Event, i int) []spec.Event {
		if len(es[i].Input.Cut) > 0 {
			es[i].Input.Cut = es[i].Input.Cut[1:]
		}
		return es
	},
}

func anyOrNone(r *rand.Rand, ids []spec.NodeID) spec.NodeID {
	if i := r.IntN(len(ids) + 1); i < len(ids) {
		return ids[i]
	}
	return spec.NodeID{}
}

// inState changes the state of an event.
func inState(change func(*rand.Rand, []spec.NodeID, *spec.State)) func(*rand.Rand, []spec.NodeID, []spec.Event, int) []spec.Event {
	return func(r *rand.Rand, ids []spec.NodeID, es []spec.Event, i int) []spec.Event {
		change(r, ids, &es[i].State)
		return es
	}
}

// inSent changes what is sent in an event, or in the next that sends.
func inSent(change func(*rand.Rand, []spec.Message) []spec.Message) func(*rand.Rand, []spec.NodeID, []spec.Event, int) []spec.Event {
	return func(r *rand.Rand, _ []spec.NodeID, es []spec.Event, i int) []spec.Event {
		for ; i < len(es); i++ {
			if len(es[i].Sent) > 0 {
				es[i].Sent = change(r, es[i].Sent)
				break
			}
		}
		return es
	}
}

// cloned returns events that can be changed.
func cloned(events []spec.Event) []spec.Event {
	out := make([]spec.Event, len(events))
	for i, e := range events {
		out[i] = e.Clone()
	}
	return out
}
