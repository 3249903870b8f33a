package spec_test

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fastProfiles are those by which a pause of a busy machine ends a reign.
var fastProfiles = []string{"local", "lan", "busy"}

// fast are the functions whose nodes may have fast timers, each with its reason. The list can only shrink.
var fast = map[string]string{
	"impl/cmd/bully/exec_test.go TestExecLeaderless":          "a node speaks after twenty times the longest wait of its profile",
	"impl/cmd/bully/exec_test.go TestExecUsage":               "an error text names what the profile allows; no node runs",
	"impl/cmd/bully/outlived_linux_test.go var":               "nodes fail over many times, and what is asked holds whoever leads",
	"impl/cmd/bully/run_test.go TestRunLogNotRead":            "a node resigns hundreds of times",
	"impl/cmd/workbench/bench_groups_test.go TestBenchGroups": "it measures failover",
	"impl/deploy/alerts_test.go ofGroupsHangs":                alertsWait,
	"impl/deploy/alerts_test.go ofGroupsLag":                  alertsWait,
	"impl/deploy/main_test.go cluster":                        alertsWait,
	"impl/internal/localcluster/bully_test.go quickCommand":   "harm is done all the time, and what is asked holds however often nodes elect",
	"impl/internal/localcluster/example_test.go Example":      "the example measures failover",
}

// alertsWait: an alert is fired by seconds of silence or by a slow disk, which the timers of the profile define.
const alertsWait = "alerts are about the timers of the profile"

// TestProcessesKeepTheirReigns refuses fast timers of real processes. A machine that pauses for 8 ms ends a reign of
// profile local, and a test that takes its leader for granted then fails by chance. A test of processes uses
// proctest.Steady, unless it measures failover or is about timers.
func TestProcessesKeepTheirReigns(t *testing.T) {
	found := map[string][]string{}
	for _, f := range testFilesIn(t, "impl") {
		maps.Copy(found, refusedIn(f.name, f.file, fastProfile))
	}
	requireListed(t, fast, found, "use proctest.Steady, or say in the list why the timers must be fast")
}

// fastProfile returns the fast profile that a list of literals names after the flag -profile.
func fastProfile(n ast.Node) string {
	var list []ast.Expr
	switch n := n.(type) {
	case *ast.CallExpr:
		list = n.Args
	case *ast.CompositeLit:
		list = n.Elts
	}
	for i, e := range list {
		text := literal(e)
		profile, is := strings.CutPrefix(strings.TrimPrefix(text, "-"), "-profile=")
		if text == "-profile" && i+1 < len(list) {
			profile, is = literal(list[i+1]), true
		}
		if !is {
			profile, is = strings.CutPrefix(text, "-profile=")
		}
		if is && slices.Contains(fastProfiles, profile) {
			return "-profile " + profile
		}
	}
	return ""
}

// literal returns the text of a literal of a string, or "".
func literal(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
		text, _ := strconv.Unquote(l.Value)
		return text
	}
	return ""
}

// TestFastProfilesAreFound: the test finds each form of the flag, and lets slow profiles pass.
func TestFastProfilesAreFound(t *testing.T) {
	for call, refused := range map[string]bool{
		`run("-id", "1", "-profile", "lan", "-http", a)`: true, `flags := []string{"-profile", "local"}`: true, `run("-profile=busy")`: true,
		`x := f{args: []string{"-profile", "busy"}}`: true, `run("-profile", "wan")`: false, `run("-profile", profile)`: false,
		`require.Regexp(t, "-profile lan", text)`: false, `run("lan", "-profile")`: false, `run(proctest.Steady()...)`: false,
	} {
		require.Equal(t, refused, refusedIn("p_test.go", parseTest(t, call), fastProfile)["p_test.go Test"] != nil, call)
	}
}
