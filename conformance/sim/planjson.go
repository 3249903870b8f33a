package sim

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
)

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

// has says that a change has Back that removes.
func (c *Change) has(name string) (may, must bool) {
	is := name != "back" || c.Kind == RemoveChange
	return is, is
}

func (k FaultKind) problem() string {
	if k.Valid() {
		return ""
	}
	return fmt.Sprintf("%q is no kind of fault: there are %v", string(k), FaultKinds())
}

func (k ChangeKind) problem() string {
	if k.Valid() {
		return ""
	}
	return fmt.Sprintf("%q is no kind of change: there are %v", string(k), ChangeKinds())
}
