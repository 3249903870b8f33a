//go:build !linux

package transport

import "time"

// setUserTimeout does nothing: keepalive and the write timeout notice what it would, later.
func setUserTimeout(uintptr, time.Duration) {}
