package web

import (
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// slots is a listener that has no more than so many connections open at once. Who comes when all are taken gets the slot of the oldest
// connection that nothing is asked on; so whoever opens many and asks little keeps nobody out. If all are at work, he is told to come
// again.
type slots struct {
	net.Listener
	most int

	mu   sync.Mutex
	open []*slot // the oldest first
}

// slot is one connection.
type slot struct {
	net.Conn
	slots  *slots
	active bool // guarded by slots.mu, as left is
	left   bool
}

// tooMany is what is said when there is no slot.
const tooMany = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 51\r\nRetry-After: 1\r\n" +
	"Connection: close\r\n\r\ntoo many connections are at work here: come again.\n"

// Accept implements net.Listener.
func (s *slots) Accept() (net.Conn, error) {
	for {
		c, err := s.Listener.Accept()
		if err != nil {
			s.evict() // it may be for want of a file; the server tries again
			return nil, err
		}
		if !s.room() {
			_ = c.SetWriteDeadline(time.Now().Add(time.Second)) // a socket that is new takes so little at once
			_, _ = c.Write([]byte(tooMany))
			_ = c.Close()
			continue
		}
		taken := &slot{Conn: c, slots: s}
		s.mu.Lock()
		s.open = append(s.open, taken)
		s.mu.Unlock()
		return taken, nil
	}
}

// room reports whether one more connection may be open, if need be in the place of another.
func (s *slots) room() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open) < s.most || s.evictLocked()
}

// evict closes the oldest connection that nothing is asked on, and reports whether there was one.
func (s *slots) evict() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.evictLocked()
}

// evictLocked is evict for who holds mu.
func (s *slots) evictLocked() bool {
	i := slices.IndexFunc(s.open, func(c *slot) bool { return !c.active })
	if i < 0 {
		return false
	}
	oldest := s.open[i]
	oldest.leaveLocked()
	_ = oldest.Conn.Close() // it may have been closed already, and be about to leave by itself: there is room all the same
	return true
}

// note takes note of what a connection does, as http.Server tells it. A connection whose request has begun (StateActive) is
// not active yet: its head may never be whole. inTurn says when the request is served.
func (s *slots) note(c net.Conn, state http.ConnState) {
	if taken, ok := c.(*slot); ok {
		taken.setActive(state == http.StateHijacked)
	}
}

// setActive says whether something is asked on a connection, and returns false if it has been closed here. There may be none.
func (c *slot) setActive(active bool) bool {
	if c == nil {
		return true
	}
	c.slots.mu.Lock()
	defer c.slots.mu.Unlock()
	c.active = active
	return !c.left
}

// Close implements net.Conn.
func (c *slot) Close() error {
	c.slots.mu.Lock()
	c.leaveLocked()
	c.slots.mu.Unlock()
	return c.Conn.Close()
}

// leaveLocked gives the slot free, for who holds mu. It may be free.
func (c *slot) leaveLocked() {
	c.left = true
	if i := slices.Index(c.slots.open, c); i >= 0 {
		c.slots.open = slices.Delete(c.slots.open, i, i+1)
	}
}
