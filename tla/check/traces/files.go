package traces

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ExpectFile is the name of the file that says of the traces in its folder, and in those within, where they must be
// refused. It is an object: the path of each trace, and what is expected of it.
//
//	{"claim-unasked.ndjson": {"line": 7, "rule": "R14"}}
const ExpectFile = "expected.json"

// File is a trace to check.
type File struct {
	Name   string
	Expect *Expect // nil if it must be accepted
}

// Expect is where a trace must be refused.
type Expect struct {
	Line int    `json:"line"`
	Rule string `json:"rule"` // which is broken there; for people
}

// Find returns the files that are named, and all .ndjson files in the folders that are named, by name. In a folder with an
// ExpectFile, all traces must be refused, and all are listed in it. A folder without a trace is an error.
func Find(names ...string) ([]File, error) {
	var files []File
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return nil, err
		case !info.IsDir():
			files = append(files, File{Name: name})
		default:
			found, err := inFolder(name)
			if err != nil {
				return nil, err
			}
			files = append(files, found...)
		}
	}
	return files, nil
}

// inFolder returns the traces in a folder.
func inFolder(folder string) ([]File, error) {
	expected, err := expectations(filepath.Join(folder, ExpectFile))
	if err != nil {
		return nil, err
	}
	var files []File
	err = filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".ndjson" {
			return err
		}
		f := File{Name: name}
		if expected != nil {
			path, err := filepath.Rel(folder, name)
			if err != nil {
				return err
			}
			e, listed := expected[filepath.ToSlash(path)]
			if !listed {
				return fmt.Errorf("%s is not listed in the %s of its folder: say where it must be refused", name, ExpectFile)
			}
			delete(expected, filepath.ToSlash(path))
			f.Expect = &e
		}
		files = append(files, f)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(files) == 0:
		return nil, fmt.Errorf("%s: there is no trace in this folder: no file is named .ndjson", folder)
	case len(expected) > 0:
		return nil, fmt.Errorf("%s lists %s, and there is no such trace", filepath.Join(folder, ExpectFile),
			strings.Join(slices.Sorted(maps.Keys(expected)), ", "))
	}
	return files, nil
}

// expectations reads an ExpectFile. Without one there are none: nil.
func expectations(name string) (map[string]Expect, error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	expected := map[string]Expect{}
	if err := decoder.Decode(&expected); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s: more after the object", name)
	}
	for trace, e := range expected {
		if e.Line < 1 || e.Rule == "" {
			return nil, fmt.Errorf("%s: %s: a line, from 1, and a rule must be given", name, trace)
		}
	}
	return expected, nil
}
