package suites

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/seed-fdf591db/bully/conformance/history"
	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

const fenceRuns = 20

// Fence returns what a fenced resource of the port must bear (R38): writes one after the other, of every epoch in every order; and
// writers of several reigns at once, of which some have been deposed and do not know it, with readers beside them. What came of
// that must be linearizable (porcupine).
func Fence() []kit.Case {
	cases := []kit.Case{{
		ID: "fence-in-order", Title: "each write is admitted if its epoch is at least the highest admitted, by this resource", Suite: FenceSuite,
		Rules: []string{"R38"}, Must: true, Needs: "fence", Run: inOrder,
	}}
	for n := range uint64(fenceRuns) {
		cases = append(cases, kit.Case{
			ID: fmt.Sprintf("fence-at-once-%d", n+1), Title: "writers of several reigns at once, and readers: what came of it is linearizable",
			Suite: FenceSuite, Rules: []string{"R38"}, Must: true, Needs: "fence",
			Run: func(ctx context.Context, p *port.Process) error { return atOnce(ctx, p, n+1) },
		})
	}
	return cases
}

// fence is what resources should hold.
type fence struct {
	port *port.Process
	held map[string]*content
}

type content struct {
	highest spec.Epoch
	value   string
}

func (f *fence) of(resource string) *content {
	if f.held[resource] == nil {
		f.held[resource] = &content{}
	}
	return f.held[resource]
}

// write writes, and holds the reply to R38.
func (f *fence) write(resource string, epoch spec.Epoch, value string) (admitted bool, highest spec.Epoch, err error) {
	reply, err := f.port.Ask(&port.Request{Op: port.Write, Resource: resource, Epoch: epoch, Value: value})
	if err != nil {
		return false, 0, err
	}
	if reply.Admitted == nil || reply.Highest == nil {
		return false, 0, f.port.Wrong("R38", "a port with the feature fence must answer writes")
	}
	c := f.of(resource)
	want := epoch >= c.highest
	if want {
		c.highest, c.value = epoch, value
	}
	switch {
	case *reply.Admitted != want:
		err = f.port.Wrong("R38", fmt.Sprintf("admitted: expected %t, got %t\nfence epoch %d, where %d is the highest admitted", want, *reply.Admitted, epoch, c.highest))
	case *reply.Highest != c.highest:
		err = f.port.Wrong("R38", fmt.Sprintf("highest: expected %d, got %d", c.highest, *reply.Highest))
	}
	return *reply.Admitted, *reply.Highest, err
}

// read reads, and holds the reply to R38.
func (f *fence) read(resource string) (value string, highest spec.Epoch, err error) {
	reply, err := f.port.Ask(&port.Request{Op: port.Read, Resource: resource})
	if err != nil {
		return "", 0, err
	}
	if reply.Value == nil || reply.Highest == nil {
		return "", 0, f.port.Wrong("R38", "a port with the feature fence must answer reads")
	}
	switch c := f.of(resource); {
	case *reply.Value != c.value:
		err = f.port.Wrong("R38", fmt.Sprintf("value: expected %q, got %q", c.value, *reply.Value))
	case *reply.Highest != c.highest:
		err = f.port.Wrong("R38", fmt.Sprintf("highest: expected %d, got %d", c.highest, *reply.Highest))
	}
	return *reply.Value, *reply.Highest, err
}

// inOrder writes every pair of epochs, one after the other, to resources of their own, and reads after each write; then all over again
// after a reset.
func inOrder(ctx context.Context, p *port.Process) error {
	epochs := []spec.Epoch{0, 1, 2, 3, 1 << 31, 1 << 32, 1<<53 - 2, spec.MaxEpoch}
	for round := range 2 {
		f := &fence{p, map[string]*content{}}
		for _, a := range epochs {
			for _, b := range epochs {
				resource := fmt.Sprintf("%d then %d", a, b)
				_, _, err := f.read(resource)
				for k, e := range []spec.Epoch{a, b, a, a} {
					if err == nil {
						_, _, err = f.write(resource, e, fmt.Sprintf("%d of round %d", k, round))
					}
					if err == nil {
						_, _, err = f.read(resource)
					}
				}
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					return err
				}
			}
		}
		if _, err := p.Ask(&port.Request{Op: port.Reset}); err != nil {
			return err
		}
	}
	return nil
}

// at is something that a client does at a moment: when the resource takes it.
type at struct {
	when time.Duration
	op   history.Op
}

