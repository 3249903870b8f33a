//go:build !linux

package main

import (
	"os"
	"syscall"
	"time"
)

// notifyStuck does nothing: no loop hangs on demand here.
func notifyStuck(chan<- os.Signal) {}

// dieTogether is for Linux alone.
func dieTogether() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

// usedTime is for Linux alone.
func usedTime() time.Duration { return 0 }
