package policy

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// fraction returns −log₁₀ of the normal tail by Laplace's continued fraction, which has nothing in common with tail.
func fraction(y float64) float64 {
	f := 0.0
	for k := 400.0; k >= 1; k-- {
		f = k / (y + f)
	}
	return (y*y/2 + math.Log(math.Sqrt(2*math.Pi)*(y+f))) / math.Ln10
}

func TestTail(t *testing.T) {
	require.InEpsilon(t, math.Log10(2), tail(0), 1e-15)
	for y := 2.0; y < 1000; y += 0.37 {
		require.InEpsilon(t, fraction(y), tail(y), 1e-13, "at %v", y)
	}
	// Below the mean, 1 less the tail on the other side.
	for y := 0.01; y < 5; y += 0.01 {
		require.InEpsilon(t, -math.Log10(1-math.Pow(10, -tail(y))), tail(-y), 1e-9, "at %v", -y)
	}
	require.Zero(t, tail(-1e18))
	require.False(t, math.Signbit(tail(-1e18)), "0, not -0")
	require.False(t, math.IsInf(tail(1e150), 0))
}

func TestTailRises(t *testing.T) {
	for _, step := range []float64{1e-9, 1e-3, 0.5} {
		for _, from := range []float64{-8, -1e-7, erfcEnd - 1e-7, erfcEnd - 1, 20, 36} {
			last := tail(from)
			for i := 1; i <= 2000; i++ {
				next := tail(from + float64(i)*step)
				require.GreaterOrEqual(t, next, last, "at %v + %d·%v", from, i, step)
				last = next
			}
		}
	}
}

// The quantiles of the normal distribution are in every table of it.
func TestQuantile(t *testing.T) {
	for _, test := range []struct{ phi, want float64 }{
		{math.Log10(2), 0}, {1, 1.2815515655446004}, {3, 3.090232306167813}, {6, 4.753424308822899},
		{8, 5.612001244174789}, {16, 8.222082216130435},
	} {
		require.InDelta(t, test.want, quantile(test.phi), 1e-12, "phi %v", test.phi)
	}
	for phi := 0.001; phi <= 2*maxThreshold; phi *= 1.01 {
		y := quantile(phi)
		require.GreaterOrEqual(t, tail(y), phi)
		require.Less(t, tail(math.Nextafter(y, -100)), phi)
	}
}
