package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/spec"
)

// recordName is the name of the record in its folder.
const recordName = "record"

// File keeps a node's promise in a folder. Its methods may be called from several goroutines, but a promise follows
// on the one before: one goroutine should save.
type File struct {
	mu     sync.Mutex
	folder *folder.Folder
	record content // the one that was read or saved last; its promise is zero if there has never been one
	err    error   // the first error of Save, or that the file is closed
}

// Open is for a node of fixed members; OpenChanging is for one of changing members. It makes the folder dir if there is none, locks it until Close or the end of the process, and reads the record.
// The members are given in any order, id among them, each once, at most MaxMembers. On a disk that hangs it hangs.
//
// The error wraps ErrLocked if the folder is in use, and is a RecordError if there is a record that this node must
// not start with.
func Open(dir string, id spec.NodeID, members []spec.NodeID) (*File, error) {
	o, err := newOwner(id, members)
	if err != nil {
		return nil, err
	}
	kept, err := openFolder(dir)
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
	wrong := func(k Kind, problem string, about ...any) (*File, error) {
		return nil, &RecordError{Path: kept.Path(), Kind: k, Problem: fmt.Sprintf(problem, about...)}
	}
	switch {
	case !found:
		return &File{folder: kept, record: content{owner: o}}, nil
	case c.isChanging():
		return wrong(changingKind, "it is that of %v", c.identity)
	case c.id != o.id:
		return wrong(wrongNodeKind, "it is that of node %v, and this is node %v", c.id, o.id)
	case !slices.Equal(c.members, o.members):
		return wrong(WrongMembers, "its members are %v, and this node's are %v", c.members, o.members)
	}
	if err := kept.Mark(); err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	return &File{folder: kept, record: c}, nil
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

// Load returns the promise that was read when the record was opened, or saved last. If there has never been one, found is
// false: the node starts for the first time (R32). A node of changing members has a configuration then too: that of
// Init, or the one that Raise was given (R49). After an error of Save, Load returns that error; after Close, one that wraps
// fs.ErrClosed.
func (f *File) Load() (promise spec.Durable, found bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return spec.Durable{}, false, f.err
	}
	return f.record.promise, f.record.started, nil
}

// Save writes p to disk. When it returns nil, p is durable. After an error p may be durable or not: the node must
// stop for good (R4.4), and every later call returns the same error. A promise that cannot follow on the last one
// (an epoch that goes back, say, or a configuration that does) is such an error too: the node that asks for it is broken.
//
// It takes as long as the disk does: one sync each time if the record is written in place, two if it is not, and four the first time. If the disk
// hangs it hangs.
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
	f.record.promise, f.record.started = p, true
	return nil
}

func (f *File) save(p spec.Durable) error {
	if err := f.record.next(p); err != nil {
		return err
	}
	if f.record.isChanging() {
		return f.folder.Replace(encodeChanging(f.record.identity, true, p))
	}
	return f.folder.Replace(encode(f.record.owner, p))
}

// next returns an error if the promise p cannot follow on that of the record.
func (c *content) next(p spec.Durable) error {
	check := c.owner.check
	if c.isChanging() {
		check = c.identity.check
	}
	if err := check(p); err != nil {
		return err
	}
	if c.started {
		if err := follows(c.promise, p); err != nil {
			return err
		}
	}
	return followsConfiguration(c.promise.Configuration, p.Configuration)
}

// Disown puts the record out of use, as it is not what the node has promised last: the disk was lost, or an old copy was put in its
// place, and another node knows it. From now on the record is lost: Open says so, and Raise makes a new one. What there was is kept
// beside it. Every later call returns an error.
func (f *File) Disown() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	f.err = fmt.Errorf("storage: %s is disowned: other nodes know of later promises", f.folder.Path())
	_, err := f.folder.SetAside()
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // there is none before the first start; the marker is there now
		return fmt.Errorf("storage: could not put the record aside: %w", err)
	}
	return nil
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
