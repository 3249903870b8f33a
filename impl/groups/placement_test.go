package groups_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

func ids(n int) (members []spec.NodeID) {
	for i := range n {
		members = append(members, spec.IntegerID(uint64(i+1)))
	}
	return members
}

func names(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("orders-%d", i))
	}
	return all
}

// Ten thousand groups are within a tenth of even over five nodes, and over three.
func TestSpread(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	for _, n := range []int{3, 5} {
		plan := groups.Placement{Members: ids(n)}.Plan(names(10_000))
		for id, led := range plan {
			require.InEpsilon(t, 10_000/n, len(led), 0.1, "node %v of %d", id, n)
		}
	}
}

// The share that is farthest from even is off by what placing each group by itself comes to: so says Order.
func TestSpreadOfFewer(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	for _, of := range []struct {
		groups       int
		median, most float64
	}{{200, 0.21, 0.60}, {1000, 0.10, 0.25}} {
		var off []float64
		for set := range 99 {
			all := make([]string, of.groups)
			for i := range all {
				all[i] = fmt.Sprintf("set-%d-%d", set, i)
			}
			worst := 0.0
			for _, led := range (groups.Placement{Members: ids(5)}).Plan(all) {
				worst = max(worst, math.Abs(5*float64(len(led))/float64(of.groups)-1))
			}
			off = append(off, worst)
		}
		slices.Sort(off)
		require.InDelta(t, of.median, off[len(off)/2], 0.015, "of %d groups", of.groups)
		require.Less(t, off[len(off)-1], of.most)
	}
}

// If a member is lost, what it led moves, evenly, and nothing else does; if one is added, only what it is to lead.
func TestOnlyItsShareMoves(t *testing.T) {
	all := names(10_000)
	five, six := groups.Placement{Members: ids(5)}, groups.Placement{Members: ids(6)}
	before, after := five.Plan(all), five.Plan(all, spec.IntegerID(3))
	moves := groups.Moves(before, after)
	require.Len(t, moves, len(before[spec.IntegerID(3)]))
	to := map[spec.NodeID]int{}
	for _, m := range moves {
		require.Equal(t, spec.IntegerID(3), m.From)
		to[m.To]++
	}
	require.True(t, slices.IsSortedFunc(moves, func(a, b groups.Move) int { return strings.Compare(a.Group, b.Group) }), "moves are sorted by group")
	for id, n := range to {
		require.InEpsilon(t, len(moves)/4, n, 0.15, "to node %v", id)
	}
	moves = groups.Moves(before, six.Plan(all))
	require.InEpsilon(t, 10_000/6, len(moves), 0.1)
	for _, m := range moves {
		require.Equal(t, spec.IntegerID(6), m.To)
	}
}

// A plan names each member that runs, also one that is to lead nothing.
func TestPlanNamesWhoRuns(t *testing.T) {
	one, two, three := spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)
	require.Equal(t, map[spec.NodeID][]string{one: nil, three: nil}, groups.Placement{Members: ids(3)}.Plan(nil, two))
}

// Weights are kept, and a group that is pinned is led by whom it is pinned to; of weight 0 nothing is led but what nobody else can.
func TestWeightsAndPins(t *testing.T) {
	all := names(10_000)
	one, two, three := spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)
	p := groups.Placement{Members: ids(3), Weights: map[spec.NodeID]int{one: 2, three: 0}, Pins: map[string]spec.NodeID{"orders-7": three}}
	require.NoError(t, p.Validate())
	plan := p.Plan(all)
	require.InEpsilon(t, 6667, len(plan[one]), 0.05)
	require.InEpsilon(t, 3333, len(plan[two]), 0.1)
	require.Equal(t, []string{"orders-7"}, plan[three])
	require.Len(t, p.Plan(all, one, two)[three], len(all))
	heavier := p
	heavier.Weights = map[spec.NodeID]int{one: 3, three: 0}
	for _, m := range groups.Moves(plan, heavier.Plan(all)) {
		require.Equal(t, one, m.To, "more weight takes, and gives nothing away")
	}
}

// The order is the same on every machine, and in every version: nodes of different versions run together.
func TestOrderIsKept(t *testing.T) {
	p := groups.Placement{Members: ids(5), Weights: map[spec.NodeID]int{spec.IntegerID(2): 3}}
	got := ""
	for _, name := range []string{"a", "orders-17", "π"} {
		got += fmt.Sprintln(name, p.Order(name))
	}
	require.Equal(t, orderKept, got)
}

func TestPlacementIsChecked(t *testing.T) {
	for _, bad := range []groups.Placement{
		{}, {Members: ids(65)}, {Members: append(ids(2), spec.IntegerID(1))}, {Members: []spec.NodeID{{}}},
		{Members: ids(2), Weights: map[spec.NodeID]int{spec.IntegerID(3): 1}},
		{Members: ids(2), Weights: map[spec.NodeID]int{spec.IntegerID(1): -1}},
		{Members: ids(2), Weights: map[spec.NodeID]int{spec.IntegerID(1): 1001}},
		{Members: ids(2), Pins: map[string]spec.NodeID{"a": spec.IntegerID(3)}},
		{Members: ids(2), Pins: map[string]spec.NodeID{"": spec.IntegerID(1)}},
	} {
		require.Error(t, bad.Validate(), "%+v", bad)
	}
}

const orderKept = "a [2 3 5 4 1]\norders-17 [5 2 4 3 1]\nπ [4 2 5 1 3]\n"
