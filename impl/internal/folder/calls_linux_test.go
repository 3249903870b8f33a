package folder_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// lifeFolder is the variable that makes this test program open a folder, write to it, and say what came of it.
const lifeFolder = "BULLY_FOLDER_TEST_FOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(lifeFolder); dir != "" {
		live := live
		if os.Getenv(starving) != "" {
			live = starve
		}
		if err := live(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// live takes all the steps of a folder's life, in one thread: strace counts the calls of each for itself.
func live(dir string) error {
	runtime.LockOSThread()
	f, err := folder.Open(dir, "record")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if os.Getenv(inPlace) != "" {
		f.InSlots(head)
	}
	_, found, err := f.Load(100)
	if err != nil {
		return err
	}
	if found {
		if err := f.Mark(); err != nil {
			return err
		}
	}
	for _, content := range []string{"one", "two"} {
		if err := f.Replace([]byte(content)); err != nil {
			return err
		}
	}
	_, err = f.SetAside()
	return err
}

// inPlace is the variable that makes a life one of a file that is written in place.
const inPlace = "BULLY_FOLDER_TEST_IN_PLACE"

// starving is the variable that makes a life one without a file descriptor left.
const starving = "BULLY_FOLDER_TEST_STARVING"

// starve writes twice while nothing else can be opened: the first time a marker is made too.
func starve(dir string) error {
	few := syscall.Rlimit{Cur: 64, Max: 64}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		return err
	}
	f, err := folder.Open(dir, "record")
	if err != nil {
		return err
	}
	if os.Getenv(inPlace) != "" {
		f.InSlots(head)
	}
	for err == nil {
		_, err = os.Open("/dev/null")
	}
	if !errors.Is(err, syscall.EMFILE) {
		return fmt.Errorf("not starved: %w", err)
	}
	for _, content := range []string{"one", "two"} {
		if err := f.Replace([]byte(content)); err != nil {
			return err
		}
	}
	if file, err := os.Open("/dev/null"); err == nil {
		return fmt.Errorf("the spare descriptor was not taken again, but is now %d", file.Fd())
	}
	return f.Close()
}

// TestNoDescriptorLeft writes while the process has no file descriptor left but the one that is kept for that.
func TestNoDescriptorLeft(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	for _, slots := range []string{"", "yes"} {
		dir := t.TempDir()
		command := exec.Command(program)
		command.Env = append(os.Environ(), lifeFolder+"="+dir, starving+"=1", inPlace+"="+slots)
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
		text, err := os.ReadFile(filepath.Join(dir, "record"))
		require.NoError(t, err)
		if content, is, err := folder.ReadSlots(head, text); is {
			require.NoError(t, err)
			text = content
		}
		require.Equal(t, "two", string(text))
	}
}

// traced runs a life under strace, with options for it. It returns the calls that have made something durable or changed
// names, with paths relative to the folder base, and what the life has said. It skips the test if strace cannot trace.
func traced(t *testing.T, base, dir string, options ...string) (calls []string, said string) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("needs strace")
	}
	if out, err := exec.Command(strace, "-qq", "-e", "trace=none", "true").CombinedOutput(); err != nil {
		t.Skipf("needs strace: it may not trace here: %v: %s", err, out)
	}
	program, err := os.Executable()
	require.NoError(t, err)
	log := filepath.Join(t.TempDir(), "log")
	command := exec.Command(strace, append(slices.Concat(
		[]string{"-f", "-y", "-qq", "-o", log, "-e", "signal=none", "-e", "trace=fsync,fdatasync,renameat,renameat2,mkdirat,flock,ftruncate,pwrite64"},
		options), program)...)
	command.Env = append(command.Environ(), lifeFolder+"="+dir)
	out, err := command.CombinedOutput()
	require.Equal(t, err != nil, len(out) > 0, "%v: %s", err, out)
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if call := relative(line, base); call != "" {
			calls = append(calls, call)
		}
	}
	return calls, string(out)
}

