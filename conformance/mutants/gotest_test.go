package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHungBesideOthers names the test that has run the longest when the limit is over. Others of the
// package may run beside it.
func TestHungBesideOthers(t *testing.T) {
	o := &outcome{}
	for _, line := range []string{
		"panic: test timed out after 2m0s\n", "\trunning tests:\n", "\t\tTestAlive (3s)\n", "\t\tTestHangs (1m57s)\n",
		"\t\tTestHangs/within (1m56s)\n", "\n", "goroutine 1 [running]:\n", "\t\tx.go:1\n",
	} {
		o.note(line)
	}
	require.True(t, o.hung)
	require.Equal(t, "TestHangs", o.test)
}
