package frame_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/internal/frame"
)

func TestSets(t *testing.T) {
	s := frame.Only(1) | frame.Only(4)
	require.True(t, s.Has(4))
	require.False(t, s.Has(2))
	require.Equal(t, 4, s.Highest())
	require.Equal(t, 2, s.Size())
	require.Equal(t, "{1, 4}", s.String())
	var all []string
	s.Subsets(func(sub frame.Set) { all = append(all, sub.String()) })
	require.Equal(t, []string{"{}", "{1}", "{4}", "{1, 4}"}, all)
}

func TestNetwork(t *testing.T) {
	var w frame.Network
	w.Connect(3)
	require.Equal(t, []frame.Link{{1, 2}, {1, 3}, {2, 1}, {2, 3}, {3, 1}, {3, 2}}, w.Links)
	w.CutWhere(func(l frame.Link) bool { return l.To == 3 })
	require.False(t, w.IsCut(0, 1, 3))
	require.True(t, w.IsCut(1, 1, 3))
	require.False(t, w.IsCut(1, 3, 1))
	require.Equal(t, "{<<1, 3>>, <<2, 3>>}", w.CutLinks(1))
	w.CutWhere(func(frame.Link) bool { return false })
	require.Len(t, w.Cuts, 1, "to cut nothing is the whole network")
	require.True(t, w.SomeNode(func(i int) bool { return i == 3 }))
	require.False(t, w.SomeNode(func(i int) bool { return i == 4 }))
}

// toy is a model, and its own state.
type toy struct {
	n    int
	even bool
}

func TestTake(t *testing.T) {
	module := frame.Module[toy, toy]{
		Package: "toy", Name: "MCToy", Constants: []string{"N"}, Needed: []string{"Form"},
		Substitutes: map[string]map[string]func(*toy){"Form": {"Even": func(m *toy) { m.even = true }}},
		Promises:    []frame.Promise[toy, toy]{{Name: "Small", Holds: func(_, s *toy) bool { return s.n < 3 }}},
		Steps:       []string{"Rises"}, Liveness: []string{"Ends"},
	}
	good := func() explore.Configuration {
		return explore.Configuration{
			Module: "MCToy", Specification: "Spec", Constants: map[string]string{"N": "2"},
			Replacements: map[string]string{"Form": "Even"}, Invariants: []string{"Small"}, Properties: []string{"Ends", "Rises"},
		}
	}
	take := func(c explore.Configuration) (m toy, checks frame.Checks[toy, toy], err error) {
		checks, err = module.Take(c, &m, func(values map[string]string) (err error) {
			m.n, err = explore.Number(values, "N", 1, 9)
			return err
		})
		return m, checks, err
	}
	m, checks, err := take(good())
	require.NoError(t, err)
	require.Equal(t, toy{2, true}, m)
	require.Equal(t, []string{"Rises"}, checks.Steps)
	require.Equal(t, []string{"Ends"}, checks.Unchecked)
	require.Empty(t, checks.Broken(&m, &toy{n: 2}))
	require.Equal(t, "Small", checks.Broken(&m, &toy{n: 3}))

	for want, breaks := range map[string]func(c *explore.Configuration){
		"toy: module MCOther is not MCToy":                     func(c *explore.Configuration) { c.Module = "MCOther" },
		"toy: specification Weak is neither Spec nor FairSpec": func(c *explore.Configuration) { c.Specification = "Weak" },
		"toy: constant N": func(c *explore.Configuration) { c.Constants["N"] = "10" },
		"toy: M is no constant with a value of module MCToy":       func(c *explore.Configuration) { c.Constants["M"] = "1" },
		"toy: constant Form has no value":                          func(c *explore.Configuration) { delete(c.Replacements, "Form") },
		"toy: there is no replacement Form <- Odd in module MCToy": func(c *explore.Configuration) { c.Replacements["Form"] = "Odd" },
		"toy: Large is no invariant of module MCToy":               func(c *explore.Configuration) { c.Invariants = []string{"Large"} },
		"toy: Falls is no property of module MCToy":                func(c *explore.Configuration) { c.Properties = []string{"Falls"} },
	} {
		c := good()
		breaks(&c)
		_, _, err := take(c)
		require.ErrorContains(t, err, want)
	}
}
