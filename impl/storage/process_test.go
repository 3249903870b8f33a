package storage

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// childFolder is the variable that makes this test program a node that does nothing but save; childChanging makes it one of
// changing members, childGroups one in many groups, and childOldWay one that writes nothing in place.
const (
	childFolder   = "BULLY_STORAGE_TEST_FOLDER"
	childChanging = "BULLY_STORAGE_TEST_CHANGING"
	childOldWay   = "BULLY_STORAGE_TEST_OLD_WAY"
	childGroups   = "BULLY_STORAGE_TEST_GROUPS"
)

func TestMain(m *testing.M) {
	if os.Getenv(childOldWay) != "" {
		slotsHead = nil
	}
	if dir := os.Getenv(childFolder); dir != "" {
		save := saveForEver
		if os.Getenv(childGroups) != "" {
			save = saveGroupsForEver
		}
		if err := save(dir, os.Getenv(childChanging) != ""); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// openChild opens the record of a child. If members change it makes one if there is none.
func openChild(dir string, changing bool) (*File, error) {
	if !changing {
		return Open(dir, me.id, me.members)
	}
	if err := Init(dir, who, first); err != nil && !errors.Is(err, ErrExists) {
		return nil, err
	}
	return OpenChanging(dir)
}

// childPromise is what a child saves of an epoch. A configuration is of its epoch, so that the two are known to be of one
// save.
func childPromise(epoch spec.Epoch, changing bool) spec.Durable {
	switch {
	case !changing && epoch == 0:
		return promise(0, 0)
	case !changing:
		return promise(epoch, 5)
	case epoch == 0:
		return held(0, 0, first)
	}
	return held(epoch, 5, members(epoch, uint64(epoch), 1, 3, 100+uint64(epoch)))
}

// saveForEver saves rising epochs, and says each when Save has returned. It ends when nobody listens.
func saveForEver(dir string, changing bool) error {
	f, err := openChild(dir, changing)
	if err != nil {
		return err
	}
	p, found, err := f.Load()
	if err != nil {
		return err
	}
	fmt.Println("open", found)
	epoch := p.Epoch
	if found {
		epoch++
	}
	for ; ; epoch++ {
		if err := f.Save(childPromise(epoch, changing)); err != nil {
			return err
		}
		if _, err := fmt.Println("saved", epoch); err != nil {
			return nil
		}
	}
}

// child is a process that saves for ever.
type child struct {
	command *exec.Cmd
	output  *bufio.Reader
	lines   []string
}

func start(t *testing.T, dir string, changing bool) *child {
	program, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(program)
	command.Env = append(os.Environ(), childFolder+"="+dir)
	if changing {
		command.Env = append(command.Env, childChanging+"=yes")
	}
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	return &child{command: command, output: bufio.NewReader(output)}
}

// read waits for so many lines of what it says.
func (c *child) read(t *testing.T, count int) {
	for range count {
		line, err := c.output.ReadString('\n')
		if err != nil || strings.HasPrefix(line, "error") {
			c.kill()
			require.FailNow(t, "the child has ended by itself", "%q %v", line, err)
		}
		c.lines = append(c.lines, strings.TrimSpace(line))
	}
}

// kill ends it with signal 9, and returns all the lines that it has said whole.
func (c *child) kill() []string {
	_ = c.command.Process.Kill() // fails if it has ended
	for {
		line, err := c.output.ReadString('\n')
		if err != nil {
			break
		}
		c.lines = append(c.lines, strings.TrimSpace(line))
	}
	_ = c.command.Wait() // says that it was killed
	return c.lines
}

// TestKill kills a process that saves, with signal 9 at random moments, and looks whether its record is at least what
// it said last, and at most one above. The kernel survives, so nothing is learned of fsync here: that is what
// TestEveryCrash is for. Every fourth round begins with an empty folder, so that first saves are killed too, and the making
// of records where members change.
func TestKill(t *testing.T) {
	slowtest.NoRace(t, "it kills processes that save in one goroutine")
	t.Run("fixed", func(t *testing.T) { killOften(t, 40, false) })
	t.Run("changing", func(t *testing.T) { killOften(t, 40, true) })
	t.Run("old way", func(t *testing.T) {
		t.Setenv(childOldWay, "yes")
		oldWay(t)
		killOften(t, 20, false)
	})
}

func killOften(t *testing.T, rounds int, changing bool) {
	var dir string
	durable, found, saves := spec.Epoch(0), false, 0
	for round := range rounds {
		waitFor := 1 + rand.IntN(8)
		if round%4 == 0 {
			dir, durable, found = filepath.Join(t.TempDir(), strconv.Itoa(round)), 0, false
			waitFor = rand.IntN(2)
		}
		process := start(t, dir, changing)
		process.read(t, waitFor)
		time.Sleep(rand.N(2 * time.Millisecond))
		for _, line := range process.kill() {
			word, number, _ := strings.Cut(line, " ")
			if word != "saved" {
				require.Equal(t, "open "+strconv.FormatBool(found), line)
				continue
			}
			epoch, err := strconv.ParseUint(number, 10, 64)
			require.NoError(t, err)
			require.GreaterOrEqual(t, spec.Epoch(epoch), durable)
			durable, found = spec.Epoch(epoch), true
			saves++
		}
		f, err := openChild(dir, changing)
		require.NoError(t, err)
		p, has, err := f.Load()
		require.NoError(t, err)
		if has || changing {
			require.Equal(t, childPromise(p.Epoch, changing), p, "the promise and the configuration are of one save")
		}
		require.True(t, has || !found, "epoch %d was saved, and there is no record", durable)
		require.GreaterOrEqual(t, p.Epoch, durable, "what was saved is there")
		require.LessOrEqual(t, p.Epoch, durable+1, "nothing is there that was not asked for")
		durable, found = p.Epoch, has
		require.NoError(t, f.Close())
	}
	require.Greater(t, saves, rounds, "the processes have lived long enough to save")
	t.Logf("%d rounds, %d saves", rounds, saves)
}

func TestLockBetweenProcesses(t *testing.T) {
	dir := t.TempDir()
	process := start(t, dir, false)
	process.read(t, 1)
	_, err := Open(dir, me.id, me.members)
	require.ErrorIs(t, err, ErrLocked)
	require.ErrorContains(t, err, dir+" is in use by process ")
	require.NotContains(t, err.Error(), "process "+strconv.Itoa(os.Getpid())+":") // the name of the folder may have any digits
	_, err = Raise(dir, me.id, me.members, 1<<40)
	require.ErrorIs(t, err, ErrLocked)
	_, err = OpenChanging(dir)
	require.ErrorIs(t, err, ErrLocked)
	_, err = RaiseChanging(dir, who, first, 1<<40)
	require.ErrorIs(t, err, ErrLocked)
	require.ErrorIs(t, Init(dir, who, first), ErrLocked)
	report, err := Inspect(dir)
	require.NoError(t, err)
	require.True(t, report.Locked, "the record is locked while another process holds it")
	require.Contains(t, report.String(), "by process "+strconv.Itoa(report.Holder))
	process.kill()
	f := open(t, dir) // a lock that was left behind is none
	require.NoError(t, f.Close())
	report, err = Inspect(dir)
	require.NoError(t, err)
	require.False(t, report.Locked, "a lock ends with its process")
}

func TestLockWithinOneProcess(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	_, err := Open(dir, me.id, me.members)
	require.ErrorIs(t, err, ErrLocked)
	require.ErrorContains(t, err, "is in use by process "+strconv.Itoa(os.Getpid()))
	require.NoError(t, f.Save(promise(0, 0)), "the attempt has done no harm")
	require.NoError(t, f.Close())
	require.NoError(t, open(t, dir).Save(promise(1, 0)))
}

// TestLockThatIsRemoved removes the lock of a node that runs: no second one starts, for the folder itself is locked too, and the
// first saves no more, for not every file system can lock a folder.
func TestLockThatIsRemoved(t *testing.T) {
	dir := t.TempDir()
	first, err := Open(dir, n(3), nodes(5, 3, 1, 2, 4))
	require.NoError(t, err)
	require.NoError(t, first.Save(promise(0, 0)))
	require.NoError(t, os.Remove(filepath.Join(dir, folder.LockName)))
	_, err = Open(dir, n(3), nodes(5, 3, 1, 2, 4))
	require.ErrorIs(t, err, ErrLocked)
	require.ErrorContains(t, first.Save(promise(1, 4)), "another process may hold the folder now")
	require.NoError(t, first.Close())
	requirePromise(t, open(t, dir), promise(0, 0))
}
