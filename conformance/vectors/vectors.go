package vectors

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
)

//go:embed manifest.json *.ndjson
var files embed.FS

// suites returns the suites in the order of the manifest: what says most of a port that fails comes first.
func suites() []string {
	return []string{"rules", "questions", "ids", "input", "members", clustersSuite}
}

// Header is the first line of a case.
type Header struct {
	Case   string   `json:"case"`             // the id
	Title  string   `json:"title"`            // what is at stake
	Source []string `json:"source,omitempty"` // of one that was written by hand: from what it is (scripts/sources.txt)
	Rules  []string `json:"rules"`            // of spec/README.md that it is about, the first one first
	Level  string   `json:"level"`            // MUST, or SHOULD
	Suite  string   `json:"suite"`            // the file that it is in
	Spec   string   `json:"spec"`             // the version of the specification
	Needs  string   `json:"needs,omitempty"`  // features that the port must have, with a space between two
}

// Step is a request, and the reply to it.
type Step struct {
	Request, Reply string
}

// Vector is a case.
type Vector struct {
	Header
	Steps  []Step
	once   sync.Once
	parsed []parsed // what Steps say, read when it is needed
	err    error
}

// end is the last line of a case.
type end struct {
	End struct {
		Requests int `json:"requests"`
	} `json:"end"`
}

// Parse reads a case.
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

// Append appends the text that Parse reads.
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

// Manifest is manifest.json: all cases that there are, or have ever been.
type Manifest struct {
	Spec    string   `json:"spec"`
	Cases   int      `json:"cases"`    // that are not retired
	Asked   int      `json:"requests"` // of these
	Digest  string   `json:"sha256"`   // of the digests of these, in the order of their ids
	Files   []Entry  `json:"files"`    // ascending by id
	Retired []string `json:"retired"`  // ids that were used once, and never will be again; ascending
}

// Entry is a case of the manifest.
type Entry struct {
	ID     string   `json:"id"`
	File   string   `json:"file"` // that Write writes
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

// file returns what the file of a vector is called that Write writes.
func (h *Header) file() string { return path.Join(h.Suite, h.Case+".ndjson") }

// set is all vectors.
type set struct {
	manifest Manifest
	vectors  []*Vector // in the order of the manifest
}

// all returns all vectors, read or made once. It panics if they are not what the manifest says: then this program has been built wrongly.
var all = sync.OnceValue(func() *set {
	s := kept()
	made, err := clusters()
	if err == nil {
		err = s.add(made)
	}
	if err == nil && len(s.vectors) != len(s.manifest.Files) {
		err = fmt.Errorf("there are %d, and the manifest has %d", len(s.vectors), len(s.manifest.Files))
	}
	if err != nil {
		panic("vectors: " + err.Error())
	}
	return &s
})

// kept returns the vectors that are in files, and the manifest of all.
var kept = sync.OnceValue(func() set {
	s, err := read(files)
	if err != nil {
		panic("vectors: " + err.Error())
	}
	return *s
})

// read reads a manifest, and the files of the suites that are there: one case after the other.
func read(files fs.FS) (*set, error) {
	text, err := fs.ReadFile(files, "manifest.json")
	if err != nil {
		return nil, err
	}
	s := &set{}
	if err := json.Unmarshal(text, &s.manifest); err != nil {
		return nil, fmt.Errorf("manifest.json: %w", err)
	}
	for _, suite := range suites() {
		if suite == clustersSuite {
			continue
		}
		data, err := fs.ReadFile(files, suite+".ndjson")
		if err != nil {
			return nil, err
		}
		some, err := parseAll(data)
		if err == nil {
			err = s.add(some)
		}
		if err != nil {
			return nil, fmt.Errorf("%s.ndjson: %w", suite, err)
		}
	}
	return s, nil
}

// parseAll reads cases that follow each other.
func parseAll(data []byte) (all []*Vector, err error) {
	var one []byte
	for line := range bytes.Lines(data) {
		one = append(one, line...)
		if !bytes.HasPrefix(line, []byte(`{"end":`)) {
			continue
		}
		v, err := Parse(one)
		if err != nil {
			return nil, fmt.Errorf("the case after %d others: %w", len(all), err)
		}
		all, one = append(all, v), nil
	}
	if len(one) > 0 {
		return nil, fmt.Errorf(`the last line is not such as {"end":{"requests":2}}: the file has been cut short`)
	}
	return all, nil
}

// add adds the next vectors of the manifest.
func (s *set) add(next []*Vector) error {
	for _, v := range next {
		if len(s.vectors) == len(s.manifest.Files) {
			return fmt.Errorf("%s is not in the manifest", v.Case)
		}
		e := s.manifest.Files[len(s.vectors)]
		if v.Case != e.ID || v.file() != e.File {
			return fmt.Errorf("%s of %s is where the manifest has %s", v.Case, v.Suite, e.File)
		}
		if d := digest(v.Append(nil)); d != e.Digest {
			return fmt.Errorf("%s is not what the manifest says: a case never changes; its digest is %s, and was %s", v.Case, d, e.Digest)
		}
		s.vectors = append(s.vectors, v)
	}
	return nil
}

// Write writes each vector to a file of its own, in the folder of its suite, and the manifest.
func Write(dir string) error {
	text, err := files.ReadFile("manifest.json")
	if err != nil {
		return err
	}
	for _, suite := range suites() {
		if err := os.MkdirAll(filepath.Join(dir, suite), 0o755); err != nil {
			return err
		}
	}
	for _, v := range all().vectors {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(v.file())), v.Append(nil), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "manifest.json"), text, 0o644)
}

// All returns all vectors, in the order of their ids within their suites.
func All() []*Vector { return slices.Clone(all().vectors) }

// Digest returns the SHA-256 of all vectors, in hexadecimal: two kits with the same one ask the same.
func Digest() string { return kept().manifest.Digest }

// Named returns a vector by its id, or nil.
func Named(id string) *Vector {
	named := func(v *Vector) bool { return v.Case == id }
	s := kept()
	k := slices.IndexFunc(s.vectors, named)
	if k < 0 { // those of clusters are made first
		s = *all()
		k = slices.IndexFunc(s.vectors, named)
	}
	if k < 0 {
		return nil
	}
	return s.vectors[k]
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
