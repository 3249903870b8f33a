// Package strays runs the tests of a mutant, and ends all processes that they have started: those that are left behind, and those that are
// started without end.
package strays

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"
)

// strayVar is in the environment of all that the tests of a mutant start, and of what that starts.
const strayVar = "BULLY_MUTANT_RUN"

// Most is how many processes one run of tests may have at a time, compilers included. A mutant that starts itself again and
// again would take the whole machine before any time limit ends it.
const Most = 200

// lookEvery is how often they are counted.
const lookEvery = 100 * time.Millisecond

var runs atomic.Int64

// newRun returns an environment variable that only one run of tests has.
func newRun() string { return fmt.Sprintf("%s=%d-%d", strayVar, os.Getpid(), runs.Add(1)) }

// Run runs a command that runs tests, and in the end kills what it has left behind. If it has more than so many processes at a time
// all of them are killed at once, and it is crowded.
func Run(command *exec.Cmd, most int) (crowded bool, err error) {
	run := newRun()
	command.Env = append(command.Environ(), run)
	defer end(run)
	done, watched := make(chan struct{}), make(chan bool)
	go func() { watched <- watch(run, most, done) }()
	err = command.Run()
	close(done)
	return <-watched, err
}

// watch counts the processes of a run until it is done, and reports whether there were too many.
func watch(run string, most int, done <-chan struct{}) (crowded bool) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-done:
			return crowded
		case <-look.C:
		}
		if len(of(run)) > most {
			crowded = true
			end(run)
		}
	}
}

// passes is how often end looks again whether there are more: what starts itself again may be faster than one look.
const passes = 100

// end kills what a run of tests has left behind: a mutant of what ends processes leaves some that never end, and
// the mutants after it would have to share the machine with them. Where there is no /proc, nothing is found.
func end(run string) {
	for range passes {
		found := of(run)
		if len(found) == 0 {
			return
		}
		for _, pid := range found {
			if process, err := os.FindProcess(pid); err == nil {
				_ = process.Kill()
			}
		}
	}
}

// of returns the processes of a run, but for this one.
func of(run string) (found []int) {
	names, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(append([]byte{0}, text...), []byte("\x00"+run+"\x00")) {
			continue // it has ended, or is another's
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err == nil && pid != os.Getpid() {
			found = append(found, pid)
		}
	}
	return found
}
