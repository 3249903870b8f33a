package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFewPackages holds how much of this module is behind the command of nodes: what a node does not need belongs to the workbench.
func TestFewPackages(t *testing.T) {
	listed, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	var ours []string
	for path := range strings.Lines(string(listed)) {
		if strings.HasPrefix(path, "github.com/seed-fdf591db/bully/") {
			ours = append(ours, path)
		}
	}
	require.NotEmpty(t, ours)
	require.LessOrEqual(t, len(ours), 22, "%s", ours)
}

// mostBytes is how large the command of nodes may be, as a plain go build makes it of a clean clone on linux/amd64; it may only fall. A sixth
// of it is the engine of the live page.
const mostBytes = 18_380_000

// TestSmall holds what everybody downloads, copies to every node, and keeps in images. If it grows, look at what has come in:
//
//	go build -o bully ./impl/cmd/bully && go tool nm -size -sort size bully
func TestSmall(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("programs have other sizes elsewhere")
	}
	program := filepath.Join(t.TempDir(), "bully")
	said, err := exec.Command("go", "build", "-overlay", asCloned(t), "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", said)
	built, err := os.Stat(program)
	require.NoError(t, err)
	t.Logf("%d bytes", built.Size())
	require.LessOrEqual(t, built.Size(), int64(mostBytes))
}

// asCloned returns the name of a file that lets go build do as if make viewer had not been run: what that makes is in no clone.
func asCloned(t *testing.T) string {
	fresh, err := filepath.Abs("../../../traces/viewer/dist/fresh")
	require.NoError(t, err)
	made, err := filepath.Glob(filepath.Join(fresh, "*"))
	require.NoError(t, err)
	gone := map[string]string{}
	for _, file := range made {
		gone[file] = ""
	}
	text, err := json.Marshal(map[string]any{"Replace": gone})
	require.NoError(t, err)
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(overlay, text, 0o644))
	return overlay
}
