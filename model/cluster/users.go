package cluster

import (
	"maps"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// The users of leaders: the mirror of tla/Users.tla and tla/MCUsers.tla. A user acts until it has stopped, though its node may be down by
// then; what would end the reign of its node waits for that (R39.4).

// users is what tla/Users.tla says of users, and what a configuration may replace.
type users struct {
	mustWait   func(leads bool, m *rules.Message, after *rules.State) bool // whether a node that leads, or led, has m wait, after which it would be in that state
	mayLeave   bool                                                        // whether a node resigns while its user acts
	mayRestart bool                                                        // … and restarts
	lapsed     func(c *cluster, s *clusterState, i rules.ID) bool          // whether whoever acts on has stopped before the patience of i ends
}

// userActions are the actions that are users' own.
const (
	userBegins spec.Action = "UserBegins"
	userStops  spec.Action = "UserStops"
	drop       spec.Action = "Drop"
)

// asTheyAre returns the users as they are.
func asTheyAre() *users {
	return &users{
		mustWait: func(leads bool, _ *rules.Message, after *rules.State) bool {
			return !leads || after.Role != rules.Leader
		},
		lapsed: func(*cluster, *clusterState, rules.ID) bool { return true },
	}
}

// lapsed reports whether whoever acts on though its node leads no more has stopped before the patience of i ends.
func (c *cluster) lapsed(s *clusterState, i rules.ID) bool {
	return c.users == nil || c.users.lapsed(c, s, i)
}

// stopped reports whether nobody acts by a question that was asked before the patience of i began, nor for i itself.
func stopped(c *cluster, s *clusterState, i rules.ID) bool {
	return c.every(func(k rules.ID) bool { return !s.acts[k].Has(i) })
}

// userReplacements are the replacements that tla/MCUsers.tla adds: those of each configuration, the liberty, and the mutants.
var userReplacements = map[string]map[string]func(*cluster){
	"Spec":     {"WithUsers": func(*cluster) {}},
	"FairSpec": {"FairWithUsers": func(*cluster) {}},
	"Arriving": {"PastWaiting": func(*cluster) {}},
	"Final":    {"NeverFinal": func(*cluster) {}}, // liveness alone asks for it
	"Lapsed": {
		"Stopped": func(c *cluster) { c.users.lapsed = stopped },
		"TooLong": func(*cluster) {},
	},
	"MayProve": {"ProofsOfAll": func(c *cluster) {
		proves(func(_ *cluster, s *clusterState, _, l rules.ID) bool { return s.silent(l) })(&c.timing)
		proofs := c.timing.mayProve
		c.timing.mayProve = func(c *cluster, s *clusterState, i, l rules.ID) bool { return proofs(c, s, i, l) && s.acts[l] == 0 }
	}},
	"MustWait": {
		"NothingWaits": func(c *cluster) { c.users.mustWait = func(bool, *rules.Message, *rules.State) bool { return false } },
		"ClaimsWait": func(c *cluster) {
			c.users.mustWait = func(leads bool, m *rules.Message, after *rules.State) bool {
				return leads && m.Type == rules.Claim && after.Role != rules.Leader
			}
		},
		"HearsOn": func(c *cluster) {
			c.users.mustWait = func(leads bool, _ *rules.Message, after *rules.State) bool {
				return leads && after.Role != rules.Leader
			}
		},
	},
	"MayLeave":   {"ResignsAtOnce": func(c *cluster) { c.users.mayLeave = true }},
	"MayRestart": {"RestartsAtOnce": func(c *cluster) { c.users.mayRestart = true }},
}

// withUsers is module with the properties of users.
var withUsers = func() explore.Module[cluster, clusterState] {
	m := module
	m.Name, m.Invariants = "MCUsers", maps.Clone(module.Invariants)
	maps.Copy(m.Invariants, userInvariants)
	return m
}()

var userInvariants = map[string]func(c *cluster, s *clusterState) bool{
	"UsersTypeOK": func(c *cluster, s *clusterState) bool {
		return c.every(func(i rules.ID) bool { return s.acts[i] == 0 || s.acts[i].Has(i) && s.acts[i]&^rules.UpTo(c.n) == 0 })
	},
	"OneUserActs":     func(c *cluster, s *clusterState) bool { return s.usersActing().Len() <= 1 },
	"LedInTheEnd":     func(c *cluster, s *clusterState) bool { return !s.allActLeading() || ledWhenStill(c, s) },
	"HighestInTheEnd": func(c *cluster, s *clusterState) bool { return !s.allActLeading() || highestWhenStill(c, s) },
	"NeverActsAfter": func(_ *cluster, s *clusterState) bool {
		for _, leaders := range s.reigns {
			for is := s.usersActing(); is != 0; is &= is - 1 {
				if rules.Set(leaders)&s.up&^rules.SetOf(is.Lowest()) != 0 {
					return false
				}
			}
		}
		return true
	},
	"NeverOutlives": func(_ *cluster, s *clusterState) bool { return s.usersActing()&^s.up == 0 },
	"NeverWaits": func(c *cluster, s *clusterState) bool {
		return c.every(func(i rules.ID) bool { return c.waiting(s, i) == 0 })
	},
}

// usersActing returns the nodes whose users act.
func (s *clusterState) usersActing() (acting rules.Set) {
	for i, with := range s.acts {
		if with != 0 {
			acting = acting.With(rules.ID(i))
		}
	}
	return acting
}

// allActLeading reports whether nobody acts whose node does not lead.
func (s *clusterState) allActLeading() bool {
	for is := s.usersActing(); is != 0; is &= is - 1 {
		if !s.led(is.Lowest()) {
			return false
		}
	}
	return true
}

// led reports whether node i runs, and leads.
func (s *clusterState) led(i rules.ID) bool { return s.up.Has(i) && s.node[i].Role == rules.Leader }

// waits reports whether the message at place k on link l waits until the user of the node that it is to has stopped.
func (c *cluster) waits(s *clusterState, l int, k uint8) bool {
	to := c.links[l].to
	if c.users == nil || s.acts[to] == 0 || !s.up.Has(to) {
		return false
	}
	m := c.message(s, l, k)
	step := c.rules.Hear(to, s.node[to], m)
	return c.users.mustWait(s.led(to), &m, &step.State)
}

// waiting returns how many messages wait at node i.
func (c *cluster) waiting(s *clusterState, i rules.ID) (n int) {
	for l, ends := range c.links {
		for k := range s.net[l].n {
			if ends.to == i && c.waits(s, l, k) {
				n++
			}
		}
	}
	return n
}

// arriving returns the place of the message that arrives next on link l: the first that does not wait; or its length, if there is none.
func (c *cluster) arriving(s *clusterState, l int) (k uint8) {
	for k < s.net[l].n && c.waits(s, l, k) {
		k++
	}
	return k
}

// allowed reports whether no node resigns, or restarts, in the step from now to next, while its user acts.
func (p *stepper) allowed() bool {
	resigns := p.now.budget[resign] != p.next.budget[resign]
	for is := p.now.usersActing() & p.next.up; is != 0; is &= is - 1 {
		i := is.Lowest()
		switch {
		case !p.now.up.Has(i) && !p.users.mayRestart, resigns && p.now.led(i) && !p.next.led(i) && !p.users.mayLeave:
			return false
		}
	}
	return true
}

// actOn says what becomes of users in a step that is none of theirs: while its node leads, a user acts by the question from which the reign is dated; then by the
// last that there was.
func (p *stepper) actOn() {
	s := &p.next
	for is := p.now.usersActing(); is != 0; is &= is - 1 {
		i := is.Lowest()
		if s.led(i) {
			s.acts[i] = s.outlast(p.n, i)
			continue
		}
		with := rules.SetOf(i)
		for j := rules.ID(1); j <= p.n; j++ {
			if began := s.since[j][i]; began != 0 && (began == s.node[i].Latest || p.now.acts[i].Has(j)) {
				with = with.With(j)
			}
		}
		s.acts[i] = with
	}
}

// outlast returns leader i, and the nodes whose patience has begun after the question was asked from which its reign is dated.
func (s *clusterState) outlast(n, i rules.ID) rules.Set {
	with := rules.SetOf(i)
	for j := rules.ID(1); j <= n; j++ {
		if s.since[j][i] >= s.node[i].Dated {
			with = with.With(j)
		}
	}
	return with
}

// usersAct takes the actions that are users' own.
func (p *stepper) usersAct() {
	p.onNodes((*stepper).userBegins)
	p.onNodes((*stepper).userStops)
	for l := range p.links {
		p.drop(l)
	}
}

func (p *stepper) userBegins(i rules.ID) {
	if p.now.led(i) && p.now.acts[i] == 0 {
		p.begin()
		p.next.acts[i] = p.now.outlast(p.n, i)
		p.emitNext(userBegins, i)
	}
}

func (p *stepper) userStops(i rules.ID) {
	if p.now.acts[i] != 0 {
		p.begin()
		p.next.acts[i] = 0
		p.emitNext(userStops, i)
	}
}

// Of several messages that wait at one node that leads one is kept.
func (p *stepper) drop(l int) {
	ends := p.links[l]
	if p.kept || p.now.led(ends.to) && p.waiting(&p.now, ends.to) <= 1 {
		return
	}
	for k := range p.now.net[l].n {
		if p.waits(&p.now, l, k) {
			p.begin()
			p.next.pop(l, k)
			p.end(drop, ends.from, ends.to)
		}
	}
}
