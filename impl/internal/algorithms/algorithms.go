// Package algorithms has the algorithms that are compared: ours, and those that people compare it with. Each is a core of
// its own, and a host that waits as that algorithm does, on the timing that all are given.
//
//	for _, algorithm := range algorithms.All() {
//		result, err := compare.Run(scenario, algorithm, seed, compare.Options{})
//		if err != nil {
//			return err
//		}
//		fmt.Println(algorithm.Title, result.Two)
//	}
package algorithms

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance/compare"
)

// All returns every algorithm in every variant, ours first.
func All() []compare.Algorithm {
	return slices.Concat([]compare.Algorithm{Bully(), bullySticky()}, textbooks(), rings(), rafts(), leases())
}

// Usual returns those that people compare: each in its usual form.
func Usual() (usual []compare.Algorithm) {
	for _, a := range All() {
		if slices.Contains([]string{"bully", "textbook", "ring", "ring-chang-roberts", "raft", "raft-plain", "lease", "lease-sequential"}, a.Name) {
			usual = append(usual, a)
		}
	}
	return usual
}

// Named returns the algorithm of that name, if there is one.
func Named(name string) (found compare.Algorithm, ok bool) {
	for _, a := range All() {
		if a.Name == name {
			return a, true
		}
	}
	return found, false
}
