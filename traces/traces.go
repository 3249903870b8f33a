// Package traces is the golden traces of the protocol (section 14 of the specification), as files: each of Valid shows one
// thing, and is what the rules allow; each of Invalid has one fault, and must be refused at the line that
// invalid/expected.json says. README.md says what to watch in each. This is the loop of a test of a reader of traces:
//
//	names, err := fs.Glob(traces.Valid, "*.ndjson")
//	if err != nil {
//		return err
//	}
//	for _, name := range names {
//		text, err := fs.ReadFile(traces.Valid, name)
//		…
//	}
package traces

import (
	"embed"
	"io/fs"
)

//go:embed valid invalid
var files embed.FS

// Valid and Invalid are the files of the two folders, by their names alone.
var (
	Valid   = folder("valid")
	Invalid = folder("invalid")
)

func folder(name string) fs.FS {
	sub, _ := fs.Sub(files, name) // it fails only for what is no name of a folder
	return sub
}
