package storage

import (
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/seed-fdf591db/bully/impl/storage/folder"
	"github.com/seed-fdf591db/bully/spec"
)

// recordName is the name of the record in its folder.
const recordName = "record"

// File keeps a node's promise in a folder. Its methods may be called from several goroutines, but a promise follows
// on the one before: one goroutine should save.
type File struct {
	mu      sync.Mutex
	folder  *folder.Folder
	owner   owner
	promise spec.Durable
	found   bool
	err     error // the first error of Save, or that the file is closed
}

// Open makes the folder dir if there is none, locks it until Close or the end of the process, and reads the record.
// The members are given in any order, id among them, each once, at most MaxMembers. On a disk that hangs it hangs.
//
// The error wraps ErrLocked if the folder is in use, and is a RecordError if there is a record that this node must
// not start with.
func Open(dir string, id spec.NodeID, members []spec.NodeID) (*File, error) {
	o, err := newOwner(id, members)
	if err != nil {
		return nil, err
	}
	kept, err := folder.Open(dir, recordName)
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	f, err := openOn(kept, o)
	if err != nil {
		_ = kept.Close() // the first error says it all
		return nil, err
	}
	return f, nil
}

// openOn reads the record of a folder that is open.
func openOn(kept *folder.Folder, o owner) (*File, error) {
	c, found, err := read(kept)
	if err != nil {
		return nil, err
	}
	if found && c.id != o.id {
		return nil, &RecordError{Path: kept.Path(), Kind: WrongNode,
			Problem: fmt.Sprintf("it is that of node %v, and this is node %v", c.id, o.id)}
	}
	if found && !slices.Equal(c.members, o.members) {
		return nil, &RecordError{Path: kept.Path(), Kind: WrongMembers,
			Problem: fmt.Sprintf("its members are %v, and this node's are %v", c.members, o.members)}
	}
	if found {
		if err := kept.Mark(); err != nil {
			return nil, fmt.Errorf("storage: %w", err)
		}
	}
	return &File{folder: kept, owner: o, promise: c.promise, found: found}, nil
}

// read reads the record of a folder that is open, whoever's it is.
func read(kept *folder.Folder) (c content, found bool, err error) {
	data, found, err := kept.Load(maxRecord + 1)
	if err != nil {
		return content{}, false, unread(kept.Path(), err)
	}
	if !found {
		return content{}, false, nil
	}
	c, err = judge(kept.Path(), data)
	return c, err == nil, err
}

// Load returns the promise that was read by Open, or saved last. If there has never been one, found is false: the
// node starts for the first time (R32). After an error of Save, Load returns that error; after Close, one that wraps
// fs.ErrClosed.
func (f *File) Load() (promise spec.Durable, found bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return spec.Durable{}, false, f.err
	}
	return f.promise, f.found, nil
}

// Save writes p to disk. When it returns nil, p is durable. After an error p may be durable or not: the node must
// stop for good (R4.4), and every later call returns the same error. A promise that cannot follow on the last one
// (an epoch that goes back, say) is such an error too: the node that asks for it is broken.
//
// It takes as long as the disk does, two syncs each time and four the first time. If the disk hangs it hangs.
func (f *File) Save(p spec.Durable) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	if err := f.save(p); err != nil {
		f.err = fmt.Errorf("storage: could not save %s in %s: %w; this node must stop (R4)", say(p), f.folder.Path(), err)
		return f.err
	}
	f.promise, f.found = p, true
	return nil
}

func (f *File) save(p spec.Durable) error {
	if err := f.owner.check(p); err != nil {
		return err
	}
	if f.found {
		if err := follows(f.promise, p); err != nil {
			return err
		}
	}
	return f.folder.Replace(encode(f.owner, p))
}

// Close releases the folder. To close it again does nothing.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = fmt.Errorf("storage: %s: %w", f.folder.Path(), fs.ErrClosed)
	}
	return f.folder.Close()
}
