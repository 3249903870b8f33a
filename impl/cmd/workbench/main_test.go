package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/proctest"
	"github.com/seed-fdf591db/bully/tla"
)

func TestMain(m *testing.M) {
	status := m.Run()
	if err := proctest.Clean(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// workbench runs the program, and returns its exit status and both outputs.
func workbench(t *testing.T, args ...string) (status int, out, log string) {
	t.Helper()
	var o, l strings.Builder
	status = newProgram(tla.FS()).To(&o, &l).Main(t.Context(), args)
	return status, o.String(), l.String()
}

func TestHelp(t *testing.T) {
	t.Parallel()
	status, out, log := workbench(t)
	require.Equal(t, cli.OK, status)
	require.Empty(t, log)
	for _, c := range newProgram(nil).Commands {
		require.Contains(t, out, "  "+c.Name+" ")
		status, out, log := workbench(t, "help", c.Name)
		require.Equal(t, cli.OK, status)
		require.Empty(t, log)
		require.Contains(t, out, "Usage: workbench ")
	}
	status, _, log = workbench(t, "run")
	require.Equal(t, cli.Misused, status)
	require.Contains(t, log, `workbench: unknown command "run"`)
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var o, l strings.Builder
	require.Equal(t, cli.Mismatch, newProgram(files(t, bench(t))).To(&o, &l).Main(ctx, []string{"check"}))
	require.Equal(t, "workbench check: interrupted\n", l.String())
}
