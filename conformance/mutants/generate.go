package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// generate makes mutants of each statement and operator of a package, in the order of its files. dir is relative to the
// root: ./impl/bully. Some of them do not build, and some are equivalent.
func generate(root, dir string) ([]*mutant, error) {
	if !strings.HasPrefix(dir, "./") || path.Clean(dir) != strings.TrimPrefix(dir, "./") {
		return nil, fmt.Errorf("-generate %s: write it as ./impl/bully, below %s", dir, root)
	}
	folder := filepath.Join(root, filepath.FromSlash(dir))
	names, err := goFiles(folder)
	if err != nil {
		return nil, err
	}
	g := &generator{positions: token.NewFileSet(), siblings: map[string][]string{}, seen: map[string]int{}}
	var files []*ast.File
	for _, name := range names {
		parsed, err := parser.ParseFile(g.positions, filepath.Join(folder, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		g.learn(parsed)
		files = append(files, parsed)
	}
	for i, name := range names {
		source, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		g.file, g.source = path.Join(dir, name), string(source)
		g.walk(files[i])
	}
	if len(g.made) == 0 {
		return nil, fmt.Errorf("%s: there is nothing to change", dir)
	}
	return g.made, nil
}

// goFiles returns the names of the files of a package that are built here, but for tests.
func goFiles(folder string) ([]string, error) {
	found, err := build.ImportDir(folder, 0)
	if err != nil {
		return nil, err
	}
	return found.GoFiles, nil
}

// outside is the place of what is within no function.
const outside = "-"

// generator makes the mutants of one package.
type generator struct {
	positions *token.FileSet
	// siblings are the names that may stand for another: the fields of the same type in one structure, the constants of
	// one declaration.
	siblings map[string][]string
	file     string // that is being changed
	source   string
	function string              // that is being changed; "" outside of any
	results  []ast.Expr          // the types of what it returns
	like     map[string][]string // its parameters: those of the same type
	made     []*mutant
	seen     map[string]int // how often a key has been made
}

// learn notes what is declared in a file.
func (g *generator) learn(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			g.siblingsOf(n.Fields)
		case *ast.GenDecl:
			if n.Tok == token.CONST && len(n.Specs) > 1 {
				g.constants(n)
			}
		}
		return true
	})
}

// siblingsOf notes which fields of a structure have the same type.
func (g *generator) siblingsOf(fields *ast.FieldList) {
	for name, like := range alike(fields) {
		if len(like) > 0 && g.siblings["."+name] == nil {
			g.siblings["."+name] = like
		}
	}
}

func (g *generator) constants(declaration *ast.GenDecl) {
	var names []string
	for _, s := range declaration.Specs {
		for _, name := range s.(*ast.ValueSpec).Names {
			names = append(names, name.Name)
		}
	}
	for i, name := range names {
		g.siblings[name] = []string{names[(i+1)%len(names)]}
	}
}

// alike returns for each name of a list those of the same type.
func alike(fields *ast.FieldList) map[string][]string {
	byType := map[string][]string{}
	if fields == nil {
		return nil
	}
	for _, f := range fields.List {
		kind := typeText(f.Type)
		for _, name := range f.Names {
			byType[kind] = append(byType[kind], name.Name)
		}
	}
	like := map[string][]string{}
	for _, names := range byType {
		for i, name := range names {
			if next := names[(i+1)%len(names)]; next != name && name != "_" && next != "_" {
				like[name] = []string{next}
			}
		}
	}
	return like
}

// typeText returns a type as text that is the same for the same type, and only then.
func typeText(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.SelectorExpr:
		return typeText(t.X) + "." + t.Sel.Name
	case *ast.StarExpr:
		return "*" + typeText(t.X)
	}
	return fmt.Sprintf("%T at %d", t, t.Pos())
}

// walk makes the mutants of a file.
func (g *generator) walk(file *ast.File) {
	for _, declaration := range file.Decls {
		g.function, g.results, g.like = "", nil, nil
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Body == nil {
				continue
			}
			g.function, g.like = d.Name.Name, alike(d.Type.Params)
			g.inFunction(d.Type, d.Body)
		case *ast.GenDecl:
			if d.Tok == token.CONST || d.Tok == token.VAR {
				ast.Inspect(d, g.change)
			}
		}
	}
}

