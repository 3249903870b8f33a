package behaviour

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// Recording makes a recording of the states alone, for people who look for what changes.
func (b *Behaviour) Recording() (*recording.Recording, error) {
	m := moduleOf(b)
	d := director{m: m, nodes: m.nodes(b), under: map[recording.Link][]flight{}}
	if d.nodes < 1 || d.nodes+len(m.servers) > recording.MaxNodes {
		return nil, fmt.Errorf("the states have %d nodes: a recording shows from 1 to %d", d.nodes, recording.MaxNodes-len(m.servers))
	}
	h := recording.Header{Recording: recording.Version, Source: recording.Counterexample, Algorithm: m.algorithm, Servers: len(m.servers)}
	for i := range d.nodes {
		h.Nodes = append(h.Nodes, strconv.Itoa(i+1))
	}
	if m.variables == nil {
		h.Nodes = []string{"state"}
	}
	h.Nodes = append(h.Nodes, m.servers...)
	d.recording.Header = h
	d.first(&b.Steps[0])
	for i := 1; i < len(b.Steps); i++ {
		d.step(&b.Steps[i-1], &b.Steps[i])
	}
	b.Dress(&d.recording)
	return &d.recording, nil
}

// Dress gives a recording of the behaviour its title, and the indicator of the property that is violated, red where it ends: there
// people begin to look.
func (b *Behaviour) Dress(f *recording.Recording) {
	f.Source, f.Title, f.Watch = recording.Counterexample, b.title(), b.Question
	if b.more > 0 {
		f.Watch = strings.TrimSpace(fmt.Sprintf("%s (Of %d counterexamples in this text, this is the first.)", f.Watch, b.more+1))
	}
	name := cmp.Or(b.Property, "Property")
	why := "this is the state that it forbids"
	if len(b.Steps) > 1 {
		why = fmt.Sprintf("this is what it forbids, after %d steps", len(b.Steps)-1)
	}
	end := ""
	switch {
	case b.Back > 0:
		end = fmt.Sprintf("from here it goes back to state %d of the counterexample, and round for ever", b.Back)
	case b.Stuck && name == "Deadlock":
		end = "from here nothing can happen any more"
	case b.Stuck:
		end = "from here nothing ever changes again"
	}
	if end != "" {
		why = end
		at := int64(len(f.Frames) + 1)
		if len(f.Frames) > 0 {
			at = f.Frames[len(f.Frames)-1].At + 1
		}
		f.Frames = append(f.Frames, recording.Frame{At: at, Kind: recording.Step, Node: -1, Text: end})
	}
	at := slices.IndexFunc(f.Indicators, func(l recording.Indicator) bool { return l.Name == name })
	if at < 0 {
		f.Indicators = append([]recording.Indicator{{Name: name, Says: cmp.Or(check.Sentence(name), b.Question, "What is violated."), Light: recording.Green}}, f.Indicators...)
		at = 0
	}
	f.Indicators[at].Once = true
	last := &f.Frames[len(f.Frames)-1]
	if !slices.ContainsFunc(last.Indicators, func(l recording.Indicator) bool { return l.Name == name && l.Light == recording.Red }) {
		last.Indicators = append(last.Indicators, recording.Indicator{Name: name, Light: recording.Red, Says: why})
	}
	f.Open = len(f.Frames)
}

// director makes the frames.
type director struct {
	m         module
	nodes     int
	recording recording.Recording
	under     map[recording.Link][]flight // what the recording has under way
	sent      int
}

// flight is a message that the recording has under way.
type flight struct {
	number int
	packet
}

func (d *director) add(f recording.Frame) {
	f.At = int64(len(d.recording.Frames) + 1)
	d.recording.Frames = append(d.recording.Frames, f)
}

// scene returns the scene of a state, as far as a recording can show it: a text may have anything for a node.
func (d *director) scene(s *Step) scene {
	c := d.m.scene(s.terms, d.nodes)
	for l := range c.way {
		if !inRange(l, len(c.nodes)) {
			delete(c.way, l)
		}
	}
	c.cut = slices.DeleteFunc(c.cut, func(l recording.Link) bool { return !inRange(l, len(c.nodes)) })
	for i := range c.nodes {
		if n := &c.nodes[i]; n.Leader < -1 || n.Leader >= len(c.nodes) {
			n.Leader = -1
		}
	}
	return c
}

func inRange(l recording.Link, nodes int) bool {
	return l[0] >= 0 && l[1] >= 0 && l[0] < nodes && l[1] < nodes && l[0] != l[1]
}

// first shows the initial state: each node, what is under way, what is cut.
func (d *director) first(s *Step) {
	c := d.scene(s)
	for i := range c.nodes {
		f := recording.Frame{Kind: recording.Start, Node: i, Text: "begins as " + c.nodes[i].Role, State: &c.nodes[i]}
		if c.nodes[i].Look == recording.Down {
			f.Kind, f.Text = recording.Step, "is down at the beginning"
		}
		for _, link := range sortedLinks(c.way) {
			if link[0] == i {
				f.Sends = append(f.Sends, d.send(link, c.way[link])...)
			}
		}
		d.add(f)
	}
	if len(c.cut) > 0 {
		d.add(recording.Frame{Kind: recording.Links, Node: -1, Text: d.cutText(c.cut), Cut: &c.cut})
		d.drop(func(l recording.Link) bool { return slices.Contains(c.cut, l) })
	}
}

func sortedLinks[T any](on map[recording.Link]T) []recording.Link {
	return slices.SortedFunc(maps.Keys(on), func(a, b recording.Link) int { return slices.Compare(a[:], b[:]) })
}

// send sends packets over a link.
func (d *director) send(link recording.Link, packets []packet) (sends []recording.Message) {
	for _, p := range packets {
		d.sent++
		d.under[link] = append(d.under[link], flight{d.sent, p})
		sends = append(sends, recording.Message{Number: d.sent, To: link[1], Kind: p.kind, Epoch: p.epoch, Text: p.text})
	}
	return sends
}

// drop forgets what is under way on some links: the recording ends it by itself.
func (d *director) drop(on func(recording.Link) bool) {
	for l := range d.under {
		if on(l) {
			delete(d.under, l)
		}
	}
}

// take takes a packet off a link, the oldest that is the same, and returns its number; 0 if the recording has none under way.
func (d *director) take(link recording.Link, p packet) int {
	at := slices.IndexFunc(d.under[link], func(f flight) bool { return f.packet == p })
	if at < 0 {
		return 0
	}
	number := d.under[link][at].number
	d.under[link] = slices.Delete(d.under[link], at, at+1)
	return number
}

func (d *director) name(place int) string {
	if place < 0 || place >= len(d.recording.Nodes) {
		return "nobody"
	}
	return d.recording.Nodes[place]
}

func (d *director) cutText(cut []recording.Link) string {
	if len(cut) == 0 {
		return "all links carry again"
	}
	parts := make([]string, len(cut))
	for i, l := range cut {
		parts[i] = d.name(l[0]) + " to " + d.name(l[1])
	}
	return "nothing gets from " + strings.Join(parts, ", ")
}
