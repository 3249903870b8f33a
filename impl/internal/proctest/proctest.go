// Package proctest has what tests of real processes share: a timer profile that a busy machine keeps, a way to run a
// body while a named node leads, and signals that reach the right process.
//
// A machine may pause a process at any time. A leader that is paused for longer than its reign steps down, and a test
// that takes its leader for granted then fails by chance. Such a test must run in [While].
package proctest

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// Patience is how long a test waits for a condition that must come to hold.
const Patience = time.Minute

// attempts is how often While runs a body whose leader loses its reign.
const attempts = 5

// Steady returns the flags of a node that keeps its reign on a busy machine: only a pause of more than two seconds ends
// it. Every test of processes uses them, unless it measures failover or is about timers.
func Steady() []string { return []string{"-profile", "wan"} }

// Reign is one term of one leader. The zero Reign says that no leader is known.
type Reign struct {
	Leader string
	Epoch  uint64
}

// String returns r as a test reports it.
func (r Reign) String() string {
	if r.Leader == "" {
		return "no leader"
	}
	return fmt.Sprintf("node %s in epoch %d", r.Leader, r.Epoch)
}

// While waits until leader leads, and runs body. If body fails and the reign has changed, it runs body again, five times
// at most. If body fails and the reign is the same, the test fails with the errors of body and the name of the leader.
//
// current returns the reign of now, or the zero Reign if there is none or no node answers. Body must use the Attempt that
// it is given in place of the test, and must be able to run more than once.
func While(t testing.TB, leader string, current func() Reign, body func(t *Attempt, reign Reign)) {
	t.Helper()
	var ended []string
	for range attempts {
		reign := Await(t, leader, current)
		attempt := run(t, reign, body)
		if t.Failed() {
			t.FailNow()
		}
		if !attempt.Failed() {
			return
		}
		now := current()
		if now == reign {
			t.Fatalf("while %s led:\n%s", reign, attempt.said())
		}
		ended = append(ended, fmt.Sprintf("%s led, then %s:\n%s", reign, now, attempt.said()))
	}
	t.Fatalf("node %s lost its reign in each of %d attempts:\n%s", leader, attempts, strings.Join(ended, "\n"))
}

// Await waits until leader leads, and returns its reign. It fails the test if that takes longer than Patience.
func Await(t testing.TB, leader string, current func() Reign) (reign Reign) {
	t.Helper()
	Until(t, func() string { return fmt.Sprintf("node %s leads; last seen: %s", leader, reign) }, func() bool {
		reign = current()
		return reign.Leader == leader
	})
	return reign
}

// Until waits until holds returns true. After Patience it fails the test with the text of what, which it asks for then.
// The longer it waits the less often it looks, so that it costs little: first after 2 ms, and at last every 50 ms.
func Until(t testing.TB, what func() string, holds func() bool) {
	t.Helper()
	pause := 2 * time.Millisecond
	for end := time.Now().Add(Patience); !holds(); time.Sleep(pause) {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", Patience, what())
		}
		pause = min(pause+pause/2, 50*time.Millisecond)
	}
}

// Attempt is a test whose failures count only if its leader kept its reign.
type Attempt struct {
	testing.TB
	mu     sync.Mutex
	failed bool
	text   []string
}

// run runs body in a goroutine of its own, which FailNow can end.
func run(t testing.TB, reign Reign, body func(*Attempt, Reign)) *Attempt {
	a := &Attempt{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		body(a, reign)
	}()
	<-done
	return a
}

func (a *Attempt) said() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.text, "\n")
}

// Failed reports whether the attempt has failed.
func (a *Attempt) Failed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failed
}

// Fail marks the attempt as failed and goes on.
func (a *Attempt) Fail() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed = true
}

// FailNow marks the attempt as failed and ends it.
func (a *Attempt) FailNow() {
	a.Fail()
	runtime.Goexit()
}

// Errorf notes an error and goes on.
func (a *Attempt) Errorf(format string, args ...any) {
	a.note(fmt.Sprintf(format, args...))
}

// Error notes an error and goes on.
func (a *Attempt) Error(args ...any) { a.note(fmt.Sprint(args...)) }

// Fatalf notes an error and ends the attempt.
func (a *Attempt) Fatalf(format string, args ...any) {
	a.Errorf(format, args...)
	runtime.Goexit()
}

// Fatal notes an error and ends the attempt.
func (a *Attempt) Fatal(args ...any) {
	a.Error(args...)
	runtime.Goexit()
}

func (a *Attempt) note(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed = true
	a.text = append(a.text, text)
}
