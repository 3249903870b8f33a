package sim

import (
	"fmt"
	"slices"
	"time"
)

// CrashFault crashes Node at At, or in its first step from At on (Cut), and restarts it after For.
const CrashFault FaultKind = "crash"

func init() {
	register(kind{
		name: CrashFault, place: 4, exclusive: true, fields: []string{"node", "point", "for"},
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
			for q := Between; q < f.Point && !k.Try(func(p *Plan) { at(p).Point = q }); q++ {
			}
		},
		draws: []drawEpisode{(*drawing).crash, (*drawing).cascade, (*drawing).repeated, (*drawing).allAtOnce, (*drawing).erode},
	})
}

func (d *drawing) point() Point {
	return pick(&d.dice, Between, Between, BeforeSave, AfterSave, AfterSave, AfterSave+1, AfterSave+Point(d.below(MaxNodes)))
}

func (d *drawing) crash(at time.Duration) {
	d.add(Fault{At: at, For: d.span(), Kind: CrashFault, Node: d.target(at), Point: d.point()})
}

// cascade crashes the highest nodes, one after the other, each at about the time when it has come to lead.
func (d *drawing) cascade(at time.Duration) {
	t := &d.plan.Timing
	n := len(d.plan.Members)
	for i := range 1 + d.below(n) {
		d.add(Fault{At: at, For: d.span(), Kind: CrashFault, Node: d.plan.Members[n-1-i], Point: d.point()})
		at += pick(&d.dice, 0, t.Delay, t.Patience, t.Patience+t.Election+t.Claim) + d.between(0, 5*t.Delay)
	}
}

// repeated crashes one node again and again, now and then before its silence (R30) is over.
func (d *drawing) repeated(at time.Duration) {
	node := d.target(at)
	for range 2 + d.below(4) {
		down := d.span() / 2
		d.add(Fault{At: at, For: down, Kind: CrashFault, Node: node, Point: d.point()})
		at += down + d.span()/2 + time.Microsecond
	}
}

// allAtOnce crashes all nodes at the same moment or nearly so.
func (d *drawing) allAtOnce(at time.Duration) {
	apart := pick(&d.dice, 0, d.plan.Timing.Delay, d.plan.Timing.Coordinator)
	down := d.span()
	for _, node := range d.plan.Members {
		f := Fault{At: at + d.between(0, apart), For: down, Kind: CrashFault, Node: node, Point: Between}
		if d.one(2) {
			f.For = d.span()
		}
		d.add(f)
	}
}

// erode takes its followers from who is likely to lead, one after the other: by a cut, or by a short crash and a cut. So
// leases end, and are forgotten, at different times, while the leader still acts.
func (d *drawing) erode(at time.Duration) {
	t, n := &d.plan.Timing, len(d.plan.Members)
	hit := slices.Index(d.plan.Members, d.target(at))
	until := at + t.Patience + pick(&d.dice, t.Election, t.Patience, 2*t.Patience)
	for i := range n {
		from := at + d.between(0, until-at)
		if i == hit || d.one(4) {
			continue
		}
		if d.one(3) {
			down := d.between(0, pick(&d.dice, t.Delay, t.Election, t.Claim))
			d.add(Fault{At: from, For: down, Kind: CrashFault, Node: d.plan.Members[i], Point: d.point()})
		}
		is, other := func(k int) bool { return k == hit }, func(k int) bool { return k == i }
		links := d.both(is, other)
		if d.one(4) {
			links = pick(&d.dice, d.links(is, other), d.links(other, is))
		}
		d.add(Fault{At: from, For: until - from + d.between(0, t.Reign), Kind: CutFault, Links: links})
	}
}

// endCrash ends a fault that crashes a node. A crash whose point has not come does not come any more.
func endCrash(r *Runner, n int, _ *Fault, i rank) {
	h := &r.hosts[i]
	if h.crash == n {
		h.crash = -1
	}
	if h.fail == n {
		h.fail = -1
	}
	r.restartAfter(n)
}

// restartAfter restarts the node that a fault has crashed, if it is down.
func (r *Runner) restartAfter(n int) {
	i := r.members.of(&r.plan.Faults[n].Node)
	if r.hosts[i].downBy == n && !r.net.Up(int(i)) {
		r.hosts[i].downBy = -1
		r.restart(i)
	}
}
