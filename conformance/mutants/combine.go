package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A combined is a package that is all of its mutants at once: each function that has any begins with a choice between
// the mutants of it, which are copies of it, and itself. So thousands are built in the time of one.
type combined struct {
	root, dir string
	files     map[string]string    // the sources of those files that have mutants, by path below the root
	chosen    map[string][]*mutant // by file, those within functions, each with its number
}

// choiceVar is the variable that says which mutant a combined package is, and the name of its environment variable.
const choiceVar = "chosenMutant"

// combine reads the files that the mutants are in, and numbers those that are within functions from 1 on.
func combine(root, dir string, mutants []*mutant) (*combined, error) {
	c := &combined{root: root, dir: dir, files: map[string]string{}, chosen: map[string][]*mutant{}}
	number := 0
	for _, m := range mutants {
		if m.place == outside {
			continue
		}
		number++
		m.number = number
		c.chosen[m.File] = append(c.chosen[m.File], m)
	}
	for file := range c.chosen {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		c.files[file] = string(text)
	}
	return c, nil
}

// overlay returns the sources of the package with all its mutants, by path, and where the copies are.
func (c *combined) overlay() (sources map[string]string, copies []copied, err error) {
	sources = map[string]string{}
	var name string
	for file, source := range c.files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		name = parsed.Name.Name
		text, found := combineFile(parsed, source, c.chosen[file])
		for i := range found {
			found[i].file = file
		}
		sources[file], copies = text, append(copies, found...)
	}
	sources[path.Join(c.dir, "chosen_mutant.go")] = fmt.Sprintf("package %s\n\nimport (\n\t\"os\"\n\t\"strconv\"\n)\n\n"+
		"var %s, _ = strconv.Atoi(os.Getenv(%q))\n", name, choiceVar, choiceVar)
	return sources, copies, nil
}

// copied is where the copy of a function for one mutant is in the combined source of a file.
type copied struct {
	file       string
	start, end int
	mutant     *mutant
}

// combineFile returns the source of a file with its mutants. Positions in parsed are offsets, and one.
func combineFile(parsed *ast.File, source string, mutants []*mutant) (string, []copied) {
	var edits []edit
	var tail strings.Builder
	var copies []copied
	offset := func(p token.Pos) int { return int(p - parsed.FileStart) }
	for _, declaration := range parsed.Decls {
		f, ok := declaration.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		var within []*mutant
		for _, m := range mutants {
			if areWithin(m.edits, offset(f.Body.Lbrace), offset(f.Body.Rbrace)) {
				within = append(within, m)
			}
		}
		if len(within) == 0 {
			continue
		}
		h := headOf(f, offset)
		edits = append(edits, h.edits...)
		start := offset(f.Body.Lbrace) + 1
		edits = append(edits, edit{start, start, h.choice(within)})
		for _, m := range within {
			from := offset(f.Pos())
			shifted := []edit{{offset(f.Name.Pos()) - from, offset(f.Name.End()) - from, h.name(m)}}
			for _, e := range m.edits {
				shifted = append(shifted, edit{e.start - from, e.end - from, e.text})
			}
			begin := tail.Len()
			fmt.Fprintf(&tail, "\n%s\n", apply(source[from:offset(f.End())], shifted))
			copies = append(copies, copied{start: begin, end: tail.Len(), mutant: m})
		}
	}
	text := apply(source, edits)
	for i := range copies {
		copies[i].start += len(text)
		copies[i].end += len(text)
	}
	return text + tail.String(), copies
}

// head is what a call of a copy of a function needs to know of the function.
type head struct {
	edits    []edit // that name what has no name yet
	function string
	receiver string // and a point
	types    string // in brackets
	args     []string
	returns  bool
}

