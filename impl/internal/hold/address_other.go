//go:build !unix

package hold

import (
	"errors"
	"net"
)

// send sends nothing: a socket cannot be sent here.
func send(*net.UnixConn, uintptr) error { return errors.ErrUnsupported }

// shutdown does nothing: no other process has the socket.
func shutdown(uintptr) {}
