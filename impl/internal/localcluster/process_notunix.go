//go:build !unix

package localcluster

import (
	"fmt"
	"net"
	"syscall"
)

// No node can be paused here: its process refuses these signals.
const (
	pauseSignal    = syscall.Signal(-1)
	continueSignal = syscall.Signal(-2)
	stuckSignal    = syscall.Signal(-3)
)

// attributes are none in particular.
func attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{}
	dieWithUs(a)
	return a
}

// killGroup does nothing: there are no process groups.
func killGroup(int) {}

// bind looks whether a port of 127.0.0.1 is free. It cannot keep it.
func bind(port int) (release func(), err error) {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	return func() {}, listener.Close()
}

// endListening does nothing here.
func endListening(uintptr) {}
