//go:build !unix

package main

import (
	"errors"
	"net"
)

// maxFiles returns how many files this process may have open: here nobody knows.
func maxFiles() (uint64, bool) { return 0, false }

// bequeath has nobody have anything: here a process cannot become another.
func bequeath(*net.UnixConn) error { return errors.ErrUnsupported }
