package rules

import (
	"encoding/binary"
	"sync"
)

// A Question is the number of something that a node asks: it only rises, over restarts too. 0 is none.
type Question uint64

// Answers are the latest question that each node has answered: eight bytes of each, of node 1 first. It can be compared, and nobody
// changes it.
type Answers string

const answerSize = 8

// Of returns the latest question that node j has answered, or 0.
func (a Answers) Of(j ID) Question {
	if at := answerSize * (int(j) - 1); at < len(a) {
		return Question(binary.BigEndian.Uint64([]byte(a[at : at+answerSize])))
	}
	return 0
}

// With returns answers in which node j has answered question n last. Nodes at the end that have answered none are left out.
func (a Answers) With(j ID, n Question) Answers {
	end := answerSize * int(j)
	var all [answerSize * MaxIDs]byte
	b := all[:max(len(a), end)]
	copy(b, a)
	binary.BigEndian.PutUint64(b[end-answerSize:], uint64(n))
	for len(b) > 0 && binary.BigEndian.Uint64(b[len(b)-answerSize:]) == 0 {
		b = b[:len(b)-answerSize]
	}
	return remember(b)
}

// seen has the answers that were made first, so that an explorer, which makes few of them again and again, needs no memory for one.
var seen struct {
	sync.RWMutex
	all map[string]Answers
}

const mostSeen = 1 << 12

func remember(b []byte) Answers {
	seen.RLock()
	a, known := seen.all[string(b)]
	seen.RUnlock()
	if known {
		return a
	}
	a = Answers(b)
	seen.Lock()
	defer seen.Unlock()
	if seen.all == nil {
		seen.all = map[string]Answers{}
	}
	if len(seen.all) < mostSeen {
		seen.all[string(a)] = a
	}
	return a
}

// Len returns up to which node there are answers.
func (a Answers) Len() ID { return ID(len(a) / answerSize) }

// among returns the answers of the nodes of a set.
func (a Answers) among(js Set) Answers {
	for j := ID(1); j <= a.Len(); j++ {
		if !js.Has(j) && a.Of(j) != 0 {
			a = a.With(j, 0)
		}
	}
	return a
}
