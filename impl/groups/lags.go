package groups

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/impl/internal/membership"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// pending returns how many members a group has otherwise than the cluster: it lacks them, has them yet, or has them of another kind.
func (l *loop) pending(g *group) int {
	if !l.changing {
		return 0
	}
	return ((g.members ^ l.all) | (g.electors ^ l.electors) | (g.voters ^ l.voters)).Size()
}

// lags returns why a group has other members than the cluster, as far as this node knows: whoever leads it knows best. It is for people, and "" of a group that has the same.
func (l *loop) lags(g *group) string {
	if l.pending(g) == 0 {
		return ""
	}
	_, member := l.own.Member(l.config.ID)
	switch waits := g.waitsFor(); {
	case waits != "":
		return waits
	case g.hung != nil:
		return "its work hangs at this node, which takes no part in it until that returns"
	case g.node == nil:
		return "it has not started yet"
	case g.told.Leader.IsNone() && g.role != spec.Leader:
		return l.noLeader(g)
	case g.role != spec.Leader:
		return fmt.Sprintf("node %s leads it, and knows why", g.told.Leader)
	case !g.node.Settled():
		g.node.CopyState(&l.state)
		silent := slices.DeleteFunc(l.namesOf(g.electors), func(id spec.NodeID) bool { return id == l.config.ID || slices.Contains(l.state.Support, id) })
		if len(silent) == 0 {
			return "its last change is being made"
		}
		return "its last change is not known to be held by a quorum: it is not acknowledged by " + named(silent)
	case g.leaves && g.reign != nil:
		return "this node hands over, as it is to lead no more, and waits for the work of this group to return"
	case !member:
		return "this node is no member of the cluster, and hands over"
	}
	if n := l.nextOf(g); n.waits != "" {
		return n.waits
	}
	return "its next change is about to be made"
}

// noLeader says why a group that has no leader does not change its members.
func (l *loop) noLeader(g *group) string {
	reached := g.electors & (l.up | policy.One(l.me))
	if membership.IsQuorum(reached, g.electors) {
		return fmt.Sprintf("it has no leader, though there is a connection to a quorum of its members, which are %s: they must take part in this group", named(l.namesOf(g.electors)))
	}
	missing := g.electors &^ reached
	text := fmt.Sprintf("it has no quorum: its members are %s, and there is no connection to %s", named(l.namesOf(g.electors)), named(l.namesOf(missing)))
	if forced := missing &^ l.all; forced != 0 {
		text += fmt.Sprintf("; the cluster has removed %s before this group had (it was forced, or that node was stopped too early): start that once more", named(l.namesOf(forced)))
	}
	return text
}

func (l *loop) namesOf(set policy.Set) (ids []spec.NodeID) {
	for place, id := range l.members {
		if set.Has(place) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, spec.NodeID.Compare)
	return ids
}

// named names nodes, for people.
func named(ids []spec.NodeID) string {
	var all []string
	for _, id := range ids {
		all = append(all, id.String())
	}
	if len(all) == 1 {
		return "node " + all[0]
	}
	return "nodes " + strings.Join(all, ", ")
}
