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
//
// # In place
//
// With InSlots, and on the file systems of which systemOf says so, only the first Replace is that, and Mark. The new file has two slots of two copies
// each, and every later Replace writes both copies of one slot where they are, in turns, and waits for fdatasync once. A crash may leave each
// sector of it old or new, and spoil a block: then the record is the old one or the new one, whole. Whatever befalls the sectors at any
// other time, an older record is never taken for it: see readSlots. The next process begins with a new file.
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
	mu      sync.Mutex
	disk    Disk
	path    string // of the file
	name    string
	head    []byte // of a file in slots; nil if it is to be none
	file    File   // in slots, open, and made by this Folder; or nil
	number  uint64 // of the last save into it
	marked  bool   // the marker is on disk
	err     error  // the first error of a write, or that the folder is closed
	loaded  []byte // what Load has returned; nil after a write
	slotted bool   // … and whether it was in slots
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

// InSlots has the file written in place from now on, if the file system is one where that is safe, and reads it however it was written. The head is
// what the file then begins with, at most a block: to a program that knows nothing of slots it says what this is. A content of more than 3,968 bytes
// is written as a new file.
func (f *Folder) InSlots(head []byte) *Folder {
	f.head = head
	return f
}

// Path returns the path of the file.
func (f *Folder) Path() string { return f.path }

// Load returns the content of the file, at most limit bytes of it. If there is none, and has never been one, found
// is false. If there has been one, the error wraps ErrLost. If it is in slots, and nobody can say what was saved last, it wraps ErrDamaged,
// ErrCut or ErrLong. Other errors are those of the file system; ErrIrregular is one of them.
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
	data, err = f.disk.Read(f.name, f.most(limit))
	if errors.Is(err, fs.ErrNotExist) {
		if marked {
			return nil, false, fmt.Errorf("%s %w: %s says that there has been one", f.path, ErrLost, f.name+MarkerSuffix)
		}
		return nil, false, nil
	}
	f.marked, f.slotted = marked, false
	if inSlots(f.head, data) && (err == nil || errors.Is(err, ErrPartly)) {
		if f.loaded, err = readSlots(data); err != nil {
			return nil, false, err
		}
		f.slotted = true
		return f.loaded[:min(limit, len(f.loaded))], true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("cannot read %s: %w", f.path, bare(err))
	}
	f.loaded = data[:min(limit, len(data))]
	return f.loaded, true, nil
}

// most returns how much of the file is to be read.
func (f *Folder) most(limit int) int {
	if f.head == nil {
		return limit
	}
	return max(limit, slotsSize+1)
}

// Mark makes durable what was loaded, and that there is a file. Whoever has loaded a good file calls it before anything else: what was
// loaded may be there only until the machine stops, if the process that wrote it was killed, or its disk failed. A file in slots is written anew as
// a whole, and so is one that is to be in slots and is not. After an error the Folder is poisoned.
func (f *Folder) Mark() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.err != nil:
	case f.loaded != nil && (f.slotted || f.writesInPlace()):
		f.err = f.renew(f.loaded)
	case !f.marked:
		f.err = f.mark()
	}
	return f.err
}

// writesInPlace reports whether the file is to be one in slots.
func (f *Folder) writesInPlace() bool { return f.head != nil && f.disk.System().InPlace }

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

// replace takes the steps of Replace. A file in slots is written where it is only if this Folder has made it: then each of its sectors is good,
// and a power cut spoils no more than this save. If somebody has taken the file away meanwhile there is a new one.
func (f *Folder) replace(data []byte) error {
	f.loaded = nil // Mark must not bring it back
	if err := f.disk.Check(); err != nil {
		return fmt.Errorf("cannot write %s: %w", f.path, err)
	}
	if f.file != nil && len(data) <= slotRoom && f.disk.Is(f.name, f.file) {
		return f.overwrite(data)
	}
	return f.renew(data)
}

// overwrite writes the slot that does not hold what was saved last.
func (f *Folder) overwrite(data []byte) error {
	number, slot := f.number+1, make([]byte, slotSize)
	fill(slot, number, data)
	if err := f.writeAt(slot, slotAt(int(number%2))); err != nil {
		return err
	}
	f.number = number
	return nil
}

// writeAt writes into the file that is open, and waits for the disk.
func (f *Folder) writeAt(content []byte, at int64) error {
	n, err := f.file.WriteAt(content, at)
	if err == nil && n != len(content) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return f.failed("write", f.name, err)
	}
	if err := f.file.SyncData(); err != nil {
		return f.failed("sync", f.name, err)
	}
	return nil
}

// renew makes a new file, and puts it in the place of the old one. The marker comes last: when it can be found there is a durable record.
func (f *Folder) renew(data []byte) error {
	f.release()
	temp := f.name + TempSuffix
	if f.writesInPlace() && len(data) <= slotRoom {
		file, err := f.create(temp, layOut(f.head, data))
		if err != nil {
			return err
		}
		f.file, f.number = file, 1
		if !file.Keep() {
			f.release() // the next one is written as a new file, and then perhaps there is a descriptor for it
		}
	} else if err := f.write(temp, data); err != nil {
		return err
	}
	return f.install(temp)
}

// install puts a new file that is durable in the place of the old one.
func (f *Folder) install(temp string) error {
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

// release closes the file that is open, all of which is durable.
func (f *Folder) release() {
	if f.file != nil {
		_ = f.file.Close()
		f.file = nil
	}
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

// write makes a new file and syncs it.
func (f *Folder) write(name string, data []byte) error {
	file, err := f.create(name, data)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return f.failed("close", name, err)
	}
	return nil
}

// create makes a new file and syncs it, and leaves it open. What a crash has left there under that name is removed.
func (f *Folder) create(name string, data []byte) (File, error) {
	file, err := f.disk.Create(name)
	if errors.Is(err, fs.ErrExist) {
		if err := f.disk.Remove(name); err != nil {
			return nil, f.failed("remove", name, err)
		}
		file, err = f.disk.Create(name)
	}
	if err != nil {
		return nil, f.failed("create", name, err)
	}
	n, err := file.Write(data)
	if err == nil && n != len(data) {
		err = io.ErrShortWrite
	}
	if err != nil {
		_ = file.Close() // the first error says it all
		return nil, f.failed("write", name, err)
	}
	if err := file.Sync(); err != nil {
		_ = file.Close()
		return nil, f.failed("sync", name, err)
	}
	return file, nil
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
	f.loaded = nil
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
	f.release()
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
