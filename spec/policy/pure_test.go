package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pure is what this package may import: of these only package time has a clock.
var pure = []string{`"fmt"`, `"math"`, `"math/bits"`, `"time"`, `"github.com/seed-fdf591db/bully/spec"`}

// TestPure holds the package to have no network, no clock, no goroutine and no random numbers of its own.
func TestPure(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	looked := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		looked++
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, imported := range file.Imports {
			require.Contains(t, pure, imported.Path.Value, name)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				require.Fail(t, "a goroutine", name)
			case *ast.SelectorExpr:
				if of, ok := n.X.(*ast.Ident); ok && of.Name == "time" {
					require.Contains(t, []string{"Duration", "Time", "Hour", "Millisecond", "Microsecond", "Second"}, n.Sel.Name, name)
				}
			}
			return true
		})
	}
	require.Greater(t, looked, 5)
}
