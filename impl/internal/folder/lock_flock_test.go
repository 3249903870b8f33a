//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package folder

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHasNoLocks: that a file system does not lock folders is told from that one is locked.
func TestHasNoLocks(t *testing.T) {
	for err, want := range map[error]bool{
		syscall.EBADF: true, syscall.EINVAL: true, syscall.EOPNOTSUPP: true, syscall.EWOULDBLOCK: false, ErrLocked: false, nil: false,
	} {
		require.Equal(t, want, hasNoLocks(err), err)
		if err != nil {
			require.Equal(t, want, hasNoLocks(os.NewSyscallError("flock", err)), err)
		}
	}
}
