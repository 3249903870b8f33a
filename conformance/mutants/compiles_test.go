package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// modulesVar is the environment variable that enables TestTableOfModulesCompiles.
const modulesVar = "BULLY_MODULES"

// TestTableCompiles type-checks each mutant of the table. A mutant that does not compile kills
// nothing, whatever TABLE.md says of it. On systems other than Linux it names those of files that are
// not built there, and does not check them.
func TestTableCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector")
	}
	root, all := repositoryTable(t)
	byModule := modulesOf(t, root, all)
	skipped := typeCheck(t, root, root, byModule[root])
	if runtime.GOOS == "linux" {
		require.Empty(t, skipped, "mutants of files that are not built on Linux: nothing would run them")
	}
	others := len(all) - len(byModule[root])
	t.Logf("%d of %d mutants type-checked; %d are of files that are not built on %s; for the %d of other modules see %s",
		len(byModule[root])-len(skipped), len(all), len(skipped), runtime.GOOS, others, "TestTableOfModulesCompiles")
}

// TestTableOfModulesCompiles type-checks the mutants of the modules below the root. These modules
// have many dependencies, which `make test` does not compile.
func TestTableOfModulesCompiles(t *testing.T) {
	if os.Getenv(modulesVar) != "yes" {
		t.Skip("make test-modules runs it: it compiles the dependencies of other modules")
	}
	root, all := repositoryTable(t)
	byModule := modulesOf(t, root, all)
	delete(byModule, root)
	require.NotEmpty(t, byModule, "the modules below the root that have mutants")
	for module, mutants := range byModule {
		require.Empty(t, typeCheck(t, root, module, mutants), "mutants of files that are not built in %s", module)
	}
}

// repositoryTable returns the root of the repository and the mutants of its table.
func repositoryTable(t *testing.T) (root string, all []*mutant) {
	t.Helper()
	root, err := moduleRoot(".")
	require.NoError(t, err)
	all, err = readRepositoryTable()
	require.NoError(t, err)
	return root, all
}

// readRepositoryTable reads the table once for all tests: it parses a file for each mutant.
var readRepositoryTable = sync.OnceValues(func() ([]*mutant, error) {
	return readTable(filepath.Join("..", ".."), os.DirFS("table"))
})

// modulesOf groups mutants by the folder of the module that they are in.
func modulesOf(t *testing.T, root string, all []*mutant) map[string][]*mutant {
	t.Helper()
	byModule := map[string][]*mutant{}
	for _, m := range all {
		module, err := moduleRoot(filepath.Join(root, filepath.FromSlash(m.dir())))
		require.NoError(t, err)
		byModule[module] = append(byModule[module], m)
	}
	return byModule
}

// typeCheck type-checks mutants of one module. An error of the test names the mutant, its row, and
// the compiler's error. It returns the names of the mutants in files that are not built here.
func typeCheck(t *testing.T, root, module string, mutants []*mutant) (skipped []string) {
	t.Helper()
	byDir := map[string][]*mutant{}
	var dirs []string
	for _, m := range mutants {
		if byDir[m.dir()] == nil {
			dirs = append(dirs, m.dir())
		}
		byDir[m.dir()] = append(byDir[m.dir()], m)
	}
	built, err := listExports(t.Context(), root, module, dirs, importsOfTests(t, root, mutants))
	require.NoError(t, err)
	type verdict struct {
		problems, skipped []string
		err               error
	}
	for _, v := range each(dirs, runtime.GOMAXPROCS(0), func(dir string) (v verdict) {
		some := slices.DeleteFunc(byDir[dir], func(m *mutant) bool {
			skip := !built.packages[dir].has(filepath.Base(m.File))
			if skip {
				v.skipped = append(v.skipped, m.Name)
			}
			return skip
		})
		v.problems, v.err = built.check(dir, some)
		return v
	}) {
		require.NoError(t, v.err)
		for _, problem := range v.problems {
			t.Error(problem)
		}
		skipped = append(skipped, v.skipped...)
	}
	return skipped
}

// importsOfTests returns what the tests of those packages import that have a mutant in a test.
func importsOfTests(t *testing.T, root string, mutants []*mutant) (paths []string) {
	t.Helper()
	for _, m := range mutants {
		if !strings.HasSuffix(m.File, "_test.go") {
			continue
		}
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(m.dir()), "*_test.go"))
		require.NoError(t, err)
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			require.NoError(t, err)
			for _, spec := range parsed.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				require.NoError(t, err)
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
