package spec_test

import (
	"go/ast"
	"maps"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWaitsExplainThemselves refuses require.Eventually in packages that import package proctest or localcluster. After a
// time-out it reports "Condition never satisfied"; proctest.Until and proctest.Await report what they saw last.
func TestWaitsExplainThemselves(t *testing.T) {
	files := testFilesIn(t, "impl")
	real := map[string]bool{}
	for _, f := range files {
		real[f.folder()] = real[f.folder()] || importsProcesses(f.file)
	}
	found := map[string][]string{}
	for _, f := range files {
		if real[f.folder()] {
			maps.Copy(found, refusedIn(f.name, f.file, bareWait))
		}
	}
	requireListed(t, nil, found, "call proctest.Until, or proctest.Await for a leader")
}

// importsProcesses reports whether a file runs real processes by a helper of ours.
func importsProcesses(file *ast.File) bool {
	for _, i := range file.Imports {
		switch path, _ := strconv.Unquote(i.Path.Value); path {
		case module + "/" + proctestFolder, module + "/impl/internal/localcluster":
			return true
		}
	}
	return false
}

// bareWait returns the callee of a call that polls without saying what it saw.
func bareWait(n ast.Node) string {
	switch callee := calleeOf(n); callee {
	case "require.Eventually", "assert.Eventually", "require.EventuallyWithT":
		return callee
	}
	return ""
}

// TestBareWaitsAreFound: the test finds a poll, and no other call.
func TestBareWaitsAreFound(t *testing.T) {
	for call, refused := range map[string]bool{
		`require.Eventually(t, leads, patience, 1)`: true, `go func() { assert.Eventually(t, f, 1, 1) }()`: true,
		`proctest.Until(t, what, leads)`: false, `eventually(t, "it leads", f)`: false,
	} {
		require.Equal(t, refused, refusedIn("p_test.go", parseTest(t, call), bareWait)["p_test.go Test"] != nil, call)
	}
}
