package transport

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// SetMembers says who the members are from now on, and where; this node may be among them or not. It is for nodes of
// changing members, which call it whenever their configuration changes. An address is host:port, or
// host:port#incarnation: then a node of another incarnation is refused, at either end. A member without an address is
// dialled where it says that it is, once it has connected here.
//
// A link to a new member is opened at once, and Up or Dead are told of it. One to a node that is a member no longer tells
// nothing any more; it is closed once nothing has been sent on it for a while (Changing.Idle), so that the node hears
// why. A member that has moved is connected anew. An address that cannot be dialled is logged, and is in LinkStats.
func (t *TCP) SetMembers(members map[spec.NodeID]string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.config.Changing == nil:
		t.config.Logger.Error("members are fixed, and cannot be set: give Config.Changing")
	case !t.closing:
		t.setMembers(members)
	}
}

func (t *TCP) setMembers(members map[spec.NodeID]string) {
	for _, l := range t.links {
		if _, stays := members[l.node]; !stays {
			t.demote(l)
		}
	}
	at := make(map[string]int)
	ways := make(map[spec.NodeID]way, len(members))
	for id, address := range members {
		if id != t.config.ID {
			ways[id] = t.wayOf(id, address)
			at[ways[id].address]++
		}
	}
	t.links = t.links[:0]
	for _, id := range slices.SortedFunc(maps.Keys(ways), spec.NodeID.Compare) {
		l := t.byNode[id]
		if l == nil {
			l = newLink(t.config, id, t.inbox.add(id, t.config.Inbox))
			t.byNode[id] = l
		}
		to := ways[id]
		t.promote(l, to, t.config.Changing == nil || to.address != "" && at[to.address] == 1)
		t.links = append(t.links, l)
	}
}

func (t *TCP) wayOf(id spec.NodeID, address string) way {
	if t.config.Changing == nil {
		return way{address: address}
	}
	to, err := parseWay(address, false)
	if err != nil {
		t.config.Logger.Error("a member cannot be dialled", "to", id, "error", err)
	}
	return to
}

// promote makes a node a member, or a member one that is elsewhere.
func (t *TCP) promote(l *link, to way, alone bool) {
	before, joins := l.target(), !l.member
	l.way, l.alone, l.member = to, alone, true
	if joins {
		t.strangers = slices.DeleteFunc(t.strangers, func(s *link) bool { return s == l })
		l.box.messages.max = t.config.Inbox
	}
	if l.in != nil && !l.admits(l.said) {
		l.stats.Undelivered += uint64(t.inbox.forget(l.box)) // it was another's
		_ = l.in.raw.Close()
		l.in = nil
	}
	switch c := l.out; {
	case c != nil && !l.fits(c):
		if joins {
			c.untold = true
		}
		t.unuse(l, c, errMoved)
		_ = c.raw.Close()
	case c != nil && joins:
		t.tell(l, Up)
	case joins || l.target() != before:
		l.dead = false
		l.abandon()
		l.dialNow()
	}
	t.start(l)
}

// fits reports whether a connection is to where the node is to be dialled now.
func (l *link) fits(c *outbound) bool {
	to := l.target()
	return c.way.address == to.address && (to.incarnation == 0 || to.incarnation == c.incarnation)
}

// demote makes a member a stranger.
func (t *TCP) demote(l *link) {
	l.member, l.dead = false, false
	t.inbox.untell(l.box)
	t.estrange(l)
	if l.out != nil {
		l.out.wake() // its time is counted from now on
		return
	}
	l.abandon()
	l.dialNow()
}

// admits reports whether who says this is the member, as far as its address tells.
func (l *link) admits(said hello) bool {
	return l.way.incarnation == 0 || said.incarnation == l.way.incarnation
}

func (t *TCP) isMember(l *link) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return l.member
}

// newBoot returns a number that tells this run of the program from others. It is not 0.
func newBoot() uint64 {
	return max(1, rand.Uint64())
}

// idleness tells when nothing has been sent to a stranger for too long.
type idleness struct {
	transport *TCP
	link      *link
	timer     *time.Timer
}

// over returns a channel on which the end of the time is told that begins now. It is nil for a member.
func (i *idleness) over() <-chan time.Time {
	c := i.transport.config.Changing
	if c == nil || i.transport.isMember(i.link) {
		return nil
	}
	if i.timer == nil {
		i.timer = time.NewTimer(c.Idle)
	} else {
		i.timer.Reset(c.Idle)
	}
	return i.timer.C
}

func (i *idleness) stop() {
	if i.timer != nil {
		i.timer.Stop()
	}
}
