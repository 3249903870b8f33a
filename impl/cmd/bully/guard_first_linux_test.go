package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/proctest"
)

// TestGuardIsFirstProcess: a guard that is the first process of a container waits for those whose parents have ended, and passes signals on, which the first process gets only if
// it asks for them; all else ends with it.
func TestGuardIsFirstProcess(t *testing.T) {
	t.Parallel()
	contained := []string{"unshare", "--pid", "--fork", "--kill-child", "--mount-proc"}
	if out, err := exec.Command(contained[0], append(contained[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("needs unshare: %v: %s", err, out)
	}
	const script = `
trap 'echo told; exit 7' TERM
for i in 1 2 3; do (sh -c 'exit 3' &); done
(setsid sh -c 'sleep 0.2' &)
while [ "$(cat /proc/[0-9]*/status 2>/dev/null | grep -c '^State:.Z')" != 0 ] || grep -qs '^Name:.sleep' /proc/[0-9]*/status; do :; done
tr '\0' ' ' </proc/1/cmdline; echo "is first, and nobody waits"
while :; do sleep 0.1; done`
	p := newProcess(t, exec.Command(contained[0], append(contained[1:], os.Args[0], "guard", "--", "sh", "-c", script)...))
	p.cmd.Env = append(os.Environ(), asCommand+"=1")
	p.start()
	until(t, "none is left that has ended", func() bool { return strings.Contains(p.out.String(), "is first, and nobody waits") })
	require.Regexp(t, "^guard of ", p.out.String(), "the guard is the first process of the container")
	first := onlyChild(p.cmd.Process.Pid)
	require.NotZero(t, first, "unshare has one child, the guard")
	require.NoError(t, proctest.Kill(first, syscall.SIGTERM))
	require.Equal(t, 7, p.wait())
	require.Contains(t, p.out.String(), "told")
}
