package transport

import (
	"errors"
	"io"
	"syscall"
	"time"
)

// dialNow makes run dial without further pause.
func (l *link) dialNow() {
	select {
	case l.kick <- struct{}{}:
	default:
	}
}

const (
	// A program that ends takes its connections and its listener with it, one after the other; Linux closes the listener
	// last. Who dials in between is heard by nobody, and dials again: three times at once, as that is a matter of
	// microseconds, and then after dyingPause, and a little longer each time.
	dyingTries = 16
	dyingPause = time.Millisecond
)

// A pace says how soon a node is dialled again.
type pace struct {
	failures int // dials that failed in a row, but for
	ends     int // the first that ended in the handshake
	haste    haste
}

// pause waits until the node is to be dialled again: at once if a connection has ended or a new one has come, else after
// a while. err is why it could not be connected; it is nil if it was. pause returns false when the transport closes.
func (t *TCP) pause(l *link, err error) bool {
	p, dying := &l.pace, false
	switch {
	case err == nil:
		p.failures, p.ends = 0, 0
	case isEnd(err) && p.ends < dyingTries:
		p.ends++
		dying = true
	default:
		p.failures++
	}
	t.mu.Lock()
	usual := backoff(t.config, p.failures)
	t.mu.Unlock()
	wait, kick := usual, l.kick
	switch {
	case !p.haste.left(time.Now()):
		kick = nil
	case err == nil:
		wait = 0
	case dying:
		wait = min(dyingPause*time.Duration(p.ends/4), usual)
	}
	if wait == 0 {
		p.haste.spend()
		return t.ctx.Err() == nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-t.ctx.Done():
		return false
	case <-kick:
		p.failures, p.ends = 0, 0
		p.haste.spend()
	case <-timer.C:
		if wait < usual {
			p.haste.spend()
		}
	}
	return true
}

// backoff returns the pause after some failed dials in a row: doubled for each, and jittered by half.
func backoff(c Config, failures int) time.Duration {
	d := c.BackoffMin
	for ; failures > 1 && d < c.BackoffMax; failures-- {
		d *= 2
	}
	d = max(min(d, c.BackoffMax), time.Millisecond)
	return d/2 + time.Duration(c.Rand.Int64N(int64(d/2)+1))
}

// isEnd reports whether a handshake failed because the other end has closed the connection.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// haste bounds how often a node is dialled without a pause, so that two programs with one id that replace each other's
// connections, or a stranger who feigns new ones, keep nobody busy.
type haste struct {
	spent int
	since time.Time
}

const (
	maxHaste   = 16                    // dials without a pause are in hand,
	hasteEvery = 20 * time.Millisecond // and one more is so often
)

func (h *haste) left(now time.Time) bool {
	if earned := int(now.Sub(h.since) / hasteEvery); earned > 0 {
		h.spent = max(0, h.spent-earned)
		h.since = now
	}
	return h.spent < maxHaste
}

func (h *haste) spend() { h.spent++ }
