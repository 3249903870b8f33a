package trace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// place is where an event was read.
type place struct {
	path string
	line int
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.path, p.line) }

// step is one event of a record.
type step struct {
	spec.Event
	place
	time uint64 // the latest At of the record up to here: a hint at when, that does not go back
}

// restarts reports whether a crash lies before the step.
func (s *step) restarts() bool { return s.Action == spec.RestartAction }

// record is all that is known of one node.
type record struct {
	node    spec.NodeID
	steps   []step // with a Crash before each Restart, recorded or put there
	crashes []int  // which of steps are a Crash
}

// readAll reads the records in files. All must have the same members, if these are fixed.
func (m *merger) readAll(paths []string) error {
	files, err := sortedFiles(paths)
	if err != nil {
		return err
	}
	var cut place // where the file before was cut short
	for i, f := range files {
		if i == 0 || files[i-1].node != f.node {
			m.records, cut = append(m.records, record{node: f.node}), place{}
		} else if previous := files[i-1]; f.number != previous.number+1 {
			return fmt.Errorf("%s: a file of the record of node %s is missing between this one and %s", f.path, f.node, previous.path)
		}
		r := &m.records[len(m.records)-1]
		had := len(r.steps)
		end, err := m.read(f, r)
		if err != nil {
			return err
		}
		if cut != (place{}) && len(r.steps) > had && !r.steps[had].restarts() {
			return fmt.Errorf("%s: the record goes on where it was cut short before, at %s: events are missing", r.steps[had].place, cut)
		}
		if end != (place{}) {
			m.summary.CutShort = append(m.summary.CutShort, end.String())
		}
		if end != (place{}) || len(r.steps) > had {
			cut = end
		}
	}
	for i := range m.records {
		r := &m.records[i]
		if err := m.checkLives(r); err != nil {
			return err
		}
		r.addCrashes()
	}
	return nil
}

// sortedFiles returns the files of paths by node, and the oldest first.
func sortedFiles(paths []string) ([]*file, error) {
	if len(paths) == 0 {
		return nil, errors.New("no file is given to merge")
	}
	var files []*file
	for _, path := range paths {
		f, ok := parseName(path)
		if !ok {
			return nil, fmt.Errorf("%s: a file of a record is named as %s is", path, fileName(spec.IntegerID(3), 1))
		}
		files = append(files, f)
	}
	slices.SortStableFunc(files, compareFiles)
	for i := range files[1:] {
		if compareFiles(files[i], files[i+1]) == 0 {
			return nil, fmt.Errorf("%s: given twice, or the same part of a record as %s", files[i+1].path, files[i].path)
		}
	}
	return files, nil
}

