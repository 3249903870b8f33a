package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// asNode makes the test program a raftnode.
const asNode = "RAFTNODE_TEST_RUNS_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asNode) != "" {
		main()
	}
	os.Exit(m.Run())
}

func TestFlags(t *testing.T) {
	good := "-id 2 -members 1=a:1,2=b:2 -data d"
	tests := []struct {
		flags, want string
	}{
		{"", `-members: is missing; want 1=HOST:PORT,2=…`},
		{"-members 1", `-members: "1" is not ID=HOST:PORT`},
		{"-members =a:1", `-members: "=a:1" is not ID=HOST:PORT`},
		{"-members 1=a", `-members: "1=a" is not ID=HOST:PORT: address a: missing port in address`},
		{"-members 1=a:1,1=b:2", `-members: 1 is there twice`},
		{"-members 1=a:1,", `-members: "" is not ID=HOST:PORT`},
		{"-members 2=a:1,1=b:1 -data d", `-id "": is not among -members 1, 2`},
		{"-members 2=a:1,1=b:1 -data d -id 3", `-id "3": is not among -members 1, 2`},
		{"-members 1=a:1 -id 1", `-data: is missing`},
		{good + " -profile quick", `-profile quick: want default or fast`},
		{good + " -log loud", `-log loud: want debug, info, warn, error or off`},
		{good + " more", `there are no arguments but flags, and "more" is none`},
	}
	for _, test := range tests {
		var log strings.Builder
		require.Equal(t, 2, run(context.Background(), strings.Fields(test.flags), &log), test.flags)
		require.Equal(t, "raftnode: "+test.want+"\n", log.String(), test.flags)
	}
	var log strings.Builder
	require.Equal(t, 2, run(context.Background(), []string{"-fats"}, &log))
	require.Contains(t, log.String(), "flag provided but not defined: -fats")
	require.Equal(t, 0, run(context.Background(), []string{"-help"}, &log))

	o, err := parse(strings.Fields(good+" -http :0"), &log)
	require.NoError(t, err)
	require.Equal(t, "default", o.profile)
	require.Equal(t, map[string]string{"1": "a:1", "2": "b:2"}, o.members)
	require.Equal(t, ":0", o.http)
}

func TestWhatCannotStart(t *testing.T) {
	c := newCluster(t, 1, "fast")
	fails := func(flags ...string) string {
		var log strings.Builder
		require.Equal(t, 1, run(context.Background(), append(flags, "-log", "off"), &log))
		return log.String()
	}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Contains(t, fails("-id", "1", "-members", c.members, "-data", file), "not a directory")

	c.start("1")
	c.agree("")
	other := freeAddress(t)
	require.Contains(t, fails("-id", "1", "-members", "1="+other, "-data", c.data("1")), "is another process using it?")
	require.Contains(t, fails("-id", "1", "-members", c.members, "-data", t.TempDir()), "address already in use")
	require.Contains(t, fails("-id", "1", "-members", "1="+other, "-data", t.TempDir(), "-http", c.http["1"]),
		"address already in use")
}
