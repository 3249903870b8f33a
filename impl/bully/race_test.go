//go:build race

package bully_test

// raceDetector says that the tests run with the race detector, which makes them slow.
const raceDetector = true
