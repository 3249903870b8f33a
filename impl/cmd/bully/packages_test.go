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
	t.Parallel()
	listed, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	var ours []string
	for path := range strings.Lines(string(listed)) {
		if strings.HasPrefix(path, "github.com/seed-fdf591db/bully/") {
			ours = append(ours, path)
		}
	}
	require.NotEmpty(t, ours, "go list names the packages of this module")
	require.LessOrEqual(t, len(ours), 22, "%s", ours)
}

// TestSmall holds what everybody downloads, copies to every node, and keeps in images: of a clean clone on linux/amd64, by a plain go build, and as releases and
// images have it, without what is for debuggers. It may only fall; a sixth of it is the engine of the live page. If it grows, look at what has come in:
//
//	go build -o bully ./impl/cmd/bully && go tool nm -size -sort size bully
func TestSmall(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("programs have other sizes elsewhere")
	}
	for flags, most := range map[string]int64{"": 19_000_000, "-s -w": 14_300_000} {
		program := filepath.Join(t.TempDir(), "bully")
		said, err := exec.Command("go", "build", "-overlay", asCloned(t), "-ldflags", flags, "-o", program, ".").CombinedOutput()
		require.NoError(t, err, "%s", said)
		built, err := os.Stat(program)
		require.NoError(t, err)
		t.Logf("%d bytes with -ldflags %q", built.Size(), flags)
		require.LessOrEqual(t, built.Size(), most, "with -ldflags %q", flags)
	}
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
