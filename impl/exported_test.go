package bully_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mostForUsers is how many names the packages export that programs import; it may only fall. mostOfAll is the same of all packages of
// this module that anybody can import: the rest of them serve whoever checks or ports the protocol.
const (
	mostForUsers = 600
	mostOfAll    = 1898
)

// forUsers are the packages that programs import: those that README.md embeds and runs, and what they speak of.
var forUsers = []string{
	"impl", "impl/agent", "impl/bully", "impl/host", "impl/transport", "impl/storage", "impl/groups", "impl/resource", "impl/trace", "spec",
}

// TestExportedNames counts what a newcomer sees: types, their methods, functions, constants and variables; not fields.
func TestExportedNames(t *testing.T) {
	names := exportedNames(t, "..")
	users, all := 0, 0
	for _, folder := range slices.Sorted(maps.Keys(names)) {
		all += names[folder]
		if slices.Contains(forUsers, folder) {
			users += names[folder]
		}
		t.Logf("%4d  %s", names[folder], folder)
	}
	for _, folder := range forUsers {
		require.NotZero(t, names[folder], "%s exports nothing, or is there no more: take it off the list", folder)
	}
	t.Logf("%d names for users, %d in all", users, all)
	require.LessOrEqual(t, users, mostForUsers, "more is exported to users: does anybody outside need it? See the list with -v")
	require.LessOrEqual(t, all, mostOfAll, "more is exported: does it belong below internal/? See the list with -v")
}

// exportedNames returns how many names each package below a folder exports that can be imported, by its folder.
func exportedNames(t *testing.T, root string) map[string]int {
	names := map[string]int{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if path != root && !mayImport(path, entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if file.Name.Name != "main" && !importsTesting(file) {
			folder, _ := filepath.Rel(root, filepath.Dir(path))
			names[filepath.ToSlash(folder)] += exportsOf(file)
		}
		return nil
	}))
	return names
}

// importsTesting reports whether a file is for tests of this repository alone.
func importsTesting(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing"` })
}

// mayImport reports whether there may be packages of this module below a folder that other modules can import.
func mayImport(path, name string) bool {
	if name == "internal" || name == "testdata" || name == "node_modules" || name[0] == '.' || name[0] == '_' {
		return false
	}
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	return err != nil // else it is a module of its own
}

// exportsOf counts the names that a file declares at its top, and exports, and the methods of such types.
func exportsOf(file *ast.File) (n int) {
	count := func(name *ast.Ident) {
		if name.IsExported() {
			n++
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || receiver(d).IsExported() {
				count(d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					count(s.Name)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						count(name)
					}
				}
			}
		}
	}
	return n
}

// receiver returns the type that has a method.
func receiver(method *ast.FuncDecl) *ast.Ident {
	of := method.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	switch generic := of.(type) {
	case *ast.IndexExpr:
		of = generic.X
	case *ast.IndexListExpr:
		of = generic.X
	}
	name, _ := of.(*ast.Ident)
	return name
}
