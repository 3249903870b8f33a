package vectors

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
)

//go:embed manifest.json rules questions input ids members clusters
var files embed.FS

// Header is the first line of a file.
type Header struct {
	Case   string   `json:"case"`             // the id, which is the name of the file
	Title  string   `json:"title"`            // what is at stake
	Source []string `json:"source,omitempty"` // of one that was written by hand: from what it is (scripts/sources.txt)
	Rules  []string `json:"rules"`            // of spec/README.md that it is about, the first one first
	Level  string   `json:"level"`            // MUST, or SHOULD
	Suite  string   `json:"suite"`            // the folder
	Spec   string   `json:"spec"`             // the version of the specification
	Needs  string   `json:"needs,omitempty"`  // a feature that the port must have
}

// Step is a request, and the reply to it.
type Step struct {
	Request, Reply string
}

// Vector is a file.
type Vector struct {
	Header
	Steps  []Step
	once   sync.Once
	parsed []parsed // what Steps say, read when it is needed
	err    error
}

// end is the last line of a file.
type end struct {
	End struct {
		Requests int `json:"requests"`
	} `json:"end"`
}

// Parse reads a file.
func Parse(data []byte) (*Vector, error) {
	lines := strings.Split(string(bytes.TrimSuffix(data, []byte("\n"))), "\n")
	v := &Vector{}
	if err := json.Unmarshal([]byte(lines[0]), &v.Header); err != nil {
		return nil, fmt.Errorf("line 1 is no header: %w", err)
	}
	var last end
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.End.Requests == 0 {
		return nil, fmt.Errorf(`the last line is not such as {"end":{"requests":2}}: the file has been cut short`)
	}
	if lines = lines[1 : len(lines)-1]; len(lines) != 2*last.End.Requests {
		return nil, fmt.Errorf("there are %d lines of requests and replies, and should be %d", len(lines), 2*last.End.Requests)
	}
	for pair := range slices.Chunk(lines, 2) {
		v.Steps = append(v.Steps, Step{pair[0], pair[1]})
	}
	return v, nil
}

// Append appends the file that Parse reads.
func (v *Vector) Append(b []byte) []byte {
	line := func(value any) {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(value); err != nil {
			panic(err) // these types can be written
		}
		b = append(b, text.Bytes()...)
	}
	line(&v.Header)
	for _, s := range v.Steps {
		b = append(b, s.Request+"\n"+s.Reply+"\n"...)
	}
	var last end
	last.End.Requests = len(v.Steps)
	line(&last)
	return b
}

// Stdin returns what a port is to read for the case alone: who is there, forget all, the requests, and the end.
func (v *Vector) Stdin() string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"id":1,"op":"hello","protocol":%d,"kit":%q,"spec":%q}`+"\n", port.Version, kit.Version, kit.Spec)
	fmt.Fprintf(&b, `{"id":2,"op":"reset","case":%q}`+"\n", v.Case)
	for _, s := range v.Steps {
		b.WriteString(s.Request + "\n")
	}
	fmt.Fprintf(&b, `{"id":%d,"op":"bye"}`+"\n", len(v.Steps)+3)
	return b.String()
}

// Manifest is manifest.json: all files that there are, or have ever been.
type Manifest struct {
	Spec    string   `json:"spec"`
	Cases   int      `json:"cases"`    // that are not retired
	Asked   int      `json:"requests"` // of these
	Digest  string   `json:"sha256"`   // of the digests of these, in the order of their ids
	Files   []Entry  `json:"files"`    // ascending by id
	Retired []string `json:"retired"`  // ids that were used once, and never will be again; ascending
}

// Entry is a file of the manifest.
type Entry struct {
	ID     string   `json:"id"`
	File   string   `json:"file"`
	Digest string   `json:"sha256"`
	Rules  []string `json:"rules"`
	Level  string   `json:"level"`
	Suite  string   `json:"suite"`
	Spec   string   `json:"spec"`
}

// digest returns the SHA-256 of data, in hexadecimal.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// file returns where a vector is.
func (h *Header) file() string { return path.Join(h.Suite, h.Case+".ndjson") }

// set is all vectors.
type set struct {
	manifest Manifest
	vectors  []*Vector // in the order of the manifest
}

// all reads all files, once. It panics if they are not what the manifest says: then this program has been built wrongly.
var all = sync.OnceValue(func() *set {
	s, err := read(files)
	if err != nil {
		panic("vectors: " + err.Error())
	}
	return s
})

// read reads a manifest, and the files that it names.
func read(files fs.FS) (*set, error) {
	text, err := fs.ReadFile(files, "manifest.json")
	if err != nil {
		return nil, err
	}
	s := &set{}
	if err := json.Unmarshal(text, &s.manifest); err != nil {
		return nil, fmt.Errorf("manifest.json: %w", err)
	}
	for _, e := range s.manifest.Files {
		data, err := fs.ReadFile(files, e.File)
		if err != nil {
			return nil, err
		}
		if digest(data) != e.Digest {
			return nil, fmt.Errorf("%s is not what the manifest says: a case never changes", e.File)
		}
		v, err := Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.File, err)
		}
		if v.Case != e.ID || v.file() != e.File {
			return nil, fmt.Errorf("%s is case %s of %s", e.File, v.Case, v.Suite)
		}
		s.vectors = append(s.vectors, v)
	}
	return s, nil
}

// All returns all vectors, in the order of their ids within their suites.
func All() []*Vector { return slices.Clone(all().vectors) }

// Digest returns the SHA-256 of all vectors, in hexadecimal: two kits with the same one ask the same.
func Digest() string { return all().manifest.Digest }

// Named returns a vector by its id, or nil.
func Named(id string) *Vector {
	for _, v := range all().vectors {
		if v.Case == id {
			return v
		}
	}
	return nil
}

// Cases returns all vectors as cases of the kit.
func Cases() []kit.Case {
	var cases []kit.Case
	for _, v := range all().vectors {
		cases = append(cases, kit.Case{
			ID: v.Case, Title: v.Title, Rules: v.Rules, Suite: kit.Vectors, Must: v.Level == "MUST", Needs: v.Needs, Run: v.Run,
		})
	}
	return cases
}
