package trace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

const (
	// defaultMaxBytes is how large a file becomes at most, in bytes, if Options do not say.
	defaultMaxBytes = 16 << 20
	// defaultMaxFiles is how many files are kept, if Options do not say.
	defaultMaxFiles = 256
)

// Options say what a Recorder writes, and where. Dir, Node and Members must be given.
type Options struct {
	Dir     string        // the folder of the files; it is made if it is not there, and may hold the files of other nodes too
	Node    spec.NodeID   // whose steps are recorded
	Members []spec.NodeID // all members, in any order; if they come and go, those that are known of at first, and Node
	// Changing says that members come and go: each event has its configuration. Whenever a node turns up that was not known
	// of, another file begins, whose header has it.
	Changing bool
	Host     string // a name for this host in the header, as spec.Header.Host; "" means "unknown"
	Commit   string // the version of this program in the header, as spec.Header.Commit; "" means "unknown"
	// MaxBytes is the size, in bytes, from which on a file is full, and the next event begins another: 0 means
	// 16 MiB.
	MaxBytes int64
	// MaxFiles is how many files of this node are kept; when there would be more, the oldest is deleted. 0 means
	// 256. A start makes a file, so a node that restarts often needs more of them. A record without its oldest
	// files can be merged only in part.
	MaxFiles int
}

// ErrClosed is returned by Record after Close.
var ErrClosed = errors.New("trace: the recorder is closed")

// Recorder writes the steps of one node to files. Each event is one write to the operating system: the end of the
// process loses none that has been recorded, and the end of the machine may. It is safe for concurrent use.
type Recorder struct {
	options Options
	header  spec.Header

	mu      sync.Mutex
	file    *os.File
	out     *spec.TraceWriter
	written int64              // to the file
	seq     uint64             // of the event recorded last in the file
	number  int                // of the file
	err     error              // the first failure, after which nothing more is written
	known   spec.Configuration // whose members are in the header; most events have the one before
	lives   bool               // a step was recorded, and no end after it
	kept    spec.Durable       // the promise of that step
}

