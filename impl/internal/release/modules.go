package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// A moduleFile is what go mod edit -json prints of a go.mod.
type moduleFile struct {
	Module  struct{ Path string }
	Require []struct{ Path, Version string }
	Folder  string `json:"-"` // within the repository; "." of the root
}

// modulesOf returns the modules of the repository, the root first.
func modulesOf(ctx context.Context, root string) ([]moduleFile, error) {
	listed, err := output(ctx, root, nil, "git", "ls-files", "*go.mod")
	if err != nil {
		return nil, err
	}
	var modules []moduleFile
	for file := range strings.FieldsSeq(listed) {
		if path.Base(file) != "go.mod" || strings.Contains(file, "testdata/") {
			continue
		}
		text, err := output(ctx, root, nil, "go", "mod", "edit", "-json", filepath.FromSlash(file))
		if err != nil {
			return nil, err
		}
		m := moduleFile{Folder: path.Dir(file)}
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if want := path.Join(module, m.Folder); m.Module.Path != want {
			return nil, fmt.Errorf("%s: the module is %s, but is found only if it is %s", file, m.Module.Path, want)
		}
		modules = append(modules, m)
		if m.Folder == "." {
			modules[0], modules[len(modules)-1] = modules[len(modules)-1], modules[0]
		}
	}
	return modules, nil
}

// tagsOf returns the tags of a release, one a module: those of the modules within are named after their folders.
func tagsOf(ctx context.Context, root, version string) (tags []string, err error) {
	modules, err := modulesOf(ctx, root)
	for _, m := range modules {
		tags = append(tags, path.Join(m.Folder, version))
	}
	return tags, err
}

// ours reports whether a module is of this repository.
func ours(name string) bool { return name == module || strings.HasPrefix(name, module+"/") }

// setRequired sees to it that the modules of the repository require the version of each other that is released: what they replace
// is theirs alone, and whoever gets one of them gets what it requires.
func (b build) setRequired(ctx context.Context) error {
	modules, err := modulesOf(ctx, b.Root)
	if err != nil {
		return err
	}
	var set []string
	for _, m := range modules {
		for _, r := range m.Require {
			if !ours(r.Path) || r.Version == b.Version {
				continue
			}
			file := path.Join(m.Folder, "go.mod")
			if _, err := output(ctx, b.Root, nil, "go", "mod", "edit", "-require="+r.Path+"@"+b.Version, filepath.FromSlash(file)); err != nil {
				return err
			}
			set = append(set, fmt.Sprintf("%s required %s %s", file, r.Path, r.Version))
		}
	}
	if set != nil {
		return fmt.Errorf("these now require %s: commit them, and make the release of that commit\n%s", b.Version, strings.Join(set, "\n"))
	}
	return nil
}
