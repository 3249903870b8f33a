//go:build !linux

package transport

import "time"

// setUserTimeout does nothing: keepalive and the write timeout notice what it would, later.
func setUserTimeout(uintptr, time.Duration) {}

// takeDescriptors takes none: elsewhere nobody has looked in which order the sockets of a dead process are closed.
func takeDescriptors() (release func()) { return func() {} }
