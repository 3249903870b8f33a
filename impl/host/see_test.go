package host

import (
	"context"
	"fmt"
	"strings"
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
		if acting := c.acting(time.Now()); len(acting) > 1 {
			c.broken("OneActing: %s\n%v", strings.Join(acting, ", and "), c)
		}
	}
}

// acting returns the nodes that act now, each with its epoch. The work of a host that hangs goes on.
func (c *cluster) acting(now time.Time) (all []string) {
	for _, m := range c.alive() {
		if r := m.seen.Load().reign; r != nil && now.Before(r.Deadline()) {
			all = append(all, fmt.Sprintf("node %v acts in epoch %d until %v", m.id, r.Epoch, r.Deadline().Format(clockFormat)))
		} else if lease := m.lease.at.Load(); lease != nil && now.Before(lease.until) {
			all = append(all, fmt.Sprintf("the program of node %v acts in epoch %d until %v", m.id, lease.epoch, lease.until.Format(clockFormat)))
		}
	}
	return all
}

const clockFormat = "15:04:05.000000"

// A lease is until when a program in another process acts: it was told the deadline, and does not ask before each act.
type lease struct{ at atomic.Pointer[promised] }

// promised is what the program was told: its epoch, and the deadline.
type promised struct {
	epoch spec.Epoch
	until time.Time
}

// until returns the deadline that the program was told, or the zero time while it does not act.
func (l *lease) until() time.Time {
	if told := l.at.Load(); told != nil {
		return told.until
	}
	return time.Time{}
}

// program is work of another process. It asks for its lease now and then, and takes so long to stop when it is to.
func (m *member) program(slow time.Duration) func(context.Context, Reign) error {
	return func(ctx context.Context, r Reign) error {
		for ctx.Err() == nil {
			if deadline := r.Deadline(); r.Valid() {
				m.lease.at.Store(&promised{r.Epoch(), deadline})
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
