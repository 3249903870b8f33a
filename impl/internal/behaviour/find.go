package behaviour

import (
	"errors"
	"maps"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// find adds the event of a step whose action is not said: the first that the rules allow, and that brings the state after it.
func (r *recorder) find(before, s *Step) error {
	for _, action := range r.candidates(before, s) {
		try := *r
		try.now, try.way, try.strict = slices.Clone(r.now), maps.Clone(r.way), true
		named := *s
		named.Action = string(action)
		if try.step(before, &named) == nil {
			r.now, r.way, r.events = try.now, try.way, try.events
			return nil
		}
	}
	return errors.New("by no step of the rules does it follow from the state before; say its action (\"#meta\":{\"action\":\"OnClaim\"}), and it is judged all the same")
}

// candidates returns the actions by which a state may have come.
func (r *recorder) candidates(before, s *Step) (all []spec.Action) {
	still := true
	for i := range r.members {
		still = still && same(r.seen(before.terms["node"].at(i+1)), r.seen(s.terms["node"].at(i+1)))
	}
	switch was, is := len(before.terms["up"].items), len(s.terms["up"].items); {
	case before.terms["cut"].text != s.terms["cut"].text:
		return []spec.Action{spec.CutAction}
	case was > is:
		return []spec.Action{spec.CrashAction}
	case was < is:
		return []spec.Action{spec.RestartAction}
	}
	for _, a := range spec.FixedActions() {
		switch a {
		case spec.CutAction, spec.CrashAction, spec.StartAction, spec.RestartAction, spec.LoseAction:
		default:
			all = append(all, a)
		}
	}
	if still {
		all = append(all, spec.LoseAction)
	}
	return all
}
