// Release makes all that a release of this repository has, in the folder .release/VERSION:
//
//	make release VERSION=v0.1.0
//
// That is programs for Linux and macOS, an image for containers with the same programs, what they are made of (an SBOM), the notes, and
// the SHA-256 sums of all. The same commit and the same Go give the same bytes, whoever makes them, and wherever.
//
// It makes nothing of a tree that has changes, of a version that section 17 of the specification does not tell of, and of modules
// that require another version of each other: those it sets, to be committed.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The module, the command that is released, and the package whose variables the linker sets.
const (
	module  = "github.com/seed-fdf591db/bully"
	command = module + "/impl/cmd/bully"
	stamped = module + "/impl/internal/cli"
)

// A platform is what a program runs on.
type platform struct{ OS, Arch string }

// platforms are those that a release has programs for.
func platforms() []platform {
	return []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}
}

// A build is what all that is made is made from.
type build struct {
	Root    string // the folder of the repository
	Version string
	Commit  string
	Time    time.Time // of the commit: the only time that is written into anything
	Out     io.Writer // is told what is done
}

// An artifact is a file of the release.
type artifact struct {
	Name, Path string
	On         platform // zero if it is no program
}

func main() {
	version := flag.String("version", "", "the `version`, such as v0.1.0")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, ".", *version, platforms(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run makes the release of a version in the repository whose folder is root.
func run(ctx context.Context, root, version string, on []platform, out io.Writer) error {
	b, notes, err := prepare(ctx, root, version, out)
	if err != nil {
		return err
	}
	folder := filepath.Join(b.Root, ".release", version)
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := b.makeAll(ctx, folder, on, notes); err != nil {
		return err
	}
	tags, err := tagsOf(ctx, b.Root, version)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s is in %s. To publish it, tag the commit once a module, and push the tags:\n", version, folder)
	for _, tag := range tags {
		fmt.Fprintf(out, "  git tag %s %s\n", tag, b.Commit)
	}
	return nil
}

// versions are those that a module can have: what Go says in its reference of modules, and no build metadata.
var versions = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

// prepare says what the release is made from, and its notes. An error says what is to be done before.
func prepare(ctx context.Context, root, version string, out io.Writer) (build, string, error) {
	if !versions.MatchString(version) {
		return build{}, "", fmt.Errorf("want a version such as v0.1.0, not %q: make release VERSION=v0.1.0", version)
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return build{}, "", err
	}
	b := build{Root: root, Version: version, Out: out}
	notes, err := b.notes()
	if err != nil {
		return build{}, "", err
	}
	if err := b.setRequired(ctx); err != nil {
		return build{}, "", err
	}
	changes, err := output(ctx, root, nil, "git", "status", "--porcelain")
	if err != nil {
		return build{}, "", err
	}
	if changes != "" {
		return build{}, "", fmt.Errorf("a release is made of a commit, and these files have changed since: commit them, or stash them\n%s", changes)
	}
	said, err := output(ctx, root, nil, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return build{}, "", err
	}
	var seconds int64
	if _, err := fmt.Sscan(said, &b.Commit, &seconds); err != nil {
		return build{}, "", fmt.Errorf("git log says %q: %w", said, err)
	}
	b.Time = time.Unix(seconds, 0).UTC()
	return b, notes, nil
}

// makeAll makes what the release has.
func (b build) makeAll(ctx context.Context, folder string, on []platform, notes string) error {
	var all []artifact
	add := func(name string) artifact {
		a := artifact{Name: name, Path: filepath.Join(folder, name)}
		all = append(all, a)
		return a
	}
	var programs []artifact
	for _, p := range on {
		a := add("bully-" + p.OS + "-" + p.Arch)
		a.On = p
		fmt.Fprintln(b.Out, "building", a.Name)
		if err := b.compile(ctx, p, a.Path); err != nil {
			return err
		}
		programs = append(programs, a)
	}
	license, err := os.ReadFile(filepath.Join(b.Root, "LICENSE"))
	if err != nil {
		return err
	}
	sbom, err := b.sbom(programs)
	if err != nil {
		return err
	}
	image, err := b.image(programs, license)
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name string
		text []byte
	}{
		{"LICENSE", license}, {"NOTES.md", []byte(notes)}, {"bully.cdx.json", sbom}, {"bully.oci.tar", image},
	} {
		if err := os.WriteFile(add(file.name).Path, file.text, 0o644); err != nil {
			return err
		}
	}
	sums, err := sumsOf(all)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "SHA256SUMS"), []byte(sums), 0o644)
}

// sumsOf returns what sha256sum -c reads.
func sumsOf(all []artifact) (string, error) {
	slices.SortFunc(all, func(a, b artifact) int { return strings.Compare(a.Name, b.Name) })
	var sums strings.Builder
	for _, a := range all {
		text, err := os.ReadFile(a.Path)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&sums, "%s  %s\n", digestOf(text), a.Name)
	}
	return sums.String(), nil
}

// digestOf returns the SHA-256 sum of a text, in hexadecimal.
func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// compile builds the command for a platform. Nothing of the folder, the machine or the hour is in it: the version and the commit are said by
// the linker, as Go leaves them out where the source is not a clone.
func (b build) compile(ctx context.Context, on platform, path string) error {
	env := []string{"CGO_ENABLED=0", "GOOS=" + on.OS, "GOARCH=" + on.Arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off"}
	_, err := output(ctx, b.Root, env, "go", "build", "-trimpath", "-buildvcs=false", "-o", path,
		"-ldflags", "-s -w -buildid= -X "+stamped+".release="+b.Version+" -X "+stamped+".commit="+b.Commit, command)
	return err
}

// output runs a command in a folder, and returns what it prints.
func output(ctx context.Context, folder string, env []string, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = folder, append(os.Environ(), env...)
	var log bytes.Buffer
	c.Stderr = &log
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(c.Args, " "), err, bytes.TrimSpace(log.Bytes()))
	}
	return strings.TrimRight(string(out), "\n"), nil
}
