package explore

import (
	"math"
	"math/bits"
	"math/rand"
	"reflect"
	"sync"
	"testing"
)

// Many goroutines insert the same fingerprints: each is new once, the smallest link stays.
func TestTable(t *testing.T) {
	const distinct, goroutines = 100_000, 4
	rng := rand.New(rand.NewSource(1))
	fps := []uint64{0, 1, math.MaxUint64}
	for len(fps) < distinct {
		fps = append(fps, rng.Uint64())
	}
	tab := &table{memory: &memory{}}
	want := map[uint64]link{}
	var fresh [goroutines]int
	var all sync.WaitGroup
	for g := range goroutines {
		order := rng.Perm(2 * distinct)
		links := make([]link, len(order))
		for i, k := range order {
			links[i] = newLink(1+rng.Intn(3), rng.Uint64())
			if l, ok := want[fps[k/2]]; !ok || links[i] < l {
				want[fps[k/2]] = links[i]
			}
		}
		all.Go(func() {
			for i, k := range order {
				isNew, ok := tab.insert(fps[k/2], links[i])
				if !ok {
					t.Error("no memory, though there is no limit")
				}
				if isNew {
					fresh[g]++
				}
			}
		})
	}
	all.Wait()
	if n := fresh[0] + fresh[1] + fresh[2] + fresh[3]; n != distinct {
		t.Errorf("%d of %d were new", n, distinct)
	}
	for fp, l := range want {
		if got := tab.lookup(fp); got != l {
			t.Fatalf("link of %x is %x, want %x", fp, got, l)
		}
	}
	if l := tab.lookup(2); l != 0 {
		t.Errorf("2 was never added, and has link %x", l)
	}
}

// A state costs at most 24 bytes, at every size of a whole cycle of growing.
func TestTableSize(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	mem := &memory{}
	tab := &table{memory: mem}
	rng := rand.New(rand.NewSource(2))
	worst, total := 0.0, 0.0
	const from, to = 400_000, 700_000
	for n := 1; n <= to; n++ {
		tab.insert(rng.Uint64(), newLink(1, 0))
		if n > from {
			each := float64(mem.peak.Load()) / float64(n)
			worst = max(worst, each)
			total += each
		}
	}
	t.Logf("bytes for each state: %.2f at worst, %.2f on average", worst, total/(to-from))
	if worst > 24 {
		t.Errorf("a state costs up to %.2f bytes", worst)
	}
}

// The prefix of a parent may fit several states: all those of the right level are found.
func TestTableParents(t *testing.T) {
	for _, prefix := range []uint64{0, 0x12345678, math.MaxUint32} {
		for _, filling := range []int{0, 100, 50_000} {
			tab := &table{memory: &memory{}}
			rng := rand.New(rand.NewSource(3))
			for range filling {
				tab.insert(rng.Uint64(), newLink(5, 0))
			}
			want := map[uint64]bool{}
			for i := range 40 {
				fp := prefix<<32 | uint64(rng.Uint32())
				if i < 2 {
					fp = prefix<<32 | uint64(i)*math.MaxUint32 // the ends of the range
				}
				if tab.insert(fp, newLink(5+i%2, 0)); i%2 == 0 {
					want[fp] = true
				}
			}
			got := map[uint64]bool{}
			tab.parents(newLink(6, prefix<<32), got)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("prefix %x among %d: got %v, want %v", prefix, filling, got, want)
			}
		}
	}
	got := map[uint64]bool{}
	(&table{memory: &memory{}}).parents(newLink(2, 1), got)
	if len(got) > 0 {
		t.Errorf("an empty table has parents %v", got)
	}
}

// A prefix may straddle the homes of two slots, of which the first may be free.
func TestTableParentsAcrossSlots(t *testing.T) {
	straddling := 0
	for slot := range uint64(3 * pageSlots) {
		tab := &table{memory: &memory{}}
		rng := rand.New(rand.NewSource(5))
		shard := &tab.shards[0]
		for len(shard.pages) < 3 {
			tab.insert(rng.Uint64()>>shardBits, newLink(1, 0))
		}
		border, _ := bits.Div64(slot, 0, 3*pageSlots) // slot is home from here on
		fp := border>>shardBits | math.MaxUint32
		if shard.home(fp) != shard.home(fp&^math.MaxUint32) {
			straddling++
		}
		tab.insert(fp, newLink(2, 0))
		got := map[uint64]bool{}
		tab.parents(newLink(3, fp), got)
		if !got[fp] {
			t.Fatalf("%x is not found by its prefix", fp)
		}
	}
	if straddling < pageSlots {
		t.Errorf("only %d prefixes straddle", straddling)
	}
}

