package suites

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

const (
	goesOn  = 3  // one in so many of the scripts that are drawn goes on by itself, too
	cutOps  = 24 // how long these are of fixed members, who do not change besides
	mostOps = 40 // of a known script; what comes after that is left to others
)

// Cuts returns two cases for each known script of package cluster, and for some that are drawn: every step in it is cut after
// every prefix of its effects, in a run of its own. In the one case each step is compared with the model's; in the other, where a step
// changes what must survive, the port's nodes go on by themselves, and are held to the promises alone.
func (k *Kind) Cuts() (cases []kit.Case) {
	known, err := cluster.Known()
	if err != nil {
		panic(err) // they are embedded, and a test reads them
	}
	for i := range known {
		if script := known[i].Script; ofScript(script) == k {
			cases = append(cases, cutDrawn(known[i].Name, script, true)...)
		}
	}
	for n := range k.scripts {
		cases = append(cases, cutDrawn(fmt.Sprintf("%srandom-%d", k.mark, n+1), k.draw(uint64(n+1)), n%goesOn == 0)...)
	}
	return cases
}

// cutDrawn returns the cases of a script: those without a model if it is to have these too, and changes what must survive.
func cutDrawn(name string, script *cluster.Script, too bool) (cases []kit.Case) {
	saves := promises(script)
	if saves || script.First.IsNone() {
		cases = append(cases, cutCase(name, script))
	}
	if too && saves {
		cases = append(cases, crashCase(name, script))
	}
	return cases
}

// promises reports whether anything in a script, to be cut, changes what must survive.
func promises(script *cluster.Script) bool {
	_, list, err := (&cutter{script: script}).whole()
	return err == nil && slices.ContainsFunc(list, func(e effects) bool { return e.saves })
}

func cutCase(name string, script *cluster.Script) kit.Case {
	return kit.Case{
		ID: "cuts-" + name, Suite: CutsSuite, Must: true, Needs: ofScript(script).needs,
		Title: fmt.Sprintf("%d nodes, one of which crashes after every prefix of every list of effects, and is restarted", len(script.Members)),
		Rules: []string{"R4", "R30"},
		Run: func(ctx context.Context, p *port.Process) error {
			k := &cutter{script: script}
			if err := k.all(); err != nil {
				return err
			}
			n := 0
			err := exact(ctx, p, func(p *port.Process) (err error) {
				n, err = refines(ctx, p, k.given)
				return err
			})
			var failure *port.Failure
			if errors.As(err, &failure) {
				failure.Problem += "\nscript " + k.text(n)
			}
			return err
		},
	}
}

// drawFixed returns a script of three nodes, such as Draw draws.
func drawFixed(seed uint64) *cluster.Script {
	dice := rand.New(rand.NewPCG(seed, 4))
	s := &cluster.Script{Members: []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}}
	return draw(s, dice, cutOps)
}

// drawChanging returns a script of up to four nodes, whose members change.
func drawChanging(seed uint64) *cluster.Script {
	for dice := rand.New(rand.NewPCG(seed, 42)); ; {
		s := cluster.DrawScript(dice.IntN).DrawFirst(dice.IntN)
		if len(s.Members) < 2 || len(s.Members) > 4 {
			continue
		}
		drawn := draw(s, dice, 2*cutOps)
		if slices.ContainsFunc(drawn.Ops, func(op cluster.Op) bool { return op.Kind == cluster.Change }) {
			return drawn
		}
	}
}

// draw draws so many ops of a script.
func draw(s *cluster.Script, dice *rand.Rand, ops int) *cluster.Script {
	c, err := cluster.New(s.Members, model(), cluster.Options{First: s.First, Records: s.Records})
	for err == nil && len(c.Done()) < ops {
		err = c.Do(c.Draw(dice.IntN))
	}
	if err != nil {
		panic(err) // the model breaks nothing
	}
	s.Ops = slices.Clone(c.Done())
	return s
}

// model makes nodes of the model.
func model() conformance.Maker {
	one := &conformance.Model{}
	return conformance.NodeOf(func() conformance.Subject { return one })
}

// cutter cuts the steps of one script, in runs of the model.
type cutter struct {
	script *cluster.Script
	given  []*port.TakenStep // in all runs, one after the other
	runs   []cut             // all that were made
}

// cut is a run, and where in given it begins.
type cut struct {
	begin int
	done  []cluster.Op
}

// effects is what there is to cut of a step.
type effects struct {
	node  spec.NodeID
	sends int
	saves bool
}

// all cuts each step at each place: before it is saved, if it is to be saved (-1); then after each number of messages. Where members change it
// cuts those alone that are to be saved.
func (k *cutter) all() error {
	ops, list, err := k.whole()
	for i, e := range list {
		if e.node.IsNone() || !e.saves && !k.script.First.IsNone() {
			continue
		}
		first := 0
		if e.saves {
			first = -1
		}
		for place := first; place <= e.sends && err == nil; place++ {
			err = k.run(ops, i, e.node, place)
		}
	}
	if err == nil && len(k.runs) == 0 {
		err = errors.New("there is no step to cut")
	}
	return err
}

