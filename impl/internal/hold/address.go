// Package hold has another process hold what this one has: its memory, so that the connections and the address of a large program end as soon as it is
// killed; or its address, so that this refuses nobody as long as somebody acts there, though this process was killed.
package hold

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"
)

// Listener is a listener that can be lent to another process of this machine: as long as that has it, its address refuses nobody, though this process was
// killed. Its methods are those of net.Listener, and may be called at the same time.
type Listener struct{ *net.TCPListener }

// Listen listens on an address of TCP, host:port. It is the first to be closed of a process that dies. Connections that are not of members cost no more than they
// must: their options are left alone.
func Listen(address string) (*Listener, error) {
	defer takeDescriptors()()
	config := net.ListenConfig{KeepAlive: -1}
	config.SetMultipathTCP(false)
	l, err := config.Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, err
	}
	return &Listener{l.(*net.TCPListener)}, nil
}

// Close has nobody listen on the address any more, to whomever it was lent: who closes it lives, and knows that nobody acts there.
func (l *Listener) Close() error {
	if raw, err := l.SyscallConn(); err == nil {
		_ = raw.Control(shutdown) // without it, the address refuses when all have closed it
	}
	return l.TCPListener.Close()
}

// Lend sends the listener over a Unix socket. Whoever is at its other end need not receive it: what lies unread there is closed by the kernel with that end, and no
// sooner. The error says why it is not lent: it is no Unix socket, nobody is there, or the system does not allow it.
func (l *Listener) Lend(to net.Conn) error {
	socket, local := to.(*net.UnixConn)
	if !local {
		return fmt.Errorf("hold: a listener is lent over a Unix socket, and this is a %T", to)
	}
	if err := socket.SetWriteDeadline(time.Now().Add(time.Second)); err != nil { // it has room, unless much lies unread there already
		return err
	}
	raw, err := l.SyscallConn()
	if err != nil {
		return err
	}
	var sent error
	err = raw.Control(func(descriptor uintptr) { sent = send(socket, descriptor) })
	return errors.Join(err, sent)
}

var (
	_ net.Listener = (*Listener)(nil)
	_ syscall.Conn = (*Listener)(nil)
)
