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

// TestFewPackages bounds how many packages the command of nodes is built from, those of this module and all. Code that a
// node does not need belongs to the workbench. The bounds leave room for a feature, and none for a library such as gRPC.
func TestFewPackages(t *testing.T) {
	t.Parallel()
	listed, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	var ours []string
	all := 0
	for path := range strings.Lines(string(listed)) {
		all++
		if strings.HasPrefix(path, "github.com/seed-fdf591db/bully/") {
			ours = append(ours, path)
		}
	}
	require.NotEmpty(t, ours, "go list names the packages of this module")
	require.LessOrEqual(t, len(ours), 25, "packages of this module: %s", ours)
	require.LessOrEqual(t, all, 235, "packages, with those of the standard library:\n%s", listed)
}

// TestSmall bounds the size of the program as releases and images have it, without data for debuggers, on linux/amd64. A
// sixth of it is the engine of the live page. The bound leaves a tenth of room. If the program is larger, list its parts:
//
//	go build -o bully ./impl/cmd/bully && go tool nm -size -sort size bully
func TestSmall(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("needs Linux: programs have other sizes elsewhere")
	}
	program := filepath.Join(t.TempDir(), "bully")
	said, err := exec.Command("go", "build", "-overlay", asCloned(t), "-ldflags", "-s -w", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", said)
	built, err := os.Stat(program)
	require.NoError(t, err)
	t.Logf("%d bytes", built.Size())
	require.LessOrEqual(t, built.Size(), int64(16_000_000), "bytes of the program")
}

// asCloned returns the name of a file that lets go build do as if make viewer had not been run: what that makes is in no clone.
func asCloned(t testing.TB) string {
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
