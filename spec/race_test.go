package spec_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRacesAreFound holds the pattern by which the Makefile finds what is tested with the race detector to the syntax of all files: none
// that starts a goroutine is passed over.
func TestRacesAreFound(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	require.NoError(t, err)
	match := regexp.MustCompile(`(?m)^RACES := (.*)$`).FindSubmatch(makefile)
	require.NotNil(t, match, "the Makefile has no pattern RACES")
	races := regexp.MustCompile("(?m)" + string(match[1]))
	start := map[string]bool{}
	require.NoError(t, filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && name != ".." || entry.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		if where := goroutine(t, name, text); where != "" {
			start[filepath.Dir(name)] = true
			require.Regexp(t, races, string(text), "RACES does not find %s", where)
		}
		return nil
	}))
	require.Contains(t, start, filepath.Join("..", "model", "explore"), "it has workers")
	for _, pure := range []string{"package p\n\n// go on: and so on\nvar x = a.Got(1)\n", "package p\n\nimport \"sync\"\n\nvar x = sync.OnceValue(f)\n"} {
		require.NotRegexp(t, races, pure)
	}
}

// goroutine returns where a file starts a goroutine first, or "".
func goroutine(t *testing.T, name string, text []byte) (where string) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		starts := false
		switch n := n.(type) {
		case *ast.GoStmt:
			starts = true
		case *ast.CallExpr:
			method, is := n.Fun.(*ast.SelectorExpr)
			starts = is && method.Sel.Name == "Go"
		}
		if starts && where == "" {
			where = set.Position(n.Pos()).String()
		}
		return true
	})
	return where
}