// States that look like each other are spread as if the fingerprints were drawn by lot.
func TestFingerprintSpread(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	const n = 1 << 18
	families := map[string]func(i int) []byte{
		"counter": func(i int) []byte { return []byte{byte(i), byte(i >> 8), byte(i >> 16)} },
		"sparse": func(i int) []byte { // 18 flags, far apart
			s := make([]byte, 54)
			for k := range 18 {
				s[3*k] = byte(i >> k & 1)
			}
			return s
		},
		"small digits": func(i int) []byte { // 9 digits from 0 to 3
			s := make([]byte, 9)
			for k := range s {
				s[k] = byte(i >> (2 * k) & 3)
			}
			return s
		},
		"lengths": func(i int) []byte { return append(make([]byte, i%64), byte(i>>6), byte(i>>14)) },
	}
	for name, state := range families {
		all := map[uint64]bool{}
		upper, lower := map[uint32]bool{}, map[uint32]bool{}
		var shards [1 << shardBits]int
		for i := range n {
			fp := fingerprint(state(i))
			all[fp], upper[uint32(fp>>32)], lower[uint32(fp)] = true, true, true
			shards[fp>>(64-shardBits)]++
		}
		distinct := map[string]bool{}
		for i := range n {
			distinct[string(state(i))] = true
		}
		if len(all) != len(distinct) {
			t.Errorf("%s: %d states have %d fingerprints", name, len(distinct), len(all))
		}
		// Of n values of 32 bits, about n²/2^33 = 8 collide by chance.
		if u, l := len(all)-len(upper), len(all)-len(lower); u > 24 || l > 24 {
			t.Errorf("%s: %d collisions in the upper half, %d in the lower", name, u, l)
		}
		mean, chi := float64(n)/float64(len(shards)), 0.0
		for _, k := range shards {
			chi += (float64(k) - mean) * (float64(k) - mean) / mean
		}
		// 127 degrees of freedom: mean 127, standard deviation 16.
		if chi > 127+5*16 || chi < 127-5*16 {
			t.Errorf("%s: the shards are not equally full: chi-square %.0f", name, chi)
		}
	}
}

// Each bit of the input turns each bit of the fingerprint in half of all cases.
func TestFingerprintAvalanche(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	const rounds = 2000
	rng := rand.New(rand.NewSource(4))
	for _, size := range []int{8, 13, 16, 17, 32, 40} {
		turned := make([][64]int, 8*size)
		for range rounds {
			s := make([]byte, size)
			for i := range s {
				s[i] = byte(rng.Intn(4)) // states are mostly small numbers
			}
			fp := fingerprint(s)
			for bit := range turned {
				s[bit/8] ^= 1 << (bit % 8)
				for d := fp ^ fingerprint(s); d != 0; d &= d - 1 {
					turned[bit][bits.TrailingZeros64(d)]++
				}
				s[bit/8] ^= 1 << (bit % 8)
			}
		}
		for in := range turned {
			for out, n := range turned[in] {
				// The standard deviation is 22; there are 65,000 such counts in all.
				if n < rounds/2-7*22 || n > rounds/2+7*22 {
					t.Fatalf("length %d: bit %d turns bit %d in %d of %d cases", size, in, out, n, rounds)
				}
			}
		}
	}
}

// The fingerprints are part of what a run is: another machine must compute the same.
func TestFingerprintIsFixed(t *testing.T) {
	for s, want := range map[string]uint64{
		"":                              0xb76fa71c6afb3ddc,
		"a":                             0x83796182d4d9d040,
		"leader":                        0x8d9043ba4ea174d5,
		"election":                      0xa82f901e8f1c32ab,
		"COORDINATOR":                   0xc37c58aafd6b01cb,
		"a state of more than 16 bytes": 0x49466e4f9d06fd7,
	} {
		if got := fingerprint([]byte(s)); got != want {
			t.Errorf("%q: %#x, want %#x", s, got, want)
		}
	}
}
