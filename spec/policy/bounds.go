package policy

import (
	"fmt"
	"math"
	"time"
)

// Error says which field of a Timing is wrong, and how.
type Error struct {
	Field   string        // such as Patience
	Rule    string        // the rule that it breaks, such as R37 d; "" if there is none
	Needed  time.Duration // what it must be above, or at least; 0 if it is wrong in another way
	Problem string        // such as: is 100ms, but must be above 249.486ms: an ACK supports its leader for two checks
}

// Error names the field, says what is wrong with it, and which rule that breaks.
func (e *Error) Error() string {
	if e.Rule == "" {
		return "policy: Timing." + e.Field + " " + e.Problem
	}
	return "policy: Timing." + e.Field + " " + e.Problem + " (" + e.Rule + ")"
}

// bound is what a timer must be above (R37).
type bound struct {
	rule  string
	field string
	value time.Duration
	above float64 // exclusive, in nanoseconds
	why   string
}

// Validate returns nil if the timing keeps every bound of R37, and else an *Error with the first field that does not, the
// letter of the bound, and the value that is needed.
func (t Timing) Validate() error {
	if err := t.ValidateLengths(); err != nil {
		return err
	}
	for _, b := range t.bounds() {
		if float64(b.value) <= b.above {
			return breach(b.field, b.rule, b.value, "above", ceil(b.above), b.why)
		}
	}
	if t.Coordinator < 2*t.Election {
		return breach("Coordinator", "R37 h", t.Coordinator, "at least", 2*t.Election, "a higher node may open its own election one Election later")
	}
	return nil
}

// bounds returns bounds a to g. Products and sums are rounded one by one: some machines would round them once, and what is
// simulated must be the same on all.
func (t *Timing) bounds() [7]bound {
	up, delay := float64(1+t.Drift), float64(t.Delay)
	three := float64(3 * delay)
	lease := func(first, second time.Duration) float64 {
		return float64(up * float64(float64(t.slow(first)+t.slow(second))+three))
	}
	return [...]bound{
		{"R37 a", "Election", t.Election, float64(float64(2*delay) * up), "every ELECTION must have been answered"},
		{"R37 b", "Claim", t.Claim, float64(float64(4*delay) * up), "a claim by way of a hand-over takes four messages"},
		{"R37 c", "Reign", t.Reign, float64(t.Heartbeat) + float64(three*up), "a heartbeat must have been acknowledged between two checks"},
		{"R37 d", "Patience", t.Patience, lease(t.Reign, t.Reign), "an ACK supports its leader for two checks"},
		{"R37 e", "Coordinator", t.Coordinator, lease(t.Election, t.Claim), "whoever said OK has its election and its claim"},
		{"R37 f", "Coordinator", t.Coordinator, lease(t.Claim, t.Reign), "a GRANT supports a claim and a reign until its first check"},
		{"R37 g", "Coordinator", t.Coordinator, lease(t.Reign, t.Reign), "it must outlast the lease of a follower"},
	}
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
		{"Coordinator", t.Coordinator, 1}, {"Claim", t.Claim, 1}, {"Stagger", t.Stagger, 0}, {"Settle", t.Settle, 0},
		{"Preempt", t.Preempt, math.MinInt64},
	} {
		if field.value < field.least {
			return &Error{Field: field.name, Problem: fmt.Sprintf("is %v, but must be at least %v", field.value, field.least)}
		}
		if field.value > MaxTiming {
			return &Error{Field: field.name, Problem: fmt.Sprintf("is %v, but must be at most %v", field.value, MaxTiming)}
		}
	}
	if !(t.Drift >= 0 && t.Drift < 1) { // written so that no number is refused as well
		return &Error{Field: "Drift", Rule: "R37", Problem: fmt.Sprintf("is %v, but must be from 0 to below 1", t.Drift)}
	}
	return nil
}

// breach is the error for a field that breaks a bound.
func breach(field, rule string, value time.Duration, relation string, needed time.Duration, why string) error {
	return &Error{Field: field, Rule: rule, Needed: needed, Problem: fmt.Sprintf("is %v, but must be %s %v: %s", value, relation, needed, why)}
}

// ceil rounds up to a microsecond, which is as exact as a person wants it.
func ceil(nanoseconds float64) time.Duration {
	return time.Duration(math.Ceil(nanoseconds/1e3)) * time.Microsecond
}
