package child

import (
	"net"
	"os"
	"syscall"
)

// lend returns what a guardian is started with that is to hold an address: one end of a Unix socket, in which the listening socket lies, sent before there is a
// guardian. Nobody reads it: what lies there unread is closed by the kernel when the last process is gone that has that end.
func lend(address lent) (theirs *os.File, err error) {
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(ends[0]), "held"), os.NewFile(uintptr(ends[1]), "held")
	defer func() { _ = ours.Close() }()
	conn, err := net.FileConn(ours)
	if err == nil {
		err = address.Lend(conn)
		_ = conn.Close()
	}
	if err != nil {
		_ = theirs.Close()
	}
	return theirs, err
}

// inheritedFrom is the least number that the socket has in the process and in all that it starts: they use lower ones, as shells do up to 9, and bash 255.
const inheritedFrom = 230

// takeHeld has the process inherit the socket that this guardian was started with, if any: so the address is held by whoever has it open, and by no promise of anybody.
// The guardian never closes it.
func takeHeld() error {
	var held syscall.Stat_t
	if syscall.Fstat(heldFD, &held) != nil || held.Mode&syscall.S_IFMT != syscall.S_IFSOCK {
		return nil // what else has that number is no socket: none has been made yet
	}
	_, _, errno := syscall.Syscall(syscall.SYS_FCNTL, heldFD, syscall.F_DUPFD, inheritedFrom)
	if errno != 0 { // so many may not be open: it is inherited as it is
		_, _, errno = syscall.Syscall(syscall.SYS_FCNTL, heldFD, syscall.F_SETFD, 0)
	}
	if errno != 0 {
		return errno
	}
	return nil
}
