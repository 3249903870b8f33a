package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/mutants/table"
)

// exports is what the type checker needs of the packages of one module: their files, and where the
// go command keeps the compiled declarations (export data) of everything that they import.
type exports struct {
	root     string
	files    map[string]string         // export data, by import path
	packages map[string]*listedPackage // by folder below the root: ./impl/bully
}

// listedPackage is what go list prints of a package.
type listedPackage struct {
	Dir, ImportPath, Export string
	GoFiles, TestGoFiles    []string
	Module                  *struct{ Dir, GoVersion string }
}

// has reports whether a file belongs to the package, or to the tests within the package.
func (p *listedPackage) has(file string) bool {
	return slices.Contains(p.GoFiles, file) || slices.Contains(p.TestGoFiles, file)
}

// sources returns the files of the package by their path below the root, with its tests if a mutant
// is in one of them.
func (p *listedPackage) sources(dir string, mutants []*mutant) (map[string]string, error) {
	files := p.GoFiles
	if slices.ContainsFunc(mutants, func(m *mutant) bool { return slices.Contains(p.TestGoFiles, path.Base(m.File)) }) {
		files = slices.Concat(files, p.TestGoFiles)
	}
	sources := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		sources[path.Join(dir, name)] = string(text)
	}
	return sources, nil
}

// listExports asks the go command for the packages in dirs, for more of them by their import paths,
// and for all that they import.
func listExports(ctx context.Context, root, module string, dirs, more []string) (*exports, error) {
	args := []string{"list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles,TestGoFiles,Module", "os", "strconv"}
	args = append(args, more...)
	for _, dir := range dirs {
		args = append(args, filepath.Join(root, filepath.FromSlash(dir)))
	}
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = module
	var said bytes.Buffer
	command.Stderr = &said
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w\n%s", module, err, said.String())
	}
	e := &exports{root: root, files: map[string]string{}, packages: map[string]*listedPackage{}}
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		p := &listedPackage{}
		if err := decoder.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		e.files[p.ImportPath] = p.Export
		if below, err := filepath.Rel(root, p.Dir); err == nil && filepath.IsLocal(below) {
			e.packages["./"+filepath.ToSlash(below)] = p
		}
	}
	return e, e.track(module)
}

// track opens what the answer of go list depends on. The go command caches the result of a test, and
// runs the test again only if an environment variable or a file changes that the test itself has
// read: it does not see what its child has read. Opening a folder covers all files in it.
func (e *exports) track(module string) error {
	for _, name := range []string{"GOFLAGS", "GOOS", "GOARCH", "GOEXPERIMENT", "GOTOOLCHAIN", "GOWORK", "CGO_ENABLED"} {
		_ = os.Getenv(name)
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		if _, err := os.Stat(filepath.Join(module, file)); err != nil {
			return err
		}
	}
	for _, p := range e.packages {
		if _, err := os.ReadDir(p.Dir); err != nil {
			return err
		}
	}
	return nil
}

// check type-checks the mutants of one package, and returns a problem for each that does not compile.
//
// First it checks one package that has a copy of the function for each mutant of a function, which
// is also what the tool builds (combined). If that compiles, so does each of these mutants, unless it
// removes the last use of an import. Only such mutants, mutants outside functions, and all mutants of
// a package that does not compile so are checked one by one.
func (e *exports) check(dir string, mutants []*mutant) (problems []string, err error) {
	p := e.packages[dir]
	if p == nil {
		return nil, fmt.Errorf("go list has not named the package %s", dir)
	}
	sources, err := p.sources(dir, mutants)
	if err != nil {
		return nil, err
	}
	c, err := combine(e.root, dir, mutants)
	if err != nil {
		return nil, err
	}
	checker := e.checker(p)
	var together *importUses
	var failed error
	if len(c.chosen) > 0 { // else no mutant is within a function, and the tool combines none
		together, failed = checker.checkCombined(c, sources)
	}
	for _, m := range mutants {
		if failed == nil && m.place != outside && !together.unusedImport(m) {
			continue
		}
		if err := checker.checkOne(sources, m.File, table.Apply(sources[m.File], m.edits)); err != nil {
			problems = append(problems, fmt.Sprintf("%s: %s does not compile: %v", m.Place, m.Name, err))
		}
	}
	if failed != nil && len(problems) == 0 {
		return nil, fmt.Errorf("%s compiles with each of its mutants, and not with all of them: %w", dir, failed)
	}
	return problems, nil
}

// checker type-checks variants of one package. It is for one goroutine at a time.
type checker struct {
	path   string
	fset   *token.FileSet
	config types.Config
	parsed map[string]*ast.File // by the text of a file: most files are the same in all variants
}

func (e *exports) checker(p *listedPackage) *checker {
	c := &checker{path: p.ImportPath, fset: token.NewFileSet(), parsed: map[string]*ast.File{}}
	open := func(path string) (io.ReadCloser, error) { return os.Open(e.files[path]) }
	c.config = types.Config{
		Importer:  importer.ForCompiler(c.fset, "gc", open),
		Sizes:     types.SizesFor("gc", runtime.GOARCH),
		GoVersion: "go" + p.Module.GoVersion,
	}
	return c
}

// check type-checks the package of these sources, by path. It returns the first error.
func (c *checker) check(sources map[string]string, info *types.Info) (files map[string]*ast.File, err error) {
	files = map[string]*ast.File{}
	var all []*ast.File
	for name, text := range sources {
		key := name + "\n" + text
		if c.parsed[key] == nil {
			if c.parsed[key], err = parser.ParseFile(c.fset, name, text, parser.SkipObjectResolution); err != nil {
				return nil, err
			}
		}
		files[name] = c.parsed[key]
		all = append(all, files[name])
	}
	_, err = c.config.Check(c.path, c.fset, all, info)
	return files, err
}

// checkOne type-checks the package with another text of one file.
func (c *checker) checkOne(sources map[string]string, file, text string) error {
	variant := maps.Clone(sources)
	variant[file] = text
	_, err := c.check(variant, nil)
	return err
}

// checkCombined type-checks the package with all mutants of functions.
func (c *checker) checkCombined(combined *combined, sources map[string]string) (*importUses, error) {
	overlay, err := combined.overlay()
	if err != nil {
		return nil, err
	}
	variant := maps.Clone(sources)
	maps.Copy(variant, overlay)
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	files, err := c.check(variant, info)
	if err != nil {
		return nil, err
	}
	return usesOf(files, info), nil
}
