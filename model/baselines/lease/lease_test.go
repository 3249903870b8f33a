package lease

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/explore"
)

// maxBytes bounds each run, because a mistake in the model may make it infinite.
const maxBytes = 64 << 20

// configure returns a configuration of two nodes and two sessions, changed by items such as "MaxSessions = 3" and
// "DeadlineFirst <- NoDeadline", as they stand in a .cfg file; other items are invariants and properties. "Line" is the
// form of the line, and "Elect" leaves the writes out.
func configure(items ...string) explore.Configuration {
	c := explore.Configuration{
		Module:        "MCLease",
		Specification: "Spec",
		Constants:     map[string]string{"N": "2", "MaxSessions": "2", "Mortal": "{}"},
		Replacements:  map[string]string{"HasRoom": "Within"},
	}
	for _, item := range items {
		constant, value, isConstant := strings.Cut(item, " = ")
		operator, name, isReplacement := strings.Cut(item, " <- ")
		switch {
		case isConstant:
			c.Constants[constant] = value
		case isReplacement:
			c.Replacements[operator] = name
		case item == "Line":
			c.Replacements["MayCreate"], c.Replacements["Put"] = "InLine", "Beside"
		case item == "Elect":
			c.Replacements["MayWrite"] = "Never"
		case invariants[item] != nil:
			c.Invariants = append(c.Invariants, item)
		default:
			c.Properties = append(c.Properties, item)
		}
	}
	return c
}

// run explores a configuration that New must accept; items are divided by "; ".
func run(t *testing.T, items string) explore.Result {
	t.Helper()
	m, err := New(configure(strings.Split(items, "; ")...))
	require.NoError(t, err)
	result, err := explore.Run(context.Background(), m, explore.Options{MaxBytes: maxBytes})
	require.NoError(t, err)
	return result
}

// What is promised always, and with the deadline first besides.
const (
	sure  = "; TypeOK; OneHolder; OneLeaderPerEpoch; NoLockout; RevisionsRise; NoStaleWrite; Refines"
	first = "; OneLeader; LeaderHolds"
)

// The counts are those that TLC finds for the configuration of the same name (tla/models.json). Where a property is
// about liveness, only they are compared.
func TestCountsAreThoseOfTLC(t *testing.T) {
	for _, test := range []struct {
		name                       string
		items                      string
		distinct, generated, depth int
	}{
		{"Lock", "MaxSessions = 3; Elect" + first + sure, 3977, 12904, 19},
		{"Line", "MaxSessions = 3; Line; Elect" + first + sure, 7663, 29236, 19},
		{"Fenced", "DeadlineFirst <- NoDeadline" + sure, 1789, 8292, 16},
		{"FencedDeep", "MaxSessions = 3; DeadlineFirst <- NoDeadline" + sure, 46237, 253288, 23},
		{"Leader", "MaxSessions = 3; Mortal = {1}; Elect; SomeLeader", 7003, 25704, 20},
		{"LineLeader", "MaxSessions = 3; Mortal = {1}; Line; Elect; SomeLeader", 13052, 55424, 20},
		{"NeverExpires", "MaxSessions = 3; Mortal = {1}; Elect; Expires <- Never; SomeLeader", 1639, 5161, 20},
		{"B16GhostEntry", "MaxSessions = 3; Elect; Expires <- OnlyOfTheDead; SomeLeader", 993, 2760, 19},
		{"NeverLedAgain", "MaxSessions = 3; Mortal = {1}; Elect; NeverLedAgain", 7003, 25704, 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := run(t, test.items)
			require.Nil(t, result.Violation)
			require.Equal(t, []int{test.distinct, test.generated, test.depth}, []int{result.Distinct, result.Generated, result.Depth})
		})
	}
}

// TestBeyondTLC goes where TLC takes too long; the counts are only to stay what they are.
func TestBeyondTLC(t *testing.T) {
	for items, distinct := range map[string]int{
		"N = 3; MaxSessions = 3" + first + sure:                            103801,
		"N = 3; MaxSessions = 3; Line; DeadlineFirst <- NoDeadline" + sure: 326347, // LineFenced
	} {
		result := run(t, items)
		require.Nil(t, result.Violation, items)
		require.Equal(t, distinct, result.Distinct, items)
	}
}

