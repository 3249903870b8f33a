package spec_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

const module = "github.com/seed-fdf591db/bully"

// arrows says what the folders of the module may import of it. The first row that fits a folder holds.
var arrows = []struct {
	from string
	to   []string
}{
	{"spec/policy", []string{"spec"}},
	{"spec", nil},
	{"model", []string{"spec", "model"}},
	{"tla/check", []string{""}},
	{"tla", nil},
	{"traces", []string{"spec", "traces"}},
	{"impl/cmd/bully", []string{"spec", "impl", "conformance/check", "traces/viewer"}},
	{"impl/cmd/engine", []string{""}},
	{"impl/cmd/workbench", []string{""}},
	{"impl/internal/behaviour", []string{""}},
	{"impl/internal/algorithms", []string{""}},
	{"impl/internal/engine", []string{""}},
	{"impl/internal/interactive", []string{""}},
	{"impl/internal/localcluster", []string{"spec", "impl", "conformance/check", "conformance/history"}},
	{"impl/internal/narrate", []string{""}},
	{"impl/internal/subject", []string{"spec", "impl", "conformance"}},
	{"impl", []string{"spec", "impl"}},
	{"conformance", []string{"spec", "model", "traces", "tla", "conformance"}},
}

// foreign says which folders may import what of others.
var foreign = []struct {
	from, to  string
	testsOnly bool
}{
	{"", "github.com/stretchr/testify/require", true},
	{"", "pgregory.net/rapid", true},
	{"impl", "go.uber.org/goleak", true},
	{"conformance", "github.com/anishathalye/porcupine", true},
	{"conformance/history", "github.com/anishathalye/porcupine", false},
}

// within reports whether a folder is root or lies below it. All lie below "".
func within(folder, root string) bool {
	return root == "" || folder == root || strings.HasPrefix(folder, root+"/")
}

// mayImport reports whether a Go file of a folder may import a package.
func mayImport(folder, file, packageName, imported string) bool {
	test := strings.HasSuffix(file, "_test.go")
	if folderTo, ours := strings.CutPrefix(imported, module+"/"); ours {
		for _, row := range arrows {
			if within(folder, row.from) {
				external := test && strings.HasSuffix(packageName, "_test")
				return folderTo == folder && external ||
					slices.ContainsFunc(row.to, func(to string) bool { return within(folderTo, to) }) ||
					external && within(folder, "impl") && within(folderTo, "conformance")
			}
		}
		return false
	}
	for _, row := range foreign {
		if imported == row.to && within(folder, row.from) && (test || !row.testsOnly) {
			return true
		}
	}
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".") && first != "C"
}

// wrongArrows returns the imports in a module that may not be, and how many Go files it has looked at. Nested
// modules, testdata, and folders that the go command leaves out are left out here.
func wrongArrows(root fs.FS) (wrong []string, files int, err error) {
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && (strings.HasPrefix(entry.Name(), ".") || strings.HasPrefix(entry.Name(), "_") || entry.Name() == "testdata") {
				return fs.SkipDir
			}
			if _, err := fs.Stat(root, path.Join(name, "go.mod")); err == nil && name != "." {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		files++
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if !mayImport(path.Dir(name), path.Base(name), parsed.Name.Name, imported) {
				wrong = append(wrong, fmt.Sprintf("%s imports %s", name, imported))
			}
		}
		return nil
	})
	return wrong, files, err
}

func TestArrows(t *testing.T) {
	wrong, files, err := wrongArrows(os.DirFS(".."))
	require.NoError(t, err)
	require.Greater(t, files, 10, "the test has found the module")
	require.Empty(t, wrong, "arrows that the layout does not have")
}