// whole runs the script as it is, and returns what was done, and what there was to cut in each op.
func (k *cutter) whole() (ops []cluster.Op, list []effects, err error) {
	found := map[int]effects{} // by the number of the op
	var c *cluster.Cluster
	c, err = k.cluster(model(), func(seen *conformance.Case) {
		if c != nil && !seen.Want.Ignored {
			found[len(c.Done())-1] = effects{seen.ID, len(seen.Want.Sent), seen.Input.Call == spec.StartCall || seen.Before.Durable() != seen.Want.State.Durable()}
		}
	})
	for i := 0; err == nil && i < len(k.script.Ops); i++ {
		err = possible(c.Do(k.script.Ops[i]))
	}
	if err != nil {
		return nil, nil, err
	}
	ops = slices.Clone(c.Done()[:min(mostOps, len(c.Done()))])
	list = make([]effects, len(ops))
	for i := range ops {
		if ops[i].Crash == cluster.Whole { // else it is cut already, at one place
			list[i] = found[i]
		}
	}
	return ops, list, nil
}

// run does the ops before number i, and that one as far as the place says: to before what it saves (-1), or to after so many
// messages, which arrive before the node crashes. Then the node is restarted, and all do what they would.
func (k *cutter) run(ops []cluster.Op, i int, node spec.NodeID, place int) error {
	run := cut{begin: len(k.given)}
	maker := port.Record(strconv.Itoa(len(k.runs)), model(), func(g *port.TakenStep) { k.given = append(k.given, g.Clone()) })
	var sent []spec.Message
	c, err := k.cluster(maker, func(seen *conformance.Case) { sent = seen.Want.Sent })
	do := func(op cluster.Op) {
		if err == nil {
			err = possible(c.Do(op))
		}
	}
	for _, op := range ops[:i] {
		do(op)
	}
	op := ops[i]
	switch {
	case place < 0:
		op.Crash = cluster.BeforeSave
	case place == 0:
		op.Crash = cluster.AfterSave
	}
	do(op)
	if place > 0 && err == nil {
		err = arrive(c, slices.Clone(sent[:place]))
		do(cluster.Op{Kind: cluster.Crash, Node: node})
	}
	start := cluster.Op{Kind: cluster.Restart, Node: node}
	if _, has := c.Record(node); !has {
		start.Kind = cluster.Start
	}
	do(start)
	for _, op := range aftermath(k.script.Members, node) {
		do(op)
	}
	if err == nil {
		run.done = c.Done()
		k.runs = append(k.runs, run)
	}
	return err
}

// arrive delivers messages, and what is under way before them.
func arrive(c *cluster.Cluster, messages []spec.Message) error {
	for _, m := range messages {
		link := spec.Link{From: m.From, To: m.To}
		for busy := c.UnderWay(nil, link); slices.Contains(busy, m); busy = c.UnderWay(busy[:0], link) {
			if err := c.Do(cluster.Op{Kind: cluster.Deliver, Link: link}); err != nil {
				return err
			}
		}
	}
	return nil
}

// text returns the run that number n of the inputs belongs to, as a script.
func (k *cutter) text(n int) string {
	i, _ := slices.BinarySearchFunc(k.runs, n+1, func(r cut, n int) int { return cmp.Compare(r.begin, n) })
	s := cluster.Script{Members: k.script.Members, First: k.script.First, Records: k.script.Records, Unstarted: k.script.Unstarted, Ops: k.runs[max(0, i-1)].done}
	return s.OneLine()
}

// cluster makes the nodes.
func (k *cutter) cluster(maker conformance.Maker, observe func(*conformance.Case)) (*cluster.Cluster, error) {
	return cluster.New(k.script.Members, maker, cluster.Options{First: k.script.First, Records: k.script.Records, Unstarted: k.script.Unstarted, Observe: observe})
}

// aftermath is what happens after a restart: what is under way arrives; the others stand, the highest first; then the node that
// was restarted is silent no longer, and is asked for its promise again.
func aftermath(members []spec.NodeID, node spec.NodeID) (ops []cluster.Op) {
	settle := cluster.Op{Kind: cluster.Settle}
	ops = append(ops, settle)
	end := func(id spec.NodeID, timers ...spec.Timer) {
		for _, t := range timers {
			ops = append(ops, cluster.Op{Kind: cluster.End, Node: id, Timer: t})
		}
		ops = append(ops, settle)
	}
	end(node, spec.CoordinatorTimer)
	for _, id := range slices.Backward(members) {
		end(id, spec.PatienceTimer, spec.CoordinatorTimer)
		end(id, spec.ElectionTimer)
		end(id, spec.ClaimTimer, spec.HeartbeatTimer)
	}
	return ops
}

// possible is an error, but for that an op is not possible.
func possible(err error) error {
	var not *cluster.NotPossible
	if errors.As(err, &not) {
		return nil
	}
	return err
}
