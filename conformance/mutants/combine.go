package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/mutants/table"
)

// A combined is a package that is all of its mutants at once: each function that has any begins with a choice between
// the mutants of it, which are copies of it, and itself. So all are built in the time of one.
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

// overlay returns the sources of the package with all its mutants, by path.
func (c *combined) overlay() (sources map[string]string, err error) {
	sources = map[string]string{}
	var name string
	for file, source := range c.files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		name = parsed.Name.Name
		sources[file] = combineFile(parsed, source, c.chosen[file])
	}
	sources[path.Join(c.dir, "chosen_mutant.go")] = fmt.Sprintf("package %s\n\nimport (\n\t\"os\"\n\t\"strconv\"\n)\n\n"+
		"var %s, _ = strconv.Atoi(os.Getenv(%q))\n", name, choiceVar, choiceVar)
	return sources, nil
}

// combineFile returns the source of a file with its mutants. Positions in parsed are offsets, and one.
func combineFile(parsed *ast.File, source string, mutants []*mutant) string {
	var edits []table.Edit
	var tail strings.Builder
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
		edits = append(edits, table.Edit{Start: start, End: start, Text: h.choice(within)})
		for _, m := range within {
			from := offset(f.Pos())
			shifted := []table.Edit{{Start: offset(f.Name.Pos()) - from, End: offset(f.Name.End()) - from, Text: h.name(m)}}
			for _, e := range m.edits {
				shifted = append(shifted, table.Edit{Start: e.Start - from, End: e.End - from, Text: e.Text})
			}
			fmt.Fprintf(&tail, "\n%s\n", table.Apply(source[from:offset(f.End())], shifted))
		}
	}
	return table.Apply(source, edits) + tail.String()
}

// errorPlace is where the compiler finds an error.
var errorPlace = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: `)

// copyName is the number of a mutant in the first line of a copy for it.
var copyName = regexp.MustCompile(`^func .*?__(\d+)[\[(]`)

// dropBroken leaves out those generated mutants in whose copies the compiler has found errors, and reports whether there were any.
func (c *combined) dropBroken(said string) bool {
	sources, err := c.overlay()
	if err != nil {
		return false
	}
	broken := map[int]bool{}
	for _, found := range errorPlace.FindAllStringSubmatch(said, -1) {
		line, _ := strconv.Atoi(found[2]) // it is digits
		for file, text := range sources {
			lines := strings.Split(text, "\n")
			if path.Base(file) != path.Base(found[1]) || line > len(lines) {
				continue
			}
			for k := line - 1; k >= 0; k-- {
				if number := copyName.FindStringSubmatch(lines[k]); number != nil {
					n, _ := strconv.Atoi(number[1])
					broken[n] = true
					break
				}
			}
		}
	}
	any := false
	for file, mutants := range c.chosen {
		c.chosen[file] = slices.DeleteFunc(mutants, func(m *mutant) bool {
			drop := m.made && broken[m.number]
			m.broken, any = m.broken || drop, any || drop
			return drop
		})
	}
	return any
}

// head is what a call of a copy of a function needs to know of the function.
type head struct {
	edits    []table.Edit // that name what has no name yet
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
				h.edits = append(h.edits, table.Edit{Start: offset(field.Type.Pos()), End: offset(field.Type.Pos()), Text: all[len(all)-1] + " "})
			}
			for _, name := range field.Names {
				if name.Name != "_" {
					all = append(all, name.Name)
					continue
				}
				all = append(all, fresh())
				h.edits = append(h.edits, table.Edit{Start: offset(name.Pos()), End: offset(name.End()), Text: all[len(all)-1]})
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
