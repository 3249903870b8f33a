package host

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// await waits until a condition holds, looking each fifth of a millisecond, and returns how long that took.
func (c *cluster) await(most time.Duration, what string, holds func() bool) time.Duration {
	c.t.Helper()
	began := time.Now()
	for !holds() {
		if time.Since(began) > most {
			require.Failf(c.t, "in vain", "waited %v for: %s\n%s", most, what, c)
		}
		time.Sleep(200 * time.Microsecond)
	}
	return time.Since(began)
}

// awaitLeader waits until all that run name node i.
func (c *cluster) awaitLeader(most time.Duration, i int) time.Duration {
	c.t.Helper()
	return c.await(most, fmt.Sprintf("all follow %d", i), func() bool { return c.follow(i) })
}

// follow reports whether all that run name node i in one epoch.
func (c *cluster) follow(i int) bool {
	var epoch spec.Epoch
	for _, m := range c.running() {
		s := m.seen.Load().told
		if s.Leader != id(i) || epoch != 0 && s.Epoch != epoch {
			return false
		}
		epoch = s.Epoch
	}
	return epoch != 0
}

// none reports whether nobody that runs names a leader.
func (c *cluster) none() bool {
	for _, m := range c.running() {
		if !m.seen.Load().told.Leader.IsNone() {
			return false
		}
	}
	return true
}

// epoch returns the highest epoch of all that ever ran.
func (c *cluster) epoch() (highest spec.Epoch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.epochs {
		highest = max(highest, e)
	}
	return highest
}

// messages returns how many messages have been sent.
func (c *cluster) messages() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, count := range c.sent {
		n += count
	}
	return n
}

// count returns how many messages of a type have been sent.
func (c *cluster) count(t spec.MessageType) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent[t]
}

// String says how things are.
func (c *cluster) String() (s string) {
	for _, m := range c.running() {
		seen := m.seen.Load()
		s += fmt.Sprintf("%v: %v, told %v in %d", m.id, seen.state, seen.told.Leader, seen.told.Epoch)
		if seen.stopped {
			s += fmt.Sprintf(", stopped: %v", seen.err)
		}
		s += "\n"
	}
	return s
}

// sample looks each millisecond whether two act at the same moment (OneActing).
func (c *cluster) sample() {
	for {
		select {
		case <-c.over:
			return
		case <-time.After(ms):
		}
		var acting []spec.NodeID
		now := time.Now()
		for _, m := range c.alive() { // work of a host that hangs goes on
			r := m.seen.Load().reign
			if r != nil && now.Before(r.Deadline()) || now.Before(m.lease.until()) {
				acting = append(acting, m.id)
			}
		}
		if len(acting) > 1 {
			c.broken("OneActing: %v act at once\n%v", acting, c)
		}
	}
}

// A lease is until when a program in another process acts: it was told the deadline, and does not ask before each act.
type lease struct{ at atomic.Pointer[time.Time] }

func (l *lease) until() time.Time {
	if at := l.at.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// program is work of another process. It asks for its lease now and then, and takes so long to stop when it is to.
func (m *member) program(slow time.Duration) func(context.Context, Reign) error {
	return func(ctx context.Context, r Reign) error {
		for ctx.Err() == nil {
			if deadline := r.Deadline(); r.Valid() {
				m.lease.at.Store(&deadline)
			}
			select {
			case <-ctx.Done():
			case <-time.After(5 * ms):
			}
		}
		time.Sleep(slow)
		m.lease.at.Store(nil)
		return errWork
	}
}

func (c *cluster) broken(format string, a ...any) {
	problem := fmt.Sprintf(format, a...) // which may look at the cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.problems) < 10 {
		c.problems = append(c.problems, problem)
	}
}
