package sim

import "testing"

// TestKinds holds each kind of fault to having a place of its own, and all that a kind must say.
func TestKinds(t *testing.T) {
	for i, k := range kinds {
		if k.place != i+1 || k.words == nil || k.begin == nil || len(k.draws) == 0 && k.name != HandOverFault { // which handOvers makes of those who resign
			t.Errorf("%s: place %d, and must have place %d, words, begin and draws", k.name, k.place, i+1)
		}
		if k.lasts && k.end == nil && k.name != PauseFault { // the network ends a pause
			t.Errorf("%s: it lasts, and nothing ends it", k.name)
		}
	}
}
