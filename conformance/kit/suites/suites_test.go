package suites_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/kit/suites"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// wrong is the model with a bug: change is told each step, and changes what comes of it.
type wrong struct {
	conformance.Model
	change func(c *conformance.Case)
}

func (w *wrong) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step {
	c := conformance.Case{ID: id, Members: members, Before: before, Input: in}
	c.Want = w.Model.Step(id, members, before, in)
	if w.change != nil {
		w.change(&c)
	}
	return c.Want
}

// serve makes a port of the model, with a bug. Each port has one subject for all of its nodes.
func serve(newChange func() func(*conformance.Case)) port.Config {
	return port.Config{Serve: func(r io.Reader, w io.Writer) error {
		one := &wrong{}
		if newChange != nil {
			one.change = newChange()
		}
		return port.Serve(r, w, port.Implementation{
			Identity: port.Identity{Name: "model", Version: "1.0", Language: "Go"},
			Changing: true,
			Naming:   true,
			Make:     conformance.NodeOf(func() conformance.Subject { return one }),
			Load: func(id spec.NodeID, members []spec.NodeID, s spec.State) (conformance.Node, error) {
				return conformance.NodeIn(one, id, members, s), nil
			},
		})
	}}
}

// always makes a bug that remembers nothing.
func always(change func(*conformance.Case)) port.Config {
	return serve(func() func(*conformance.Case) { return change })
}

// some returns the cases from one on, and then one in so many.
func some(cases []kit.Case, from, every int) (chosen []kit.Case) {
	for i := from; i < len(cases); i += every {
		chosen = append(chosen, cases[i])
	}
	return chosen
}

// named returns the cases whose ids match.
func named(t *testing.T, cases []kit.Case, glob string) []kit.Case {
	t.Helper()
	chosen, err := kit.Select(cases, glob, "")
	require.NoError(t, err)
	return chosen
}

// run puts a port through cases, and returns what came of each.
func run(t *testing.T, cases []kit.Case, c port.Config) []kit.Verdict {
	t.Helper()
	r, err := kit.Run(context.Background(), cases, kit.Options{Port: c, Workers: 1})
	require.NoError(t, err)
	require.Len(t, r.Verdicts, len(cases))
	return r.Verdicts
}

// TestCases pins how many cases there are: fewer would be noticed by nobody.
func TestCases(t *testing.T) {
	count, changing, naming, seen := map[string]int{}, map[string]int{}, map[string]int{}, map[string]bool{}
	for _, c := range slices.Concat(suites.Silver(), suites.Gold()) {
		require.False(t, seen[c.ID], c.ID)
		seen[c.ID] = true
		require.True(t, c.Must, c.ID)
		require.NotEmpty(t, c.Title, c.ID)
		if c.Needs == port.FeatureMembers {
			changing[c.Suite]++
			continue
		}
		if c.Needs == port.FeatureNames {
			naming[c.Suite]++
			continue
		}
		count[c.Suite]++
	}
	require.Equal(t, map[string]int{
		suites.StepsSuite: 14 + 185, suites.RunsSuite: 20, suites.CutsSuite: 198 + 149, suites.SimSuite: suites.SilverSeeds,
		suites.FenceSuite: 21, suites.IsolateSuite: 5, suites.LiveSuite: 20, suites.CoverSuite: 44,
	}, count)
	require.Equal(t, map[string]int{
		suites.StepsSuite: 1 + 3, suites.RunsSuite: 6, suites.CutsSuite: 80, suites.SimSuite: suites.ChangingSeeds, suites.IsolateSuite: 2, suites.LiveSuite: 6,
	}, changing)
	require.Equal(t, map[string]int{suites.SimSuite: 60}, naming)
	require.Empty(t, suites.Fixed.Sim(2, 1))
}

// TestModel puts the model through some cases of each suite.
func TestModel(t *testing.T) {
	slowtest.Only(t, "it runs whole suites against the model")
	fixed, changing := suites.Fixed, suites.Changing
	for _, cases := range [][]kit.Case{
		some(fixed.Sample(), 0, 5), some(fixed.Runs(), 0, 9), some(fixed.Cuts(), 0, 29), fixed.Sim(1, 20), some(fixed.Live(), 0, 19),
		some(suites.Fence(), 0, 9), some(fixed.Cover(), 0, 18), some(fixed.Isolate(), 0, 4), some(fixed.Steps(), 0, 40),
		changing.Sample(), some(changing.Runs(), 0, 5), some(changing.Cuts(), 3, 11), changing.Sim(1, 8), some(suites.Named(), 0, 7), some(changing.Live(), 0, 5),
		some(changing.Isolate(), 0, 2),
	} {
		require.NotEmpty(t, cases)
		for _, v := range run(t, cases, serve(nil)) {
			require.Equal(t, kit.Pass, v.Outcome, "%s: %s", v.Case, v.Problem)
			require.Greater(t, v.Requests, uint64(15), v.Case)
		}
	}
}

