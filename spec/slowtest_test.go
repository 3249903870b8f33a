package spec_test

import (
	"go/ast"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSlowTestsAreFound: a test asks package slowtest itself. The Makefile finds the tests of make test-slow by the
// function that asks, and a helper that asked would be none: make test-slow would leave its tests out.
func TestSlowTestsAreFound(t *testing.T) {
	found := 0
	for _, folder := range []string{"conformance", "impl", "model", "tla", "traces"} {
		for _, f := range testFilesIn(t, folder) {
			for _, d := range f.file.Decls {
				fn, is := d.(*ast.FuncDecl)
				if !is || !asksSlowtest(fn) {
					continue
				}
				found++
				require.True(t, strings.HasPrefix(fn.Name.Name, "Test"), "%s: %s is no test: call slowtest in the tests that call it", f.name, fn.Name.Name)
			}
		}
	}
	require.Greater(t, found, 20, "there are slow tests")
}

// asksSlowtest reports whether a function calls slowtest.Only or slowtest.Wanted.
func asksSlowtest(fn *ast.FuncDecl) (asks bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		callee := calleeOf(n)
		asks = asks || callee == "slowtest.Only" || callee == "slowtest.Wanted"
		return true
	})
	return asks
}
