package simnet

import (
	"math/bits"
	"time"
)

// Random is a stream of random numbers: splitmix64, which is the same on every machine and needs no more than a word.
type Random uint64

const (
	gamma = 0x9e3779b97f4a7c15
	mixA  = 0xbf58476d1ce4e5b9
	mixB  = 0x94d049bb133111eb
)

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * mixA
	x = (x ^ x>>27) * mixB
	return x ^ x>>31
}

// NewRandom returns the stream of that number of a seed. Streams of one seed have nothing to do with each other.
func NewRandom(seed, stream uint64) Random {
	return Random(mix(mix(seed+gamma) ^ mix(stream*gamma+mixA)))
}

// Next returns the next number.
func (r *Random) Next() uint64 {
	*r += gamma
	return mix(uint64(*r))
}

// Below returns a number from 0 to below n, which is above 0.
func (r *Random) Below(n uint64) uint64 {
	high, _ := bits.Mul64(r.Next(), n)
	return high
}

// Int64N is Below, as it is asked of a source of random numbers elsewhere.
func (r *Random) Int64N(n int64) int64 { return int64(r.Below(uint64(n))) }

// Range is a time drawn evenly from Min to Max, both included. A Max below Min is taken for Min.
type Range struct{ Min, Max time.Duration }

// String returns the range as a person would say it: 1ms to 5ms, or 3ms.
func (d Range) String() string {
	if d.Min == d.Max {
		return d.Min.String()
	}
	return d.Min.String() + " to " + d.Max.String()
}

// In returns a time drawn from the range. It always takes one number of the stream.
func (r *Random) In(d Range) time.Duration {
	return d.Min + time.Duration(r.Below(uint64(max(d.Max-d.Min, 0))+1))
}

// chance is a part of all, from 0 to 1, in units of 2^-32.
type chance uint64

// chanceOf returns the chance nearest below p. The product is exact: it is by a power of two.
func chanceOf(p float64) chance {
	return chance(min(max(p, 0), 1) * (1 << 32))
}

// comes draws whether what has this chance happens.
func (c chance) comes(r *Random) bool { return chance(r.Next()>>32) < c }
