package interactive

import (
	"strings"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
)

// family is what algorithms have in common: who leads next, and why.
type family struct {
	prefix string // of their names
	ranked bool   // the highest leads
	quorum bool   // nobody leads whom no more than half of all nodes have promised it
	reigns string // what a reign is counted by; "" if by nothing
	says   string // who leads next, and why: two sentences
	missed string // how it comes out that a leader is gone, after how long
	next   string // what comes then, if the highest does not lead
}

var families = []family{
	{prefix: members, ranked: true, quorum: true, reigns: "epoch",
		says: "The highest voter that reaches more than half of those who vote leads. It can be asked to add a node, to remove one, or to make one a voter, a witness or an observer."},
	{prefix: "bully", ranked: true, quorum: true, reigns: "epoch",
		says: "The highest node that reaches more than half of all leads. It leads an epoch, which more than half have promised to it alone, on disk."},
	{prefix: "textbook", ranked: true,
		says: "The highest node leads that nobody higher answers in time. Nobody counts how many it reaches, so each side of a cut has a leader."},
	{prefix: "ring", ranked: true,
		says: "A message goes round the ring, and the highest that it has met leads. Who does not answer is skipped, so each side of a cut has a leader."},
	{prefix: "raft", quorum: true, reigns: "term",
		says: "Whose patience ends first asks for votes, and with those of more than half of all nodes it leads a term. Numbers of nodes count for nothing.",
		next: "Each of them waits for a random time, and whose time is over first asks for votes: with those of more than half of all it leads the next term"},
	{prefix: "lease", reigns: "revision",
		says:   "Who creates a key in a store leads, until it does not renew it in time. Numbers of nodes count for nothing, and without the store nobody leads.",
		missed: "the store waits until its lease has run out, about %s",
		next:   "Who asks first then has it"},
}

func familyOf(a *compare.Algorithm) *family {
	for k := range families {
		if strings.HasPrefix(a.Name, families[k].prefix) {
			return &families[k]
		}
	}
	return &family{}
}

// random is for a node that is made only to be looked at.
func random() *simnet.Random {
	r := simnet.NewRandom(0, 0)
	return &r
}