// atOnce lets the users of a simulated cluster of the port write to two of its resources.
func atOnce(ctx context.Context, p *port.Process, seed uint64) error {
	plan, err := Short(seed, 3, sim.CrashProfile)
	if err != nil {
		return err
	}
	var told []sim.Notification
	w := newWatch(ctx, p)
	result, err := sim.Run(&plan, w.maker(), sim.Options{Notify: func(t sim.Notification) { told = append(told, t) }})
	if err != nil {
		return err
	}
	if result.Violation != nil {
		return w.err(string(result.Violation.Property), result.Violation)
	}
	if err := w.err("", nil); err != nil {
		return err
	}
	f := &fence{p, map[string]*content{}}
	var ops []history.Op
	var wrong error
	for _, a := range requests(told, seed, plan.Length) {
		ops = append(ops, a.op)
		if err := f.take(&ops[len(ops)-1]); err != nil && wrong == nil {
			wrong = err // the history may show more
		}
		if !p.Usable() || ctx.Err() != nil {
			break
		}
	}
	return judgeHistory(p, ops, wrong)
}

// take lets a resource take a request.
func (f *fence) take(op *history.Op) error {
	switch op.Kind {
	case history.WriteOp:
		admitted, highest, err := f.write(op.Resource, op.Epoch, strconv.FormatUint(op.Value, 10))
		switch {
		case op.Return == history.Never: // nobody hears the answer
		case admitted:
			op.Outcome = history.Done
		default:
			op.Outcome, op.Admitted = history.Fenced, highest
		}
		return err
	case history.ReadOp:
		value, highest, err := f.read(op.Resource)
		op.Epoch = highest
		if value == "" {
			op.Epoch = 0
		} else if op.Value, _ = strconv.ParseUint(value, 10, 64); op.Value == 0 {
			return cmp.Or(err, error(f.port.Wrong("R38", fmt.Sprintf("value: %q was never written", value))))
		}
		return err
	}
	return nil
}

// judgeHistory looks whether there is an order of all operations in which each makes sense.
func judgeHistory(p *port.Process, ops []history.Op, wrong error) error {
	if !p.Usable() {
		return wrong
	}
	slices.SortStableFunc(ops, func(a, b history.Op) int { return cmp.Compare(a.Call, b.Call) })
	report, err := history.Check(history.Header{Source: "bullytest", Commit: kit.Version}, ops, history.Options{Timeout: 20 * time.Second})
	switch {
	case wrong != nil:
		return wrong
	case err != nil:
		return p.Wrong("R38", "the history makes no sense: "+err.Error())
	case report.Verdict() == history.Inconclusive:
		return &kit.Inconclusive{Why: "porcupine has found no order of all operations, and has not excluded one, in 20 s"}
	case report.Err() != nil:
		return p.Wrong("R38", report.Err().Error())
	}
	return nil
}

// requests returns what the users of a cluster ask of two resources, in the order in which these take it: each leader writes while
// it is told that it leads, and for a while after that, since nobody tells it at once; two readers read.
func requests(told []sim.Notification, seed uint64, length time.Duration) (all []at) {
	dice := rand.New(rand.NewPCG(seed, 38))
	span := func(most time.Duration) time.Duration { return time.Duration(dice.Int64N(int64(max(most, 1)))) }
	pace, values := length/60, uint64(0)
	add := func(op history.Op, when time.Duration) {
		op.Resource = []string{"file", "guard"}[dice.IntN(2)]
		op.Call = int64(max(0, when-span(3*pace)))
		if op.Return = int64(when + 1 + span(3*pace)); op.Kind == history.WriteOp && dice.IntN(12) == 0 {
			op.Outcome, op.Return = history.Unknown, history.Never
		}
		all = append(all, at{when, op})
	}
	led := map[spec.Epoch]bool{}
	for i, t := range told {
		if !t.Leading || led[t.Epoch] {
			continue
		}
		led[t.Epoch] = true
		all = append(all, at{t.At, history.Op{Client: t.Node.String(), Kind: history.LedOp, Epoch: t.Epoch, Call: int64(t.At), Return: int64(t.At)}})
		over := length
		for _, later := range told[i+1:] {
			if later.Node == t.Node && !(later.Leading && later.Epoch == t.Epoch) {
				over = later.At
				break
			}
		}
		for when := t.At + 4*pace; when < over+8*pace && when < length; when += pace/2 + span(pace) {
			values++
			add(history.Op{Client: t.Node.String(), Kind: history.WriteOp, Epoch: t.Epoch, Value: values}, when)
		}
	}
	for n := range 2 {
		for when := span(pace); when < length; when += pace/2 + span(pace) {
			add(history.Op{Client: fmt.Sprintf("reader %d", n+1), Kind: history.ReadOp}, when)
		}
	}
	slices.SortStableFunc(all, func(a, b at) int { return cmp.Compare(a.when, b.when) })
	return all
}
