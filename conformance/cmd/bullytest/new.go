package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed skeletons
var skeletons embed.FS

// languages are those that there are skeletons for, and how what comes of them is checked.
var languages = []struct{ name, build, command string }{
	{"python", "", "python3 port.py"},
	{"javascript", "", "node port.js"},
	{"rust", "cargo build --release", "target/release/port"},
	{"go", "go build", "./port"},
	{"other", "", "YOUR COMMAND"},
}

// newPort writes a skeleton of a port.
func newPort(_ context.Context, p *program, args []string) error {
	set := p.flags("new")
	lang := set.String("lang", "", "`language`: python, javascript, rust, go, or other")
	if err := parse(set, args); err != nil {
		return err
	}
	k := -1
	for i, l := range languages {
		if l.name == *lang {
			k = i
		}
	}
	if k < 0 || set.NArg() != 1 {
		return wrong("say which language, and where to: bullytest new -lang python mine; languages are python, javascript, rust, go, other")
	}
	dir := set.Arg(0)
	written, err := copySkeleton(*lang, dir)
	if err != nil {
		return err
	}
	for _, name := range written {
		fmt.Fprintln(p.out, name)
	}
	fmt.Fprintf(p.out, "\nNext:\n  cd %s\n", dir)
	if build := languages[k].build; build != "" {
		fmt.Fprintf(p.out, "  %s\n", build)
	}
	what := "The first case passes, the second fails by design, and the rest is yours: spec/README.md, section 8, and spec/code.md."
	if languages[k].name == "other" {
		what = "There is no skeleton in your language: PORT.md says what to write, and check what comes next."
	}
	fmt.Fprintf(p.out, "  bullytest check -- %s\n\n%s\n", languages[k].command, what)
	return nil
}

// copySkeleton writes the files of a skeleton. It overwrites nothing.
func copySkeleton(lang, dir string) (written []string, err error) {
	root := "skeletons/" + lang
	err = fs.WalkDir(skeletons, root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := skeletons.ReadFile(name)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(strings.TrimSuffix(strings.TrimPrefix(name, root+"/"), ".txt")))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755) // it may be a script
		if err != nil {
			return wrong("nothing is overwritten: %v", err)
		}
		_, err = file.Write(text)
		written = append(written, to)
		if closed := file.Close(); err == nil {
			err = closed
		}
		return err
	})
	return written, err
}
