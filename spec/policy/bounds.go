package policy

import (
	"fmt"
	"math"
	"time"
)

// Error says which field of a Timing or a PhiConfig is wrong, and how.
type Error struct {
	Field   string // such as Timing.Patience
	Rule    string // the rule that it breaks, such as R37 d; "" if there is none
	Problem string // such as: is 100ms, but must be at least 153.031ms: the lease of a follower must outlast the reign that it backs
}

// Error names the field, says what is wrong with it, and which rule that breaks.
func (e *Error) Error() string {
	if e.Rule == "" {
		return "policy: " + e.Field + " " + e.Problem
	}
	return "policy: " + e.Field + " " + e.Problem + " (" + e.Rule + ")"
}

// bound is what a timer must be above, or at least (R37).
type bound struct {
	rule    string
	field   string
	value   time.Duration
	needed  float64 // in nanoseconds
	atLeast bool    // else above
	acting  bool    // OneActing needs it
	why     string
}

// Validate returns nil if the timing keeps every bound of R37, and else an *Error with the first field that does not, the
// letter of the bound, and the value that is needed.
//
// OneActing needs bounds d, g and i, and nothing of Delay. All others are for there to be a leader, and for one that is well to lead on.
func (t Timing) Validate() error {
	if err := t.ValidateLengths(); err != nil {
		return err
	}
	return t.validate(func(*bound) bool { return true })
}

// ValidateActing returns nil if the timing keeps the bounds of R37 that OneActing needs, and else as Validate does.
func (t Timing) ValidateActing() error {
	if err := t.ValidateLengths(); err != nil {
		return err
	}
	return t.validate(func(b *bound) bool { return b.acting })
}

// validate returns nil if some bounds are kept.
func (t *Timing) validate(asked func(*bound) bool) error {
	for _, b := range t.bounds() {
		switch value := float64(b.value); {
		case !asked(&b):
		case b.atLeast && value < b.needed:
			return breach(&b, "at least")
		case !b.atLeast && value <= b.needed:
			return breach(&b, "above")
		}
	}
	return nil
}

// bounds returns bounds a to i; there is no f any more.
func (t *Timing) bounds() [8]bound {
	reign, elected := t.reign(), t.elected()
	return [...]bound{
		{"R37 a", "Election", t.Election, t.fast(2 * float64(t.Delay)), false, false, "every ELECTION must have been answered"},
		{"R37 b", "Claim", t.Claim, t.fast(4 * float64(t.Delay)), false, false, "a claim by way of a hand-over takes four messages"},
		{"R37 c", "Reign", t.Reign, t.answered(0), false, false, "a question must have been answered before the one that dates the reign is too old"},
		{"R37 d", "Patience", t.Patience, reign, true, true, "the lease of a follower must outlast the reign that it backs"},
		{"R37 e", "Coordinator", t.Coordinator, elected, false, false, "whoever said OK has its election and its claim"},
		{"R37 g", "Coordinator", t.Coordinator, reign, true, true, "it must outlast the reign that a grant or a forgotten answer backs"},
		{"R37 h", "Coordinator", t.Coordinator, 2 * float64(t.Election), true, false, "a higher node may open its own election one Election later"},
		{"R37 i", "Reign", t.Reign, float64(t.Claim), true, true, "a claim must end no later than the reign that it would win"},
	}
}

// The rest is what the bounds are, in nanoseconds. Products and sums are rounded one by one: some machines would round them once, and
// what is simulated must be the same on all.

// fast returns what a timer must be set to, to run for so long by the fastest clock.
func (t *Timing) fast(length float64) float64 { return float64(float64(1+t.Drift) * length) }

// reign returns what patience must be set to, to outlast Reign: it by the fastest clock, and Quorum by the slowest (bounds d, g).
func (t *Timing) reign() float64 { return t.fast(t.slow(t.Reign)) }

// elected returns what Coordinator must be set to for a higher node to have asked, claimed and said that it leads (bound e).
func (t *Timing) elected() float64 {
	return t.fast(float64(float64(t.slow(t.Election)+t.slow(t.Claim)) + float64(3*float64(t.Delay))))
}

// answered returns what Quorum must be set to, for a leader to go on of whose questions so many, one after the other, get no answer in
// time (bound c). Until the next one there is a Heartbeat; or, after a claim that was granted by way of a hand-over, four messages.
// Each question is late by a Delay, and the Heartbeat to the next runs from it; there and back takes two. It is for two clocks: that of
// Heartbeat may be the slowest, and that of Reign the fastest.
func (t *Timing) answered(lost int) float64 {
	next := max(t.slow(t.Heartbeat), float64(4*float64(t.Delay)))
	more := float64(float64(lost) * float64(t.slow(t.Heartbeat)+float64(t.Delay)))
	return t.fast(float64(float64(next+more) + float64(3*float64(t.Delay))))
}

// ValidateLengths returns nil if the timing is one at all, be it that it breaks bounds of R37: its fields are lengths of time,
// of at most MaxTiming, and a rate. Else the *Error has the first field that is none.
func (t Timing) ValidateLengths() error {
	for _, field := range [...]struct {
		name  string
		value time.Duration
		least time.Duration
	}{
		{"Delay", t.Delay, 1}, {"Heartbeat", t.Heartbeat, 1}, {"Reign", t.Reign, 1}, {"Patience", t.Patience, 1}, {"Election", t.Election, 1},
		{"Coordinator", t.Coordinator, 1}, {"Claim", t.Claim, 1}, {"Stagger", t.Stagger, 0}, {"Defer", t.Defer, 0},
		{"Preempt", t.Preempt, math.MinInt64},
	} {
		if field.value < field.least {
			return &Error{Field: "Timing." + field.name, Problem: fmt.Sprintf("is %v, but must be at least %v", field.value, field.least)}
		}
		if field.value > MaxTiming {
			return &Error{Field: "Timing." + field.name, Problem: fmt.Sprintf("is %v, but must be at most %v", field.value, MaxTiming)}
		}
	}
	if !(t.Drift >= 0 && t.Drift < 1) { // written so that no number is refused as well
		return &Error{Field: "Timing.Drift", Rule: "R37", Problem: fmt.Sprintf("is %v, but must be from 0 to below 1", t.Drift)}
	}
	return nil
}

// breach is the error for a field that breaks a bound.
func breach(b *bound, relation string) error {
	return &Error{Field: "Timing." + b.field, Rule: b.rule, Problem: fmt.Sprintf("is %v, but must be %s %v: %s", b.value, relation, ceil(b.needed), b.why)}
}

// ceil rounds up to a microsecond, which is as exact as a person wants it.
func ceil(nanoseconds float64) time.Duration {
	return time.Duration(math.Ceil(nanoseconds/1e3)) * time.Microsecond
}
