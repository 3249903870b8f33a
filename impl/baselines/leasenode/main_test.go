package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"
)

// asNode makes the test program a leasenode.
const asNode = "LEASENODE_TEST_RUNS_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asNode) != "" {
		main()
	}
	os.Exit(m.Run())
}

func TestFlags(t *testing.T) {
	good := "-id 2 -members 1=a:1,2=b:2 -data d/2"
	tests := []struct {
		flags, want string
	}{
		{"", `-members: is missing; want 1=HOST:PORT,2=…`},
		{"-members 1", `-members: "1" is not ID=HOST:PORT, with an ID without _`},
		{"-members =a:1", `-members: "=a:1" is not ID=HOST:PORT, with an ID without _`},
		{"-members 1=a", `-members: "1=a" is not ID=HOST:PORT: address a: missing port in address`},
		{"-members 1_=a:1", `-members: "1_=a:1" is not ID=HOST:PORT, with an ID without _`},
		{"-members 1=a:1,1=b:2", `-members: 1 is there twice`},
		{"-members 1=a:1,", `-members: "" is not ID=HOST:PORT, with an ID without _`},
		{"-members 2=a:1,1=b:1 -data d", `-id "": is not among -members 1, 2`},
		{"-members 2=a:1,1=b:1 -data d -id 3", `-id "3": is not among -members 1, 2`},
		{"-members 1=a:1 -id 1", `-data: is missing`},
		{good + " -profile quick", `-profile quick: want default or fast`},
		{good + " -log loud", `-log loud: want debug, info, warn, error or off`},
		{"-id 1 -members 1=a:1 -data d", `-store: is missing, and -data d does not end in 1 or 1/data, as would tell it`},
		{"-id 1 -members 1=a:1 -data 1/2/data",
			`-store: is missing, and -data 1/2/data does not end in 1 or 1/data, as would tell it`},
		{good + " -store /" + strings.Repeat("d", 100), "-store /" + strings.Repeat("d", 100) +
			": is longer than 100 bytes, too long for a socket in it"},
		{good + " more", `there are no arguments but flags, and "more" is none`},
	}
	for _, test := range tests {
		var log strings.Builder
		require.Equal(t, 2, run(context.Background(), strings.Fields(test.flags), &log), test.flags)
		require.Equal(t, "leasenode: "+test.want+"\n", log.String(), test.flags)
	}
	var log strings.Builder
	require.Equal(t, 2, run(context.Background(), []string{"-fats"}, &log))
	require.Contains(t, log.String(), "flag provided but not defined: -fats")
	require.Equal(t, 0, run(context.Background(), []string{"-help"}, &log))

	here, err := os.Getwd()
	require.NoError(t, err)
	for flags, store := range map[string]string{
		good:                            filepath.Join(here, "d"),
		good + " -data /d/2/":           "/d",
		good + " -data 2":               here,
		good + " -data 2/data":          here,
		good + " -store /e":             "/e",
		good + " -data 1 -store e/../f": filepath.Join(here, "f"),
	} {
		o, err := parse(strings.Fields(flags), &log)
		require.NoError(t, err, flags)
		require.Equal(t, store, o.store, flags)
	}
	o, err := parse(strings.Fields(good+" -http :0"), &log)
	require.NoError(t, err)
	require.Equal(t, "default", o.profile)
	require.Equal(t, map[string]string{"1": "a:1", "2": "b:2"}, o.members)
	require.Equal(t, ":0", o.http)
}

func TestWhatCannotStart(t *testing.T) {
	fails := func(flags ...string) string {
		var log strings.Builder
		require.Equal(t, 1, run(context.Background(), flags, &log))
		return log.String()
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	require.Contains(t, fails("-id", "1", "-members", "1=a:1", "-data", t.TempDir()+"/1", "-http", taken.Addr().String()),
		"address already in use")
	require.Contains(t, fails(asStore, t.TempDir()), "a store is started by a node")
}

func TestLogLevels(t *testing.T) {
	for level, want := range map[string]int{"debug": 3, "info": 2, "warn": 1, "error": 1, "off": 0} {
		var log strings.Builder
		require.NoError(t, logTo(&log, levels[level]))
		klog.V(4).Info("detail")
		klog.InfoS("news")
		klog.ErrorS(nil, "bad news")
		require.Equal(t, want, strings.Count(log.String(), "level="), "-log %s: %s", level, &log)
	}
}

// A node without a store goes on trying, and says so.
func TestWithoutAStore(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	c := newCluster(t, 1, "fast")
	c.dir = file
	c.start("1")
	response, err := http.Get("http://" + c.http["1"] + "/healthz")
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	require.Nil(t, c.status("1").Leader)
	require.Equal(t, "candidate", c.status("1").Role)
	require.Eventually(t, func() bool { return c.status("1").Counters["writes"] > 1 }, patience, 10*time.Millisecond)
}
