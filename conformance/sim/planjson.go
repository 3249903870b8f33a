package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// planFormat is the version of the form in which plans are written.
const planFormat = 1

// MarshalJSON writes p as a file of a plan has it: a line for each part, and one for each fault and change. Times are texts
// such as "12ms"; ids, links and members are as in traces. First and Changes are left out where members are fixed. A plan
// that is not valid is an error.
func (p Plan) MarshalJSON() ([]byte, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	t := &p.Timing
	fmt.Fprintf(&b, `{"plan":%d,"seed":%d,"members":`, planFormat, p.Seed)
	list(&b, p.Members, func(id spec.NodeID) { fmt.Fprintf(&b, "%q", id) })
	fmt.Fprintf(&b, ",\n"+` "timing":{"delay":%q,"drift":%s`, t.Delay, number(t.Drift))
	for _, f := range t.timers() {
		fmt.Fprintf(&b, `,%q:%q`, f.name, durationText(*f.value))
	}
	fmt.Fprintf(&b, "},\n"+` "links":{"delay":%s,"loss":%s},"disk":%s,"rates":`, p.Links.Delay.json(), number(p.Links.Loss), p.Disk.json())
	list(&b, p.Rates, func(r float64) { b.WriteString(number(r)) })
	fmt.Fprintf(&b, `,"proofs":%t,"length":%q,`+"\n"+` "faults":[`, p.Proofs, p.Length)
	for i := range p.Faults {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  ")
		p.Faults[i].json(&b)
	}
	b.WriteByte(']')
	if p.changes() {
		p.changesJSON(&b)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// timers returns the names of the timers in JSON, and where they are.
func (t *Timing) timers() []named[*time.Duration] {
	return []named[*time.Duration]{{"beat", &t.Beat}, {"quorum", &t.Quorum}, {"heartbeat", &t.Heartbeat}, {"election", &t.Election},
		{"coordinator", &t.Coordinator}, {"claim", &t.Claim}, {"preempt", &t.Preempt}, {"stagger", &t.Stagger}}
}

type named[T any] struct {
	name  string
	value T
}

// durationText writes a time; what is below zero is "never".
func durationText(d time.Duration) string {
	if d < 0 {
		return "never"
	}
	return d.String()
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func (r Range) json() string { return fmt.Sprintf(`{"min":%q,"max":%q}`, r.Min, r.Max) }

// list writes a JSON array, each element by write.
func list[T any](b *bytes.Buffer, elements []T, write func(T)) {
	b.WriteByte('[')
	for i, e := range elements {
		if i > 0 {
			b.WriteByte(',')
		}
		write(e)
	}
	b.WriteByte(']')
}

// fields returns what a fault of this kind has, besides its time and kind.
func (k FaultKind) fields() []string {
	switch k {
	case CrashFault:
		return []string{"node", "point", "for"}
	case CutFault:
		return []string{"links", "for"}
	case BreakFault:
		return []string{"links"}
	case WeatherFault:
		return []string{"links", "for", "delay", "loss"}
	case PauseFault, JumpFault:
		return []string{"node", "for"}
	case SlowDiskFault:
		return []string{"node", "for", "disk"}
	case FailDiskFault:
		return []string{"node", "for", "kept"}
	}
	return []string{"node"}
}

// json writes the fault.
func (f *Fault) json(b *bytes.Buffer) {
	fmt.Fprintf(b, `{"at":%q,"kind":%q`, f.At, f.Kind)
	for _, field := range f.Kind.fields() {
		fmt.Fprintf(b, ",%q:", field)
		switch field {
		case "node":
			fmt.Fprintf(b, "%q", f.Node)
		case "point":
			fmt.Fprintf(b, "%q", f.Point)
		case "for":
			fmt.Fprintf(b, "%q", f.For)
		case "links":
			list(b, f.Links, func(l spec.Link) { fmt.Fprintf(b, `["%s","%s"]`, l.From, l.To) })
		case "delay":
			b.WriteString(f.Delay.json())
		case "loss":
			b.WriteString(number(f.Loss))
		case "disk":
			b.WriteString(f.Disk.json())
		case "kept":
			b.WriteString(strconv.FormatBool(f.Kept))
		}
	}
	b.WriteByte('}')
}

// UnmarshalJSON reads a valid plan. A field unknown, missing or given twice is an error, which names it.
func (p *Plan) UnmarshalJSON(data []byte) error {
	r := &planReader{}
	var q Plan
	o := r.object("", data)
	if format := value[int](o, "plan"); r.err == nil && format != planFormat {
		r.fail("plan", fmt.Sprintf("is %d, but this program reads %d", format, planFormat))
	}
	q.Seed = value[uint64](o, "seed")
	q.Members = value[[]spec.NodeID](o, "members")
	timing := o.object("timing")
	q.Timing.Delay = timing.duration("delay")
	q.Timing.Drift = value[float64](timing, "drift")
	for _, f := range q.Timing.timers() {
		*f.value = timing.duration(f.name)
	}
	timing.end()
	links := o.object("links")
	q.Links = Weather{Delay: links.between("delay"), Loss: value[float64](links, "loss")}
	links.end()
	q.Disk = o.between("disk")
	if q.Rates = value[[]float64](o, "rates"); len(q.Rates) == 0 {
		q.Rates = nil
	}
	q.Proofs = value[bool](o, "proofs")
	q.Length = o.duration("length")
	for i, raw := range value[[]json.RawMessage](o, "faults") {
		q.Faults = append(q.Faults, r.object(fmt.Sprintf("faults[%d]", i), raw).fault())
	}
	o.changes(&q)
	o.end()
	if r.err != nil {
		return r.err
	}
	if err := q.Validate(); err != nil {
		return err
	}
	*p = q
	return nil
}

// planReader reads a plan up to the first fault in it.
type planReader struct{ err error }

func (r *planReader) fail(path, problem string) {
	if r.err == nil {
		r.err = &spec.FieldError{Field: path, Problem: problem}
	}
}

// fields are those of a JSON object that have not been taken yet.
type fields struct {
	*planReader
	path string
	left map[string]json.RawMessage
}

// at returns the path to a field.
func (o fields) at(name string) string {
	if o.path == "" {
		return name
	}
	return o.path + "." + name
}

// object reads an object whose path is given. What it holds is not looked at yet.
func (r *planReader) object(path string, data []byte) fields {
	o := fields{planReader: r, path: path, left: map[string]json.RawMessage{}}
	if r.err != nil {
		return o
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		r.fail(path, "is no JSON object")
		return o
	}
	for decoder.More() {
		name, err := decoder.Token()
		var raw json.RawMessage
		if err == nil {
			err = decoder.Decode(&raw)
		}
		if err != nil {
			r.fail(path, "is no JSON object: "+err.Error())
			return o
		}
		if _, twice := o.left[name.(string)]; twice {
			r.fail(o.at(name.(string)), "is given twice")
		}
		o.left[name.(string)] = raw
	}
	if _, err := decoder.Token(); err != nil {
		r.fail(path, "is no JSON object: "+err.Error())
	}
	return o
}

// take returns a field, which must be there.
func (o fields) take(name string) (json.RawMessage, bool) {
	raw, ok := o.left[name]
	if !ok {
		o.fail(o.at(name), "is missing")
	}
	delete(o.left, name)
	return raw, ok && o.err == nil
}

// end says that nothing else may be there.
func (o fields) end() {
	for _, name := range slices.Sorted(maps.Keys(o.left)) {
		o.fail(o.at(name), "is unknown here")
	}
}

// value reads a field as JSON has it.
func value[T any](o fields, name string) (v T) {
	raw, ok := o.take(name)
	if !ok {
		return v
	}
	if bytes.Equal(raw, []byte("null")) {
		o.fail(o.at(name), "is null")
		return v
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		o.fail(o.at(name), fmt.Sprintf("is not as it should be: %v", err))
	}
	return v
}

func (o fields) object(name string) fields {
	raw, ok := o.take(name)
	if !ok {
		return fields{planReader: o.planReader, path: o.at(name)}
	}
	return o.planReader.object(o.at(name), raw)
}

// duration reads a time. Those that may be "never" are preempt and back.
func (o fields) duration(name string) time.Duration {
	text := value[string](o, name)
	if o.err != nil {
		return 0
	}
	if text == "never" && (name == "preempt" || name == "back") {
		return -1
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		o.fail(o.at(name), fmt.Sprintf("%q is no length of time: it is written as 12ms", text))
	}
	return d
}

func (o fields) between(name string) (r Range) {
	in := o.object(name)
	r = Range{Min: in.duration("min"), Max: in.duration("max")}
	in.end()
	return r
}

// fault reads a fault.
func (o fields) fault() (f Fault) {
	f.At, f.Kind = o.duration("at"), FaultKind(value[string](o, "kind"))
	if o.err == nil && !f.Kind.Valid() {
		o.fail(o.at("kind"), fmt.Sprintf("%q is no kind of fault: there are %v", f.Kind, FaultKinds()))
	}
	for _, field := range f.Kind.fields() {
		switch field {
		case "node":
			f.Node = value[spec.NodeID](o, field)
		case "point":
			f.Point = o.point(field)
		case "for":
			f.For = o.duration(field)
		case "links":
			f.Links = o.links(field)
		case "delay":
			f.Delay = o.between(field)
		case "loss":
			f.Loss = value[float64](o, field)
		case "disk":
			f.Disk = o.between(field)
		case "kept":
			f.Kept = value[bool](o, field)
		}
	}
	o.end()
	return f
}

// links reads links, as traces have them.
func (o fields) links(name string) (links []spec.Link) {
	for i, ends := range value[[][]spec.NodeID](o, name) {
		if len(ends) != 2 {
			o.fail(fmt.Sprintf("%s[%d]", o.at(name), i), "is no link: it is written as [\"3\",\"2\"]")
			return nil
		}
		links = append(links, spec.Link{From: ends[0], To: ends[1]})
	}
	return links
}

func (o fields) point(name string) Point {
	text := value[string](o, name)
	for p := Between; p < AfterSave+2*MaxNodes; p++ {
		if p.String() == text {
			return p
		}
	}
	o.fail(o.at(name), fmt.Sprintf("%q is no point of a step: there are %q, %q, %q and %q", text, Between, BeforeSave, AfterSave, AfterSave+2))
	return 0
}
