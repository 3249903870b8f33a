package spec_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A testFile is a file of tests, by its path from the root of the module.
type testFile struct {
	name string
	file *ast.File
}

// folder returns the path of the package of the file.
func (f testFile) folder() string { return filepath.ToSlash(filepath.Dir(f.name)) }

// testFilesIn returns the files of tests in a folder and below it.
func testFilesIn(t *testing.T, root string) (found []testFile) {
	t.Helper()
	all, err := allTestFiles()
	require.NoError(t, err)
	for _, f := range all {
		if within(f.folder(), root) {
			found = append(found, f)
		}
	}
	require.NotEmpty(t, found, "folder %s has tests", root)
	return found
}

// allTestFiles reads all files of tests once.
var allTestFiles = sync.OnceValues(func() (all []testFile, err error) {
	err = filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && name != ".." || entry.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all = append(all, testFile{filepath.ToSlash(strings.TrimPrefix(name, ".."+string(filepath.Separator))), file})
		return nil
	})
	return all, err
})

// refusedIn returns the functions of a file in which refuses finds something, by "file function", and what it found. It
// is asked about each node of the syntax, and returns "" if the node is in order. Declarations that are no functions
// count as the function "var".
func refusedIn(name string, file *ast.File, refuses func(n ast.Node) string) map[string][]string {
	found := map[string][]string{}
	for _, d := range file.Decls {
		of := "var"
		if f, ok := d.(*ast.FuncDecl); ok {
			of = f.Name.Name
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if what := refuses(n); what != "" {
				found[name+" "+of] = append(found[name+" "+of], what)
			}
			return true
		})
	}
	return found
}

// calleeOf returns what a call calls, such as require.True, or "" for a node that is no call.
func calleeOf(n ast.Node) string {
	if call, ok := n.(*ast.CallExpr); ok {
		return types.ExprString(call.Fun)
	}
	return ""
}

// parseTest reads a function Test with such a body.
func parseTest(t *testing.T, body string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n\nfunc Test() { "+body+" }\n", parser.SkipObjectResolution)
	require.NoError(t, err)
	return file
}

// requireListed requires that the list has what was found, and nothing else. The advice says what to do with something
// that was found and is not on the list.
func requireListed(t *testing.T, list map[string]string, found map[string][]string, advice string) {
	t.Helper()
	for at, what := range found {
		if list[at] == "" {
			t.Errorf("%s: %s: %s", at, strings.Join(what, ", "), advice)
		}
	}
	for at := range list {
		if found[at] == nil {
			t.Errorf("%s is no longer needed: remove it from the list", at)
		}
	}
}