// headOf names all parameters of a function, and returns how to call a copy of it with the same.
func headOf(f *ast.FuncDecl, offset func(token.Pos) int) *head {
	h := &head{function: f.Name.Name, returns: f.Type.Results != nil && len(f.Type.Results.List) > 0}
	n := 0
	fresh := func() string { n++; return fmt.Sprintf("p__%d", n) }
	names := func(fields []*ast.Field) (all []string) {
		for _, field := range fields {
			if len(field.Names) == 0 {
				all = append(all, fresh())
				h.edits = append(h.edits, edit{offset(field.Type.Pos()), offset(field.Type.Pos()), all[len(all)-1] + " "})
			}
			for _, name := range field.Names {
				if name.Name != "_" {
					all = append(all, name.Name)
					continue
				}
				all = append(all, fresh())
				h.edits = append(h.edits, edit{offset(name.Pos()), offset(name.End()), all[len(all)-1]})
			}
		}
		return all
	}
	if f.Recv != nil {
		h.receiver = names(f.Recv.List)[0] + "."
	}
	if f.Type.TypeParams != nil {
		h.types = "[" + strings.Join(names(f.Type.TypeParams.List), ", ") + "]"
	}
	h.args = names(f.Type.Params.List)
	if list := f.Type.Params.List; len(list) > 0 {
		if _, variadic := list[len(list)-1].Type.(*ast.Ellipsis); variadic {
			h.args[len(h.args)-1] += "..."
		}
	}
	return h
}

// name returns the name of the copy for a mutant.
func (h *head) name(m *mutant) string { return fmt.Sprintf("%s__%d", h.function, m.number) }

// choice returns the statements with which the function begins.
func (h *head) choice(mutants []*mutant) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nif %s >= %d && %s <= %d {\nswitch %s {\n", choiceVar, mutants[0].number, choiceVar, mutants[len(mutants)-1].number, choiceVar)
	for _, m := range mutants {
		call := fmt.Sprintf("%s%s%s(%s)", h.receiver, h.name(m), h.types, strings.Join(h.args, ", "))
		if h.returns {
			fmt.Fprintf(&b, "case %d:\nreturn %s\n", m.number, call)
		} else {
			fmt.Fprintf(&b, "case %d:\n%s\nreturn\n", m.number, call)
		}
	}
	b.WriteString("}\n}\n")
	return b.String()
}

// drop takes out the mutants that do not build.
func (c *combined) drop() error {
	imports, err := exportsOf(c.root, c.dir)
	if err != nil {
		return err
	}
	for {
		bad, err := c.check(imports)
		if err != nil || len(bad) == 0 {
			return err
		}
		for file, mutants := range c.chosen {
			c.chosen[file] = slices.DeleteFunc(mutants, func(m *mutant) bool { return bad[m] != "" })
		}
		for m, problem := range bad {
			m.problem = problem
		}
	}
}

// check returns what the type checker says of mutants. What it says of something else is an error.
func (c *combined) check(imports types.Importer) (bad map[*mutant]string, err error) {
	sources, copies, err := c.overlay()
	if err != nil {
		return nil, err
	}
	bad = map[*mutant]string{}
	positions := token.NewFileSet()
	var files []*ast.File
	entries, err := goFiles(filepath.Join(c.root, filepath.FromSlash(c.dir)))
	if err != nil {
		return nil, err
	}
	for _, name := range append(entries, "chosen_mutant.go") {
		file := path.Join(c.dir, name)
		var source any
		if text, ok := sources[file]; ok {
			source = text
		}
		parsed, err := parser.ParseFile(positions, filepath.Join(c.root, filepath.FromSlash(file)), source, parser.SkipObjectResolution|parser.AllErrors)
		if err != nil {
			return nil, err
		}
		files = append(files, parsed)
	}
	var other error
	config := types.Config{Importer: imports, Error: func(err error) {
		problem := err.(types.Error)
		at := positions.Position(problem.Pos)
		for _, x := range copies {
			if strings.HasSuffix(filepath.ToSlash(at.Filename), "/"+x.file) && at.Offset >= x.start && at.Offset < x.end {
				bad[x.mutant] = problem.Msg
				return
			}
		}
		other = fmt.Errorf("%v: %s", at, problem.Msg)
	}}
	_, _ = config.Check(c.dir, positions, files, nil) // the first error has been told of as well
	if len(bad) == 0 {
		return nil, other
	}
	return bad, nil
}

// exportsOf returns an importer of what a package imports.
func exportsOf(root, dir string) (types.Importer, error) {
	command := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", dir, "os", "strconv")
	command.Dir = root
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", dir, err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(output)) {
		name, file, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		files[name] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(name string) (io.ReadCloser, error) { return os.Open(files[name]) }), nil
}
