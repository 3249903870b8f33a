package suites

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/kit/blame"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/vectors"
	"github.com/seed-fdf591db/bully/spec"
)

const batch = 5_000 // questions of a case

// Steps returns every question, in cases of some thousand each. The group reachable is every step that a node takes in the small
// configurations: all transitions.
func (k *Kind) Steps() []kit.Case { return k.steps("steps", 1) }

// Sample returns some of them, and all of the groups that are small.
func (k *Kind) Sample() []kit.Case { return k.steps("sample", k.sparse) }

// steps makes cases of one question in so many.
func (k *Kind) steps(name string, every int) (cases []kit.Case) {
	for _, g := range k.groups() {
		stride := every
		if g.Pinned < batch {
			stride = 1
		}
		of := (g.Pinned + batch*stride - 1) / (batch * stride)
		for part := range of {
			id := fmt.Sprintf("%s-%s", name, g.Name)
			if of > 1 {
				id += fmt.Sprintf("-%02d", part+1)
			}
			cases = append(cases, kit.Case{
				ID: id, Suite: StepsSuite, Must: true, Needs: k.needs,
				Title: fmt.Sprintf("single steps, part %d of %d: %s", part+1, of, g.Explanation),
				Run: func(ctx context.Context, p *port.Process) error {
					return exact(ctx, p, func(p *port.Process) error { return ask(ctx, p, portion(g.All, stride, part)) })
				},
			})
		}
	}
	return cases
}

// portion yields one in so many of the questions, of those the part that is asked for.
func portion(all iter.Seq[*conformance.Case], every, part int) iter.Seq[*conformance.Case] {
	return func(yield func(*conformance.Case) bool) {
		n := 0
		for c := range all {
			k := n / every
			n++
			switch {
			case (n-1)%every != 0 || k < part*batch:
			case k >= (part+1)*batch || !yield(c):
				return
			}
		}
	}
}

// ask puts questions to a port. The error is its first wrong answer, or that nothing was asked.
func ask(ctx context.Context, p *port.Process, questions iter.Seq[*conformance.Case]) error {
	asked := 0
	var failed, last *conformance.Case
	var did spec.Step
	remembered := func(yield func(*conformance.Case) bool) {
		for last = range questions {
			if !yield(last) {
				return
			}
		}
	}
	err := p.Answers(remembered, func(c *conformance.Case, got spec.Step, wrong *port.Failure) error {
		asked++
		p.Took(check.RuleOf(c))
		if failure := judgedOutcome(p, c, &got, wrong); failure != nil {
			failed, did = c, got
			return failure
		}
		return ctx.Err()
	})
	var failure *port.Failure
	switch {
	case err == nil && asked == 0:
		err = fmt.Errorf("nothing was asked")
	case failed != nil && errors.As(err, &failure):
		askMore(ctx, p, failed, did, failure)
	case p.Slowly() && errors.As(err, &failure): // it has given no answer, and so the question is the last one
		afresh(ctx, p, last, failure)
	}
	return err
}

// askMore makes a failure one of R1 if the port does the right thing when the ids are other ones; or one of another rule, if further
// questions show that.
func askMore(ctx context.Context, p *port.Process, failed *conformance.Case, did spec.Step, failure *port.Failure) {
	switch {
	case failure.Kind != port.Wrong:
		afresh(ctx, p, failed, failure)
	case blame.IDs(p, failed):
		failure.Rule = "R1"
		failure.Problem += "\nids with the ids 1, 2, 3 … in their place it does the right thing"
	case !failed.Want.Equal(did): // else it is a duty of the host that is wrong
		failure.Rule = blame.Asked(p, failed, did, failure.Rule)
	}
}

// afresh takes the rule off a failure to answer at all, if the port does answer the same when it is asked nothing else: then it is what it was
// asked before that matters, and not the request that happened to come next.
func afresh(ctx context.Context, p *port.Process, failed *conformance.Case, failure *port.Failure) {
	if failed == nil || !slices.Contains([]port.Kind{port.Erred, port.Died, port.Hung}, failure.Kind) {
		return
	}
	fresh, err := p.Again(ctx)
	if err != nil {
		return
	}
	defer fresh.Close()
	again := port.Guard(func() { fresh.Subject().Step(failed.ID, failed.Members, failed.Before, failed.Input) })
	if again != nil && again.Kind == failure.Kind {
		return
	}
	failure.Rule = ""
	failure.Problem += "\nalone    in a fresh process, from the same state, it answers this request: what it was asked before matters, and not this one"
}

// judgedOutcome is judged for a single step, whose duties have been looked at already.
func judgedOutcome(p *port.Process, c *conformance.Case, got *spec.Step, wrong *port.Failure) *port.Failure {
	if wrong == nil && got.Equal(c.Want) {
		return nil
	}
	output := func(o *spec.Step) *spec.Step {
		out := &spec.Step{Ignored: o.Ignored, State: o.State, Sent: o.Sent}
		if !o.Ignored {
			out.Save, out.Cancel, out.Arm = conformance.Duties(c.ID, &c.Before, &c.Input, &o.State, o.Sent)
		}
		return out
	}
	want := c.Want
	failure := judged(p, c, output(&want), output(got), wrong)
	if failure != nil && c.Question != "" {
		failure.Problem += "\nquestion " + c.Question
	}
	return failure
}

// judged makes a failure of the last exchange if a node did something else than it must. What is wrong of a step counts before
// what is wrong of its duties: wrong is what the protocol says of these, if it says anything. The case says what was asked; its
// Want is set.
func judged(p *port.Process, c *conformance.Case, want, got *spec.Step, wrong *port.Failure) *port.Failure {
	c.Want = spec.Step{Ignored: want.Ignored, State: want.State, Sent: want.Sent}
	if wrong != nil && (wrong.Kind != port.Wrong || sameStep(want, got)) {
		if wrong.Rule == "" && wrong.Kind == port.Erred {
			wrong.Rule = check.RuleOf(c)
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
		field, c.ID, check.MemberText(c.Members), c.Input, c.Before, described(want), described(got)))
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
