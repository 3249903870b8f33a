//go:build amd64 || arm64

package hold

import (
	"bufio"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/proctest"
)

// ballast is the memory of the program that dies, in bytes.
const ballast = 64 << 20

// TestLargeProgram is the program that dies: it says where it listens, and who holds its memory.
func TestLargeProgram(t *testing.T) {
	if os.Getenv("BULLY_LARGE_PROGRAM") == "" {
		t.Skip("another test starts it")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	if os.Getenv("BULLY_LARGE_PROGRAM") == "rests" {
		memoryRest = time.Hour
	}
	require.NoError(t, Memory())
	require.NoError(t, Memory(), "there is one")
	memory := make([]byte, ballast)
	for i := 0; i < len(memory); i += os.Getpagesize() {
		memory[i] = 1
	}
	fmt.Println("listens", listener.Addr(), holder.pid)
	for {
		link, err := listener.Accept()
		require.NoError(t, err)
		_ = link.Close()
		runtime.KeepAlive(memory)
	}
}

// large starts the program, with something to heed, and returns it, its address, and who holds its memory.
func large(t *testing.T, heeds string) (program *exec.Cmd, address string, other int) {
	t.Helper()
	if err := canHold(); err != nil {
		t.Skip("needs a newer Linux: an older one or a sandbox refuses: ", err)
	}
	program = exec.Command(os.Args[0], "-test.run=^TestLargeProgram$", "-test.v")
	program.Env = append(os.Environ(), "BULLY_LARGE_PROGRAM="+heeds)
	out, err := program.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, program.Start())
	t.Cleanup(func() {
		_ = program.Process.Kill()
		_ = program.Wait()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if words := strings.Fields(lines.Text()); len(words) == 3 && words[0] == "listens" {
			other, err = strconv.Atoi(words[2])
			require.NoError(t, err)
			return program, words[1], other
		}
	}
	require.Fail(t, "it does not listen")
	return nil, "", 0
}

// openIn returns how many descriptors a process has open.
func openIn(pid int) int {
	open, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(open)
}

// saysOf returns what the kernel says of a process under a name.
func saysOf(pid int, name string) string {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		if value, is := strings.CutPrefix(line, name+":"); is {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// hasEnded reports whether a process is no more, or is only waited for.
func hasEnded(pid int) bool {
	state := saysOf(pid, "State")
	return state == "" || state[0] == 'Z'
}

// until waits until a condition holds, which what describes.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	proctest.Until(t, func() string { return what }, holds)
}

// TestHoldMemory: a program's address refuses as soon as it is dead, while its memory is still there; and what holds that ends then.
func TestHoldMemory(t *testing.T) {
	program, address, other := large(t, "nothing")
	until(t, "the helper process has its name", func() bool { return saysOf(other, "Name") == "bully-memory" })
	until(t, "the helper process has its view of the program open, and nothing else", func() bool { return openIn(other) == 1 })
	blocked, err := strconv.ParseUint(saysOf(other, "SigBlk"), 16, 64)
	require.NoError(t, err)
	require.Equal(t, uint64(math.MaxUint64), blocked|1<<(syscall.SIGKILL-1)|1<<(syscall.SIGSTOP-1), "it takes no signals, but for these, which nobody can block")
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGURG, syscall.SIGQUIT, syscall.SIGTSTP} {
		require.NoError(t, proctest.Kill(other, signal))
	}
	group, err := syscall.Getpgid(other)
	require.NoError(t, err)
	require.Equal(t, other, group, "who kills all of the program's group does not kill it")
	link, err := net.Dial("tcp", address)
	require.NoError(t, err, "it runs on")
	require.NoError(t, link.Close())
	require.NoError(t, proctest.Kill(other, syscall.SIGSTOP)) // as it would be gone else before anybody looks

	require.NoError(t, program.Process.Kill())
	_ = program.Wait()
	_, err = net.Dial("tcp", address)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	kept, err := strconv.Atoi(strings.TrimSuffix(saysOf(other, "VmRSS"), " kB"))
	require.NoError(t, err)
	require.Greater(t, kept, ballast/1024, "the memory is still there")

	require.NoError(t, proctest.Kill(other, syscall.SIGCONT))
	until(t, "the helper process has ended", func() bool { return hasEnded(other) })
}

// TestHolderIsKilled: whoever kills what holds the memory of a program takes nothing else from it.
func TestHolderIsKilled(t *testing.T) {
	program, address, other := large(t, "nothing")
	require.NoError(t, proctest.Kill(other, syscall.SIGKILL))
	until(t, "the helper process has ended", func() bool { return hasEnded(other) })
	link, err := net.Dial("tcp", address)
	require.NoError(t, err)
	require.NoError(t, link.Close())
	require.NoError(t, program.Process.Kill())
	_ = program.Wait()
	_, err = net.Dial("tcp", address)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
}

// TestHolderRests: what holds the memory of a program that is dead does nothing for a while, and lets others elect.
func TestHolderRests(t *testing.T) {
	program, _, other := large(t, "rests")
	call := func() string {
		said, err := os.ReadFile(fmt.Sprintf("/proc/%d/syscall", other))
		if err != nil {
			t.Skip("needs ptrace: the kernel does not say in which call a process waits: ", err)
		}
		return string(said)
	}
	waitsFor := regexp.MustCompile(`^\d+ 0x[1-9a-f]\w* 0x1 `)
	until(t, "the helper process waits for one thing, the end of the program", func() bool { return waitsFor.MatchString(call()) })
	require.NoError(t, program.Process.Kill())
	_ = program.Wait()
	rests := regexp.MustCompile(`^\d+ 0x0 0x0 0x[1-9a-f]`)
	until(t, "the helper process waits for nothing but a time", func() bool { return rests.MatchString(call()) })
	require.NoError(t, proctest.Kill(other, syscall.SIGKILL))
}
