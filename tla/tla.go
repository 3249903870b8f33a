// Package tla holds the specification in TLA+ as data: the modules, the configurations that
// ask them one question each, and the list of what every configuration must come to.
//
// A configuration is a .cfg file of TLC, in a dialect narrow enough that the Go models read
// the same file (see [ParseConfiguration]). Those in models/ hold. Those in witnesses/ must
// fail, to show that a property is not true of nothing at all. Those in mutants/ replace one
// rule or drop one assumption, and must fail as stated. The file models.json lists all of
// them, each with its verdict and counts; [Load] refuses a list that does not fit the files.
//
// The loop to write:
//
//	entries, err := tla.Load(tla.FS())
//	if err != nil {
//		return err
//	}
//	for _, e := range entries {
//		result := run(e.Configuration) // with TLC, or with a model in Go
//		for _, d := range e.Compare(result) {
//			fmt.Println(e.Name, d)
//		}
//	}
package tla

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// ListFile is the name of the list of all configurations.
const ListFile = "models.json"

// The folders of configurations.
const (
	Models    = "models"    // must hold
	Witnesses = "witnesses" // must fail: what they deny is reachable
	Mutants   = "mutants"   // must fail: a rule or an assumption is missing
)

//go:embed models.json *.tla TraceCluster.cfg models/*.cfg witnesses/*.cfg mutants/*.cfg
var files embed.FS

// FS returns the modules, the configurations and models.json, as they were when the program
// was built.
func FS() fs.FS { return files }

// Load reads models.json and all configurations of fsys, and returns the entries in the
// order of the file, each with its configuration. The error joins everything that is wrong:
// a list that is empty or malformed, a configuration that is malformed or not listed, an
// entry without a configuration, and entries that contradict theirs.
func Load(fsys fs.FS) ([]Entry, error) {
	entries, err := ReadList(fsys)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("%s: lists no configuration at all", ListFile)
	}
	configurations, err := ReadConfigurations(fsys)
	if err != nil {
		return nil, err
	}
	var wrong []error
	listed := map[string]bool{}
	for i := range entries {
		e := &entries[i]
		if listed[e.Name] {
			wrong = append(wrong, fmt.Errorf("%s: %s is listed twice", ListFile, e.Name))
		}
		listed[e.Name] = true
		c, ok := configurations[e.Name]
		if !ok {
			wrong = append(wrong, fmt.Errorf("%s: %s is listed, but there is no file %s.cfg",
				ListFile, e.Name, e.Name))
			continue
		}
		e.Configuration = c
		wrong = append(wrong, e.validate(fsys)...)
	}
	for _, name := range sortedKeys(configurations) {
		if !listed[name] {
			wrong = append(wrong, fmt.Errorf("%s.cfg: not listed in %s", name, ListFile))
		}
	}
	return entries, errors.Join(wrong...)
}

// ReadList reads models.json alone. Unknown fields are errors.
func ReadList(fsys fs.FS) ([]Entry, error) {
	text, err := fs.ReadFile(fsys, ListFile)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var entries []Entry
	if err := decoder.Decode(&entries); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", ListFile, lineAt(text, decoder.InputOffset()), err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:%d: more after the list", ListFile, lineAt(text, decoder.InputOffset()))
	}
	return entries, nil
}

// ReadConfigurations reads all .cfg files of the three folders, by name: their path without
// the .cfg. The error joins those of all files.
func ReadConfigurations(fsys fs.FS) (map[string]Configuration, error) {
	found := map[string]Configuration{}
	var wrong []error
	for _, folder := range []string{Models, Witnesses, Mutants} {
		names, err := fs.Glob(fsys, folder+"/*.cfg")
		if err != nil {
			return nil, err
		}
		for _, file := range names {
			text, err := fs.ReadFile(fsys, file)
			if err != nil {
				return nil, err
			}
			c, err := ParseConfiguration(file, string(text))
			if err != nil {
				wrong = append(wrong, err)
				continue
			}
			if c.Module, err = moduleOf(fsys, file); err != nil {
				wrong = append(wrong, err)
			}
			found[strings.TrimSuffix(file, ".cfg")] = c
		}
	}
	return found, errors.Join(wrong...)
}

// changing begins the names of configurations whose members change. Their module is that of
// members who do not: mutants/ChangingClusterForgets.cfg is for MCCluster.tla.
const changing = "Changing"

// moduleOf returns the module that a configuration is for: its file is named after it. Of
// MCPromises.tla and MCPromisesInductive.tla, models/PromisesInductivePlain.cfg is the latter's.
func moduleOf(fsys fs.FS, file string) (string, error) {
	modules, err := fs.Glob(fsys, "MC*.tla")
	if err != nil {
		return "", err
	}
	name, best := strings.TrimPrefix(path.Base(file), changing), ""
	for _, m := range modules {
		m = strings.TrimSuffix(m, ".tla")
		if strings.HasPrefix(name, m[len("MC"):]) && len(m) > len(best) {
			best = m
		}
	}
	if best == "" {
		return "", fmt.Errorf("%s: the name begins with that of no module MC….tla", file)
	}
	return best, nil
}

// Encode returns models.json for entries: by folder, and by name within a folder.
func Encode(entries []Entry) ([]byte, error) {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, byFolder)
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(entries)
	return buffer.Bytes(), err
}

// byFolder orders what must hold before what must fail.
func byFolder(a, b Entry) int {
	order := []string{Models, Witnesses, Mutants}
	folder := func(e Entry) int { return slices.Index(order, path.Dir(e.Name)) }
	if d := folder(a) - folder(b); d != 0 {
		return d
	}
	return strings.Compare(a.Name, b.Name)
}

// lineAt returns the line of the byte at offset.
func lineAt(text []byte, offset int64) int {
	return 1 + bytes.Count(text[:min(int(offset), len(text))], []byte("\n"))
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
