package traces

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/seed-fdf591db/bully/spec"
)

// maxMembers bounds the members of a trace: TLC takes time for each link, used or not.
const maxMembers = 16

// rank is the place of a node among the members, from 1: what it is called in TLA+ (R1). 0 is no node.
type rank uint16

// trace is a recorded trace as its data is made from: each state, and each list of messages, once, however often it
// comes.
type trace struct {
	file     string
	changing bool // whether members change
	members  []spec.NodeID
	events   []event
	states   []state
	sents    [][]message
	cuts     [][]link
	epochs   []uint64 // in the order in which they come; states, messages and configurations have places in it
	cutShort bool     // the last line has no LF

	small   []int  // what each of epochs is in TLC
	highest int    // what spec.MaxEpoch is in TLC, or none
	leaders []rank // who is the first to lead each epoch, by what it is in TLC

	configurations
	numbers
}

// link is one direction between two nodes.
type link struct{ from, to rank }

// message is a message on a link.
type message struct {
	link
	kind     spec.MessageType
	epoch    int32 // a place in trace.epochs
	question spec.Question
	keeps    rank
	granted  granted
	conf     int32 // a place in trace.confs
}

// granted is a claim that was granted.
type granted struct {
	by       rank
	epoch    int32
	question spec.Question
}

// state is the state of a node.
type state struct {
	role                        spec.Role
	leader, grantee             rank
	epoch                       int32  // a place in trace.epochs
	support                     string // a byte for each rank
	lease, asked, latest, dated spec.Question
	answered                    string // of who has answered, the rank in a byte, and the question in eight
	conf                        int32  // a place in trace.confs
}

// answer returns the question that a node has answered.
func (s *state) answer(r rank) spec.Question {
	for a := s.answered; a != ""; a = a[9:] {
		if rank(a[0]) == r {
			return spec.Question(binary.BigEndian.Uint64([]byte(a[1:9])))
		}
	}
	return 0
}

// event is one event. What its action does not carry is zero.
type event struct {
	action spec.Action
	node   rank
	state  int32   // a place in trace.states
	sent   int32   // a place in trace.sents; of a Cut, in trace.cuts
	input  message // received or lost
	conf   int32   // a place in trace.confs: what is asked for by a Change
}

// reader reads one trace.
type reader struct {
	*trace
	ranks  map[spec.NodeID]rank
	places map[uint64]int32
	states map[state]int32
	lists  map[string]int32 // the places of sents and cuts, by their bytes
	fixed  int32            // where members are fixed, the place of their configuration, which nothing in the trace says; else 0
}

// read reads a trace, up to where it is cut short, if it is. An error says what is malformed; then the trace is what comes
// before, or nil if that is nothing.
func read(file string, in io.Reader) (*trace, error) {
	lines, err := spec.NewTraceReader(in)
	if err != nil {
		return nil, err
	}
	h := lines.Header()
	r := reader{trace: &trace{file: file, changing: h.Changing, members: h.Members}, ranks: map[spec.NodeID]rank{},
		places: map[uint64]int32{}, states: map[state]int32{}, lists: map[string]int32{}}
	if len(r.members) > maxMembers {
		return nil, &spec.TraceError{Line: 1, Field: "members", Problem: fmt.Sprintf("%d are more than TLC is given here, which is %d", len(r.members), maxMembers)}
	}
	for i, id := range r.members {
		r.ranks[id] = rank(i + 1)
	}
	r.conf(spec.EmptyConfiguration()) // Nobody at all has place 0 among configurations.
	if !r.changing {
		r.fixed = r.conf(all(r.members))
	}
	r.note(0)
	r.state(&spec.State{Role: spec.Follower}) // What every node is before its start has place 0,
	r.list('s', nil)                          // no message at all has,
	r.list('c', nil)                          // and no cut.
	var e spec.Event
	for err == nil {
		if err = lines.Read(&e); err == nil {
			r.event(&e)
		}
	}
	r.cutShort = errors.Is(err, io.ErrUnexpectedEOF)
	r.shrink()
	if tooMany := r.shrinkBlocks(); tooMany != nil {
		return nil, tooMany
	}
	if err == io.EOF || r.cutShort {
		return r.trace, nil
	}
	return r.trace, err
}

