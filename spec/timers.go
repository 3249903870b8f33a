package spec

import (
	"iter"
	"slices"
	"strings"
)

// TimerSet is a set of timers: bit i stands for the timer i of Timers.
type TimerSet uint8

// TimersOf returns a set of timers. What is no timer is left out.
func TimersOf(of ...Timer) (s TimerSet) {
	for _, t := range of {
		if i := slices.Index(timers, t); i >= 0 {
			s |= 1 << i
		}
	}
	return s
}

// Has reports whether t is in the set.
func (s TimerSet) Has(t Timer) bool { return s&TimersOf(t) != 0 }

// All returns the timers of the set, in the order of Timers.
func (s TimerSet) All() iter.Seq[Timer] {
	return func(yield func(Timer) bool) {
		for i, t := range timers {
			if s>>i&1 == 1 && !yield(t) {
				return
			}
		}
	}
}

// String returns the set as a person would say it: {reign heartbeat}.
func (s TimerSet) String() string {
	var words []string
	for t := range s.All() {
		words = append(words, string(t))
	}
	return "{" + strings.Join(words, " ") + "}"
}
