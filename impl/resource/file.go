package resource

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/spec"
)

// fileName is the name of the record in its folder.
const fileName = "fence"

// File is a fenced value: the value and the highest epoch admitted are one record in one file, which is replaced as a
// whole. So check, raise and write are one step, that a crash does whole or not at all (R38.1). Its methods may be
// called from several goroutines.
type File struct {
	mu     sync.Mutex
	folder *folder.Folder
	epoch  spec.Epoch
	value  []byte
	err    error // the first error of the disk, or that the file is closed
}

// OpenFile makes the folder dir if there is none, locks it until Close or the end of the process, and reads what is
// kept there; at first that is no value, and epoch 0. It is an error if the folder is in use (storage.ErrLocked), and
// if what is there is damaged, or has been there and is lost: a resource that forgets its epoch admits deposed
// leaders (R38.3).
func OpenFile(dir string) (*File, error) {
	kept, err := folder.Open(dir, fileName)
	if err != nil {
		return nil, fmt.Errorf("resource: %w", err)
	}
	f, err := openOn(kept)
	if err != nil {
		_ = kept.Close() // the first error says it all
		return nil, err
	}
	return f, nil
}

// openOn reads the record of a folder that is open.
func openOn(kept *folder.Folder) (*File, error) {
	data, found, err := kept.Load(maxRecord + 1)
	if err != nil {
		return nil, fmt.Errorf("resource: %w", err)
	}
	f := &File{folder: kept}
	if !found {
		return f, nil
	}
	if f.epoch, f.value, err = decode(data); err != nil {
		return nil, fmt.Errorf("resource: %s is damaged: %w; %s", kept.Path(), err, advice)
	}
	if err := kept.Mark(); err != nil {
		return nil, fmt.Errorf("resource: %w", err)
	}
	return f, nil
}

const advice = "to begin anew, use a new folder, and let nobody write to it before the present leader has"

// ReadFile returns what a File keeps in the folder dir, as Read does, also while it is open in another process: it takes no lock, and
// changes nothing. If there is no such folder, or nothing in it, that is no value, and epoch 0.
func ReadFile(dir string) (value []byte, epoch spec.Epoch, err error) {
	data, err := folder.LookAt(dir, fileName, maxRecord+1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("resource: %w", err)
	}
	if epoch, value, err = decode(data); err != nil {
		return nil, 0, fmt.Errorf("resource: %s is damaged: %w", dir, err)
	}
	return value, epoch, nil
}

// Read returns the value and the highest epoch admitted: the epoch of the reign that wrote it. Both are nothing at
// first. The value is a copy.
func (f *File) Read() (value []byte, epoch spec.Epoch, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, 0, f.err
	}
	return bytes.Clone(f.value), f.epoch, nil
}

// Write puts value in the place of the one before, for the reign of epoch e. When it returns nil, value and epoch are
// durable. It returns a FencedError if a higher epoch has been admitted, and another error if e is no epoch of a
// write (Validate) or the value is longer than MaxValue: then nothing has changed. After an error of the disk they may
// have, and every later call returns that error: open the file again to see.
func (f *File) Write(e spec.Epoch, value []byte) error {
	return f.Update(e, func([]byte) ([]byte, error) { return value, nil })
}

// Update is Write with a value that change makes of the one before. If change returns an error, Update returns it, and
// nothing has changed, the epoch neither. It must not change the value that it is given, nor call the File.
func (f *File) Update(e spec.Epoch, change func(old []byte) ([]byte, error)) error {
	if err := Validate(e); err != nil {
		return err
	}
	if change == nil {
		return errors.New("resource: there is nothing to write: the function is nil")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	if !admits(f.epoch, e) {
		return &FencedError{Epoch: e, Admitted: f.epoch}
	}
	value, err := change(f.value)
	if err != nil {
		return err
	}
	if len(value) > MaxValue {
		return fmt.Errorf("resource: the value has %d bytes, more than %d", len(value), MaxValue)
	}
	if err := f.folder.Replace(encode(e, value)); err != nil {
		f.err = fmt.Errorf("resource: could not write for epoch %d, and admits nothing more: %w", e, err)
		return f.err
	}
	f.epoch, f.value = e, slices.Clone(value)
	return nil
}

// Close releases the folder. To close it again does nothing.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = fmt.Errorf("resource: %s: %w", f.folder.Path(), fs.ErrClosed)
	}
	return f.folder.Close()
}
