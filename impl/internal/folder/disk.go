package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Disk is what a Folder needs of a file system: one folder of it, that is open, and locked. The names are of files in
// it. Package simdisk has one that fails and crashes on demand.
type Disk interface {
	// Create makes a new, empty file. If there is one by that name the error wraps fs.ErrExist.
	Create(name string) (File, error)
	// Read returns the content of a file, at most limit bytes of it. The error wraps fs.ErrNotExist if there is none,
	// ErrIrregular if it is no regular file, and ErrPartly if zeros stand for what the disk could not read.
	Read(name string, limit int) ([]byte, error)
	// Rename gives a file another name, in the place of the file that has it.
	Rename(from, to string) error
	// Remove removes a file.
	Remove(name string) error
	// Sync makes durable which files there are.
	Sync() error
	// Is reports whether a file that was made here is the one that has the name.
	Is(name string, file File) bool
	// System returns what the file system is.
	System() System
	// Check returns an error if the folder is no longer locked.
	Check() error
	// Close closes the folder, and releases its lock.
	Close() error
}

// File is a new file that is being written, and may be written again where it is.
type File interface {
	io.WriteCloser
	io.WriterAt
	// Sync makes durable what has been written.
	Sync() error
	// SyncData does so if the file has become no longer since the last Sync.
	SyncData() error
	// Keep reports whether the file may stay open: whether one more can be made all the same.
	Keep() bool
}

// osDisk is a folder of the operating system. It is kept open, and all names are looked up in it: it does not matter
// if it is renamed meanwhile.
type osDisk struct {
	root  *os.Root
	self  *os.File // the same folder, to be synced; and locked, as far as the file system can
	lock  *os.File
	spare spare
}

var _ Disk = (*osDisk)(nil)

func openDisk(dir, name string) (_ Disk, err error) {
	if err := makeDir(dir); err != nil {
		return nil, err
	}
	d := &osDisk{}
	defer func() {
		if err != nil {
			_ = d.Close() // the first error says it all
		}
	}()
	if d.root, err = os.OpenRoot(dir); err != nil {
		return nil, err
	}
	if d.self, err = d.root.Open("."); err != nil {
		return nil, err
	}
	d.spare.root = d.root
	if err := d.spare.take(); err != nil {
		return nil, err
	}
	if d.lock, err = acquire(d.root, d.self, dir); err != nil {
		return nil, err
	}
	if _, err := d.root.Lstat(name + MarkerSuffix); errors.Is(err, fs.ErrNotExist) {
		if err := syncParent(dir); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// makeDir makes dir, and what is missing above it, durably: a folder that a crash takes away takes the file with it.
func makeDir(dir string) error {
	info, err := os.Stat(dir)
	if err == nil {
		if !info.IsDir() {
			return fmt.Errorf("%s is not a folder", dir)
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(filepath.Clean(dir))
	if err := makeDir(parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncParent(dir)
}

// syncParent makes it durable that there is the folder dir. Whoever may not read the parent has not made dir in it
// just now: then it is there for good.
func syncParent(dir string) error {
	parent, err := os.Open(filepath.Join(dir, ".."))
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	err = parent.Sync()
	return errors.Join(err, parent.Close())
}

func (d *osDisk) Create(name string) (File, error) { return d.spare.create(name) }

func (d *osDisk) Read(name string, limit int) ([]byte, error) { return readIn(d.root, name, limit) }

// ErrPartly is wrapped by the error of reading a file of which the disk could read all but some blocks.
var ErrPartly = errors.New("cannot be read in part")

// readIn reads a file of a folder. It opens regular files only: to open a pipe would wait for a writer.
func readIn(root *os.Root, name string, limit int) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("it %w, but %s", ErrIrregular, kindOf(info.Mode()))
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, int64(limit)))
	if isUnreadable(err) {
		data, err = readPartly(file, limit)
	}
	return data, errors.Join(err, file.Close())
}

// readPartly reads the blocks of a file one by one, as far as the disk can. Zeros stand for those that it cannot.
func readPartly(file io.ReaderAt, limit int) (data []byte, err error) {
	for len(data) < limit {
		block := make([]byte, min(blockSize, limit-len(data)))
		n, failed := file.ReadAt(block, int64(len(data)))
		switch {
		case isUnreadable(failed):
			data, err = append(data, make([]byte, len(block))...), fmt.Errorf("it %w: %w", ErrPartly, failed)
		case errors.Is(failed, io.EOF):
			return append(data, block[:n]...), err
		case failed != nil:
			return nil, failed
		default:
			data = append(data, block...)
		}
	}
	return data, err
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	default:
		return "of mode " + mode.String()
	}
}

func (d *osDisk) Rename(from, to string) error { return d.root.Rename(from, to) }

func (d *osDisk) Remove(name string) error { return d.root.Remove(name) }

func (d *osDisk) Sync() error { return d.self.Sync() }

// Is implements Disk.
func (d *osDisk) Is(name string, file File) bool {
	open, ok := file.(*sparing)
	return ok && isNamed(d.root, name, open.File)
}

func (d *osDisk) System() System { return systemOf(d.self) }

// Check looks whether the lock is the one that everybody else would try to take.
func (d *osDisk) Check() error {
	if !isCurrent(d.root, d.lock) {
		return fmt.Errorf("the file %q has been removed or replaced: another process may hold the folder now", LockName)
	}
	return nil
}

func (d *osDisk) Close() error {
	errs := []error{d.spare.give()}
	for _, file := range []*os.File{d.self, d.lock} { // to close the lock is to release it
		if file != nil {
			errs = append(errs, file.Close())
		}
	}
	if d.root != nil {
		errs = append(errs, d.root.Close())
	}
	return errors.Join(errs...)
}

// WriteOnce writes a file that is never changed, beside the one that a Folder keeps: durably, and whole or not at all. It makes the folder
// if there is none. If there is such a file the error wraps fs.ErrExist: of two who write at once, one does.
func WriteOnce(dir, name string, data []byte) error {
	if err := makeDir(dir); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, name+TempSuffix+"-")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Link(file.Name(), filepath.Join(dir, name))
	}
	if err = errors.Join(err, os.Remove(file.Name())); err != nil {
		return err
	}
	return SyncNames(dir)
}

// SyncNames makes durable which files a folder has. Who reads one that was written once calls it before he relies on it: who wrote it may
// have crashed before he could.
func SyncNames(dir string) error {
	opened, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}
