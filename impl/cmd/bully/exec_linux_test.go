package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/proctest"
)

// limit sets a limit of a process that runs.
func (p *process) limit(what uintptr, limit syscall.Rlimit) {
	p.t.Helper()
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(p.cmd.Process.Pid), what, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	require.Zero(p.t, errno, "prlimit of process %d: %v", p.cmd.Process.Pid, errno)
}

// TestFileTooLarge: a node that may write no more, as its files may not be so large, stops for good and says why: it is no signal (SIGXFSZ) that ends it.
func TestFileTooLarge(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	n := c.run(1)
	leads(t, c.http[0])
	n.limit(syscall.RLIMIT_FSIZE, syscall.Rlimit{})
	resign(t, c.http[0])
	require.Equal(t, cli.Mismatch, n.wait())
	require.Regexp(t, "stopped for good.*could not save.*file too large", n.log.String())
}

// TestExecWithoutDescriptors: a command that cannot be started again, as no descriptor is left, is as soon as there are some; its node leads on.
func TestExecWithoutDescriptors(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	file := filepath.Join(t.TempDir(), "told")
	n := c.executes(1, file, forever, "-restart")
	var most syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &most))
	may := func(open uint64) { n.limit(syscall.RLIMIT_NOFILE, syscall.Rlimit{Cur: open, Max: most.Max}) }
	proctest.While(t, "1", reignAt(c.http[0]), func(t *proctest.Attempt, reign proctest.Reign) {
		pid, said := runs(t, file), len(n.log.String())
		may(3) // what is open stays
		defer may(most.Cur)
		_ = proctest.Kill(pid, syscall.SIGKILL) // it may have ended with its reign
		until(t, "node 1 has no descriptor for the command", func() bool {
			log := n.log.String()[said:]
			return strings.Contains(log, "the command does not start") && strings.Contains(log, "too many open files")
		})
		may(most.Cur)
		until(t, "node 1 runs the command again", func() bool { return number(t, file) != pid })
		require.Equal(t, reign.Epoch, leads(t, c.http[0]), "node 1 leads on while it cannot start its command")
	})
	n.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, n.wait())
}
