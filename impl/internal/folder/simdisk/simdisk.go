// Package simdisk is a disk for tests: it forgets in a crash what POSIX lets it forget, and fails when told to.
//
// What has been written to a file and not been synced may be there after a crash, in part, as zeros, or not at all. What has been
// written in place may be there sector by sector, and a block of it may be spoiled.
// Of the files created, renamed and removed since the folder was synced, each may have come to be so or not. This
// is the loop that puts a program to all of it:
//
//	for call := 1; ; call++ {
//		disk := simdisk.New()
//		disk.Fault = func(n int, _ simdisk.Op) simdisk.Outcome {
//			if n == call {
//				return simdisk.CrashesAfter
//			}
//			return simdisk.Works
//		}
//		run(disk)
//		simdisk.Explore(func(choose func(int) int) { check(disk.Crash(choose)) })
//		if disk.Calls() < call {
//			return
//		}
//	}
package simdisk

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
)

// Op is a call of the disk that can fail.
type Op string

// The calls.
const (
	Create     Op = "create"
	Write      Op = "write"
	WriteAt    Op = "write in place"
	Sync       Op = "sync"
	SyncData   Op = "sync data"
	Close      Op = "close"
	Read       Op = "read"
	Rename     Op = "rename"
	Remove     Op = "remove"
	SyncFolder Op = "sync folder"
	Check      Op = "check"
)

// Outcome is what becomes of a call.
type Outcome int

// The outcomes. After a crash every call fails with ErrCrashed.
const (
	Works         Outcome = iota
	Fails                 // with ErrFault, and has done nothing; a Sync that fails drops what it could not write
	FailsDone             // with ErrFault, and has been done all the same
	Short                 // a Write or WriteAt has written half, and says so with an error; another call works
	ShortSilently         // a Write or WriteAt has written half, and gives no error; another call works
	CrashesBefore         // the disk crashes before the call
	CrashesAfter          // the call is done, and the disk crashes before it returns
)

// Outcomes returns all but Works.
func Outcomes() []Outcome {
	return []Outcome{Fails, FailsDone, Short, ShortSilently, CrashesBefore, CrashesAfter}
}

func (o Outcome) String() string {
	return [...]string{"works", "fails", "fails, done", "short", "short, silently", "crashes before", "crashes after"}[o]
}

// ErrFault is the error of a call that fails, and ErrCrashed that of every call after a crash.
var (
	ErrFault   = errors.New("simulated disk error")
	ErrCrashed = errors.New("simulated crash")
)

// Disk is a disk with one folder. The zero Disk is not usable: use New. It is not safe for concurrent use; a Folder
// does not need that.
type Disk struct {
	// Fault says what becomes of call n, which is op; n is 1 for the first. If it is nil, every call works. It may
	// block, as a disk that hangs does.
	Fault func(n int, op Op) Outcome
	// InPlace is whether files may be written in place.
	InPlace bool
	// Full is whether the process has no file descriptor left for a file that stays open.
	Full bool

	files   map[string]*file // as a program sees them
	durable map[string]*file // as they are found after a crash
	pending []change         // of the folder, since it was synced
	calls   int
	crashed bool
}

var _ folder.Disk = (*Disk)(nil)

type file struct {
	content []byte // as a program sees it
	durable []byte
	dirty   bool // content may not be durable
	lost    bool // a Sync has failed: the next one has nothing to do, as it believes
	patches []patch
}

// patch is what has been written in place since the last sync.
type patch struct {
	at   int
	data []byte
}

// change is one change of the folder: a file gets a name, loses one, or both.
type change struct {
	from, to string
	file     *file
}

func (c change) apply(files map[string]*file) {
	if c.from != "" {
		delete(files, c.from)
	}
	if c.to != "" {
		files[c.to] = c.file
	}
}

// New returns an empty disk.
func New() *Disk { return &Disk{files: map[string]*file{}, durable: map[string]*file{}} }

// Calls returns how many calls there have been.
func (d *Disk) Calls() int { return d.calls }

// Crashed reports whether the disk has crashed.
func (d *Disk) Crashed() bool { return d.crashed }

// Put makes a durable file, in the place of the one that has the name.
func (d *Disk) Put(name string, content []byte) {
	f := &file{content: slices.Clone(content), durable: slices.Clone(content)}
	d.files[name], d.durable[name] = f, f
}

// Content returns the content of a file as a program sees it; ok is false if there is none.
func (d *Disk) Content(name string) (content []byte, ok bool) {
	f, ok := d.files[name]
	if !ok {
		return nil, false
	}
	return slices.Clone(f.content), true
}

// Reopen returns the disk as the next process finds it if only the last one has died: nothing is lost.
func (d *Disk) Reopen() *Disk {
	after := New()
	after.InPlace = d.InPlace
	for name, f := range d.files {
		after.Put(name, f.content)
	}
	return after
}

