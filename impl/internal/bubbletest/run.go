// Package bubbletest runs tests in virtual time (testing/synctest) so that a failure ends one test, and not the program.
//
// A bubble of package synctest panics when its test has ended and a goroutine is still blocked. A test that fails leaves
// such goroutines behind: its work sleeps, or waits for a channel that the test would have closed. [Run] takes the panic,
// reports where the goroutines are blocked if the test has not failed for another reason, and lets the other tests run.
package bubbletest

import (
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const (
	// settling is the virtual time in which the work of a failed test may return.
	settling = time.Minute
	// longest is the virtual time that a test may take. No test takes a fifth of it.
	longest = 12 * time.Hour
)

// Run runs f in a bubble of virtual time, as synctest.Test does. It fails the test by name in three cases that would
// otherwise end the whole program, or hang it:
//
//   - goroutines are blocked for ever, when f waits or after f has returned;
//   - f waits for more than 12 hours of virtual time, because nodes that run keep the time going;
//   - f takes more than half of the real time that the program has left, because a goroutine spins.
//
// Goroutines that are blocked stay behind. F closes its nodes in a deferred call or in t.Cleanup.
func Run(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	run(t, longest, realLimit(t), f)
}

// realLimit returns half of the time until the test program is killed, or 0 if it is not.
func realLimit(t *testing.T) time.Duration {
	if deadline, limited := t.Deadline(); limited {
		return time.Until(deadline) / 2
	}
	return 0
}

// run is Run with limits of virtual and of real time.
func run(t *testing.T, virtual, real time.Duration, f func(t *testing.T)) {
	t.Helper()
	b := &bubble{t: t, late: make(chan struct{}), never: make(chan struct{})}
	ended := make(chan any, 1)
	go func() {
		defer func() { ended <- recover() }()
		synctest.Test(t, func(t *testing.T) { b.enter(t, virtual, f) })
	}()
	var timeout <-chan time.Time
	if real > 0 {
		timer := time.NewTimer(real)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case panicked := <-ended:
		b.judge(panicked)
	case <-b.late:
		t.Fatalf("the test still waits after %v of virtual time:\n%s", virtual, b.stacks())
	case <-timeout:
		t.Fatalf("the test still runs after %v:\n%s", real, b.stacks())
	}
	if t.Failed() {
		t.FailNow()
	}
}

// A bubble is one test in virtual time.
type bubble struct {
	t     *testing.T
	name  atomic.Value  // a string, as stacks show it
	late  chan struct{} // closed when the test has taken too much virtual time
	never chan struct{} // is not closed
}

// enter runs f within the bubble.
func (b *bubble) enter(t *testing.T, virtual time.Duration, f func(t *testing.T)) {
	header := make([]byte, 256)
	b.name.Store(nameIn(string(header[:runtime.Stack(header, false)])))
	watchdog := time.AfterFunc(virtual, func() {
		close(b.late)
		<-b.never // it is of no bubble, and so time stands still
	})
	t.Cleanup(func() {
		watchdog.Stop()
		if t.Failed() {
			time.Sleep(settling)
		}
	})
	f(t)
}

// judge reports how the bubble has ended. A deadlock of a test that has failed is a consequence of that.
func (b *bubble) judge(panicked any) {
	b.t.Helper()
	err, _ := panicked.(error)
	switch deadlock := err != nil && strings.HasPrefix(err.Error(), "deadlock: "); {
	case panicked == nil:
	case !deadlock:
		panic(panicked)
	case b.t.Failed():
		b.t.Log("the goroutines of the failed test stay behind, blocked")
	default:
		b.t.Fatalf("%v:\n%s", err, b.stacks())
	}
}

// harness are calls in the goroutines that the test has not started.
var harness = []string{"internal/synctest.Run(", "testing/synctest.testingSynctestTest(", "bubbletest.(*bubble).enter.func1("}

// stacks returns where the goroutines of the test are.
func (b *bubble) stacks() string {
	all := make([]byte, 1<<20)
	all = all[:runtime.Stack(all, true)]
	var ours []string
	for stack := range strings.SplitSeq(string(all), "\n\n") {
		isOfHarness := slices.ContainsFunc(harness, func(call string) bool { return strings.Contains(stack, call) })
		if nameIn(stack) == b.name.Load() && !isOfHarness {
			ours = append(ours, stack)
		}
	}
	return strings.Join(ours, "\n\n")
}

// nameIn returns which bubble a goroutine is in, such as "synctest bubble 4", as the first line of its stack says.
func nameIn(stack string) string {
	header, _, _ := strings.Cut(stack, "]:")
	_, name, _ := strings.Cut(header, "synctest bubble ")
	return "synctest bubble " + name
}
