package tlc

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/tla"
)

// fake returns a runner whose TLC answers with recorded outputs: for configuration NAME, with
// what was recorded as NAME, and otherwise as files says.
func fake(t *testing.T, files map[string]string) *Runner {
	t.Helper()
	fakeTools(t)
	folder := t.TempDir()
	t.Setenv("FAKE", folder)
	outputs, err := filepath.Glob(filepath.Join("testdata", "outputs", "*.txt"))
	require.NoError(t, err)
	for _, output := range outputs {
		text, err := os.ReadFile(output)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(output)), text, 0o644))
	}
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	return &Runner{Java: "java", Jar: "tlc.jar", Classes: "classes", Dir: t.TempDir(), Scratch: t.TempDir()}
}

// runAll runs jobs, and returns the outcomes by name.
func runAll(t *testing.T, r *Runner, jobs ...Job) map[string]Outcome {
	t.Helper()
	outcomes := map[string]Outcome{}
	require.NoError(t, r.Run(t.Context(), jobs, Hooks{Finished: func(o Outcome) { outcomes[o.Job.Name] = o }}))
	require.Len(t, outcomes, len(jobs))
	left, err := filepath.Glob(filepath.Join(r.Scratch, "lane*", "*.*"))
	require.NoError(t, err)
	for _, file := range left {
		require.Equal(t, "stderr.txt", filepath.Base(file), "nothing of a job is left behind")
	}
	return outcomes
}

// log returns the lines of a log of the fake JVM.
func log(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(os.Getenv("FAKE"), name))
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func TestRun(t *testing.T) {
	for _, classes := range []string{"classes", ""} {
		r := fake(t, nil)
		r.Classes, r.Lanes = classes, 2
		outcomes := runAll(t, r, Job{Name: "models/holds", Seconds: 1}, Job{Name: "models/invariant", Seconds: 1},
			Job{Name: "models/temporal", Properties: []string{"StaysAt3"}}, Job{Name: "models/parse"})
		require.Equal(t, tla.Holds, outcomes["models/holds"].Report.Verdict)
		require.Equal(t, 7, outcomes["models/holds"].Report.Generated)
		require.Positive(t, outcomes["models/holds"].Report.Seconds)
		require.Equal(t, "Never4", outcomes["models/invariant"].Report.Property)
		require.Equal(t, 12, outcomes["models/invariant"].Report.Exit)
		require.Equal(t, "StaysAt3", outcomes["models/temporal"].Report.Property)
		require.Contains(t, outcomes["models/parse"].Report.Message, "Parse Error")
	}
}

func TestRunTakesTheLongestFirst(t *testing.T) {
	r := fake(t, nil)
	runAll(t, r, Job{Name: "models/initial", Seconds: 2}, Job{Name: "models/step", Seconds: 40},
		Job{Name: "models/holds"}, Job{Name: "models/deadlock", Seconds: 3})
	require.Equal(t, []string{"holds", "step", "deadlock", "initial"}, log(t, "finished.log"))
	started := log(t, "started.log")
	require.Len(t, started, 2, "one JVM for the long jobs, and one for the short ones")
	require.NotContains(t, started[0], "-XX:TieredStopAtLevel=1")
	require.Contains(t, started[1], "-XX:TieredStopAtLevel=1")
	require.Contains(t, started[0], "-Djava.io.tmpdir="+filepath.Join(r.Scratch, "lane0"))
}

func TestRunOutlivesADeadJVM(t *testing.T) {
	r := fake(t, map[string]string{"holds.kill": ""})
	outcomes := runAll(t, r, Job{Name: "models/holds", Seconds: 3}, Job{Name: "models/step", Seconds: 2})
	o := outcomes["models/holds"]
	require.ErrorContains(t, o.Err, "the JVM died (signal: killed)")
	require.ErrorContains(t, o.Err, "a fatal error has been detected")
	require.Equal(t, tla.Failed, o.Report.Verdict)
	require.Equal(t, tla.Violates, outcomes["models/step"].Report.Verdict, "the next job has a new JVM")
}

func TestRunStopsWhatTakesTooLong(t *testing.T) {
	for _, classes := range []string{"classes", ""} {
		r := fake(t, map[string]string{"holds.slow": ""})
		r.Classes, r.Limit = classes, 200*time.Millisecond
		o := runAll(t, r, Job{Name: "models/holds"})["models/holds"]
		require.ErrorContains(t, o.Err, "not done after 200ms, and stopped")
		require.Equal(t, tla.Failed, o.Report.Verdict)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	r := fake(t, map[string]string{"holds.slow": ""})
	ctx, cancel := context.WithCancel(t.Context())
	hooks := Hooks{
		Started:  func(Job) { time.AfterFunc(100*time.Millisecond, cancel) },
		Finished: func(o Outcome) { require.Fail(t, "finished", o.Job.Name) },
	}
	err := r.Run(ctx, []Job{{Name: "models/holds"}, {Name: "models/step", Seconds: 1}}, hooks)
	require.ErrorIs(t, err, context.Canceled)
}

func TestRunReadsDumps(t *testing.T) {
	r := fake(t, map[string]string{"holds.dump": "State 1:\nx = 0\n\nState 2:\nx = {2, 1}\n", "step.dump": "State 1:\nx = {\n"})
	outcomes := runAll(t, r, Job{Name: "models/holds", Dump: true}, Job{Name: "models/step", Dump: true})
	require.NoError(t, outcomes["models/holds"].Err)
	require.Equal(t, 2, outcomes["models/holds"].States.Len())
	require.Equal(t, outcomes["models/holds"].States.Digest(), outcomes["models/holds"].Report.States)
	require.ErrorContains(t, outcomes["models/step"].Err, "state 1: byte")
}

func TestRunWithoutJava(t *testing.T) {
	r := fake(t, nil)
	r.Java = filepath.Join(t.TempDir(), "java")
	require.ErrorIs(t, runAll(t, r, Job{Name: "models/holds"})["models/holds"].Err, os.ErrNotExist)
	r.Classes = ""
	require.ErrorIs(t, runAll(t, r, Job{Name: "models/holds"})["models/holds"].Err, os.ErrNotExist)
}
