//go:build unix

package localcluster

import (
	"os"
	"syscall"
)

const (
	pauseSignal    = syscall.SIGSTOP
	continueSignal = syscall.SIGCONT
	stuckSignal    = syscall.SIGUSR1
)

// attributes puts a node into a process group of its own, so that Ctrl-C at a terminal does not reach it, and what it
// starts can be ended with it.
func attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true}
	dieWithUs(a)
	return a
}

// endListening has a socket listen no more, in whatever processes it is. Linux does that; others may refuse.
func endListening(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_RDWR) }

// killGroup kills what a node has started itself and left behind.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// bind binds a socket to a port of 127.0.0.1 that nobody else is bound to, and lets others bind to it from then on.
// It returns what gives the port back.
func bind(port int) (release func(), err error) {
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	release = func() { _ = syscall.Close(fd) }
	err = os.NewSyscallError("bind", syscall.Bind(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}))
	if err == nil {
		err = os.NewSyscallError("setsockopt", syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1))
	}
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}
