package resource

import (
	"github.com/seed-fdf591db/bully/spec"
)

// FileRegister is a Register in a folder. It is a File without a value: it is as durable, as strict about what it
// finds, and as final about errors.
type FileRegister struct{ file *File }

var _ Register = (*FileRegister)(nil)

// OpenRegister makes the folder dir if there is none, locks it until Close or the end of the process, and reads the
// epoch that is kept there. The errors are those of OpenFile.
func OpenRegister(dir string) (*FileRegister, error) {
	file, err := OpenFile(dir)
	if err != nil {
		return nil, err
	}
	return &FileRegister{file}, nil
}

// Load returns the epoch saved last, or 0.
func (r *FileRegister) Load() (spec.Epoch, error) {
	_, e, err := r.file.Read()
	return e, err
}

// Save makes e durable. A FencedError says that a higher epoch is kept: then nothing has changed. The errors are those
// of File.Write.
func (r *FileRegister) Save(e spec.Epoch) error { return r.file.Write(e, nil) }

// Close releases the folder. To close it again does nothing.
func (r *FileRegister) Close() error { return r.file.Close() }

// MemoryRegister is a Register that forgets when the process ends: for tests, and for what is itself gone then. The
// zero MemoryRegister is ready to use. One goroutine at a time uses it, as a Guard does.
type MemoryRegister struct {
	Epoch spec.Epoch // the epoch kept
	Err   error      // what Load and Save return, if not nil
}

var _ Register = (*MemoryRegister)(nil)

// Load returns Epoch and Err.
func (r *MemoryRegister) Load() (spec.Epoch, error) { return r.Epoch, r.Err }

// Save sets Epoch, unless there is an Err.
func (r *MemoryRegister) Save(e spec.Epoch) error {
	if r.Err == nil {
		r.Epoch = e
	}
	return r.Err
}