// NewRecorder begins a new file, numbered one above the highest of this node that is in the folder. A file that a crash
// has cut short is left as it is.
func NewRecorder(o Options) (*Recorder, error) {
	if o.MaxBytes < 0 || o.MaxFiles < 0 {
		return nil, fmt.Errorf("trace: MaxBytes %d and MaxFiles %d: neither can be negative", o.MaxBytes, o.MaxFiles)
	}
	o.MaxBytes, o.MaxFiles = orElse(o.MaxBytes, defaultMaxBytes), orElse(o.MaxFiles, defaultMaxFiles)
	if o.Changing && !contains(o.Members, o.Node) {
		o.Members = append(slices.Clone(o.Members), o.Node)
	}
	header := spec.Header{Changing: o.Changing, Members: ascending(o.Members), Host: orElse(o.Host, "unknown"), Commit: orElse(o.Commit, "unknown")}
	if err := header.Validate(); err != nil {
		return nil, fmt.Errorf("trace: header: %w", err)
	}
	if !contains(header.Members, o.Node) {
		return nil, fmt.Errorf("trace: node %s is no member: add it to the members, or correct its id", o.Node)
	}
	if o.Dir == "" {
		return nil, errors.New("trace: no folder is given to record in")
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	r := &Recorder{options: o, header: header}
	if err := r.next(); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	return r, nil
}

// Record writes e at the end of the record. It numbers it, and stamps it with the time if e.At is 0; both are left in e.
// After the first failure, a full disk perhaps, it writes nothing more and returns the same error: a record with a gap
// would be no record. An event that is not well formed is such a failure too.
func (r *Recorder) Record(e *spec.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	if err := r.record(e); err != nil {
		r.err = fmt.Errorf("trace: the record of node %s ends: %w", r.options.Node, err)
	}
	return r.err
}

func (r *Recorder) record(e *spec.Event) error {
	if e.Node != r.options.Node {
		return fmt.Errorf("a step of node %s is not recorded here", e.Node)
	}
	if more := r.newcomers(e); len(more) > 0 {
		r.header.Members = ascending(append(slices.Clone(r.header.Members), more...))
		if err := r.next(); err != nil {
			return err
		}
	}
	if r.written >= r.options.MaxBytes && r.seq > 0 {
		if err := r.next(); err != nil {
			return err
		}
	}
	if e.At == 0 {
		e.At = uint64(time.Now().UnixMicro())
	}
	e.Seq = r.seq + 1
	if err := r.out.Write(e); err != nil {
		return err
	}
	r.seq++
	r.lives, r.kept = e.Action != spec.CrashAction, e.State.Durable()
	return r.out.Flush()
}

// Stopped records that the node has stopped in good order: as a Crash, by which the rules know every end. Whoever calls it knows that
// the promise of the last step is what is on disk. A record that just ends is of a node that was killed, or that runs: nobody can tell
// (section 14). It does nothing if no step was recorded.
func (r *Recorder) Stopped() error {
	r.mu.Lock()
	lives, kept := r.lives, r.kept
	r.mu.Unlock()
	if !lives {
		return nil
	}
	e := crashed(r.options.Node, kept)
	return r.Record(&e)
}

// newcomers returns the nodes that an event names and the header does not, if members come and go.
func (r *Recorder) newcomers(e *spec.Event) (more []spec.NodeID) {
	if !r.options.Changing {
		return nil
	}
	name := func(id spec.NodeID) {
		if !id.IsNone() && !contains(r.header.Members, id) && !contains(more, id) {
			more = append(more, id)
		}
	}
	nameAll := func(c spec.Configuration) {
		if c == r.known {
			return
		}
		for _, m := range c.Members() {
			name(m.ID)
		}
	}
	for _, m := range append(e.Sent[:len(e.Sent):len(e.Sent)], e.Input.Message) {
		name(m.From)
		name(m.To)
		nameAll(m.Configuration)
	}
	for _, id := range e.State.Support {
		name(id)
	}
	name(e.State.Leader)
	name(e.State.Grantee)
	nameAll(e.Input.Configuration)
	nameAll(e.State.Configuration)
	r.known = e.State.Configuration
	return more
}

// Close ends the record. Later calls return nil.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if errors.Is(r.err, ErrClosed) {
		return nil
	}
	r.err = ErrClosed
	if r.file == nil {
		return nil
	}
	if err := r.file.Close(); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	return nil
}

// next closes the file, begins the next, and deletes the oldest if there are too many.
func (r *Recorder) next() error {
	if r.file != nil {
		if err := r.file.Close(); err != nil {
			return err
		}
		r.file = nil
	}
	old, err := filesOf(r.options.Dir, r.options.Node)
	if err != nil {
		return err
	}
	if len(old) > 0 {
		r.number = max(r.number, old[len(old)-1].number)
	}
	r.number++
	name := filepath.Join(r.options.Dir, fileName(r.options.Node, r.number))
	// The file must be new: two recorders in one file would be no record of either.
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	r.file, r.written, r.seq = file, 0, 0
	r.out = spec.NewTraceWriter(counter{r}, r.header)
	if err := r.out.Flush(); err != nil {
		return errors.Join(err, file.Close())
	}
	for _, f := range old[:max(0, len(old)+1-r.options.MaxFiles)] {
		if err := os.Remove(f.path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// counter writes to the file of a recorder, and counts.
type counter struct{ r *Recorder }

// Write implements io.Writer. The TraceWriter calls it once for each event.
func (c counter) Write(p []byte) (int, error) {
	n, err := c.r.file.Write(p)
	c.r.written += int64(n)
	return n, err
}

// orElse returns value, or what is meant if it is zero.
func orElse[T comparable](value, meant T) T {
	var zero T
	if value == zero {
		return meant
	}
	return value
}
