package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
)

// strayVar is in the environment of all that the tests of a mutant start, and of what that starts.
const strayVar = "BULLY_MUTANT_RUN"

var runs atomic.Int64

// newRun returns an environment variable that only one run of tests has.
func newRun() string { return fmt.Sprintf("%s=%d-%d", strayVar, os.Getpid(), runs.Add(1)) }

// endStrays kills what a run of tests has left behind: a mutant of what ends processes leaves some that never end, and
// the mutants after it would have to share the machine with them. Where there is no /proc, nothing is found.
func endStrays(run string) {
	names, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(append([]byte{0}, text...), []byte("\x00"+run+"\x00")) {
			continue // it has ended, or is another's
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill()
		}
	}
}
