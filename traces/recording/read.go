package recording

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Read reads a recording. The error is an [Error] of the first line that is wrong, and the recording is then what comes before that
// line, which is none if it is the first; or the error is that of r. A last line without LF is taken if it is whole.
func Read(r io.Reader) (*Recording, error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 1<<16), MaxLine+1)
	f := &Recording{}
	if err := readLine(in, 1, &f.Header); err != nil {
		if err == io.EOF {
			err = &Error{Line: 1, Problem: "empty: a recording begins with a header"}
		}
		return nil, err
	}
	checker, err := NewChecker(&f.Header)
	if err != nil {
		return nil, err
	}
	for line := 2; ; line++ {
		frame := Frame{Node: -2}
		err := readLine(in, line, &frame)
		if err == io.EOF {
			return f, checker.End()
		}
		if err == nil && frame.Node == -2 {
			err = &Error{Line: line, Field: "node", Problem: "missing: a place in nodes is wanted, or -1 for none"}
		}
		if err == nil {
			err = checker.Frame(&frame)
		}
		if err != nil {
			f.Open = min(f.Open, len(f.Frames))
			return f, err
		}
		f.Frames = append(f.Frames, frame)
	}
}

// readLine reads a line, a JSON object, into a value. At the end it returns io.EOF.
func readLine(in *bufio.Scanner, number int, into any) error {
	if !in.Scan() {
		switch err := in.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			return &Error{Line: number, Problem: "longer than 1 MiB"}
		case err != nil:
			return err
		}
		return io.EOF
	}
	switch {
	case !utf8.Valid(in.Bytes()):
		return &Error{Line: number, Problem: "it is not UTF-8"}
	case !bytes.HasPrefix(bytes.TrimSpace(in.Bytes()), []byte("{")):
		return &Error{Line: number, Problem: "an object is wanted"}
	}
	// One object a line: what follows it would be lost.
	decoder := json.NewDecoder(bytes.NewReader(in.Bytes()))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return &Error{Line: number, Problem: wrong(err)}
	}
	if decoder.More() {
		return &Error{Line: number, Problem: "it is no JSON: something follows the object"}
	}
	return nil
}

// UnmarshalJSON reads the two places of a link. Package json would take more of them, and fewer.
func (l *Link) UnmarshalJSON(text []byte) error {
	var places []int
	if err := json.Unmarshal(text, &places); err != nil || len(places) != 2 {
		return fmt.Errorf("%s is no link: two places are wanted, such as [0,1]", text[:min(len(text), 40)])
	}
	*l = Link(places)
	return nil
}

// wrong says an error of package json in words for people who write recordings.
func wrong(err error) string {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind):
		return fmt.Sprintf("%s: a %s is not what is wanted there", kind.Field, kind.Value)
	case errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF):
		return "it is no JSON: " + err.Error()
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// Write writes a recording in its canonical bytes: one object a line, ended by LF. It writes nothing that Read would not read
// again: the error is then an [Error] with the line that is wrong, or it is that of w.
func (f *Recording) Write(w io.Writer) error {
	checker, err := NewChecker(&f.Header)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	put := func(number int, value any) error {
		line.Reset()
		if err := encoder.Encode(value); err != nil {
			return &Error{Line: number, Problem: err.Error()}
		}
		if line.Len() > MaxLine {
			return &Error{Line: number, Problem: "longer than 1 MiB"}
		}
		_, err := out.Write(line.Bytes())
		return err
	}
	if err := put(1, &f.Header); err != nil {
		return err
	}
	for i := range f.Frames {
		if err := checker.Frame(&f.Frames[i]); err != nil {
			return err
		}
		if err := put(i+2, &f.Frames[i]); err != nil {
			return err
		}
	}
	if err := checker.End(); err != nil {
		return err
	}
	return out.Flush()
}
