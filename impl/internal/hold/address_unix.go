//go:build unix

package hold

import (
	"net"
	"syscall"
)

// send sends a descriptor, with a byte, as it cannot come alone.
func send(to *net.UnixConn, descriptor uintptr) error {
	_, _, err := to.WriteMsgUnix([]byte{'\n'}, syscall.UnixRights(int(descriptor)), nil)
	return err
}

// shutdown ends a socket for all processes that have it. Where a listener cannot be ended so, that has no effect.
func shutdown(descriptor uintptr) { _ = syscall.Shutdown(int(descriptor), syscall.SHUT_RDWR) }
