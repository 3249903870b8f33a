package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestProgress says how far a run has come, now and then, and nothing of a short one.
func TestProgress(t *testing.T) {
	var log bytes.Buffer
	now := time.Unix(0, 0)
	p := progress{log: &log, of: 100, now: func() time.Time { return now }}
	for k := range 100 {
		p.step(k%10 == 0)
		now = now.Add(100 * time.Millisecond)
	}
	require.Equal(t, "31 of 100, 4 fail\n81 of 100, 9 fail\n", log.String())
}

// TestGivesUp runs a port that dies of everything: it is given up, with what came until then; -keep-going goes on.
func TestGivesUp(t *testing.T) {
	results := filepath.Join(t.TempDir(), "r.json")
	status, out, log := bullytest(t, "broken", "test", "-json", results)
	require.Equal(t, exitFailed, status)
	require.Contains(t, log, "in 5 cases in a row the port has died or hung, and it has passed nothing yet")
	require.Contains(t, log, "-keep-going runs them all")
	require.Contains(t, out, " error; ")
	require.FileExists(t, results)
	status, out, _ = bullytest(t, "broken", "test", "-keep-going", "-run", "R1[0-9]-*,R2*")
	require.Equal(t, exitFailed, status)
	require.Contains(t, out, " more, by name:\nerror R")
	require.Equal(t, maxTold, strings.Count(out, "  again    "))
}

// TestNext says which level is reached, and what comes next.
func TestNext(t *testing.T) {
	status, out, log := bullytest(t, "model", "test")
	require.Equal(t, exitOK, status, out+log)
	self, err := os.Executable()
	require.NoError(t, err)
	require.Contains(t, out, "Level bronze is reached. Next is silver: ")
	require.Contains(t, out, "\n  bullytest test -level silver -- "+self+"\n")
	match := regexp.MustCompile(`(\d+) requests in .* It answers \d+ requests a second here, as busy as this machine is; a port should answer 20000\.\n`).FindStringSubmatch(out)
	require.NotNil(t, match, out)
	requests, err := strconv.Atoi(match[1])
	require.NoError(t, err)
	require.Equal(t, "22,000 requests", levels()[0].asks)
	require.InEpsilon(t, 22_000, requests, 0.05, "what help says of bronze is right")
	_, out, _ = bullytest(t, "model", "test", "-run", "R27-*")
	require.NotContains(t, out, "reached")
	require.NotContains(t, out, "a port should answer", "of a few cases nothing is measured")
}

// canceller cancels a run when it is told the first failure.
type canceller struct {
	bytes.Buffer
	cancel context.CancelFunc
}

func (c *canceller) Write(b []byte) (int, error) {
	c.cancel()
	return c.Buffer.Write(b)
}

// TestInterruptedSaysSummary ends a run, and hears what came until then.
func TestInterruptedSaysSummary(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Setenv("BULLYTEST_PORT", "mute")
	self, err := os.Executable()
	require.NoError(t, err)
	out, log := &canceller{cancel: cancel}, &bytes.Buffer{}
	status := run(ctx, &program{out, log}, []string{"test", "--", self})
	require.Equal(t, exitUndecided, status)
	require.Contains(t, out.String(), "mute 1.0 (Go), bronze: ")
	require.Contains(t, log.String(), "interrupted: ")
	require.NotContains(t, out.String(), "reached")
}
