package kit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// loopSuite is the suite of what is about the loop of a port, and not about nodes.
const loopSuite = "loop"

const (
	pause  = 2 * time.Millisecond  // between pieces, so that each is a read of its own, as a rule
	longer = 25 * time.Millisecond // where it matters most
)

// endSoon is how long it is waited for the end of a port. It must end within 2 s, and gets more: where much else runs it may be kept from
// ending.
const endSoon = 10 * time.Second

// Loop returns the cases about the loop (conformance/CERTIFYING.md, The loop): requests that arrive in pieces, or many at once, and how a
// port ends. What a port answers is compared with what it answers when it is asked one thing after the other.
func Loop() []Case {
	return []Case{
		{ID: "protocol-pieces", Suite: loopSuite, Must: true, Rules: []string{}, Run: inPieces,
			Title: "A line that arrives in pieces is answered as one that arrives at once."},
		{ID: "protocol-ahead", Suite: loopSuite, Must: true, Rules: []string{}, Run: ahead,
			Title: "Lines that arrive in one piece are all answered, without waiting for more."},
		{ID: "protocol-bye", Suite: loopSuite, Must: true, Rules: []string{}, Run: leaves(true, ""),
			Title: "After bye a port ends soon, with status 0, though its input is still open."},
		{ID: "protocol-end", Suite: loopSuite, Must: true, Rules: []string{}, Run: leaves(false, ""),
			Title: "At the end of its input a port ends soon, with status 0, though nobody has said bye."},
		{ID: "protocol-after-bye", Suite: loopSuite, Must: true, Rules: []string{}, Run: leaves(true, extra+"\n"),
			Title: "What follows bye is not answered, though it has come with it."},
		{ID: "protocol-tail", Suite: loopSuite, Must: true, Rules: []string{}, Run: leaves(false, extra),
			Title: "A line that lacks its LF when the input ends has been cut short, and is not answered."},
		{ID: "protocol-ids", Suite: loopSuite, Must: true, Rules: []string{}, Run: numbered,
			Title: "Ids of requests are integers up to 2^53-1, and replies have all of their digits."},
	}
}

// some are a few requests of different lengths. Whether a port does the right thing is not asked here.
func some() []port.Request {
	ids := []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}
	return []port.Request{
		{Op: port.Reset, Case: "loop"},
		{Op: port.Begin, Node: "a", Me: &ids[1], Members: ids},
		{Op: port.Receive, Node: "a", Message: []byte(`{"type":"CLAIM","from":"3","to":"2","epoch":4,"question":5}`)},
		{Op: port.End, Node: "a", Timer: spec.PatienceTimer},
		{Op: port.Crash, Node: "a"},
	}
}

// oneByOne asks one thing after the other, and returns what was answered.
func oneByOne(p *port.Process) (answers []string, err error) {
	for _, q := range some() {
		answer, err := p.AskPieces([]port.Request{q}, whole, 0)
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer...)
	}
	return answers, nil
}

// whole cuts nothing.
func whole(text []byte) [][]byte { return [][]byte{text} }

// everyByte cuts after each byte.
func everyByte(text []byte) (pieces [][]byte) {
	for k := range text {
		pieces = append(pieces, text[k:k+1])
	}
	return pieces
}

// inPieces sends lines in pieces.
func inPieces(ctx context.Context, p *port.Process) error {
	wanted, err := oneByOne(p)
	if err != nil {
		return err
	}
	const why = "keep what a read has brought of an unfinished line, and put the next read behind it (conformance/CERTIFYING.md, The loop, 6)"
	for k, q := range some() {
		cuts := []func([]byte) [][]byte{
			func(text []byte) [][]byte { return [][]byte{text[:len(text)/2], text[len(text)/2:]} },
			func(text []byte) [][]byte { return [][]byte{text[:1], text[1 : len(text)-1], text[len(text)-1:]} },
		}
		pauses := []time.Duration{longer, longer}
		if k < 2 {
			cuts, pauses = append(cuts, everyByte), append(pauses, pause)
		}
		for way, cut := range cuts {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if way > 0 && q.Op != port.Reset && q.Op != port.Begin {
				continue // it has been done to the node
			}
			got, err := p.AskPieces([]port.Request{q}, cut, pauses[way])
			if problem := unlikeBefore(p, wanted[k:k+1], got, err, "a line that arrives in pieces", why); problem != nil {
				return problem
			}
		}
	}
	return nil
}

// ahead sends all lines at once; and then two lines and a half, and the rest.
func ahead(ctx context.Context, p *port.Process) error {
	wanted, err := oneByOne(p)
	if err != nil {
		return err
	}
	const why = "answer every whole line that a read has brought, before the next read (conformance/CERTIFYING.md, The loop, 6)"
	for _, cut := range []func([]byte) [][]byte{whole, twoAndAHalf} {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		got, err := p.AskPieces(some(), cut, longer)
		if problem := unlikeBefore(p, wanted, got, err, fmt.Sprintf("of %d lines that are sent ahead, one", len(wanted)), why); problem != nil {
			return problem
		}
	}
	return nil
}

// twoAndAHalf cuts a text in the middle of its third line.
func twoAndAHalf(text []byte) [][]byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	at := len(lines[0]) + len(lines[1]) + len(lines[2])/2
	return [][]byte{text[:at], text[at:]}
}

// unlikeBefore says how answers are not those of requests that were sent one by one, each in one piece.
func unlikeBefore(p *port.Process, wanted, got []string, err error, what, why string) error {
	var failure *port.Failure
	if errors.As(err, &failure) {
		own := *failure
		own.Problem = fmt.Sprintf("%s is not answered as one that comes alone: %s\nremedy  %s", what, own.Problem, why)
		if len(wanted) > 1 {
			own.Problem += fmt.Sprintf("\nsent    %d lines, of which %d were answered", len(wanted), len(got))
		}
		return &own
	}
	if err != nil {
		return err
	}
	for k := range wanted {
		if canonical(wanted[k]) != canonical(got[k]) {
			return p.Wrong("", fmt.Sprintf("%s is not answered as one that comes alone\nremedy  %s\nexpected %s\ngot     %s", what, why, wanted[k], got[k]))
		}
	}
	return nil
}

// extra is a request that must not be answered.
const extra = `{"id":77,"op":"reset","case":"loop"}`

// numbered asks what has ids of many digits.
func numbered(ctx context.Context, p *port.Process) error {
	one, err := p.Again(ctx)
	if err != nil {
		return err
	}
	defer one.Close()
	for _, id := range []uint64{1e6, 1<<24 + 1, 1 << 31, 1<<32 + 1, 1e15 + 1, 1<<53 - 9} {
		one.CountFrom(id)
		for _, q := range some() {
			if _, err := one.Ask(&q); err != nil {
				return err
			}
		}
	}
	return nil
}

// leaves looks how a port ends, and whether it answers what it is sent last.
func leaves(bye bool, rest string) func(context.Context, *port.Process) error {
	return func(ctx context.Context, p *port.Process) error {
		one, err := p.Again(ctx)
		if err != nil {
			return err
		}
		defer one.Close()
		if _, err := one.Ask(&port.Request{Op: port.Reset, Case: "loop"}); err != nil {
			return err
		}
		return one.Leave(bye, rest, endSoon)
	}
}
