package transport

import (
	"syscall"
	"time"
)

// tcpUserTimeout is TCP_USER_TIMEOUT, which package syscall does not name. See tcp(7).
const tcpUserTimeout = 18

// setUserTimeout makes a connection end when what was sent on it is not acknowledged in time.
func setUserTimeout(fd uintptr, d time.Duration) {
	_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(max(1, d.Milliseconds())))
}
