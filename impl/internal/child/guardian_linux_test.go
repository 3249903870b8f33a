package child

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/proctest"
)

// both runs a test with a control group, if there can be one, and without.
func both(t *testing.T, test func(t *testing.T)) {
	t.Run("plain", func(t *testing.T) {
		withoutCgroup = true
		t.Cleanup(func() { withoutCgroup = false })
		test(t)
	})
	t.Run("control group", func(t *testing.T) {
		c := newCgroup("bully-test-" + strconv.Itoa(os.Getpid()))
		if c == "" {
			t.Skip("needs cgroups: none of version 2 can be made, which takes root or a delegated one")
		}
		c.remove()
		test(t)
	})
}

// needs skips a test where a program is missing.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skip("needs ", program, ": ", err)
	}
}

// pidIn waits until a file has a process id, which is in the file's last line.
func pidIn(t *testing.T, file string) int {
	t.Helper()
	pid, err := strconv.Atoi(wait(t, file))
	require.NoError(t, err)
	return pid
}

// gone waits until a process runs no more.
func gone(t *testing.T, pid int) {
	t.Helper()
	proctest.Until(t, func() string { return fmt.Sprintf("process %d has ended", pid) }, func() bool { return !alive(pid) })
}

// strays are scripts that start what tries to get away; each writes its process id to $1.
var strays = map[string]string{
	"session":  `setsid sh -c 'trap "" TERM HUP; echo $$ >"$1"; while :; do sleep 0.01; done' sh "$1" &`,
	"orphan":   `(setsid sh -c '(sh -c "echo \$\$ >\"\$1\"; exec sleep 1000" sh "$1" &)' sh "$1" &)`,
	"a name":   `cp /bin/sleep "$1).x"; setsid "$1).x" 1000 & echo $! >"$1"`,
	"stopped":  `setsid sh -c 'echo $$ >"$1"; kill -STOP $$; sleep 1000' sh "$1" &`,
	"threads":  threadVariable + `="$1" setsid ` + os.Args[0] + ` &`,
	"children": `setsid sh -c 'while :; do sh -c "sleep 0.01; :" & echo $$ >"$1"; sleep 0.01; done' sh "$1" &`,
}

// threadVariable makes this test program one whose first thread ends, while others live on: the kernel lists it as one that has ended.
const threadVariable = "BULLY_CHILD_TEST_THREAD"

func init() {
	if file := os.Getenv(threadVariable); file != "" {
		_ = os.WriteFile(file, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600) // who waits for it will say that it is not there
		_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)                  // in the first thread, as each init is
	}
}

// TestStraysEnd sees that whatever a process has started ends with it, however it ends.
func TestStraysEnd(t *testing.T) {
	needs(t, "setsid")
	both(t, func(t *testing.T) {
		for name, script := range strays {
			for how, end := range map[string]func(c *Child){
				"killed":          (*Child).Kill,
				"ended by itself": func(c *Child) { require.NoError(t, proctest.Kill(c.PID(), syscall.SIGUSR1)) }, // which nobody ignores, as jobs of a shell in the background do SIGINT
			} {
				t.Run(name+", "+how, func(t *testing.T) {
					file := filepath.Join(t.TempDir(), "pid")
					c := shell(t, script+"\nwhile :; do sleep 0.01; done", file)
					stray := pidIn(t, file)
					end(c)
					<-c.Done()
					require.False(t, alive(stray), "Done is closed when nothing is left")
				})
			}
		}
	})
}

// TestOtherUser sees that what has become another user's ends too: that user's processes are not told when their parents die.
func TestOtherUser(t *testing.T) {
	needs(t, "setpriv")
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	both(t, func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.Chmod(dir, 0o777))
		for p := dir; p != "/"; p = filepath.Dir(p) {
			if info, err := os.Stat(p); err == nil {
				require.NoError(t, os.Chmod(p, info.Mode()|0o011)) // of the test itself
			}
			if p == os.TempDir() {
				break
			}
		}
		file := filepath.Join(dir, "pid")
		c := shell(t, `exec setpriv --reuid 65534 --clear-groups sh -c 'echo $$ >"$1"; exec sleep 1000' sh "$1"`, file)
		pid := pidIn(t, file)
		c.Kill()
		<-c.Done()
		require.False(t, alive(pid), "a process of another user must end with its guardian")
	})
}

// TestTerminateReachesAll asks processes of other groups to end as well.
func TestTerminateReachesAll(t *testing.T) {
	needs(t, "setsid")
	dir := t.TempDir()
	file, told := filepath.Join(dir, "pid"), filepath.Join(dir, "told")
	c := shell(t, `trap 'wait' TERM; setsid sh -c 'trap "echo told >$1; exit" TERM; echo $$ >"$0"; while :; do sleep 0.01; done' "$1" "$2" & wait`, file, told)
	pidIn(t, file)
	c.Terminate()
	require.Equal(t, "told", wait(t, told))
	<-c.Done()
}

// TestSignalsAreAsUsual sees that the process does not inherit what the guardian does with signals, or its descriptors; but that it
// ignores what this program was told to ignore, as nohup does.
func TestSignalsAreAsUsual(t *testing.T) {
	inheritsAsUsual(t)
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	inheritsAsUsual(t)
}

func inheritsAsUsual(t *testing.T) {
	file := filepath.Join(t.TempDir(), "status")
	c := shell(t, `{ grep -E 'Sig(Ign|Blk)' /proc/self/status; ls /proc/self/fd | wc -l; } >"$1.new"; mv "$1.new" "$1"`, file)
	<-c.Done()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	here := exec.Command("/bin/sh", "-c", `grep -E 'Sig(Ign|Blk)' /proc/self/status; ls /proc/self/fd | wc -l`)
	want, err := here.Output()
	require.NoError(t, err)
	require.Equal(t, string(want), string(text))
}

