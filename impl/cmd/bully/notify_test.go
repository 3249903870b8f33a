//go:build unix

package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/spec"
)

// script makes a program of shell lines, which finds a file to write to in $0.told, and returns its path.
func script(t testing.TB, text string) (path, told string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755))
	return path, path + ".told"
}

// tells is a script that says what it was told.
const tells = `echo "$BULLY_NODE $BULLY_CLUSTER $BULLY_ROLE $BULLY_EPOCH $BULLY_LEADER" >>"$0.told"` + "\n"

// last returns the last line of a file.
func last(path string) string {
	all := lines(path)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// TestOnChange has three nodes tell who leads, kills the leader, and stops the rest: each is told the latest, and that it has stopped.
func TestOnChange(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	path, told := script(t, `echo "$BULLY_CLUSTER $BULLY_ROLE $BULLY_EPOCH $BULLY_LEADER" >>"$0.told.$BULLY_NODE"`)
	var nodes []*process
	for id := 1; id <= 3; id++ {
		nodes = append(nodes, c.run(id, "-on-change", path))
	}
	tellsOf := func(id, role, leader string) bool {
		words := strings.Fields(last(told + "." + id))
		return len(words) == 4 && words[0] == "test" && words[1] == role && words[2] != "0" && words[3] == leader
	}
	until(t, "all are told that 3 leads", func() bool {
		return tellsOf("1", "follower", "3") && tellsOf("2", "follower", "3") && tellsOf("3", "leader", "3")
	})
	for id, file := range map[string]string{"1": told + ".1", "2": told + ".2", "3": told + ".3"} {
		require.Regexp(t, `^test follower 0 $|^test (follower|leader) \d+ \d$`, lines(file)[0], "node %s tells what it knows at once", id)
	}
	nodes[2].signal(syscall.SIGKILL)
	until(t, "the others are told that 2 leads", func() bool { return tellsOf("1", "follower", "2") && tellsOf("2", "leader", "2") })
	require.NotContains(t, last(told+".3"), "stopped", "whoever is killed tells nothing")
	for _, id := range []int{1, 0} {
		nodes[id].signal(syscall.SIGTERM)
		require.Equal(t, cli.OK, nodes[id].wait())
	}
	for _, id := range []string{"1", "2"} {
		require.Equal(t, "test stopped 0", last(told+"."+id))
	}
	for line := range strings.Lines(nodes[0].log.String()) {
		require.Equal(t, 1, strings.Count(line, " node=1"), "each line says once which node it is of: %s", line)
	}
}

// TestOnChangeHangs: a command that hangs holds up neither the node nor its end, is killed with what it has started, and what is latest
// is told after it.
func TestOnChangeHangs(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	path, told := script(t, tells+`[ "$BULLY_ROLE" = leader ] && sleep 1000; :`)
	n := c.run(1, "-on-change", path, "-on-change-limit", "2s")
	leadsHere(t, c.http[0])
	first := leads(t, c.http[0])
	until(t, "it hangs", func() bool { return strings.Contains(last(told), " leader ") })
	resign(t, c.http[0])
	until(t, "it leads again", func() bool { return leads(t, c.http[0]) > first })
	until(t, "the command is killed", func() bool { return strings.Contains(n.log.String(), "as its time was up") })
	until(t, "the next reign is told", func() bool {
		words := strings.Fields(last(told))
		return len(words) == 5 && words[2] == "leader" && words[3] != strconv.FormatUint(first, 10)
	})
	n.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, n.wait())
	require.Equal(t, "1 test stopped 0", last(told))
}

// TestOnChangeOrder: commands come one at a time and in order, and of what happens meanwhile only the latest counts.
func TestOnChangeOrder(t *testing.T) {
	t.Parallel()
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	path, told := script(t, tells+`while [ -e "$0.wait" ]; do sleep 0.1; done; echo end >>"$0.told"; exit 3`)
	require.NoError(t, os.WriteFile(path+".wait", nil, 0o600))
	var log output
	f := notifyFlags{onChange: path + " word", limit: time.Hour}
	n, err := f.newNotifier(program{cli.Program{Out: &log, Log: &log}}, givenFlags{"on-change": true})
	require.NoError(t, err)
	n.node, n.cluster, n.logger = "1", "test", slog.New(slog.NewTextHandler(&log, nil))
	changes := make(chan host.Leadership, 1)
	done := make(chan struct{})
	go func() {
		n.follow(changes)
		close(done)
	}()
	latest := func(l host.Leadership) { // as host.Watch does
		select {
		case <-changes:
		default:
		}
		changes <- l
	}
	latest(host.Leadership{Leader: two, Epoch: 1})
	until(t, "it has begun", func() bool { return len(lines(told)) == 1 })
	latest(host.Leadership{})
	latest(host.Leadership{Leader: one, Epoch: 2, Leading: true})
	latest(host.Leadership{Leader: two, Epoch: 3})
	require.NoError(t, os.Remove(path+".wait"))
	until(t, "the latest is told", func() bool { return len(lines(told)) == 4 })
	latest(host.Leadership{Leader: two, Epoch: 3, Since: time.Now()}) // nothing new
	until(t, "it was read", func() bool { return len(changes) == 0 })
	latest(host.Leadership{Leader: one, Epoch: 4, Leading: true})
	close(changes)
	<-done
	require.Equal(t, []string{"1 test follower 1 2", "end", "1 test follower 3 2", "end", "1 test leader 4 1", "end", "1 test stopped 0 ", "end"}, lines(told))
	require.Equal(t, 4, strings.Count(log.String(), "the command has failed; it is not run again"))
}

func TestOnChangeUsage(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	for want, flags := range map[string][]string{
		"-on-change: exec: \"no-such-program\": executable file not found": {"-on-change", "no-such-program at all"},
		"-on-change: no command is given":                                  {"-on-change", " "},
		"-on-change: no command is given; leave the flag out":              {"-on-change", ""},
		"-on-change-limit says how long the command of -on-change may tak": {"-on-change-limit", "1s"},
		"-on-change-limit: CMD needs some time":                            {"-on-change", "true", "-on-change-limit", "0s"},
	} {
		status, _, log := bully(t, append([]string{"run"}, c.flags(1, flags...)...)...)
		require.Equal(t, cli.Misused, status)
		require.Contains(t, log, want)
	}
}
