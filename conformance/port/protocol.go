// Package port speaks with ports: programs, in any language, that are the transition function of nodes. A port reads a
// [Request] a line from its standard input, and writes a [Reply] a line to its standard output, in the same order; it has
// no clock, no randomness and no disk. conformance/CERTIFYING.md is the normative text of this protocol.
//
// This is the loop that an asker writes:
//
//	process, err := port.Start(ctx, port.Config{Command: []string{"python3", "port.py"}})
//	if err != nil {
//		return err // it did not start, or does not speak the protocol
//	}
//	defer process.Close()
//	result, err := sim.Run(&plan, process.Maker(), sim.Options{})
//
// What [Process.Maker] makes are nodes for the packages sim, cluster and paths, and [Process.Subject] is a subject for
// conformance.Groups. A port that dies, hangs, floods or talks nonsense is a [*Failure]: nodes and subjects panic with it,
// and [Guard] turns that into an error.
//
// [Serve] is the other side: it makes a port of an implementation in Go.
package port

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// Version is the version of the protocol between a kit and a port.
const Version = 1

// MaxMembers is the greatest number of fixed members that a kit asks about.
const MaxMembers = 64

// The features that a port may say it has.
const (
	FeatureFence   = "fence"   // it has fenced resources (R38)
	FeatureMembers = "members" // members of its clusters may change (R42 to R49)
	FeatureNames   = "names"   // who resigns can name who is to lead (R51)
)

// Features returns every feature.
func Features() []string { return []string{FeatureFence, FeatureMembers, FeatureNames} }

// Op says what a request asks for.
type Op string

const (
	Hello   Op = "hello"   // who are you? the first request of all
	Reset   Op = "reset"   // forget all nodes and resources: another case begins
	Begin   Op = "start"   // Node starts for the first time, among Members (R32) or with Configuration (R49)
	Restart Op = "restart" // Node starts with Promise, which is what its disk has kept (R30)
	Load    Op = "load"    // Node is in State, as if it had come to it: nothing is sent, nothing saved
	Receive Op = "receive" // Node takes Message, which may be no message at all (R33)
	End     Op = "end"     // Timer of Node has ended, whether it runs or not (R35)
	Call    Op = "call"    // the user of Node, or its host, calls Call (R28, R41, R47)
	Crash   Op = "crash"   // Node is gone, with all that is not on its disk
	Write   Op = "write"   // Resource is written Value, with the fence Epoch (R38); a port with the feature "fence"
	Read    Op = "read"    // Resource is read
	Bye     Op = "bye"     // the last request: the port ends with 0
)

// ops returns every op.
func ops() []Op {
	return []Op{Hello, Reset, Begin, Restart, Load, Receive, End, Call, Crash, Write, Read, Bye}
}

// Request is what a kit asks. Which fields are there depends on Op.
type Request struct {
	ID            uint64          `json:"id"` // the reply has the same
	Op            Op              `json:"op"`
	Protocol      int             `json:"protocol,omitempty"` // of Hello: Version
	Kit           string          `json:"kit,omitempty"`      // of Hello
	Spec          string          `json:"spec,omitempty"`     // of Hello: the version of spec/README.md
	Case          string          `json:"case,omitempty"`     // of Reset: what begins, for people
	Node          string          `json:"node,omitempty"`     // what a node is called from its start on; nothing is to be read into it
	Me            *spec.NodeID    `json:"me,omitempty"`       // the id of the node, of Begin, Restart and Load
	Members       []spec.NodeID   `json:"members,omitempty"`  // ascending; where members change there are none
	Promise       *spec.Durable   `json:"promise,omitempty"`
	State         *spec.State     `json:"state,omitempty"`
	Message       json.RawMessage `json:"message,omitempty"`
	Timer         spec.Timer      `json:"timer,omitempty"`
	Call          spec.Call       `json:"call,omitempty"`
	Configuration json.RawMessage `json:"configuration,omitempty"` // of Begin, where members change, and of a call to change, which may be malformed
	Names         *spec.NodeID    `json:"names,omitempty"`         // of a call to resign, which may name a node (R51)
	Hold          spec.Hold       `json:"hold,omitempty"`          // of a call that names; 0 if it is missing
	Resource      string          `json:"resource,omitempty"`
	Epoch         spec.Epoch      `json:"epoch,omitempty"` // 0 if it is missing
	Value         string          `json:"value,omitempty"`

	unsaid string // what a request that was read ought to say, and does not
}

// UnmarshalJSON reads a request. Fields that it does not know it ignores, those of a state and of a promise too: a later version may have
// more.
func (q *Request) UnmarshalJSON(data []byte) error {
	type plain Request
	read := struct {
		*plain
		State   json.RawMessage `json:"state"`
		Promise json.RawMessage `json:"promise"`
		Timer   *spec.Timer     `json:"timer"`
		Call    *spec.Call      `json:"call"`
	}{plain: (*plain)(q)}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	switch {
	case q.Op == End && read.Timer == nil:
		q.unsaid = "timer"
	case q.Op == Call && read.Call == nil:
		q.unsaid = "call"
	}
	if read.Timer != nil {
		q.Timer = *read.Timer
	}
	if read.Call != nil {
		q.Call = *read.Call
	}
	q.State, q.Promise = nil, nil
	if there(read.State) {
		q.State = &spec.State{}
		if err := readKnown(read.State, q.State, "role", "leader", "lease", "epoch", "grantee", "support", "asked", "latest", "dated", "answered", "configuration"); err != nil {
			return err
		}
	}
	if there(read.Promise) {
		q.Promise = &spec.Durable{}
		return readKnown(read.Promise, q.Promise, "epoch", "grantee", "reserved", "configuration")
	}
	return nil
}

