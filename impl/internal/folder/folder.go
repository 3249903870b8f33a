// Package folder keeps one file in a folder of its own, such that the file is always whole, is never lost
// unnoticed, and belongs to one process. It is what packages storage and resource keep their records in.
//
//	kept, err := folder.Open("/var/lib/example", "record")
//	if err != nil {
//		return err // such as: in use by process 4711
//	}
//	defer kept.Close()
//	data, found, err := kept.Load(1024)
//	if err != nil {
//		return err // such as: there was a record, and it is lost
//	}
//	if found {
//		if err := kept.Mark(); err != nil {
//			return err
//		}
//	}
//	for {
//		data = next(data, found)
//		if err := kept.Replace(data); err != nil {
//			return err // final: stop
//		}
//		tell(data) // it is durable now
//	}
//
// # What is in the folder
//
//	.             the folder itself is locked (flock) as long as it is open, where the file system can do that
//	lock          is locked too; holds the number of that process. Leave it there: without it nothing more is written
//	record        the file
//	record.tmp    the next one, until it is whole
//	record.kept   says that there has been a record since the first Replace: a record that is missing is lost
//
// # Durability
//
// Replace writes the new content to record.tmp, syncs that, renames it to record, and syncs the folder. After a
// crash at any moment the record is the old one or the new one, whole. It relies on what POSIX file systems on a
// local disk do: a rename is atomic, and fsync comes back when the disk has it. It calls fsync and not fdatasync,
// and on darwin F_FULLFSYNC. A file system that cannot sync a folder is refused at the first Replace.
//
// After the first error of a write a Folder is poisoned: each later call returns that error, and nothing is tried
// again. After a failed fsync the kernel may have dropped what it could not write, and the next fsync may succeed
// without it.
//
// A process that has no file descriptor left can still write: one is kept for that.
//
// A disk that hangs makes Replace hang: it returns when the content is durable, or has failed, and not before.
package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// The names of what is in a folder, besides the file.
const (
	LockName     = "lock"
	TempSuffix   = ".tmp"  // of the file that is being written
	MarkerSuffix = ".kept" // of the file that says that there has been one
	AsideSuffix  = ".bad-" // of a file that SetAside has put away; a number follows
)

// ErrLocked is wrapped by the error of Open for a folder that is in use by another process, or is open a second time
// in this one.
var ErrLocked = errors.New("is in use")

// ErrLost is wrapped by the error of Load if there has been a file and it is gone.
var ErrLost = errors.New("is lost")

// ErrIrregular is wrapped by the error of reading what is not a regular file: a folder, a link, a device.
var ErrIrregular = errors.New("is not a regular file")

// Folder keeps one file. Its methods may be called from several goroutines.
type Folder struct {
	mu     sync.Mutex
	disk   Disk
	path   string // of the file
	name   string
	marked bool  // the marker is on disk
	err    error // the first error of a write, or that the folder is closed
}

// Open makes the folder dir if there is none, locks it, and keeps the file name in it. If another process has just
// been killed it waits a fifth of a second for its lock to be released; then the error wraps ErrLocked.
func Open(dir, name string) (*Folder, error) {
	disk, err := openDisk(dir, name)
	if err != nil {
		return nil, err
	}
	return On(disk, dir, name), nil
}

// On returns a Folder on a disk that is given: for tests. The path dir is for messages only.
func On(disk Disk, dir, name string) *Folder {
	return &Folder{disk: disk, path: filepath.Join(dir, name), name: name}
}

// Path returns the path of the file.
func (f *Folder) Path() string { return f.path }

// Load returns the content of the file, at most limit bytes of it. If there is none, and has never been one, found
// is false. If there has been one, the error wraps ErrLost. Other errors are those of the file system; ErrIrregular
// is one of them.
func (f *Folder) Load(limit int) (data []byte, found bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, false, f.err
	}
	marked, err := f.hasMarker()
	if err != nil {
		return nil, false, err
	}
	data, err = f.disk.Read(f.name, limit)
	if errors.Is(err, fs.ErrNotExist) {
		if marked {
			return nil, false, fmt.Errorf("%s %w: %s says that there has been one", f.path, ErrLost, f.name+MarkerSuffix)
		}
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("cannot read %s: %w", f.path, bare(err))
	}
	f.marked = marked
	return data, true, nil
}

