package explore

import (
	"encoding/binary"
	"math/bits"
)

// The constants are the fractional digits of π, in 64-bit words: nothing up our sleeve.
const (
	pi0 = 0x243f6a8885a308d3
	pi1 = 0x13198a2e03707344
	pi2 = 0xa4093822299f31d0
	pi3 = 0x082efa98ec4e6c89
)

// fingerprint hashes b to 64 bits, all of which depend on every bit of b. It is a chain
// of folded 128-bit products, the idea of Wang Yi's wyhash. It is the same on every
// machine, so that runs can be compared, and it is no defence against an adversary.
func fingerprint(b []byte) uint64 {
	h := fold(uint64(len(b))^pi0, pi1)
	for len(b) > 16 {
		h = fold(binary.LittleEndian.Uint64(b)^pi2, binary.LittleEndian.Uint64(b[8:])^h)
		b = b[16:]
	}
	// The tail of 0 to 16 bytes is read as two words, which may overlap: together with
	// the length, they still tell any two tails apart.
	var lo, hi uint64
	switch n := len(b); {
	case n >= 8:
		lo, hi = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		lo, hi = uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[n-4:]))
	case n > 0:
		lo = uint64(b[0])<<16 | uint64(b[n/2])<<8 | uint64(b[n-1])
	}
	return fold(fold(lo^pi3, hi^h)^pi0, h^pi1)
}

// fold multiplies a by b, and folds the upper half of the product onto the lower.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