// grantsTwice promises an epoch to whoever asks.
func grantsTwice(c *conformance.Case) {
	if m := c.Input.Message; c.Want.Sent != nil && m.Type == spec.Claim && m.Epoch == c.Before.Epoch && c.Before.Role != spec.Leader {
		c.Want.State = spec.State{Role: spec.Electing, Leader: m.From, Lease: m.Question, Epoch: m.Epoch, Grantee: m.From, Latest: c.Before.Latest}
		c.Want.Sent = []spec.Message{{Type: spec.Grant, From: c.ID, To: m.From, Epoch: m.Epoch, Question: m.Question}}
	}
}

// isNotNamed takes a RESIGN that names it for one that names nobody.
func isNotNamed(c *conformance.Case) {
	if m := &c.Input.Message; m.Type == spec.Resign && m.Names == c.ID {
		in := c.Input
		in.Message.Names = spec.NodeID{}
		c.Want = (&conformance.Model{}).Step(c.ID, c.Members, c.Before, in)
	}
}

// forgets loses the grantee over a restart.
func forgets(c *conformance.Case) {
	if c.Input.Call == spec.RestartCall {
		c.Want.State.Grantee = spec.NodeID{}
	}
}

// deaf never hears a HEARTBEAT.
func deaf(c *conformance.Case) {
	if c.Input.Message.Type == spec.Heartbeat && !c.Want.Ignored {
		c.Want = spec.Step{Ignored: true, State: c.Before}
	}
}

// asText compares ids as text when it hears a candidate.
func asText(c *conformance.Case) {
	m := c.Input.Message
	if c.Want.Ignored || m.Type != spec.Election || (m.From.String() < c.ID.String()) == (m.From.Compare(c.ID) < 0) || len(c.Want.Sent) == 0 {
		return
	}
	c.Want.Sent = slices.Clone(c.Want.Sent)
	c.Want.Sent[0].Type = spec.Refuse
}

// shares has one state for all nodes of the same id.
func shares() func(*conformance.Case) {
	known := map[spec.NodeID]spec.State{}
	return func(c *conformance.Case) {
		if s, is := known[c.ID]; is && !c.Input.Starts() && s.Epoch > c.Before.Epoch {
			c.Want = spec.Step{Ignored: true, State: c.Before}
		}
		known[c.ID] = c.Want.State.Clone()
	}
}

// bug is a port with a bug, cases that find it, the rule that they say it breaks, and what they say besides.
type bug struct {
	name  string
	port  port.Config
	cases []kit.Case
	rule  string
	says  string
}

// refused holds what the first case says that a port with a bug does not pass.
func refused(t *testing.T, bugs []bug) {
	t.Helper()
	for _, c := range bugs {
		verdicts := run(t, c.cases, c.port)
		i := slices.IndexFunc(verdicts, func(v kit.Verdict) bool { return v.Failed() })
		require.GreaterOrEqual(t, i, 0, "%s: %s", c.name, verdicts[0].Case)
		require.Equal(t, kit.Fail, verdicts[i].Outcome, c.name)
		require.Equal(t, c.rule, verdicts[i].Rule, "%s: %s: %s", c.name, verdicts[i].Case, verdicts[i].Problem)
		require.Contains(t, verdicts[i].Problem, c.says, c.name)
		require.NotEmpty(t, verdicts[i].Request, c.name)
		require.NotEmpty(t, verdicts[i].Reply, c.name)
	}
}

