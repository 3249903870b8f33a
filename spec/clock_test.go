package spec_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// leastPatience is how long a test waits at least for what must come: machines are busy.
const leastPatience = 30 * time.Second

// virtual are folders whose tests run in virtual time, by helpers of their own; and inReal are the files there that do not.
var (
	virtual = []string{"impl/host", "impl/groups", "impl/resourcelock"}
	inReal  = []string{"impl/host/clock_test.go", "impl/host/real_test.go", "impl/host/example_test.go", "impl/groups/real_test.go"}
)

const (
	random   = "something is killed, or stopped, at a random moment"
	program  = "it is a program that a test runs: a node, work, or one that does harm, which goes by the clock as such do"
	slowly   = "it is slow on purpose; slower does no harm"
	notYet   = "that nothing comes for a moment is seen too late at worst, and then passes"
	hanging  = "it hangs, for as long as others wait for it"
	looks    = "a rest between two looks at a condition"
	called   = "it is called in virtual time"
	capacity = "it does not outrun a queue; what is asked holds however fast it is"
)

// clocks are the functions that wait for a clock in real time, and why they may.
var clocks = map[string]string{
	"conformance/kit/kit_test.go serve":                         called,
	"conformance/kit/loop_test.go TestLoop":                     called,
	"conformance/port/pieces_test.go byes":                      hanging,
	"conformance/port/port_test.go misbehave":                   hanging,
	"impl/agent/agent_test.go TestLead":                         looks,
	"impl/find_test.go TestSettledOrNotBegun":                   looks,
	"impl/groups/example/shards_test.go TestShards":             random,
	"impl/groups/example/cluster_test.go settles":               looks,
	"impl/groups/example/shards_test.go doesNotGrow":            looks,
	"impl/groups/example/members_test.go TestShardsOfMembers":   random,
	"impl/groups/example/members_test.go change":                looks,
	"impl/groups/example/main_test.go tellGoroutines":           program,
	"impl/cmd/bully/operating_page_test.go run":                 looks,
	"impl/cmd/bully/reaching_test.go newChecker":                program,
	"impl/cmd/bully/outlived_linux_test.go act":                 program,
	"impl/internal/bubbletest/run_test.go ticks":                called,
	"impl/internal/bubbletest/run_test.go TestPasses":           called,
	"impl/internal/localcluster/cluster_test.go TestFailures":   "it waits in vain for a node that has failed",
	"impl/internal/localcluster/fake_test.go choose":            program,
	"impl/internal/localcluster/fake_test.go say":               program,
	"impl/internal/localcluster/flood_test.go runFlood":         program,
	"impl/internal/localcluster/history_work_test.go read":      program,
	"impl/internal/localcluster/history_work_test.go runLeader": program,
	"impl/internal/localcluster/history_work_test.go troubled":  program,
	"impl/internal/localcluster/paused_test.go runWriter":       program,
	"impl/internal/web/slots_test.go TestIdleGiveWay":           "the bound is 45 s: what the rounds would take if each waited for a connection to give up",
	"impl/host/clock_test.go TestKernelTimerReset":              notYet,
	"impl/host/prometheus/example_test.go Example":              looks,
	"impl/resource/process_test.go TestKill":                    random,
	"impl/resource/sqlfence/sqlite_test.go TestKill":            random,
	"impl/resource/sqlfence/suite_test.go pausedAfter":          notYet,
	"impl/storage/process_test.go killOften":                    random,
	"impl/transport/contract_test.go contractPaused":            capacity,
	"impl/transport/frames_test.go TestSlowFrames":              slowly,
	"impl/transport/handshake_test.go TestSlowHandshake":        slowly,
	"impl/transport/members_test.go TestMembersOverAndOver":     "members change at random moments",
	"impl/transport/proof_test.go TestHangingDialIsAbandoned":   "the dial is older than the shortest pause, which is a millisecond",
	"tla/check/tlc/runner_test.go TestRunEndsWithItsContext":    "the context ends at some moment",
}

// TestNoTestWaitsForAClock refuses tests that hope that something has happened after some time, or that demand that it has by then. A test
// waits for a condition, for half a minute at least; or it runs in virtual time (testing/synctest). What is refused: time.Sleep,
// time.After, time.Tick and timers shorter than that, timeouts of contexts and of require.Eventually that are shorter, require.Never,
// and require.Less of a time.Since. A rest between two looks at a condition is none of it, nor is a bound from below.
func TestNoTestWaitsForAClock(t *testing.T) {
	found := map[string][]string{}
	folders := map[string][]testFile{}
	for _, f := range testFilesIn(t, "") {
		folders[f.folder()] = append(folders[f.folder()], f)
	}
	for folder, files := range folders {
		lengths := constantsOf(files)
		for _, f := range files {
			if !slices.Contains(virtual, folder) || slices.Contains(inReal, f.name) {
				maps.Copy(found, clocksIn(f.name, f.file, lengths))
			}
		}
	}
	require.NotEmpty(t, found)
	for at, calls := range found {
		require.NotEmpty(t, clocks[at], "%s waits for a clock (%s): wait for a condition, or run in virtual time; or say in clocks why it must", at, strings.Join(calls, ", "))
	}
	for at := range clocks {
		require.NotEmpty(t, found[at], "%s does not wait for a clock any more: take it off the list", at)
	}
}

