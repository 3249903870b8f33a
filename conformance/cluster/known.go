package cluster

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed testdata/scenarios testdata/regressions
var archives embed.FS

// KnownScript is a script that is kept: as part of a file, an archive of the form txtar, where the line
//
//	-- name --
//
// begins a script. What comes before the first is a comment.
type KnownScript struct {
	*Script
	Name string
	File string // in this package's folder, such as testdata/scenarios/claims.txtar
	Line int    // of the file, where the script begins
}

// Where says where a script is, and how it is called.
func (k *KnownScript) Where() string { return fmt.Sprintf("%s:%d: %s", k.File, k.Line, k.Name) }

// Known returns the scripts of this package by the order of their names: the scenarios, and the regressions, each of which a wrong
// implementation has failed. Those with First are of members that change.
func Known() ([]KnownScript, error) { return readArchives(archives) }

// readArchives returns the scripts of all files.
func readArchives(files fs.FS) (scripts []KnownScript, err error) {
	err = fs.WalkDir(files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, file)
		if err == nil {
			err = readArchive(file, string(text), &scripts)
		}
		if err != nil {
			return fmt.Errorf("cluster: %s: %w", file, err)
		}
		return nil
	})
	slices.SortFunc(scripts, func(a, b KnownScript) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(scripts); i++ {
		if a, b := &scripts[i-1], &scripts[i]; a.Name == b.Name {
			err = errors.Join(err, fmt.Errorf("cluster: %s: there is another script of that name, %s", b.Where(), a.Where()))
		}
	}
	return scripts, err
}

// readArchive appends the scripts of a file.
func readArchive(file, text string, scripts *[]KnownScript) error {
	if !strings.HasSuffix(file, ".txtar") {
		return errors.New("this is no archive, which ends in .txtar: put the script into one, under a line -- name --")
	}
	var (
		lines = strings.Split(text, "\n")
		first = len(*scripts)
		end   = len(lines)
	)
	for i := end - 1; i >= 0; i-- {
		name, isName := scriptName(lines[i])
		if !isName {
			continue
		}
		script, err := parseScript(lines[i+1:end], i+2)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		*scripts = append(*scripts, KnownScript{Script: script, Name: name, File: file, Line: i + 1})
		end = i
	}
	if len(*scripts) == first {
		return errors.New("there is no line that begins a script, such as: -- cold-start --")
	}
	return nil
}

// scriptName returns the name of the script that a line begins.
func scriptName(line string) (name string, isName bool) {
	name, isName = strings.CutPrefix(line, "-- ")
	if isName {
		name, isName = strings.CutSuffix(name, " --")
	}
	name = strings.TrimSpace(name)
	return name, isName && name != ""
}
