package simdisk

import "slices"

// Crash returns a disk as it may be found after a crash. Of all there may be, choose(n) picks: a number from 0 to
// n−1. Choice 0 is always what loses most.
func (d *Disk) Crash(choose func(n int) int) *Disk {
	after := New()
	after.InPlace = d.InPlace
	entries := make(map[string]*file, len(d.durable))
	for name, f := range d.durable {
		entries[name] = f
	}
	for _, c := range d.pending {
		if choose(2) == 1 {
			c.apply(entries)
		}
	}
	names := make([]string, 0, len(entries))
	for name := range entries {
		names = append(names, name)
	}
	slices.Sort(names) // the choices come in one order
	for _, name := range names {
		after.Put(name, entries[name].survivor(choose))
	}
	return after
}

func (f *file) survivor(choose func(n int) int) []byte {
	if len(f.patches) > 0 && len(f.durable) == len(f.content) {
		after := slices.Clone(f.durable)
		for _, p := range f.patches {
			p.tear(after[p.at:], choose(patchFates))
		}
		return after
	}
	if !f.dirty {
		return f.durable
	}
	candidates := [][]byte{f.durable, make([]byte, len(f.content)), f.content[:len(f.content)/2], f.content}
	return candidates[choose(len(candidates))]
}

const (
	sector = 512
	block  = 4096
	// patchFates is in how many ways a patch is found after a crash.
	patchFates = 8
)

// tear does to a file what a crash leaves of a patch: each sector is the old one or the new one, and one block may be spoiled.
func (p patch) tear(file []byte, fate int) {
	keep := func(of func(i int) bool) {
		for i := 0; i*sector < len(p.data); i++ {
			if end := min((i+1)*sector, len(p.data)); of(i) {
				copy(file[i*sector:], p.data[i*sector:end])
			}
		}
	}
	spoil := func(from int) {
		for i := from; i < min(from+block, len(p.data)); i++ {
			file[i] = 0xA5
		}
	}
	switch fate {
	case 0: // nothing of it
	case 1: // up to a byte in the midst of a sector
		copy(file, p.data[:len(p.data)/2-sector/3])
	case 2: // the later half alone
		keep(func(i int) bool { return i*sector >= len(p.data)/2 })
	case 3: // every second sector
		keep(func(i int) bool { return i%2 == 1 })
	case 4: // the first block is spoiled, and nothing else done
		spoil(0)
	case 5: // the first block is spoiled, and all else done
		copy(file, p.data)
		spoil(0)
	case 6: // the last block is spoiled, and all else done
		copy(file, p.data)
		spoil(max(len(p.data)-block, 0))
	default:
		copy(file, p.data)
	}
}

// Explore calls run once for each series of choices that run can make. The choose that it is given returns a number
// from 0 to n−1; run must make the same calls after the same answers.
func Explore(run func(choose func(n int) int)) {
	var taken, sizes []int
	for {
		at := 0
		run(func(n int) int {
			if at == len(taken) {
				taken, sizes = append(taken, 0), append(sizes, n)
			}
			at++
			return taken[at-1]
		})
		for len(taken) > 0 && taken[len(taken)-1] == sizes[len(sizes)-1]-1 {
			taken, sizes = taken[:len(taken)-1], sizes[:len(sizes)-1]
		}
		if len(taken) == 0 {
			return
		}
		taken[len(taken)-1]++
	}
}
