package retell

import (
	"github.com/seed-fdf591db/bully/conformance/monitor"
	"github.com/seed-fdf591db/bully/traces/film"
)

// Rules is the lamp of what is no promise.
const Rules = "Rules"

// LampOf returns the lamp of a promise, as it is before anything happens. What is proved is proved of our rules alone.
func LampOf(p *monitor.Promise, ours bool) film.Lamp {
	l := film.Lamp{Name: string(p.Name), Says: p.Says, Light: film.Green, Once: p.When == monitor.Always}
	if ours && p.Proved != "" {
		l.Says += " " + p.Proved
	}
	if p.Now != "" {
		l.Says += " Amber: " + p.Now
	}
	return l
}

// Turned returns the lamp of a promise that has come to be broken, or to hold again.
func Turned(l *monitor.Light) film.Lamp {
	turned := film.Lamp{Name: string(l.Promise.Name), Says: l.Problem, Light: film.Red}
	switch {
	case l.Problem == "":
		turned.Light = film.Green
	case l.Promise.When == monitor.Eventually:
		turned.Light = film.Amber
	}
	return turned
}

// RulesLamp returns the lamp Rules, as it is before anything happens.
func RulesLamp() film.Lamp {
	return film.Lamp{Name: Rules, Says: "Every step is one that the rules of the specification allow.", Light: film.Green, Once: true}
}

// lampsOf returns the lamps of a film of ours, as they are before anything happens.
func lampsOf(l *monitor.Lights) (all []film.Lamp) {
	for _, p := range l.Promises() {
		all = append(all, LampOf(p, true))
	}
	return append(all, RulesLamp())
}

// lamps returns the lamps that have changed with the last event, whose frame is f.
func (t *Teller) lamps(f *film.Frame) (changed []film.Lamp) {
	if f.Node >= 0 && f.State != nil {
		n := &t.nodes[f.Node]
		now := monitor.ViewOf(&n.state)
		if !n.up {
			now = now.Down()
		}
		t.lights.See(f.Node, &now)
	}
	for _, l := range t.lights.Changed() {
		changed = append(changed, Turned(&l))
	}
	return changed
}
