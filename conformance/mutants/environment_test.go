package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEnvironment tries two mutants that only a slow test kills, whatever the environment of the tool
// says. One of them is built with a combined package, and one by itself.
func TestEnvironment(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	t.Setenv("BULLY_SLOW", "")
	t.Setenv("BULLY_SOAK", "20")
	t.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -short")
	status, out, log := call(t, "seldom", "-limit", "30s")
	require.Equal(t, exitOK, status, "%s\n%s", log, out)
	require.Contains(t, out, "2 mutants, 2 killed (S s)\n")
}
