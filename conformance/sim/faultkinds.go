package sim

import (
	"fmt"

	"github.com/seed-fdf591db/bully/spec"
)

// The kinds of faults: what each has, says, does, undoes and bounds, and how it is made plainer.

// CrashFault crashes Node at At, or in its first step from At on (Cut), and restarts it after For.
const CrashFault FaultKind = "crash"

var crashKind = kind{
	name: CrashFault, fields: []string{"node", "point", "for"},
	words: func(f *Fault, _ string) string {
		return fmt.Sprintf("node %s crashes %s, and restarts %s later", f.Node, f.Point, f.For)
	},
	begin: func(r *Runner, n int, f *Fault, i rank) {
		if h := &r.hosts[i]; f.Point != Between {
			h.crash = n
		} else if r.net.Crash(int(i)) {
			h.downBy = n
			r.links.disturbAll(r, i)
		}
	},
	end: endCrash,
	plain: func(k *shrinker, f Fault, at func(*Plan) *Fault) {
		for q := Between; q < f.Point && !k.try(func(p *Plan) { at(p).Point = q }); q++ {
		}
	},
}

// CutFault makes Links carry nothing for For, and loses what is under way on them.
const CutFault FaultKind = "cut"

var cutKind = kind{
	name: CutFault, fields: []string{"links", "for"},
	words: func(f *Fault, links string) string { return fmt.Sprintf("%s cut for %s", links, f.For) },
	begin: func(r *Runner, _ int, f *Fault, _ rank) { r.setCuts(f.Links, r.net.Cut) },
	end:   func(r *Runner, _ int, f *Fault, _ rank) { r.heal(f.Links) },
}

// BreakFault loses what is under way on Links, at once, and is over.
const BreakFault FaultKind = "break"

var breakKind = kind{
	name: BreakFault, fields: []string{"links"},
	words: func(_ *Fault, links string) string { return links + " broken: what is under way is lost" },
	begin: func(r *Runner, _ int, f *Fault, _ rank) {
		for _, l := range f.Links {
			from, to := r.members.of(&l.From), r.members.of(&l.To)
			r.links.disturb(from, to, r.net.Now())
			r.net.Break(int(from), int(to), func(m spec.Message) { r.lose(&m) })
		}
	},
}

// ConditionsFault gives Links another Conditions for For.
const ConditionsFault FaultKind = "conditions"

var conditionsKind = kind{
	name: ConditionsFault, fields: []string{"links", "for", "delay", "loss", "repeated"},
	words: func(f *Fault, links string) string { return fmt.Sprintf("%s for %s: %s", links, f.For, f.Conditions) },
	begin: func(r *Runner, n int, f *Fault, _ rank) {
		r.active[n] = true
		r.setConditions(f.Links)
	},
	end:   func(r *Runner, _ int, f *Fault, _ rank) { r.setConditions(f.Links) },
	check: func(f *Fault) error { return validateConditions(&f.Conditions, "Conditions") },
	plain: func(k *shrinker, f Fault, at func(*Plan) *Fault) {
		k.tryIf(f.Loss != 0, func(p *Plan) { at(p).Loss = 0 })
		k.tryIf(f.Repeated != 0, func(p *Plan) { at(p).Repeated = 0 })
		k.tryIf(at(&k.plan).Loss != 0 && f.Loss != 1, func(p *Plan) { at(p).Loss = 1 })
		k.constant(func(p *Plan) *Range { return &at(p).Delay })
	},
}

// PauseFault lets Node do nothing for For: its timers run, its messages wait.
const PauseFault FaultKind = "pause"

var pauseKind = kind{
	name: PauseFault, fields: []string{"node", "for"}, untimely: true,
	words: func(f *Fault, _ string) string { return fmt.Sprintf("node %s pauses for %s", f.Node, f.For) },
	begin: func(r *Runner, _ int, f *Fault, i rank) { r.net.Pause(int(i), f.For) },
}

// SlowDiskFault makes saves of Node take Disk for For.
const SlowDiskFault FaultKind = "slow-disk"

var slowDiskKind = kind{
	name: SlowDiskFault, fields: []string{"node", "for", "disk"}, whileDown: true,
	words: func(f *Fault, _ string) string {
		return fmt.Sprintf("a save of node %s takes %s for %s", f.Node, f.Disk, f.For)
	},
	begin: func(r *Runner, n int, _ *Fault, i rank) {
		r.active[n] = true
		r.setDisk(i)
	},
	end:   func(r *Runner, _ int, _ *Fault, i rank) { r.setDisk(i) },
	check: func(f *Fault) error { return validateRange(f.Disk, "Disk") },
	plain: func(k *shrinker, _ Fault, at func(*Plan) *Fault) {
		k.constant(func(p *Plan) *Range { return &at(p).Disk })
	},
}

// FailDiskFault fails the next save of Node from At on: what was to be saved is on disk if Kept, and the node stops for
// good. It is restarted after For.
const FailDiskFault FaultKind = "fail-disk"

var failDiskKind = kind{
	name: FailDiskFault, fields: []string{"node", "for", "kept"},
	words: func(f *Fault, _ string) string {
		kept := "is not on disk"
		if f.Kept {
			kept = "is on disk"
		}
		return fmt.Sprintf("the next save of node %s fails, and %s; it restarts %s later", f.Node, kept, f.For)
	},
	begin: func(r *Runner, n int, _ *Fault, i rank) { r.hosts[i].fail = n },
	end:   endCrash,
	plain: func(k *shrinker, f Fault, at func(*Plan) *Fault) {
		k.tryIf(f.Kept, func(p *Plan) { at(p).Kept = false })
	},
}

// JumpFault lets the clock of Node jump ahead by For, as one does that was suspended and tells nobody.
const JumpFault FaultKind = "jump"

var jumpKind = kind{
	name: JumpFault, fields: []string{"node", "for"}, untimely: true, unsteady: true, instant: true,
	words: func(f *Fault, _ string) string {
		return fmt.Sprintf("the clock of node %s jumps ahead by %s", f.Node, f.For)
	},
	begin: func(r *Runner, _ int, f *Fault, i rank) { r.net.Jump(int(i), f.For) },
}

// EarlyFault ends all timers of Node, whenever they would end.
const EarlyFault FaultKind = "early"

var earlyKind = kind{
	name: EarlyFault, fields: []string{"node"}, untimely: true, unsteady: true,
	words: func(f *Fault, _ string) string { return fmt.Sprintf("all timers of node %s end", f.Node) },
	begin: func(r *Runner, _ int, _ *Fault, i rank) { r.net.EndTimers(int(i)) },
}

// DeadFault tells Node that the holder of its lease is dead, true or not.
const DeadFault FaultKind = "dead"

var deadKind = kind{
	name: DeadFault, fields: []string{"node"}, untimely: true, unsteady: true,
	words: func(f *Fault, _ string) string {
		return fmt.Sprintf("node %s is told that the holder of its lease is dead", f.Node)
	},
	begin: func(r *Runner, _ int, _ *Fault, i rank) { r.net.Call(int(i), 0, deadTag) },
}

// ResignFault calls Node to resign.
const ResignFault FaultKind = "resign"

var resignKind = kind{
	name: ResignFault, fields: []string{"node"},
	words: func(f *Fault, _ string) string { return fmt.Sprintf("node %s is called to resign", f.Node) },
	begin: func(r *Runner, _ int, _ *Fault, i rank) { r.net.Call(int(i), 0, resignTag) },
}
