package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// clone makes a clone of the repository as its commit is, and of what has changed since, in a folder of its own, and makes it one that can be released.
func clone(t *testing.T, version string) (folder string) {
	t.Helper()
	needGit(t)
	folder = filepath.Join(t.TempDir(), "clone")
	run := func(in, name string, args ...string) string {
		t.Helper()
		out, err := output(t.Context(), in, nil, name, args...)
		require.NoError(t, err)
		return out
	}
	run(root, "git", "clone", "--quiet", "--shared", ".", folder)
	for file := range strings.FieldsSeq(run(root, "git", "diff", "HEAD", "--name-only", "--diff-filter=d")) {
		text, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, file)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, file), text, 0o600))
	}
	file := filepath.Join(folder, page)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	text = append(bytes.TrimSuffix(text, []byte("\n")), "\n\n| "+version+" | 2.0 | more |\n"...) // section 17 is the last
	require.NoError(t, os.WriteFile(file, text, 0o600))
	commit(t, folder)
	return folder
}

// commit commits all, at a time that is always the same.
func commit(t *testing.T, folder string) {
	t.Helper()
	env := []string{"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z"}
	_, err := output(t.Context(), folder, nil, "git", "add", "-A")
	require.NoError(t, err)
	_, err = output(t.Context(), folder, env, "git", "-c", "user.name=a", "-c", "user.email=a@example.test", "commit", "--quiet", "--no-verify", "-m", "release")
	require.NoError(t, err)
}

// TestRelease makes a release twice, in two clones in folders of other names: every file is the same, byte by byte.
// What is on this machine alone is built; nothing else of a release depends on the platform.
func TestRelease(t *testing.T) {
	slowtest.Only(t, "it builds a release twice")
	const version = "v0.9.1"
	on := []platform{{"linux", runtime.GOARCH}}
	if runtime.GOOS != "linux" {
		on = append(on, platform{runtime.GOOS, runtime.GOARCH})
	}
	var sums []string
	var folder string
	for range 2 {
		cloned := clone(t, version)
		err := run(t.Context(), cloned, version, on, io.Discard)
		require.ErrorContains(t, err, "these now require v0.9.1: commit them, and make the release of that commit\n")
		require.ErrorContains(t, err, "impl/host/prometheus/go.mod required "+module+" v")
		err = run(t.Context(), cloned, version, on, io.Discard)
		require.ErrorContains(t, err, "these files have changed since: commit them, or stash them\n")
		require.ErrorContains(t, err, "impl/host/prometheus/go.mod")
		commit(t, cloned)
		var said strings.Builder
		require.NoError(t, run(t.Context(), cloned, version, on, &said))
		require.Regexp(t, `(?m)^  git tag v0\.9\.1 [0-9a-f]{40}$`, said.String())
		require.Regexp(t, `(?m)^  git tag impl/host/prometheus/v0\.9\.1 [0-9a-f]{40}$`, said.String())
		folder = filepath.Join(cloned, ".release", version)
		text, err := os.ReadFile(filepath.Join(folder, "SHA256SUMS"))
		require.NoError(t, err)
		sums = append(sums, string(text))
		changes, err := output(t.Context(), cloned, nil, "git", "status", "--porcelain")
		require.NoError(t, err)
		require.Empty(t, changes, "a release is no change of the tree")
	}
	require.Equal(t, sums[0], sums[1])
	for line := range strings.Lines(sums[0]) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.Equal(t, digestOf(text), sum, name)
	}
	notes, err := os.ReadFile(filepath.Join(folder, "NOTES.md"))
	require.NoError(t, err)
	require.Contains(t, string(notes), "# v0.9.1\n\nSpec 2.0, wire 3, trace 3. Built with go1.")
	require.Contains(t, string(notes), "go get "+module+"@v0.9.1 ")
	require.Contains(t, string(notes), "| v0.9.1 | 2.0 | more |")
	require.Contains(t, string(notes), "(spec/decisions/README.md)")
	checkSBOM(t, filepath.Join(folder, "bully.cdx.json"), "bully-linux-"+runtime.GOARCH, sums[0])
	checkImage(t, filepath.Join(folder, "bully.oci.tar"), version)
}

// checkSBOM: what the programs are made of is the standard library, as the go.mod of the root requires for tests alone.
func checkSBOM(t *testing.T, path, program, sums string) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var s sbom
	require.NoError(t, json.Unmarshal(text, &s))
	require.Equal(t, []string{"CycloneDX", "1.6", "2026-01-02T03:04:05Z"}, []string{s.Format, s.SpecVersion, s.Metadata.Timestamp})
	require.Equal(t, "pkg:golang/"+module+"@v0.9.1", s.Metadata.Component.Purl)
	var names []string
	for _, c := range s.Components {
		names = append(names, c.Name)
		if c.Name == program {
			require.Contains(t, sums, c.Hashes[0].Content+"  "+program)
		}
	}
	require.Contains(t, names, program)
	require.Equal(t, "std", names[len(names)-1], "the library imports nothing else: %v", names)
	require.Equal(t, strings.TrimPrefix(runtime.Version(), "go"), s.Components[len(s.Components)-1].Version)
}