var (
	callName = regexp.MustCompile(`^\d+ +(\w+)\(`)
	quoted   = regexp.MustCompile(`"([^"]*)"`)
	opened   = regexp.MustCompile(`^\d+ +\w+\(\d+<([^>]*)>`)
)

// relative returns a line of strace as a call and the paths below base that it is about, or "" if there are none.
func relative(line, base string) string {
	name := callName.FindStringSubmatch(line)
	if name == nil || !strings.Contains(line, base) {
		return ""
	}
	words := []string{name[1]}
	if slices.Contains([]string{"fsync", "fdatasync", "flock", "pwrite64", "ftruncate"}, name[1]) {
		words = append(words, below(base, opened.FindStringSubmatch(line)[1]))
	} else {
		for _, path := range quoted.FindAllStringSubmatch(line, -1) {
			words = append(words, below(base, path[1]))
		}
	}
	return strings.Join(words, " ")
}

func below(base, path string) string {
	if rest, err := filepath.Rel(base, path); err == nil {
		return rest
	}
	return path
}

// TestCallsOfTheKernel holds a folder on a real file system to the order in which things are made durable: what is missing
// here a crash of the machine would show, and nothing else.
func TestCallsOfTheKernel(t *testing.T) {
	slowtest.NoRace(t, "another process runs the code under test, in one goroutine")
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir := filepath.Join(base, "a", "b")
	calls, said := traced(t, base, dir)
	require.Empty(t, said)
	written := []string{"fsync a/b/record.tmp", "renameat record.tmp record", "fsync a/b"}
	calls = slices.DeleteFunc(calls, func(call string) bool {
		return call == "ftruncate a/b/lock" || call == "pwrite64 a/b/lock"
	})
	require.Equal(t, slices.Concat(
		[]string{"mkdirat a", "fsync .", "mkdirat a/b", "fsync a", "flock a/b", "flock a/b/lock", "fsync a"},
		written, []string{"fsync a/b/record.kept", "fsync a/b"},
		written,
		[]string{"renameat record record.bad-1", "fsync a/b"},
	), calls)
	for path, mode := range map[string]os.FileMode{"a": 0o700, "a/b": 0o700, "a/b/lock": 0o600, "a/b/record.kept": 0o600, "a/b/record.bad-1": 0o600} {
		info, err := os.Stat(filepath.Join(base, path))
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().Perm(), path)
	}

	require.NoError(t, os.Rename(filepath.Join(dir, "record.bad-1"), filepath.Join(dir, "record")))
	calls, said = traced(t, base, dir, "-e", "trace=fsync,renameat,renameat2,mkdirat")
	require.Empty(t, said)
	require.Equal(t, slices.Concat(written, written, []string{"renameat record record.bad-1", "fsync a/b"}), calls,
		"the folder, and that there has been a record, are durable already")
}

// writesInPlace skips a test where the file system is not one that is written in place.
func writesInPlace(t *testing.T, dir string) {
	t.Setenv(inPlace, "yes")
	if view, err := folder.Look(dir, "record", 0); err != nil || !view.System.InPlace {
		t.Skipf("needs a file system that writes in place: here files are written %v: %v", view.System, err)
	}
}

