package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
)

// called runs a program as it is called, and returns what it says and how it ends.
func called(ctx context.Context, args ...string) (out, log string, status int) {
	var said, logged strings.Builder
	p := Program{Name: "prog", About: "It is a program.", Commands: []Command{
		{Name: "walk", Summary: "walk on", Run: walk},
		{Name: "eat", Summary: "eat up", Foreign: true, Run: func(_ context.Context, p Program, _ []string) error {
			_, err := p.Out.Write([]byte("\x1b<soup>\n"))
			return err
		}},
		{Name: "spew", Summary: "spew", Run: func(_ context.Context, p Program, _ []string) error {
			_, err := p.Out.Write([]byte("\x1b<soup>\n"))
			return err
		}},
		{Name: "fall", Summary: "fail", Run: func(context.Context, Program, []string) error { return errors.New("it fell") }},
		{Name: "stop", Summary: "stop", Run: func(context.Context, Program, []string) error { return ExitError{7} }},
	}}
	status = p.To(&said, &logged).Main(ctx, args)
	return said.String(), logged.String(), status
}

func walk(_ context.Context, p Program, args []string) error {
	flags := p.Flags("walk")
	how := flags.String("pace", "slow", "how fast")
	far := flags.Int("far", 1, "how far")
	if err := p.Parse(flags, args); err != nil {
		return err
	}
	if paces := []string{"slow", "steady", "fast"}; *how == "fat" {
		return UnknownChoice("pace", *how, paces)
	}
	return p.JSON(map[string]any{"pace": *how, "far": *far})
}

// TestProgram asks what a program of subcommands says, and how it ends.
func TestProgram(t *testing.T) {
	const all = "It is a program.\n\nUsage: prog COMMAND [flags]\n\n" +
		"  eat       eat up\n  fall      fail\n  help      say how to use a command\n  spew      spew\n  stop      stop\n" +
		"  version   print the version\n  walk      walk on\n\n\"prog help COMMAND\" lists the flags of a command.\n"
	const ofWalk = "Usage: prog walk [flags]\n  -far int\n    \thow far (default 1)\n  -pace string\n    \thow fast (default \"slow\")\n"
	for _, c := range []struct {
		args     string
		out, log string
		status   int
	}{
		{"", all, "", OK}, {"help", all, "", OK}, {"-h", all, "", OK}, {"--help", all, "", OK}, {"help help", all, "", OK}, {"help -h", all, "", OK},
		{"help walk", ofWalk, "", OK}, {"walk -h", ofWalk, "", OK},
		{"walk", "{\n  \"far\": 1,\n  \"pace\": \"slow\"\n}\n", "", OK},
		{"walk -far 2 -pace <", "{\n  \"far\": 2,\n  \"pace\": \"<\"\n}\n", "", OK},
		{"walk far", "", "prog walk: unexpected argument \"far\" (\"prog help walk\" lists the flags)\n", Misused},
		{"walk -pae 2", "", "prog walk: flag provided but not defined: -pae; did you mean -pace or -far? (\"prog help walk\" lists the flags)\n", Misused},
		{"walk -far x", "", "prog walk: invalid value \"x\" for flag -far: parse error (\"prog help walk\" lists the flags)\n", Misused},
		{"walk -pace fat", "", "prog walk: -pace: unknown \"fat\"; did you mean fast? (there are slow, steady and fast)\n", Misused},
		{"wlk", "", "prog: unknown command \"wlk\"; did you mean walk?\n", Misused},
		{"version 2", "", "prog version: unexpected argument \"2\" (\"prog help version\" lists the flags)\n", Misused},
		{"help wlk", "", "prog help: unknown command \"wlk\"; did you mean walk?\n", Misused},
		{"eat", "\\u001b<soup>\n", "", OK},
		{"spew", "\x1b<soup>\n", "", OK},
		{"fall", "", "prog fall: it fell\n", Mismatch},
		{"stop", "", "", 7},
	} {
		out, log, status := called(t.Context(), strings.Fields(c.args)...)
		require.Equal(t, c.out, out, c.args)
		require.Equal(t, c.log, log, c.args)
		require.Equal(t, c.status, status, c.args)
	}
	require.Equal(t, io.Discard, Program{}.Flags("walk").Output(), "what is wrong is said once")
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	_, log, status := called(interrupted, "fall")
	require.Equal(t, "prog fall: interrupted\n", log)
	require.Equal(t, Mismatch, status)
	out, _, _ := called(t.Context(), "version")
	require.Regexp(t, `^prog .*, built with go1\.[^,\n]+(, from [0-9a-f]+)?\nspec [0-9.]+, wire \d+, trace \d+\n$`, out)
}

