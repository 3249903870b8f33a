package explore

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
)

// chunkBytes is the size of a chunk: small enough that the workers finish a level at
// nearly the same time, large enough that taking one costs nothing.
const chunkBytes = 8 << 10

// memory counts the bytes of table and frontier, and keeps them under a limit.
type memory struct {
	limit      int64 // 0 means none
	used, peak atomic.Int64
}

// take counts n bytes more, and reports whether they are within the limit.
func (m *memory) take(n int64) bool {
	used := m.used.Add(n)
	if m.limit > 0 && used > m.limit {
		m.used.Add(-n)
		return false
	}
	for {
		peak := m.peak.Load()
		if used <= peak || m.peak.CompareAndSwap(peak, used) {
			return true
		}
	}
}

// give counts n bytes less.
func (m *memory) give(n int64) { m.used.Add(-n) }

// A chunk is a run of states, each one led by its length. The states in a chunk never
// move, so slices of it stay good until it is recycled.
type chunk []byte

// fits reports whether c has room for state.
func (c chunk) fits(state []byte) bool {
	return cap(c)-len(c) >= len(state)+binary.MaxVarintLen32
}

// add appends state, for which there must be room, and returns the chunk and its copy.
func (c chunk) add(state []byte) (chunk, []byte) {
	c = binary.AppendUvarint(c, uint64(len(state)))
	c = append(c, state...)
	return c, c[len(c)-len(state):]
}

// first splits c into its first state and the rest.
func (c chunk) first() (state []byte, rest chunk) {
	n, k := binary.Uvarint(c)
	end := k + int(n)
	return c[k:end:end], c[end:]
}

// pool recycles chunks: those of the level that is expanded hold the next level's states.
type pool struct {
	sync.Mutex
	free   []chunk
	memory *memory
}

// get returns an empty chunk with room for state, or nil if memory ran out.
func (p *pool) get(state []byte) chunk {
	p.Lock()
	defer p.Unlock()
	size := max(chunkBytes, len(state)+binary.MaxVarintLen32)
	if n := len(p.free); n > 0 && size == chunkBytes {
		c := p.free[n-1]
		p.free = p.free[:n-1]
		return c
	}
	if !p.memory.take(int64(size)) {
		return nil
	}
	return make(chunk, 0, size)
}

// put takes back a chunk that nobody reads any more.
func (p *pool) put(c chunk) {
	p.Lock()
	defer p.Unlock()
	if cap(c) != chunkBytes {
		p.memory.give(int64(cap(c))) // It was made for one very long state.
		return
	}
	p.free = append(p.free, c[:0])
}

// frontier is the states of one level.
type frontier struct {
	sync.Mutex
	chunks []chunk
}

// add adds the states of c.
func (f *frontier) add(c chunk) {
	if len(c) == 0 {
		return
	}
	f.Lock()
	defer f.Unlock()
	f.chunks = append(f.chunks, c)
}

// appendTo appends the states of f to states, which is empty, in the order of their bytes.
func (f *frontier) appendTo(states [][]byte) [][]byte {
	for _, c := range f.chunks {
		for len(c) > 0 {
			var s []byte
			s, c = c.first()
			states = append(states, s)
		}
	}
	slices.SortFunc(states, bytes.Compare)
	return states
}
