package paths

import (
	"maps"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// view is what there is to see of a cluster: its nodes, in the order of the members, and what is under way on each link.
type view struct {
	members  []spec.NodeID
	nodes    []spec.State
	underWay [][]spec.Message
}

// forget takes the number from each answer from which like has taken it, since it can never count any more.
func (v *view) forget(like *view) {
	for l := range v.underWay {
		for k := range v.underWay[l] {
			if k < len(like.underWay[l]) && like.underWay[l][k].Question == 0 {
				v.underWay[l][k].Question = 0
			}
		}
	}
}

// rename gives the questions of each node the least numbers that keep their order: nothing else of a number matters (R50).
func (v *view) rename() {
	used := map[spec.NodeID]map[spec.Question]bool{}
	for _, id := range v.members {
		used[id] = map[spec.Question]bool{0: true}
	}
	v.numbers(func(of spec.NodeID, n *spec.Question) { used[of][*n] = true })
	ranks := map[spec.NodeID][]spec.Question{}
	for id, numbers := range used {
		ranks[id] = slices.Sorted(maps.Keys(numbers))
	}
	v.numbers(func(of spec.NodeID, n *spec.Question) {
		rank, _ := slices.BinarySearch(ranks[of], *n)
		*n = spec.Question(rank)
	})
}

// numbers has each number in v looked at or changed, with the node that has asked it.
func (v *view) numbers(each func(of spec.NodeID, n *spec.Question)) {
	for i, id := range v.members {
		s := &v.nodes[i]
		each(id, &s.Latest)
		each(id, &s.Asked)
		each(id, &s.Dated)
		if s.Lease != 0 {
			each(s.Leader, &s.Lease)
		}
		for k := range s.Answered {
			each(id, &s.Answered[k].Question)
		}
	}
	for _, on := range v.underWay {
		for k := range on {
			m := &on[k]
			switch m.Type {
			case spec.OK, spec.Assent, spec.Grant, spec.Refuse, spec.Ack: // answers
				each(m.To, &m.Question)
			default:
				each(m.From, &m.Question)
			}
			if m.Granted.Question != 0 {
				each(m.Granted.By, &m.Granted.Question)
			}
		}
	}
}
