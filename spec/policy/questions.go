package policy

import "github.com/seed-fdf591db/bully/spec"

// asked remembers when a claimant or a leader has asked what it may come to be backed by: its CLAIM, each HEARTBEAT and each change
// of members. A reign lasts from there (R26), so what is not known exactly is taken for earlier than it was.
type asked struct {
	moments [maxAsked]moment // ascending
	count   int
}

// moment is when a node had used its numbers up to a question: that one was asked no earlier.
type moment struct {
	question spec.Question
	at       Instant
}

// maxAsked is how many questions are remembered. A leader waits for the answers to few: those of one Reign. Where there are more,
// as Heartbeat is far below Reign, only some of them are kept.
const maxAsked = 16

// note remembers that a step which began then used numbers up to a question.
func (a *asked) note(q spec.Question, at Instant) {
	if a.count > 0 && q <= a.moments[a.count-1].question {
		return
	}
	if a.count == maxAsked {
		a.count /= 2
		for i := range a.count {
			a.moments[i] = a.moments[2*i]
		}
	}
	a.moments[a.count] = moment{q, at}
	a.count++
}

// forget forgets what was asked before a question that a quorum has answered: a reign never gets older.
func (a *asked) forget(q spec.Question) {
	first := 0
	for first+1 < a.count && a.moments[first+1].question <= q {
		first++
	}
	copy(a.moments[:], a.moments[first:a.count])
	a.count -= first
}

// at returns when a question was asked, at the latest: when the last one up to it was of which that is known. If none is, it
// returns the other instant.
func (a *asked) at(q spec.Question, unknown Instant) Instant {
	at := unknown
	for _, m := range a.moments[:a.count] {
		if m.question > q {
			break
		}
		at = m.at
	}
	return at
}