// TestCallsInPlace is TestCallsOfTheKernel for a file that is written in place.
func TestCallsInPlace(t *testing.T) {
	slowtest.NoRace(t, "another process runs the code under test, in one goroutine")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	writesInPlace(t, dir)
	lock := func(call string) bool {
		return strings.HasSuffix(call, " lock") || strings.HasPrefix(call, "flock ")
	}
	renewed := []string{"fsync record.tmp", "renameat record.tmp record", "fsync ."}
	aside := []string{"renameat record record.bad-1", "fsync ."}
	overwritten := []string{"pwrite64 record", "fdatasync record"}
	calls, said := traced(t, dir, dir)
	require.Empty(t, said)
	require.Equal(t, slices.Concat(renewed, []string{"fsync record.kept", "fsync ."}, overwritten, aside), slices.DeleteFunc(calls, lock))

	require.NoError(t, os.Rename(filepath.Join(dir, "record.bad-1"), filepath.Join(dir, "record")))
	calls, said = traced(t, dir, dir)
	require.Empty(t, said)
	require.Equal(t, slices.Concat(renewed, overwritten, overwritten, aside), slices.DeleteFunc(calls, lock), "the next process begins with a new file")

	require.NoError(t, os.Rename(filepath.Join(dir, "record.bad-1"), filepath.Join(dir, "record")))
	_, said = traced(t, dir, dir, "-e", "inject=fdatasync:error=EIO:when=2")
	require.Equal(t, "cannot sync "+filepath.Join(dir, "record")+": fdatasync: input/output error\n", said)
	_, said = traced(t, dir, dir, "-e", "inject=fdatasync:error=EINTR:when=1")
	require.Empty(t, said, "a signal came in between")
}

// TestBlocksThatCannotBeRead has the disk read all but one block of a file, as after a write that a power cut has ended: one of each kind is
// spared.
func TestBlocksThatCannotBeRead(t *testing.T) {
	slowtest.NoRace(t, "another process runs the code under test, in one goroutine")
	for failing, says := range map[int]string{1: "input/output error", 2: "", 3: "", 4: "", 5: ""} {
		dir := t.TempDir()
		writesInPlace(t, dir)
		_, said := traced(t, dir, dir)
		require.Empty(t, said)
		record := filepath.Join(dir, "record")
		require.NoError(t, os.Rename(record+".bad-1", record))
		_, said = traced(t, dir, dir, "-e", "trace=read,pread64", "-P", record, "-e", "inject=read:error=EIO", "-e", fmt.Sprintf("inject=pread64:error=EIO:when=%d", failing))
		if says == "" {
			require.Empty(t, said, "block %d", failing-1)
		} else {
			require.Contains(t, said, says, "block %d", failing-1)
		}
	}
}

// TestEverySyncThatFails lets the kernel refuse each sync, and each lock, of a life in turn: none is passed over.
func TestEverySyncThatFails(t *testing.T) {
	slowtest.NoRace(t, "another process runs the code under test, in one goroutine")
	const syncs = 10
	for n := 1; n <= syncs+1; n++ {
		base := t.TempDir()
		_, said := traced(t, base, filepath.Join(base, "a", "b"), "-e", fmt.Sprintf("inject=fsync:error=EIO:when=%d", n))
		if n <= syncs {
			require.Contains(t, said, "input/output error", "sync %d", n)
		} else {
			require.Empty(t, said)
		}
	}
	base := t.TempDir()
	for _, when := range []string{"1", "2"} { // the folder, and the file in it
		_, said := traced(t, base, base, "-e", "inject=flock:error=ENOLCK:when="+when)
		require.Equal(t, "cannot lock "+base+": no locks available\n", said)
	}
	_, said := traced(t, base, t.TempDir(), "-e", "inject=flock:error=EBADF:when=1")
	require.Empty(t, said, "a file system that locks files only")
	_, said = traced(t, base, base, "-e", "inject=flock:error=EINTR:when=1")
	require.Empty(t, said, "a signal came in between")
	_, said = traced(t, base, filepath.Join(base, "c"), "-e", "inject=mkdirat:error=ENOSPC:when=1")
	require.Equal(t, "mkdir "+filepath.Join(base, "c")+": no space left on device\n", said)
}

