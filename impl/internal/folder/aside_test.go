package folder_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
)

// TestSetAsideAgain: what is put aside takes the place of nothing, be it a file or what is none.
func TestSetAsideAgain(t *testing.T) {
	dir := t.TempDir()
	f, err := folder.Open(dir, "record")
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	aside := func(n string) string { return filepath.Join(dir, "record"+folder.AsideSuffix+n) }
	require.NoError(t, os.Mkdir(aside("2"), 0o700))
	for _, want := range []string{"1", "3"} {
		require.NoError(t, f.Replace([]byte(want)))
		path, err := f.SetAside()
		require.NoError(t, err)
		require.Equal(t, aside(want), path)
	}
	for _, n := range []string{"1", "3"} {
		kept, err := os.ReadFile(aside(n))
		require.NoError(t, err)
		require.Equal(t, n, string(kept))
	}
}

// TestNoFolder: a folder that is not there, or is none, is said to be so.
func TestNoFolder(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	_, err := folder.Look(nowhere, "record", 10)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, os.WriteFile(nowhere, nil, 0o600))
	_, err = folder.Open(nowhere, "record")
	require.ErrorContains(t, err, nowhere+" is not a folder")
}
