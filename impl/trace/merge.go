package trace

import (
	"fmt"
	"io"

	"github.com/seed-fdf591db/bully/spec"
)

// Stepper takes the step of a node in a state, and returns which it was, the state after, and what is sent. The action
// is "" if the input makes no step. It is how Merge asks the protocol what a node must have done. That of impl/bully is
// bully.Replay.
type Stepper func(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) (spec.Action, spec.State, []spec.Message)

// Merging says how records are merged. The zero value is strict.
type Merging struct {
	// Step fills in the step that a node was killed in: its promise is on disk, and the record lacks it. Such a step has
	// sent nothing yet. Without Step, and if no message that was under way explains it, it is an error.
	Step Stepper
	// Partial takes records that do not begin at the first start of their nodes, and messages that nobody is recorded to
	// have sent. The result can be read, and not be checked.
	Partial bool
}

// Summary says what was merged.
type Summary struct {
	Nodes, Events, Crashes int
	Stops                  int      // ends in good order, which are recorded
	Filled                 int      // steps that were not recorded, and are filled in
	Unsent                 int      // messages received that nobody is recorded to have sent; 0 unless Merging.Partial
	CutShort               []string // files that a crash has cut short, and in which line
}

// String returns s as a person would say it.
func (s Summary) String() string {
	text := fmt.Sprintf("events: %d, nodes: %d, crashes: %d", s.Events, s.Nodes, s.Crashes)
	for _, n := range []struct {
		count int
		what  string
	}{{s.Stops, "stops"}, {s.Filled, "steps filled in"}, {s.Unsent, "messages of unknown origin"}, {len(s.CutShort), "files cut short"}} {
		if n.count > 0 {
			text += fmt.Sprintf(", %s: %d", n.what, n.count)
		}
	}
	return text
}

// Merge is Merging.Merge for the zero Merging.
func Merge(out io.Writer, files ...string) (Summary, error) { return Merging{}.Merge(out, files...) }

// Merge writes to out one trace of all steps in the files, which are records that Recorders have written, one or more
// files a node, in any order. The trace is a run that the specification's model of links and crashes allows (section 2):
//
//   - each node's steps are in the order in which it took them;
//   - each message is received after it was sent;
//   - a Crash lies before each Restart, right after what the node did before, and where a node has stopped in good order. One that
//     was killed, and has not come back, just ends.
//
// Among the orders that do, it takes one near that of the times at which the events were written. It never trusts a
// clock more than a message. If there is no such order, the error says which events do not fit, and why. All events are
// held in memory, at about 1000 bytes each. The trace is written only if all is well.
func (g Merging) Merge(out io.Writer, files ...string) (Summary, error) {
	m := &merger{merging: g}
	if err := m.merge(out, files); err != nil {
		return Summary{}, fmt.Errorf("trace: %w", err)
	}
	return m.summary, nil
}

// merger merges once.
type merger struct {
	merging Merging
	header  spec.Header
	records []record
	sent    map[spec.Message]sending
	summary Summary
}

func (m *merger) merge(out io.Writer, files []string) error {
	if err := m.readAll(files); err != nil {
		return err
	}
	if m.header.Members == nil {
		return fmt.Errorf("%s: neither this file nor any other has a header: there is nothing to merge", files[0])
	}
	merged, err := m.order()
	if err != nil {
		return err
	}
	writer := spec.NewTraceWriter(out, m.header)
	for i := range merged {
		merged[i].Seq = uint64(i + 1)
		if err := writer.Write(&merged[i]); err != nil {
			return err
		}
		if merged[i].Action == spec.CrashAction {
			m.summary.Crashes++
		}
	}
	m.summary.Crashes -= m.summary.Stops
	m.summary.Nodes, m.summary.Events = len(m.records), len(merged)
	return writer.Flush()
}

// order finds an order of all steps, if there is one.
func (m *merger) order() ([]spec.Event, error) {
	err := m.join()
	m.align()
	if err == nil {
		err = m.checkDisks()
	}
	for _, lenient := range []bool{false, true} {
		if err != nil && !lenient {
			continue // it would be stuck
		}
		if lenient && !m.merging.Partial {
			return nil, err
		}
		r := newRun(m, lenient)
		if err = r.all(); err == nil {
			m.summary = r.summary
			return r.merged, nil
		}
	}
	return nil, err
}

// checkDisks sees that no disk went back: what was promised was on it (R4).
func (m *merger) checkDisks() error {
	for i := range m.records {
		x := &m.records[i]
		for _, crash := range x.crashes {
			before, after := &x.steps[crash-1], &x.steps[crash]
			was, is := before.State.Durable(), after.State.Durable()
			if is.Epoch < was.Epoch || is.Reserved < was.Reserved {
				return fmt.Errorf("%s: its disk has not kept what it had written", promises(x.node, before, after))
			}
		}
	}
	return nil
}
