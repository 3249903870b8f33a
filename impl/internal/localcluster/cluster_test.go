package localcluster

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/proctest"
)

// TestNodes does to fake nodes all that can be done to nodes.
func TestNodes(t *testing.T) {
	t.Parallel()
	ctx := within(t, patience)
	c := fakes(t, Config{Nodes: 3})
	require.Equal(t, []int{1, 3}, c.IDs(2))
	require.Contains(t, c.View().String(), "1 was never started; 2 was never started")
	require.NoError(t, c.Start())
	require.ErrorContains(t, c.Start(2), "start node 2: it runs already")
	kills := 0
	proctest.While(t, "3", current(c, 1, 2, 3), func(t *proctest.Attempt, reign proctest.Reign) {
		defer func() {
			if t.Failed() {
				_ = c.Start(3) // for the next attempt
			}
		}()
		killed, err := c.Kill(3)
		require.NoError(t, err)
		kills++
		next := leads(t, c, 2, reign.Epoch, 1, 2)
		require.Positive(t, next.At.Sub(killed), "all name 2 before 3 was killed")
	})
	_, err := c.Kill(3)
	require.ErrorContains(t, err, "node 3: it does not run")
	require.Equal(t, -1, c.ExitStatus(3), "a signal ended it")

	_, err = c.Pause(2)
	require.NoError(t, err)
	naming(t, ctx, c, map[int]int{1: 1})
	_, err = c.Continue(2)
	require.NoError(t, err)
	leads(t, c, 2, 1, 1, 2)

	require.NoError(t, c.Start(3))
	leads(t, c, 3, 2)
	_, err = c.Stop(3)
	require.NoError(t, err)
	require.Zero(t, c.ExitStatus(3))
	<-c.Gone(3)
	naming(t, ctx, c, map[int]int{1: 2, 2: 2})
	require.True(t, c.View().Nodes[0].Heard, "%s", c.View())
	require.False(t, c.View().Nodes[2].Running, "%s", c.View())

	u, err := c.Usage(1)
	require.NoError(t, err)
	require.Positive(t, u.CPU)
	require.Greater(t, u.Resident, int64(1<<20))
	require.GreaterOrEqual(t, u.Peak, u.Resident)
	var downs int
	for _, e := range c.Events(0) {
		if !e.Running {
			downs++
			require.Equal(t, "3 is down", e.String())
		}
	}
	require.Equal(t, kills+1, downs, "%v", c.Events(0))
}

// TestConfig sees what is said of a cluster that cannot be.
func TestConfig(t *testing.T) {
	t.Parallel()
	_, err := New(Config{Nodes: 0, Command: []string{"x"}})
	require.ErrorContains(t, err, "a cluster has 1 to 64 nodes, not 0")
	_, err = New(Config{Nodes: 65, Command: []string{"x"}})
	require.ErrorContains(t, err, "not 65")
	_, err = New(Config{Nodes: 1})
	require.ErrorContains(t, err, "the command line of a node is empty")
	c, err := New(Config{Nodes: 1, Command: []string{"/no/such/program"}})
	require.NoError(t, err)
	require.ErrorContains(t, c.Start(), "start node 1: ")
	require.False(t, c.View().Nodes[0].Running, "%s", c.View())
	dir := c.Dir()
	require.NoError(t, c.Close())
	require.NoError(t, c.Close(), "again")
	require.NoDirExists(t, dir)
	require.ErrorContains(t, c.Start(), "the cluster is closed")
}

// TestFailures sees whether one who waits is told of nodes that have failed.
func TestFailures(t *testing.T) {
	t.Parallel()
	c := fakes(t, Config{Nodes: 2, Extra: func(id int) []string { return []string{fmt.Sprintf("-fails=%v", id == 2)} }})
	require.NoError(t, c.Start())
	<-c.Gone(2)
	require.Equal(t, 3, c.ExitStatus(2))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := c.Agree(ctx, 0, 1, 2)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "until nodes [1 2] name one leader in an epoch above 0")
	require.ErrorContains(t, err, "2 is down")
	require.ErrorContains(t, err, "node 2 has exited with status 3; it said:\nthis fake was told to fail")
	_, err = c.Stop(2)
	require.ErrorContains(t, err, "node 2: it does not run")
}

// TestAgreed is what agreement is.
func TestAgreed(t *testing.T) {
	t.Parallel()
	now := time.Unix(1, 0)
	node := func(id, leader int, epoch uint64, leading bool) NodeView {
		now = now.Add(time.Second)
		return NodeView{Event: Event{Node: id, At: now, Running: true, Leader: leader, Epoch: epoch, Leading: leading}, Heard: true}
	}
	untold := node(3, 2, 4, false)
	untold.Heard = false
	down := node(3, 0, 0, false)
	down.Running, down.Heard = false, false
	for name, x := range map[string]struct {
		nodes []NodeView
		ids   []int
		want  int
	}{
		"all":                {[]NodeView{node(1, 2, 4, false), node(2, 2, 4, true), node(3, 2, 4, false)}, nil, 2},
		"two leaders":        {[]NodeView{node(1, 2, 4, false), node(2, 2, 4, true), node(3, 3, 4, true)}, nil, 0},
		"two epochs":         {[]NodeView{node(1, 2, 4, false), node(2, 2, 5, true)}, nil, 0},
		"it does not lead":   {[]NodeView{node(1, 2, 4, false), node(2, 2, 4, false)}, nil, 0},
		"one more leads":     {[]NodeView{node(1, 2, 4, true), node(2, 2, 4, true)}, nil, 0},
		"nobody":             {[]NodeView{node(1, 0, 4, false), node(2, 0, 4, false)}, nil, 0},
		"some":               {[]NodeView{node(1, 2, 4, false), node(2, 2, 4, true), node(3, 0, 4, false)}, []int{1, 2}, 2},
		"one is down":        {[]NodeView{node(1, 2, 4, false), node(2, 2, 4, true), down}, nil, 2},
		"one is not heard":   {[]NodeView{node(1, 2, 4, false), node(2, 2, 4, true), untold}, nil, 0},
		"the leader is gone": {[]NodeView{node(1, 3, 4, false), node(2, 3, 4, false), down}, []int{1, 2}, 3},
		"nobody is asked":    {[]NodeView{down}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			reign, ok := View{Nodes: x.nodes}.Agreed(x.ids...)
			require.Equal(t, x.want != 0, ok)
			require.Equal(t, x.want, reign.Leader)
			if ok {
				require.Equal(t, uint64(4), reign.Epoch)
			}
		})
	}
	v := View{Nodes: []NodeView{node(1, 0, 4, false), node(2, 0, 4, false), untold}}
	require.True(t, v.Leaderless(1, 2), "%s", v)
	require.False(t, v.Leaderless(1, 2, 3), "%s", v)
}

