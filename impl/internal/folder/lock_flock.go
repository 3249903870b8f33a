//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package folder

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks a file that is open, until it is closed or the process ends. If it is locked, by another process or
// by way of another opening in this one, the error is ErrLocked.
func tryLock(file *os.File) error {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrLocked
		default:
			return err
		}
	}
}

// tryLockFolder locks a folder that is open. Not every file system can: on NFS only files that may be written can be locked. Then
// there is the file alone.
func tryLockFolder(self *os.File) error {
	if err := tryLock(self); !hasNoLocks(err) {
		return err
	}
	return nil
}

// hasNoLocks reports whether a file system has said that it does not lock folders.
func hasNoLocks(err error) bool {
	return errors.Is(err, syscall.EBADF) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EOPNOTSUPP)
}

// outOfFiles reports whether a file could not be opened because too many are.
func outOfFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
