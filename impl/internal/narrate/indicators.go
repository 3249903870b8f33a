package narrate

import (
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// Rules is the indicator of what is no promise.
const Rules = "Rules"

// IndicatorOf returns the indicator of a promise, as it is before anything happens. What is proved is proved of our rules alone.
func IndicatorOf(p *check.Promise, ours bool) recording.Indicator {
	l := recording.Indicator{Name: string(p.Name), Says: p.Says, Light: recording.Green, Once: p.When == check.Always}
	if ours && p.Proved != "" {
		l.Says += " " + p.Proved
	}
	if p.Now != "" {
		l.Says += " Amber: " + p.Now
	}
	return l
}

// Turned returns the indicator of a promise that has come to be broken, or to hold again.
func Turned(l *check.Light) recording.Indicator {
	turned := recording.Indicator{Name: string(l.Promise.Name), Says: l.Problem, Light: recording.Red}
	switch {
	case l.Problem == "":
		turned.Light = recording.Green
	case l.Promise.When == check.Eventually:
		turned.Light = recording.Amber
	}
	return turned
}

// RulesIndicator returns the indicator Rules, as it is before anything happens.
func RulesIndicator() recording.Indicator {
	return recording.Indicator{Name: Rules, Says: "Every step is one that the rules of the specification allow.", Light: recording.Green, Once: true}
}

// indicatorsOf returns the indicators of a recording of ours, as they are before anything happens.
func indicatorsOf(l *check.Lights) (all []recording.Indicator) {
	for _, p := range l.Promises() {
		all = append(all, IndicatorOf(p, true))
	}
	return append(all, RulesIndicator())
}

// indicators returns the indicators that have changed with the last event, whose frame is f.
func (t *Narrator) indicators(f *recording.Frame) (changed []recording.Indicator) {
	if f.Node >= 0 && f.State != nil {
		t.see(f.Node)
	}
	for _, l := range t.lights.Changed() {
		turned := Turned(&l)
		if t.options.Real && l.Promise.Name == spec.OneActing && l.Problem != "" {
			turned.Says += heldUp
		}
		changed = append(changed, turned)
	}
	return changed
}

// heldUp is said where real nodes act together: that they do not takes clocks that go, and processes that run (section 3).
const heldUp = "; that can be if one of them was held up, which its log says then"

// see lets the promises be judged by what a node is now.
func (t *Narrator) see(i int) {
	n := &t.nodes[i]
	now := check.ViewOf(&n.state)
	if !n.up || n.silent {
		now = now.Down()
	}
	t.lights.See(i, &now)
}