// TestOrphansAreWaitedFor leaves no process behind that nobody has waited for.
func TestOrphansAreWaitedFor(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	shell(t, `(sh -c 'echo $$ >"$1"; sleep 0.02' sh "$1" &); while :; do sleep 0.01; done`, file)
	pid := pidIn(t, file)
	proctest.Until(t, func() string { return fmt.Sprintf("process %d has been waited for", pid) }, func() bool {
		return errors.Is(proctest.Kill(pid, 0), syscall.ESRCH)
	})
}

// The variable that makes this test program start a child, and then wait to be killed.
const starterFile = "BULLY_CHILD_TEST_FILE"

func TestStarter(t *testing.T) {
	file := os.Getenv(starterFile)
	if file == "" {
		t.Skip("another test starts it: TestStarterKilled")
	}
	withoutCgroup = os.Getenv("BULLY_CHILD_TEST_PLAIN") != ""
	_, err := Start(exec.Command("/bin/sh", "-c", strays["session"]+` trap '' TERM; while :; do sleep 0.01; done`, "sh", file), nil)
	require.NoError(t, err)
	select {}
}

// TestStarterKilled sees that nothing outlives the process that called Start, even if that is killed, and if somebody has stopped its guardian.
func TestStarterKilled(t *testing.T) {
	needs(t, "setsid")
	becomeSubreaper() // of the same session: so the kernel has no guardian go on of its own accord
	both(t, func(t *testing.T) {
		for _, stopped := range []bool{false, true} {
			t.Run(fmt.Sprintf("stopped: %t", stopped), func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "pid")
				starter := exec.Command(os.Args[0], "-test.run=^TestStarter$")
				starter.Env = append(os.Environ(), starterFile+"="+file)
				if withoutCgroup {
					starter.Env = append(starter.Env, "BULLY_CHILD_TEST_PLAIN=1")
				}
				require.NoError(t, starter.Start())
				stray := pidIn(t, file)
				all := descendants(starter.Process.Pid, nil)
				require.GreaterOrEqual(t, len(all), 3, "the guardian, the process, and the stray")
				if stopped {
					require.Equal(t, starter.Process.Pid, all[0].parent)
					require.NoError(t, proctest.Kill(all[0].pid, syscall.SIGSTOP))
				}
				require.NoError(t, starter.Process.Kill())
				_ = starter.Wait() // it was killed
				gone(t, stray)
				for _, p := range all {
					gone(t, p.pid)
				}
			})
		}
	})
}

// guardianOf starts a script, and finds its guardian.
func guardianOf(t *testing.T, script string, arguments ...string) (*Child, int) {
	c := shell(t, script, arguments...)
	process, ok := look(c.PID())
	require.True(t, ok, "the process is visible in /proc")
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", process.parent))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(name), "guardian"), string(name))
	return c, process.parent
}

// TestGuardianKilled sees that neither the process nor what it has started outlives its guardian, and that others of this process live on.
func TestGuardianKilled(t *testing.T) {
	needs(t, "setsid")
	both(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "pid")
		other := shell(t, `while :; do sleep 0.01; done`)
		c, guardian := guardianOf(t, strays["session"]+`trap '' TERM; while :; do sleep 0.01; done`, file)
		stray := pidIn(t, file)
		require.NoError(t, proctest.Kill(guardian, syscall.SIGKILL))
		<-c.Done()
		require.Equal(t, 137, c.Status())
		require.False(t, alive(stray), "Done is closed when nothing is left")
		gone(t, c.PID())
		require.True(t, alive(other.PID()), "the child of another guardian must live on")
	})
}

// TestGuardianStopped sees that a guardian which somebody has stopped does as it is told.
func TestGuardianStopped(t *testing.T) {
	for name, order := range map[string]func(*Child){"kill": (*Child).Kill, "terminate": (*Child).Terminate} {
		t.Run(name, func(t *testing.T) {
			c, guardian := guardianOf(t, `exec sleep 1000`)
			require.NoError(t, proctest.Kill(guardian, syscall.SIGSTOP))
			order(c)
			<-c.Done()
		})
	}
}

// TestHasChildren: as long as somebody is to be waited for.
func TestHasChildren(t *testing.T) {
	cmd := exec.Command("/bin/sleep", "1000")
	require.NoError(t, cmd.Start())
	require.True(t, hasChildren(), "this process has a child that nobody has waited for")
	require.NoError(t, cmd.Process.Kill())
	proctest.Until(t, func() string { return "this process has no child left" }, func() bool {
		reap(nil)
		return !hasChildren()
	})
	require.Error(t, cmd.Wait(), "it was waited for")
}

func TestFolderOf(t *testing.T) {
	const v2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
	for _, c := range []struct{ mounts, own, want string }{
		{v2, "0::/system.slice/bully.service\n", "/sys/fs/cgroup/system.slice/bully.service"},
		{"1 2 0:3 / / rw - ext4 /dev/x rw\n" + v2, "3:cpu:/a\n0::/\n", "/sys/fs/cgroup"},
		{strings.Replace(v2, " / ", " /pod ", 1), "0::/pod/a\n", "/sys/fs/cgroup/a"},
		{strings.Replace(v2, " / ", " /pod ", 1), "0::/other\n", ""},
		{v2, "3:cpu:/a\n", ""},
		{"", "0::/\n", ""},
		{"short\n", "0::/\n", ""},
	} {
		require.Equal(t, c.want, folderOf(c.mounts, c.own), "%q %q", c.mounts, c.own)
	}
}
