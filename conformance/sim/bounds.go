package sim

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/spec/policy"
)

// longest bounds every time in a plan: far from where sums of durations overflow.
const longest = 1000 * time.Hour

// Validate returns nil if a run of the plan means something. Else the error names the field, and says what it must be. A
// plan may break every bound of R37: it is then not Timely.
func (p *Plan) Validate() error {
	if err := p.validate(); err != nil {
		return fmt.Errorf("sim: plan: %w", err)
	}
	return nil
}

// wrong is the error for a field: it begins with its name, which is as it is in Go.
func wrong(format string, args ...any) error { return fmt.Errorf(format, args...) }

func (p *Plan) validate() error {
	if p.Seed > 1<<53-1 {
		return wrong("Seed is %d, but must be at most 2^53-1", p.Seed)
	}
	if err := p.validateMembers(); err != nil {
		return err
	}
	if err := validateTiming(&p.Timing); err != nil {
		return err
	}
	if err := validateConditions(&p.Links, "Links"); err != nil {
		return err
	}
	if err := validateRange(p.Disk, "Disk"); err != nil {
		return err
	}
	if p.Length < 0 || p.Length > longest {
		return wrong("Length is %v, but must be from 0 to %v", p.Length, longest)
	}
	if len(p.Rates) != 0 && len(p.Rates) != len(p.Members) {
		return wrong("Rates are %d, but must be none, or one for each of the %d members", len(p.Rates), len(p.Members))
	}
	for i, rate := range p.Rates {
		if !(rate >= minRate && rate <= maxRate) { // written so that no number is refused as well
			return wrong("Rates[%d] is %v, but must be from %v to %v", i, rate, minRate, maxRate)
		}
	}
	for i := range p.Faults {
		if err := p.validateFault(i); err != nil {
			return fmt.Errorf("Faults[%d].%w", i, err)
		}
	}
	return p.validateChanges()
}

const minRate, maxRate = 0.001, 1000

func (p *Plan) validateMembers() error {
	if len(p.Members) < 1 || len(p.Members) > MaxNodes {
		return wrong("Members are %d, but must be 1 to %d", len(p.Members), MaxNodes)
	}
	for i, id := range p.Members {
		if !id.Valid() {
			return wrong("Members[%d] is %s, which is no id", i, id)
		}
		if i > 0 && p.Members[i-1].Compare(id) >= 0 {
			return wrong("Members[%d] is %s, but must be above %s: give them ascending, each once", i, id, p.Members[i-1])
		}
	}
	return nil
}

func validateTiming(t *Timing) error {
	var e *policy.Error
	if errors.As(t.ValidateLengths(), &e) {
		return wrong("%s %s", e.Field, e.Problem)
	}
	return nil
}

func validateRange(r Range, field string) error {
	if r.Min < 0 || r.Max < r.Min || r.Max > longest {
		return fmt.Errorf("%s is from %v to %v, but must be from 0 to %v, and ascending", field, r.Min, r.Max, longest)
	}
	return nil
}

func validateConditions(c *Conditions, field string) error {
	if err := validateRange(c.Delay, field+".Delay"); err != nil {
		return err
	}
	if !(c.Loss >= 0 && c.Loss <= 1) {
		return fmt.Errorf("%s.Loss is %v, but must be from 0 to 1", field, c.Loss)
	}
	if !(c.Repeated >= 0 && c.Repeated <= 1) {
		return fmt.Errorf("%s.Repeated is %v, but must be from 0 to 1", field, c.Repeated)
	}
	return nil
}

// validateFault says what is wrong with a fault, from the name of the field on.
func (p *Plan) validateFault(n int) error {
	f := &p.Faults[n]
	switch {
	case !f.Kind.valid():
		return wrong("Kind is %q, which is no fault", f.Kind)
	case f.At < 0 || f.At > longest:
		return wrong("At is %v, but must be from 0 to %v", f.At, longest)
	case n > 0 && f.At < p.Faults[n-1].At:
		return wrong("At is %v, but must not be before that of the fault before, %v", f.At, p.Faults[n-1].At)
	case f.For < 0 || f.For > longest:
		return wrong("For is %v, but must be from 0 to %v", f.For, longest)
	case f.end() > p.Length:
		return wrong("For is %v, from %v on, but must be over by Length, %v", f.For, f.At, p.Length)
	case !f.Kind.ofLinks() && !slices.Contains(p.Members, f.Node):
		return wrong("Node is %s, which is no member", f.Node)
	case f.Kind == HandOverFault && !slices.Contains(p.Members, f.To):
		return wrong("To is %s, which is no member", f.To)
	case f.Point < Between:
		return wrong("Point is %d, but must be at least %d", f.Point, Between)
	}
	if check := f.Kind.kind().check; check != nil {
		if err := check(f); err != nil {
			return err
		}
	}
	if f.Kind.ofLinks() {
		return p.validateLinks(f)
	}
	return nil
}

func (p *Plan) validateLinks(f *Fault) error {
	if len(f.Links) == 0 {
		return wrong("Links are none, but must be at least one")
	}
	for i, l := range f.Links {
		if l.From == l.To || !slices.Contains(p.Members, l.From) || !slices.Contains(p.Members, l.To) {
			return wrong("Links[%d] is from %s to %s, but must be between two members", i, l.From, l.To)
		}
		if slices.Contains(f.Links[:i], l) {
			return wrong("Links[%d] is from %s to %s, which is there twice", i, l.From, l.To)
		}
	}
	return nil
}

