//go:build unix

package proctest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Alive reports whether a process runs. A process that has ended, and whose parent has not waited for it yet, does not.
func Alive(pid int) bool {
	if Kill(pid, 0) != nil {
		return false
	}
	state, err := stateOf(fmt.Sprintf("/proc/%d/stat", pid))
	return errors.Is(err, fs.ErrNotExist) && !onLinux() || err == nil && state != "Z" && state != "X"
}

// Pause stops a process with SIGSTOP, and returns when all its threads have stopped.
func Pause(t testing.TB, pid int) {
	t.Helper()
	if err := Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatalf("stop process %d: %v", pid, err)
	}
	Until(t, func() string { return fmt.Sprintf("all threads of process %d have stopped", pid) }, func() bool { return paused(pid) })
}

// paused reports whether all threads of a process have stopped.
func paused(pid int) bool {
	if !onLinux() {
		var how syscall.WaitStatus
		got, err := syscall.Wait4(pid, &how, syscall.WUNTRACED|syscall.WNOHANG, nil)
		return err == nil && got == pid && how.Stopped()
	}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid)) // the pattern is one
	for _, thread := range threads {
		if state, err := stateOf(thread); err == nil && state != "T" && state != "t" {
			return false // a thread that has ended has no file
		}
	}
	return len(threads) > 0
}

// onLinux reports whether the system tells the states of processes in files.
func onLinux() bool {
	_, err := os.Stat("/proc/self/stat")
	return err == nil
}

// stateOf returns the state of a process or thread by its file: R, S, D, T, Z and others, as proc(5) names them.
func stateOf(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	after := string(text[strings.LastIndexByte(string(text), ')')+1:]) // the name before it may have any character
	state, _, _ := strings.Cut(strings.TrimSpace(after), " ")
	return state, nil
}
