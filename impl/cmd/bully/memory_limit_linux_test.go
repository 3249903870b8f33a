package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// memoryGroup makes a control group whose memory is limited, of version 2 or 1, or skips the test.
func memoryGroup(t testing.TB, bytes int) string {
	t.Helper()
	const root = "/sys/fs/cgroup"
	limit, swap, group := "memory.limit_in_bytes", "memory.swappiness", filepath.Join(root, "memory", fmt.Sprintf("bully-limited-%d", os.Getpid()))
	if of, err := os.ReadFile(filepath.Join(root, "cgroup.subtree_control")); err == nil {
		limit, swap, group = "memory.max", "memory.swap.max", filepath.Join(root, filepath.Base(group))
		if !slices.Contains(strings.Fields(string(of)), "memory") {
			t.Skip("needs cgroups: they have no memory here: echo +memory > /sys/fs/cgroup/cgroup.subtree_control")
		}
	}
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Skipf("needs cgroups: none of memory can be made: %v", err)
	}
	t.Cleanup(func() { until(t, "its group is empty", func() bool { return os.Remove(group) == nil }) })
	if err := os.WriteFile(filepath.Join(group, limit), fmt.Append(nil, bytes), 0); err != nil {
		t.Skipf("needs cgroups: memory cannot be limited: %v", err)
	}
	if err := os.WriteFile(filepath.Join(group, swap), []byte("0"), 0); err != nil {
		t.Logf("what is over the limit may be swapped out: %v", err) // where there is no swap there is no such file
	}
	return group
}

// TestMemoryLimit has the kernel kill the leader's node, whatever the guard starts in its place, and the guard, as their control group has no memory left. The program beside them is in another
// group, and holds the address while it may act. Another acts, and not when that does.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	group := memoryGroup(t, 64<<20)
	c, folder := newCluster(t, 3), t.TempDir()
	var all []*machine
	for id := 1; id <= 3; id++ {
		m := &machine{t: t, c: c, id: id, socket: filepath.Join(folder, fmt.Sprint(id)), more: []string{"-guard"}}
		m.start(true)
		all = append(all, m)
	}
	leader := all[2]
	newestOther := func() int { return max(all[0].newest(), all[1].newest()) }
	before, node := leader.exhausts(group, newestOther)
	for range 4 {
		if !strings.Contains(leader.guard.log.String(), "the node leads for it no longer") {
			break
		}
		leader.endProgram() // the machine was so slow that the node gave up the stopped program before it was killed
		leader.start(true)
		before, node = leader.exhausts(group, newestOther)
	}
	dies(t, node)
	require.NoError(t, c.dialled(leader.id), "the program may act yet")
	leader.program.signal(syscall.SIGCONT)
	until(t, "it acts no more", func() bool { return c.dialled(leader.id) != nil })
	until(t, "another acts", func() bool { return newestOther() > before })
	leader.endProgram()
	acted := leader.acted
	require.NotEmpty(t, acted, "the program of node %d has acted", leader.id)
	for _, m := range all[:2] {
		m.end()
		acted = append(acted, m.acted...)
	}
	oneByOne(t, acted)
}

// exhausts has the kernel kill the guard and the node of a machine, while its program acts and is stopped. It returns in
// which epoch that acted, and the process of the node.
func (m *machine) exhausts(group string, newestOther func() int) (before, node int) {
	t := m.t
	t.Helper()
	var whom []int
	until(t, fmt.Sprintf("the program of node %d acts, and its processes are there", m.id), func() bool {
		before, whom = m.newest(), []int{guardOf(m), nodeOf(m), holderOf(m)}
		return before > newestOther() && whom[1] != 0 && whom[2] != 0
	})
	for _, pid := range whom {
		require.NoError(t, os.WriteFile(filepath.Join(group, "cgroup.procs"), fmt.Append(nil, pid), 0))
		require.NoError(t, os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("1000"), 0), "the hog is to be killed last")
	}
	m.program.pause() // so that it hears of nothing
	hog := exec.Command("sh", "-c", `echo $$ > "$0/cgroup.procs" && exec tail /dev/zero`, group)
	hog.Stderr = os.Stderr
	require.NoError(t, hog.Start())
	defer func() {
		_ = hog.Process.Kill()
		_ = hog.Wait()
	}()
	status := m.guard.wait()
	require.Equal(t, syscall.SIGKILL, m.guard.cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(), "the kernel must kill the guard, too: %d", status)
	return before, whom[1]
}
