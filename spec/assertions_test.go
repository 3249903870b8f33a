package spec_test

import (
	"go/ast"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFailuresExplainThemselves refuses require.True and require.False without a message: "Should be false" does not say
// which promise is broken.
func TestFailuresExplainThemselves(t *testing.T) {
	found := map[string][]string{}
	for _, f := range testFilesIn(t, "impl") {
		maps.Copy(found, refusedIn(f.name, f.file, withoutMessage))
	}
	requireListed(t, nil, found, "say what is expected, such as \"node 3 must not lead while node 4 acts\"")
}

// withoutMessage returns the callee of an assertion about a truth value that has no message.
func withoutMessage(n ast.Node) string {
	switch callee := calleeOf(n); callee {
	case "require.True", "require.False", "assert.True", "assert.False":
		if len(n.(*ast.CallExpr).Args) < 3 {
			return callee
		}
	}
	return ""
}

// TestMissingMessagesAreFound: the test finds an assertion without a message, and no other call.
func TestMissingMessagesAreFound(t *testing.T) {
	for call, refused := range map[string]bool{
		`require.True(t, leads)`: true, `require.False(t, h.Status().Leading)`: true, `assert.True(t, a && b)`: true,
		`go func() { require.False(c.t, a) }()`: true, `require.True(t, leads, "node 3 must lead")`: false,
		`require.False(t, leads, "node %d must not lead", 3)`: false, `require.NoError(t, err)`: false, `True(t, a)`: false,
	} {
		require.Equal(t, refused, refusedIn("p_test.go", parseTest(t, call), withoutMessage)["p_test.go Test"] != nil, call)
	}
}
