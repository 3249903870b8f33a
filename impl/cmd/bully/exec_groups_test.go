//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/web"
)

// A command runs for each group where that is led, with the name of the group; when its node is killed it runs elsewhere, in a higher epoch; and it ends with its node.
func TestExecGroups(t *testing.T) {
	t.Parallel()
	c, folder := newCluster(t, 3), t.TempDir()
	script := `echo "$BULLY_NODE $BULLY_EPOCH $$" >"$0/$BULLY_GROUP"; while :; do sleep 0.1; done`
	nodes := map[string]*process{}
	for id := 1; id <= 3; id++ {
		nodes[string(rune('0'+id))] = c.executes(id, folder, script, "-restart", "-group", "a=1,b=2,c=3")
	}
	runs := func(group, node string) (epoch, pid string) {
		until(t, group+" runs at "+node, func() bool {
			text, err := os.ReadFile(filepath.Join(folder, group))
			words := strings.Fields(string(text))
			if err != nil || len(words) != 3 || words[0] != node || !strings.HasSuffix(string(text), "\n") {
				return false
			}
			epoch, pid = words[1], words[2]
			return true
		})
		return epoch, pid
	}
	for group, node := range map[string]string{"a": "1", "b": "2", "c": "3"} {
		runs(group, node)
	}
	placed(t, c.http[0], asPlanned(3))
	_, b := runs("b", "2")
	require.NoError(t, nodes["3"].cmd.Process.Kill())
	nodes["3"].wait()
	placed(t, c.http[0], func(p *web.Placed) bool { return p.Leaders[2] == 0 || p.Leaders[2] == 1 })
	until(t, "c runs elsewhere", func() bool {
		text, _ := os.ReadFile(filepath.Join(folder, "c"))
		return strings.HasPrefix(string(text), "1 ") || strings.HasPrefix(string(text), "2 ")
	})
	_, still := runs("b", "2")
	require.Equal(t, b, still, "what another node has led goes on")
	nodes["2"].signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, nodes["2"].wait())
}

// TestExecGroupsRefused: with many groups there is one way to run a command.
func TestExecGroupsRefused(t *testing.T) {
	t.Parallel()
	for _, mode := range [][]string{nil, {"-move"}, {"-once", "x", "-fence", "f"}} {
		args := append([]string{"exec", "-id", "1", "-cluster", "c", "-members", "1=127.0.0.1:1", "-data", "d", "-group", "a"}, mode...)
		status, _, log := bully(t, append(args, "--", "true")...)
		require.Equal(t, cli.Misused, status, mode)
		if mode != nil {
			require.Contains(t, log, "-group: with many groups CMD is a service")
		}
	}
}
