package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// FaultKind names a fault. The set is closed.
type FaultKind string

// kind is all that there is to know of a kind of fault. Each has a file of its own, which registers it: all else ranges over kinds.
type kind struct {
	name   FaultKind
	place  int      // in kinds, which is the order in which a swarm draws them: a new kind takes the next one
	fields []string // what it has, besides its time and kind, in files too: node or links first
	words  func(f *Fault, links string) string

	begin     func(r *Runner, n int, f *Fault, i rank) // what befalls node i, or links
	whileDown bool                                     // it befalls a node that is down too
	end       func(r *Runner, n int, f *Fault, i rank) // or nil

	untimely bool                                       // it breaks the bounds of R37
	unsteady bool                                       // it breaks those that OneActing needs, too: a clock, or a proof, is wrong
	slowest  func(f *Fault) (delay, disk time.Duration) // how slow it makes messages and saves; or nil
	check    func(f *Fault) error                       // what is wrong with what it alone has; or nil
	instant  bool                                       // For is not how long it lasts
	ofLinks  bool                                       // it befalls links, and not a node: by fields
	lasts    bool                                       // it takes time, or what it did is undone after For: by fields

	draws     []drawEpisode                                     // how a swarm draws it, alone or with others
	exclusive bool                                              // it takes a node: those of one node that do never overlap when they are drawn
	plain     func(k *shrinker, f Fault, at func(*Plan) *Fault) // makes what it alone has plainer; or nil
}

// drawEpisode adds something that goes wrong from about at on to a plan that is drawn: one fault, or many.
type drawEpisode = func(d *drawing, at time.Duration)

// kinds are all of them, by place.
var kinds []*kind

// register adds a kind, which says what it is about by its fields.
func register(k kind) {
	k.ofLinks, k.lasts = k.fields[0] == "links", slices.Contains(k.fields, "for") && !k.instant
	kinds = append(kinds, &k)
	slices.SortFunc(kinds, func(a, b *kind) int { return cmp.Compare(a.place, b.place) })
}

// FaultKinds returns every kind of fault.
func FaultKinds() (names []FaultKind) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// valid reports whether k is one of FaultKinds.
func (k FaultKind) valid() bool { return k.known() != nil }

// kind returns what there is to know.
func (k FaultKind) kind() *kind {
	if known := k.known(); known != nil {
		return known
	}
	return &kind{fields: []string{"node"}, words: func(f *Fault, _ string) string { return string(f.Kind) }}
}

// known is kind, and nil for what is none.
func (k FaultKind) known() *kind {
	for _, known := range kinds {
		if known.name == k {
			return known
		}
	}
	return nil
}

// ofLinks reports whether a fault of this kind befalls links, and not a node.
func (k FaultKind) ofLinks() bool { return k.kind().ofLinks }

// lasts reports whether a fault of this kind takes time: it is over For after At, or what it did is undone then.
func (k FaultKind) lasts() bool { return k.kind().lasts }

// Point is where in a step a crash comes.
type Point int

const (
	// Between is between two steps.
	Between Point = -2
	// BeforeSave is in the next step, before its promise is on disk; if it has none to save, before it is taken.
	BeforeSave Point = -1
	// AfterSave is in the next step, before anything is sent. AfterSave + k is after k messages.
	AfterSave Point = 0
)

// String returns the point as a person would say it: after 2 messages.
func (p Point) String() string {
	switch {
	case p < BeforeSave:
		return "between steps"
	case p == BeforeSave:
		return "before the save"
	case p == AfterSave:
		return "after the save"
	case p == AfterSave+1:
		return "after 1 message"
	}
	return fmt.Sprintf("after %d messages", int(p))
}

// Fault is something that goes wrong. Which fields count, its kind says.
type Fault struct {
	At    time.Duration
	Kind  FaultKind
	Node  spec.NodeID
	To    spec.NodeID
	Links []spec.Link
	Point Point
	For   time.Duration
	Conditions
	Disk Range
	Kept bool
}

// end returns when the fault is over.
func (f *Fault) end() time.Duration {
	if f.Kind.lasts() {
		return f.At + f.For
	}
	return f.At
}

// String returns the fault as a person would say it, with its time.
func (f Fault) String() string { return f.At.String() + " " + f.words(0) }

// words says what the fault does in a cluster of n nodes.
func (f *Fault) words(n int) string { return f.Kind.kind().words(f, linkWords(f.Links, n)) }

// linkWords names links of a cluster of n nodes: 1→2 2→1, or all links.
func linkWords(links []spec.Link, n int) string {
	if len(links) == n*(n-1) {
		return "all links"
	}
	var words []string
	for _, l := range links {
		words = append(words, l.From.String()+"→"+l.To.String())
	}
	return strings.Join(words, " ")
}

// beginFault begins a fault of the plan. What befalls a node that is down is nothing.
func (r *Runner) beginFault(n int) {
	f := &r.plan.Faults[n]
	k, i := f.Kind.kind(), r.members.of(&f.Node)
	if f.Kind.ofLinks() || k.whileDown || r.net.Up(int(i)) {
		k.begin(r, n, f, i)
	}
}

// endFault ends a fault of the plan.
func (r *Runner) endFault(n int) {
	f := &r.plan.Faults[n]
	r.active[n] = false
	if k := f.Kind.kind(); k.end != nil {
		k.end(r, n, f, r.members.of(&f.Node))
	}
}

// lose notes that a message is lost which was the first of all on its link.
func (r *Runner) lose(m *spec.Message) {
	r.result.Stats.Actions[loseAction]++
	r.writeEvent(func() spec.Event { return spec.Event{Action: spec.LoseAction, Input: spec.Input{Message: *m}} })
}

// becomeCalm ends what the plan says of the conditions: nothing is lost any more.
func (r *Runner) becomeCalm() {
	r.calm = true
	if r.result.Bound > 0 {
		r.result.Bound = r.plan.settleBound(int(r.result.Stats.Actions[preemptAction]) + 1)
	}
	conditions := Conditions{Delay: r.plan.Links.Delay}
	for i := range r.members {
		for j := range r.members {
			r.net.SetConditions(i, j, conditions)
		}
	}
	r.settle()
}
