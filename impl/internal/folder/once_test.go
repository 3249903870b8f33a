package folder_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
)

// TestWriteOnce lets many write at once: one does, whole, and the others are told so.
func TestWriteOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	var writing sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		writing.Go(func() { errs[i] = folder.WriteOnce(dir, "once", []byte{byte(i), byte(i)}) })
	}
	writing.Wait()
	data, err := os.ReadFile(filepath.Join(dir, "once"))
	require.NoError(t, err)
	require.Len(t, data, 2)
	for i, err := range errs {
		if i == int(data[0]) {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, fs.ErrExist)
		}
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing is left beside it")

	require.ErrorContains(t, folder.WriteOnce(filepath.Join(dir, "once"), "x", nil), "is not a folder")

	require.NoError(t, folder.SyncNames(dir))
	require.ErrorIs(t, folder.SyncNames(filepath.Join(dir, "gone")), fs.ErrNotExist)
}
