package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/spec"
)

// TestDemo plays the whole demo, with real processes.
func TestDemo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := spawn(t, "demo", "-dir", dir)
	require.Equal(t, cli.OK, p.wait(5))
	text := p.out.String()
	for _, line := range []string{
		`^Five nodes, five processes`,
		`ms  start nodes 1, 2, 3, 4 and 5$`,
		`ms  node 5 leads epoch \d+: 1, 2, 3, 4 and 5 say so$`,
		`ms  kill -9 node 5, the leader$`,
		`ms  node [1-4] leads epoch \d+: 1, 2, 3 and 4 say so$`, // 4, unless the machine does not run it just then
		`failover took \d+\.\d ms$`,
		`ms  start node 5 again$`,
		`ms  node 5 leads epoch \d+: 1, 2, 3, 4 and 5 say so$`,
		`ms  stop all nodes$`,
		`merged into one trace: .*merged.ndjson$`,
		`nodes: 5, crashes: 1, stops: 5, (steps filled in: \d+, )?reigns: \d+\) It is a run that the rules allow\.$`,
	} {
		found := regexp.MustCompile("(?m)" + line).FindStringIndex(text)
		require.NotNil(t, found, "%s is not there, or not after what comes before it, in\n%s", line, p.out)
		text = text[found[1]:]
	}
	require.LessOrEqual(t, strings.Count(p.out.String(), "\n"), 30)

	file, err := os.Open(filepath.Join(dir, "merged.ndjson"))
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	reader, err := spec.NewTraceReader(file)
	require.NoError(t, err)
	var event spec.Event
	require.NoError(t, reader.Read(&event))
	require.Empty(t, living(t, dir), "nodes outlive the demo")
}

// TestDemoInterrupted ends the demo in the middle: it says so, and leaves no node behind.
func TestDemoInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := spawn(t, "demo", "-dir", dir)
	until(t, "the demo has begun", func() bool { return strings.Contains(p.out.String(), "start nodes") })
	p.signal(syscall.SIGINT)
	require.Equal(t, cli.Mismatch, p.wait())
	require.Contains(t, p.log.String(), "bully demo: interrupted")
	require.Empty(t, living(t, dir), "nodes outlive the demo that was interrupted")
}

// TestDemoFails is a demo of nodes that do not run.
func TestDemoFails(t *testing.T) {
	t.Parallel()
	status, _, log := bully(t, "demo", "-dir", t.TempDir(), "-command", "/no/such/program")
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "bully demo: start node 1: ")
	status, _, log = bully(t, "demo", "-dir", "/dev/null/x", "-command", "x")
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "/dev/null")
}

// living returns the command lines of all processes that were started with something of a folder, where there is /proc.
func living(t testing.TB, dir string) (all []string) {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, name := range names {
		text, _ := os.ReadFile(name)
		if strings.Contains(string(text), dir) && !strings.Contains(string(text), "demo") {
			all = append(all, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return all
}

func TestList(t *testing.T) {
	t.Parallel()
	require.Equal(t, "1", list([]int{1}))
	require.Equal(t, "1 and 3", list([]int{1, 3}))
	require.Equal(t, "1, 3 and 4", list([]int{1, 3, 4}))
	require.Empty(t, list(nil), "no node has no name")
}
