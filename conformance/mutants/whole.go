package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A whole run tries the table, and of the mutants that are generated of each package as many as the file sample.txt says, a line
// each:
//
//	impl/bully 40
//	impl/cmd/bully none: its tests start processes, and take minutes

// share is a line of it.
type share struct {
	dir  string
	each int // 0: none are tried, for the reason that stands there
}

// readShares reads how many generated mutants of each package a whole run tries.
func readShares(file string) (all []share, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		dir, rest, _ := strings.Cut(line, " ")
		s := share{dir: dir}
		why, none := strings.CutPrefix(rest, "none: ")
		if s.each, err = strconv.Atoi(rest); (err != nil || s.each < 1) && !(none && why != "") {
			return nil, fmt.Errorf("%s:%d: after the package stands how many of its mutants are tried, at least 1, or none: and why", filepath.Base(file), i+1)
		}
		all = append(all, s)
	}
	return all, nil
}

// isWhole reports whether all is tried that make mutants tries.
func (a *app) isWhole() bool { return a.generate == "" && a.pattern == "" && !a.missing }

// samples returns what a whole run tries beside the table: nothing, if there is no such file.
func (a *app) samples(ctx context.Context) (all []*sample, err error) {
	known, err := a.readHarmless()
	if err != nil {
		return nil, err
	}
	shares, err := readShares(filepath.Join(a.folder, "sample.txt"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, s := range shares {
		if s.each == 0 {
			continue
		}
		found, err := packages(ctx, a.root, "./"+s.dir)
		if err != nil {
			return nil, err
		}
		some, err := found[0].sample(a, known, s.each)
		if err != nil {
			return nil, err
		}
		all = append(all, some)
	}
	return all, nil
}

// The last whole run stands between these two lines of TABLE.md.
const (
	wholeBegin = "<!-- whole:begin -->\n"
	wholeEnd   = "<!-- whole:end -->\n"
)

// whole is a run in which all were tried.
type whole struct {
	day                time.Time
	mutants, survivors int
	cpu                time.Duration
	sources            string // the digest of what was tried
	samples            []*sample
	killed, survived   map[string]int // generated ones, by package
}

// wholeOf returns what is kept of a whole run.
func wholeOf(results []*result, samples []*sample) *whole {
	w := &whole{day: time.Now().UTC(), mutants: len(results), cpu: childrenTime(), samples: samples, killed: map[string]int{}, survived: map[string]int{}}
	for _, r := range results {
		of := w.killed
		if !r.isKilled() {
			of = w.survived
			w.survivors++
		}
		if r.made {
			of[path.Dir(r.File)]++
		}
	}
	return w
}

// String returns what stands in TABLE.md.
func (w *whole) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Last whole run: %s, %d mutants, of which %d survived; %.0f minutes of processor time; %s%s.\n\n", w.day.Format(time.DateOnly), w.mutants, w.survivors,
		w.cpu.Minutes(), digestWord, w.sources)
	b.WriteString("| package | generated | tried | killed | harmless | survived |\n|---|---|---|---|---|---|\n")
	for _, s := range w.samples {
		killed, survived := w.killed[s.dir], w.survived[s.dir]
		fmt.Fprintf(&b, "| `%s` | %d | %d | %d | %d | %d |\n", s.dir, s.made, killed+survived+s.harmless, killed, s.harmless, survived)
	}
	return b.String()
}

const digestWord = "digest of the sources "

// update writes of a whole run into TABLE.md.
func (w *whole) update(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(text), wholeBegin)
	_, after, ends := strings.Cut(rest, wholeEnd)
	if !begins || !ends {
		return fmt.Errorf("%s has no place for the last whole run: add the lines %q and %q", file, strings.TrimSpace(wholeBegin), strings.TrimSpace(wholeEnd))
	}
	return os.WriteFile(file, []byte(before+wholeBegin+w.String()+wholeEnd+after), 0o644)
}

// digest returns a short digest of all that mutants and tests are made of: if it is another one now, the last whole run is of other
// sources.
func digest(root fs.FS) (string, error) {
	all := sha256.New()
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
			return fs.SkipDir
		case entry.IsDir() || !slices.Contains([]string{".go", ".txt", ".mod"}, path.Ext(name)):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err == nil {
			fmt.Fprintf(all, "%s %d\n%s", name, len(text), text)
		}
		return err
	})
	return fmt.Sprintf("%.6x", all.Sum(nil)), err
}

// childrenTime returns how much time processors have spent on what this process has run.
func childrenTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
