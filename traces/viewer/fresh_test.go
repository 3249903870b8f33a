package viewer

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write down from which sources the engine in dist/fresh was built: make viewer does that")

const (
	root        = "../.." // of the module
	enginePath  = "./impl/cmd/engine"
	ofTheEngine = fresh + "/engine.sha256" // TestFresh writes it
)

// digests returns a line for each file, in the form of sha256sum, by name. A file has the same digest if a checkout has
// given it other ends of lines.
func digests(dir string, names []string) (string, error) {
	slices.Sort(names)
	var lines strings.Builder
	for _, name := range slices.Compact(names) {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return "", err
		}
		if !strings.HasSuffix(name, ".gz") {
			data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
		}
		_, _ = fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(data), name)
	}
	return lines.String(), nil
}

// byFolder returns a line for each folder instead: there are many Go files.
func byFolder(lines string) string {
	folders := map[string]string{}
	for line := range strings.Lines(lines) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		folder := path.Dir(name)
		folders[folder] += line
	}
	var text strings.Builder
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		_, _ = fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256([]byte(folders[folder])), folder)
	}
	return text.String()
}

// changes returns what is in one list of digests and not in another, and the other way round: the files that have changed.
func changes(built, now string) []string {
	was, is := slices.Collect(strings.Lines(built)), slices.Collect(strings.Lines(now))
	var changed []string
	for _, line := range append(was, is...) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if slices.Contains(was, line) != slices.Contains(is, line) && !slices.Contains(changed, name) {
			changed = append(changed, name)
		}
	}
	return changed
}

// stale returns which files are no more what a list of digests says. A list has all that a page was made of: a new file is one only if another
// file asks for it.
func stale(dir, list string) ([]string, error) {
	built, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(list)))
	if err != nil {
		return nil, err
	}
	var changed []string
	for line := range strings.Lines(string(built)) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		now, err := digests(dir, []string{name})
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && now != line:
			changed = append(changed, name)
		case err != nil:
			return nil, err
		}
	}
	return changed, nil
}

// engineSources returns what the engine is made from: the Go files of this module that it needs, and what they embed.
func engineSources() ([]string, error) {
	list := exec.Command("go", "list", "-deps", "-json=Dir,Standard,Module,GoFiles,EmbedFiles", enginePath)
	list.Dir = root
	list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off")
	var said strings.Builder
	list.Stderr = &said
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, &said)
	}
	top, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	names := []string{"go.mod", "go.sum"}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var p struct {
			Dir                 string
			Module              *struct{ Main bool }
			GoFiles, EmbedFiles []string
		}
		if err := decoder.Decode(&p); err != nil {
			return nil, err
		}
		if p.Module == nil || !p.Module.Main {
			continue // of Go itself, or another module, whose version go.mod says
		}
		dir, err := filepath.Rel(top, p.Dir)
		if err != nil {
			return nil, err
		}
		for _, file := range append(p.GoFiles, p.EmbedFiles...) {
			names = append(names, filepath.ToSlash(filepath.Join(dir, file)))
		}
	}
	return names, nil
}

// TestComparisonFresh sees that the page of comparisons, which is in the repository, was made from the sources as they are.
func TestComparisonFresh(t *testing.T) {
	changed, err := stale(".", "dist/compare.sha256")
	require.NoError(t, err)
	require.Empty(t, changed, "dist/compare.html is older than these files: run make viewer")
	built, err := os.ReadFile("dist/compare.sha256")
	require.NoError(t, err)
	for _, name := range []string{"build.mjs", "src/compare/main.tsx", "src/palette.css"} {
		require.Contains(t, string(built), "  "+name+"\n")
	}
}

// TestFresh sees that what make viewer has built was made from the sources as they are: it is taken before what is released. Nobody needs to have
// run make viewer; make viewer-test does.
func TestFresh(t *testing.T) {
	if _, err := os.Stat(fresh); errors.Is(err, fs.ErrNotExist) {
		t.Skip("needs the page: dist/fresh is not there")
	}
	changed, err := stale(".", fresh+"/page.sha256")
	require.NoError(t, err)
	require.Empty(t, changed, "dist/fresh/page.html.gz is older than these files: run make viewer, or remove dist/fresh")
	names, err := engineSources()
	require.NoError(t, err)
	require.Greater(t, len(names), 10, "the test has found the sources")
	now, err := digests(root, names)
	require.NoError(t, err)
	now = byFolder(now)
	if *update {
		require.NoError(t, os.WriteFile(ofTheEngine, []byte(now), 0o644))
	}
	built, err := os.ReadFile(ofTheEngine)
	require.NoError(t, err)
	require.Empty(t, changes(string(built), now), "dist/fresh/engine.wasm.gz is older than what is in these folders: run make viewer, or remove dist/fresh")
}

// TestStale shows the two tests above able to fail.
func TestStale(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	names := []string{"build.mjs", "src/main.tsx", "src/ring/Ring.tsx"}
	for _, name := range names {
		write(name, "one\ntwo\n")
	}
	built, err := digests(dir, names)
	require.NoError(t, err)
	write("page.sha256", built)
	changed := func() []string {
		changed, err := stale(dir, "page.sha256")
		require.NoError(t, err)
		return changed
	}
	require.Empty(t, changed())
	write("src/main.tsx", "one\r\ntwo\r\n")
	require.Empty(t, changed(), "ends of lines do not count")
	write("src/main.tsx", "one\ntwo")
	require.NoError(t, os.Remove(filepath.Join(dir, "src/ring/Ring.tsx")))
	require.Equal(t, []string{"src/main.tsx", "src/ring/Ring.tsx"}, changed())

	write("src/ring/Ring.tsx", "one\ntwo\n")
	write("src/ring/Other.tsx", "")
	now, err := digests(dir, append(names, "src/ring/Other.tsx"))
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"src", "src/ring"}, changes(byFolder(built), byFolder(now)))
	_, err = stale(dir, "none.sha256")
	require.ErrorIs(t, err, fs.ErrNotExist)
}
