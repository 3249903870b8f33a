package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFewPackages holds how much of this module is behind the command of nodes: what a node does not need belongs to the workbench.
func TestFewPackages(t *testing.T) {
	listed, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	var ours []string
	for path := range strings.Lines(string(listed)) {
		if strings.HasPrefix(path, "github.com/seed-fdf591db/bully/") {
			ours = append(ours, path)
		}
	}
	require.NotEmpty(t, ours)
	require.LessOrEqual(t, len(ours), 23, "%s", ours)
}
