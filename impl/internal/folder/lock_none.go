//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package folder

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// tryLock fails: without flock, and a folder that can be synced, nothing that this package promises holds.
func tryLock(*os.File) error {
	return fmt.Errorf("a folder cannot be kept on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

func tryLockFolder(self *os.File) error { return tryLock(self) }

func outOfFiles(error) bool { return false }
