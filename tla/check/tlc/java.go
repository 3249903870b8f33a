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

// ErrNoJava is what every error of Java wraps: TLC cannot run on this machine.
var ErrNoJava = errors.New("TLC needs Java " + strconv.Itoa(oldestJava) + " or later")

// Java finds the java command: that of JAVA_HOME if it is set, or else the one in PATH. It
// must be of version 11 or later.
func Java(ctx context.Context) (string, error) {
	java, err := findJava(ctx)
	if err != nil {
		return "", fmt.Errorf("%w, and %w", ErrNoJava, err)
	}
	return java, nil
}

// findJava is Java; its errors say what is wrong, and not what TLC needs.
func findJava(ctx context.Context) (string, error) {
	name := "java"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		name = filepath.Join(home, "bin", "java")
	}
	java, err := exec.LookPath(name)
	if err != nil {
		if name != "java" {
			return "", fmt.Errorf("JAVA_HOME is set, but there is no %s: correct it or unset it", name)
		}
		return "", errors.New("there is no java in PATH")
	}
	said, err := exec.CommandContext(ctx, java, "-version").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s -version fails: %w: %s", java, err, firstLines(string(said), 1))
	}
	m := javaVersion.FindSubmatch(said)
	if m == nil {
		return "", fmt.Errorf("%s does not say which version it is: %s", java, firstLines(string(said), 1))
	}
	if version, _ := strconv.Atoi(string(m[1])); version < oldestJava {
		return "", fmt.Errorf("%s is Java %s, which is too old", java, m[1])
	}
	return java, nil
}

// installers are the package managers that InstallJava knows, and their commands. A JDK has the
// compiler that Driver needs; a JRE does not. macOS has one of these alone, so the order is free.
var installers = []struct {
	program, command string
	root             bool // only root may run it
}{
	{"apt-get", "apt-get install -y default-jdk-headless", true},
	{"dnf", "dnf install -y java-devel", true},
	{"brew", "brew install --cask temurin", false},
}

// InstallJava returns the command that installs Java on this machine, or, if it knows no package
// manager here, the address of an installer.
func InstallJava() string {
	return installJava(os.Geteuid() == 0, func(program string) bool {
		_, err := exec.LookPath(program)
		return err == nil
	})
}

// installJava is InstallJava on a machine that has the programs for which has returns true.
func installJava(root bool, has func(program string) bool) string {
	for _, i := range installers {
		switch {
		case !has(i.program):
		case i.root && !root:
			return "sudo " + i.command
		default:
			return i.command
		}
	}
	return "open https://adoptium.net and install a JDK"
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
			"of its own.\nA JDK makes this faster: "+InstallJava())
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
