package policy

import (
	"math"
	"math/bits"
	"time"
)

// window remembers the latest intervals. Its sums are integers, and exact: whatever is added and taken out again, no
// rounding error is left behind, as it is in a running sum of floating point numbers.
//
// An interval is at most maxCap, which is below 2⁴² ns, and there are at most 2¹⁶ of them: the sum is below 2⁵⁸, the
// sum of squares below 2¹⁰⁰, and times the count, below 2¹¹⁶.
type window struct {
	ring    []uint64 // in nanoseconds; all of it is allocated at once
	count   int      // how many of the ring are intervals
	next    int      // where the next one goes; the oldest, if the ring is full
	sum     uint64
	squares uint128
}

// newWindow returns a window of size intervals, empty.
func newWindow(size int) window {
	return window{ring: make([]uint64, size)}
}

// clear forgets all intervals.
func (w *window) clear() {
	*w = window{ring: w.ring}
}

// add remembers an interval from 0 to maxCap, and forgets the oldest if there is no room.
func (w *window) add(interval time.Duration) {
	x := uint64(interval)
	if w.count == len(w.ring) {
		oldest := w.ring[w.next]
		w.sum -= oldest
		w.squares = w.squares.sub(product(oldest, oldest))
	} else {
		w.count++
	}
	w.ring[w.next] = x
	w.next++
	if w.next == len(w.ring) {
		w.next = 0
	}
	w.sum += x
	w.squares = w.squares.add(product(x, x))
}

// forget forgets the n oldest intervals, of which there must be as many.
func (w *window) forget(n int) {
	for ; n > 0; n-- {
		oldest := w.ring[(w.next-w.count+len(w.ring))%len(w.ring)]
		w.sum -= oldest
		w.squares = w.squares.sub(product(oldest, oldest))
		w.count--
	}
}

// mean returns the mean of the intervals, in nanoseconds. There must be one.
func (w *window) mean() float64 {
	return float64(w.sum) / float64(w.count)
}

// deviation returns the standard deviation of the intervals, in nanoseconds. There must be one.
func (w *window) deviation() float64 {
	// count² times the variance is count·Σx² − (Σx)²: exact, and never negative (Cauchy and Schwarz).
	n := uint64(w.count)
	return math.Sqrt(w.squares.times(n).sub(product(w.sum, w.sum)).float()) / float64(n)
}

// uint128 is an unsigned integer of 128 bits.
type uint128 struct{ hi, lo uint64 }

// product returns a·b.
func product(a, b uint64) uint128 {
	hi, lo := bits.Mul64(a, b)
	return uint128{hi, lo}
}

func (a uint128) add(b uint128) uint128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return uint128{hi, lo}
}

func (a uint128) sub(b uint128) uint128 {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return uint128{hi, lo}
}

func (a uint128) times(n uint64) uint128 {
	low := product(a.lo, n)
	return uint128{low.hi + a.hi*n, low.lo}
}

func (a uint128) float() float64 {
	return float64(a.hi)*(1<<64) + float64(a.lo)
}

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
