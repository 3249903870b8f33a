package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// The form of plans in JSON: package json, but for four things that it cannot do. Every field must be there, once, spelt as it is,
// and no other, but for what a value says of itself; times are texts, such as "12ms"; an error names the field by its path; and
// there is a line for each part, fault and change. A field is named as in Go, in small letters, unless its tag says otherwise.

// partial is a struct of which not every field is in JSON. What says so comes before what it speaks of.
type partial interface {
	// has reports whether a field may be there, and whether it must be.
	has(name string) (may, must bool)
}

// checked is a value of which not every one of its type is one.
type checked interface {
	problem() string // what is wrong with it, or ""
}

// Kinds of lines: the tag line says of a field that it begins one, or that each of its elements does.
const fieldLine, eachLine = "field", "each"

// has is partial's: of most structs, all fields are there.
func has(v reflect.Value, name string) (may, must bool) {
	if p, is := v.Addr().Interface().(partial); is {
		return p.has(name)
	}
	if _, is := v.Interface().(spec.Member); is && (name == "rank" || name == "address") {
		return true, false
	}
	return true, true
}

func nameOf(f *reflect.StructField) string {
	if name := f.Tag.Get("json"); name != "" {
		return name
	}
	return strings.ToLower(f.Name)
}

// writeStruct writes the fields of a struct, which is part of whole, after n others. It returns how many there are then.
func writeStruct(b *bytes.Buffer, whole, v reflect.Value, n int) int {
	for i := range v.NumField() {
		f, at := v.Type().Field(i), v.Field(i)
		if f.Anonymous {
			n = writeStruct(b, whole, at, n)
			continue
		}
		may, must := has(whole, nameOf(&f))
		if !may || !must && at.IsZero() {
			continue
		}
		if n++; n > 1 {
			b.WriteByte(',')
		}
		line := f.Tag.Get("line")
		if strings.Contains(line, fieldLine) {
			b.WriteString("\n ")
		}
		fmt.Fprintf(b, "%q:", nameOf(&f))
		write(b, at, strings.Contains(line, eachLine))
	}
	return n
}

// write writes a value; of a list, each element in a line of its own, or all in one.
func write(b *bytes.Buffer, v reflect.Value, lines bool) {
	switch x := v.Interface().(type) {
	case time.Duration:
		fmt.Fprintf(b, "%q", durationText(x))
		return
	case float64:
		b.WriteString(strconv.FormatFloat(x, 'g', -1, 64))
		return
	case spec.Link:
		fmt.Fprintf(b, "[%q,%q]", x.From, x.To)
		return
	case fmt.Stringer: // an id, a point
		if v.Kind() != reflect.Struct {
			fmt.Fprintf(b, "%q", x)
			return
		}
	}
	switch v.Kind() {
	case reflect.Struct:
		b.WriteByte('{')
		writeStruct(b, v, v, 0)
		b.WriteByte('}')
	case reflect.Slice:
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(',')
			}
			if lines {
				b.WriteString("\n  ")
			}
			write(b, v.Index(i), false)
		}
		b.WriteByte(']')
	case reflect.String:
		fmt.Fprintf(b, "%q", v.String())
	default:
		fmt.Fprint(b, v.Interface())
	}
}

// durationText writes a time; what is below zero is "never".
func durationText(d time.Duration) string {
	if d < 0 {
		return "never"
	}
	return d.String()
}

// wrongAt is the error for what is wrong at a path.
func wrongAt(path, format string, args ...any) error {
	return &spec.FieldError{Field: path, Problem: fmt.Sprintf(format, args...)}
}

// within returns the path to a field.
func within(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// fieldsOf returns the fields of an object, none of which is there twice.
func fieldsOf(path string, data []byte) (map[string]json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	decoder := json.NewDecoder(bytes.NewReader(data))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, wrongAt(path, "is no JSON object")
	}
	for decoder.More() {
		name, err := decoder.Token()
		var raw json.RawMessage
		if err == nil {
			err = decoder.Decode(&raw)
		}
		if err != nil {
			return nil, wrongAt(path, "is no JSON object: %v", err)
		}
		if _, twice := fields[name.(string)]; twice {
			return nil, wrongAt(within(path, name.(string)), "is given twice")
		}
		fields[name.(string)] = raw
	}
	_, err := decoder.Token()
	if err != nil {
		err = wrongAt(path, "is no JSON object: %v", err)
	}
	return fields, err
}

// readStruct takes what belongs to a struct, which is part of whole, from among the fields of an object.
func readStruct(path string, fields map[string]json.RawMessage, whole, v reflect.Value) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			if err := readStruct(path, fields, whole, v.Field(i)); err != nil {
				return err
			}
			continue
		}
		name := nameOf(&f)
		may, must := has(whole, name)
		raw, there := fields[name]
		switch {
		case there && may:
		case must:
			return wrongAt(within(path, name), "is missing")
		default:
			continue // if it is there, it is left, and is unknown
		}
		delete(fields, name)
		if err := read(within(path, name), raw, v.Field(i), f.Tag.Get("never") != ""); err != nil {
			return err
		}
	}
	return nil
}

