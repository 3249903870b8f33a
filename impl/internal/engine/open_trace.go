package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/internal/narrate"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// openTrace makes a recording of a trace (section 14). Package check judges it: the first line that the rules do not allow is
// where the indicator Rules goes red, and where people should look.
func openTrace(text []byte, name string) Opened {
	if text[len(text)-1] == '}' {
		text = append(bytes.Clone(text), '\n') // pasted without its end
	}
	shape, problem := shapeOf(text)
	if problem != nil && shape.events == 0 {
		return Opened{Problem: problem}
	}
	var refused *check.TraceError
	switch {
	case shape.alone:
		problem = &Problem{Problem: fmt.Sprintf("this is the record of %s alone. What the others did is not in it: `bully trace merge` puts the records of all nodes together.", shape.node)}
	case len(shape.header.Members) > check.MaxNodes:
		problem = &Problem{Line: 1, Problem: fmt.Sprintf("%d members: it is shown, but the rules can be checked for %d at most.", len(shape.header.Members), check.MaxNodes)}
	default:
		_, err := check.Trace(bytes.NewReader(text), check.Options{})
		if errors.As(err, &refused) && (problem == nil || refused.Line < problem.Line) {
			problem = &Problem{Line: refused.Line, Problem: strings.TrimPrefix(refused.Error(), fmt.Sprintf("line %d: ", refused.Line))}
		}
	}
	f, told, err := tellTrace(text, shape, refused)
	if err != nil {
		return failed(1, err.Error())
	}
	if problem == nil && told < shape.events {
		problem = &Problem{Line: told + 2, Problem: fmt.Sprintf("what comes from here on is not shown: a recording has at most %d frames. Cut the trace.", mostFrames)}
	}
	f.Title = strings.ReplaceAll(called(name), "-", " ")
	f.Watch = origin(&shape.header)
	return Opened{Recording: f, Trace: text, Problem: problem}
}

// shape is what a trace looks like, before it is told.
type shape struct {
	header spec.Header
	events int         // that can be read
	broken bool        // a line cannot be read, and not because it is cut short
	timed  bool        // each event of a node has a time
	alone  bool        // it is the record of one node of many
	node   spec.NodeID // of the first event of a node
	heard  heard
}

// shapeOf reads a trace once. The problem is of the first line that cannot be read.
func shapeOf(text []byte) (s shape, problem *Problem) {
	in, err := spec.NewTraceReader(bytes.NewReader(text))
	if err != nil {
		return s, unreadable(err)
	}
	s.header, s.timed, s.heard = in.Header(), true, heard{}
	one, hears := true, false
	var e spec.Event
	for {
		err := in.Read(&e)
		if err != nil {
			s.alone = one && hears && len(s.header.Members) > 1
			s.timed = s.timed && s.events > 0
			switch {
			case err == io.EOF && s.events == 0:
				return s, &Problem{Line: 1, Problem: "no event follows: a trace of nothing shows nothing."}
			case err == io.EOF:
				return s, nil
			}
			s.broken = !errors.Is(err, io.ErrUnexpectedEOF)
			return s, unreadable(err)
		}
		s.events++
		s.heard.take(&e)
		if e.Node.IsNone() {
			continue
		}
		if s.node.IsNone() {
			s.node = e.Node
		}
		s.timed = s.timed && e.At > 0
		one = one && e.Node == s.node
		hears = hears || e.Input.Message.Type != ""
	}
}

// unreadable says which line of a trace cannot be read.
func unreadable(err error) *Problem {
	var read *spec.TraceError
	if !errors.As(err, &read) {
		return &Problem{Problem: err.Error()}
	}
	problem := strings.TrimPrefix(read.Error(), fmt.Sprintf("line %d: ", read.Line))
	if errors.Is(err, io.ErrUnexpectedEOF) {
		problem += ". Whoever wrote it was stopped in the middle of a line; all before it is shown."
	} else if !errors.Is(err, io.EOF) {
		problem += ". What comes before it is shown, if anything does."
	}
	return &Problem{Line: read.Line, Problem: problem}
}

// mostFrames is how many frames a recording can have: a variable for the sake of tests.
var mostFrames = recording.MaxFrames

// tellTrace tells all events of a trace that can be read, as far as a recording has room for them, and returns how many it told.
func tellTrace(text []byte, s shape, refused *check.TraceError) (f *recording.Recording, told int, err error) {
	in, err := spec.NewTraceReader(bytes.NewReader(text))
	if err != nil {
		return nil, 0, err
	}
	narrator, err := narrate.New(s.header.Members, narrate.Options{Timed: s.timed, Middle: s.alone, Changing: s.header.Changing, Real: s.header.Host != ""})
	if err != nil {
		return nil, 0, err
	}
	f = &recording.Recording{Header: narrator.Header(), Frames: make([]recording.Frame, 0, min(s.events, mostFrames))}
	f.Source = recording.Trace
	open := 0
	var e spec.Event
	for ; in.Read(&e) == nil; told++ {
		frames := narrator.Tell(&e)
		own := len(f.Frames) + len(frames) - 1
		if s.heard.endsWith(&e) {
			frames = append(frames, narrator.Unheard(e.Node, &e.State, "its record just ends: it was killed, perhaps, or its writer was, and nobody was left to say so")...)
		}
		if len(f.Frames)+len(frames) > mostFrames {
			break
		}
		f.Frames = append(f.Frames, frames...)
		if refused != nil && refused.Line == int(e.Seq)+1 {
			last := &f.Frames[own]
			last.Indicators = append(last.Indicators, recording.Indicator{Name: narrate.Rules, Light: recording.Red, Says: refused.Rule + ": " + refused.Problem})
			last.Note = "the rules do not allow this. " + check.Sentence(refused.Rule)
			if strings.HasPrefix(refused.Rule, "R") {
				last.Rule = refused.Rule
			}
			open = own + 1
		}
	}
	if s.alone || len(s.header.Members) > check.MaxNodes {
		f.Indicators = f.Indicators[:len(f.Indicators)-1] // nobody has looked at Rules
	}
	switch {
	case open > 0:
	case s.broken && told == s.events: // what comes next in the file is no event
		open = len(f.Frames)
		last := &f.Frames[open-1]
		last.Indicators = append(last.Indicators, recording.Indicator{Name: narrate.Rules, Light: recording.Red, Says: fmt.Sprintf("line %d, which comes next, cannot be read", told+2)})
		last.Note = strings.TrimPrefix(last.Note+". What comes next in the file cannot be read", ". ")
	default:
		open = interesting(f)
	}
	f.Open = open
	return f, told, nil
}

// origin says where a trace comes from.
func origin(h *spec.Header) string {
	of := " It was written by version " + h.Commit + " of its program."
	if h.Commit == "" || h.Commit == "none" {
		of = ""
	}
	if h.Host != "" {
		return "A recorded run of real nodes, on " + h.Host + "." + of
	}
	return fmt.Sprintf("A simulated run, of seed %d.%s", h.Seed, of)
}
