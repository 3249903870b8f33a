package itf

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/seed-fdf591db/bully/spec"
)

// ErrNotOurs says that a file is not one that Export has written: it has no header of a trace.
var ErrNotOurs = errors.New("it does not say the header of a trace in \"#meta\", as what was exported from a trace does")

// Import reads what Export has written, which other tools may have written anew. The error says which state is wrong, and how.
// If the file is well formed but says no header of a trace, the error is ErrNotOurs.
func Import(text []byte) (spec.Header, []spec.Event, error) {
	f, err := Read(text)
	if err != nil {
		return spec.Header{}, nil, err
	}
	return f.Trace()
}

// Trace returns the trace that was exported.
func (f *File) Trace() (header spec.Header, events []spec.Event, err error) {
	raw, is := f.Meta["header"]
	if !is {
		return header, nil, ErrNotOurs
	}
	if err := json.Unmarshal(raw, &header); err != nil {
		return header, nil, fmt.Errorf("#meta: header: %w", err)
	}
	if f.Loop >= 0 {
		return header, nil, errors.New("loop: a trace does not go back to an earlier state")
	}
	c := cluster{header: header}
	for k := 1; k < len(f.States); k++ {
		e, err := c.event(k, f.States[k].Meta)
		if err != nil {
			return header, nil, fmt.Errorf("state %d: #meta: %w", k, err)
		}
		events = append(events, e)
	}
	return header, events, f.fits(header, events)
}

// event reads the event by which a state has come.
func (c *cluster) event(k int, meta map[string]json.RawMessage) (e spec.Event, err error) {
	if index := string(meta["index"]); index != fmt.Sprint(k) {
		return e, fmt.Errorf("index is %q", index)
	}
	line := maps.Clone(meta)
	delete(line, "index")
	line["seq"] = fmt.Append(nil, k)
	text, err := json.Marshal(line)
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	if err == nil && !e.Node.IsNone() && c.place(e.Node) == 0 {
		err = fmt.Errorf("node %s is no member of the header of the trace", e.Node)
	}
	return e, err
}

// compared are the variables that must be what comes of the events; budget and since are not read.
var compared = []string{"node", "up", "net", "cut", "reigns"}

// fits looks whether the states are those that come of the events, as Export would write them.
func (f *File) fits(header spec.Header, events []spec.Event) error {
	text, err := Export(header, events)
	if err != nil {
		return err
	}
	want, err := Read(text)
	if err != nil {
		return err
	}
	for k := range want.States {
		for _, name := range compared {
			if got := f.States[k].Values[name]; !got.Equal(want.States[k].Values[name]) {
				return fmt.Errorf("state %d: %s: it is not what comes of #meta%s", k, name, stepOf(events, k))
			}
		}
	}
	return nil
}

// stepOf says by which event a state has come.
func stepOf(events []spec.Event, k int) string {
	switch {
	case k == 0:
		return ": nothing has happened before the first event"
	case events[k-1].Node.IsNone():
		return fmt.Sprintf(", which says %s of the network", events[k-1].Action)
	}
	return fmt.Sprintf(", which says %s of node %s", events[k-1].Action, events[k-1].Node)
}
