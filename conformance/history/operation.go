package history

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// OpKind names what a client did. The set is closed.
type OpKind string

const (
	// LedOp is a node that comes to lead an epoch: a write of the register of that epoch.
	LedOp OpKind = "led"
	// FollowedOp is a node that is told who leads an epoch: a read of that register.
	FollowedOp OpKind = "followed"
	// WriteOp is a node that writes to a fenced resource, for an epoch that it leads.
	WriteOp OpKind = "write"
	// ReadOp is anybody who reads a fenced resource.
	ReadOp OpKind = "read"
)

// Outcome is what came of a write, as far as its writer knows.
type Outcome string

const (
	// Done is a write that was admitted, and whose writer was told so.
	Done Outcome = "done"
	// Fenced is a write that was refused, for a higher epoch that had been admitted.
	Fenced Outcome = "fenced"
	// Unknown is a write without an answer. It may take effect at any time after its call, or never.
	Unknown Outcome = "unknown"
)

// Never is the Return of an operation that was not answered.
const Never int64 = math.MaxInt64

// Op is one operation of a history: what a client did, between which two moments, and what came of it.
//
//	kind      fields besides Client, Kind, Epoch, Call and Return
//	led
//	followed  Leader
//	write     Resource, Value, Outcome, and of a fenced one Admitted
//	read      Resource, Value; both Value and Epoch are 0 if nothing has been written
type Op struct {
	Client   string // who: the id of a node, but for a read, which is anybody's; 1 to 255 printable ASCII characters other than " and \
	Kind     OpKind
	Epoch    spec.Epoch  // that is led, that the write is of, or that the value read is of
	Leader   spec.NodeID // who leads, as the client was told
	Resource string      // the name of the resource, of the same form as Client
	Value    uint64      // written, at most 2^53-1, above 0, and never twice to the same resource; or read
	Outcome  Outcome
	Admitted spec.Epoch // the highest epoch that the resource has admitted, as it said when it refused
	// Call is before the operation took effect, and Return after: nanoseconds since a moment that is the same for the whole
	// history, from 0 to 2^53-1. The Return of an unknown write is Never.
	Call, Return int64
}

// String returns the operation as a person would say it.
func (o *Op) String() string {
	switch when := o.when(); o.Kind {
	case LedOp:
		return fmt.Sprintf("node %s leads epoch %d %s", o.Client, o.Epoch, when)
	case FollowedOp:
		return fmt.Sprintf("node %s is told %s that %s leads epoch %d", o.Client, when, o.Leader, o.Epoch)
	case ReadOp:
		return fmt.Sprintf("%s reads %d of epoch %d from %s %s", o.Client, o.Value, o.Epoch, o.Resource, when)
	}
	text := fmt.Sprintf("node %s writes %d of epoch %d to %s %s, which is %s", o.Client, o.Value, o.Epoch, o.Resource, o.when(), o.Outcome)
	if o.Outcome == Fenced {
		text += fmt.Sprintf(" by epoch %d", o.Admitted)
	}
	return text
}

// when says between which moments the operation was.
func (o *Op) when() string {
	if o.Return == Never {
		return fmt.Sprintf("(from %s on)", time.Duration(o.Call))
	}
	return fmt.Sprintf("(%s to %s)", time.Duration(o.Call), time.Duration(o.Return))
}

// fields returns which fields the operation has, by its kind and outcome.
func (o *Op) fields() map[string]bool {
	has := map[string]bool{"client": true, "kind": true, "epoch": true, "call": true, "return": true}
	switch o.Kind {
	case FollowedOp:
		has["leader"] = true
	case WriteOp:
		has["resource"], has["value"], has["outcome"] = true, true, true
		has["admitted"] = o.Outcome == Fenced
		has["return"] = o.Outcome != Unknown
	case ReadOp:
		has["resource"], has["value"] = true, true
	}
	return has
}

// check says what is wrong with an operation by itself.
func (o *Op) check() *Error {
	fault := func(field, problem string) *Error { return &Error{Field: field, Problem: problem} }
	if problem := checkName(o.Client); problem != "" {
		return fault("client", problem)
	}
	if _, err := spec.ParseNodeID(o.Client); err != nil && o.Kind != ReadOp {
		return fault("client", "of "+string(o.Kind)+": "+err.Error())
	}
	problem := ""
	if o.Kind == WriteOp || o.Kind == ReadOp {
		problem = checkName(o.Resource)
	}
	const most = uint64(spec.MaxEpoch)
	switch {
	case !slices.Contains([]OpKind{LedOp, FollowedOp, WriteOp, ReadOp}, o.Kind):
		return fault("kind", fmt.Sprintf("%q is no kind of operation", o.Kind))
	case !o.Epoch.Valid() || o.Epoch == 0 && o.Kind != ReadOp:
		return fault("epoch", fmt.Sprintf("%d is not from 1 to 2^53-1", o.Epoch))
	case o.Kind == FollowedOp && !o.Leader.Valid():
		return fault("leader", "it is no node")
	case problem != "":
		return fault("resource", problem)
	case o.Kind == WriteOp && (o.Value == 0 || o.Value > most), o.Kind == ReadOp && o.Value > most:
		return fault("value", fmt.Sprintf("%d is not from 1 to 2^53-1", o.Value))
	case o.Kind == ReadOp && (o.Value == 0) != (o.Epoch == 0):
		return fault("value", fmt.Sprintf("value %d of epoch %d: both are 0, or none is", o.Value, o.Epoch))
	case o.Kind == WriteOp && !slices.Contains([]Outcome{Done, Fenced, Unknown}, o.Outcome):
		return fault("outcome", fmt.Sprintf("%q is no outcome of a write", o.Outcome))
	case !o.Admitted.Valid():
		return fault("admitted", fmt.Sprintf("%d is not from 0 to 2^53-1", o.Admitted))
	case o.Call < 0 || o.Call > int64(most):
		return fault("call", fmt.Sprintf("%d is not from 0 to 2^53-1", o.Call))
	case o.Kind == WriteOp && o.Outcome == Unknown && o.Return != Never:
		return fault("return", "a write without an answer does not return")
	case (o.Kind != WriteOp || o.Outcome != Unknown) && (o.Return < o.Call || o.Return > int64(most)):
		return fault("return", fmt.Sprintf("%d is not from the call, %d, to 2^53-1", o.Return, o.Call))
	case *o != o.carried():
		return fault("", fmt.Sprintf("it has a field that a %s does not carry", o.Kind))
	}
	return nil
}

// carried returns the operation without what its kind does not carry.
func (o *Op) carried() Op {
	has, c := o.fields(), *o
	if !has["leader"] {
		c.Leader = spec.NodeID{}
	}
	if !has["resource"] {
		c.Resource, c.Value = "", 0
	}
	if !has["outcome"] {
		c.Outcome = ""
	}
	if !has["admitted"] {
		c.Admitted = 0
	}
	return c
}
