package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/mutants/generate"
	"github.com/seed-fdf591db/bully/conformance/mutants/table"
)

// goPackage is what go list says of a package.
type goPackage struct {
	Dir                  string
	GoFiles, TestGoFiles []string
	XTestGoFiles         []string
	Module               struct{ Dir string }
}

// packages returns those packages of the module that patterns name and that have tests of their own.
func packages(ctx context.Context, root, patterns string) (all []goPackage, err error) {
	command := exec.CommandContext(ctx, "go", append([]string{"list", "-json=Dir,GoFiles,TestGoFiles,XTestGoFiles,Module"}, strings.Split(patterns, ",")...)...)
	command.Dir, command.Stderr = root, os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("-generate %s: go list: %w", patterns, err)
	}
	for decoder := json.NewDecoder(bytes.NewReader(output)); decoder.More(); {
		var p goPackage
		if err := decoder.Decode(&p); err != nil {
			return nil, err
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("-generate %s: no package there has tests: nothing was tried", patterns)
	}
	return all, nil
}

// generated returns mutants of packages that the generator makes, as many of each package as -each says, without those that are known
// to be harmless. Which of them are taken hangs on their text alone: others come only with other code.
func (a *app) generated(ctx context.Context) (all []*mutant, err error) {
	harmless, err := readHarmless(os.DirFS(filepath.Join(a.folder, "harmless")))
	if err != nil {
		return nil, err
	}
	found, err := packages(ctx, a.root, a.generate)
	if err != nil {
		return nil, err
	}
	for _, p := range found {
		some, err := p.mutants(a.root)
		if err != nil {
			return nil, err
		}
		some = slices.DeleteFunc(some, func(m *mutant) bool { return harmless.has(m) || !a.filter.MatchString(m.Name) })
		slices.SortFunc(some, func(a, b *mutant) int { return strings.Compare(a.rank(), b.rank()) })
		if a.each > 0 {
			some = some[:min(a.each, len(some))]
		}
		slices.SortFunc(some, func(a, b *mutant) int { return strings.Compare(a.Name, b.Name) })
		all = append(all, some...)
	}
	return all, nil
}

// mutants returns all that are made of a package.
func (p *goPackage) mutants(root string) (all []*mutant, err error) {
	dir, err := filepath.Rel(root, p.Dir)
	if err != nil {
		return nil, err
	}
	for _, file := range p.GoFiles {
		source, err := os.ReadFile(filepath.Join(p.Dir, file))
		if err != nil {
			return nil, err
		}
		made, err := generate.File(string(source))
		if err != nil {
			return nil, err
		}
		for k, g := range made {
			all = append(all, generatedMutant(path.Join(filepath.ToSlash(dir), file), k, g))
		}
	}
	return all, nil
}

// generatedMutant returns mutant k of a file as one of a table, whose tests are those of its own package.
func generatedMutant(file string, k int, g generate.Mutant) *mutant {
	return &mutant{
		Mutant: table.Mutant{
			Name: fmt.Sprintf("%s:%d/%d", file, g.Line, k), File: file, Tests: []string{"./" + path.Dir(file)}, Hangs: true,
			Breaks: g.Function, Hunks: []table.Hunk{{Old: g.Old, New: g.New}},
		},
		edits: []table.Edit{g.Edit}, place: g.Function, made: true,
	}
}

// rank is what the sample of a package is taken by.
func (m *mutant) rank() string {
	sum := sha256.Sum256([]byte(m.File + "\n" + m.identity()))
	return fmt.Sprintf("%x %s", sum, m.Name)
}

// identity is what a generated mutant is in its file, wherever it stands there.
func (m *mutant) identity() string {
	return m.Breaks + "\n" + m.Hunks[0].Old + "\n" + m.Hunks[0].New
}
