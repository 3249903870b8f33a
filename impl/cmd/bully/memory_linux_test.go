//go:build amd64 || arm64

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHoldMemory: the memory of a node is held by a process that ends with it; not if the operator says so, nor where no proof is taken.
func TestHoldMemory(t *testing.T) {
	const pidfdOpen = 434
	fd, _, errno := syscall.Syscall(pidfdOpen, uintptr(os.Getpid()), 0, 0)
	if errno != 0 {
		t.Skip("no process can hold the memory of another here: pidfd_open: ", errno)
	}
	require.NoError(t, syscall.Close(int(fd)))
	const line = "bully-memory\n"
	held := func(more ...string) bool {
		c := newCluster(t, 1)
		p := c.run(1, append(steady, more...)...)
		until(t, "the node runs", func() bool {
			_, text := fetch(c.http[0], "/leader")
			return strings.Contains(text, `"leader":"`)
		})
		var holders []string
		until(t, "all that it has started has a name", func() bool { // which it has only in its second step
			holders = namesOfChildren(p.cmd.Process.Pid)
			return len(holders) == 0 || holders[0] == line
		})
		p.signal(syscall.SIGKILL)
		p.wait()
		return len(holders) == 1
	}
	require.True(t, held())
	require.False(t, held("-hold-memory=false"))
	require.False(t, held("-no-proof"))
}

// namesOfChildren returns the names of the processes that the threads of a process have started.
func namesOfChildren(pid int) (names []string) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		text, _ := os.ReadFile(task) // if there is none, nothing is in it
		for child := range strings.FieldsSeq(string(text)) {
			name, _ := os.ReadFile("/proc/" + child + "/comm")
			names = append(names, string(name))
		}
	}
	return names
}
