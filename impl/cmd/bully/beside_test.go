package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
)

// TestOutlive: a node that has run before waits until what it has let lead acts no more.
func TestOutlive(t *testing.T) {
	t.Parallel()
	used := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(used, "record"), nil, 0o600))
	for name, c := range map[string]struct {
		data  string
		least time.Duration
	}{
		"it has run before":  {used, host.LAN().Reign},
		"it runs first":      {t.TempDir(), 0},
		"there is no folder": {filepath.Join(used, "none"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubbletest.Run(t, func(t *testing.T) {
				began := time.Now()
				(settings{nodeFlags: nodeFlags{data: c.data}, timing: host.LAN()}).outlive(t.Context())
				took := time.Since(began)
				require.GreaterOrEqual(t, took, c.least)
				require.LessOrEqual(t, took, c.least*11/10)
			})
		})
	}
}
