//go:build unix

package child

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/seed-fdf591db/bully/impl/internal/proctest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shell starts a script.
func shell(t *testing.T, script string, arguments ...string) *Child {
	t.Helper()
	c, err := Start(exec.Command("/bin/sh", append([]string{"-c", script, "sh"}, arguments...)...), nil)
	require.NoError(t, err)
	t.Cleanup(func() { c.Kill(); <-c.Done() })
	return c
}

// wait waits until a file has a line, and returns what is in it.
func wait(t *testing.T, path string) (text string) {
	t.Helper()
	proctest.Until(t, func() string { return path + " has a whole line" }, func() bool {
		data, err := os.ReadFile(path)
		text = strings.TrimSpace(string(data))
		return err == nil && strings.HasSuffix(string(data), "\n")
	})
	return text
}

// alive reports whether a process runs.
func alive(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if os.IsNotExist(err) {
		if _, err := os.Stat("/proc/self"); err == nil {
			return false
		}
		return proctest.Kill(pid, 0) == nil
	}
	_, state, _ := strings.Cut(string(status), ") ")
	fields := strings.Fields(state)
	const inThreads = 17 // as proc(5) has it
	return fields[0] != "Z" || fields[inThreads] != "1" && fields[inThreads] != "0"
}

func TestStatus(t *testing.T) {
	for script, want := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -TERM $$": 143, "kill -KILL $$": 137} {
		c := shell(t, script)
		<-c.Done()
		require.Equal(t, want, c.Status(), script)
	}
	_, err := Start(exec.Command("/no/such/program"), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestTerminate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ready")
	c := shell(t, `trap 'exit 9' TERM; echo ready >"$1"; while :; do sleep 0.01; done`, file)
	wait(t, file)
	c.Terminate()
	<-c.Done()
	require.Equal(t, 9, c.Status())
	c.Terminate() // Nobody is there any more.
	c.Kill()
}

// TestGroup sees that what a process has started ends with it: when it is killed, and when it ends by itself.
func TestGroup(t *testing.T) {
	for name, script := range map[string]string{
		"killed": `sleep 1000 & echo $! >"$1"; wait`, "ended": `sleep 1000 & echo $! >"$1"`,
	} {
		file := filepath.Join(t.TempDir(), "pid")
		c := shell(t, script, file)
		grandchild, err := strconv.Atoi(wait(t, file))
		require.NoError(t, err)
		if name == "killed" {
			c.Kill()
		}
		<-c.Done()
		proctest.Until(t, func() string { return "the grandchild has ended: " + name }, func() bool { return !alive(grandchild) })
	}
}

// TestOutputHeld sees that an output that a stray process holds open does not keep Done from closing.
func TestOutputHeld(t *testing.T) {
	reader, writer := io.Pipe()
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	cmd := exec.Command("/bin/sh", "-c", "exit 3")
	cmd.Stdout = writer
	c, err := Start(cmd, nil)
	require.NoError(t, err)
	<-c.Done()
	require.Equal(t, 3, c.Status())
	require.NoError(t, writer.Close())
}
