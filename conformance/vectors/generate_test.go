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
	"path/filepath"
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
	of, err := clusters()
	require.NoError(t, err)
	all = append(all, of...)
	sourced(t, all)
	slices.SortStableFunc(all, func(a, b *Vector) int {
		return cmp.Or(cmp.Compare(slices.Index(suites(), a.Suite), slices.Index(suites(), b.Suite)), cmp.Compare(number(a.Case), number(b.Case)), strings.Compare(a.Case, b.Case))
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
			errs = append(errs, fmt.Errorf("%s has changed, its digest from %s to %s: a case never does; give the new one another id, and retire this one in scripts/retired.txt",
				old.ID, old.Digest, now.Files[k].Digest))
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

// TestVectors holds the files to what is generated, and ids to their cases. -update writes what is new.
func TestVectors(t *testing.T) {
	vectors := generate(t)
	ids := map[string]bool{}
	for _, v := range vectors {
		require.False(t, ids[v.Case], "two cases are called %s", v.Case)
		ids[v.Case] = true
	}
	before, now := manifestOnDisk(t), manifestOf(vectors, retire(t))
	if err := immutable(before, now); err != nil {
		require.NoError(t, errors.Join(err, firstDifferences(t, vectors)))
	}
	if *update {
		for suite, text := range filesOf(vectors) {
			require.NoError(t, os.WriteFile(suite+".ndjson", text, 0o644))
		}
		require.NoError(t, os.WriteFile("manifest.json", now.text(t), 0o644))
		return
	}
	require.Equal(t, string(now.text(t)), readText(t, "manifest.json"), "vectors are missing, or one too many: go test ./conformance/vectors -update writes those that are new")
	for suite, text := range filesOf(vectors) {
		require.Equal(t, string(text), readText(t, suite+".ndjson"), "a case never changes")
	}
}

// filesOf returns the files of the suites that are in files.
func filesOf(vectors []*Vector) map[string][]byte {
	files := map[string][]byte{}
	for _, v := range vectors {
		if v.Suite != clustersSuite {
			files[v.Suite] = v.Append(files[v.Suite])
		}
	}
	return files
}

// firstDifferences says where cases differ from those in the files: the first line of each. Of clusters there are no files to compare with.
func firstDifferences(t *testing.T, now []*Vector) error {
	before, err := read(os.DirFS("."))
	require.NoError(t, err)
	var errs []error
	for _, v := range now {
		k := slices.IndexFunc(before.vectors, func(old *Vector) bool { return old.Case == v.Case })
		if k < 0 {
			continue
		}
		if line, was, is := firstDifference(string(before.vectors[k].Append(nil)), string(v.Append(nil))); line > 0 {
			errs = append(errs, fmt.Errorf("%s, line %d:\nwas %s\nis  %s", v.Case, line, was, is))
		}
	}
	return errors.Join(errs...)
}

// firstDifference returns the first line that differs, from 1, or 0.
func firstDifference(before, now string) (line int, was, is string) {
	olds, news := strings.Split(before, "\n"), strings.Split(now, "\n")
	for k := range max(len(olds), len(news)) {
		was, is = "", ""
		if k < len(olds) {
			was = olds[k]
		}
		if k < len(news) {
			is = news[k]
		}
		if was != is {
			return k + 1, was, is
		}
	}
	return 0, "", ""
}

func readText(t *testing.T, name string) string {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// TestFirstDifference shows what is said of a case that has changed.
func TestFirstDifference(t *testing.T) {
	line, was, is := firstDifference("a\nb\nc\n", "a\nB\nC\n")
	require.Equal(t, 2, line)
	require.Equal(t, "b B", was+" "+is)
	line, was, is = firstDifference("a\n", "a\nb\n")
	require.Equal(t, 2, line)
	require.Equal(t, " b", was+" "+is)
	line, _, _ = firstDifference("a\n", "a\n")
	require.Zero(t, line)
}

// TestWrite writes all vectors as files, each as the manifest says.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, Write(dir))
	var m Manifest
	require.NoError(t, json.Unmarshal([]byte(readText(t, filepath.Join(dir, "manifest.json"))), &m))
	require.Len(t, m.Files, pinnedCases)
	for _, e := range m.Files {
		require.Equal(t, e.Digest, digest([]byte(readText(t, filepath.Join(dir, e.File)))), e.ID)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	require.NoError(t, err)
	require.Len(t, files, pinnedCases)
	require.Error(t, Write(filepath.Join(dir, "manifest.json")))
}
