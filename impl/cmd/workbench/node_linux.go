package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// notifyStuck has a channel told when the loop of the node is to hang.
func notifyStuck(told chan<- os.Signal) { signal.Notify(told, syscall.SIGUSR1) }

// dieTogether has the kernel kill what is started when this process ends.
func dieTogether() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// usedTime returns how long this process has had a processor.
func usedTime() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // of oneself it does not fail
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