// sound reports whether the clocks of the plan are within ρ, patience outlasts reigns, and no proof of death is false. That is all
// that OneActing needs: whatever the network and the hosts do (R37).
func (p *Plan) sound() bool {
	for i := range p.Faults {
		if p.Faults[i].Kind.kind().unsteady {
			return false
		}
	}
	return p.Timing.ValidateActing() == nil && p.steady()
}

// Timely reports whether everything in the plan stays within the bounds of R37. Then NoDisruption is asked throughout; if not,
// never.
func (p *Plan) Timely() bool {
	for i := range p.Faults {
		if p.Faults[i].Kind.kind().untimely {
			return false
		}
	}
	delay, disk := p.slowest()
	return p.Timing.Validate() == nil && p.steady() && p.covers(delay, disk) && !p.repeats()
}

// repeats reports whether messages may come once more, and so later than δ.
func (p *Plan) repeats() bool {
	for i := range p.Faults {
		if p.Faults[i].Repeated > 0 {
			return true
		}
	}
	return p.Links.Repeated > 0
}

// slowest returns how long at most a message is under way, and a save takes.
func (p *Plan) slowest() (delay, disk time.Duration) {
	delay, disk = p.Links.Delay.Max, p.Disk.Max
	for i := range p.Faults {
		f := &p.Faults[i]
		if slowest := f.Kind.kind().slowest; slowest != nil {
			message, save := slowest(f)
			delay, disk = max(delay, message), max(disk, save)
		}
	}
	return delay, disk
}

// covers reports whether δ covers a message that is under way so long, between two nodes whose disks are so slow: the sender
// saves before it sends, and the receiver may be saving. That more than one save comes first is rare; a run notices it.
func (p *Plan) covers(delay, disk time.Duration) bool { return delay+2*disk < p.Timing.Delay }

// steady reports whether the clocks drift no more than ρ.
func (p *Plan) steady() bool {
	for _, rate := range p.Rates {
		if rate < 1-p.Timing.Drift || rate > 1+p.Timing.Drift {
			return false
		}
	}
	return true
}

// settles reports whether the cluster comes to rest when the faults of the plan are over: what holds throughout is within the
// bounds of R37.
func (p *Plan) settles() bool {
	return p.Timing.Validate() == nil && p.steady() && p.covers(p.Links.Delay.Max, p.Disk.Max)
}

// SettleBound returns how long after Length there must be one leader whom everybody follows, and it the highest, if it can
// pre-empt. It is 0 if nothing is promised: what the plan says of timing, links, disks and clocks breaks a bound of R37.
//
// From Length on all nodes run, all links are whole, and nothing is lost; all that follows is by the slowest clock.
//
//  1. Whatever a node waits for by then, it has waited for after the longest of all waits: that for the end of a lease, that
//     after an attempt in vain, and its place among the others. No lease is left but those of who leads or stands.
//  2. Now the highest node stands, if nobody leads, after another wait at most; and if somebody has granted another node
//     meanwhile, and so refuses it, once more after that lease is over. Whoever stands beside it gives way. It leads after
//     an election and a claim.
//  3. Or a lower node has come to lead first. Then all follow it, and nobody but the highest node disturbs it, which stands
//     after its wait for that: every other node supports it, and the leader hands over.
//
// An election and a claim come with each of the three, and some messages. That it is not two rivals again and again rests
// upon the jitter of what is waited after attempts in vain, which no bound can say exactly. No run of some 6000 has taken as much.
// How long the highest node waits before it stands depends upon how often it has stood in vain: see Result.Bound.
//
// Where members change no change is asked for after Length, and all this may come twice: a leader that has been made a witness
// resigns when that is settled; or nobody stands before a member that may not has spoken (R46); or a change is lost after a node
// that it removes has heard of it, and its host stopped it, and it is noticed after a while that it is needed.
func (p *Plan) SettleBound() time.Duration { return p.settleBound(math.MaxInt) }

// settleBound is SettleBound where so many pre-emptions at most have been in vain.
func (p *Plan) settleBound(inVain int) time.Duration {
	if !p.settles() {
		return 0
	}
	t := &p.Timing
	bound := 2*t.LongestWait(len(p.Members)) + t.Coordinator + 3*(t.Election+t.Claim) + t.LongestPreemption(inVain)
	if p.changes() {
		bound = 2*bound + p.stand()
	}
	return t.Slowest(bound) + 20*t.Delay + p.lingers()
}

// lingers returns how long after Length at most something goes on that a fault of the plan has begun: a save on a slow
// disk, and after it a message that is slow; or a node that is to restart, and waits for both.
func (p *Plan) lingers() time.Duration {
	over := time.Duration(0)
	for i := range p.Faults {
		over = max(over, p.Faults[i].end())
	}
	delay, disk := p.slowest()
	return max(0, over+disk+delay-p.Length)
}

// mostEvents returns more than the number of events that there can be until then: in the shortest time that a node waits for
// anything, it sends and answers a few messages to and from each other one. More are a flood, which need not end.
func (p *Plan) mostEvents(until time.Duration) uint64 {
	t, n := &p.Timing, uint64(len(p.Members))
	shortest := max(1, min(t.Heartbeat, t.Delay/2, t.Reign, t.Election, t.Claim))
	return 8*n*n*(1000+uint64(until/shortest)) + 2*uint64(len(p.Faults)) + 4*maxTries*uint64(len(p.Changes))
}
