//go:build unix

package main

import "syscall"

// maxFiles returns how many files this process may have open. Go has raised that to as many as it may.
func maxFiles() (uint64, bool) {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	return uint64(limit.Cur), err == nil
}
