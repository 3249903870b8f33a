package suites

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cases"
	"github.com/seed-fdf591db/bully/conformance/kit/blame"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/vectors"
	"github.com/seed-fdf591db/bully/spec"
)

// judged makes a failure of the last exchange if a node did something else than it must. What is wrong of a step counts before
// what is wrong of its duties: wrong is what the protocol says of these, if it says anything. The case says what was asked; its
// Want is set.
func judged(p *port.Process, c *conformance.Case, want, got *spec.Step, wrong *port.Failure) *port.Failure {
	c.Want = spec.Step{Ignored: want.Ignored, State: want.State, Sent: want.Sent}
	if wrong != nil && (wrong.Kind != port.Wrong || sameStep(want, got)) {
		if wrong.Rule == "" && wrong.Kind == port.Erred {
			wrong.Rule = cases.RuleOf(c)
		}
		return wrong
	}
	field := difference(want, got)
	if field == "" {
		return nil
	}
	rule := "R36"
	switch {
	case !sameStep(want, got):
		rule = blame.Rule(c, spec.Step{Ignored: got.Ignored, State: got.State, Sent: got.Sent})
	case want.Save != got.Save:
		rule = "R4"
	}
	return p.Wrong(rule, fmt.Sprintf("%s\nnode %s of %s, %s\nbefore %s\nexpected %s\ngot %s",
		field, c.ID, cases.MemberText(c.Members), c.Input, c.Before, described(want), described(got)))
}

// sameStep reports whether two steps have the same state after them, and send the same.
func sameStep(want, got *spec.Step) bool {
	return want.Ignored == got.Ignored && want.State.Equal(got.State) && slices.Equal(want.Sent, got.Sent)
}

// difference says which the first field is that differs, or "".
func difference(want, got *spec.Step) string {
	differs := func(field string, want, got any) string {
		return fmt.Sprintf("%s: expected %v, got %v", field, want, got)
	}
	switch {
	case want.Ignored && !got.Ignored:
		return "a step: expected that the input is ignored, got effects"
	case got.Ignored && !want.Ignored:
		return "ignored: expected a step, got that the input is ignored"
	}
	if problem := vectors.States(&want.State, &got.State); problem != "" {
		return problem
	}
	if want.Save != got.Save {
		return differs("save", want.Save, got.Save)
	}
	for k := range max(len(want.Sent), len(got.Sent)) {
		one := func(sent []spec.Message) any {
			if k < len(sent) {
				return sent[k]
			}
			return "none"
		}
		if one(want.Sent) != one(got.Sent) {
			return differs(fmt.Sprintf("message %d that is sent", k+1), one(want.Sent), one(got.Sent))
		}
	}
	if want.Cancel != got.Cancel {
		return differs("timers that are cancelled", want.Cancel, got.Cancel)
	}
	if want.Arm != got.Arm {
		return differs("timers that are armed", want.Arm, got.Arm)
	}
	return ""
}

// described says what a node does in a line.
func described(out *spec.Step) string {
	if out.Ignored {
		return "ignored, " + out.State.String()
	}
	words := []string{out.State.String()}
	if out.Save {
		words = append(words, "save")
	}
	for _, m := range out.Sent {
		words = append(words, m.String())
	}
	return strings.Join(append(words, "cancel "+out.Cancel.String()+" arm "+out.Arm.String()), " | ")
}