// there reports whether a field is there, and not null.
func there(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// readKnown reads an object that may have more fields than these.
func readKnown(raw json.RawMessage, into any, names ...string) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	for name := range fields {
		if !slices.Contains(names, name) {
			delete(fields, name)
		}
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// Reply is what a port answers. Exactly one of Port, Effects with State, Ignored with State, Result, Done, Unsupported and
// Error says what it is.
type Reply struct {
	ID          uint64      `json:"id"`
	Port        *Identity   `json:"port,omitempty"`     // to Hello
	Protocol    int         `json:"protocol,omitempty"` // to Hello
	Features    []string    `json:"features,omitempty"` // to Hello
	Effects     []Effect    `json:"effects,omitzero"`   // of a step: not nil, though it may be empty; in the order in which the host must do them (section 10)
	Ignored     string      `json:"ignored,omitempty"`  // there was no step, and why
	State       *spec.State `json:"state,omitempty"`    // after it
	Admitted    *bool       `json:"admitted,omitempty"` // to Write: whether it was done
	Highest     *spec.Epoch `json:"highest,omitempty"`  // to Write and Read: the highest epoch admitted
	Value       *string     `json:"value,omitempty"`    // to Read
	OK          bool        `json:"ok,omitempty"`       // to Reset, Crash and Bye
	Unsupported string      `json:"unsupported,omitempty"`
	Error       string      `json:"error,omitempty"`
}

// Identity is who a port says it is.
type Identity struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Language string `json:"language"`
}

// Effect is one thing that the host of a node must do. Exactly one field is set.
type Effect struct {
	Save   *spec.Durable `json:"save,omitempty"`   // make this durable before anything below is done (R4)
	Over   *spec.Epoch   `json:"over,omitempty"`   // tell the user that the reign of this epoch is over (R39)
	Cancel spec.Timer    `json:"cancel,omitempty"` // (R36)
	Arm    spec.Timer    `json:"arm,omitempty"`    // from now on; one that runs begins anew (R36)
	Send   *spec.Message `json:"send,omitempty"`
	Tell   *Leadership   `json:"tell,omitempty"` // tell the user who leads now (R39)
}

// Leadership is what a user is told: who leads, and in which epoch. Without a leader the epoch is 0.
type Leadership struct {
	Leader spec.NodeID `json:"leader"`
	Epoch  spec.Epoch  `json:"epoch"`
}

// rank is the place of an effect among the duties of a step.
func (e *Effect) rank() (place int, rule string) {
	switch {
	case e.Save != nil:
		return 1, "R4"
	case e.Over != nil:
		return 2, "R39"
	case e.Cancel != "", e.Arm != "":
		return 3, "R36"
	case e.Send != nil:
		return 4, "R4"
	}
	return 5, "R39"
}

// String returns which effect it is, such as: send GRANT.
func (e Effect) String() string {
	switch {
	case e.Save != nil:
		return "save"
	case e.Over != nil:
		return "over"
	case e.Cancel != "":
		return "cancel " + string(e.Cancel)
	case e.Arm != "":
		return "arm " + string(e.Arm)
	case e.Send != nil:
		return "send " + string(e.Send.Type)
	}
	return "tell"
}

// Disorder says what is wrong with the order of effects, and by which rule, or "": a host does them from first to last.
func Disorder(effects []Effect) (rule, problem string) {
	place := 0
	for k := range effects {
		next, rule := effects[k].rank()
		if next < place {
			return rule, fmt.Sprintf("effect %d, %s, comes too late, after effect %d, %s: a host saves, says that a reign is over, sets timers, sends, and tells who leads, in this order (section 10)",
				k+1, effects[k], k, effects[k-1])
		}
		if next == place && (next == 1 || next == 2 || next == 5) {
			return rule, fmt.Sprintf("effect %d is there twice: %s", k+1, effects[k])
		}
		place = next
	}
	return "", ""
}

// UnmarshalJSON reads an effect. What it does not know, it refuses: an effect that nobody does would be worse.
func (e *Effect) UnmarshalJSON(data []byte) error {
	type plain Effect
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode((*plain)(e)); err != nil {
		return fmt.Errorf("effect %s: %w", short(data), err)
	}
	set := 0
	for _, is := range []bool{e.Save != nil, e.Over != nil, e.Cancel != "", e.Arm != "", e.Send != nil, e.Tell != nil} {
		if is {
			set++
		}
	}
	if set != 1 {
		return fmt.Errorf("effect %s: one of save, over, cancel, arm, send and tell must be there, and these are %d", short(data), set)
	}
	for _, t := range []spec.Timer{e.Cancel, e.Arm} {
		if t != "" && !slices.Contains(spec.Timers(), t) {
			return fmt.Errorf("effect %s: there is no timer %q", short(data), t)
		}
	}
	return nil
}

// short returns the beginning of a text, as much as a person wants to read.
func short[T ~string | ~[]byte](text T) string {
	const most = 300
	if len(text) <= most {
		return string(text)
	}
	return string(text[:most]) + "…"
}
