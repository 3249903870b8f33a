package host

import (
	"sync"
	"testing"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// mostReadings is how often a host may read its clock while virtual time stands still. The tests of
// this package need fewer than 4,000 readings.
const mostReadings = 100_000

// readings counts how often a clock is read in one moment of virtual time. A host that spins reads it
// for ever, and virtual time passes only while all goroutines wait: the test would hang, and would
// not say why.
type readings struct {
	spins func() // reports that the host spins

	mu    sync.Mutex
	at    time.Time
	count int
	spun  bool
}

// note counts a reading. Once the host spins, each reading takes 1 ms, so that the test ends.
func (r *readings) note() {
	if r == nil {
		return
	}
	r.mu.Lock()
	now := time.Now()
	if now.After(r.at) {
		r.at, r.count = now, 0
	}
	r.count++
	begins := !r.spun && r.count > mostReadings
	r.spun = r.spun || begins
	spun := r.spun
	r.mu.Unlock()
	if begins {
		r.spins()
	}
	if spun {
		time.Sleep(ms)
	}
}

// readings counts the readings of the clock of a node, and reports the node if it spins.
func (c *cluster) readings(node spec.NodeID) *readings {
	return &readings{spins: func() {
		c.broken("node %v spins: it has read its clock %d times in one moment of virtual time", node, mostReadings)
	}}
}

// fakeReadings counts the readings of the clock of a fakeHost.
func fakeReadings(t *testing.T) *readings {
	return &readings{spins: func() {
		t.Errorf("the host spins: it has read its clock %d times in one moment of virtual time", mostReadings)
	}}
}
