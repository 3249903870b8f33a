package sim

import (
	"fmt"
	"time"
)

// SlowDiskFault makes saves of Node take Disk for For.
const SlowDiskFault FaultKind = "slow-disk"

func init() {
	register(kind{
		name: SlowDiskFault, place: 5, fields: []string{"node", "for", "disk"}, whileDown: true,
		words: func(f *Fault, _ string) string {
			return fmt.Sprintf("a save of node %s takes %s for %s", f.Node, f.Disk, f.For)
		},
		begin: func(r *Runner, n int, _ *Fault, i rank) {
			r.active[n] = true
			r.setDisk(i)
		},
		end:     func(r *Runner, _ int, _ *Fault, i rank) { r.setDisk(i) },
		slowest: func(f *Fault) (delay, disk time.Duration) { return 0, f.Disk.Max },
		check:   func(f *Fault) error { return validateRange(f.Disk, "Disk") },
		plain: func(k *shrinker, _ Fault, at func(*Plan) *Fault) {
			k.constant(func(p *Plan) *Range { return &at(p).Disk })
		},
		draws: []drawEpisode{(*drawing).slowDisk},
	})
}

// setDisk makes the disk of a node as slow as the last fault says, or the plan.
func (r *Runner) setDisk(i rank) {
	disk := r.plan.Disk
	for n := range r.plan.Faults {
		if f := &r.plan.Faults[n]; r.active[n] && f.Kind == SlowDiskFault && f.Node == r.members[i] {
			disk = f.Disk
		}
	}
	r.net.SetDisk(int(i), disk)
}

func (d *drawing) slowDisk(at time.Duration) {
	slow := d.within(d.plan.Timing.Delay / 20)
	if d.wild {
		slow = d.within(pick[time.Duration](&d.dice, 1, 4, 20) * d.plan.Timing.Delay)
	}
	d.add(Fault{At: at, For: d.span(), Kind: SlowDiskFault, Node: d.target(at), Disk: slow})
}
