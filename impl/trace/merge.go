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

// align takes from the times of each record by how much its clock seems to be ahead of that of the first. What was
// received before it was sent shows that two clocks differ; the quickest messages each way show by how much. Clocks that
// agree well enough are left alone.
func (m *merger) align() {
	quickest := m.quickest()
	ahead := make([]int64, len(m.records))
	known := make([]bool, len(m.records))
	var reached []int
	for root := range m.records {
		if known[root] {
			continue
		}
		known[root] = true
		for reached = append(reached[:0], root); len(reached) > 0; reached = reached[1:] {
			a := reached[0]
			for b := range m.records {
				there, back := quickest[a][b], quickest[b][a]
				if known[b] || there == nil && back == nil {
					continue
				}
				known[b] = true
				ahead[b] = ahead[a] + difference(there, back)
				reached = append(reached, b)
			}
		}
	}
	for i := range m.records {
		for j := range m.records[i].steps {
			s := &m.records[i].steps[j]
			s.time = uint64(max(0, int64(s.time)-ahead[i]))
		}
	}
}

// quickest returns for each link how long the quickest message took, in microseconds by the clocks of both ends. Only
// messages that were sent once are looked at.
func (m *merger) quickest() [][]*int64 {
	all := make([][]*int64, len(m.records))
	for from := range all {
		all[from] = make([]*int64, len(m.records))
	}
	for to := range m.records {
		for i := range m.records[to].steps {
			s := &m.records[to].steps[i]
			sent := m.sent[s.Input.Message]
			if sent.times != 1 {
				continue
			}
			from := sent.first.node
			took := int64(s.time - m.records[from].steps[sent.first.step].time)
			if all[from][to] == nil || took < *all[from][to] {
				all[from][to] = &took
			}
		}
	}
	return all
}

// difference returns by how much one clock is ahead of another, from how long messages take to it and back.
func difference(there, back *int64) int64 {
	switch {
	case back == nil:
		return min(0, *there)
	case there == nil:
		return -min(0, *back)
	case *there >= 0 && *back >= 0:
		return 0
	}
	return (*there - *back) / 2
}

// gap is what is missing in a record before a crash: a step whose promise was on disk by then, and that was not recorded any more.
type gap struct {
	crash  int         // which step of the record the crash is
	looked int         // how much of what has been said to the node has been tried
	event  *spec.Event // the step, once it is known
}

// promised returns what a node had promised as far as recorded, and what it had promised when it crashed next. They say nothing of
// numbers: a start reserves some, and may end before it can be recorded (section 14).
func (r *run) promised(node int) (recorded, kept spec.Durable) {
	x, i := &r.records[node], r.next[node]
	recorded, kept = x.steps[i-1].State.Durable(), x.steps[i].State.Durable()
	recorded.Reserved, kept.Reserved = 0, 0
	return recorded, kept
}

// explained reports whether it is known what a node did before the crash that it comes to next: nothing more than was recorded, or a
// step on something that has been said to it by now, or a timer, or a call.
func (r *run) explained(node int) bool {
	if r.next[node] == 0 {
		return true // a record that begins so: its older files are not here
	}
	recorded, kept := r.promised(node)
	g := &r.gaps[node]
	if g.crash != r.next[node] {
		*g = gap{crash: r.next[node]}
	}
	if recorded == kept || g.event != nil {
		return true
	}
	if r.merging.Step == nil {
		return false
	}
	said, first := r.said[node], g.looked == 0
	for i := len(said) - 1; i >= g.looked; i-- { // it is most likely of what was said last
		if r.explains(node, spec.Input{Message: said[i]}) {
			return true
		}
	}
	g.looked = len(said)
	if !first {
		return false
	}
	for _, timer := range spec.Timers() {
		if r.explains(node, spec.Input{Timer: timer}) {
			return true
		}
	}
	return kept.Configuration != recorded.Configuration && r.explains(node, spec.Input{Call: spec.ChangeCall, Configuration: kept.Configuration})
}

// explains reports whether the step that a node takes on an input makes the promise that was kept, and remembers that step.
func (r *run) explains(node int, in spec.Input) bool {
	_, kept := r.promised(node)
	x := &r.records[node]
	action, after, send := r.merging.Step(x.node, r.header.Members, x.steps[r.next[node]-1].State.Clone(), in)
	made := after.Durable()
	made.Reserved = 0
	if action == "" || made != kept {
		return false
	}
	e := spec.Event{Node: x.node, Action: action, Input: in, Sent: send, State: after}
	e = e.Clone()
	r.gaps[node].event = &e
	return true
}

// fill adds what a node did before the crash that it comes to next, and that was not recorded.
func (r *run) fill(node int) {
	if e := r.gaps[node].event; e != nil {
		r.merged = append(r.merged, *e)
		r.summary.Filled++
	}
}

// unexplained says what is not known of the node whose crash comes next.
func (r *run) unexplained(node int) string {
	if r.merging.Step == nil {
		return r.onDisk(node) + ": the step between was not recorded, and there is no Step to fill it in"
	}
	return r.onDisk(node) + ": no message that was sent to it explains that"
}

// onDisk says what a node had promised, and what of it was on its disk after the crash that comes next.
func (r *run) onDisk(node int) string {
	x, i := &r.records[node], r.next[node]
	return promises(x.node, &x.steps[i-1], &x.steps[i])
}

// promises says what a node had promised before a crash, and what after.
func promises(id spec.NodeID, before, crash *step) string {
	was, is := before.State.Durable(), crash.State.Durable()
	return fmt.Sprintf("%s: node %s had promised epoch:%d grantee:%s reserved:%d at %s, and has epoch:%d grantee:%s reserved:%d after its crash",
		crash.place, id, was.Epoch, was.Grantee, was.Reserved, before.place, is.Epoch, is.Grantee, is.Reserved)
}
