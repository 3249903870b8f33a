package cluster

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed testdata/scenarios/*.script testdata/regressions/*.script
var known embed.FS

// Known returns the scripts of this package by their names: the scenarios, which say what each node must have come to, and the
// regressions, each of which a wrong implementation has failed. Those with First are of members that change.
func Known() (map[string]*Script, error) {
	scripts := map[string]*Script{}
	err := fs.WalkDir(known, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := known.ReadFile(file)
		if err != nil {
			return err
		}
		script, err := ParseScript(string(text))
		if err != nil {
			return fmt.Errorf("cluster: %s: %w", file, err)
		}
		scripts[strings.TrimSuffix(path.Base(file), ".script")] = script
		return nil
	})
	return scripts, err
}
