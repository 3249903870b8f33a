package viewer

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
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

var update = flag.Bool("update", false, "write down from which sources the engine in dist was built: make viewer does that")

const (
	root        = "../.." // of the module
	enginePath  = "./impl/cmd/engine"
	ofThePage   = "dist/sources.sha256" // build.mjs writes it
	ofTheEngine = "dist/engine.sha256"  // TestEngineFresh does
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

// pageSources returns what the pages are made from, as build.mjs has it.
func pageSources(dir string) ([]string, error) {
	names := []string{"build.mjs", "package.json", "package-lock.json", "tsconfig.json"}
	err := filepath.WalkDir(filepath.Join(dir, "src"), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "fixtures":
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		name, err := filepath.Rel(dir, path)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	return names, err
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

// TestPageFresh sees that the pages in dist were made from the sources as they are.
func TestPageFresh(t *testing.T) {
	names, err := pageSources(".")
	require.NoError(t, err)
	require.Greater(t, len(names), 10, "the test has found the sources")
	require.Contains(t, names, "src/compare/main.tsx")
	now, err := digests(".", names)
	require.NoError(t, err)
	built, err := os.ReadFile(ofThePage)
	require.NoError(t, err)
	require.Empty(t, changes(string(built), now), "the pages are older than these files: run make viewer")
}

// TestEngineFresh sees that the engine in dist was made from the sources as they are, and that all files there are
// those of the last build.
func TestEngineFresh(t *testing.T) {
	names, err := engineSources()
	require.NoError(t, err)
	require.Greater(t, len(names), 10, "the test has found the sources")
	now, err := digests(root, append(names, "traces/viewer/dist/page.html", "traces/viewer/dist/compare.html", "traces/viewer/dist/engine.wasm.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, engine, "there is an engine")
	now = byFolder(now)
	if *update {
		require.NoError(t, os.WriteFile(ofTheEngine, []byte(now), 0o644))
	}
	built, err := os.ReadFile(ofTheEngine)
	require.NoError(t, err)
	require.Empty(t, changes(string(built), now), "the engine is older than what is in these folders, or dist was changed by hand: run make viewer")
}

// TestStale shows the two tests above able to fail.
func TestStale(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	now := func() string {
		names, err := pageSources(dir)
		require.NoError(t, err)
		lines, err := digests(dir, names)
		require.NoError(t, err)
		return lines
	}
	for _, name := range []string{"build.mjs", "package.json", "package-lock.json", "tsconfig.json", "src/main.tsx", "src/ring/Ring.tsx"} {
		write(name, "one\ntwo\n")
	}
	built := now()
	require.Equal(t, 6, strings.Count(built, "\n"))
	require.Empty(t, changes(built, now()))
	write("src/main.tsx", "one\r\ntwo\r\n")
	write("src/fixtures/film.json", "{}")
	require.Empty(t, changes(built, now()), "neither ends of lines nor fixtures count")
	write("src/main.tsx", "one\ntwo")
	write("src/ring/More.tsx", "")
	require.NoError(t, os.Remove(filepath.Join(dir, "src/ring/Ring.tsx")))
	require.ElementsMatch(t, []string{"src/main.tsx", "src/ring/More.tsx", "src/ring/Ring.tsx"}, changes(built, now()))
	require.Equal(t, 3, strings.Count(byFolder(built), "\n"))
	require.ElementsMatch(t, []string{"src", "src/ring"}, changes(byFolder(built), byFolder(now())))
	require.NoError(t, os.Remove(filepath.Join(dir, "package-lock.json")))
	names, err := pageSources(dir)
	require.NoError(t, err)
	_, err = digests(dir, names)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
