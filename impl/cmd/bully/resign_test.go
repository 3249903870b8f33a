//go:build unix

package main

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/proctest"
)

// rests are the flags of a node that never takes over from a lower one.
var rests = []string{"-preempt", "never"}

// TestResignCommand makes a leader resign that is not the highest: the highest leads, and is said to. Made to resign it leads again, which
// is no success. Whoever asks a follower alone is told whom to ask.
func TestResignCommand(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.run(1, rests...)
	c.run(2, rests...)
	leadsHere(t, c.http[1])
	c.run(3, rests...)
	leads(t, c.http[2])
	elsewhere := regexp.MustCompile(`node 2 leads epoch \d+, and is not among those that were asked: give the address of its HTTP server too`)
	until(t, "bully resign at node 1 says that node 2 leads", func() bool {
		status, _, log := bully(t, "resign", "-http", c.http[0], "-timeout", "3s")
		return status == cli.Mismatch && elsewhere.MatchString(log)
	})
	code, body := post(t, c.http[0], "/resign")
	require.Equal(t, http.StatusConflict, code)
	require.Regexp(t, `^{"resigned":false,"leader":"2","epoch":\d+}\n$`, body)

	all := strings.Join(c.http, ",")
	status, out, log := bully(t, "resign", "-http", all)
	require.Equal(t, cli.OK, status, log)
	require.Regexp(t, `^node 3 leads epoch \d+: nobody led for [0-9.]+(m|µ)?s at most\n$`, out)
	require.Regexp(t, `node 2 leads epoch \d+, and is asked to resign\n`, log)
	status, out, log = bully(t, "resign", "-http", all)
	require.Equal(t, cli.Mismatch, status, log)
	require.Regexp(t, `^node 3 leads epoch \d+ again: nobody led for [0-9.]+(m|µ)?s at most\n$`, out)
	require.Contains(t, log, "node 3 leads again: it is the highest that runs")
}

// TestResignCommandNames makes the highest hand over to the lowest, which leads, and is not pre-empted; and back again.
func TestResignCommandNames(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	for i := 1; i <= 3; i++ {
		c.run(i, rests...)
	}
	leadsHere(t, c.http[2])
	all := strings.Join(c.http, ",")
	for _, to := range []string{"1", "2", "3"} {
		status, out, log := bully(t, "resign", "-http", all, "-to", to, "-hold", "1m")
		require.Equal(t, cli.OK, status, log)
		require.Regexp(t, `^node `+to+` leads epoch \d+: nobody led for [0-9.]+(m|µ)?s at most\n$`, out)
		t.Log(out)
	}
	for args, says := range map[string]string{
		"-to 3":           "node 3 leads already: nothing was done",
		"-to 9":           "node 9 is no voter: it may not lead",
		"-to x":           "-to",
		"-hold 3s":        "-hold is from 0 to 24h0m0s, and for a node that -to names",
		"-to 1 -hold 25h": "-hold is from 0 to 24h0m0s",
	} {
		status, _, log := bully(t, append([]string{"resign", "-http", all}, strings.Fields(args)...)...)
		require.NotEqual(t, cli.OK, status)
		require.Contains(t, log, says)
	}
}

// TestResignCommandWaits: a node whose command does not end leads on, and whoever gives up is told so.
func TestResignCommandWaits(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	file := filepath.Join(t.TempDir(), "told")
	n := c.executes(1, file, `trap 'echo told >"$0.term"' TERM; `+forever, "-stop", "1h")
	pid := number(t, file)
	until(t, "bully resign says that node 1 waits for its command", func() bool {
		status, _, log := bully(t, "resign", "-timeout", "3s", c.http[0])
		return status == cli.Mismatch && strings.Contains(log, "has not resigned in time: its work goes on; it resigns when that ends")
	})
	content(t, file+".term")
	require.True(t, proctest.Alive(pid), "node 1 must not kill its command before -stop has passed")
	leadsHere(t, c.http[0])
	require.NoError(t, n.cmd.Process.Kill())
}

func TestResignUsage(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"no node is given: bully resign -http 127.0.0.1:8000": nil,
		"is no address of a page":                             {"-http", "http://a/x"},
		"did you mean -timeout?":                              {"-timout", "1s"},
		"-timeout: 0s is no time to wait":                     {"-timeout", "0", "http://a"},
	} {
		status, _, log := bully(t, append([]string{"resign"}, args...)...)
		require.Equal(t, cli.Misused, status)
		require.Contains(t, log, want)
	}
	gone := freeAddress(t)
	status, _, log := bully(t, "resign", "-timeout", "3s", gone)
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "no node has said who leads: http://"+gone)
}
