package cluster

import (
	"math/bits"
	"slices"

	"github.com/seed-fdf591db/bully/model/rules"
)

// Time is an order, and numbers are small. When the patience of a node ends on time, every question that anybody asked before it
// began has expired: nobody acts, or wins, on the strength of one. Of the numbers of questions only the order matters, and which are
// the same; so they are given anew in each state, as small as can be.

// patience notes what had been asked when node i promised or acknowledged something, or fell silent, in step.
func (p *stepper) patience(i rules.ID, step *rules.Step) {
	s := &p.next
	if step.State.Leader == rules.None || step.State.Role == rules.Leader {
		s.since[i] = [MaxNodes + 1]rules.Question{}
		return
	}
	for _, said := range step.Said() {
		if said.Type == rules.Grant || said.Type == rules.Ack {
			s.sinceNow(i)
		}
	}
}

// sinceNow says that the patience of node i begins now.
func (s *clusterState) sinceNow(i rules.ID) {
	for k := range s.since[i] {
		s.since[i][k] = s.node[k].Latest
	}
	s.since[i][i] = 0
}

// expired reports whether all that was asked before the patience of node i began has expired.
func (c *cluster) expired(s *clusterState, i rules.ID) bool {
	for ks := s.up.Without(i); ks != 0; ks &= ks - 1 {
		k := ks.Lowest()
		n := &s.node[k]
		if n.Role == rules.Leader && n.Dated <= s.since[i][k] || n.Role == rules.Claimant && n.Asked <= s.since[i][k] {
			return false
		}
	}
	return true
}

// affords spends what the questions of a step cost, and reports whether the budget has it.
func (p *stepper) affords(i rules.ID, step *rules.Step) bool {
	before := &p.now.node[i]
	if step.State.Latest == before.Latest {
		return true
	}
	f := ask
	if before.Role == rules.Leader && step.State.Role == rules.Leader {
		f = heartbeat
	}
	switch p.next.budget[f] {
	case unlimited:
	case 0:
		return false
	default:
		p.next.budget[f]--
	}
	return true
}

// rename gives the questions of s their least numbers, and takes away what can never count, unless numbers stay as they were asked;
// and has each message that is kept once.
func (c *cluster) rename(s *clusterState) {
	if !c.asAsked && !c.unworn {
		c.forget(s)
	}
	if !c.asAsked {
		c.renumber(s)
	}
	if c.kept {
		for l := range c.links {
			q := &s.net[l]
			slices.Sort(q.at[:q.n])
			s.underWay -= int(q.n)
			q.n = uint8(len(slices.Compact(q.at[:q.n])))
			s.underWay += int(q.n)
		}
	}
}

// renumber gives the questions of s their least numbers.
func (c *cluster) renumber(s *clusterState) {
	var used [MaxNodes + 1]uint64 // the numbers of each node that are in use, as bits
	c.numbers(s, func(of rules.ID, n rules.Question) rules.Question {
		used[of] |= 1 << n
		return n
	})
	c.numbers(s, func(of rules.ID, n rules.Question) rules.Question {
		if n == 0 {
			return 0
		}
		return rules.Question(bits.OnesCount64(used[of] & (2<<n - 2)))
	})
}

// numbers puts what each returns for each number in s in its place, given the node that has asked it.
func (c *cluster) numbers(s *clusterState, each func(of rules.ID, n rules.Question) rules.Question) {
	for i := rules.ID(1); i <= c.n; i++ {
		n := &s.node[i]
		n.Latest, n.Asked, n.Dated = each(i, n.Latest), each(i, n.Asked), each(i, n.Dated)
		if n.Leader != rules.None {
			n.Lease = each(n.Leader, n.Lease)
		}
		for k := rules.ID(1); k <= n.Answered.Len(); k++ {
			was := n.Answered.Of(k)
			if now := each(i, was); now != was {
				n.Answered = n.Answered.With(k, now)
			}
		}
		for k := rules.ID(1); k <= c.n; k++ {
			s.since[i][k] = each(k, s.since[i][k])
		}
	}
	for l, ends := range c.links {
		q := &s.net[l]
		for k := range q.at[:q.n] {
			p := &q.at[k]
			of := ends.from
			if answers>>p.kind()&1 == 1 {
				of = ends.to
			}
			*p = p.asked(each(of, p.question()))
			if g := p.granted(); g.By != rules.None {
				g.Question = each(g.By, g.Question)
				*p = p.grantedAs(g)
			}
		}
	}
}

// answers are the types of messages whose question is that of the receiver.
const answers = 1<<rules.OK | 1<<rules.Assent | 1<<rules.Grant | 1<<rules.Refuse | 1<<rules.Ack

// forget takes the numbers from answers that can never count any more; and the answers too, where messages are kept, if their
// epoch is no news.
func (c *cluster) forget(s *clusterState) {
	for l, ends := range c.links {
		q := &s.net[l]
		k := 0
		for _, p := range q.at[:q.n] {
			d := &s.node[ends.to]
			if answers>>p.kind()&1 == 1 && !c.rules.MayCount(*d, rules.Message{Type: p.kind(), From: ends.from, Epoch: p.epoch(), Question: p.question()}) {
				p = p.asked(0)
				if c.kept && p.epoch() <= d.Epoch && !c.unpackConf(p.conf()).Newer(d.Conf) {
					s.underWay--
					continue
				}
			}
			q.at[k] = p
			k++
		}
		q.n = uint8(k)
	}
}