// Mark makes it known for good that there is a file, as the first Replace does unless a crash comes between the two.
// Whoever has loaded a good file calls it before anything else. After an error the Folder is poisoned.
func (f *Folder) Mark() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil && !f.marked {
		f.err = f.mark()
	}
	return f.err
}

func (f *Folder) hasMarker() (bool, error) {
	_, err := f.disk.Read(f.name+MarkerSuffix, 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("cannot read %s: %w", f.path+MarkerSuffix, bare(err))
	}
	return err == nil, nil
}

// Replace makes data the content of the file. When it returns nil that is durable. After an error it may or may not
// be, and the Folder is poisoned.
func (f *Folder) Replace(data []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = f.replace(data)
	}
	return f.err
}

// replace takes the steps of Replace. The marker comes last: when it can be found there is a durable record.
func (f *Folder) replace(data []byte) error {
	if err := f.disk.Check(); err != nil {
		return fmt.Errorf("cannot write %s: %w", f.path, err)
	}
	temp := f.name + TempSuffix
	if err := f.write(temp, data); err != nil {
		return err
	}
	if err := f.disk.Rename(temp, f.name); err != nil {
		return f.failed("rename", temp, err)
	}
	if err := f.disk.Sync(); err != nil {
		return f.failed("sync the folder of", f.name, err)
	}
	if f.marked {
		return nil
	}
	return f.mark()
}

// mark makes it known for good that there is a file. What the marker holds is for people.
func (f *Folder) mark() error {
	text := "There is a file " + f.name + " in this folder. If it is gone, it has been lost.\n"
	if err := f.write(f.name+MarkerSuffix, []byte(text)); err != nil {
		return err
	}
	if err := f.disk.Sync(); err != nil {
		return f.failed("sync the folder of", f.name+MarkerSuffix, err)
	}
	f.marked = true
	return nil
}

// write makes a new file and syncs it. What a crash has left there under that name is removed.
func (f *Folder) write(name string, data []byte) error {
	file, err := f.disk.Create(name)
	if errors.Is(err, fs.ErrExist) {
		if err := f.disk.Remove(name); err != nil {
			return f.failed("remove", name, err)
		}
		file, err = f.disk.Create(name)
	}
	if err != nil {
		return f.failed("create", name, err)
	}
	n, err := file.Write(data)
	if err == nil && n != len(data) {
		err = io.ErrShortWrite
	}
	if err != nil {
		_ = file.Close() // the first error says it all
		return f.failed("write", name, err)
	}
	if err := file.Sync(); err != nil {
		_ = file.Close()
		return f.failed("sync", name, err)
	}
	if err := file.Close(); err != nil {
		return f.failed("close", name, err)
	}
	return nil
}

// SetAside renames the file, so that it is kept for people to look at, and returns its new path. There must be a
// file. The marker stays, or is made: until the next Replace the file counts as lost.
func (f *Folder) SetAside() (path string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		path, f.err = f.setAside()
	}
	return path, f.err
}

func (f *Folder) setAside() (string, error) {
	marked, err := f.hasMarker()
	if err != nil {
		return "", err
	}
	if !marked {
		if err := f.mark(); err != nil {
			return "", err
		}
	}
	f.marked = true
	for n := 1; ; n++ {
		aside := f.name + AsideSuffix + strconv.Itoa(n)
		_, err := f.disk.Read(aside, 0)
		if err == nil || errors.Is(err, ErrIrregular) {
			continue // there is one by that name
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("cannot read %s: %w", f.path+AsideSuffix+strconv.Itoa(n), bare(err))
		}
		if err := f.disk.Rename(f.name, aside); err != nil {
			return "", f.failed("rename", f.name, err)
		}
		if err := f.disk.Sync(); err != nil {
			return "", f.failed("sync the folder of", aside, err)
		}
		return filepath.Join(filepath.Dir(f.path), aside), nil
	}
}

// Close releases the folder. Every later call returns an error that wraps fs.ErrClosed, or the first error of a
// write if there was one. To close it again does nothing.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.disk == nil {
		return nil
	}
	err := f.disk.Close()
	f.disk = nil
	if f.err == nil {
		f.err = fmt.Errorf("%s: %w", f.path, fs.ErrClosed)
	}
	return err
}

// failed says which step of a write has failed, and where.
func (f *Folder) failed(step, name string, err error) error {
	return fmt.Errorf("cannot %s %s: %w", step, filepath.Join(filepath.Dir(f.path), name), bare(err))
}

// bare takes the names off an error of package os, which says them in a way of its own.
func bare(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}
