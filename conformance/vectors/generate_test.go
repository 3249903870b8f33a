package vectors

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

var update = flag.Bool("update", false, "write the vectors that are new; one that is there already is never changed")

// wantsErrors are the cases in which some requests are meant to be answered with an error.
var wantsErrors = map[string]bool{"R38-epoch-that-is-none": true, "R38-first-epoch-that-is-none": true, "protocol-a-node-that-is-gone": true}

// answered lets the model answer a script.
func answered(t *testing.T, s *script) *Vector {
	t.Helper()
	require.NotEmpty(t, s.requests, s.Case)
	steps, err := answer(s.requests)
	require.NoError(t, err, s.Case)
	for k := range steps {
		require.True(t, wantsErrors[s.Case] || !strings.Contains(steps[k].Reply, `"error"`), "%s: %s", s.Case, steps[k])
		steps[k].Reply = anyReason(steps[k].Reply)
	}
	return &Vector{Header: s.Header, Steps: steps}
}

// reason matches what a port says to people.
var reason = regexp.MustCompile(`"(ignored|unsupported|error)":"(?:[^"\\]|\\.)*"`)

// anyReason returns a reply without the words that a port says to people: any will do.
func anyReason(reply string) string {
	return reason.ReplaceAllString(reply, `"$1":"any reason"`)
}

// generate makes all vectors, in the order of the manifest.
func generate(t *testing.T) (all []*Vector) {
	for _, s := range scripted(t) {
		all = append(all, answered(t, s))
	}
	for _, q := range questions(t) {
		v := answered(t, q.script)
		_, reply, err := v.Steps[len(v.Steps)-1].parse()
		require.NoError(t, err)
		require.True(t, reply.State.Equal(q.want.State), "%s: what was answered by hand is not what the model says", v.Case)
		require.Equal(t, q.want.Ignored, reply.Ignored != "", v.Case)
		var sent []spec.Message
		for _, e := range reply.Effects {
			if e.Send != nil {
				sent = append(sent, *e.Send)
			}
		}
		require.Equal(t, q.want.Sent, sent, v.Case)
		all = append(all, v)
	}
	all = append(all, clusters(t)...)
	sourced(t, all)
	suites := []string{"rules", "questions", "ids", "input", "members", "clusters"} // what says most of a port that fails comes first
	slices.SortStableFunc(all, func(a, b *Vector) int {
		return cmp.Or(cmp.Compare(slices.Index(suites, a.Suite), slices.Index(suites, b.Suite)), cmp.Compare(number(a.Case), number(b.Case)), strings.Compare(a.Case, b.Case))
	})
	return all
}

// number returns the number of the rule that a case is named after.
func number(id string) (n int) {
	rule, _, _ := strings.Cut(strings.TrimPrefix(id, "Q-"), "-")
	_, _ = fmt.Sscanf(rule, "R%d", &n)
	return n
}

// manifestOf returns the manifest of vectors.
func manifestOf(vectors []*Vector, retired []string) *Manifest {
	m := &Manifest{Spec: spec.Version, Cases: len(vectors), Retired: retired}
	var digests strings.Builder
	for _, v := range vectors {
		e := Entry{ID: v.Case, File: v.file(), Digest: digest(v.Append(nil)), Rules: v.Rules, Level: v.Level, Suite: v.Suite, Spec: v.Spec}
		m.Asked += len(v.Steps)
		m.Files = append(m.Files, e)
		digests.WriteString(e.Digest + "\n")
	}
	m.Digest = digest([]byte(digests.String()))
	return m
}

// text returns the manifest as a file: an entry a line.
func (m *Manifest) text(t *testing.T) []byte {
	var b bytes.Buffer
	retired, err := json.Marshal(append([]string{}, m.Retired...))
	require.NoError(t, err)
	fmt.Fprintf(&b, "{\"spec\":%q,\"cases\":%d,\"requests\":%d,\"sha256\":%q,\"retired\":%s,\"files\":[\n", m.Spec, m.Cases, m.Asked, m.Digest, retired)
	for i, e := range m.Files {
		line, err := json.Marshal(e)
		require.NoError(t, err)
		b.Write(line)
		if i < len(m.Files)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]}\n")
	return b.Bytes()
}

