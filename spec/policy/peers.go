package policy

import (
	"math/bits"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// Set is a set of nodes, by their places: bit i stands for place i.
type Set uint64

// One returns the set of one node, and the empty one for None and NonMember.
func One(place int) Set {
	if place < 0 {
		return 0
	}
	return 1 << place
}

// Has reports whether the node at place i is in the set.
func (s Set) Has(i int) bool { return s>>i&1 == 1 }

// Size returns how many there are.
func (s Set) Size() int { return bits.OnesCount64(uint64(s)) }

const (
	// None is the place of no node.
	None = -1
	// NonMember is the place of a node that is no member.
	NonMember = -2
)

// Peers is what a node knows of the members, and of its links to them. Places are those of an order that its host keeps,
// from 0 to 63, the node's own among them whether it is a member or not.
type Peers struct {
	Me       int
	Others   Set  // the other members
	Electors Set  // who votes: voters and witnesses, this node too if it is one (R42)
	Higher   Set  // who is to lead rather than this node: higher voters, and all voters if it may not lead (R46)
	Stands   bool // this node may lead (R46)

	Up   Set // to whom there is a connection
	Dead Set // who is proved dead: its program has ended, and nothing has come from it since
}

// NewPeers returns who is who for the node at a place: who are members, which of these vote, and which of these may lead.
// Where members never change all are all of it. Higher reports whether the member at a place is higher than that at another (R1); if it is
// nil a later place is.
func NewPeers(me int, members, electors, voters Set, higher func(i, j int) bool) Peers {
	p := Peers{Me: me, Others: members &^ One(me), Electors: electors, Higher: voters, Stands: voters.Has(me)}
	switch {
	case !p.Stands:
	case higher == nil:
		p.Higher &^= 2<<me - 1
	default:
		for all := voters; all != 0; all &= all - 1 {
			if i := bits.TrailingZeros64(uint64(all)); !higher(i, me) {
				p.Higher &^= One(i)
			}
		}
	}
	return p
}

// Asked returns who is asked in an election: the other electors.
func (p *Peers) Asked() Set { return p.Electors & p.Others }

// ElectionOver reports whether a candidate need not wait for T_elec: everybody has answered who can, which is what T_elec
// waits for; or nobody can say OK, and it may claim (R37, Besides 2). Backed says whether the support of the node, and
// itself, are a quorum. It is for the host to end [ElectionTimer] then.
func (p *Policy) ElectionOver(backed bool) bool {
	if p.role != spec.Candidate {
		return false
	}
	if p.peers.Asked()&^p.answered&^p.peers.Dead == 0 {
		return true
	}
	return backed && p.peers.Higher&^p.peers.Dead == 0
}

// Heard notes that something has come from the node at place i: it is not dead.
func (p *Policy) Heard(i int) { p.peers.Dead &^= One(i) }

// Broken notes that the connection to the node at place i is there no more. That proves nothing.
func (p *Policy) Broken(i int) { p.peers.Up &^= One(i) }

// Proved notes that the node at place i is proved dead. If the node keeps its lease, the host tells it so then (R41); and in any
// case it calls Died.
func (p *Policy) Proved(i int) {
	p.peers.Up &^= One(i)
	p.peers.Dead |= One(i)
}

// Died shortens what waits for a node that is proved dead, and whose lease, if it was kept, has been released. The others need no
// time to hear of it, as whoever has not yet answers it a little later: see Defers. An electing node waits on: coordinator never ends early (R37, Besides 2).
func (p *Policy) Died(now Instant) {
	if p.role == spec.Follower && p.leader == None && !p.fresh && p.peers.Stands {
		p.Due.Sooner(PatienceTimer, max(p.rest, now).Add(p.stagger()))
	}
}

// Connected notes that there is a connection to the node at place i, and shortens what waits for connections: at a first
// start, until all are there; after attempts that failed, until there is one more. Then a leader is waited for first, who
// will be heard within a heartbeat interval or so: where a link comes and goes, the highest node follows before it
// pre-empts, and the stability window is kept (B17). That wait doubles after each further attempt (R36.6): else a link that
// comes and goes would have the node ask at each coming.
func (p *Policy) Connected(i int, now Instant) {
	p.peers.Up |= One(i)
	p.peers.Dead &^= One(i)
	if p.role != spec.Follower || !p.peers.Stands {
		return
	}
	switch {
	case p.leader != None:
		if p.preempts > 0 { // what made pre-emption fail may have gone
			p.preempts = 0
			p.Due.Sooner(PreemptTimer, p.preemption(now))
		}
		return
	case p.fresh && p.peers.Asked()&^p.peers.Up == 0:
		p.rest = min(p.rest, now.Add(p.timing.heard()))
	case !p.fresh && p.attempts > 0:
		p.rest = min(p.rest, now.Add(p.timing.reconnection(p.attempts)+p.jitter(p.timing.Heartbeat)))
	default:
		return
	}
	p.Due.Sooner(PatienceTimer, p.rest.Add(p.stagger()))
}

// Slept tells of time that only the clock on the wall has counted, and that is in all instants from now on. Either the machine was
// suspended; or somebody has set that clock forward, and a lease that others rely on has not grown older by it. So what waits for others
// waits for as much longer, which is safe (R37, Besides 3); what ends a reign or a claim does not.
func (p *Policy) Slept(long time.Duration) {
	for _, t := range Patient() {
		if p.Due[t] != Never {
			p.Due[t] = p.Due[t].Add(long)
		}
	}
	if p.rest != Never {
		p.rest = p.rest.Add(long)
	}
	p.slept += long
}

// HeldUp returns how long the host was held up, if that is longer than Delay, and else 0: stopped, suspended, starved, or
// waiting for its disk. Then what waits for others is put off, as what they have sent may not have been read yet; to be late
// is safe (R37, Besides 3).
func (p *Policy) HeldUp(now Instant) time.Duration {
	long := p.slept
	p.slept = 0
	if first := p.Due.First(); first != Never {
		long = max(long, now.After(first))
	}
	if long <= p.timing.Delay {
		return 0
	}
	p.Due.later(PatienceTimer, now.Add(2*p.timing.Heartbeat))
	p.Due.later(CoordinatorTimer, now.Add(2*p.timing.Heartbeat))
	p.Due.later(ElectionTimer, now.Add(p.timing.Delay))
	return long
}

// Reconfigure goes by other members. Moved returns a set of old places as one of new ones, without those who are none any more.
// What is known of links is kept; what the new peers say of them is not looked at. A candidate that has answered, and is no
// elector any more, is not waited for.
func (p *Policy) Reconfigure(peers Peers, moved func(Set) Set) {
	peers.Up, peers.Dead = moved(p.peers.Up), moved(p.peers.Dead)
	p.freed, p.answered = moved(p.freed), moved(p.answered)
	p.assented = moved(p.assented)
	if p.leader >= 0 {
		at := moved(One(p.leader))
		if p.leader = NonMember; at != 0 {
			p.leader = bits.TrailingZeros64(uint64(at))
		}
	}
	p.peers = peers
}
