package monitor

import "github.com/seed-fdf591db/bully/spec"

var noStaleWrite = Promise{
	Name: spec.NoStaleWrite, Says: "A fenced resource admits no epoch below the highest that it has admitted.", When: Always,
	check: func() check { return &fence{} },
}

// fence is the highest epoch that the resource has admitted, and whose write that was.
type fence struct {
	highest spec.Epoch
	by      int
}

func (f *fence) breaks(m *Monitor, i int, now *View) *Breach {
	if now.Writes == 0 || now.Writes >= f.highest {
		return nil
	}
	return breach("a write of node %s is admitted in %s, though one of node %s was admitted in %s", m.name(i), m.epoch(now.Writes), m.name(f.by), m.epoch(f.highest))
}

func (f *fence) note(_ *Monitor, i int, now *View) {
	if now.Writes > f.highest {
		f.highest, f.by = now.Writes, i
	}
}

func (f *fence) reset() { *f = fence{} }
