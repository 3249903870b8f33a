package main

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/mutants/generate"
)

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
