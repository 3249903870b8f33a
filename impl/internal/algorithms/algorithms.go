// Package contenders has the algorithms that are compared: ours, and those that people compare it with. Each is a core of
// its own, and a host that waits as that algorithm does, on the timing that all are given.
//
//	for _, algorithm := range contenders.All() {
//		result, err := contest.Run(scenario, algorithm, seed, contest.Options{})
//		if err != nil {
//			return err
//		}
//		fmt.Println(algorithm.Title, result.Two)
//	}
package contenders

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance/contest"
)

// All returns every algorithm in every variant, ours first.
func All() []contest.Algorithm {
	return slices.Concat([]contest.Algorithm{Bully(), BullySticky()}, TextbookAlgorithms(), RingAlgorithms(), RaftAlgorithms(), LeaseAlgorithms())
}

// Usual returns those that people compare: each in its usual form.
func Usual() (usual []contest.Algorithm) {
	for _, a := range All() {
		if slices.Contains([]string{"bully", "textbook", "ring", "ring-chang-roberts", "raft", "raft-plain", "lease", "lease-sequential"}, a.Name) {
			usual = append(usual, a)
		}
	}
	return usual
}

// Named returns the algorithm of that name, if there is one.
func Named(name string) (found contest.Algorithm, ok bool) {
	for _, a := range All() {
		if a.Name == name {
			return a, true
		}
	}
	return found, false
}
