package groups

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/membership"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Where members change each group has a configuration of its own, which its core keeps (R42). What the cluster's own election has is what is wanted: the leader of each group
// changes its members, one at a time (R47), until they are those. Any change at any time is one that the rules allow, and so is none; that is all this file decides.

// mostPlaces is how many nodes a loop can know of at once: the members of all groups, those that are to come, and those that have not left yet.
const mostPlaces = 64

// admit returns the place of a node, a new one if it has none; or none if there is no room.
func (l *loop) admit(id spec.NodeID) int {
	if place := l.place(id); place != none {
		return place
	}
	free := slices.Index(l.members, spec.NodeID{})
	if free == none {
		if len(l.members) == mostPlaces {
			return none
		}
		free = len(l.members)
		l.members, l.peers = append(l.members, id), append(l.peers, nil)
	}
	l.members[free], l.peers[free] = id, nil
	if id == l.config.ID {
		l.me = free
	} else {
		l.peers[free] = l.newPeer(id, free)
	}
	return free
}

func (l *loop) newPeer(id spec.NodeID, place int) *peer {
	return &peer{id: id, place: place, number: l.config.Rand.Uint64() >> 16}
}

// sweep says whom the transport is to be connected to, and frees the places of nodes that no group knows any more, if members have changed.
func (l *loop) sweep() {
	if !l.changing || !l.reformed {
		return
	}
	l.reformed = false
	known, follow := policy.One(l.me)|l.all, true
	for _, g := range l.list {
		known |= g.members
		follow = follow && (g.node == nil || g.members == 0 || g.members == l.all && g.electors == l.electors && g.voters == l.voters)
	}
	if follow {
		own := l.own
		l.of.own.followed.Store(&own)
	}
	l.of.own.leaves.Store(l.leavesNow())
	members := map[spec.NodeID]struct{}{}
	for place, id := range l.members {
		if known.Has(place) {
			members[id] = struct{}{}
		}
	}
	for id := range l.of.own.shared.groups.alsoMembers(members) {
		known |= policy.One(l.place(id))
	}
	for _, g := range l.list {
		known |= g.refersTo()
	}
	if l.mourned != none {
		known |= policy.One(l.mourned)
	}
	for place, id := range l.members {
		if one := policy.One(place); known&one == 0 && !id.IsNone() && l.peers[place].idle() {
			l.members[place], l.peers[place] = spec.NodeID{}, nil
			l.up, l.dead = l.up&^one, l.dead&^one
			for _, g := range l.list {
				g.policy.Broken(place)
				g.policy.Heard(place)
				g.quarrels &^= one
			}
		}
	}
}

// refersTo returns whom a group speaks of, besides its members.
func (g *group) refersTo() (all policy.Set) {
	all = policy.One(g.leader)
	if s := g.held; s != nil {
		all |= policy.One(s.leader) | policy.One(s.from) | policy.One(s.known) | s.members
	}
	if g.claim.message.Type != "" {
		all |= policy.One(g.claim.from)
	}
	for i := range g.deferred {
		all |= policy.One(g.deferred[i].from)
	}
	return all
}

// wants takes note of who the members of the cluster are to be: each group that this node leads comes to have them.
func (l *loop) wants(m host.Membership) {
	if m.Configuration.IsNone() || m.Configuration.SameMembers(l.own) {
		return
	}
	l.own = m.Configuration
	l.all, l.electors, l.voters = l.setsOf(l.own)
	l.reformed = true
	placement := l.config.placement(votersOf(l.own))
	l.placement = &placement
	for _, g := range l.list {
		g.best = none
		l.wish(g)
	}
}

// wish has the members of a group looked at again.
func (l *loop) wish(g *group) { g.wishes, l.looks = true, true }