// TestParseEvent reads what nodes serve.
func TestParseEvent(t *testing.T) {
	t.Parallel()
	heard := time.Unix(5, 0)
	e, err := parseEvent(3, ` {"at":1700000000000001,"node":"3","role":"follower","leader":"5","epoch":4,"leading":false}`, heard)
	require.NoError(t, err)
	require.Equal(t, Event{Node: 3, At: time.UnixMicro(1700000000000001), Running: true, Role: "follower", Leader: 5, Epoch: 4}, e)
	require.Equal(t, "3 (follower) names 5, epoch 4", e.String())
	e, err = parseEvent(3, `{"node":"3","role":"electing","leader":null,"epoch":4,"leading":false}`, heard)
	require.NoError(t, err)
	require.Equal(t, heard, e.At)
	require.Equal(t, "3 (electing) names no leader, epoch 4", e.String())
	for _, bad := range []string{`{`, `{"node":"2"}`, `{"node":"3","leader":"x"}`, `{"node":"3","epoch":-1}`} {
		_, err := parseEvent(3, bad, heard)
		require.Error(t, err, bad)
	}
}

// TestLateEvents drops what a process has said that is heard only after its end: the node may run again.
func TestLateEvents(t *testing.T) {
	t.Parallel()
	c := fakes(t, Config{Nodes: 1})
	first := c.watch.begin(1)
	c.watch.add(first, Event{Node: 1, Running: true, Leader: 1, Epoch: 4, Leading: true})
	require.True(t, c.View().Nodes[0].Leading, "%s", c.View())
	c.watch.add(first, Event{Node: 1})
	c.watch.add(first, Event{Node: 1, Running: true, Leader: 1, Epoch: 5})
	require.False(t, c.View().Nodes[0].Running, "%s", c.View())
	second := c.watch.begin(1)
	c.watch.add(first, Event{Node: 1, Running: true, Leader: 1, Epoch: 6})
	require.False(t, c.View().Nodes[0].Heard, "%s", c.View())
	c.watch.add(second, Event{Node: 1, Running: true, Leader: 1, Epoch: 7})
	require.Equal(t, uint64(7), c.View().Nodes[0].Epoch)
	require.Len(t, c.Events(0), 3)
	require.Len(t, c.Events(2), 1)
	require.Empty(t, c.Events(9))
}

// TestReserve sees that a reserved port is nobody else's, refuses connections, and can be listened at.
func TestReserve(t *testing.T) {
	t.Parallel()
	addr, release, err := Reserve()
	require.NoError(t, err)
	defer release()
	_, err = net.Dial("tcp", addr)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	var port int
	_, err = fmt.Sscanf(addr, "127.0.0.1:%d", &port)
	require.NoError(t, err)
	require.Less(t, port, ephemeral())
	_, err = bind(port)
	require.ErrorIs(t, err, syscall.EADDRINUSE, "a second reservation")
	for range 2 {
		listener, err := net.Listen("tcp", addr)
		require.NoError(t, err)
		conn, err := net.Dial("tcp", addr)
		require.NoError(t, err)
		require.NoError(t, shut(listener))
		_, err = net.Dial("tcp", addr)
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
		require.NoError(t, conn.Close())
	}
}

// TestOrphans kills a process that runs a cluster: no node may outlive it.
func TestOrphans(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: it ends the nodes of a process that was killed")
	}
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), holderVariable+"="+t.TempDir())
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	var pid int
	_, err = fmt.Fscan(out, &pid)
	require.NoError(t, err)
	require.DirExists(t, filepath.Join("/proc", fmt.Sprint(pid)))
	require.NoError(t, command.Process.Kill())
	_ = command.Wait()
	ctx := within(t, patience)
	for {
		status, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "status"))
		if err != nil || strings.Contains(string(status), "State:\tZ") {
			return // gone, or nobody has collected it yet
		}
		if err := sleep(ctx, time.Millisecond); err != nil {
			_ = proctest.Kill(pid, syscall.SIGKILL)
			require.Fail(t, "a node outlives the process that started it", "process %d: %s", pid, status)
		}
	}
}

// runHolder runs a fake node, prints its process id, and waits to be killed.
func runHolder(dir string) int {
	c, err := New(Config{Nodes: 1, Dir: dir, Command: []string{"env", fakeVariable + "=1", os.Args[0]}})
	if err != nil {
		return 1
	}
	if err := c.Start(); err != nil {
		return 1
	}
	pid, err := c.PID(1)
	if err != nil {
		return 1
	}
	fmt.Println(pid)
	select {}
}
