package bubbletest

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// failures are tests that fail. They run in a process of their own, as a test cannot fail and pass.
var failures = map[string]func(t *testing.T){
	"a requirement fails while work sleeps": func(t *testing.T) {
		Run(t, func(t *testing.T) {
			go time.Sleep(time.Hour)
			t.Fatal("the words of the test")
		})
	},
	"a requirement fails while work waits": func(t *testing.T) {
		Run(t, func(t *testing.T) {
			go waits()
			t.Fatal("the words of the test")
		})
	},
	"a requirement fails, and work returns": func(t *testing.T) {
		Run(t, func(t *testing.T) {
			go func() {
				<-t.Context().Done()
				time.Sleep(settling / 2)
				os.Stdout.WriteString("work has returned\n")
			}()
			t.Fatal("the words of the test")
		})
	},
	"work remains": func(t *testing.T) {
		Run(t, func(*testing.T) { go waits() })
	},
	"the test waits for ever": func(t *testing.T) {
		Run(t, func(*testing.T) { waits() })
	},
	"the test waits while nodes run": func(t *testing.T) {
		run(t, time.Minute, 0, func(t *testing.T) {
			go ticks(t.Context())
			waits()
		})
	},
	"the test spins": func(t *testing.T) {
		run(t, time.Hour, time.Second, func(t *testing.T) { spins(t.Context()) })
	},
}

// waits waits for ever.
func waits() { <-make(chan struct{}) }

// ticks keeps virtual time going.
func ticks(ctx context.Context) {
	for ctx.Err() == nil {
		time.Sleep(time.Second)
	}
}

// spins uses real time without an end.
func spins(ctx context.Context) {
	for ctx.Err() == nil {
		_ = time.Now()
	}
}

// TestFailures is what TestOneFailureEndsOneTest runs.
func TestFailures(t *testing.T) {
	if os.Getenv("BUBBLETEST_FAIL") == "" {
		t.Skip("another test starts it: TestOneFailureEndsOneTest, and it fails on purpose")
	}
	for name, failure := range failures {
		t.Run(name, failure)
	}
}

// TestOneFailureEndsOneTest: each failure is reported by the name of its test, with its reason, and all other tests run.
func TestOneFailureEndsOneTest(t *testing.T) {
	run := exec.Command(os.Args[0], "-test.run", "^TestFailures$", "-test.v")
	run.Env = append(os.Environ(), "BUBBLETEST_FAIL=yes")
	output, err := run.CombinedOutput()
	require.ErrorContains(t, err, "exit status 1", "%s", output)
	said := string(output)
	require.NotContains(t, said, "panic:")
	require.NotContains(t, said, "synctest.Run(", "the harness is of no interest")
	for _, name := range []string{
		"a_requirement_fails_while_work_sleeps", "a_requirement_fails_while_work_waits", "a_requirement_fails,_and_work_returns",
		"work_remains", "the_test_waits_for_ever", "the_test_waits_while_nodes_run", "the_test_spins",
	} {
		require.Contains(t, said, "--- FAIL: TestFailures/"+name, "each failing test is named")
	}
	for _, part := range []string{
		"the words of the test", "work has returned", "the goroutines of the failed test stay behind",
		"deadlock: main bubble goroutine has exited but blocked goroutines remain:",
		"the test still waits after 12h0m0s of virtual time:", "bubbletest.waits()",
		"the test still waits after 1m0s of virtual time:", "bubbletest.ticks(",
		"the test still runs after 1s:", "bubbletest.spins(",
	} {
		require.Contains(t, said, part)
	}
}

// TestPasses: a test that passes takes no real time, and its goroutines have ended.
func TestPasses(t *testing.T) {
	var took time.Duration
	Run(t, func(*testing.T) {
		began := time.Now()
		go time.Sleep(time.Hour)
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		took = time.Since(began)
	})
	require.Equal(t, 2*time.Hour, took)
}

// TestPanicOfATest: a panic that is no deadlock is not taken.
func TestPanicOfATest(t *testing.T) {
	require.PanicsWithValue(t, "another", func() { (&bubble{t: t}).judge("another") })
}
