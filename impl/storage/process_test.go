package storage

import (
	"bufio"
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

	"github.com/seed-fdf591db/bully/impl/storage/folder"
	"github.com/seed-fdf591db/bully/spec"
)

// childFolder is the variable that makes this test program a node that does nothing but save.
const childFolder = "BULLY_STORAGE_TEST_FOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		if err := saveForEver(dir); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// saveForEver saves rising epochs, and says each when Save has returned. It ends when nobody listens.
func saveForEver(dir string) error {
	f, err := Open(dir, me.id, me.members)
	if err != nil {
		return err
	}
	p, found, err := f.Load()
	if err != nil {
		return err
	}
	fmt.Println("open", found)
	if !found {
		if err := f.Save(promise(0, 0)); err != nil {
			return err
		}
		fmt.Println("saved", 0)
	}
	for epoch := p.Epoch + 1; ; epoch++ {
		if err := f.Save(promise(epoch, 5)); err != nil {
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

func start(t *testing.T, dir string) *child {
	program, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(program)
	command.Env = append(os.Environ(), childFolder+"="+dir)
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
// TestEveryCrash is for. Every fourth round begins with an empty folder, so that first saves are killed too.
func TestKill(t *testing.T) {
	const rounds = 60
	var dir string
	durable, found, saves := spec.Epoch(0), false, 0
	for round := range rounds {
		waitFor := 1 + rand.IntN(8)
		if round%4 == 0 {
			dir, durable, found = filepath.Join(t.TempDir(), strconv.Itoa(round)), 0, false
			waitFor = rand.IntN(2)
		}
		process := start(t, dir)
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
		f, err := Open(dir, me.id, me.members)
		require.NoError(t, err)
		p, has, err := f.Load()
		require.NoError(t, err)
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
	process := start(t, dir)
	process.read(t, 1)
	_, err := Open(dir, me.id, me.members)
	require.ErrorIs(t, err, ErrLocked)
	require.ErrorContains(t, err, dir+" is in use by process ")
	require.NotContains(t, err.Error(), strconv.Itoa(os.Getpid()))
	_, err = Raise(dir, me.id, me.members, 1<<40)
	require.ErrorIs(t, err, ErrLocked)
	report, err := Inspect(dir)
	require.NoError(t, err)
	require.True(t, report.Locked)
	require.Contains(t, report.String(), "by process "+strconv.Itoa(report.Holder))
	process.kill()
	f := open(t, dir) // a lock that was left behind is none
	require.NoError(t, f.Close())
	report, err = Inspect(dir)
	require.NoError(t, err)
	require.False(t, report.Locked)
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

// TestLockThatIsRemoved removes the lock of a node that runs, so that a second one can start: the first then saves no
// more.
func TestLockThatIsRemoved(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir)
	require.NoError(t, first.Save(promise(0, 0)))
	require.NoError(t, os.Remove(filepath.Join(dir, folder.LockName)))
	second := open(t, dir)
	require.NoError(t, second.Save(promise(1, 5)))
	require.ErrorContains(t, first.Save(promise(1, 4)), "another process may hold the folder now")
	require.NoError(t, second.Save(promise(2, 5)))
}
