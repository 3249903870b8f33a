package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReasonsAreKnown looks at every t.Skip of the repository: its reason must begin with words that make test knows. Else
// make test would fail on the machine that lacks the thing, and nowhere else.
func TestReasonsAreKnown(t *testing.T) {
	found := 0
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && name != root || entry.Name() == "node_modules" || entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, filepath.Join("slowtest", "slowtest.go")) {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if call, is := n.(*ast.CallExpr); is && isSkip(call) {
				found++
				require.True(t, isKnown(call.Args), "%s skips a test: write t.Skip(\"needs THING: ...\"), with a THING of skips.go", set.Position(call.Pos()))
			}
			return true
		})
		return nil
	}))
	require.Greater(t, found, 50, "the tests of this repository skip here and there")
}

// isSkip reports whether a call skips a test.
func isSkip(call *ast.CallExpr) bool {
	method, is := call.Fun.(*ast.SelectorExpr)
	return is && (method.Sel.Name == "Skip" || method.Sel.Name == "Skipf" || method.Sel.Name == "SkipNow")
}

// isKnown reports whether the words of a t.Skip begin with a reason that make test knows. Where the thing is a variable
// it cannot be judged: "needs ".
func isKnown(args []ast.Expr) bool {
	if len(args) == 0 {
		return false
	}
	first := args[0]
	if sum, is := first.(*ast.BinaryExpr); is {
		first = sum.X
	}
	literal, is := first.(*ast.BasicLit)
	if !is {
		return false
	}
	words, err := strconv.Unquote(literal.Value)
	if err != nil {
		return false
	}
	s := skips{}
	s.add(words, "")
	for thing := range s {
		_, known := enable[strings.TrimSpace(thing)]
		return known || words == "needs "
	}
	return true
}

func TestUnknownReasons(t *testing.T) {
	for text, known := range map[string]bool{
		`t.Skip("needs strace")`: true, `t.Skipf("needs ip: %v", err)`: true, `t.Skip("long: " + why)`: true, `t.Skip("needs ", tool, ": ", err)`: true,
		`t.Skip("needs a unicorn")`: false, `t.Skip(err)`: false, `t.SkipNow()`: false, `t.Skip("strace is missing")`: false,
	} {
		e, err := parser.ParseExpr(text)
		require.NoError(t, err)
		call := e.(*ast.CallExpr)
		require.True(t, isSkip(call), text)
		require.Equal(t, known, isKnown(call.Args), text)
	}
}
