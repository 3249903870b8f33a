package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// TestMeasureAllows: a profile can be kept if what was longest, added up, is less than its delay; a way counts once, and half of there
// and back.
func TestMeasureAllows(t *testing.T) {
	t.Parallel()
	ms := func(n int) longest { return longest{time.Duration(n) * time.Millisecond, 1} }
	m := measured{late: ms(3), save: ms(4), there: map[string]longest{"a:1": ms(8), "b:1": ms(10)}}
	require.Equal(t, 12*time.Millisecond, m.needed())
	require.Equal(t, 19*time.Millisecond, m.proposed())
	says := func(profiles []policy.Profile) (string, error) {
		var out strings.Builder
		err := m.print(&out, time.Minute, profiles)
		return out.String(), err
	}
	text, err := says(policy.Profiles())
	require.NoError(t, err)
	require.Regexp(t, `(?m)^-profile local +8ms +cannot be kept;`, text)
	require.Regexp(t, `(?m)^-profile lan +12ms +cannot be kept;`, text)
	require.Regexp(t, `(?m)^-profile busy +60ms +can be kept; a leader that falls silent is followed within 1\.543s$`, text)
	require.Regexp(t, `(?m)^a:1 and back +8ms +the longest of 1$`, text)
	require.Contains(t, text, "With half as much again to spare: -profile 19ms, the same at every node.")
	_, err = says(policy.Profiles()[:2])
	require.EqualError(t, err, "this machine cannot keep it: it was held up for longer than the delay of the profile")
	m.late = longest{policy.MaxTiming, 1}
	text, err = says(policy.Profiles())
	require.Error(t, err)
	require.NotContains(t, text, "to spare", "no timer is so long")
}

// TestMeasure looks at this machine, and leaves nothing behind.
func TestMeasure(t *testing.T) {
	t.Parallel()
	data, refuses := t.TempDir(), freeAddress(t)
	status, out, log := bully(t, "measure", "-data", data, "-for", "50ms", "-profile", "20m", refuses)
	require.Equal(t, cli.OK, status, log)
	for _, what := range []string{"woken late by", "disk", refuses + " and back", "needed"} {
		require.Regexp(t, `(?m)^`+what+` +\d`, out)
	}
	require.NotRegexp(t, `the longest of 0`, out)
	require.Regexp(t, `(?m)^-profile 20m +20m0s +can be kept;`, out)
	left, err := os.ReadDir(data)
	require.NoError(t, err)
	require.Empty(t, left, "bully measure removes its files")

	for want, args := range map[string][]string{
		"-data is missing":               {},
		"-for: 0s is no time":            {"-data", data, "-for", "0"},
		`"here" is no address`:           {"-data", data, "here"},
		`-profile: unknown "lam"; did `:  {"-data", data, "-profile", "lam"},
		"flag provided but not defined:": {"-dta", data},
	} {
		status, _, log := bully(t, append([]string{"measure"}, args...)...)
		require.Equal(t, cli.Misused, status, args)
		require.Contains(t, log, want)
	}
	status, _, log = bully(t, "measure", "-data", filepath.Join(data, "none"), "-for", "1ms")
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "-data: ")
}
