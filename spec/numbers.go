package spec

import (
	"strconv"
)

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

// Question is the number of something that a node asks: an ELECTION, a CLAIM, a COORDINATOR or a HEARTBEAT. The numbers of one
// node only rise, over restarts too, so none is of two questions. They begin at 1; 0 is none (R50).
//
// In JSON it is an integer of digits only, as an epoch is.
type Question uint64

const (
	// MaxQuestion is the greatest number that a message may carry, 2^53-1.
	MaxQuestion Question = 1<<53 - 1
	// MaxReserved is the greatest number that a record may reserve, 2^52. No node comes from there to MaxQuestion in its life.
	MaxReserved Question = 1 << 52
	// Block is how many numbers a node reserves by one save.
	Block Question = 1 << 20
)

// Valid reports whether q is at most MaxQuestion.
func (q Question) Valid() bool { return q <= MaxQuestion }

// Reserved returns up to which number a node has reserved that has used q as its latest: up to the end of a block.
func (q Question) Reserved() Question { return (q + Block - 1) / Block * Block }

// Granted is a claim that a leader has granted as it handed over. The zero Granted is none.
//
//	{"by":"3","epoch":5,"question":9}
type Granted struct {
	By       NodeID // who claims
	Epoch    Epoch
	Question Question // of the CLAIM
}

var grantedFields = []string{"by", "epoch", "question"}

// check says what is wrong with the numbers of a claim that is not none.
func (g *Granted) check() *FieldError {
	if !g.Epoch.Valid() {
		return &FieldError{Field: "epoch", Problem: aboveMax(uint64(g.Epoch))}
	}
	return checkAsked(g.Question)
}

// checkAsked says what is wrong with the number of a question that there must be.
func checkAsked(q Question) *FieldError {
	switch {
	case q == 0:
		return &FieldError{Field: "question", Problem: "0: the number of a question is from 1 to 2^53-1"}
	case !q.Valid():
		return &FieldError{Field: "question", Problem: aboveMax(uint64(q))}
	}
	return nil
}

// String returns g as a person would say it: epoch:5 to 3, question:9.
func (g Granted) String() string {
	return "epoch:" + strconv.FormatUint(uint64(g.Epoch), 10) + " to " + g.By.String() + " question:" + g.Question.String()
}

// String returns q in digits.
func (q Question) String() string { return strconv.FormatUint(uint64(q), 10) }

func (g *Granted) appendJSON(b []byte) []byte {
	b = g.By.appendJSON(append(b, `{"by":`...))
	b = strconv.AppendUint(append(b, `,"epoch":`...), uint64(g.Epoch), 10)
	b = strconv.AppendUint(append(b, `,"question":`...), uint64(g.Question), 10)
	return append(b, '}')
}

// granted reads the syntax of a claim that was granted; check says whether it is valid.
func (s *scanner) granted(g *Granted) {
	seen := s.object(grantedFields, func(field int) {
		switch field {
		case 0:
			g.By = s.id()
		case 1:
			g.Epoch = s.epoch()
		case 2:
			g.Question = s.question()
		}
	})
	s.require(grantedFields, seen, 1<<len(grantedFields)-1)
}

func (s *scanner) question() Question { return Question(s.integer()) }

// MaxHold is the greatest Hold: one day.
const MaxHold Hold = 24 * 60 * 60 * 1000

// Hold is for how long, in milliseconds, a node that was named is not to be pre-empted (R51): from 0, for not at all, to MaxHold.
type Hold uint64

// Valid reports whether d is at most MaxHold.
func (d Hold) Valid() bool { return d <= MaxHold }

func (d Hold) check() *FieldError {
	if !d.Valid() {
		return &FieldError{Field: "hold", Problem: strconv.FormatUint(uint64(d), 10) + " ms: at most " + strconv.FormatUint(uint64(MaxHold), 10) + " are wanted"}
	}
	return nil
}

// namingText is what is said of the node that a RESIGN, or a call to resign, names, with a space before it; "" of none.
func namingText(names NodeID, hold Hold) (text string) {
	if !names.IsNone() {
		text = " names:" + names.String()
	}
	if hold != 0 {
		text += " hold:" + strconv.FormatUint(uint64(hold), 10)
	}
	return text
}

// appendNaming is namingText in JSON, with a comma before it.
func appendNaming(b []byte, names NodeID, hold Hold) []byte {
	if !names.IsNone() {
		b = names.appendJSON(append(b, `,"names":`...))
	}
	if hold != 0 {
		b = strconv.AppendUint(append(b, `,"hold":`...), uint64(hold), 10)
	}
	return b
}

// hold reads a time that is there; 0 is left out.
func (s *scanner) hold() Hold { return Hold(s.positive()) }
