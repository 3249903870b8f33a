package main

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyStuck has a channel told when the loop of the node is to hang.
func notifyStuck(told chan<- os.Signal) { signal.Notify(told, syscall.SIGUSR1) }

// dieTogether has the kernel kill what is started when this process ends.
func dieTogether() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