// TestProgress is one line on a terminal, and many in a file.
func TestProgress(t *testing.T) {
	for live, want := range map[bool]string{true: "\rhalf\x1b[K\r\x1b[K", false: "half\n"} {
		var log strings.Builder
		p := Program{Log: &log, Live: live}
		p.Progress("half")
		p.Clear()
		require.Equal(t, want, log.String())
		require.Equal(t, live, p.Every() == time.Second)
		require.Equal(t, !live, p.Every() == 10*time.Second)
	}
}

// TestLastWords are waited for while somebody may still read them, and no longer.
func TestLastWords(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		begin := time.Now()
		_, log, _ := called(t.Context(), "fall")
		require.NotEmpty(t, log)
		require.Zero(t, time.Since(begin))

		reader, writer := io.Pipe()
		Program{Log: writer}.sayLast("read me\n")
		require.Equal(t, lastPatience, time.Since(begin))
		require.NoError(t, reader.Close())
	})
}

// TestPauseIsNoPatience: what is due when a machine goes on that has stood still is waited for, and what never comes is not for ever.
func TestPauseIsNoPatience(t *testing.T) {
	ticks, heard := make(chan time.Time), make(chan bool)
	waits := func(done <-chan struct{}) { go func() { heard <- doneBefore(ticks, done) }() }
	done := make(chan struct{})
	waits(done)
	ticks <- time.Time{} // as much as passes while it stands still
	close(done)
	require.True(t, <-heard, "a wait must hear what comes after a pause")

	waits(nil)
	for range looks {
		ticks <- time.Time{}
	}
	require.False(t, <-heard, "a wait must end when nothing comes")
}

// The variable that makes this test program a program of subcommands.
const asProgram = "BULLY_CLI_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		Program{Name: "prog", Commands: []Command{{Name: "run", Run: func(ctx context.Context, p Program, args []string) error {
			_, _ = fmt.Fprintln(p.Out, "runs with", p.Getenv(asProgram), args, p.Live)
			<-ctx.Done()
			_, _ = fmt.Fprintln(p.Log, context.Cause(ctx))
			select {}
		}}}}.Start()
		os.Exit(3) // Start never returns; if it did, this program would start itself, again and again
	}
	os.Exit(m.Run())
}

// TestSignals ends a process: it is asked once, and the second signal does not ask.
func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs Unix: there are no signals between processes")
	}
	program := exec.Command(os.Args[0], "run", "on")
	program.Env = append(os.Environ(), asProgram+"=yes")
	out, err := program.StdoutPipe()
	require.NoError(t, err)
	log, err := program.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, program.Start())
	t.Cleanup(func() { _ = program.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "runs with yes [on] false\n", line)
	require.NoError(t, program.Process.Signal(os.Interrupt))
	line, err = bufio.NewReader(log).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "interrupt signal received\n", line)
	require.NoError(t, program.Process.Signal(syscall.SIGTERM))
	var ended *exec.ExitError
	require.ErrorAs(t, program.Wait(), &ended)
	require.False(t, ended.Exited(), "the signal has ended it")
}
