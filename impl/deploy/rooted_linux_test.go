package deploy

import "syscall"

// rooted lets a process see a folder as its root, as another user, and ends it with this one.
func rooted(root string, user int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Chroot: root, Pdeathsig: syscall.SIGKILL, Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
}
