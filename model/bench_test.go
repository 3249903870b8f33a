package model

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/explore"
)

// states returns the reachable states of c.
func states(t testing.TB, c explore.Configuration) (explore.Model, [][]byte) {
	m, err := New(c)
	require.NoError(t, err)
	var all [][]byte
	_, err = explore.Run(context.Background(), m, explore.Options{
		Visit: func(state []byte) { all = append(all, bytes.Clone(state)) },
	})
	require.NoError(t, err)
	return m, all
}

func checked(c explore.Configuration) explore.Configuration {
	c.Invariants = []string{"TypeOK", "OneLeaderPerEpoch", "OneActing"}
	c.Properties = []string{"EpochMonotonic", "NoDisruption", "Refines"}
	return c
}

func TestExpandingAllocatesNothing(t *testing.T) {
	m, all := states(t, checked(configuration(3, "TopIsolated", "0 0 1 1 0")))
	x := m.Expander()
	emit := func(explore.Step, []byte, string) {}
	k := 0
	allocations := testing.AllocsPerRun(len(all)-1, func() {
		x.Expand(all[k], emit)
		x.Check(all[k])
		k++
	})
	require.Zero(t, allocations)
}

// One operation is one state generated: its step, properties and packed form.
func BenchmarkExpand(b *testing.B) {
	for name, c := range map[string]explore.Configuration{
		"3 nodes": configuration(3, "Whole", "0 1 0 0 0"),
		"5 nodes": configuration(5, "Partial", "0 0 0 0 0"),
		"7 nodes": configuration(7, "Chain", "0 0 0 0 0"),
	} {
		b.Run(name, func(b *testing.B) {
			m, all := states(b, checked(c))
			x := m.Expander()
			generated := 0
			emit := func(explore.Step, []byte, string) { generated++ }
			b.ReportAllocs()
			b.ResetTimer()
			for k := 0; generated < b.N; k++ {
				x.Expand(all[k%len(all)], emit)
			}
			b.ReportMetric(float64(generated)/b.Elapsed().Seconds(), "states/s")
		})
	}
}
