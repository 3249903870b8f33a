package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

// TestBenchGroups measures a few groups whose members change, with real processes, and as another program the same whose members are fixed.
func TestBenchGroups(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		t.Skip("needs Linux: what a process uses is read from /proc: ", err)
	}
	self := buildBoth(t)
	status, out, log := workbench(t, "bench", "groups", "-groups", "40", "-nodes", "3", "-kills", "1", "-for", "1s", "-profile", "busy", "-members", "changing", "-json", "-against", self+" node -groups")
	require.Equal(t, cli.OK, status, log)
	var report struct {
		machine
		Groups []groupsResult
	}
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	require.Positive(t, report.Cores)
	require.Len(t, report.Groups, 2)
	for i, r := range report.Groups {
		require.Equal(t, 3, r.Nodes)
		require.Equal(t, 40, r.Groups)
		require.Equal(t, "busy", r.Profile)
		require.Positive(t, r.Cold)
		require.Positive(t, r.CPU)
		require.Positive(t, r.Resident)
		require.Positive(t, r.Frames)
		require.Positive(t, r.Spread)
		require.Len(t, r.Kills, 1)
		k := r.Kills[0]
		require.Greater(t, k.Led, 13, "of 40, the node that led most of three: %+v", k)
		require.Positive(t, k.First)
		require.LessOrEqual(t, k.First, k.All)
		require.Positive(t, k.Saves)
		require.Equal(t, i == 0, k.Back > 0, "others are not started again")
	}
	ours, other := report.Groups[0], report.Groups[1]
	require.Equal(t, "bully", ours.Program)
	require.Equal(t, "changing", ours.Members)
	require.Positive(t, ours.FramesOne)
	require.NotNil(t, ours.Added)
	require.Positive(t, ours.Added.Moved)
	require.LessOrEqual(t, ours.Added.Has, ours.Added.Led)
	require.Equal(t, "workbench node -groups", other.Program)
	require.Equal(t, "fixed", other.Members)
	require.Nil(t, other.Added)
	require.Contains(t, log, "node 4 is added", "progress")

	var table strings.Builder
	require.NoError(t, program{Program: cli.Program{Out: &table}}.printGroups(report.Groups))
	require.Regexp(t, `bully +changing +3 +40 +busy `, table.String())
	require.Contains(t, table.String(), "One node more: ")
}

// TestBenchGroupsOfWhoComesNoFurther: of another program that has no leaders in time is said how far it came, and what was measured before is not lost.
func TestBenchGroupsOfWhoComesNoFurther(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "leaderless")
	require.NoError(t, os.WriteFile(script, []byte("while read -r line; do echo '{\"leading\": 2}'; done"), 0o600))
	p := program{Program: cli.Program{Out: io.Discard, Log: io.Discard}}
	c := groupsCluster{command: []string{"/bin/sh", script}, nodes: 3, waits: time.Nanosecond}
	r, err := p.measureGroups(t.Context(), &benchFlags{groups: 40, kills: 1, looks: time.Second, profiles: "busy"}, c)
	require.NoError(t, err)
	require.Equal(t, "cold start: 6 of 40 groups are led after 1ns", r.Stuck)
	var table strings.Builder
	require.NoError(t, program{Program: cli.Program{Out: &table}}.printGroups([]groupsResult{r}))
	require.Contains(t, table.String(), r.Stuck)
	c.ours = true
	_, err = p.measureGroups(t.Context(), &benchFlags{groups: 40, kills: 1, looks: time.Second, profiles: "busy"}, c)
	require.ErrorContains(t, err, "of 1 groups are led after", "what is our own is to come to an end")
}

// TestBenchGroupsUsage sees what is said of groups that cannot be measured, and of nodes that cannot be.
func TestBenchGroupsUsage(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"-groups: 0 is not 1 or more":          {"-groups", "0"},
		"-kills: -1 is not 0 or more":          {"-kills", "-1"},
		"-for must be above 0":                 {"-for", "0s"},
		`-profile: there is none of the name`:  {"-profile", "lan,wan"},
		`-members "some": say fixed, changing`: {"-members", "some"},
		"-command is of other measurements":    {"-command", "x"},
	} {
		status, _, log := workbench(t, append([]string{"bench", "groups"}, args...)...)
		require.Equal(t, cli.Misused, status, args)
		require.Contains(t, log, want)
	}
	for want, said := range map[string]string{
		"give an id, a folder, a profile": "1 d lan",
		"node id: ":                       "x? d lan 1",
		"there is no profile fast":        "1 d fast 1",
		`"many" is no number of groups`:   "1 d lan many",
	} {
		require.ErrorContains(t, runGroups(t.Context(), said, strings.NewReader(""), io.Discard), want)
	}
	var m manyGroups
	_, err := m.answer(t.Context(), []string{"now"})
	require.Error(t, err)
	_, err = m.answer(t.Context(), []string{"1", "2"})
	require.ErrorContains(t, err, "ask for what came since a moment")
	m.led = map[string]time.Time{"before": time.Unix(1, 0), "after": time.Unix(3, 0)}
	var r groupsReport
	m.since(time.Unix(2, 0).UnixNano(), &r)
	require.Equal(t, groupsReport{Leads: 1, First: time.Second, Last: time.Second}, r)
}
