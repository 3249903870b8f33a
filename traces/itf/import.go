package itf

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

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
	for k := range f.States {
		for _, name := range []string{"node", "up", "net", "cut", "reigns"} {
			if _, is := f.States[k].Values[name]; !is {
				return header, nil, fmt.Errorf("state %d: the variable %s is missing", k, name)
			}
		}
	}
	if err := c.begins(f.States[0].Values); err != nil {
		return header, nil, fmt.Errorf("state 0: %w", err)
	}
	for k := 1; k < len(f.States); k++ {
		e, err := c.event(k, &f.States[k])
		if err == nil {
			err = c.fits(&e, f.States[k-1].Values, f.States[k].Values)
		}
		if err != nil {
			return header, nil, fmt.Errorf("state %d: %w", k, err)
		}
		events = append(events, e)
	}
	return header, events, nil
}

// begins looks whether a state is that before the first event: nobody has started.
func (c *cluster) begins(s map[string]Value) error {
	for i := range c.header.Members {
		node, is := s["node"].At(i + 1)
		if !is {
			return fmt.Errorf("node: there is no node %d, and the header of the trace has %d members", i+1, c.n())
		}
		conf, _ := node.Field("conf")
		_, c.addressed = conf.Field("addresses")
	}
	for _, name := range []string{"up", "cut", "reigns"} {
		if s[name].Kind != Set || len(s[name].Items) > 0 {
			return fmt.Errorf("%s: it is not empty, and nothing has happened before the first event", name)
		}
	}
	return nil
}

// event reads the event by which a state has come.
func (c *cluster) event(k int, s *State) (e spec.Event, err error) {
	line := map[string]json.RawMessage{}
	for name, raw := range s.Meta {
		switch {
		case name == "index" && string(raw) != fmt.Sprint(k):
			return e, fmt.Errorf("#meta: index is %s", raw)
		case slices.Contains(told, name):
			line[name] = raw
		case name != "index":
			return e, fmt.Errorf("#meta: %q is nothing that an event says: it says %q", name, told)
		}
	}
	line["seq"] = fmt.Append(nil, k)
	var by struct {
		Node   spec.NodeID
		Action spec.Action
	}
	for _, name := range []string{"node", "action"} {
		if raw, is := line[name]; is {
			target := any(&by.Node)
			if name == "action" {
				target = &by.Action
			}
			if err := json.Unmarshal(raw, target); err != nil {
				return e, fmt.Errorf("#meta: %s: %w", name, err)
			}
		}
	}
	if at := c.place(by.Node); at > 0 {
		v, is := s.Values["node"].At(at)
		if !is {
			return e, fmt.Errorf("node: there is no node %d", at)
		}
		state, err := c.readState(v)
		if err != nil {
			return e, fmt.Errorf("node %d: %w", at, err)
		}
		if line["state"], err = json.Marshal(state); err != nil {
			return e, fmt.Errorf("node %d: %w", at, err)
		}
	} else if !by.Node.IsNone() {
		return e, fmt.Errorf("#meta: node %s is no member of the header of the trace", by.Node)
	}
	text, err := json.Marshal(line)
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	return e, named("#meta", err)
}

// fits looks whether an event and the states before and after it are one story.
func (c *cluster) fits(e *spec.Event, before, after map[string]Value) error {
	node := Number(c.place(e.Node))
	for i := range c.header.Members {
		old, _ := before["node"].At(i + 1)
		now, is := after["node"].At(i + 1)
		if !is || Number(i+1).Text != node.Text && !old.Equal(now) {
			return fmt.Errorf("node: node %d changes, and that is not by #meta: %s is a step of %s", i+1, e.Action, stepOf(e))
		}
	}
	wants := maps.Clone(before)
	if !e.Node.IsNone() {
		wants["up"] = upAfter(before["up"], e.Action, node)
		if e.State.Role == spec.Leader {
			wants["reigns"] = with(before["reigns"], record("epoch", Number(e.State.Epoch), "leader", node))
		}
	}
	if e.Action == spec.CutAction {
		cut := Value{Kind: Set}
		for _, l := range e.Input.Cut {
			cut.Items = append(cut.Items, c.link(l))
		}
		wants["cut"] = cut
	}
	for _, name := range []string{"up", "cut", "reigns"} {
		if after[name].Kind != Set || !after[name].Equal(wants[name]) {
			return fmt.Errorf("%s: it is not what comes of #meta, which says %s of %s", name, e.Action, stepOf(e))
		}
	}
	return c.carries(e, before["net"], after["net"])
}

func stepOf(e *spec.Event) string {
	if e.Node.IsNone() {
		return "the network"
	}
	return "node " + e.Node.String()
}

// carries looks whether net gains only what a step sends, and loses only what it takes.
func (c *cluster) carries(e *spec.Event, before, after Value) error {
	old, now := c.flat(before), c.flat(after)
	for i := range e.Sent {
		old[c.onLink(&e.Sent[i])] = true
	}
	for on := range now {
		if !old[on] {
			return errors.New("net: it has a message that #meta does not say was sent")
		}
	}
	if e.Input.Message.Type != "" {
		now[c.onLink(&e.Input.Message)] = true
	}
	for on := range c.flat(before) {
		if !now[on] {
			return errors.New("net: a message is gone that #meta does not say was received or lost")
		}
	}
	return nil
}

// onLink returns a message with its link, as flat has it.
func (c *cluster) onLink(m *spec.Message) string {
	return c.link(spec.Link{From: m.From, To: m.To}).canonical() + c.payload(m).canonical()
}

// flat returns what is under way, each with its link.
func (c *cluster) flat(net Value) map[string]bool {
	all := map[string]bool{}
	for i := range net.Items {
		if net.Kind != Map {
			break
		}
		for _, m := range net.Items[i].Items {
			all[net.Keys[i].canonical()+m.canonical()] = true
		}
	}
	return all
}