// event adds an event.
func (r *reader) event(e *spec.Event) {
	compact := event{action: e.Action, node: r.ranks[e.Node], state: r.state(&e.State), input: r.message(e.Input.Message),
		conf: r.conf(e.Input.Configuration)}
	if e.Action == spec.CutAction {
		cut := make([]message, 0, len(e.Input.Cut))
		for _, l := range e.Input.Cut {
			cut = append(cut, message{link: link{r.ranks[l.From], r.ranks[l.To]}})
		}
		compact.sent = r.list('c', cut)
	} else {
		sent := make([]message, 0, len(e.Sent))
		for _, m := range e.Sent {
			sent = append(sent, r.message(m))
		}
		compact.sent = r.list('s', sent)
	}
	r.events = append(r.events, compact)
}

// epoch returns the place of an epoch.
func (r *reader) epoch(e spec.Epoch) int32 {
	place, ok := r.places[uint64(e)]
	if !ok {
		place = int32(len(r.epochs))
		r.places[uint64(e)] = place
		r.epochs = append(r.epochs, uint64(e))
	}
	return place
}

// message returns a message, or the zero message if m is that.
func (r *reader) message(m spec.Message) message {
	if m.Type == "" {
		return message{}
	}
	compact := message{link{r.ranks[m.From], r.ranks[m.To]}, m.Type, r.epoch(m.Epoch), r.note(m.Question), r.ranks[m.Keeps], granted{}, r.confOrFixed(m.Configuration)}
	if g := m.Granted; !g.By.IsNone() {
		compact.granted = granted{r.ranks[g.By], r.epoch(g.Epoch), r.note(g.Question)}
	}
	return compact
}

// state returns the place of a state. That of a network's event has no role, and is not looked at.
func (r *reader) state(s *spec.State) int32 {
	if s.Role == "" {
		return 0
	}
	compact := state{role: s.Role, leader: r.ranks[s.Leader], grantee: r.ranks[s.Grantee], epoch: r.epoch(s.Epoch),
		lease: r.note(s.Lease), asked: r.note(s.Asked), latest: r.note(s.Latest), dated: r.note(s.Dated), conf: r.confOrFixed(s.Configuration)}
	support := make([]byte, 0, maxMembers)
	for _, id := range s.Support {
		support = append(support, byte(r.ranks[id]))
	}
	compact.support = string(support)
	answered := make([]byte, 0, 9*maxMembers)
	for _, a := range s.Answered {
		answered = binary.BigEndian.AppendUint64(append(answered, byte(r.ranks[a.Node])), uint64(r.note(a.Question)))
	}
	compact.answered = string(answered)
	place, ok := r.states[compact]
	if !ok {
		place = int32(len(r.trace.states))
		r.states[compact] = place
		r.trace.states = append(r.trace.states, compact)
	}
	return place
}

// list returns the place of a list of messages, or of links, among those of its kind.
func (r *reader) list(kind byte, messages []message) int32 {
	key := []byte{kind}
	for _, m := range messages {
		key = append(append(key, byte(m.from), byte(m.to), byte(m.keeps), byte(m.granted.by)), m.kind...)
		for _, n := range []uint64{uint64(m.epoch), uint64(m.conf), uint64(m.question), uint64(m.granted.epoch), uint64(m.granted.question)} {
			key = binary.BigEndian.AppendUint64(key, n)
		}
	}
	place, ok := r.lists[string(key)]
	switch {
	case ok:
		return place
	case kind == 's':
		place = int32(len(r.sents))
		r.sents = append(r.sents, messages)
	default:
		cut := make([]link, 0, len(messages))
		for _, m := range messages {
			cut = append(cut, m.link)
		}
		place = int32(len(r.cuts))
		r.cuts = append(r.cuts, cut)
	}
	r.lists[string(key)] = place
	return place
}