// TestEveryOpenThatFails lets the kernel refuse each call in turn that opens something of a folder: what is said is the reason, and not what
// follows from it.
func TestEveryOpenThatFails(t *testing.T) {
	slowtest.NoRace(t, "another process runs the code under test, in one goroutine")
	const full = "too many open files"
	base := t.TempDir()
	_, said := traced(t, base, filepath.Join(base, "a", "b"), "-e", "trace=openat", "-P", base, "-e", "inject=openat:error=EMFILE:when=1")
	require.Equal(t, "open "+base+": "+full+"\n", said, "the folder in which another was made")
	const opens = 4 // the folder twice, the spare descriptor, and the lock
	for n := 1; n <= opens; n++ {
		dir := t.TempDir()
		_, said := traced(t, dir, dir, "-e", "trace=openat", "-P", dir, "-e", fmt.Sprintf("inject=openat:error=EMFILE:when=%d", n))
		require.Regexp(t, full+"\n$", said, "call %d", n)
		require.Equal(t, n == opens, strings.HasPrefix(said, "cannot lock "+dir), "call %d: %s", n, said)
	}
}

// TestLockThatCannotBeEmptied shows that the number of a process is not written behind that of another.
func TestLockThatCannotBeEmptied(t *testing.T) {
	base := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(base, folder.LockName), []byte("1234567890\n"), 0o600))
	_, said := traced(t, base, base, "-e", "inject=ftruncate:error=EIO")
	require.Empty(t, said)
	lock, err := os.ReadFile(filepath.Join(base, folder.LockName))
	require.NoError(t, err)
	require.Equal(t, "1234567890\n", string(lock))
	_, said = traced(t, base, base)
	require.Contains(t, said, "record is lost", "it was set aside")
	lock, err = os.ReadFile(filepath.Join(base, folder.LockName))
	require.NoError(t, err)
	require.Regexp(t, `^[1-9][0-9]*\n$`, string(lock))
	require.NotEqual(t, "1234567890\n", string(lock))
}

// TestLockOfTheFileAlone: a process that has locked the file alone, as on a file system that locks no folders, is waited for.
func TestLockOfTheFileAlone(t *testing.T) {
	dir := t.TempDir()
	lock, err := os.Create(filepath.Join(dir, folder.LockName))
	require.NoError(t, err)
	require.NoError(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB))
	bubbletest.Run(t, func(t *testing.T) {
		_, err := folder.Open(dir, "record")
		require.EqualError(t, err, dir+" is in use: two at once would break what either has promised")
		time.AfterFunc(50*time.Millisecond, func() { _ = lock.Close() })
		second, err := folder.Open(dir, "record")
		require.NoError(t, err)
		require.NoError(t, second.Close())
	})
}

// TestNothingStaysOpen counts the files that this process has open.
func TestNothingStaysOpen(t *testing.T) {
	slowtest.NoRace(t, "another process runs the code under test, in one goroutine")
	count := func() int {
		open, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(open)
	}
	dir := t.TempDir()
	held, err := folder.Open(dir, "record")
	require.NoError(t, err)
	before := count()
	for range 3 {
		_, err := folder.Open(dir, "record")
		require.ErrorIs(t, err, folder.ErrLocked)
		_, err = folder.Look(dir, "record", 10)
		require.NoError(t, err)
		_, err = folder.LookAt(dir, folder.LockName, 10)
		require.NoError(t, err)
	}
	require.NoError(t, held.Replace([]byte("one")))
	_, _, err = held.Load(10)
	require.NoError(t, err)
	require.Equal(t, before, count())
	require.NoError(t, held.Close())
	require.Equal(t, before-4, count(), "the folder twice, the lock, and the spare one")
}

// TestDevice puts in the place of the record what has no content, and would keep a reader waiting.
func TestDevice(t *testing.T) {
	f := open(t, t.TempDir())
	require.NoError(t, syscall.Mkfifo(f.Path(), 0o600))
	_, found, err := f.Load(10)
	require.ErrorIs(t, err, folder.ErrIrregular)
	require.EqualError(t, err, "cannot read "+f.Path()+": it is not a regular file, but of mode prw-------")
	require.False(t, found, "a file that is not regular must not be read")
}
