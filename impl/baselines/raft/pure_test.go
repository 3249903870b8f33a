package raft_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPure holds the package to what it says it is: a function, of no more than 300 lines.
func TestPure(t *testing.T) {
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	lines := 0
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				lines++
			}
		}
		positions := token.NewFileSet()
		parsed, err := parser.ParseFile(positions, name, text, 0)
		require.NoError(t, err)
		for _, imported := range parsed.Imports {
			path, err := strconv.Unquote(imported.Path.Value)
			require.NoError(t, err)
			require.Contains(t, []string{"fmt", "slices"}, path, name)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.GoStmt, *ast.ChanType, *ast.SelectStmt, *ast.MapType:
				require.Fail(t, "no goroutine, channel or map belongs here", "%s", positions.Position(n.Pos()))
			}
			return true
		})
	}
	require.Greater(t, lines, 200)
	require.LessOrEqual(t, lines, 300)
}