// call counts a call, and returns what it is to do: something or nothing, and the error to end with.
func (d *Disk) call(op Op) (do bool, outcome Outcome, err error) {
	if d.crashed {
		return false, Works, ErrCrashed
	}
	d.calls++
	if d.Fault != nil {
		outcome = d.Fault(d.calls, op)
	}
	switch outcome {
	case Fails:
		return false, outcome, fmt.Errorf("%s: %w", op, ErrFault)
	case FailsDone:
		return true, outcome, fmt.Errorf("%s: %w", op, ErrFault)
	case CrashesBefore:
		d.crashed = true
		return false, outcome, ErrCrashed
	case CrashesAfter:
		d.crashed = true
		return true, outcome, ErrCrashed
	default:
		return true, outcome, nil
	}
}

func (d *Disk) change(c change) {
	c.apply(d.files)
	d.pending = append(d.pending, c)
}

// Create implements folder.Disk.
func (d *Disk) Create(name string) (folder.File, error) {
	do, _, err := d.call(Create)
	if do && d.files[name] != nil {
		return nil, fmt.Errorf("create %s: %w", name, fs.ErrExist)
	}
	if do {
		d.change(change{to: name, file: &file{}})
	}
	if err != nil {
		return nil, err
	}
	return &handle{disk: d, file: d.files[name]}, nil
}

// Read implements folder.Disk.
func (d *Disk) Read(name string, limit int) ([]byte, error) {
	if _, _, err := d.call(Read); err != nil {
		return nil, err
	}
	f, ok := d.files[name]
	if !ok {
		return nil, fmt.Errorf("read %s: %w", name, fs.ErrNotExist)
	}
	return slices.Clone(f.content[:min(limit, len(f.content))]), nil
}

// Rename implements folder.Disk.
func (d *Disk) Rename(from, to string) error {
	do, _, err := d.call(Rename)
	if do {
		if d.files[from] == nil {
			return fmt.Errorf("rename %s: %w", from, fs.ErrNotExist)
		}
		d.change(change{from: from, to: to, file: d.files[from]})
	}
	return err
}

// Remove implements folder.Disk.
func (d *Disk) Remove(name string) error {
	do, _, err := d.call(Remove)
	if do {
		if d.files[name] == nil {
			return fmt.Errorf("remove %s: %w", name, fs.ErrNotExist)
		}
		d.change(change{from: name})
	}
	return err
}

// Sync implements folder.Disk.
func (d *Disk) Sync() error {
	do, _, err := d.call(SyncFolder)
	if do {
		for _, c := range d.pending {
			c.apply(d.durable)
		}
		d.pending = nil
	}
	return err
}

// Check implements folder.Disk.
func (d *Disk) Check() error {
	_, _, err := d.call(Check)
	return err
}

// Is implements folder.Disk.
func (d *Disk) Is(name string, open folder.File) bool {
	h, ok := open.(*handle)
	return ok && h.disk == d && d.files[name] == h.file
}

// System implements folder.Disk.
func (d *Disk) System() folder.System { return folder.System{Name: "simulated", InPlace: d.InPlace} }

// Close implements folder.Disk.
func (d *Disk) Close() error { return nil }

// handle is a file that is open.
type handle struct {
	disk *Disk
	file *file
}

func (h *handle) Write(data []byte) (int, error) {
	do, outcome, err := h.disk.call(Write)
	if !do {
		return 0, err
	}
	n := len(data)
	if outcome == Short || outcome == ShortSilently {
		n /= 2
	}
	h.file.content = append(h.file.content, data[:n]...)
	h.file.dirty, h.file.lost = true, false
	if outcome == Short {
		err = fmt.Errorf("write: %w", ErrFault)
	}
	return n, err
}

func (h *handle) Sync() error { return h.sync(Sync) }

func (h *handle) SyncData() error { return h.sync(SyncData) }

func (h *handle) sync(op Op) error {
	do, outcome, err := h.disk.call(op)
	if outcome == Fails {
		h.file.lost = true
	}
	if do && !h.file.lost {
		h.file.durable, h.file.dirty, h.file.patches = slices.Clone(h.file.content), false, nil
	}
	return err
}

// WriteAt writes in place, and not beyond the end of the file.
func (h *handle) WriteAt(data []byte, at int64) (int, error) {
	do, outcome, err := h.disk.call(WriteAt)
	if !do {
		return 0, err
	}
	n := len(data)
	if outcome == Short || outcome == ShortSilently {
		n /= 2
	}
	if end := int(at) + n; end > len(h.file.content) {
		return 0, fmt.Errorf("write in place: to %d, and the file ends at %d: %w", end, len(h.file.content), ErrFault)
	}
	copy(h.file.content[at:], data[:n])
	h.file.patches = append(h.file.patches, patch{int(at), slices.Clone(data[:n])})
	h.file.dirty, h.file.lost = true, false
	if outcome == Short {
		err = fmt.Errorf("write in place: %w", ErrFault)
	}
	return n, err
}

func (h *handle) Keep() bool { return !h.disk.Full }

func (h *handle) Close() error {
	_, _, err := h.disk.call(Close)
	return err
}
