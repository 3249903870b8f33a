//go:build unix

package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

// TestDemoReplace plays the whole demo of replacement.
func TestDemoReplace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := spawn(t, "demo", "-replace", "-dir", dir)
	require.Equal(t, cli.OK, p.wait(5))
	text := p.out.String()
	for _, line := range []string{
		`ms  start nodes 1, 2, 3, 4 and 5$`,
		`ms  node 6 has taken the place of node 1, \d+ ms after it was started$`,
		`ms  node 10 has taken the place of node 5, \d+ ms after it was started$`,
		`^Five nodes were replaced in \d+\.\d s. Nobody led for \d+\.\d ms in all`,
		`^The resource took \d+ writes, and refused `,
		`merged into one trace: .*merged.ndjson$`,
		`nodes: 10, crashes: 0`,
		`It is a run that the rules allow\.$`,
	} {
		found := regexp.MustCompile("(?m)" + line).FindStringIndex(text)
		require.NotNil(t, found, "%s is not there, or not after what comes before it, in\n%s", line, p.out)
		text = text[found[1]:]
	}
	require.Empty(t, living(t, dir), "nodes outlive the demo")
	var took, none float64 // seconds; milliseconds without a leader
	var writes int
	found := regexp.MustCompile(`in ([0-9.]+) s\. Nobody led for ([0-9.]+) ms(?s:.*)The resource took (\d+) writes`).FindStringSubmatch(p.out.String())
	_, err := fmt.Sscan(strings.Join(found[1:], " "), &took, &none, &writes)
	require.NoError(t, err)
	if none < 500*took {
		require.Greater(t, writes, 9, "leaders write all the time, and there was one for more than half of it:\n%s", p.out)
	}
}
