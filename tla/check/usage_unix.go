//go:build unix

package main

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// peakBytes returns the most memory that a process which has ended held at one time. On Linux
// it is never less than what this program held when it started the process.
func peakBytes(state *os.ProcessState) (int64, error) {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, errors.New("the system does not say how much memory was used")
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return usage.Maxrss, nil // in bytes there, in KiB elsewhere
	}
	return usage.Maxrss << 10, nil
}
