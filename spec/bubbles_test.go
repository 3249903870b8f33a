package spec_test

import (
	"go/ast"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFailuresEndOneTest refuses synctest.Test in impl. If a test fails in a bubble while a goroutine is blocked, it
// panics, and no other test runs.
func TestFailuresEndOneTest(t *testing.T) {
	found := map[string][]string{}
	for _, f := range testFilesIn(t, "impl") {
		for at, calls := range refusedIn(f.name, f.file, bareBubble) {
			found[at] = calls
		}
	}
	requireListed(t, nil, found, "call bubbletest.Run")
}

// bareBubble returns the callee of a call that starts a bubble.
func bareBubble(n ast.Node) string {
	if callee := calleeOf(n); callee == "synctest.Test" {
		return callee
	}
	return ""
}

// TestBareBubblesAreFound: the test finds a bubble, and no other call of the package.
func TestBareBubblesAreFound(t *testing.T) {
	for call, refused := range map[string]bool{
		`synctest.Test(t, f)`: true, `for { synctest.Test(t, func(t *testing.T) {}) }`: true, `bubbletest.Run(t, f)`: false, `synctest.Wait()`: false,
	} {
		require.Equal(t, refused, refusedIn("p_test.go", parseTest(t, call), bareBubble)["p_test.go Test"] != nil, call)
	}
}