// retire returns what has been retired: a line each of scripts/retired.txt.
func retire(t *testing.T) (ids []string) {
	text, err := os.ReadFile("scripts/retired.txt")
	require.NoError(t, err)
	for line := range strings.SplitSeq(string(text), "\n") {
		if id, _, _ := strings.Cut(line, "#"); strings.TrimSpace(id) != "" {
			ids = append(ids, strings.TrimSpace(id))
		}
	}
	slices.Sort(ids)
	return ids
}

// immutable says which vectors break the rule that an id is never used for another case, compared with an earlier manifest.
func immutable(before, now *Manifest) error {
	var errs []error
	for _, old := range before.Files {
		k := slices.IndexFunc(now.Files, func(e Entry) bool { return e.ID == old.ID })
		retired := slices.Contains(now.Retired, old.ID)
		switch {
		case k < 0 && !retired:
			errs = append(errs, fmt.Errorf("%s is gone: whoever lists it as failing would never know; retire it in scripts/retired.txt", old.ID))
		case k >= 0 && !retired && now.Files[k].Digest != old.Digest:
			errs = append(errs, fmt.Errorf("%s has changed: a case never does; give the new one another id, and retire this one in scripts/retired.txt", old.ID))
		}
	}
	for _, id := range before.Retired {
		if !slices.Contains(now.Retired, id) {
			errs = append(errs, fmt.Errorf("%s was retired, and an id that was used once is never used again", id))
		}
	}
	for _, e := range now.Files {
		if slices.Contains(now.Retired, e.ID) {
			errs = append(errs, fmt.Errorf("%s is retired: its id must not be used", e.ID))
		}
	}
	return errors.Join(errs...)
}

// manifestOnDisk returns the manifest as it is there, or an empty one if there is none.
func manifestOnDisk(t *testing.T) *Manifest {
	m := &Manifest{}
	text, err := os.ReadFile("manifest.json")
	if errors.Is(err, fs.ErrNotExist) {
		return m
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, m))
	return m
}

// TestVectors holds the files to what is generated, and ids to their files. -update writes what is new.
func TestVectors(t *testing.T) {
	vectors := generate(t)
	ids := map[string]bool{}
	for _, v := range vectors {
		require.False(t, ids[v.Case], "two cases are called %s", v.Case)
		ids[v.Case] = true
	}
	before, now := manifestOnDisk(t), manifestOf(vectors, retire(t))
	require.NoError(t, immutable(before, now))
	if *update {
		write(t, vectors, now)
		return
	}
	require.Equal(t, string(now.text(t)), readText(t, "manifest.json"), "vectors are missing, or one too many: go test ./conformance/vectors -update writes those that are new")
	for _, v := range vectors {
		require.Equal(t, string(v.Append(nil)), readText(t, v.file()), "a case never changes")
	}
	names, err := filepath.Glob("*/*.ndjson")
	require.NoError(t, err)
	require.Len(t, names, len(vectors), "there are files that no script makes")
}

func readText(t *testing.T, name string) string {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// write writes all files, and takes away those that are retired.
func write(t *testing.T, vectors []*Vector, m *Manifest) {
	names, err := filepath.Glob("*/*.ndjson")
	require.NoError(t, err)
	for _, name := range names {
		if !slices.ContainsFunc(vectors, func(v *Vector) bool { return v.file() == filepath.ToSlash(name) }) {
			require.NoError(t, os.Remove(name))
		}
	}
	for _, v := range vectors {
		require.NoError(t, os.MkdirAll(path.Dir(v.file()), 0o755))
		require.NoError(t, os.WriteFile(v.file(), v.Append(nil), 0o644))
	}
	require.NoError(t, os.WriteFile("manifest.json", m.text(t), 0o644))
}
