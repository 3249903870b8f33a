package main

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"

	"github.com/seed-fdf591db/bully/impl/baselines/peers"
	"github.com/seed-fdf591db/bully/impl/baselines/peers/peertest"
	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
	"github.com/seed-fdf591db/bully/impl/internal/proctest"
)

func TestMain(m *testing.M) { peertest.Main(m, main) }

func TestFlags(t *testing.T) {
	good := "-id 2 -members 1=a:1,2=b:2 -data d/2"
	for _, test := range []struct {
		flags, want string
	}{
		{"-id 1_ -members 1_=a:1 -data d/1_", `-members: want an ID without _, not "1_"`},
		{"-id 1 -members 1=a:1 -data d", `-store: is missing, and -data d does not end in 1 or 1/data, as would tell it`},
		{"-id 1 -members 1=a:1 -data 1/2/data",
			`-store: is missing, and -data 1/2/data does not end in 1 or 1/data, as would tell it`},
		{good + " -store /" + strings.Repeat("d", 100), "-store /" + strings.Repeat("d", 100) +
			": is longer than 100 bytes, too long for a socket in it"},
	} {
		var log strings.Builder
		require.Equal(t, 2, leaseNode().Run(context.Background(), strings.Fields(test.flags), &log), test.flags)
		require.Equal(t, "leasenode: "+test.want+"\n", log.String(), test.flags)
	}

	here, err := os.Getwd()
	require.NoError(t, err)
	for _, test := range []struct{ store, data, want string }{
		{"", "d/2", filepath.Join(here, "d")},
		{"", "/d/2/", "/d"},
		{"", "2", here},
		{"", "2/data", here},
		{"/e", "d/2", "/e"},
		{"e/../f", "1", filepath.Join(here, "f")},
	} {
		store, err := storeFolder(test.store, test.data, "2")
		require.NoError(t, err, test.want)
		require.Equal(t, test.want, store)
	}
}

func TestWhatCannotStart(t *testing.T) {
	require.ErrorContains(t, runStore(t.TempDir(), time.Second), "a store is started by a node")
}

func TestLogLevels(t *testing.T) {
	for level, want := range map[slog.Level]int{
		slog.LevelDebug: 3, slog.LevelInfo: 2, slog.LevelWarn: 1, slog.LevelError: 1, peers.Off: 0,
	} {
		var log strings.Builder
		require.NoError(t, logTo(&log, level))
		klog.V(4).Info("detail")
		klog.InfoS("news")
		klog.ErrorS(nil, "bad news")
		require.Equal(t, want, strings.Count(log.String(), "level="), "%v: %s", level, &log)
	}
}

// A node without a store goes on trying, and says so.
func TestWithoutAStore(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	c := peertest.Of(t, localcluster.Config{
		Nodes: 1, Command: []string{os.Args[0], "-profile", "fast", "-log", "off", "-store", file},
	})
	c.Start()
	c.Wait("it serves", func(v localcluster.View) bool { return v.Nodes[0].Heard })
	response, err := http.Get("http://" + c.HTTP(1) + "/healthz")
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	s := c.Status(1)
	require.Nil(t, s.Leader)
	require.Equal(t, "candidate", s.Role)
	c.Counted(1, "writes", 1)
}

// storeOf returns the process id of the store that runs, when it is not another one.
func storeOf(t *testing.T, c peertest.Cluster, notThis int) (pid int) {
	t.Helper()
	proctest.Until(t, func() string { return "a store runs" }, func() bool {
		text, err := os.ReadFile(filepath.Join(c.Dir(), lockFile))
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil && pid != notThis && proctest.Kill(pid, 0) == nil
	})
	return pid
}

// The store outlives the node that has started it, and the leader; and it ends when all have gone.
func TestKillTheLeader(t *testing.T) {
	t.Parallel()
	c := peertest.New(t, 3, "fast")
	c.Start(1) // leads, and has started the store
	c.Agree(0, 1)
	store := storeOf(t, c, 0)
	group, err := syscall.Getpgid(store)
	require.NoError(t, err)
	require.Equal(t, store, group, "it must not end with the group of the node that started it")
	c.Start(2, 3)
	first := c.Agree(0, 1, 2, 3)

	killed := []int{1}
	if first.Leader != 1 { // a loaded machine has deposed it
		killed = append(killed, first.Leader)
	}
	_, err = c.Kill(killed...)
	require.NoError(t, err)
	second := c.Agree(first.Epoch, c.IDs(killed...)...)
	require.Equal(t, store, storeOf(t, c, 0))

	c.Start(1) // beside one or two that have run on
	c.Agree(second.Epoch-1, c.IDs(killed[1:]...)...)
	require.Equal(t, store, storeOf(t, c, 0))

	_, err = c.Kill(c.IDs(killed[1:]...)...)
	require.NoError(t, err)
	lock, err := os.Open(filepath.Join(c.Dir(), lockFile))
	require.NoError(t, err)
	defer lock.Close()
	proctest.Until(t, func() string { return "the store has ended" }, func() bool {
		return syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
	})
	require.NoFileExists(t, filepath.Join(c.Dir(), socketFile))
	said, err := os.ReadFile(filepath.Join(c.Dir(), logFile))
	require.NoError(t, err)
	require.Empty(t, string(said))
}

// A node that was stopped says that it leads until it finds its Lease gone, and then that it does not, and is a candidate
// again.
func TestStopTheLeader(t *testing.T) {
	t.Parallel()
	c, first := peertest.GivesWay(t)
	_, err := c.Kill(c.IDs(first)...)
	require.NoError(t, err)
	c.Wait("it leads again", func(v localcluster.View) bool { return v.Nodes[first-1].Leading })
}

// A store that is killed is started anew by a node, and has forgotten nothing.
func TestKillTheStore(t *testing.T) {
	t.Parallel()
	c := peertest.New(t, 3, "fast")
	c.Start()
	reign := c.Agree(0)
	store := storeOf(t, c, 0)
	require.NoError(t, proctest.Kill(store, syscall.SIGKILL))
	storeOf(t, c, store)
	c.Counted(reign.Leader, "writes", c.Status(reign.Leader).Counters["writes"]+2)
	c.Agree(reign.Epoch-1, c.IDs()...)
	c.Healthy(reign.Leader)
}

func TestFace(t *testing.T) {
	t.Parallel()
	c := peertest.New(t, 3, "fast")
	c.Start()
	leader := c.Agree(0).Leader
	c.Healthy(leader)
	s := c.Status(leader)
	require.Len(t, s.Members, 3)
	require.Equal(t, "fast", s.Profile)
	require.Equal(t, c.Dir(), s.Store)
	require.WithinDuration(t, time.Now(), s.Since, peertest.Patience)
	writes := c.Counted(leader, "writes", 0)
	require.Greater(t, c.Status(leader).Counters["bytes_sent"], writes, "a request is more than a byte")
	c.Counted(leader, "writes", writes) // renewals
}

// A node that is told to stop lets go of the Lease, and ends with 0.
func TestTerminate(t *testing.T) {
	t.Parallel()
	c := peertest.New(t, 3, "default")
	c.Start()
	first := c.Agree(0)
	begin, err := c.Stop(first.Leader)
	require.NoError(t, err)
	second := c.Agree(first.Epoch, c.IDs(first.Leader)...)
	require.Less(t, second.At.Sub(begin), 12*time.Second, "nobody need wait until the Lease runs out")
}
