package policy

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// exact returns mean and standard deviation of intervals by definition, without rounding but at the end.
func exact(intervals []time.Duration) (mean, deviation float64) {
	n := big.NewRat(int64(len(intervals)), 1)
	sum := new(big.Rat)
	for _, x := range intervals {
		sum.Add(sum, big.NewRat(int64(x), 1))
	}
	middle := new(big.Rat).Quo(sum, n)
	variance := new(big.Rat)
	for _, x := range intervals {
		d := new(big.Rat).Sub(big.NewRat(int64(x), 1), middle)
		variance.Add(variance, d.Mul(d, d))
	}
	mean, _ = middle.Float64()
	v, _ := variance.Quo(variance, n).Float64()
	return mean, math.Sqrt(v)
}

func TestWindowIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(2, 20).Draw(t, "size")
		interval := rapid.OneOf(rapid.Int64Range(0, 1000), rapid.Int64Range(int64(maxCap)-10, int64(maxCap)),
			rapid.Int64Range(0, int64(maxCap)))
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(interval.Draw(t, "interval"))
		}), 1, 60).Draw(t, "intervals")
		w := newWindow(size)
		for i, x := range all {
			w.add(x)
			mean, deviation := exact(all[max(0, i+1-size) : i+1])
			require.InDelta(t, mean, w.mean(), mean*1e-15)
			require.InDelta(t, deviation, w.deviation(), deviation*1e-15)
		}
		w.clear()
		w.add(all[0])
		require.Equal(t, float64(all[0]), w.mean())
		require.Zero(t, w.deviation())
	})
}

// A running sum of floating point numbers would be left with what an hour among nanoseconds has rounded away.
func TestWindowDoesNotDrift(t *testing.T) {
	w := newWindow(maxWindow)
	for range 3 * maxWindow {
		w.add(maxCap)
	}
	require.Equal(t, float64(maxCap), w.mean())
	require.Zero(t, w.deviation())
	for i := range maxWindow {
		w.add(time.Duration(i % 2))
	}
	require.Equal(t, 0.5, w.mean())
	require.Equal(t, 0.5, w.deviation())
}
