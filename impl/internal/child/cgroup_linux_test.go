package child

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
)

// TestGroupIsAFolder: what is asked of a control group is asked by files of its folder, and of none where there is none.
func TestGroupIsAFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	none := cgroup("")
	none.kill()
	none.remove()
	_, err := none.open()
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoFileExists(t, "cgroup.kill")

	c := cgroup(t.TempDir())
	folder, err := c.open()
	require.NoError(t, err)
	require.Equal(t, string(c), folder.Name())
	require.NoError(t, folder.Close())
	c.kill()
	said, err := os.ReadFile(filepath.Join(string(c), "cgroup.kill"))
	require.NoError(t, err)
	require.Equal(t, "1", string(said))
}

// TestGroupIsRemoved: as soon as it is empty, and if it stays as it is it is left there.
func TestGroupIsRemoved(t *testing.T) {
	bubbletest.Run(t, func(t *testing.T) {
		c := cgroup(filepath.Join(t.TempDir(), "group"))
		process := filepath.Join(string(c), "process")
		begin := time.Now()
		c.remove()
		require.Zero(t, time.Since(begin), "it is gone")

		require.NoError(t, os.Mkdir(string(c), 0o700))
		c.remove()
		require.Zero(t, time.Since(begin))
		require.NoDirExists(t, string(c))

		require.NoError(t, os.Mkdir(string(c), 0o700))
		require.NoError(t, os.WriteFile(process, nil, 0o600))
		c.remove()
		require.Equal(t, removePatience, time.Since(begin))
		require.DirExists(t, string(c))

		go func() {
			time.Sleep(removePatience / 2)
			_ = os.Remove(process)
		}()
		c.remove()
		require.NoDirExists(t, string(c))
		require.Less(t, time.Since(begin), 2*removePatience)
	})
}
