package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/proctest"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// forAPage runs the go command as for a page, and returns what it prints.
func forAPage(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// TestForAPage builds the program for a page.
func TestForAPage(t *testing.T) {
	slowtest.Only(t, "it builds a program for WebAssembly")
	require.NoError(t, proctest.Depend(".", "GOOS=js", "GOARCH=wasm"))
	engine := filepath.Join(t.TempDir(), "engine.wasm")
	forAPage(t, "build", "-ldflags=-s -w", "-o", engine, ".")
	program, err := os.ReadFile(engine)
	require.NoError(t, err)
	require.Equal(t, "\x00asm", string(program[:4]))
}

// TestWithoutNetwork sees that the program for a page needs no network, which would make it half as large again.
func TestWithoutNetwork(t *testing.T) {
	packages := strings.Fields(forAPage(t, "list", "-deps", "."))
	require.Greater(t, len(packages), 50)
	for _, name := range []string{"net", "net/http", "crypto/tls", "log/slog", "testing"} {
		require.NotContains(t, packages, name)
	}
}
