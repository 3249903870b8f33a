package explore

import (
	"math/bits"
	"sync"
)

const (
	// shardBits is how many upper bits of a fingerprint choose its shard.
	shardBits = 7
	// pageSlots is the number of slots of a page, which is 4 KiB.
	pageSlots = 256
	slotBytes = 16
	pageBytes = pageSlots * slotBytes
	// A shard grows when more than loadNumerator of loadDenominator slots are taken, and
	// then by an eighth: 20 to 22.5 bytes for each state, once a shard has eight pages.
	loadNumerator, loadDenominator = 4, 5
	growth                         = 8
)

// A link says when and from where a state was first reached: the level in the upper 32
// bits, and below it the upper 32 bits of its parent's fingerprint. The smallest link
// is the earliest and, among the links of one level, a choice that does not depend on
// which worker came first. A link is never 0, since levels start at 1.
type link uint64

// newLink returns the link of a state first reached at level, from parent.
func newLink(level int, parent uint64) link {
	return link(uint64(level)<<32 | parent>>32)
}

// level returns the level of the state.
func (l link) level() int { return int(l >> 32) }

// parentPrefix returns the upper 32 bits of the parent's fingerprint.
func (l link) parentPrefix() uint32 { return uint32(l) }

// slot holds one state. Its link is 0 if it is free, so any fingerprint may be stored.
type slot struct {
	fingerprint uint64
	link        link
}

// page is the unit in which memory is taken. Pages are never given back while a run
// lasts, hence growing leaves no garbage behind.
type page [pageSlots]slot

// shard is an open-addressing hash table over its pages, taken together as one array. The
// home of a fingerprint is proportional to it, so fingerprints with a common prefix lie
// together, and growing moves all slots in one sweep.
type shard struct {
	sync.Mutex
	pages []*page
	used  int
	_     [24]byte // fills a cache line, so that shards do not slow each other
}

// table is a set of fingerprints with their links. Any number of goroutines may use it.
type table struct {
	shards [1 << shardBits]shard
	memory *memory

	growing sync.Mutex
	scratch []slot // the taken slots of the shard that grows
}

// insert adds fp with l, and reports whether it is new. If it is known already, the
// smaller link stays. ok is false, and nothing was added, if memory ran out.
func (t *table) insert(fp uint64, l link) (fresh, ok bool) {
	s := &t.shards[fp>>(64-shardBits)]
	s.Lock()
	defer s.Unlock()
	if s.used*loadDenominator >= len(s.pages)*pageSlots*loadNumerator && !t.grow(s) {
		return false, false
	}
	p := s.find(fp)
	if p.link == 0 {
		*p = slot{fp, l}
		s.used++
		return true, true
	}
	if l < p.link {
		p.link = l
	}
	return false, true
}

// home returns the index of the slot at which the search for fp starts.
func (s *shard) home(fp uint64) int {
	i, _ := bits.Mul64(fp<<shardBits, uint64(len(s.pages)*pageSlots))
	return int(i)
}

// at returns slot i.
func (s *shard) at(i int) *slot {
	return &s.pages[i/pageSlots][i%pageSlots]
}

// find returns the slot that holds fp, or the free slot where it belongs.
func (s *shard) find(fp uint64) *slot {
	for i := s.home(fp); ; {
		pg := s.pages[i/pageSlots]
		for j := i % pageSlots; j < pageSlots; j++ {
			if p := &pg[j]; p.link == 0 || p.fingerprint == fp {
				return p
			}
		}
		if i = (i/pageSlots + 1) * pageSlots; i == len(s.pages)*pageSlots {
			i = 0
		}
	}
}

// grow adds pages to s and puts every slot in its new place. It reports whether there
// was memory for it. The caller holds the lock of s.
func (t *table) grow(s *shard) bool {
	t.growing.Lock()
	defer t.growing.Unlock()
	more := max(1, len(s.pages)/growth)
	bytes := int64(more) * pageBytes
	if s.used > cap(t.scratch) {
		bytes += int64(s.used-cap(t.scratch)) * slotBytes
	}
	if !t.memory.take(bytes) {
		return false
	}
	if s.used > cap(t.scratch) {
		t.scratch = make([]slot, 0, s.used)
	}
	t.scratch = t.scratch[:0]
	for _, pg := range s.pages {
		for _, p := range pg {
			if p.link != 0 {
				t.scratch = append(t.scratch, p)
			}
		}
		*pg = page{}
	}
	for range more {
		s.pages = append(s.pages, new(page))
	}
	for _, p := range t.scratch {
		*s.find(p.fingerprint) = p
	}
	return true
}

// lookup returns the link of fp, or 0 if fp is not in the table.
func (t *table) lookup(fp uint64) link {
	s := &t.shards[fp>>(64-shardBits)]
	s.Lock()
	defer s.Unlock()
	if len(s.pages) == 0 {
		return 0
	}
	return s.find(fp).link
}

// parents adds to found every fingerprint of the level before l's that starts with the
// prefix that l kept: the parent and, in very large tables, seldom another state.
func (t *table) parents(l link, found map[uint64]bool) {
	first := uint64(l.parentPrefix()) << 32
	s := &t.shards[first>>(64-shardBits)]
	s.Lock()
	defer s.Unlock()
	if len(s.pages) == 0 {
		return
	}
	slots := len(s.pages) * pageSlots
	// Linear probing puts them between the home of the first possible one and the first
	// free slot after the home of the last.
	end := s.home(first | 1<<32 - 1)
	for i := s.home(first); i <= end || s.at(i%slots).link != 0; i++ {
		p := s.at(i % slots)
		if p.fingerprint>>32 == first>>32 && p.link != 0 && p.link.level() == l.level()-1 {
			found[p.fingerprint] = true
		}
	}
}
