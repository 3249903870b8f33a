package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// CutFault makes Links carry nothing for For, and loses what is under way on them.
const CutFault FaultKind = "cut"

func init() {
	register(kind{
		name: CutFault, place: 3, fields: []string{"links", "for"},
		words: func(f *Fault, links string) string { return fmt.Sprintf("%s cut for %s", links, f.For) },
		begin: func(r *Runner, _ int, f *Fault, _ rank) { r.setCuts(f.Links, r.net.Cut) },
		end:   func(r *Runner, _ int, f *Fault, _ rank) { r.heal(f.Links) },
		draws: []drawEpisode{(*drawing).split, (*drawing).oneWay, (*drawing).partial, (*drawing).flapping, (*drawing).cutOff},
	})
}

func (d *drawing) split(at time.Duration) {
	in, out := d.someNodes()
	d.onLinks(Fault{At: at, For: d.span(), Kind: CutFault, Links: d.both(in, out)})
}

func (d *drawing) oneWay(at time.Duration) {
	in, out := d.someNodes()
	d.onLinks(Fault{At: at, For: d.span(), Kind: CutFault, Links: d.links(in, out)})
}

func (d *drawing) partial(at time.Duration) {
	d.onLinks(Fault{At: at, For: d.span(), Kind: CutFault, Links: d.someLinks(at)})
}

// flapping cuts the same links again and again.
func (d *drawing) flapping(at time.Duration) {
	links, cut, open := d.someLinks(at), d.span()/2, d.span()/2
	for range 2 + d.below(5) {
		d.onLinks(Fault{At: at, For: cut, Kind: CutFault, Links: links})
		at += cut + open
	}
}

// cutOff cuts one node off from some of the others, or from all.
func (d *drawing) cutOff(at time.Duration) {
	hit := slices.Index(d.plan.Members, d.target(at))
	is := func(i int) bool { return i == hit }
	from := d.all
	if d.one(2) {
		from, _ = d.someNodes()
	}
	d.onLinks(Fault{At: at, For: d.span(), Kind: CutFault, Links: d.both(is, from)})
}

// setCuts cuts links, or heals them, by set.
func (r *Runner) setCuts(links []spec.Link, set func(from, to int) bool) {
	r.links.note(r)
	changed := false
	for _, l := range links {
		from, to := r.members.of(&l.From), r.members.of(&l.To)
		if set(int(from), int(to)) {
			changed = true
			r.links.disturb(from, to, r.net.Now())
		}
	}
	if changed {
		r.result.Stats.Actions[cutAction]++
		r.writeEvent(r.cutEvent)
	}
}

// heal lets links carry again, and nodes connect over them.
func (r *Runner) heal(links []spec.Link) {
	r.setCuts(links, r.net.Heal)
	for _, l := range links {
		r.connectSoon(r.members.of(&l.From), r.members.of(&l.To))
	}
}