// Depth is that of the shortest counterexample, as TLC finds it for the configuration of the same name.
func TestMustFail(t *testing.T) {
	for _, test := range []struct {
		name     string
		items    string
		property string
		depth    int
	}{
		{"NoDeadline", "Elect; DeadlineFirst <- NoDeadline", "OneLeader", 10},
		{"OnlyLeadersStop", "Elect; DeadlineFirst <- OnlyLeadersStop", "OneLeader", 10},
		{"B07RevisionForgotten", "Elect; KeptRevision <- ForgetsRevision", "OneLeaderPerEpoch", 12},
		{"B07LockedOut", "MaxSessions = 3; KeptRevision <- ForgetsRevision", "NoLockout", 16},
		{"Overwrites", "Elect; MayCreate <- Overwrites", "OneLeader", 9},
		{"ReleasesAnyEntry", "MaxSessions = 3; Elect; Released <- AnyEntry", "OneLeader", 16},
		{"EntriesForgotten", "Elect; KeptEntries <- ForgetsEntries", "OneLeader", 10},
		{"TakesNameForOwn", "MaxSessions = 3; Elect; IsMine <- SameNode", "OneLeader", 12},
		{"LineNotNext", "N = 3; MaxSessions = 3; Line; Elect; Leads <- NotNext", "OneLeader", 13},
		{"B11NoResourceFence", "Admits <- AdmitsAny", "NoStaleWrite", 15},
		{"B12CheckThenAct", "Next <- CheckThenAct", "NoStaleWrite", 17},
		{"Succeeded", "Elect", "NeverSucceeded", 11},
		{"ShutOut", "DeadlineFirst <- NoDeadline", "NeverShutOut", 12},
		{"LinePassed", "N = 3; MaxSessions = 3; Line; Elect", "NeverPassed", 9},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := run(t, test.items+"; "+test.property)
			require.NotNil(t, result.Violation)
			require.Equal(t, test.property, result.Violation.Property)
			require.Equal(t, test.depth, result.Depth)
		})
	}
}

// What else of the promises notices a mutant: what the store promises does not rest on clocks, nor the fence on deadlines.
func TestWhatElseFails(t *testing.T) {
	for items, fails := range map[string]bool{
		"DeadlineFirst <- NoDeadline; LeaderHolds":                true,
		"DeadlineFirst <- NoDeadline; Admits <- AdmitsAny" + sure: true,  // NoStaleWrite
		"MayCreate <- Overwrites" + sure:                          false, // two believe, of which one is refused
		"KeptEntries <- ForgetsEntries" + sure:                    false,
		"MaxSessions = 3; Released <- AnyEntry" + sure:            false,
		"KeptRevision <- ForgetsRevision; RevisionsRise":          true,
		"KeptRevision <- ForgetsRevision; Refines":                true,
		"Line; KeptRevision <- ForgetsRevision; OneHolder":        true,
		"MaxSessions = 3; IsMine <- SameNode" + sure:              false,
	} {
		require.Equal(t, fails, run(t, items).Violation != nil, items)
	}
}

// TestTypeOK breaks the types of a state, since no configuration does.
func TestTypeOK(t *testing.T) {
	m, err := New(configure("TypeOK"))
	require.NoError(t, err)
	y, x := m.(*system), m.Expander()
	for name, spoil := range map[string]func(s *state){
		"":                        func(*state) {},
		"a node beyond N runs":    func(s *state) { s.up |= only(3) },
		"a session of no node":    func(s *state) { s.node[1] = 3 },
		"no such role":            func(s *state) { s.role[1] = 3 },
		"an epoch never given":    func(s *state) { s.epoch[1] = 2 },
		"an entry never given":    func(s *state) { s.entries[1] = 2 },
		"CREATE of no session":    func(s *state) { s.creates = only(2) },
		"HOLDS of no revision":    func(s *state) { s.holds[1] = only(2) },
		"a write of no epoch":     func(s *state) { s.writes |= only(2) },
		"checked, and never sent": func(s *state) { s.writes, s.wrote, s.checked = 0, 0, only(1) },
		"written, and never sent": func(s *state) { s.writes = 0 },
		"a revision taken back":   func(s *state) { s.revision = 0 },
		"RELEASE of no session":   func(s *state) { s.releases = only(2) },
	} {
		s := state{length: 1, up: only(1), revision: 1, writes: only(1), wrote: 1}
		s.node[1], s.epoch[1], s.entries[1] = 1, 1, 1
		spoil(&s)
		want := "TypeOK"
		if name == "" {
			want = ""
		}
		require.Equal(t, want, x.Check(y.pack(&s, nil)), name)
	}
}

// TestRefinesAlone shows what LeaderElection forbids, since no step of the module does the second.
func TestRefinesAlone(t *testing.T) {
	m, err := New(configure("MaxSessions = 3", "Refines"))
	require.NoError(t, err)
	y := m.(*system)
	led := func(epochs ...revision) (s state) {
		s.length = 3
		s.node = [MaxSessions + 1]node{0, 1, 1, 2}
		copy(s.epoch[1:], epochs)
		return s
	}
	for _, test := range []struct {
		now, next state
		want      string
	}{
		{led(1, 0, 0), led(1, 0, 0), ""},
		{led(1, 0, 0), led(1, 2, 0), ""},
		{led(2, 0, 0), led(2, 0, 1), ""},        // a lower epoch of another node
		{led(2, 0, 0), led(2, 1, 0), "Refines"}, // of the same
		{led(2, 0, 0), led(2, 0, 2), "Refines"}, // led before
		{led(1, 0, 0), led(1, 2, 3), "Refines"}, // two at once
	} {
		require.Equal(t, test.want, y.BrokenBy(y, &test.now, &test.next), "%v to %v", test.now.epoch, test.next.epoch)
	}
}

