package main

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/host"
)

// TestOutlive: a node that has run before waits until what it has let lead acts no more, unless proofs are asked for.
func TestOutlive(t *testing.T) {
	used := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(used, "record"), nil, 0o600))
	for name, c := range map[string]struct {
		data    string
		noProof bool
		least   time.Duration
	}{
		"it has run before":       {used, true, host.LAN().Reign},
		"a fence refuses the old": {used, false, 0},
		"it runs first":           {t.TempDir(), true, 0},
		"there is no folder":      {filepath.Join(used, "none"), true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				(settings{nodeFlags: nodeFlags{data: c.data, noProof: c.noProof}, timing: host.LAN()}).outlive(t.Context())
				took := time.Since(began)
				require.GreaterOrEqual(t, took, c.least)
				require.LessOrEqual(t, took, c.least*11/10)
			})
		})
	}
}
