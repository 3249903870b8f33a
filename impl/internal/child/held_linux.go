package child

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// lend returns what a guardian is started with that is to hold an address, or none: one end of a Unix socket, in which the listening socket lies.
// Sent before there is a guardian, it is there when that looks.
func lend(address lent) (theirs *os.File, err error) {
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	ours, theirs := os.NewFile(uintptr(ends[0]), "held"), os.NewFile(uintptr(ends[1]), "held")
	conn, err := net.FileConn(ours)
	if err = errors.Join(err, ours.Close()); err == nil {
		if address == nil {
			_, err = conn.Write([]byte{holdsNone})
		} else {
			err = address.Lend(conn)
		}
		err = errors.Join(err, conn.Close())
	}
	if err != nil {
		return nil, errors.Join(err, theirs.Close())
	}
	return theirs, nil
}

// holdsNone is what a guardian is sent that is to hold no address.
const holdsNone = '-'

// inheritedFrom is the least number that the socket has in the process and in all that it starts: they use lower ones, as shells do up to 9, and bash 255.
const inheritedFrom = 230

// takeHeld takes the socket that this guardian is to hold, if any, and never closes it. The process is to inherit it: so it is held by whoever has it open, and by no
// promise of anybody.
func takeHeld() error {
	what, rights := make([]byte, 1), make([]byte, syscall.CmsgSpace(4))
	n, sent, _, _, err := syscall.Recvmsg(heldFD, what, rights, syscall.MSG_CMSG_CLOEXEC)
	if err != nil || n == 0 {
		return errors.Join(errors.New("the guardian was not told what to hold"), err)
	}
	if what[0] == holdsNone {
		return nil
	}
	messages, err := syscall.ParseSocketControlMessage(rights[:sent])
	if err != nil || len(messages) != 1 {
		return errors.Join(errors.New("the guardian was sent no address"), err)
	}
	held, err := syscall.ParseUnixRights(&messages[0])
	if err != nil {
		return err
	}
	_, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(held[0]), syscall.F_DUPFD, inheritedFrom)
	if errno != 0 { // so many may not be open: it is inherited as it is
		_, _, errno = syscall.Syscall(syscall.SYS_FCNTL, uintptr(held[0]), syscall.F_SETFD, 0)
	}
	if errno != 0 {
		return os.NewSyscallError("fcntl", errno)
	}
	return nil
}
