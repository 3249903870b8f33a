package check

import "github.com/seed-fdf591db/bully/spec"

var epochMonotonic = Promise{
	Name: spec.EpochMonotonic, Says: "A node's epoch never goes back, over restarts too.", When: Always, Own: true,
	Proved: "The rules are proved to keep this, for any number of nodes.",
	check:  func() check { return epochsRise{} },
}

type epochsRise struct{ memoryless }

func (epochsRise) breaks(m *Monitor, i int, now *View) *Breach {
	if was := m.nodes[i].Epoch; now.Epoch < was {
		return breach("the epoch of node %s goes back from %d to %d", m.name(i), was, now.Epoch)
	}
	return nil
}
