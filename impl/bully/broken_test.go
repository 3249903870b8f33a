package bully

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// TestBrokenPanics shows that a state that no input leads to does not stay unseen.
func TestBrokenPanics(t *testing.T) {
	members := []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}
	node, err := New(members[1], members)
	require.NoError(t, err)
	node.Step(Start())
	node.leader = node.me
	require.PanicsWithValue(t, "bully: a rule is broken in follower leader:2 epoch:0 grantee:none support:{} latest:1: "+
		"R5: a follower keeps no lease or another's, and has no support", func() {
		node.Step(Receive(spec.Message{Type: spec.Grant, From: members[0], To: members[1], Epoch: 0, Question: 1}))
	})
}

// TestPure holds the package to what it says it is: a function.
func TestPure(t *testing.T) {
	allowed := []string{"cmp", "errors", "fmt", "iter", "math/bits", "slices", "strings", "github.com/seed-fdf591db/bully/spec"}
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	files := 0
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		files++
		positions := token.NewFileSet()
		parsed, err := parser.ParseFile(positions, name, nil, 0)
		require.NoError(t, err)
		for _, imported := range parsed.Imports {
			path, err := strconv.Unquote(imported.Path.Value)
			require.NoError(t, err)
			require.Contains(t, allowed, path, name)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.GoStmt, *ast.ChanType, *ast.SelectStmt, *ast.MapType:
				require.Fail(t, "no goroutine, channel or map belongs here", "%s", positions.Position(n.Pos()))
			}
			return true
		})
	}
	require.GreaterOrEqual(t, files, 8)
}