// votersOf returns who may lead in a configuration.
func votersOf(c spec.Configuration) (ids []spec.NodeID) {
	for _, m := range c.Members() {
		if m.Kind == spec.Voter {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

func idsOf(c spec.Configuration) (ids []spec.NodeID) {
	for _, m := range c.Members() {
		ids = append(ids, m.ID)
	}
	return ids
}

// namesOf returns a first configuration of the members of another: voters, without addresses and ranks.
func namesOf(c spec.Configuration) spec.Configuration { return firstOf(idsOf(c), nil) }

// firstOf returns a first configuration of members, each of which has such a rank.
func firstOf(ids []spec.NodeID, rank func(spec.NodeID) uint16) spec.Configuration {
	members := make([]spec.Member, len(ids))
	for i, id := range ids {
		if members[i] = (spec.Member{ID: id, Kind: spec.Voter}); rank != nil {
			members[i].Rank = rank(id)
		}
	}
	c, err := spec.NewConfiguration(0, 1, members)
	if err != nil {
		return spec.EmptyConfiguration()
	}
	return c
}

// digestOf tells the first members of a group from others. It is not 0.
func digestOf(ids []spec.NodeID) uint64 {
	var all []byte
	for _, id := range slices.SortedFunc(slices.Values(ids), spec.NodeID.Compare) {
		all = append(all, id[:]...)
	}
	return number(all)
}

// newChangingGroup returns a group with the first members that it is to have. Their ranks follow from the names alone: weights and pins may not be the same at all nodes, and this has to be.
func (g *Groups) newChangingGroup(name string, key uint64) (*group, error) {
	first := idsOf(g.own.founded)
	if g.config.First != nil {
		if named := g.config.First(name); len(named) > 0 {
			first = named
		}
	}
	one := &group{name: name, key: key, told: Leadership{Group: name}, leader: none, best: none, gone: make(chan struct{}), founding: spec.EmptyConfiguration()}
	if len(first) == 0 {
		return one, nil // it waits to be added
	}
	if err := (Placement{Members: first}).Validate(); err != nil {
		return nil, wrongFirst(name, err)
	}
	one.first = digestOf(first)
	c := firstOf(first, func(id spec.NodeID) uint16 { return new(Placement).rank(name, id) })
	if c.IsEmpty() {
		return nil, wrongFirst(name, errTooMany)
	}
	if slices.Contains(first, g.config.ID) {
		one.founding = c
	}
	return one, nil
}

var errTooMany = fmt.Errorf("groups: there are more members than a configuration has room for, which is %d", spec.MaxChangingMembers)

func wrongFirst(name string, err error) error {
	return fmt.Errorf("groups: First: group %q: %s", name, strings.TrimPrefix(err.Error(), "groups: "))
}

// coreOf returns the core of a group of changing members, and its first step.
func (l *loop) coreOf(g *group) (*bully.Node, bully.Input, error) {
	kept, found := l.config.Storage.Load(g.key)
	promise, first := kept.Promise, g.founding
	switch {
	case kept.First != 0 && g.first != 0 && kept.First != g.first && promise.Configuration.Version > 1:
		l.problem(g, "it has begun with other first members than are named now, and has changed them since: name those again")
	case kept.First != 0 && g.first != 0 && kept.First != g.first:
		l.problem(g, "it has begun with other first members than are named now: name those again, or remove the group at this node, and add it anew")
	case kept.First != 0:
		g.first = kept.First
	}
	if g.problem != "" {
		return nil, bully.Input{}, nil
	}
	in := bully.Start()
	if found {
		if promise.Configuration.IsNone() { // it begins above the epochs of groups that are gone
			promise.Configuration = first
		}
		in, first = bully.Restart(promise), spec.EmptyConfiguration() // which brings its own
		g.configuration = promise.Configuration
	} else {
		g.configuration = first
	}
	node, err := bully.NewChanging(l.config.ID, first)
	return node, in, err
}

// problem takes note of why a group is not led here.
func (l *loop) problem(g *group, text string) {
	if g.problem != text {
		g.problem = text
		l.config.Logger.Error("this node takes no part in a group: "+text, slog.String("group", g.name))
	}
}

// reconfigure makes all that goes by members go by the configuration of a group.
func (l *loop) reconfigure(g *group, c spec.Configuration) {
	g.configuration = c
	g.members, g.electors, g.voters = l.setsOf(c)
	l.reformed = true
	l.wish(g)
	peers := policy.NewPeers(l.me, g.members, g.electors, g.voters, func(i, j int) bool { return c.Higher(l.members[i], l.members[j]) })
	g.policy.Reconfigure(peers, func(s policy.Set) policy.Set { return s })
}

// setsOf returns the places of the members of a configuration, of those that vote, and of those that may lead.
func (l *loop) setsOf(c spec.Configuration) (members, electors, voters policy.Set) {
	for _, m := range c.Members() {
		one := policy.One(l.admit(m.ID))
		members |= one
		if membership.Votes(m.Kind) {
			electors |= one
		}
		if m.Kind == spec.Voter {
			voters |= one
		}
	}
	return members, electors, voters
}

// fits reports whether all members of a configuration have places, or can be given some.
func (l *loop) fits(c spec.Configuration) bool {
	for _, m := range c.Members() {
		if l.admit(m.ID) == none {
			return false
		}
	}
	return true
}

// states returns what a group says of its members with a message.
func (l *loop) states(g *group, c spec.Configuration) *stated {
	if !l.changing {
		return nil
	}
	if s := g.said; s == nil || s.first != g.first || s.configuration != c {
		s = &stated{first: g.first, configuration: c}
		s.bytes = membership.Append(binary.BigEndian.AppendUint64(nil, g.first), c, l.place)
		g.said = s
	}
	return g.said
}

// mostItems returns how many messages are in a bundle.
func (l *loop) mostItems() int {
	if l.changing {
		return itemsOf(len(l.members))
	}
	return maxItems
}

// understands reports whether a bundle is of a node that has changing members as this one has, or fixed ones; and makes the places in it those of this node.
func (l *loop) understands(p *peer, b *bundle) bool {
	if (b.beats != nil || len(b.items) > 0) && l.changing != (b.names != nil) {
		return false
	}
	if !l.changing {
		return true
	}
	if b.placed != 0 {
		p.placed, l.looks = b.placed, true
	}
	l.hearFirsts(p, b.firsts)
	for i := range b.items {
		for _, at := range []*int{&b.items[i].keeps, &b.items[i].granted.by} {
			if *at == none {
				continue
			}
			if *at >= len(b.names) {
				return false
			}
			if *at = l.admit(b.names[*at]); *at == none {
				return false
			}
		}
	}
	return true
}

// heeds reports whether a message may be given to a group: not if a node that is a member neither of the group nor of the cluster, as this node has them, says that there are other members
// (R43, decision 0032); nor if it is of a group of that name which has begun with others.
func (l *loop) heeds(g *group, p *peer, said *stated) bool {
	if g.first != 0 && said.first != 0 && said.first != g.first {
		l.quarrel(g, p)
		return false
	}
	if !said.configuration.Newer(g.configuration) {
		return true
	}
	if known := g.members | l.all; !known.Has(p.place) {
		l.stats.Unbelieved++
		return false
	}
	if g.first == 0 {
		g.first = said.first // it is told now what it is added to
	}
	return l.fits(said.configuration)
}

// quarrel takes note that a node has begun a group of the same name with other members. Neither takes what the other says of it. A group in which nobody has led yet, as far as this node knows,
// takes no part any more: what is wrong is then seen before two lead.
func (l *loop) quarrel(g *group, p *peer) {
	if g.quarrels.Has(p.place) {
		return
	}
	g.quarrels |= policy.One(p.place)
	var with []string
	for place, id := range l.members {
		if g.quarrels.Has(place) {
			with = append(with, id.String())
		}
	}
	l.problem(g, "node "+strings.Join(with, ", ")+" has begun it with other first members: name the same at all nodes; where it was never led, remove the group, and add it anew with those")
	p.firsts = append(p.firsts, first{g.key, g.first})
	l.withdraw(g)
}

// withdraw has a group in which nobody has led yet take no part any more while there is a quarrel.
func (l *loop) withdraw(g *group) {
	if g.quarrels != 0 && g.held == nil && g.configuration.Epoch == 0 && (g.node != nil || g.starts != 0) {
		l.rest(g)
	}
}

// reconciles takes note that a node with which there was a quarrel names the same now, or is gone.
func (l *loop) reconciles(g *group, place int) {
	if !g.quarrels.Has(place) {
		return
	}
	if g.quarrels &^= policy.One(place); g.quarrels != 0 {
		return
	}
	if g.problem = ""; g.node == nil && g.hung == nil && !g.removing && l.begun {
		l.start(g)
	}
}

// hearFirsts takes what a node says that groups have begun with.
func (l *loop) hearFirsts(p *peer, firsts []first) {
	for _, f := range firsts {
		switch g := l.byKey[f.group]; {
		case g == nil || g.first == 0 || f.first == 0:
		case g.first == f.first:
			l.reconciles(g, p.place)
		default:
			l.quarrel(g, p)
		}
	}
}

// introduce tells a node that has been connected what groups have begun with, and by which weights and pins this one goes.
func (l *loop) introduce(p *peer) {
	if !l.changing {
		return
	}
	p.firsts, p.placing = p.firsts[:0], l.placed
	for _, g := range l.list {
		if g.first != 0 {
			p.firsts = append(p.firsts, first{g.key, g.first})
		}
	}
}

// placedBy tells weights and pins from others. It is not 0.
func (c *Config) placedBy() uint64 {
	var all []byte
	for _, id := range slices.SortedFunc(maps.Keys(c.Weights), spec.NodeID.Compare) {
		if w := c.Weights[id]; w != 1 {
			all = binary.AppendUvarint(append(all, id[:]...), uint64(w))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Pins)) {
		id := c.Pins[name]
		all = append(append(append(all, 0), name...), id[:]...)
	}
	return number(all)
}

// agreed reports whether all members that are connected go by the same weights and pins: only then ranks are changed, or two leaders would each undo what the other does.
func (l *loop) agreed(g *group) bool {
	agreed := true
	for place, p := range l.peers {
		if p == nil || !(g.members & l.up).Has(place) {
			continue
		}
		if p.placed == 0 {
			p.resync = true // it was lost, or said before this node knew of the peer
		}
		agreed = agreed && p.placed == l.placed
	}
	return agreed
}

// reforms makes the next change of members in the groups that this node leads, where one is to be made and can be; and reports whether there may be more.
func (l *loop) reforms() (more bool) {
	if !l.looks {
		return false
	}
	l.looks = false
	for began, i := l.stats.Steps, 0; i < len(l.list) && l.err == nil; i++ {
		g := l.list[i]
		if !g.wishes || g.role != spec.Leader || g.held != nil || g.node == nil {
			continue
		}
		if l.stats.Steps-began >= mostSteps {
			l.looks = true
			return true
		}
		if l.tick(); g.node.Settled() {
			if l.endUrgent(g); g.role == spec.Leader && g.held == nil {
				l.reform(g)
			}
		}

	}
	return false
}

// reform makes the next change of the members of a group that this node leads, and that is settled.
func (l *loop) reform(g *group) {
	g.node.CopyState(&l.state)
	answered := func(id spec.NodeID) bool { return slices.Contains(l.state.Support, id) }
	me, _ := g.configuration.Member(l.config.ID)
	leaves := me.Kind != spec.Voter // it was made a witness, and others may lead
	wishes, waits := l.wishes(g)
	for _, wanted := range wishes {
		switch verdict, members := membership.Next(g.configuration, l.config.ID, wanted, answered); verdict {
		case membership.Fulfilled:
		case membership.Awaits:
			waits = true
		case membership.HandsOver:
			leaves = true
		case membership.Changes:
			next, err := spec.NewConfiguration(g.epoch, g.configuration.Version+1, members)
			if err != nil || membership.LosesQuorum(next, l.config.ID, answered) != "" {
				waits = true // for whoever is to answer
				continue
			}
			l.step(g, bully.Change(next), none)
			return
		}
	}
	if leaves && g.reign != nil {
		g.reign.Close(ErrNotLeader) // resigned from when its work has returned
		g.leaves = true
		l.of.looksAt(g)
	}
	g.wishes = waits || leaves
}

// wishes returns what is wanted of each member of a group, and of each that is to be one: this node last, as a leader that goes hands over first.
//
// A node goes by the members of the cluster only while it follows a leader there, or leads itself: what it has may be long over else. One that is no member of the cluster, or not yet, is told
// nothing any more: it hands over, and leaves the rest to who is.
func (l *loop) wishes(g *group) (all []spec.Member, waits bool) {
	if _, member := l.own.Member(l.config.ID); !member {
		return []spec.Member{{ID: l.config.ID}}, false
	}
	if l.leaderless {
		return nil, true
	}
	agreed := l.agreed(g)
	for _, wanted := range l.own.Members() {
		wanted.Address = "" // is in the cluster's own configuration
		now, member := g.configuration.Member(wanted.ID)
		if wanted.Rank = l.placement.rank(g.name, wanted.ID); member && !agreed {
			waits = waits || wanted.Rank != now.Rank
			wanted.Rank = now.Rank
		}
		all = append(all, wanted)
	}
	for _, m := range g.configuration.Members() {
		if _, stays := l.own.Member(m.ID); !stays {
			all = append(all, spec.Member{ID: m.ID})
		}
	}
	slices.SortStableFunc(all, func(a, b spec.Member) int {
		switch {
		case (a.ID == l.config.ID) == (b.ID == l.config.ID):
			return 0
		case a.ID == l.config.ID:
			return 1
		}
		return -1
	})
	return all, waits
}

// leavesNow reports whether no group has this node any more: only then may it stop, as it is no member of the cluster.
func (l *loop) leavesNow() bool {
	for _, g := range l.list {
		if waits := g.hung != nil || g.starts != 0; g.members.Has(l.me) && (g.node != nil || waits) {
			return false
		}
	}
	return true
}
