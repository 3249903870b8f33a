package groups

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/membership"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Where members change each group has a configuration of its own, which its core keeps (R42). What the cluster's own election has is what is wanted: the leader of each group
// changes its members, one at a time (R47), until they are those. Any change at any time is one that the rules allow, and so is none; that is all this file decides.

// wants takes note of who the members of the cluster are to be: each group that this node leads comes to have them.
func (l *loop) wants(m host.Membership) {
	if m.Configuration.IsNone() || m.Configuration.SameMembers(l.own) {
		return
	}
	l.own = m.Configuration
	l.all, l.electors, l.voters = l.setsOf(l.own)
	l.reformed = true
	placement := l.config.placement(votersOf(l.own))
	l.placement, l.looks = &placement, true
	for _, g := range l.list {
		g.best = none
		l.wish(g)
	}
}

// wish has the members of a group looked at again.
func (l *loop) wish(g *group) {
	g.wishes = true
	l.attends(g)
}

// attends has reforms look at a group that this node leads, and whose members may not be those that are wanted.
func (l *loop) attends(g *group) {
	if g.wishes && g.role == spec.Leader && !g.attended {
		g.attended = true
		l.attended = append(l.attended, g)
	}
}

// votersOf returns who may lead in a configuration.
func votersOf(c spec.Configuration) (ids []spec.NodeID) {
	for _, m := range c.Members() {
		if m.Kind == spec.Voter {
			ids = append(ids, m.ID)
		}
	}
	return ids
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

// adopts makes a group go by its next configuration. Most are of the same members, stamped by who came to lead (R48).
func (l *loop) adopts(g *group, c spec.Configuration) {
	if c.SameMembers(g.configuration) {
		g.configuration = c
		return
	}
	l.reconfigure(g, c)
}

// reconfigure makes all that goes by members go by the configuration of a group.
func (l *loop) reconfigure(g *group, c spec.Configuration) {
	g.configuration, g.said = c, nil
	g.members, g.electors, g.voters = l.setsOf(c)
	l.reformed = true
	l.wish(g)
	peers := policy.NewPeers(l.me, g.members, g.electors, g.voters, func(i, j int) bool { return c.Higher(l.members[i], l.members[j]) })
	g.policy.Reconfigure(peers, func(s policy.Set) policy.Set { return s })
}

// mostItems returns how many messages are in a bundle.
func (l *loop) mostItems() int {
	if l.changing {
		return itemsOf(len(l.members))
	}
	return maxItems
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

// reforms makes the next change of members in the groups that this node leads, where one is to be made and can be; and reports whether there may be more. A group is looked at after each of its steps, and all that
// wait are when something has changed that they may have waited for.
func (l *loop) reforms() (more bool) {
	if l.looks {
		l.looks = false
		all := l.waiting
		l.waiting = nil
		for _, g := range all {
			g.waits = false
			l.attends(g)
		}
	}
	began, all := l.stats.Steps, l.attended
	l.attended = nil
	for i, g := range all {
		if more = l.stats.Steps-began >= mostSteps; more || l.err != nil {
			l.attended = append(l.attended, all[i:]...)
			return more
		}
		g.attended = false
		if l.tick(); g.held == nil && g.node != nil && g.node.Settled() {
			if l.endUrgent(g); g.role == spec.Leader && g.held == nil {
				l.reform(g)
			}
		}
		if g.wishes && g.role == spec.Leader && !g.waits {
			g.waits = true
			l.waiting = append(l.waiting, g)
		}
	}
	return false
}

// reform makes the next change of the members of a group that this node leads, and that is settled.
func (l *loop) reform(g *group) {
	n := l.nextOf(g)
	if !n.change.IsNone() {
		l.step(g, spec.Input{Call: spec.ChangeCall, Configuration: n.change}, none)
		return
	}
	if n.leaves && g.reign != nil {
		g.reign.Close(ErrNotLeader) // resigned from when its work has returned
		g.leaves = true
		l.of.looksAt(g)
	}
	g.wishes = n.waits != "" || n.leaves
}

// next is what is to be done next for the members of a group.
type next struct {
	change spec.Configuration // to be made; or none, and
	leaves bool               // this node is to hand over
	waits  string             // what is waited for; "" if for nothing
}

// nextOf returns what is to be done next for the members of a group that this node leads, and that is settled.
func (l *loop) nextOf(g *group) (n next) {
	g.node.CopyState(&l.state)
	answered := func(id spec.NodeID) bool { return slices.Contains(l.state.Support, id) }
	me, _ := g.configuration.Member(l.config.ID)
	n.leaves = me.Kind != spec.Voter // it was made a witness, and others may lead
	wishes, waits := l.wishes(g)
	n.waits = waits
	for _, wanted := range wishes {
		switch verdict, members := membership.Next(g.configuration, l.config.ID, wanted, answered); verdict {
		case membership.Fulfilled:
		case membership.Awaits:
			n.waits = fmt.Sprintf("node %s is to vote, and has not acknowledged yet that it is an observer: it must run, and take part in this group", wanted.ID)
		case membership.HandsOver:
			n.leaves = true
		case membership.Changes:
			change, err := spec.NewConfiguration(g.epoch, g.configuration.Version+1, members)
			switch problem := membership.LosesQuorum(change, l.config.ID, answered); {
			case err != nil:
				n.waits = err.Error()
			case problem != "":
				n.waits = "the next change would lose the quorum: " + problem // for whoever is to answer
			default:
				n.change = change
				return n
			}
		}
	}
	return n
}

// wishes returns what is wanted of each member of a group, and of each that is to be one: this node last, as a leader that goes hands over first.
//
// A node goes by the members of the cluster only while it follows a leader there, or leads itself: what it has may be long over else. One that is no member of the cluster, or not yet, is told
// nothing any more: it hands over, and leaves the rest to who is.
func (l *loop) wishes(g *group) (all []spec.Member, waits string) {
	if _, member := l.own.Member(l.config.ID); !member {
		return []spec.Member{{ID: l.config.ID}}, ""
	}
	if l.leaderless {
		return nil, "nobody is known to lead the cluster's own election: without a leader there it is not known who the members are to be"
	}
	agreed := l.agreed(g)
	for _, wanted := range l.own.Members() {
		wanted.Address = "" // is in the cluster's own configuration
		now, member := g.configuration.Member(wanted.ID)
		if wanted.Rank = l.placement.rank(g.name, wanted.ID); member && !agreed {
			if wanted.Rank != now.Rank {
				waits = "nodes that are connected go by other weights or pins"
			}
			wanted.Rank = now.Rank
		}
		all = append(all, wanted)
	}
	for _, m := range g.configuration.Members() {
		if _, stays := l.own.Member(m.ID); !stays {
			all = append(all, spec.Member{ID: m.ID})
		}
	}
	if i := slices.IndexFunc(all, func(m spec.Member) bool { return m.ID == l.config.ID }); i >= 0 {
		itself := all[i]
		all = append(slices.Delete(all, i, i+1), itself)
	}
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
