package conformance_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// TestModel puts the model under it: the questions are answered by hand, and all groups have the cases they should.
func TestModel(t *testing.T) {
	conformance.Run(t, func() conformance.Subject { return &conformance.Model{} })
}

// faulty is the model with a fault.
type faulty struct {
	conformance.Model
	fault func(c *conformance.Case, got spec.Step) spec.Step
}

func (f *faulty) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step {
	got := f.Model.Step(id, members, before.Clone(), in)
	return f.fault(&conformance.Case{ID: id, Members: members, Before: before, Input: in}, got)
}

// recorder is a T that keeps what it is told.
type recorder struct {
	logs, errors []string
}

func (r *recorder) Helper() {}
func (r *recorder) Logf(format string, args ...any) {
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// faults are what the model is broken with from outside, and which of the small groups see it; and which of the large
// ones, where there is no other.
var faults = []struct {
	name  string
	found string
	fault func(c *conformance.Case, got spec.Step) spec.Step
}{
	{"nothing is wrong", "", func(_ *conformance.Case, got spec.Step) spec.Step { return got }},
	{"ignores everything", "questions start all-1 all-2 random-4", func(c *conformance.Case, _ spec.Step) spec.Step {
		return spec.Step{Ignored: true, State: c.Before}
	}},
	{"grants to anybody", "questions all-2 random-4", func(c *conformance.Case, got spec.Step) spec.Step {
		if m := c.Input.Message; m.Type == spec.Claim && m.Epoch > c.Before.Epoch && !got.Ignored {
			got.State = spec.State{Role: spec.Electing, Leader: m.From, Lease: m.Question, Epoch: m.Epoch, Grantee: m.From, Latest: c.Before.Latest}
			got.Sent = []spec.Message{{Type: spec.Grant, From: c.ID, To: m.From, Epoch: m.Epoch, Question: m.Question}}
		}
		return got
	}},
	{"sends in another order", "questions all-2 random-4", func(_ *conformance.Case, got spec.Step) spec.Step {
		slices.Reverse(got.Sent)
		return got
	}},
	{"sends two heartbeats at once", "questions all-2 random-4", func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Timer == spec.HeartbeatTimer {
			got.Sent = append(got.Sent, got.Sent...)
		}
		return got
	}},
	{"takes a timer that does not run", "all-1 all-2 random-4", func(c *conformance.Case, got spec.Step) spec.Step {
		got.Ignored = got.Ignored && c.Input.Timer != spec.ClaimTimer
		return got
	}},
	{"claims beyond the bound", "questions random-4", func(c *conformance.Case, got spec.Step) spec.Step {
		enough := 2*(len(c.Before.Support)+1) > len(c.Members)
		if c.Before.Epoch == spec.MaxEpoch && c.Input.Timer == spec.ElectionTimer && enough && !got.Ignored {
			got.State.Role = spec.Claimant
		}
		return got
	}},
	{"compares ids as text", "random-4", func(c *conformance.Case, got spec.Step) spec.Step {
		m := c.Input.Message
		if m.Type == spec.Election && !got.Ignored && (m.From.String() < c.ID.String()) != (m.From.Compare(c.ID) < 0) {
			got.Sent = nil
		}
		return got
	}},
	{"counts non-members", "questions non-members", func(c *conformance.Case, got spec.Step) spec.Step {
		if m := c.Input.Message; m.Type == spec.Claim && m.Validate() == nil && !slices.Contains(c.Members, m.From) {
			got.Ignored = false
		}
		return got
	}},
	{"reads what is for others", "non-members", func(c *conformance.Case, got spec.Step) spec.Step {
		if m := c.Input.Message; m.Type == spec.Claim && m.To != c.ID && m.Validate() == nil {
			got.Ignored = false
		}
		return got
	}},
	{"repairs an epoch", "questions malformed", func(c *conformance.Case, got spec.Step) spec.Step {
		if m := c.Input.Message; m.Type.Valid() && m.Epoch > spec.MaxEpoch {
			got.State.Epoch, got.Ignored = spec.MaxEpoch, false
		}
		return got
	}},
	{"starts with an epoch", "questions start", func(c *conformance.Case, got spec.Step) spec.Step {
		if c.Input.Call == spec.StartCall {
			got.State.Epoch = 1
		}
		return got
	}},
}