// TestClocksAreFound holds what is refused, and what is not.
func TestClocksAreFound(t *testing.T) {
	for call, refused := range map[string]bool{
		`time.Sleep(time.Hour)`: true, `<-time.After(5 * time.Second)`: true, `<-time.After(soon)`: true, `<-time.After(unknown)`: true,
		`<-time.After(patience)`: false, `<-time.After(2 * soon)`: false, `<-time.After(soon / 2)`: true, `time.NewTimer(time.Minute)`: false, `time.Now()`: false, `require.Never(t, f, patience, 1)`: true,
		`context.WithTimeout(ctx, 20*time.Second)`: true, `context.WithTimeout(ctx, patience)`: false,
		`require.Eventually(t, f, soon, time.Millisecond)`: true, `require.Eventually(t, f, 2*time.Minute, time.Millisecond)`: false,
		`require.Less(t, time.Since(begin), patience)`: true, `require.GreaterOrEqual(t, time.Since(begin), soon)`: false,
		`synctest.Test(t, func(t *testing.T) { time.Sleep(1) })`: false, `g(func() { time.Sleep(1) })`: true,
		`bubbletest.Run(t, func(t *testing.T) { time.Sleep(1) })`: false,
	} {
		text := "package p\n\nconst patience, soon = 30 * time.Second, 29 * time.Second\n\nfunc Test() { " + call + " }\n\nfunc BenchmarkX() { time.Sleep(1) }\n"
		file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
		require.NoError(t, err)
		found := clocksIn("p_test.go", file, constantsOf([]testFile{{"p_test.go", file}}))
		require.Equal(t, refused, found["p_test.go Test"] != nil, call)
		require.Len(t, found, map[bool]int{true: 1, false: 0}[refused])
	}
}

// clocksIn returns by which calls the functions of a file wait for a clock. What is called in synctest.Test or bubbletest.Run is in virtual time, and benchmarks
// are about time.
func clocksIn(name string, file *ast.File, lengths map[string]time.Duration) map[string][]string {
	found := map[string][]string{}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || strings.HasPrefix(f.Name.Name, "Benchmark") {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			callee := types.ExprString(call.Fun)
			if callee == "synctest.Test" || callee == "bubbletest.Run" {
				return false
			}
			if waits(callee, call.Args, lengths) {
				at := name + " " + f.Name.Name
				found[at] = append(found[at], callee)
			}
			return true
		})
	}
	return found
}

// waits reports whether a call waits for a clock.
func waits(callee string, args []ast.Expr, lengths map[string]time.Duration) bool {
	short := func(arg int) bool {
		if arg >= len(args) {
			return false
		}
		d, known := length(args[arg], lengths)
		return known && d < leastPatience
	}
	switch callee {
	case "time.Sleep", "time.Tick", "require.Never":
		return true
	case "time.After", "time.NewTimer", "time.AfterFunc":
		_, known := length(args[0], lengths)
		return !known || short(0)
	case "context.WithTimeout":
		return short(1)
	case "require.Eventually", "require.EventuallyWithT":
		return short(2)
	case "require.Less", "require.LessOrEqual":
		return len(args) > 1 && strings.Contains(types.ExprString(args[1]), "time.Since(")
	}
	return false
}

// constantsOf returns the constants of a package that are lengths of time.
func constantsOf(files []testFile) map[string]time.Duration {
	lengths := map[string]time.Duration{}
	for _, f := range files {
		ast.Inspect(f.file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Names) == len(spec.Values) {
				for i, value := range spec.Values {
					if d, known := length(value, lengths); known {
						lengths[spec.Names[i].Name] = d
					}
				}
			}
			return true
		})
	}
	return lengths
}

var word = regexp.MustCompile(`\b[a-zA-Z]\w*\b`)

// length returns how long an expression is, such as 5*time.Second, if that can be seen.
func length(e ast.Expr, lengths map[string]time.Duration) (time.Duration, bool) {
	text := word.ReplaceAllStringFunc(types.ExprString(e), func(name string) string {
		if d, known := lengths[name]; known {
			return fmt.Sprint(int64(d))
		}
		return name
	})
	for unit, d := range map[string]time.Duration{"Nanosecond": 1, "Microsecond": time.Microsecond, "Millisecond": time.Millisecond,
		"Second": time.Second, "Minute": time.Minute, "Hour": time.Hour} {
		text = strings.ReplaceAll(text, "time."+unit, fmt.Sprint(int64(d)))
	}
	value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
	if err != nil || value.Value == nil || value.Value.Kind() != constant.Int {
		return 0, false
	}
	n, exact := constant.Int64Val(value.Value)
	return time.Duration(n), exact
}
