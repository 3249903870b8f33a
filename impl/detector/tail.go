package detector

import "math"

// tail returns −log₁₀ of the probability that a normal variable is more than y standard deviations above its mean. It
// is at least 0, rises with y, and is finite for every finite y up to 10¹⁵⁰.
//
// This is the tail itself and not the logistic approximation that Akka uses. That one is off by up to 1.4·10⁻⁴, which is
// nothing in the middle, and ten thousand times the 10⁻⁸ that a threshold of 8 is about: it suspects 0.4 deviations
// early. And its exponential underflows at 22 deviations, from where phi is +Inf.
func tail(y float64) float64 {
	switch {
	case y < 0: // the probability is near 1; its distance from 1 is what is exact
		return -math.Log1p(-math.Erfc(-y/math.Sqrt2)/2) / math.Ln10
	case y < erfcEnd:
		return -math.Log(math.Erfc(y/math.Sqrt2)/2) / math.Ln10
	}
	// Abramowitz and Stegun 26.2.12: Q(y) = Z(y)/y · (1 − 1/y² + 3/y⁴ − 15/y⁶ + 105/y⁸ − …). The error is below the
	// next term, 945/y¹⁰, which is below 10⁻¹² from here on: no step is to be seen where one form takes over.
	x := 1 / (y * y)
	series := 1 - x*(1-x*(3-x*(15-x*105)))
	return (y*y/2 + math.Log(y*math.Sqrt(2*math.Pi)) - math.Log(series)) / math.Ln10
}

// erfcEnd is where tail leaves math.Erfc, which loses its digits near 37 deviations and is 0 above 39.
const erfcEnd = 35

// quantile returns the y at which tail reaches phi, from 0 to 2·maxThreshold. It is found by bisection, once for each
// detector: math.Erfcinv goes by way of 1−x, and is +Inf from phi 16 on.
func quantile(phi float64) float64 {
	low, high := -50.0, 50.0 // tail(−50) is 0, tail(50) is above 500
	for {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			return high
		}
		if tail(middle) < phi {
			low = middle
		} else {
			high = middle
		}
	}
}
