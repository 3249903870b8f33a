//go:build unix

package main

import (
	"errors"
	"net"
	"syscall"
)

// maxFiles returns how many files this process may have open. Go has raised that to as many as it may.
func maxFiles() (uint64, bool) {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	return uint64(limit.Cur), err == nil
}

// bequeath has what this process becomes, and all that starts, have a connection open.
func bequeath(conn *net.UnixConn) (err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(descriptor uintptr) { _, failed = syscall.Dup(int(descriptor)) }) // the copy is not closed
	return errors.Join(err, failed)
}
