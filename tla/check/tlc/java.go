package tlc

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// oldestJava is the oldest version that runs the pinned TLC and our driver.
const oldestJava = 11

// driver is the program that runs TLC many times in one JVM.
//
//go:embed Batch.java
var driver []byte

var javaVersion = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

// Java finds the java command: that of JAVA_HOME if it is set, or else the one in PATH. It
// must be of version 11 or later.
func Java(ctx context.Context) (string, error) {
	const install = "install Java 11 or later (Debian: apt-get install default-jdk-headless)"
	name := "java"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		name = filepath.Join(home, "bin", "java")
	}
	java, err := exec.LookPath(name)
	if err != nil {
		if name != "java" {
			return "", fmt.Errorf("JAVA_HOME is set, but there is no %s: correct it, or %s", name, install)
		}
		return "", errors.New("there is no Java: " + install)
	}
	said, err := exec.CommandContext(ctx, java, "-version").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s -version: %w: %s: %s", java, err, firstLines(string(said), 1), install)
	}
	m := javaVersion.FindSubmatch(said)
	if m == nil {
		return "", fmt.Errorf("%s does not say which version it is: %s", java, firstLines(string(said), 1))
	}
	if version, _ := strconv.Atoi(string(m[1])); version < oldestJava {
		return "", fmt.Errorf("%s is Java %s, which is too old: %s", java, m[1], install)
	}
	return java, nil
}

// Driver returns the folder with the compiled driver, which it compiles into the folder cache
// the first time. If this Java has no compiler, it says so to log and returns "": then every
// configuration gets a JVM of its own, which is as good, but slower.
func Driver(ctx context.Context, java, cache string, log io.Writer) (string, error) {
	classes := filepath.Join(cache, fmt.Sprintf("batch-%.12x", sha256.Sum256(driver)))
	if _, err := os.Stat(filepath.Join(classes, "Batch.class")); err == nil {
		return classes, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp(cache, "compile-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	source := filepath.Join(folder, "Batch.java")
	if err := os.WriteFile(source, driver, 0o644); err != nil {
		return "", err
	}
	compiled := filepath.Join(folder, "classes")
	said, err := exec.CommandContext(ctx, java, "--module", "jdk.compiler/com.sun.tools.javac.Main",
		"--release", strconv.Itoa(oldestJava), "-d", compiled, source).CombinedOutput()
	if err != nil && strings.Contains(string(said), "Module jdk.compiler not found") {
		_, _ = fmt.Fprintln(log, "This Java has no compiler (module jdk.compiler), so each configuration gets a JVM "+
			"of its own.\nA JDK makes this faster (Debian: apt-get install default-jdk-headless).")
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("compiling Batch.java with Java: %w\n%s", err, firstLines(string(said), 10))
	}
	if err := os.Rename(compiled, classes); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	return classes, nil
}