// mostAsked is how many cases of a group a fault is sought in, unless all are wanted.
const mostAsked = 12_000

// thinned returns a group without most of its cases, if it has more than mostAsked and not all are wanted.
func thinned(g conformance.Group, all bool) conformance.Group {
	if g.Pinned <= mostAsked || all {
		return g
	}
	cases, every := g.All, g.Pinned/mostAsked+1
	every += 1 - every%2 // odd: many cases alternate
	g.Pinned = (g.Pinned + every - 1) / every
	g.All = func(yield func(*conformance.Case) bool) {
		at := 0
		for c := range cases {
			if at%every == 0 && !yield(c) {
				return
			}
			at++
		}
	}
	return g
}

// keep returns a group whose cases are made once.
func keep(g conformance.Group) conformance.Group {
	var cases []*conformance.Case
	for c := range g.All {
		kept := *c
		kept.Members, kept.Before, kept.Want = slices.Clone(c.Members), c.Before.Clone(), c.Want
		kept.Want.State, kept.Want.Sent = c.Want.State.Clone(), slices.Clone(c.Want.Sent)
		cases = append(cases, &kept)
	}
	g.All = slices.Values(cases)
	return g
}

func TestFaultsAreFound(t *testing.T) {
	groups := map[string]conformance.Group{}
	for _, f := range faults {
		var found []string
		for _, g := range conformance.Groups() {
			if slices.Contains([]string{"questions", "start", "all-1", "all-2", "random-4"}, g.Name) || strings.Contains(f.found, g.Name) {
				if _, known := groups[g.Name]; !known {
					groups[g.Name] = keep(thinned(g, slowtest.Wanted()))
				}
				g = groups[g.Name]
				if _, err := g.Check(&faulty{fault: f.fault}); err != nil {
					require.ErrorContains(t, err, "cases failed", f.name)
					found = append(found, g.Name)
				}
			}
		}
		require.Equal(t, f.found, strings.Join(found, " "), f.name)
	}
}

// TestGroupsForOneThing shows that the two groups that are there for one thing see it.
func TestGroupsForOneThing(t *testing.T) {
	checked := 0
	for name, group := range map[string]string{"claims beyond the bound": "bound", "compares ids as text": "ids"} {
		for _, f := range faults {
			for _, g := range conformance.Groups() {
				if f.name == name && g.Name == group {
					g = thinned(g, slowtest.Wanted())
					_, err := g.Check(&faulty{fault: f.fault})
					require.ErrorContains(t, err, "cases failed", name)
					checked++
				}
			}
		}
	}
	require.Equal(t, 2, checked)
}

// TestRunTells shows what Run makes of a subject that answers each second time otherwise.
func TestRunTells(t *testing.T) {
	slowtest.Only(t, "it asks all questions")
	r, calls := &recorder{}, 0
	conformance.Run(r, func() conformance.Subject {
		calls = 0
		return &faulty{fault: func(_ *conformance.Case, got spec.Step) spec.Step {
			calls++
			got.Ignored = got.Ignored != (calls%2 == 0)
			return got
		}}
	})
	groups := len(conformance.Groups()) + len(conformance.ChangingGroups())
	require.Len(t, r.errors, groups)
	require.Len(t, r.logs, groups)
	require.Equal(t, "start            28 cases: the first start of each node (R32)", r.logs[1])
	require.Equal(t, `start: 14 of 28 cases failed; the first are:
asked for the second time: R32: node 1 of {1}: first start
  before    follower leader:none epoch:0 grantee:none support:{}
  expected  follower leader:none epoch:0 grantee:none support:{} latest:1
  got       follower leader:none epoch:0 grantee:none support:{} latest:1 (ignored: no step)
  A first start is a follower without a lease, in epoch 0, with number 1, and says nothing.`, strings.Join(strings.Split(r.errors[1], "\n")[:6], "\n"))
}

