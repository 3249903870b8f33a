// Package slowtest marks the tests that make test leaves out, and says why. Only tests import it.
//
// The Makefile finds the tests of make test-slow by their calls of Only and Wanted, which must stand in the tests themselves.
package slowtest

import (
	"os"
	"testing"
)

// Variable is the environment variable that make test-slow sets to "yes".
const Variable = "BULLY_SLOW"

// Wanted reports whether slow tests run. A test that is slow in its full form alone asks this, and runs a smaller form
// otherwise.
func Wanted() bool { return os.Getenv(Variable) == "yes" }

// Only skips t unless slow tests run. why says what takes the time: "it builds a release".
func Only(t testing.TB, why string) {
	t.Helper()
	if !Wanted() {
		t.Skip("runs in make test-slow: " + why)
	}
}

// NoRace skips t in the short form (-short), which is what the race detector runs. why says why t can find no race: the
// code under test runs in one goroutine, or in other processes.
func NoRace(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs without the race detector: " + why)
	}
}
