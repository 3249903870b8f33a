package behaviour

import (
	"fmt"

	"github.com/seed-fdf591db/bully/traces/recording"
)

func promisesModule() module {
	return module{algorithm: "bully", variables: []string{"epoch", "grantee", "messages"}, nodes: tupleNodes("epoch"), words: electionWords,
		scene: func(s map[string]term, nodes int) scene {
			c := scene{way: records(s["messages"], nodes)}
			for i := range nodes {
				c.nodes = append(c.nodes, promised(s, i))
			}
			return c
		}}
}

// promised returns the state of a node of which only the promises are known: whoever has said COORDINATOR of an epoch leads it.
func promised(s map[string]term, i int) recording.State {
	epoch, grantee := s["epoch"].at(i+1), s["grantee"].at(i+1)
	n := recording.State{Look: recording.Idle, Role: "follower", Leader: -1, Epoch: uint64(max(0, epoch.number())),
		Disk:   fmt.Sprintf("epoch %s, promised to %s", epoch.text, orNone(grantee)),
		Fields: []recording.Field{{Name: "grantee", Value: orNone(grantee)}}}
	for _, m := range s["messages"].items {
		from, e := m.field("from").number()-1, m.field("epoch").number()
		switch kind := m.field("type").word(); {
		case kind == "COORDINATOR" && e == epoch.number():
			if n.Leader = from; from == i {
				n.Look, n.Role = recording.Leads, "leader"
				return n
			}
		case kind == "CLAIM" && from == i && e > epoch.number():
			n.Look, n.Role = recording.Stands, "claimant"
		}
	}
	switch {
	case n.Look == recording.Stands:
	case n.Leader >= 0:
		n.Look = recording.Follows
	case grantee.number() > 0:
		n.Look, n.Role = recording.Waits, "electing"
	}
	return n
}

// electionModule knows only who has led which epoch: nobody says anything in it.
func electionModule() module {
	return module{variables: []string{"epoch", "reigns"}, nodes: tupleNodes("epoch"), words: electionWords,
		scene: func(s map[string]term, nodes int) scene {
			c := scene{}
			for i := range nodes {
				n := recording.State{Look: recording.Idle, Role: "follower", Leader: -1, Epoch: uint64(max(0, s["epoch"].at(i+1).number()))}
				for _, r := range s["reigns"].items {
					if leader := r.field("leader").number() - 1; r.field("epoch").number() == int(n.Epoch) {
						if n.Leader = leader; leader == i {
							n.Look, n.Role = recording.Leads, "leader"
							break
						}
						n.Look = recording.Follows
					}
				}
				c.nodes = append(c.nodes, n)
			}
			return c
		}}
}
