package folder

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSystems: in place is written where that has been argued for, and nowhere else.
func TestSystems(t *testing.T) {
	var inPlace []string
	for _, system := range systems {
		if system.InPlace {
			inPlace = append(inPlace, system.Name)
		}
	}
	slices.Sort(inPlace)
	require.Equal(t, []string{"ext2, ext3 or ext4", "tmpfs", "xfs"}, inPlace)

	for path, want := range map[string]System{
		"/proc":    {"of type 0x9fa0, which is not known", false},
		"/dev/shm": {"tmpfs", true},
	} {
		self, err := os.Open(path)
		if err != nil {
			t.Logf("%s is not looked at: %v", path, err)
			continue
		}
		require.Equal(t, want, systemOf(self))
		require.NoError(t, self.Close())
		require.Contains(t, systemOf(self).Name, "not known: ", "it is closed")
	}
	require.Equal(t, "in place, in two slots (the file system is xfs)", systems[0x58465342].String())
	require.Equal(t, "as a new file each time (the file system is btrfs)", systems[0x9123683E].String())
}