// read reads a value; a time may be "never" if that is said.
func read(path string, raw json.RawMessage, v reflect.Value, never bool) error {
	if bytes.Equal(raw, []byte("null")) {
		return wrongAt(path, "is null")
	}
	switch x := v.Addr().Interface().(type) {
	case *time.Duration:
		return readDuration(path, raw, x, never)
	case *Point:
		return readPoint(path, raw, x)
	case *spec.Link:
		var ends []spec.NodeID
		if err := json.Unmarshal(raw, &ends); err != nil || len(ends) != 2 {
			return wrongAt(path, `is no link: it is written as ["3","2"]`)
		}
		x.From, x.To = ends[0], ends[1]
		return nil
	}
	switch v.Kind() {
	case reflect.Struct:
		fields, err := fieldsOf(path, raw)
		if err == nil {
			err = readStruct(path, fields, v, v)
		}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if err == nil {
				err = wrongAt(within(path, name), "is unknown here")
			}
		}
		return err
	case reflect.Slice:
		return readList(path, raw, v)
	}
	if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
		return wrongAt(path, "is not as it should be: %v", err)
	}
	if c, is := v.Interface().(checked); is && c.problem() != "" {
		return wrongAt(path, "%s", c.problem())
	}
	return nil
}

func readList(path string, raw json.RawMessage, v reflect.Value) error {
	var elements []json.RawMessage
	if err := json.Unmarshal(raw, &elements); err != nil {
		return wrongAt(path, "is not as it should be: %v", err)
	}
	v.Set(reflect.MakeSlice(v.Type(), len(elements), len(elements)))
	for i, element := range elements {
		if err := read(fmt.Sprintf("%s[%d]", path, i), element, v.Index(i), false); err != nil {
			return err
		}
	}
	return nil
}

func readDuration(path string, raw json.RawMessage, to *time.Duration, never bool) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return wrongAt(path, "is not as it should be: %v", err)
	}
	d, err := time.ParseDuration(text)
	switch {
	case text == "never" && never:
		d = -1
	case err != nil || d < 0:
		return wrongAt(path, "%q is no length of time: it is written as 12ms", text)
	}
	*to = d
	return nil
}

func readPoint(path string, raw json.RawMessage, to *Point) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return wrongAt(path, "is not as it should be: %v", err)
	}
	for p := Between; p < AfterSave+2*MaxNodes; p++ {
		if p.String() == text {
			*to = p
			return nil
		}
	}
	return wrongAt(path, "%q is no point of a step: there are %q, %q, %q and %q", text, Between, BeforeSave, AfterSave, AfterSave+2)
}

// planFormat is the version of the form in which plans are written.
const planFormat format = 1

type format int

func (f format) problem() string {
	if f != planFormat {
		return fmt.Sprintf("is %d, but this program reads %d", f, planFormat)
	}
	return ""
}

// planFile is a file of a plan.
type planFile struct {
	Format format `json:"plan"`
	Plan
}

// MarshalJSON writes p as a file of a plan has it: a line for each part, and one for each fault and change. Times are texts
// such as "12ms"; ids, links and members are as in traces. First and Changes are left out where members are fixed. A plan
// that is not valid is an error.
func (p Plan) MarshalJSON() ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	p.First, p.Changes = some(p.First), slices.Clone(p.Changes)
	for i := range p.Changes {
		if c := &p.Changes[i]; c.Back == 0 {
			c.Back = -1 // which is written as never
		}
	}
	var b bytes.Buffer
	write(&b, reflect.ValueOf(&planFile{planFormat, p}).Elem(), false)
	return b.Bytes(), nil
}

// UnmarshalJSON reads a valid plan. A field unknown, missing or given twice is an error, which names it.
func (p *Plan) UnmarshalJSON(data []byte) error {
	var file planFile
	if err := read("", data, reflect.ValueOf(&file).Elem(), false); err != nil {
		return err
	}
	q := file.Plan
	if q.First != nil && len(q.First) == 0 {
		return wrongAt("first", "is empty: without first members, members are fixed, and it is left out")
	}
	for i := range q.Changes {
		q.Changes[i].Back = max(0, q.Changes[i].Back)
	}
	q.Rates, q.Faults, q.Changes = some(q.Rates), some(q.Faults), some(q.Changes)
	if err := q.Validate(); err != nil {
		return err
	}
	*p = q
	return nil
}

// some returns a list, and nil if there is nothing in it.
func some[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// has says that what is about changes is there where members change.
func (p *Plan) has(name string) (may, must bool) {
	switch name {
	case "first":
		return true, false
	case "changes":
		return p.First != nil, p.First != nil
	}
	return true, true
}

// has says what a fault of its kind has.
func (f *Fault) has(name string) (may, must bool) {
	is := name == "at" || name == "kind" || slices.Contains(f.Kind.kind().fields, name)
	return is, is
}

// has says that a change has Back that removes, and Rank that gives one.
func (c *Change) has(name string) (may, must bool) {
	is := (name != "back" || c.Kind == RemoveChange) && (name != "rank" || c.Kind == RankChange)
	return is, is
}

func (k FaultKind) problem() string {
	if k.valid() {
		return ""
	}
	return fmt.Sprintf("%q is no kind of fault: there are %v", string(k), FaultKinds())
}

func (k ChangeKind) problem() string {
	if k.valid() {
		return ""
	}
	return fmt.Sprintf("%q is no kind of change: there are %v", string(k), changeKinds())
}
