package simnet_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
)

// TestQueue puts things off to any times, and gets them in the order of these, and of asking where they are the same.
func TestQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.IntRange(0, 20), 1, 100).Draw(t, "times")
		w := newNetwork()
		type alarm struct{ at, tag int }
		var want, got []alarm
		for k, at := range times {
			w.At(time.Duration(at), uint32(k))
			want = append(want, alarm{at, k})
		}
		slices.SortStableFunc(want, func(a, b alarm) int { return a.at - b.at })
		var e simnet.Event[int]
		for w.Next(&e, hour) {
			got = append(got, alarm{int(w.Now()), int(e.Tag)})
		}
		require.Equal(t, want, got)
	})
}

// TestRandom pins the first numbers of a stream, and that streams and seeds differ; and draws ranges evenly.
func TestRandom(t *testing.T) {
	r := simnet.NewRandom(1, 2)
	require.Equal(t, []uint64{0xceddf6a8132bfb74, 0xca5a963349a01bea}, []uint64{r.Next(), r.Next()})
	for _, other := range []simnet.Random{simnet.NewRandom(2, 1), simnet.NewRandom(1, 3), simnet.NewRandom(2, 2)} {
		same := simnet.NewRandom(1, 2)
		require.NotEqual(t, same.Next(), other.Next())
	}
	var counts [10]int
	for range 10000 {
		counts[r.In(simnet.Range{Min: 5, Max: 14})-5]++
	}
	for _, n := range counts {
		require.InDelta(t, 1000, n, 150)
	}
	require.Equal(t, time.Duration(7), r.In(exactly(7)))
	require.Equal(t, time.Duration(7), r.In(simnet.Range{Min: 7, Max: 3}))
}
