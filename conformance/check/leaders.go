package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// leaders are who has led which epoch: OneLeaderPerEpoch. It forgets epochs that no node can lead any more, since all are
// above them, and keeps at most maxReigns: that there is one leader an epoch follows from the rules, by which each step is
// checked besides.
type leaders struct {
	of     map[spec.Epoch]model.ID
	reigns uint64 // how many there have been
}

const maxReigns = 1 << 16

// lead remembers that node i has come to lead epoch e.
func (l *leaders) lead(i model.ID, e spec.Epoch) {
	if _, led := l.of[e]; !led {
		l.of[e] = i
		l.reigns++
	}
}

// other returns who else than node i has led epoch e, if anybody.
func (l *leaders) other(i model.ID, e spec.Epoch) model.ID {
	if first, led := l.of[e]; led && first != i {
		return first
	}
	return model.None
}

// forget forgets reigns if there are many: those below the epoch that all nodes have reached, and if there are still as
// many, the lower half.
func (l *leaders) forget(lowest spec.Epoch) {
	if len(l.of) < maxReigns {
		return
	}
	maps.DeleteFunc(l.of, func(e spec.Epoch, _ model.ID) bool { return e < lowest })
	if len(l.of) > maxReigns/2 {
		epochs := slices.Sorted(maps.Keys(l.of))
		lowest = epochs[len(epochs)/2]
		maps.DeleteFunc(l.of, func(e spec.Epoch, _ model.ID) bool { return e < lowest })
	}
}

// promises says which of the promises that hold for any timing is broken if the state of node i becomes that of an event.
func (r *replay) promises(i model.ID, e *spec.Event) *TraceError {
	n, s := &r.nodes[i], &e.State
	if s.Epoch < n.epoch {
		return &TraceError{
			Rule: string(spec.EpochMonotonic), Problem: fmt.Sprintf("the epoch of node %s goes back from %d to %d", e.Node, n.epoch, s.Epoch),
		}
	}
	if n.reignBegins(s) {
		if other := r.leaders.other(i, s.Epoch); other != model.None {
			return &TraceError{
				Rule: string(spec.OneLeaderPerEpoch), Problem: fmt.Sprintf("nodes %s and %s have both led epoch %d", r.members[other-1], e.Node, s.Epoch),
			}
		}
	}
	return r.promisesOfMembers(n, e)
}

// lowestEpoch returns the lowest epoch of all members.
func (r *replay) lowestEpoch() spec.Epoch {
	lowest := r.nodes[1].epoch
	for _, n := range r.nodes[2 : len(r.members)+1] {
		lowest = min(lowest, n.epoch)
	}
	return lowest
}
