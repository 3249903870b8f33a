package detector

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