// files reads an archive.
func files(t *testing.T, from io.Reader) (names []string, headers map[string]*tar.Header, texts map[string][]byte) {
	t.Helper()
	headers, texts = map[string]*tar.Header{}, map[string][]byte{}
	r := tar.NewReader(from)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names, headers, texts
		}
		require.NoError(t, err)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		names = append(names, h.Name)
		headers[h.Name], texts[h.Name] = h, text
	}
}

// checkImage follows the image from its index down, unpacks it into a folder, and runs it there as its root.
func checkImage(t *testing.T, path, version string) {
	archive, err := os.Open(path)
	require.NoError(t, err)
	defer archive.Close()
	_, _, blobs := files(t, archive)
	require.JSONEq(t, `{"imageLayoutVersion":"1.0.0"}`, string(blobs["oci-layout"]))
	blob := func(d descriptor, mediaType string, into any) []byte {
		t.Helper()
		require.Equal(t, mediaType, d.MediaType)
		algorithm, digest, _ := strings.Cut(d.Digest, ":")
		require.Equal(t, "sha256", algorithm)
		text := blobs["blobs/sha256/"+digest]
		require.Equal(t, digest, digestOf(text))
		require.Len(t, text, d.Size)
		if into != nil {
			require.NoError(t, json.Unmarshal(text, into))
		}
		return text
	}
	var top, all index
	require.NoError(t, json.Unmarshal(blobs["index.json"], &top))
	require.Len(t, top.Manifests, 1)
	require.Equal(t, version, top.Manifests[0].Annotations["org.opencontainers.image.ref.name"])
	blob(top.Manifests[0], typeIndex, &all)
	require.Len(t, all.Manifests, 1)
	require.Equal(t, imagePlatform{runtime.GOARCH, "linux"}, *all.Manifests[0].Platform)
	var m manifest
	var c imageConfig
	blob(all.Manifests[0], typeManifest, &m)
	blob(m.Config, typeConfig, &c)
	require.Equal(t, imagePlatform{runtime.GOARCH, "linux"}, c.imagePlatform)
	require.Equal(t, "65532:65532", c.Config.User)
	require.Len(t, m.Layers, 1)
	unzip, err := gzip.NewReader(bytes.NewReader(blob(m.Layers[0], typeLayer, nil)))
	require.NoError(t, err)
	layer, err := io.ReadAll(unzip)
	require.NoError(t, err)
	require.Equal(t, []string{"sha256:" + digestOf(layer)}, c.RootFS.DiffIDs)
	runImage(t, layer, c, version)
}

// runImage unpacks the only layer of an image, and runs what the image says there.
func runImage(t *testing.T, layer []byte, c imageConfig, version string) {
	names, headers, texts := files(t, bytes.NewReader(layer))
	require.Equal(t, []string{"LICENSE", "bully", "data/"}, names)
	require.True(t, headers["bully"].ModTime.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), "the program has the time of the commit")
	program, err := elf.NewFile(bytes.NewReader(texts["bully"]))
	require.NoError(t, err)
	for _, p := range program.Progs {
		require.NotEqual(t, elf.PT_INTERP, p.Type, "nothing else is in the image that could load it")
	}
	if folder := t.TempDir(); runtime.GOOS == "linux" {
		unpack(t, folder, names, headers, texts)
		out := inImage(t, folder, c, "version")
		require.Regexp(t, "^bully "+version+`, built with go1\.[^,\n]+, from [0-9a-f]{40}\n`, out)
		inImage(t, folder, c, "init", "-id", "1", "-cluster", "jobs", "-members", "1=127.0.0.1:7000", "-data", "/data/1")
		require.DirExists(t, filepath.Join(folder, "data", "1"), "the user may write there")
	}
}

// unpack writes files into a folder, as they are, and whose they are.
func unpack(t *testing.T, folder string, names []string, headers map[string]*tar.Header, texts map[string][]byte) {
	require.NoError(t, os.Chmod(filepath.Dir(folder), 0o755)) // for another user than this
	require.NoError(t, os.Chmod(folder, 0o755))
	for _, name := range names {
		path, mode := filepath.Join(folder, name), fs.FileMode(headers[name].Mode)
		if headers[name].Typeflag == tar.TypeDir {
			require.NoError(t, os.Mkdir(path, mode))
		} else {
			require.NoError(t, os.WriteFile(path, texts[name], mode))
		}
		if os.Getuid() == 0 {
			require.NoError(t, os.Chown(path, headers[name].Uid, headers[name].Gid))
		}
	}
}