// read appends the events of a file to the record of its node. If a crash has cut the file short, it returns where.
func (m *merger) read(f *file, r *record) (cut place, err error) {
	opened, err := os.Open(f.path)
	if err != nil {
		return place{}, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	reader, err := spec.NewTraceReader(opened)
	var fault *spec.TraceError
	switch {
	case errors.As(err, &fault) && (errors.Is(err, io.ErrUnexpectedEOF) || isEmpty(opened)):
		return place{f.path, fault.Line}, nil // the crash came before the header was whole
	case err != nil:
		return place{}, fmt.Errorf("%s: %w", f.path, err)
	}
	if err := m.takeHeader(f, reader.Header()); err != nil {
		return place{}, err
	}
	for line := 2; ; line++ {
		var s step
		err := reader.Read(&s.Event)
		switch {
		case err == io.EOF:
			return place{}, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return place{f.path, line}, nil
		case err != nil:
			return place{}, fmt.Errorf("%s: %w", f.path, err)
		}
		s.place = place{f.path, line}
		if s.Node != f.node {
			return place{}, fmt.Errorf("%s: %s is no step of node %s, whose record this is", s.place, s.Action, f.node)
		}
		if s.Action == spec.CrashAction {
			m.summary.Stops++
		}
		s.time = s.At
		if n := len(r.steps); n > 0 {
			s.time = max(s.At, r.steps[n-1].time)
		}
		r.steps = append(r.steps, s)
	}
}

// isEmpty reports whether a file has no bytes at all.
func isEmpty(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Size() == 0
}

// takeHeader makes the header of the merged trace from those of all files.
func (m *merger) takeHeader(f *file, h spec.Header) error {
	if m.header.Members == nil {
		m.header = h
	}
	switch {
	case m.header.Changing != h.Changing:
		return fmt.Errorf("%s: its members come and go, or are fixed, and those of the files before are not so: they are not of one cluster", f.path)
	case h.Changing:
		m.header.Members = slices.Compact(ascending(append(slices.Clone(m.header.Members), h.Members...)))
	case !slices.Equal(m.header.Members, h.Members):
		return fmt.Errorf("%s: its members are %s, and those of the files before are %s: one trace has one membership (R40)",
			f.path, h.Members, m.header.Members)
	}
	if h.Seed != m.header.Seed {
		return fmt.Errorf("%s: its seed is %d, and that of the files before is %d: they are not of one run", f.path, h.Seed, m.header.Seed)
	}
	if h.Host != m.header.Host {
		m.header.Host = "several hosts"
	}
	if h.Commit != m.header.Commit {
		m.header.Commit = "several commits"
	}
	return nil
}

// checkLives sees that a record begins where the life of its node does, and that each life follows on the one before.
func (m *merger) checkLives(r *record) error {
	if len(r.steps) == 0 {
		return nil
	}
	for i := 1; i < len(r.steps); i++ {
		if r.steps[i].Action == spec.StartAction {
			return fmt.Errorf("%s: node %s starts for the first time once more: its disk was wiped, or its id given to another (R32)",
				r.steps[i].place, r.node)
		}
		if r.steps[i-1].Action == spec.CrashAction && !r.steps[i].restarts() {
			return fmt.Errorf("%s: %s of node %s, which has stopped at %s: only its Restart can follow", r.steps[i].place, r.steps[i].Action, r.node, r.steps[i-1].place)
		}
	}
	first := &r.steps[0]
	switch {
	case first.Action == spec.StartAction:
	case first.restarts() && first.State.Epoch == 0 && first.State.Grantee.IsNone():
		// It crashed after it had written its first record (0, none), and before it could record its start.
		start := step{place: first.place, time: first.time}
		start.Event = spec.Event{Node: r.node, Action: spec.StartAction, State: spec.State{Role: spec.Follower, Latest: 1, Configuration: first.State.Configuration}}
		r.steps = slices.Insert(r.steps, 0, start)
		m.summary.Filled++
	case !m.merging.Partial:
		return fmt.Errorf("%s: the record of node %s begins with %s, not with its first start: its older files are missing",
			first.place, r.node, first.Action)
	}
	return nil
}

// addCrashes puts a Crash before each Restart but one at the very beginning, at the time of what the node did last: nothing is known
// of it after that. Where the node has stopped in good order, its Crash is recorded.
func (r *record) addCrashes() {
	var steps []step
	for _, s := range r.steps {
		if s.Action == spec.CrashAction && len(steps) > 0 {
			r.crashes = append(r.crashes, len(steps))
		}
		if s.restarts() && len(steps) > 0 && steps[len(steps)-1].Action != spec.CrashAction {
			kept := s.State.Durable()
			kept.Reserved = max(1, s.State.Latest) - 1 // a restart begins above what was reserved (R50)
			crash := step{place: s.place, time: steps[len(steps)-1].time, Event: crashed(r.node, kept)}
			r.crashes = append(r.crashes, len(steps))
			steps = append(steps, crash)
		}
		steps = append(steps, s)
	}
	r.steps = steps
}

// crashed returns the Crash of a node that keeps a promise.
func crashed(id spec.NodeID, p spec.Durable) spec.Event {
	return spec.Event{Node: id, Action: spec.CrashAction, State: spec.State{
		Role: spec.Follower, Epoch: p.Epoch, Grantee: p.Grantee, Latest: p.Reserved, Configuration: p.Configuration}}
}
