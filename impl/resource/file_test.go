package resource

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/impl/internal/folder/simdisk"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
)

func open(t *testing.T, dir string) *File {
	f, err := OpenFile(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

func requireValue(t require.TestingT, f *File, value string, epoch spec.Epoch) {
	v, e, err := f.Read()
	require.NoError(t, err)
	require.Equal(t, value, string(v))
	require.Equal(t, epoch, e)
}

func TestFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	f := open(t, dir)
	requireValue(t, f, "", 0)
	require.NoError(t, f.Write(3, []byte("three")))
	require.NoError(t, f.Write(3, []byte("three again")))
	err := f.Write(2, []byte("two"))
	require.ErrorIs(t, err, ErrFenced)
	require.Equal(t, &FencedError{Epoch: 2, Admitted: 3}, err)
	require.ErrorContains(t, f.Write(0, nil), "epoch 0 is nobody's reign")
	require.ErrorContains(t, f.Write(spec.MaxEpoch+1, nil), "above 2^53-1")
	require.ErrorContains(t, f.Write(9, make([]byte, MaxValue+1)), "the value has 16777217 bytes, more than 16777216")
	require.ErrorContains(t, f.Update(9, nil), "the function is nil")
	requireValue(t, f, "three again", 3)
	_, err = OpenFile(dir)
	require.ErrorIs(t, err, storage.ErrLocked)
	require.NoError(t, f.Close())
	require.NoError(t, f.Close())
	require.ErrorIs(t, f.Write(4, nil), fs.ErrClosed)
	_, _, err = f.Read()
	require.ErrorIs(t, err, fs.ErrClosed)

	f = open(t, dir)
	requireValue(t, f, "three again", 3)
	require.ErrorIs(t, f.Write(2, []byte("two")), ErrFenced)
	require.NoError(t, f.Write(spec.MaxEpoch, nil))
	requireValue(t, f, "", spec.MaxEpoch)
}

func TestUpdate(t *testing.T) {
	f := open(t, t.TempDir())
	require.NoError(t, f.Write(3, []byte("a")))
	require.NoError(t, f.Update(4, func(old []byte) ([]byte, error) { return append(old, 'b'), nil }))
	requireValue(t, f, "ab", 4)
	fault := errors.New("no")
	require.Same(t, fault, f.Update(9, func([]byte) ([]byte, error) { return []byte("x"), fault }))
	requireValue(t, f, "ab", 4) // whole or not at all: the epoch is not raised either
	require.ErrorIs(t, f.Update(3, func([]byte) ([]byte, error) { t.Error("called"); return nil, nil }), ErrFenced)
	v, _, err := f.Read()
	require.NoError(t, err)
	v[0] = 'x'
	requireValue(t, f, "ab", 4) // what Read gives away is a copy
	mine := []byte("mine")
	require.NoError(t, f.Write(4, mine))
	mine[0] = 'x'
	requireValue(t, f, "mine", 4) // and so is what Write takes
}

func TestUpdateFromManyGoroutines(t *testing.T) {
	f := open(t, t.TempDir())
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 10 {
				if err := f.Update(1, func(old []byte) ([]byte, error) { return append(old, 'x'), nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	requireValue(t, f, strings.Repeat("x", 40), 1)
}

// TestNoUpdateGoesBack: an epoch is looked at, and its value written, in one step. If another could write in between, a leader of old
// would follow a later one. Who waits is given the lock in turn, and the turns are such that this would show: after a low epoch come
// higher ones, the highest first.
func TestNoUpdateGoesBack(t *testing.T) {
	f := open(t, t.TempDir())
	var last spec.Epoch // written; changed by updates alone, which are one at a time
	begun := make(chan struct{})
	var wait sync.WaitGroup
	update := func(e spec.Epoch, write func()) {
		err := f.Update(e, func([]byte) ([]byte, error) {
			if e < last {
				return nil, fmt.Errorf("epoch %d is written after %d", e, last)
			}
			last = e
			write()
			return []byte{byte(e)}, nil
		})
		if err != nil && !errors.Is(err, ErrFenced) {
			t.Error(err)
		}
	}
	wait.Go(func() {
		update(1, func() {
			close(begun)
			for waiting := range 8 {
				e := spec.Epoch(10 - waiting)
				if waiting == 0 {
					e = 2
				}
				wait.Go(func() { update(e, func() {}) })
				require.Eventually(t, func() bool { return waitsForUpdate() == waiting+1 }, 30*time.Second, time.Millisecond)
			}
		})
	})
	<-begun
	wait.Wait()
	require.EqualValues(t, 9, last)
}

// waitsForUpdate returns how many goroutines wait for the lock of a File.
func waitsForUpdate() (n int) {
	stacks := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if strings.Contains(stack, "[sync.Mutex.Lock") && strings.Contains(stack, ".(*File).Update(") {
			n++
		}
	}
	return n
}

func TestDamagedFiles(t *testing.T) {
	good := func() []byte { return encode(7, []byte("value")) }
	with := func(at int, b byte) []byte { data := good(); data[at] = b; return reseal(data) }
	for _, c := range []struct {
		name string
		data []byte
		says string
	}{
		{"empty", nil, "it is empty"},
		{"foreign", []byte("something else altogether"), `it does not begin with "BULLYFEN"`},
		{"cut short", good()[:20], "it has been cut short to 20 bytes"},
		{"truncated", good()[:30], "it states a value of 5 bytes, and has room for 4"},
		{"overlong", append(good(), 'x'), "it states a value of 5 bytes, and has room for 6"},
		{"a bit", append(good()[:25], append([]byte{'x'}, good()[26:]...)...), "its checksum is"},
		{"torn", append(good()[:24], make([]byte, 7)...), "its checksum is 00000000"},
		{"version", with(9, 2), "its version is 2, and this program knows 1 only"},
		{"epoch 0", with(17, 0), "its epoch 0 is not from 1 to 2^53-1"},
		{"epoch above", with(10, 1), "its epoch 72057594037927943 is not from 1 to 2^53-1"},
		{"length", with(21, 4), "it states a value of 4 bytes, and has one of 5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, fileName)
			require.NoError(t, os.WriteFile(path, c.data, 0o600))
			for range 2 { // and it stays as it is
				_, err := OpenFile(dir)
				require.ErrorContains(t, err, path+" is damaged: "+c.says)
				require.ErrorContains(t, err, "to begin anew, use a new folder")
			}
			_, err := OpenRegister(dir)
			require.ErrorContains(t, err, c.says)
		})
	}
	dir := t.TempDir()
	f := open(t, dir)
	require.NoError(t, f.Write(3, nil))
	require.NoError(t, f.Close())
	require.NoError(t, os.Remove(filepath.Join(dir, fileName)))
	_, err := OpenFile(dir)
	require.ErrorIs(t, err, folder.ErrLost)
}

func TestEveryBitCounts(t *testing.T) {
	data := encode(7, []byte("value"))
	for at := range data {
		for bit := range 8 {
			data[at] ^= 1 << bit
			_, _, err := decode(data)
			require.Error(t, err, "byte %d, bit %d", at, bit)
			data[at] ^= 1 << bit
		}
		_, _, err := decode(data[:at])
		require.Error(t, err, "%d bytes", at)
	}
}

func openDisk(disk *simdisk.Disk) (*File, error) { return openOn(folder.On(disk, "/data", fileName)) }

// writes are what the tests of crashes write: value and epoch belong together.
var writes = []spec.Epoch{1, 4, 4, 9}

func valueOf(i int) string { return fmt.Sprintf("value %d of epoch %d", i, writes[i]) }

// TestEveryCrashOfAFile crashes before and after each call of the disk: value and epoch are those of one write.
func TestEveryCrashOfAFile(t *testing.T) {
	for call := 1; ; call++ {
		last := false
		for _, outcome := range simdisk.Outcomes() {
			disk := simdisk.New()
			disk.Fault = func(n int, _ simdisk.Op) simdisk.Outcome {
				if n == call {
					return outcome
				}
				return simdisk.Works
			}
			f, err := openDisk(disk)
			done := 0
			for err == nil && done < len(writes) {
				if err = f.Write(writes[done], []byte(valueOf(done))); err == nil {
					done++
				} else {
					require.Same(t, err, f.Write(99, nil), "the first error is final")
					_, _, readErr := f.Read()
					require.Same(t, err, readErr)
				}
			}
			last = disk.Calls() < call
			simdisk.Explore(func(choose func(int) int) {
				name := fmt.Sprintf("call %d %s, %d done", call, outcome, done)
				f, err := openDisk(disk.Crash(choose))
				require.NoError(t, err, name)
				value, epoch, err := f.Read()
				require.NoError(t, err, name)
				if epoch == 0 {
					require.Zero(t, done, name)
					return
				}
				pair := fmt.Sprintf("%s|%d", value, epoch)
				var allowed []string
				for i := max(done-1, 0); i < min(done+1, len(writes)); i++ {
					allowed = append(allowed, fmt.Sprintf("%s|%d", valueOf(i), writes[i]))
				}
				require.Contains(t, allowed, pair, name)
			})
		}
		if last {
			require.Greater(t, call, 30)
			return
		}
	}
}

// TestEveryCrashOfAGuard crashes a resource that is guarded before and after each call of its register's disk: what has
// been written is never above what the register says, so that nothing lower is admitted afterwards.
func TestEveryCrashOfAGuard(t *testing.T) {
	for call := 1; ; call++ {
		last := false
		for _, outcome := range simdisk.Outcomes() {
			disk, written := simdisk.New(), spec.Epoch(0)
			disk.Fault = func(n int, _ simdisk.Op) simdisk.Outcome {
				if n == call {
					return outcome
				}
				return simdisk.Works
			}
			f, err := openDisk(disk)
			if err == nil {
				var g *Guard
				g, err = NewGuard(&FileRegister{f})
				for i := 0; err == nil && i < len(writes); i++ {
					err = g.Admit(writes[i], func() error { written = writes[i]; return nil })
				}
			}
			last = disk.Calls() < call
			simdisk.Explore(func(choose func(int) int) {
				f, err := openDisk(disk.Crash(choose))
				require.NoError(t, err)
				g, err := NewGuard(&FileRegister{f})
				require.NoError(t, err)
				require.GreaterOrEqual(t, g.Admitted(), written)
				if written > 1 {
					require.ErrorIs(t, g.Admit(written-1, nothing), ErrFenced)
				}
				require.NoError(t, g.Admit(10, nothing))
			})
		}
		if last {
			return
		}
	}
}

func TestFileRegister(t *testing.T) {
	dir := t.TempDir()
	r, err := OpenRegister(dir)
	require.NoError(t, err)
	e, err := r.Load()
	require.NoError(t, err)
	require.Zero(t, e)
	require.NoError(t, r.Save(4))
	require.NoError(t, r.Save(4))
	require.ErrorIs(t, r.Save(3), ErrFenced, "it never goes back (R38.3)")
	require.NoError(t, r.Close())
	_, err = r.Load()
	require.ErrorIs(t, err, fs.ErrClosed)
	r, err = OpenRegister(dir)
	require.NoError(t, err)
	e, err = r.Load()
	require.NoError(t, err)
	require.EqualValues(t, 4, e)
	require.NoError(t, r.Close())
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(7, []byte("value")))
	f.Add(encode(1, nil))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, data := range [][]byte{data, reseal(data)} {
			if e, value, err := decode(data); err == nil {
				require.Equal(t, data, encode(e, value), "a record has one form")
			}
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	f, err := OpenFile(b.TempDir())
	require.NoError(b, err)
	e := spec.Epoch(0)
	for b.Loop() {
		e++
		if err := f.Write(e, []byte("value")); err != nil {
			b.Fatal(err)
		}
	}
	require.NoError(b, f.Close())
}

func BenchmarkAdmit(b *testing.B) {
	g, err := NewGuard(&MemoryRegister{})
	require.NoError(b, err)
	for b.Loop() {
		if err := g.Admit(1, nothing); err != nil {
			b.Fatal(err)
		}
	}
}

// TestReadFile reads what a File keeps while it is open, and where there is none.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	for _, nothing := range []string{filepath.Join(dir, "nowhere"), dir} {
		value, epoch, err := ReadFile(nothing)
		require.NoError(t, err)
		require.Zero(t, epoch)
		require.Empty(t, value)
	}
	f, err := OpenFile(dir)
	require.NoError(t, err)
	require.NoError(t, f.Write(3, []byte("x")))
	value, epoch, err := ReadFile(dir)
	require.NoError(t, err)
	require.Equal(t, spec.Epoch(3), epoch)
	require.Equal(t, "x", string(value))
	require.NoError(t, f.Write(4, []byte("y")), "nothing was locked")
	require.NoError(t, f.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, fileName), []byte("z"), 0o600))
	_, _, err = ReadFile(dir)
	require.ErrorContains(t, err, dir+" is damaged")
	_, _, err = ReadFile(filepath.Join(dir, fileName))
	require.ErrorContains(t, err, "not a directory")
}
