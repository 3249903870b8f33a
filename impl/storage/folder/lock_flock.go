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