// TestBroken puts ports with bugs through the suites: each suite finds what it is for, and says which rule it is.
func TestBroken(t *testing.T) {
	slowtest.Only(t, "it runs whole suites against broken ports")
	refused(t, []bug{
		{"grants twice", always(grantsTwice), some(suites.Fixed.Sample(), 0, 100), "R17", "state.leader"},
		{"grants twice", always(grantsTwice), named(t, suites.Fixed.Cuts(), "cuts-grants-*"), "R17", "script members"},
		{"forgets", always(forgets), named(t, suites.Fixed.Cuts(), "cuts-stale-restart"), "R30", "state.grantee: expected"},
		{"forgets", always(forgets), suites.Fixed.Sim(2, 2), "R30", "before"},
		{"is not named", always(isNotNamed), suites.Named(), "R51", "CLAIM"},
		{"deaf", always(deaf), suites.Fixed.Sim(1, 1), "R23", "ignored: expected a step"},
		{"deaf", always(deaf), some(suites.Fixed.Live(), 0, 100), "R23", "got ignored"},
		{"forgets", always(forgets), some(suites.Fixed.Cover(), 0, 100), "R30", "state.grantee"},
		{"deaf", always(deaf), some(suites.Fixed.Isolate(), 0, 100), "", "a program of its own"},
		{"ids as text", always(asText), named(t, suites.Fixed.Sample(), "sample-random-*"), "R1", "with the ids 1, 2, 3"},
		{"shares", serve(shares), some(suites.Fixed.Runs(), 1, 2), "", "of the two clusters alone is as it must be"},
		{"counts", serve(counts), some(suites.Fixed.Runs(), 0, 2), "", "after a reset"},
	})
}

// counts goes wrong at the thousandth step of its life.
func counts() func(*conformance.Case) {
	steps := 0
	return func(c *conformance.Case) {
		if steps++; steps == 1000 && !c.Want.Ignored {
			to := c.Members[0]
			if to == c.ID {
				to = c.Members[1]
			}
			c.Want.Sent = append(slices.Clone(c.Want.Sent), spec.Message{Type: spec.OK, From: c.ID, To: to, Epoch: 1, Question: 1})
		}
	}
}

// edited is a port whose replies are edited on their way.
func edited(old, replacement string) port.Config {
	inner := serve(nil)
	return port.Config{Serve: func(r io.Reader, w io.Writer) error { return inner.Serve(r, editor{w, old, replacement}) }}
}

type editor struct {
	to               io.Writer
	old, replacement string
}

func (e editor) Write(text []byte) (int, error) {
	if _, err := e.to.Write(bytes.ReplaceAll(text, []byte(e.old), []byte(e.replacement))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// TestFence has fences that admit, refuse, and say what they should not.
func TestFence(t *testing.T) {
	for old, c := range map[string]struct{ new, says string }{
		`"admitted":false`: {`"admitted":true`, "admitted: expected false, got true"},
		`"admitted":true`:  {`"admitted":false`, "admitted: expected true, got false"},
		`"highest":3`:      {`"highest":2`, "highest: expected 3, got 2"},
		`"value":"3`:       {`"value":"4`, "value: expected"},
	} {
		v := run(t, some(suites.Fence(), 0, 100), edited(old, c.new))[0]
		require.Equal(t, kit.Fail, v.Outcome, v.Problem)
		require.Equal(t, "R38", v.Rule)
		require.Contains(t, v.Problem, c.says)
	}
}

// TestDead asks ports that die, many requests ahead: it is known of which they have died.
func TestDead(t *testing.T) {
	dies := dying(func(c *conformance.Case) bool {
		return c.Input.Timer == spec.ReignTimer && c.Before.Role == spec.Leader
	})
	for _, cases := range [][]kit.Case{some(suites.Fixed.Sample(), 2, 100), suites.Fixed.Sim(1, 1)} {
		v := run(t, cases, dies)[0]
		require.Equal(t, kit.Broken, v.Outcome)
		require.Equal(t, "R26", v.Rule, v.Problem)
		require.Contains(t, v.Request, `"timer":"reign"`)
	}
	v := run(t, named(t, suites.Fixed.Cuts(), "crashes-hand-over"), dying(func(c *conformance.Case) bool { return c.Input.Call == spec.RestartCall }))[0]
	require.Equal(t, kit.Broken, v.Outcome, v.Problem)
	require.Contains(t, v.Request, `"op":"restart"`)
}

// TestHistory asks ports that say error, or die, after so many steps whatever these are: no rule is named, as the request that came next is answered
// when nothing comes before it. It is one that is not answered then, either.
func TestHistory(t *testing.T) {
	erring := func(of func(n int, q string) bool) port.Config {
		model := always(func(*conformance.Case) {})
		return port.Config{Serve: func(r io.Reader, w io.Writer) error {
			in := bufio.NewScanner(r)
			in.Buffer(nil, 1<<20)
			toModel, fromKit := io.Pipe()
			fromModel, toKit := io.Pipe()
			go func() { toKit.CloseWithError(model.Serve(toModel, toKit)) }()
			out := bufio.NewScanner(fromModel)
			out.Buffer(nil, 1<<20)
			for n := 0; in.Scan(); n++ {
				if _, err := fmt.Fprintf(fromKit, "%s\n", in.Bytes()); err != nil || !out.Scan() {
					return err
				}
				reply := out.Text()
				if of(n, in.Text()) {
					id, _, _ := strings.Cut(reply, ",")
					reply = id + `,"error":"table is full"}`
				}
				if _, err := fmt.Fprintln(w, reply); err != nil {
					return err
				}
			}
			return fromKit.Close()
		}}
	}
	full := erring(func(n int, _ string) bool { return n >= 200 })
	ends := erring(func(_ int, q string) bool { return strings.Contains(q, `"timer":"reign"`) })
	n := 0
	diesLater := dying(func(*conformance.Case) bool { n++; return n%150 == 0 })
	for _, cases := range [][]kit.Case{some(suites.Fixed.Sample(), 2, 100), suites.Fixed.Sim(1, 1)} {
		for name, later := range map[string]port.Config{"says error": full, "dies": diesLater} {
			v := run(t, cases, later)[0]
			require.Equal(t, kit.Broken, v.Outcome, name)
			require.Empty(t, v.Rule, name)
			require.Contains(t, v.Problem, "alone    in a fresh process, from the same state, it answers this request", name)
		}
		v := run(t, cases, ends)[0]
		require.Equal(t, port.Erred, v.Kind)
		require.Contains(t, []string{"R26", "R35"}, v.Rule, "by which that timer is taken in a leader, and in others")
	}
}

// dying makes a port that dies of some steps.
func dying(of func(*conformance.Case) bool) port.Config {
	dies := always(func(c *conformance.Case) {
		if of(c) {
			panic("the port has a bug")
		}
	})
	inner := dies.Serve
	dies.Serve = func(r io.Reader, w io.Writer) (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("%v", p)
			}
		}()
		return inner(r, w)
	}
	return dies
}

