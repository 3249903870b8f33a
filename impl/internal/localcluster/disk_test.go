package localcluster

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDiskFails breaks the disk of one of five nodes in real ways, and kills the leader, so that every other has to
// write. The node stops, with status 1, and says why. The others go on, and elect the highest of them.
func TestDiskFails(t *testing.T) {
	t.Parallel()
	type row struct {
		name string
		// prepare returns the folder for the data of the node, and what breaks it once the node runs; or why it
		// cannot be broken so here.
		prepare func(t *testing.T) (data string, breakDisk func(c *Cluster, id int), err error)
		says    string
		id      int // 4 must write to win, 2 to grant
	}
	var rows []row
	for _, x := range []row{
		{"full", fullDisk, "no space left on device", 4},
		{"sync fails", failingSync, "input/output error", 4},
		{"file too large", fileLimit, "file too large", 4},
	} {
		rows = append(rows, x)
		x.id = 2
		rows = append(rows, x)
	}
	together(t, rows, func(x row) string { return fmt.Sprintf("%s at %d", x.name, x.id) }, func(t *testing.T, x row) {
		id := x.id
		data, breakDisk, err := x.prepare(t)
		if err != nil {
			t.Skip("needs a disk that fails: ", err)
		}
		c := bullies(t, Config{Nodes: 5, Command: steadyCommand(t, "-preempt", "300ms"), Data: func(n int) string {
			if n == id {
				return data
			}
			return filepath.Join(t.TempDir(), strconv.Itoa(n))
		}})
		require.NoError(t, c.Start())
		old := leads(t, c, 5, 0, c.IDs()...)
		breakDisk(c, id)
		_, err = c.Kill(5)
		require.NoError(t, err)
		ends(t, c, id)
		require.Equal(t, 1, c.ExitStatus(id), "it said:\n%s", c.Log(id))
		said := c.Log(id)
		require.Contains(t, said, x.says)
		left := c.IDs(5, id)
		next := leads(t, c, left[len(left)-1], old.Epoch, left...)
		t.Logf("the others go on: %d leads epoch %d; node %d said: %s", next.Leader, next.Epoch, id, lastLine(said))
	})
}

// lastLine returns the last line of a text.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// fullDisk gives the node a file system of its own on which nothing is written in place, and fills it.
func fullDisk(t *testing.T) (string, func(*Cluster, int), error) {
	disk, fill, err := smallDisk(t)
	if err != nil {
		return "", nil, err
	}
	at := func(name string) string {
		dir := filepath.Join(disk, name)
		require.NoError(t, os.Mkdir(dir, 0o700))
		return dir
	}
	dir := at("merged")
	if err := mount(t, dir, "-t", "overlay", "-o", "lowerdir="+at("lower")+",upperdir="+at("upper")+",workdir="+at("work"), "overlay"); err != nil {
		return "", nil, err
	}
	return filepath.Join(dir, "data"), func(*Cluster, int) { fill() }, nil
}

// smallDisk mounts a small tmpfs, and returns it and what fills it.
func smallDisk(t *testing.T) (dir string, fill func(), err error) {
	dir = t.TempDir()
	if err := mount(t, dir, "-t", "tmpfs", "-o", "size=128k", "none"); err != nil {
		return "", nil, err
	}
	return dir, func() {
		ballast, err := os.Create(filepath.Join(dir, "ballast"))
		require.NoError(t, err)
		defer func() { _ = ballast.Close() }()
		_, err = io.CopyN(ballast, zeros{}, 1<<20)
		require.ErrorIs(t, err, syscall.ENOSPC)
	}, nil
}

// mount mounts a file system until the test ends.
func mount(t *testing.T, dir string, arguments ...string) error {
	if out, err := exec.Command("mount", append(arguments, dir)...).CombinedOutput(); err != nil {
		return fmt.Errorf("a full disk needs a file system of its own, and mount says: %w: %s", err, out)
	}
	t.Cleanup(func() { require.NoError(t, exec.Command("umount", "-l", dir).Run()) })
	return nil
}

// TestFullDiskInPlace fills the disk of the node that is to lead next. Its record is written where it is, and that needs no room: it leads.
func TestFullDiskInPlace(t *testing.T) {
	t.Parallel()
	dir, fill, err := smallDisk(t)
	if err != nil {
		t.Skip("needs a disk that fails: ", err)
	}
	c := bullies(t, Config{Nodes: 3, Command: steadyCommand(t, "-preempt", "300ms"), Data: func(n int) string {
		if n == 2 {
			return filepath.Join(dir, "data")
		}
		return filepath.Join(t.TempDir(), strconv.Itoa(n))
	}})
	require.NoError(t, c.Start())
	old := leads(t, c, 3, 0, c.IDs()...)
	fill()
	_, err = c.Kill(3)
	require.NoError(t, err)
	leads(t, c, 2, old.Epoch, c.IDs(3)...)
	require.Contains(t, c.Log(2), `saved="in place, in two slots (the file system is tmpfs)"`)
}

// zeros are zero bytes without end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// failingSync lets the kernel answer each fsync of the node with an error, by way of strace.
func failingSync(t *testing.T) (string, func(*Cluster, int), error) {
	if err := CanInject(); err != nil {
		return "", nil, fmt.Errorf("an fsync that fails: %w", err)
	}
	return filepath.Join(t.TempDir(), "data"), func(c *Cluster, id int) {
		end, err := c.InjectFsync(id, "error=EIO")
		require.NoError(t, err)
		t.Cleanup(end)
	}, nil
}

// fileLimit forbids the node to write files (RLIMIT_FSIZE).
func fileLimit(t *testing.T) (string, func(*Cluster, int), error) {
	prlimit, err := exec.LookPath("prlimit")
	if err != nil {
		return "", nil, errors.New("a limit for files of a process that runs needs prlimit, which is not installed")
	}
	return filepath.Join(t.TempDir(), "data"), func(c *Cluster, id int) {
		pid, err := c.PID(id)
		require.NoError(t, err)
		out, err := exec.Command(prlimit, "--pid", strconv.Itoa(pid), "--fsize=0").CombinedOutput()
		require.NoError(t, err, "%s", out)
	}, nil
}
