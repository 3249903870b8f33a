//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/proctest"
)

// TestExecProgress sees that a command that gets on runs on, and that one that hangs is ended, whatever it does with signals, and its node resigns.
func TestExecProgress(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	file := filepath.Join(t.TempDir(), "told")
	const silence = 3 * time.Second
	n := c.executes(1, file, `trap '' TERM; echo $$ >"$0"; echo "$BULLY_PROGRESS" >"$0.names"
while ! [ -e "$0.hang" ]; do touch "$BULLY_PROGRESS"; echo x >>"$0.touched"; sleep 0.1; done; `+forever, "-progress", silence.String(), "-stop", "1s")
	var pid int
	proctest.While(t, "1", reignAt(c.http[0]), func(t *proctest.Attempt, _ proctest.Reign) {
		pid = runs(t, file)
		begun, said := time.Now(), len(n.log.String())
		until(t, "the command reports for longer than it may be silent, or ends", func() bool {
			now, err := os.Stat(file + ".touched")
			return err == nil && now.ModTime().Sub(begun) > 4*silence/3 || !proctest.Alive(pid)
		})
		require.True(t, proctest.Alive(pid), "node 1 must not end a command that reports progress")
		require.NotContains(t, n.log.String()[said:], "no progress", "the command of node 1 has reported progress")
	})
	touched := content(t, file+".names")
	require.NoError(t, os.WriteFile(file+".hang", nil, 0o600))
	dies(t, pid)
	until(t, "it leads again, and the command runs again", func() bool {
		_, status := fetch(c.http[0], "/status")
		return number(t, file) != pid && regexp.MustCompile(`"quiets":[1-9]`).MatchString(status)
	})
	require.Contains(t, n.log.String(), "the work has reported no progress: the node resigns")
	status, out, _ := bully(t, "status", "-http", c.http[0])
	require.Contains(t, out, "its work reported no progress", status)
	_, text := fetch(c.http[0], "/metrics")
	require.Regexp(t, `(?m)^bully_quiet_total [1-9]`, text)
	n.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, n.wait())
	require.NoFileExists(t, touched)
	require.Equal(t, c.data[0], filepath.Dir(touched))
}

// TestExecStandsAside: a command hangs at the highest node each time. Another leads, and runs it, for longer each time; what the node waits for is told,
// and the files of commands do not pile up, though nobody could remove them.
func TestExecStandsAside(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("long: it waits for elections of real processes")
	}
	c := newCluster(t, 3)
	folder := t.TempDir()
	script := `echo "$BULLY_EPOCH" >>"$0"; if [ "$BULLY_NODE" = 3 ]; then ` + forever + `; fi; while :; do touch "$BULLY_PROGRESS"; sleep 0.1; done`
	file := func(id int) string { return filepath.Join(folder, fmt.Sprint(id)) }
	var nodes [4]*process
	start := func(id int) { nodes[id] = c.executes(id, file(id), script, "-progress", "3s") }
	for id := 1; id <= 3; id++ {
		start(id)
	}
	until := func(t testing.TB, what string, holds func() bool) {
		t.Helper()
		until(t, what, func() bool {
			if n := nodes[3]; !proctest.Alive(n.cmd.Process.Pid) {
				n.wait() // it ends if the machine takes seconds to kill its command, and its service starts it again
				start(3)
			}
			return holds()
		})
	}
	until(t, "node 3 stands aside", func() bool {
		return strings.Contains(nodes[3].log.String(), "it stands aside for 3s, as its command made no progress")
	})
	until(t, "node 2 runs the command", func() bool {
		_, failed := os.Stat(file(2))
		return failed == nil
	})
	left := filepath.Join(c.data[2], progressName+"left")
	require.NoError(t, os.WriteFile(left, nil, 0o600))
	longer := regexp.MustCompile(`it stands aside for (6|\d\d)s, as`)
	until(t, "node 3 leads again, and then stands aside for longer", func() bool {
		_, body := fetch(c.http[2], "/status")
		return longer.MatchString(body)
	})
	until(t, "what was left is removed, at the latest when it runs the command again", func() bool {
		_, err := os.Stat(left)
		return errors.Is(err, os.ErrNotExist)
	})
	nodes[3].signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, nodes[3].wait())
}

// TestStanding: the pauses double up to a bound, and begin anew when a command got on for long.
func TestStanding(t *testing.T) {
	t.Parallel()
	var s standing
	var all []time.Duration
	for range 10 {
		all = append(all, s.next(time.Second, 2*time.Second))
	}
	require.Equal(t, []time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 256, 300}, func() (seconds []time.Duration) {
		for _, d := range all {
			seconds = append(seconds, d/time.Second)
		}
		return seconds
	}())
	require.Equal(t, time.Second, s.next(time.Second, 10*time.Second))
	require.Equal(t, mostStanding, new(standing).next(time.Hour, 0))
}
