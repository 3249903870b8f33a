//go:build race

package cluster_test

// raceDetector says that the tests run with the race detector, which makes them slow.
const raceDetector = true
