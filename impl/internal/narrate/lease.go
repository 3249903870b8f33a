package narrate

import (
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// Asked is when a node has asked what it may come to be backed by. The zero Asked knows of nothing.
type Asked struct {
	latest spec.Question // that was seen, whatever for; 0 if none was
	all    []askedAt
}

// askedAt is when a node took the number of a question, in microseconds.
type askedAt struct {
	question spec.Question
	at       int64
}

// Note notes the state of a node after a step. A question was asked when the step began that took its number (R36); before a win
// that is the CLAIM, from which the reign is dated (R20). Where steps were not seen, nobody can tell when.
func (a *Asked) Note(s *spec.State, at int64) {
	asks := a.latest > 0 && s.Latest == a.latest+1
	a.latest = s.Latest
	switch {
	case s.Role != spec.Claimant && s.Role != spec.Leader:
		a.all = a.all[:0]
	case asks:
		a.all = append(a.all, askedAt{s.Latest, at})
	}
	for len(a.all) > 0 && a.all[0].question < s.Dated { // a reign never gets older
		a.all = a.all[1:]
	}
}

// Lease returns from when a leader may act: since it asked the question from which its reign is dated (R26). It is nil if the node does not
// lead, or if nobody has seen it ask.
func (a *Asked) Lease(s *spec.State) *recording.Lease {
	if s.Role != spec.Leader || len(a.all) == 0 || a.all[0].question != s.Dated {
		return nil
	}
	return &recording.Lease{Question: uint64(s.Dated), Asked: a.all[0].at}
}
