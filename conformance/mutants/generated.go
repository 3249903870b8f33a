package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
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
}

// packages returns those packages of the module that patterns name and that have tests of their own.
func packages(ctx context.Context, root, patterns string) (all []goPackage, err error) {
	command := exec.CommandContext(ctx, "go", append([]string{"list", "-json=Dir,GoFiles,TestGoFiles,XTestGoFiles"}, strings.Split(patterns, ",")...)...)
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

// sample is what is tried of the mutants that the generator makes of one package.
type sample struct {
	dir      string // of the package, below the root: impl/bully
	made     int    // how many the generator makes
	mutants  []*mutant
	harmless int // how many more would have been tried, but for their being known to be harmless
}

// generated returns mutants of packages that the generator makes, as many of each package as -each says, without those that are known
// to be harmless. Which of them are taken hangs on their text alone: others come only with other code.
func (a *app) generated(ctx context.Context) (all []*mutant, err error) {
	known, err := a.readHarmless()
	if err != nil {
		return nil, err
	}
	found, err := packages(ctx, a.root, a.generate)
	if err != nil {
		return nil, err
	}
	for _, p := range found {
		s, err := p.sample(a, known, a.each)
		if err != nil {
			return nil, err
		}
		all = append(all, s.mutants...)
	}
	return all, nil
}

// readHarmless reads what is known to be harmless, and refuses what is judged of code that is there no more.
func (a *app) readHarmless() (*harmless, error) {
	known, err := readHarmless(os.DirFS(filepath.Join(a.folder, "harmless")))
	if err != nil {
		return nil, err
	}
	stale := known.stale(func(file string) (string, error) {
		text, err := os.ReadFile(filepath.Join(a.root, filepath.FromSlash(file)))
		return string(text), err
	})
	if len(stale) > 0 {
		return nil, fmt.Errorf("%d of %d mutants that are known to be harmless are stale: take them away, or judge them anew\n%s",
			len(stale), len(known.entries), strings.Join(stale, "\n"))
	}
	return known, nil
}

// sample returns at most so many of the mutants of a package that -run matches, or all if it is 0.
func (p *goPackage) sample(a *app, known *harmless, most int) (*sample, error) {
	all, err := p.mutants(a.root)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Rel(a.root, p.Dir)
	if err != nil {
		return nil, err
	}
	s := &sample{dir: filepath.ToSlash(dir), made: len(all)}
	all = slices.DeleteFunc(all, func(m *mutant) bool { return !a.filter.MatchString(m.Name) })
	slices.SortFunc(all, func(a, b *mutant) int { return strings.Compare(a.rank(), b.rank()) })
	if most > 0 {
		all = all[:min(most, len(all))]
	}
	s.harmless = len(all)
	s.mutants = slices.DeleteFunc(all, known.has)
	s.harmless -= len(s.mutants)
	slices.SortFunc(s.mutants, func(a, b *mutant) int { return strings.Compare(a.Name, b.Name) })
	return s, nil
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

// harmless are generated mutants that somebody has looked at: no test needs to see them, for the reason that stands there. A file of
// harmless/ looks like this:
//
//	file impl/bully/claim.go
//	in grantable
//	-epoch > n.epoch
//	+epoch >= n.epoch
//	why an equal epoch has been answered above
//
// Fields hold until they are said again. All places of a function with this text are meant.
type harmless struct {
	entries []harmlessEntry
	keys    map[string]bool
}

type harmlessEntry struct{ place, file, function, old, new string }

func (e *harmlessEntry) key() string {
	return e.file + "\n" + e.function + "\n" + e.old + "\n" + e.new
}

func (h *harmless) has(m *mutant) bool { return h.keys[m.File+"\n"+m.identity()] }

// readHarmless reads the .txt files of a folder.
func readHarmless(folder fs.FS) (*harmless, error) {
	files, err := fs.Glob(folder, "*.txt")
	if err != nil {
		return nil, err
	}
	h := &harmless{keys: map[string]bool{}}
	for _, file := range files {
		text, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, err
		}
		if err := h.parse(file, string(text)); err != nil {
			return nil, err
		}
	}
	return h, nil
}

func (h *harmless) parse(name, text string) error {
	var e harmlessEntry
	for i, line := range strings.Split(text, "\n") {
		place := fmt.Sprintf("harmless/%s:%d", name, i+1)
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '-':
			e.place, e.old, e.new = place, line[1:], ""
		case line[0] == '+':
			e.new = line[1:]
		case word == "file":
			e.file, e.function = rest, ""
		case word == "in":
			e.function = rest
		case word == "why":
			if e.file == "" || e.function == "" || e.old == "" || e.new == "" || rest == "" {
				return fmt.Errorf("%s: before why stand file, in, - and +", place)
			}
			if h.keys[e.key()] {
				return fmt.Errorf("%s: this mutant is there twice", e.place)
			}
			h.keys[e.key()] = true
			h.entries = append(h.entries, e)
			e.old, e.new = "", ""
		default:
			return fmt.Errorf("%s: %q is no field: there are file, in, -, + and why", place, word)
		}
	}
	if e.old != "" {
		return fmt.Errorf("%s: say why it is harmless", e.place)
	}
	return nil
}

// stale returns the entries that no mutant is made for any more, each with its place. Read reads a file of the module.
func (h *harmless) stale(read func(file string) (string, error)) (stale []string) {
	made := map[string]map[string]bool{}
	for _, e := range h.entries {
		if made[e.file] == nil {
			made[e.file] = map[string]bool{}
			if source, err := read(e.file); err == nil {
				found, _ := generate.File(source) // of a file that is no Go nothing is made
				for k, g := range found {
					m := generatedMutant(e.file, k, g)
					made[e.file][m.File+"\n"+m.identity()] = true
				}
			}
		}
		if !made[e.file][e.key()] {
			stale = append(stale, fmt.Sprintf("%s: nothing in %s of %s is made into %q now", e.place, e.function, e.file, e.new))
		}
	}
	return stale
}