// inFunction makes the mutants of a body. Functions within it are done with results of their own.
func (g *generator) inFunction(t *ast.FuncType, body *ast.BlockStmt) {
	outer := g.results
	g.results = nil
	if t.Results != nil {
		for _, r := range t.Results.List {
			for range max(1, len(r.Names)) {
				g.results = append(g.results, r.Type)
			}
		}
	}
	ast.Inspect(body, g.change)
	g.results = outer
}

// text returns the source of a node.
func (g *generator) text(n ast.Node) string {
	return g.source[g.offset(n.Pos()):g.offset(n.End())]
}

func (g *generator) offset(p token.Pos) int { return g.positions.Position(p).Offset }

// replace makes a mutant that has text instead of a node.
func (g *generator) replace(n ast.Node, text string) { g.put(n.Pos(), n.End(), text) }

// put makes a mutant that has text between two places.
func (g *generator) put(from, to token.Pos, text string) {
	e := edit{g.offset(from), g.offset(to), text}
	old, now := diffLines(g.source, []edit{e})
	if len(old) == 0 && len(now) == 0 {
		return
	}
	at := g.positions.Position(from)
	m := &mutant{Name: fmt.Sprintf("%s:%d:%d", g.file, at.Line, at.Column), File: g.file, edits: []edit{e}, place: g.function}
	if m.place == "" {
		m.place = outside
	}
	if _, err := parser.ParseFile(token.NewFileSet(), g.file, apply(g.source, m.edits), parser.SkipObjectResolution); err != nil {
		return // no program
	}
	// The same change may be made twice in one function, and at one place twice by two operators.
	k := key(g.file, m.place, old, now)
	exact := fmt.Sprint(k, e)
	if g.seen[exact]++; g.seen[exact] > 1 {
		return
	}
	if g.seen[k]++; g.seen[k] > 1 {
		m.place = fmt.Sprintf("%s #%d", m.place, g.seen[k])
	}
	m.key = key(g.file, m.place, old, now)
	g.made = append(g.made, m)
}

// equivalents are the generated mutants that no test can kill, by what they change.
type equivalents map[string]*known

type known struct {
	place, file string
	met         bool
}

// key is what a generated mutant is known by: its file, its function, and the lines that it changes.
func key(file, function string, old, now []string) string {
	return file + "\n" + function + "\n-" + strings.Join(old, "\n-") + "\n+" + strings.Join(now, "\n+")
}

// readEquivalents reads the files of a folder.
func readEquivalents(folder string) (equivalents, error) {
	blocks, err := readBlocks(folder)
	if err != nil {
		return nil, err
	}
	all := equivalents{}
	for _, b := range blocks {
		switch {
		case b.kind != "equivalent" || b.title == "":
			return nil, fmt.Errorf("%s: %q is no file: write equivalent FILE", b.place, b.title)
		case b.fields["why"] == "" || b.fields["in"] == "" || len(b.hunks) != 1:
			return nil, fmt.Errorf("%s: it needs the fields in and why, and one change", b.place)
		}
		k := key(b.title, b.fields["in"], trimmed(b.hunks[0].old), trimmed(b.hunks[0].new))
		if all[k] != nil {
			return nil, fmt.Errorf("%s: this is listed at %s already", b.place, all[k].place)
		}
		all[k] = &known{place: b.place, file: b.title}
	}
	return all, nil
}

// takeOut returns the mutants that are not known to be equivalent, and the number of those that are. An entry about one
// of these packages that fits no mutant is stale, and an error.
func (all equivalents) takeOut(mutants []*mutant, packages []string) (rest []*mutant, equivalent int, err error) {
	for _, m := range mutants {
		k := all[m.key]
		if k == nil {
			rest = append(rest, m)
			continue
		}
		k.met = true
		equivalent++
	}
	var stale []string
	for _, k := range all {
		if !k.met && slices.Contains(packages, "./"+path.Dir(k.file)) {
			stale = append(stale, k.place+": "+k.file)
		}
	}
	if len(stale) > 0 {
		slices.Sort(stale)
		return nil, 0, fmt.Errorf("these entries of equivalent/ fit no mutant: bring them up to date\n%s", strings.Join(stale, "\n"))
	}
	return rest, equivalent, nil
}
