package web

import (
	"net"
	"sync"
)

// limit returns a listener that accepts no more than so many connections at once: the rest wait in the queue of the
// operating system, and cost no memory here.
func limit(l net.Listener, most int) net.Listener {
	return &limited{Listener: l, room: make(chan struct{}, most), done: make(chan struct{})}
}

type limited struct {
	net.Listener
	room  chan struct{}
	done  chan struct{}
	close sync.Once
}

// Accept implements net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.room <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.room
		return nil, err
	}
	return &counted{Conn: c, leave: sync.OnceFunc(func() { <-l.room })}, nil
}

// Close implements net.Listener.
func (l *limited) Close() error {
	l.close.Do(func() { close(l.done) })
	return l.Listener.Close()
}

type counted struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (c *counted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
