package spec

import "strconv"

// Epoch counts reigns: at most one node leads in an epoch. A node's epoch is the highest that it has
// promised, and is the fencing token of the node that leads it. It runs from 0, which nobody leads, to MaxEpoch (R2).
//
// In JSON it is an integer of digits only: no sign, no fraction, no exponent, no quotes.
type Epoch uint64

// MaxEpoch is the greatest epoch, 2^53-1: the greatest integer that every JSON reader keeps exact.
const MaxEpoch Epoch = 1<<53 - 1

// Valid reports whether e is at most MaxEpoch.
func (e Epoch) Valid() bool { return e <= MaxEpoch }

// MarshalJSON writes e as an integer. An epoch above MaxEpoch is an error.
func (e Epoch) MarshalJSON() ([]byte, error) {
	if !e.Valid() {
		return nil, &FieldError{Field: "epoch", Problem: aboveMax(uint64(e))}
	}
	return strconv.AppendUint(nil, uint64(e), 10), nil
}

// UnmarshalJSON reads an integer from 0 to MaxEpoch; all else is an error.
func (e *Epoch) UnmarshalJSON(data []byte) error {
	s := newScanner(data)
	epoch := s.epoch()
	if err := s.end("epoch"); err != nil {
		return err
	}
	*e = epoch
	return nil
}

func aboveMax(n uint64) string { return strconv.FormatUint(n, 10) + " is above 2^53-1" }
