package spec_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pure matches the list of packages in the Makefile that are tested without the race detector.
var pure = regexp.MustCompile(`(?m)^PURE := ((?:.*\\\n)*.*)$`)

// TestPureStartNoGoroutine holds what the Makefile says of these packages: nothing that is not a test starts a goroutine.
func TestPureStartNoGoroutine(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	require.NoError(t, err)
	match := pure.FindSubmatch(makefile)
	require.NotNil(t, match, "the Makefile has no list PURE")
	folders := strings.Fields(strings.ReplaceAll(string(match[1]), "\\\n", " "))
	require.NotEmpty(t, folders)
	for _, folder := range folders {
		starts, files := goroutines(t, filepath.Join("..", folder))
		require.NotZero(t, files, folder)
		require.Empty(t, starts, "take %s off the list PURE of the Makefile, so that it is tested with the race detector", folder)
	}
	starts, _ := goroutines(t, "../model/explore") // which has workers
	require.NotEmpty(t, starts)
}

// goroutines returns where the files of a folder, but for tests, start goroutines, and how many files there are.
func goroutines(t *testing.T, folder string) (starts []string, files int) {
	set := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		files++
		file, err := parser.ParseFile(set, name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.GoStmt); ok {
				starts = append(starts, set.Position(s.Pos()).String())
			}
			return true
		})
	}
	return starts, files
}
