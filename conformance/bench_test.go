package conformance_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
)

// BenchmarkModel measures what the model takes to answer a question. One op is one question.
func BenchmarkModel(b *testing.B) {
	for _, name := range []string{"all-3", "random-7"} {
		b.Run(name, func(b *testing.B) {
			cases := casesOf(b, name)
			model := &conformance.Model{}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c := &cases[i%len(cases)]
				model.Step(c.ID, c.Members, c.Before, c.Input)
			}
		})
	}
}

// casesOf returns the cases of a group, with memory of their own.
func casesOf(t testing.TB, name string) (cases []conformance.Case) {
	groups := conformance.Groups()
	g := slices.IndexFunc(groups, func(g conformance.Group) bool { return g.Name == name })
	require.GreaterOrEqual(t, g, 0, name)
	for c := range groups[g].All {
		own := *c
		own.Members, own.Before = slices.Clone(c.Members), c.Before.Clone()
		cases = append(cases, own)
	}
	return cases
}
