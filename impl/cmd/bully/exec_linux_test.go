package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

// TestExecWithoutDescriptors: a command that cannot be started again, as no descriptor is left, is as soon as there are some; its node leads on.
func TestExecWithoutDescriptors(t *testing.T) {
	c := newCluster(t, 1)
	file := filepath.Join(t.TempDir(), "told")
	n := c.executes(1, file, forever, append(steady, "-restart")...)
	pid := number(t, file)
	epoch := leads(t, c.http[0])
	var most syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &most))
	may := func(open uint64) {
		limit := syscall.Rlimit{Cur: open, Max: most.Max}
		_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(n.cmd.Process.Pid), syscall.RLIMIT_NOFILE, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
		require.Zero(t, errno)
	}
	may(3) // what is open stays
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	until(t, "there is no descriptor for it", func() bool {
		return strings.Contains(n.log.String(), "the command does not start") && strings.Contains(n.log.String(), "too many open files")
	})
	may(most.Cur)
	until(t, "it runs again", func() bool { return number(t, file) != pid })
	require.Equal(t, epoch, leads(t, c.http[0]))
	n.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, n.wait())
}
