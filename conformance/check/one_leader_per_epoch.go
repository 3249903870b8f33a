package check

import (
	"maps"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

var oneLeaderPerEpoch = Promise{
	Name: spec.OneLeaderPerEpoch, Says: "At most one node is ever leader in an epoch.", When: Always,
	Proved: "The rules are proved to keep this, for any number of nodes.",
	check:  func() check { return oneLeader{} },
}

// oneLeader holds who leads to who has led.
type oneLeader struct{ memoryless }

func (oneLeader) breaks(m *Monitor, i int, now *View) *Breach {
	first, led := m.Leader(now.Leads)
	if !led || first == i {
		return nil
	}
	return breach("nodes %s and %s have both led %s", m.name(first), m.name(i), m.epoch(now.Leads))
}

// reigns are who has led which epoch first. They forget epochs that no node can lead any more, since all are above them, and
// keep at most maxReigns: who takes so many steps, and holds each to the rules, loses nothing by it.
type reigns struct {
	of    map[spec.Epoch]int
	count uint64
}

const maxReigns = 1 << 16

// Leader returns who was seen first to lead an epoch, and whether anybody was.
func (m *Monitor) Leader(e spec.Epoch) (int, bool) {
	if e == 0 {
		return 0, false
	}
	i, led := m.reigns.of[e]
	return i, led
}

// Leaders returns who was seen first to lead each epoch, as far as that is remembered.
func (m *Monitor) Leaders() map[spec.Epoch]int { return maps.Clone(m.reigns.of) }

// Reigns returns how many epochs were seen to be led.
func (m *Monitor) Reigns() uint64 { return m.reigns.count }

func (r *reigns) reset() {
	if r.of == nil {
		r.of = map[spec.Epoch]int{}
	}
	clear(r.of)
	r.count = 0
}

func (r *reigns) note(m *Monitor, i int, now *View) {
	if now.Leads == 0 || now.Leads == m.nodes[i].Leads {
		return
	}
	if _, led := r.of[now.Leads]; led {
		return
	}
	r.of[now.Leads] = i
	r.count++
	if len(r.of) >= maxReigns {
		r.forget(m.lowestEpoch(i, now))
	}
}

// forget forgets the reigns below the lowest epoch that a node is in, and if there are still many, the lower half.
func (r *reigns) forget(lowest spec.Epoch) {
	below := func(e spec.Epoch, _ int) bool { return e < lowest }
	maps.DeleteFunc(r.of, below)
	if len(r.of) > maxReigns/2 {
		epochs := slices.Sorted(maps.Keys(r.of))
		lowest = epochs[len(epochs)/2]
		maps.DeleteFunc(r.of, below)
	}
}

// lowestEpoch returns the lowest epoch of all nodes.
func (m *Monitor) lowestEpoch(i int, now *View) spec.Epoch {
	lowest := now.Epoch
	for j := range m.nodes {
		lowest = min(lowest, m.at(j, i, now).Epoch)
	}
	return lowest
}
