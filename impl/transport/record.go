package transport

import (
	"encoding/binary"
	"fmt"

	"github.com/seed-fdf591db/bully/spec"
)

// A record is how far the record of a node has come. None of it ever goes back, over restarts either (R2, R42, R50).
type record struct {
	reserved      spec.Question
	epoch         spec.Epoch
	granted       bool       // the epoch is promised to somebody
	configuration spec.Stamp // zero where members are fixed
}

// recordSize is how many bytes a record takes in a handshake.
const recordSize = 4*8 + 1

// recordOf returns what the others are told of a record.
func recordOf(kept spec.Durable) record {
	return record{kept.Reserved, kept.Epoch, !kept.Grantee.IsNone(), kept.Configuration.Stamp()}
}

func (r record) append(b []byte) []byte {
	for _, n := range []uint64{uint64(r.reserved), uint64(r.epoch), uint64(r.configuration.Epoch), r.configuration.Version} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	if r.granted {
		return append(b, 1)
	}
	return append(b, 0)
}

// readRecord reads a record from as many bytes as one takes. It is false if the last of them is neither 0 nor 1.
func readRecord(b []byte) (r record, ok bool) {
	n := func(i int) uint64 { return binary.BigEndian.Uint64(b[8*i:]) }
	last := b[recordSize-1]
	return record{spec.Question(n(0)), spec.Epoch(n(1)), last == 1, spec.Stamp{Epoch: spec.Epoch(n(2)), Version: n(3)}}, last <= 1
}

// problem returns why there is no such record, or "".
func (r record) problem() string {
	switch {
	case r.reserved > spec.MaxReserved:
		return "more numbers are reserved than there are (R50)"
	case r.epoch > spec.MaxEpoch:
		return "there is no such epoch (R2)"
	case r.configuration.Epoch > r.epoch || r.configuration.Version > spec.MaxVersion:
		return "there is no such configuration (R42)"
	}
	return ""
}

// lacks returns what a record does not know of another, in words, and "" if it knows all.
func (r record) lacks(of record) string {
	switch {
	case r.reserved < of.reserved:
		return fmt.Sprintf("it has used numbers up to %d, and its record knew of %d", of.reserved, r.reserved)
	case r.epoch < of.epoch:
		return fmt.Sprintf("it has held epoch %d, and its record knew of %d", of.epoch, r.epoch)
	case r.epoch == of.epoch && of.granted && !r.granted:
		return fmt.Sprintf("it has promised epoch %d to somebody, and its record knew of no promise", of.epoch)
	case r.configuration.Compare(of.configuration) < 0:
		return fmt.Sprintf("it has held version %d of the members, of epoch %d, and its record knew of version %d, of epoch %d",
			of.configuration.Version, of.configuration.Epoch, r.configuration.Version, r.configuration.Epoch)
	}
	return ""
}

// said notes what a message says of the record of its sender: whatever that holds is written before it is said (R4). A CLAIM is of
// the epoch after the one that is held (R16). Who grants or leads has promised the epoch; who hands over, that of the claim (R18).
// Who acknowledges has not always: a candidate does that in an epoch that it has learned (R7, R23).
func (r *record) said(m *spec.Message) {
	epoch, granted := m.Epoch, false
	switch m.Type {
	case spec.Claim:
		epoch = max(epoch, 1) - 1
	case spec.Grant, spec.Coordinator, spec.Heartbeat:
		granted = true
	case spec.Resign:
		epoch, granted = max(epoch, m.Granted.Epoch), true
	}
	switch m.Type {
	case spec.Election, spec.Claim, spec.Coordinator, spec.Heartbeat, spec.Resign, spec.ImBack: // the others echo a number
		r.reserved = max(r.reserved, m.Question)
	}
	r.promised(epoch, granted)
	if c := m.Configuration.Stamp(); r.configuration.Compare(c) < 0 {
		r.configuration = c
	}
}

// promised notes that a record holds an epoch, promised to somebody or not.
func (r *record) promised(epoch spec.Epoch, granted bool) {
	switch {
	case epoch > r.epoch:
		r.epoch, r.granted = epoch, granted
	case epoch == r.epoch:
		r.granted = r.granted || granted
	}
}

// add notes what another, later or earlier, record of the node holds.
func (r *record) add(other record) {
	r.reserved = max(r.reserved, other.reserved)
	r.promised(other.epoch, other.granted)
	if r.configuration.Compare(other.configuration) < 0 {
		r.configuration = other.configuration
	}
}
