package web

import (
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
)

// Lent is the address of a node, which programs hold. A hold.Listener is one.
type Lent interface{ Lend(to net.Conn) error }

// hold keeps the address of the node from refusing while the program that asks acts in a term, though the node is killed. For that the node sends
// its listening socket on this connection, which the program leaves unread: so the kernel closes that socket no sooner than the program has closed
// the connection, or has died. The other nodes take a refused connection for the proof that nobody acts there (R37), and so it is one.
//
// When the connection ends, the program acts no more. What holds one term holds no other.
func (p *Programs) hold(w http.ResponseWriter, r *http.Request) {
	t := p.named(w, r)
	if t == nil {
		return
	}
	if !t.limits.hold {
		http.Error(w, "this program has not said that it holds the address: ask GET /lead?hold=true", http.StatusConflict)
		return
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer func() { _ = conn.Close() }()
	if !t.holdBy(conn) {
		return
	}
	_, _ = io.Copy(io.Discard, conn) // until the program acts no more, or the term is over
	t.stop()
}

// holdBy has the connection to the program hold the address of the node, as long as the term goes on. It reports whether it does: it is the first for
// this term, and the address could be lent, if there is one to lend.
func (t *term) holdBy(conn net.Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended || t.holder != nil || t.unlent != nil {
		return false
	}
	if t.address != nil {
		if t.unlent = t.address.Lend(socketOf(conn)); t.unlent != nil {
			if errors.Is(t.unlent, syscall.EPIPE) { // nobody is there any more: that is its end
				t.unlent = nil
			}
			t.stop()
			return false
		}
	}
	t.holder = conn
	close(t.held)
	return true
}

// socketOf returns what a connection that takes a slot is.
func socketOf(c net.Conn) net.Conn {
	if taken, ok := c.(*slot); ok {
		return taken.Conn
	}
	return c
}