// TestMemoryIsTheAskers lets a subject write over what it is given.
func TestMemoryIsTheAskers(t *testing.T) {
	for _, g := range conformance.Groups()[:5] {
		_, err := g.Check(&faulty{fault: func(c *conformance.Case, got spec.Step) spec.Step {
			got = spec.Step{Ignored: got.Ignored, State: got.State.Clone(), Sent: slices.Clone(got.Sent)}
			clear(c.Members)
			clear(c.Before.Support)
			return got
		}})
		require.NoError(t, err)
	}
}

func none(func(*conformance.Case) bool) {}

func twice(all iter.Seq[*conformance.Case]) iter.Seq[*conformance.Case] {
	return func(yield func(*conformance.Case) bool) {
		for range 2 {
			for c := range all {
				if !yield(c) {
					return
				}
			}
		}
	}
}

func TestPinned(t *testing.T) {
	g := conformance.Groups()[0]
	_, err := (&conformance.Group{Name: "empty", All: none}).Check(&conformance.Model{})
	require.EqualError(t, err, "there are no cases: nothing was asked")
	cases, err := (&conformance.Group{Name: "double", Pinned: g.Pinned, All: twice(g.All)}).Check(&conformance.Model{})
	require.Equal(t, 2*g.Pinned, cases)
	require.EqualError(t, err, fmt.Sprintf("there are %d cases, and there should be %d: if the change is meant, pin the new number", 2*g.Pinned, g.Pinned))
}

// TestClosed shows that no case leads out of the states of section 6: what is asked is all that there is.
func TestClosed(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range conformance.Groups() {
		if g.Name == "all-2" || g.Name == "all-3" {
			for c := range g.All {
				seen[c.ID.String()+memberCount(c)+shape(c.Before)] = true
			}
		}
	}
	left := 0
	for _, g := range conformance.Groups() {
		if g.Name == "all-2" || g.Name == "all-3" {
			for c := range g.All {
				if !seen[c.ID.String()+memberCount(c)+shape(c.Want.State)] {
					left++
				}
			}
		}
	}
	require.Zero(t, left, "steps that lead out")
	require.Greater(t, len(seen), 500)
}

func memberCount(c *conformance.Case) string { return fmt.Sprint(" of ", len(c.Members), " ") }

// shape returns a state without its epoch and numbers: only that something is asked, or a lease kept, is left.
func shape(s spec.State) string {
	s.Epoch, s.Latest, s.Lease, s.Dated, s.Answered = 0, 0, min(s.Lease, 1), 0, nil
	s.Asked = min(s.Asked, 1)
	return s.String()
}

// TestEveryRule shows that each rule of a node's steps is asked about, and has its sentence.
func TestEveryRule(t *testing.T) {
	fixed := map[string]bool{"R41": true}
	for n := 8; n <= 35; n++ {
		fixed[fmt.Sprint("R", n)] = true
	}
	delete(fixed, "R16") // a claim is made by R13, R14 and R15
	require.Empty(t, notAsked(conformance.Groups(), fixed))
	changing := map[string]bool{}
	for n := 43; n <= 49; n++ {
		changing[fmt.Sprint("R", n)] = true
	}
	require.Empty(t, notAsked(slices.Concat(conformance.ChangingGroups(), conformance.Groups()), changing))
}

// notAsked returns the rules that no case of the groups is about.
func notAsked(groups []conformance.Group, rules map[string]bool) map[string]bool {
	for _, g := range groups {
		for c := range g.All {
			if delete(rules, c.Rule); len(rules) == 0 {
				return nil
			}
		}
	}
	return rules
}