func TestNewNamesWhatItDoesNotKnow(t *testing.T) {
	for item, message := range map[string]string{
		"N = 8":              `constant N = "8" is not a number from 1 to 7`,
		"MaxSessions = 0":    `constant MaxSessions = "0" is not a number from 1 to 7`,
		"MaxEpoch = 2":       `module MCLease has no constant "MaxEpoch"`,
		"Mortal = 1":         `constant Mortal = "1" is not a set of nodes`,
		"Mortal = {1, 3}":    `constant Mortal has 3 in it, which is no node`,
		"HasRoom <- Without": `HasRoom is "Without" and must be Within`,
		"Put <- Twice":       "no replacement Put <- Twice",
		"IsQuorum <- AnySet": "no replacement IsQuorum <- AnySet",
		"OneActing":          `module MCLease has no property "OneActing"`,
	} {
		_, err := New(configure(item))
		require.ErrorContains(t, err, message)
	}
	for message, change := range map[string]func(c *explore.Configuration){
		`module "MCFencing"`:               func(c *explore.Configuration) { c.Module = "MCFencing" },
		`specification "WeakSpec"`:         func(c *explore.Configuration) { c.Specification = "WeakSpec" },
		`constant N = ""`:                  func(c *explore.Configuration) { delete(c.Constants, "N") },
		`constant Mortal = ""`:             func(c *explore.Configuration) { delete(c.Constants, "Mortal") },
		`HasRoom is "" and must be Within`: func(c *explore.Configuration) { delete(c.Replacements, "HasRoom") },
		`no invariant "Refines"`:           func(c *explore.Configuration) { c.Invariants = []string{"Refines"} },
	} {
		c := configure("OneLeader")
		change(&c)
		_, err := New(c)
		require.ErrorContains(t, err, message)
	}
}

func TestLivenessIsLeftUnchecked(t *testing.T) {
	m, err := New(configure("OneLeader", "SomeLeader", "NoStaleWrite", "NeverLedAgain"))
	require.NoError(t, err)
	require.Equal(t, []string{"SomeLeader", "NeverLedAgain"}, m.Unchecked())
}

// Every state has one packed form, and nothing of it is lost.
func TestPackedStatesAreRebuilt(t *testing.T) {
	m, err := New(configure("Mortal = {1, 2}", "Next <- CheckThenAct", "TypeOK"))
	require.NoError(t, err)
	y := m.(*system)
	rendered := map[string]bool{}
	result, err := explore.Run(context.Background(), m, explore.Options{MaxBytes: maxBytes, Visit: func(packed []byte) {
		s := y.unpack(packed)
		require.Equal(t, packed, y.pack(&s, nil))
		rendered[fmt.Sprint(m.Render(packed))] = true
	}})
	require.NoError(t, err)
	require.Nil(t, result.Violation)
	require.NotZero(t, result.Distinct)
	require.Len(t, rendered, result.Distinct)
}

// TestLargest packs and unpacks a state that uses all the room there is.
func TestLargest(t *testing.T) {
	m, err := New(configure("N = 7", "MaxSessions = 7"))
	require.NoError(t, err)
	y := m.(*system)
	s := state{length: MaxSessions, up: 0xfe, revision: MaxSessions, creates: 0xfe, releases: 0xfe, writes: 0xfe,
		checked: 0xfe, wrote: MaxSessions}
	for x := session(1); x <= MaxSessions; x++ {
		s.node[x], s.role[x], s.epoch[x], s.entries[x], s.holds[x] = node(x), over, revision(x), revision(x), 0xfe
	}
	require.Equal(t, s, y.unpack(y.pack(&s, nil)))
	require.True(t, y.typeOK(&s))
}

func TestRender(t *testing.T) {
	m, err := New(configure())
	require.NoError(t, err)
	s := state{length: 2, up: only(1) | only(2), revision: 1, creates: only(2), releases: only(1), writes: only(1), wrote: 1}
	s.node[1], s.role[1], s.epoch[1], s.entries[1] = 2, over, 1, 1
	s.node[2], s.holds[2] = 1, only(1)
	require.Equal(t, []explore.Variable{
		{Name: "sessions", Value: `<<[node |-> 2, role |-> "over", epoch |-> 1], [node |-> 1, role |-> "candidate", epoch |-> 0]>>`},
		{Name: "up", Value: "{1, 2}"},
		{Name: "entries", Value: "{[session |-> 1, revision |-> 1]}"},
		{Name: "revision", Value: "1"},
		{Name: "net", Value: `{[type |-> "RELEASE", session |-> 1, revision |-> 0], ` +
			`[type |-> "CREATE", session |-> 2, revision |-> 0], [type |-> "HOLDS", session |-> 2, revision |-> 1]}`},
		{Name: "writes", Value: "{1}"},
		{Name: "checked", Value: "{}"},
		{Name: "wrote", Value: "1"},
	}, m.Render(m.(*system).pack(&s, nil)))
}