// TestAgain replays and shrinks what a port has failed.
func TestAgain(t *testing.T) {
	ctx := context.Background()
	p, err := port.Start(ctx, always(forgets))
	require.NoError(t, err)
	defer p.Close()
	var failure *port.Failure

	nodes, profile := suites.Fixed.OfSeed(2)
	plan, err := suites.Short(2, nodes, profile)
	require.NoError(t, err)
	require.ErrorAs(t, suites.ReplayPlan(ctx, p, &plan), &failure)
	require.Equal(t, "R30", failure.Rule)
	small, runs, err := suites.ShrinkPlan(ctx, p, &plan, 300)
	require.NoError(t, err)
	require.Greater(t, runs, 5)
	require.Less(t, len(small.Faults), len(plan.Faults))
	require.ErrorAs(t, suites.ReplayPlan(ctx, p, &small), &failure)
	require.Equal(t, "R30", failure.Rule)

	script, err := cluster.ParseScript("members 1 2 3; end 3 patience; settle; end 3 election; settle; crash 2; end 1 patience; restart 2; settle")
	require.NoError(t, err)
	require.ErrorAs(t, suites.ReplayScript(ctx, p, script), &failure)
	require.Equal(t, "R30", failure.Rule)
	shrunk, _, err := suites.ShrinkScript(ctx, p, script)
	require.NoError(t, err)
	require.Less(t, len(shrunk.Ops), 12)
	require.ErrorAs(t, suites.ReplayScript(ctx, p, shrunk), &failure)

	right, err := port.Start(ctx, serve(nil))
	require.NoError(t, err)
	defer right.Close()
	require.NoError(t, suites.ReplayPlan(ctx, right, &small))
	require.NoError(t, suites.ReplayScript(ctx, right, shrunk))
	_, _, err = suites.ShrinkPlan(ctx, right, &small, 10)
	require.ErrorIs(t, err, suites.ErrPasses)
	_, _, err = suites.ShrinkScript(ctx, right, shrunk)
	require.ErrorIs(t, err, suites.ErrPasses)
}

// TestCancelled ends a case whose time is up.
func TestCancelled(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	p, err := port.Start(context.Background(), serve(nil))
	require.NoError(t, err)
	defer p.Close()
	stop()
	for _, c := range []kit.Case{suites.Fixed.Sim(1, 1)[0], suites.Fixed.Live()[0], suites.Fixed.Cover()[0], suites.Fixed.Sample()[0]} {
		require.ErrorIs(t, c.Run(ctx, p), context.Canceled, c.ID)
	}
}