// TestArrowsAreHeld shows TestArrows able to fail.
func TestArrowsAreHeld(t *testing.T) {
	for _, c := range []struct {
		file, packageName, imported string
		wrong                       bool
	}{
		{"spec/id.go", "spec", "encoding/json", false},
		{"spec/id.go", "spec", module + "/model", true},
		{"spec/id.go", "spec", module, true},
		{"spec/id.go", "spec", module + "er/spec", true},
		{"spec/id.go", "spec", "github.com/stretchr/testify/require", true},
		{"spec/id.go", "spec", "C", true},
		{"spec/policy/policy.go", "policy", module + "/spec", false},
		{"spec/policy/policy.go", "policy", module + "/impl/host", true},
		{"spec/id.go", "spec", module + "/spec/policy", true},
		{"spec/id_test.go", "spec_test", module + "/spec", false},
		{"spec/id_test.go", "spec_test", module + "/model", true},
		{"spec/id_test.go", "spec_test", "github.com/stretchr/testify/require", false},
		{"spec/id_test.go", "spec_test", "github.com/stretchr/testify/assert", true},
		{"spec/id_test.go", "spec_test", "pgregory.net/rapid", false},
		{"model/node.go", "model", module + "/spec", false},
		{"model/explore/run.go", "explore", module + "/model", false},
		{"model/node.go", "model", module + "/impl/bully", true},
		{"model/node.go", "model", module + "/tla", true},
		{"model/node.go", "model", module + "/specs", true},
		{"model/node.go", "model", "pgregory.net/rapid", true},
		{"tla/tla.go", "tla", "embed", false},
		{"tla/tla.go", "tla", module + "/spec", true},
		{"tla/check/main.go", "main", module + "/model/catalogue", false},
		{"tla/check/main.go", "main", "golang.org/x/sync/errgroup", true},
		{"traces/validate.go", "traces", module + "/spec", false},
		{"traces/validate.go", "traces", module + "/model", true},
		{"impl/bully/node.go", "bully", module + "/spec", false},
		{"impl/host/host.go", "host", module + "/impl/bully", false},
		{"impl/bully/node.go", "bully", module + "/model", true},
		{"impl/bully/node.go", "bully", module + "/conformance", true},
		{"impl/bully/node_test.go", "bully", module + "/conformance", true},
		{"impl/bully/node_external_test.go", "bully_test", module + "/conformance", false},
		{"impl/bully/node_external_test.go", "bully_test", module + "/model", true},
		{"impl/cmd/workbench/main.go", "main", module + "/conformance/sim", false},
		{"impl/cmd/bully/main.go", "main", module + "/conformance/check", false},
		{"impl/cmd/bully/main.go", "main", module + "/conformance/sim", true},
		{"impl/cmd/bully/main.go", "main", "github.com/spf13/cobra", true},
		{"impl/cmd/other/main.go", "main", module + "/conformance/sim", true},
		{"conformance/sim/sim.go", "sim", module + "/model", false},
		{"conformance/sim/sim.go", "sim", module + "/impl/bully", true},
		{"conformance/sim/sim_test.go", "sim_test", module + "/impl/bully", true},
		{"conformance/sim/sim.go", "sim", "github.com/anishathalye/porcupine", true},
		{"conformance/history/check.go", "history", "github.com/anishathalye/porcupine", false},
		{"conformance/check/trace.go", "check", "github.com/anishathalye/porcupine", true},
		{"tools/gen.go", "main", module + "/spec", true},
		{"spec/testdata/gen.go", "main", module + "/impl/bully", false},
		{"spec/.old/gen.go", "main", module + "/impl/bully", false},
		{"bench/nested/gen.go", "main", module + "/impl/bully", false},
	} {
		tree := fstest.MapFS{
			"go.mod":              {Data: []byte("module " + module + "\n")},
			"bench/nested/go.mod": {Data: []byte("module " + module + "/bench/nested\n")},
			c.file:                {Data: []byte("package " + c.packageName + "\n\nimport _ " + strconv.Quote(c.imported) + "\n")},
		}
		wrong, _, err := wrongArrows(tree)
		require.NoError(t, err)
		if c.wrong {
			require.Equal(t, []string{c.file + " imports " + c.imported}, wrong)
		} else {
			require.Empty(t, wrong)
		}
	}
	_, _, err := wrongArrows(fstest.MapFS{"spec/id.go": {Data: []byte("packag spec")}})
	require.ErrorContains(t, err, "spec/id.go")
}

// topLevel is what may be at the top of the repository, besides dot files.
var topLevel = []string{
	"LICENSE", "Makefile", "README.md", "conformance", "go.mod", "go.sum", "impl", "model", "spec", "tla", "traces",
}

// strays returns what is at the top of a tree and may not be.
func strays(root fs.FS) (found []string, err error) {
	entries, err := fs.ReadDir(root, ".")
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") && !slices.Contains(topLevel, entry.Name()) {
			found = append(found, entry.Name())
		}
	}
	return found, err
}

func TestTopLevel(t *testing.T) {
	found, err := strays(os.DirFS(".."))
	require.NoError(t, err)
	require.Empty(t, found, "what does not belong at the top of the repository")
	_, err = os.Stat("../go.mod")
	require.NoError(t, err, "the test has found the top of the repository")

	found, err = strays(fstest.MapFS{"go.mod": {}, ".ci/run": {}, "spec/id.go": {}, "states/x": {}, "notes.txt": {}, "Spec/id.go": {}})
	require.NoError(t, err)
	require.Equal(t, []string{"Spec", "notes.txt", "states"}, found)
}
