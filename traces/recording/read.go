package recording

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"
)

// Read reads a recording. The error is an [Error] of the first line that is wrong, and the recording is then what comes before that
// line, which is none if it is the first; or the error is that of r. A last line without LF is taken if it is whole.
func Read(r io.Reader) (*Recording, error) {
	in := bufio.NewReaderSize(r, 1<<16)
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

// readLine reads a line into a value. At the end it returns io.EOF.
func readLine(in *bufio.Reader, number int, into any) error {
	line, err := in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line = bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) && len(line) <= MaxLine {
			var more []byte
			more, err = in.ReadSlice('\n')
			line = append(line, more...)
		}
	}
	switch {
	case len(line) > MaxLine:
		return &Error{Line: number, Problem: "longer than 1 MiB"}
	case err == io.EOF && len(line) == 0:
		return io.EOF
	case err != nil && err != io.EOF:
		return err
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	if problem := decode(line, into); problem != "" {
		return &Error{Line: number, Problem: problem}
	}
	return nil
}

// decode reads a JSON object, and says what is wrong with it. It is stricter than package json.
func decode(line []byte, into any) string {
	if !utf8.Valid(line) {
		return "it is not UTF-8"
	}
	if !json.Valid(line) {
		return "it is no JSON: " + wrong(json.Unmarshal(line, into))
	}
	if len(bytes.TrimSpace(line)) == 0 || bytes.TrimSpace(line)[0] != '{' {
		return "an object is wanted"
	}
	if problem := misnamed(line); problem != "" {
		return problem
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	return wrong(decoder.Decode(into))
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
	switch {
	case err == nil:
		return ""
	case errors.As(err, &kind):
		return fmt.Sprintf("%s: a %s is not what is wanted there", kind.Field, kind.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// misnamed says which field of an object, or of one in it, is given twice, or is in capitals: package json takes both.
func misnamed(line []byte) string {
	var seen []uint64 // of each object that has begun, which fields it has had
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '{':
			seen = append(seen, 0)
		case '}':
			seen = seen[:len(seen)-1]
		case '"':
			begin := i + 1
			for i = begin; line[i] != '"'; i++ {
				if line[i] == '\\' {
					i++
				}
			}
			name := line[begin:i]
			if rest := bytes.TrimLeft(line[i+1:], " \t\r\n"); len(rest) == 0 || rest[0] != ':' {
				continue
			}
			bit, known := names[string(name)]
			switch here := &seen[len(seen)-1]; {
			case !known:
				return fmt.Sprintf("unknown field %q", name)
			case *here&bit != 0:
				return fmt.Sprintf("%s: given twice", name)
			default:
				*here |= bit
			}
		}
	}
	return ""
}

// names has a bit for each name of a field.
var names = func() map[string]uint64 {
	all := map[string]uint64{}
	for _, of := range []any{Header{}, Frame{}, Message{}, Move{}, State{}, Field{}, Due{}, Indicator{}, Configuration{}, Member{}} {
		for _, name := range fieldsOf(of) {
			if all[name] == 0 {
				all[name] = 1 << len(all)
			}
		}
	}
	return all
}()

// fieldsOf returns the names that the fields of a struct have in JSON. Header and Frames of a Recording have none.
func fieldsOf(value any) (names []string) {
	form := reflect.TypeOf(value)
	for i := range form.NumField() {
		name, _, _ := strings.Cut(form.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
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
