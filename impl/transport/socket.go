package transport

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// dialTCP dials a host and port. It tells one address of a host from another: the error wraps ECONNREFUSED only if all
// addresses that the host's name has refuse. That of net.Dialer is the error of the first, which proves nothing about
// the second.
func dialTCP(ctx context.Context, address string) (net.Conn, error) {
	// Keepalive is set with the other options, once the connection is of use.
	dialer := net.Dialer{KeepAlive: -1}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddr(host); err == nil || host == "" {
		return dialer.DialContext(ctx, "tcp", address)
	}
	hosts, err := net.DefaultResolver.LookupHost(ctx, host)
	if err != nil {
		return nil, err
	}
	return dialEach(ctx, dialer.DialContext, hosts, port)
}

// dialEach dials the addresses one by one, each with its share of the time, until one answers.
func dialEach(ctx context.Context, dial func(context.Context, string, string) (net.Conn, error), hosts []string, port string) (net.Conn, error) {
	var failed error // of the address last
	var last string
	for i, host := range hosts {
		share, cancel := ctx, context.CancelFunc(func() {})
		if deadline, ok := ctx.Deadline(); ok {
			share, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(len(hosts)-i))
		}
		conn, err := dial(share, "tcp", net.JoinHostPort(host, port))
		cancel()
		if err == nil {
			return conn, nil
		}
		if failed == nil || absent(last, failed) || refused(failed) && !absent(host, err) {
			failed, last = err, host
		}
	}
	return nil, failed
}

// absent reports whether a dial failed because this host has no such address itself: localhost often has the name of
// ::1 where there is no IPv6. Nobody listens there.
func absent(host string, err error) bool {
	ip, parseErr := netip.ParseAddr(host)
	return parseErr == nil && ip.IsLoopback() && (errors.Is(err, syscall.EADDRNOTAVAIL) ||
		errors.Is(err, syscall.EAFNOSUPPORT) || errors.Is(err, syscall.ENETUNREACH))
}

// wsaConnRefused is WSAECONNREFUSED, which package syscall does not name; other systems have no error of that number.
const wsaConnRefused = syscall.Errno(10061)

// refused reports whether a dial failed because the host answers, and nobody listens at the address.
func refused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, wsaConnRefused)
}

// listenTCP listens on an address. Connections that are not of members cost no more than they must: their options are
// left alone.
func listenTCP(address string) (net.Listener, error) {
	config := net.ListenConfig{KeepAlive: -1}
	config.SetMultipathTCP(false)
	return config.Listen(context.Background(), "tcp", address)
}

// tune sets the options of a connection, if it is one of TCP: small messages leave at once, and an end of the other
// host, or of the way to it, is noticed.
func tune(conn net.Conn, userTimeout time.Duration) {
	tcp, ok := conn.(interface {
		syscall.Conn
		SetNoDelay(bool) error
		SetKeepAliveConfig(net.KeepAliveConfig) error
	})
	if !ok {
		return
	}
	// A connection that refuses an option has ended, and says so when it is used.
	_ = tcp.SetNoDelay(true)
	_ = tcp.SetKeepAliveConfig(net.KeepAliveConfig{
		Enable:   true,
		Idle:     time.Second,
		Interval: time.Second,
		Count:    max(2, int((userTimeout+time.Second-1)/time.Second)),
	})
	if raw, err := tcp.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { setUserTimeout(fd, userTimeout) })
	}
}
