package transport

import (
	"cmp"
	"errors"
	"fmt"
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
		t.config.Logger.Error("a member cannot be dialled", "to", id, "err", err)
	}
	return to
}

// promote makes a node a member, or a member one that is elsewhere.
func (t *TCP) promote(l *link, to way, alone bool) {
	before, joins := l.target(), !l.member
	l.way, l.alone, l.member = to, alone, true
	if joins {
		t.nonMembers = slices.DeleteFunc(t.nonMembers, func(s *link) bool { return s == l })
		l.box.messages.max, l.box.bundles.max = t.config.Inbox, t.config.Inbox
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

// demote makes a member a non-member.
func (t *TCP) demote(l *link) {
	l.member, l.dead = false, false
	t.inbox.untell(l.box)
	t.addNonMember(l)
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

// idleness tells when nothing has been sent to a non-member for too long.
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

// What non-members may cost. A non-member is a node that is no member, as far as this one knows: it is to join, or has been
// removed, or its configuration is newer; or it is hostile.
const (
	maxNonMembers    = 16                    // are known at a time, and may connect in a row;
	meetEvery        = 50 * time.Millisecond // then one may so often
	nonMemberBurst   = 100                   // messages of one are read in a row,
	nonMemberEvery   = 10 * time.Millisecond // and then one so often
	nonMemberInbox   = 64                    // messages of one may wait for Next,
	nonMemberBundles = 8                     // and bundles
	maxWaiting       = 16                    // messages to one may wait for a connection
)

var (
	errRestarted = errors.New("the node has restarted")
	errIdle      = errors.New("nothing has been sent for a while to a node that is no member")
	errCrowded   = fmt.Errorf("more than %d nodes that are no members have connected since", maxNonMembers)
)

// meet makes a link to a node that has connected and is no member.
func (t *TCP) meet(node spec.NodeID) *link {
	l := newLink(t.config, node, t.inbox.add(node, min(nonMemberInbox, t.config.Inbox)))
	l.box.bundles.max = min(nonMemberBundles, t.config.Inbox)
	t.byNode[node] = l
	t.addNonMember(l)
	return l
}

// addNonMember adds a link to those of non-members. If there are too many, the one that has been quiet for longest gives way.
func (t *TCP) addNonMember(l *link) {
	t.nonMembers = append(t.nonMembers, l)
	t.noted(l)
	if len(t.nonMembers) > maxNonMembers {
		t.part(slices.MinFunc(t.nonMembers, func(a, b *link) int { return cmp.Compare(a.recent, b.recent) }))
	}
}

// noted notes that something has come of a node.
func (t *TCP) noted(l *link) {
	t.recent++
	l.recent = t.recent
}

// part ends the link of a non-member, and forgets it. Its counters are kept.
func (t *TCP) part(l *link) {
	t.nonMembers = slices.DeleteFunc(t.nonMembers, func(s *link) bool { return s == l })
	delete(t.byNode, l.node)
	if l.in != nil {
		_ = l.in.raw.Close()
		l.in = nil
	}
	if c := l.out; c != nil {
		t.unuse(l, c, errCrowded)
		_ = c.raw.Close()
	}
	l.abandon()
	l.stats.Lost += uint64(l.clearWaiting())
	l.stats.Undelivered += uint64(l.box.messages.n + l.box.bundles.n)
	t.inbox.remove(l.box)
	l.gone = true
	for _, c := range []struct{ sum, of *uint64 }{
		{&t.past.Sent, &l.stats.Sent}, {&t.past.Received, &l.stats.Received}, {&t.past.BytesOut, &l.stats.BytesOut},
		{&t.past.BytesIn, &l.stats.BytesIn}, {&t.past.Lost, &l.stats.Lost}, {&t.past.Dropped, &l.stats.Dropped},
	} {
		*c.sum += *c.of
	}
}

// countFor returns the counters of a link: of one that is gone, those of the past.
func (t *TCP) countFor(l *link) *LinkStats {
	if l.gone {
		return &t.past
	}
	return &l.stats
}

// giveUp drops what has waited for a non-member who could not be reached. What was sent since may be for a later run of its
// program.
func (t *TCP) giveUp(l *link, a attempt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for ; !l.member && l.said.boot == a.boot && a.owed > 0 && l.waiting.n > 0; a.owed-- {
		l.waiting.pop()
		l.stats.Lost++
	}
	if !l.member && l.said.boot == a.boot {
		l.stats.Lost += uint64(l.bundles.clear())
	}
}

// restarted drops what was sent to the run of a non-member's program before the one that says this.
func (t *TCP) restarted(l *link, said hello) {
	if l.said.boot == said.boot {
		return
	}
	l.stats.Lost += uint64(l.clearWaiting())
	if c := l.out; c != nil && !l.member && c.boot != said.boot {
		t.unuse(l, c, errRestarted)
		_ = c.raw.Close()
	}
}
