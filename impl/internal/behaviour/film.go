package behaviour

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/traces/film"
)

// Film makes a film of the states alone, for people who look for what changes.
func (b *Behaviour) Film() (*film.Film, error) {
	m := moduleOf(b)
	d := director{m: m, nodes: m.nodes(b), under: map[film.Link][]flight{}}
	if d.nodes < 1 || d.nodes+len(m.servers) > film.MaxNodes {
		return nil, fmt.Errorf("the states have %d nodes: a film shows from 1 to %d", d.nodes, film.MaxNodes-len(m.servers))
	}
	h := film.Header{Film: film.Version, Source: film.Counterexample, Algorithm: m.algorithm, Servers: len(m.servers)}
	for i := range d.nodes {
		h.Nodes = append(h.Nodes, strconv.Itoa(i+1))
	}
	if m.variables == nil {
		h.Nodes = []string{"state"}
	}
	h.Nodes = append(h.Nodes, m.servers...)
	d.film.Header = h
	d.first(&b.Steps[0])
	for i := 1; i < len(b.Steps); i++ {
		d.step(&b.Steps[i-1], &b.Steps[i])
	}
	b.Dress(&d.film)
	return &d.film, nil
}

// Dress gives a film of the behaviour its title, and the lamp of the property that is violated, red where it ends: there
// people begin to look.
func (b *Behaviour) Dress(f *film.Film) {
	f.Source, f.Title, f.Watch = film.Counterexample, b.title(), b.Question
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
		f.Frames = append(f.Frames, film.Frame{At: at, Kind: film.Step, Node: -1, Text: end})
	}
	at := slices.IndexFunc(f.Lamps, func(l film.Lamp) bool { return l.Name == name })
	if at < 0 {
		f.Lamps = append([]film.Lamp{{Name: name, Says: cmp.Or(check.Sentence(name), b.Question, "What is violated."), Light: film.Green}}, f.Lamps...)
		at = 0
	}
	f.Lamps[at].Once = true
	last := &f.Frames[len(f.Frames)-1]
	if !slices.ContainsFunc(last.Lamps, func(l film.Lamp) bool { return l.Name == name && l.Light == film.Red }) {
		last.Lamps = append(last.Lamps, film.Lamp{Name: name, Light: film.Red, Says: why})
	}
	f.Open = len(f.Frames)
}

// director makes the frames.
type director struct {
	m     module
	nodes int
	film  film.Film
	under map[film.Link][]flight // what the film has under way
	sent  int
}

// flight is a message that the film has under way.
type flight struct {
	number int
	packet
}

func (d *director) add(f film.Frame) {
	f.At = int64(len(d.film.Frames) + 1)
	d.film.Frames = append(d.film.Frames, f)
}

// scene returns the scene of a state, as far as a film can show it: a text may have anything for a node.
func (d *director) scene(s *Step) scene {
	c := d.m.scene(s.terms, d.nodes)
	for l := range c.way {
		if !inRange(l, len(c.nodes)) {
			delete(c.way, l)
		}
	}
	c.cut = slices.DeleteFunc(c.cut, func(l film.Link) bool { return !inRange(l, len(c.nodes)) })
	for i := range c.nodes {
		if n := &c.nodes[i]; n.Leader < -1 || n.Leader >= len(c.nodes) {
			n.Leader = -1
		}
	}
	return c
}

func inRange(l film.Link, nodes int) bool {
	return l[0] >= 0 && l[1] >= 0 && l[0] < nodes && l[1] < nodes && l[0] != l[1]
}

// first shows the initial state: each node, what is under way, what is cut.
func (d *director) first(s *Step) {
	c := d.scene(s)
	for i := range c.nodes {
		f := film.Frame{Kind: film.Start, Node: i, Text: "begins as " + c.nodes[i].Role, State: &c.nodes[i]}
		if c.nodes[i].Look == film.Down {
			f.Kind, f.Text = film.Step, "is down at the beginning"
		}
		for _, link := range sortedLinks(c.way) {
			if link[0] == i {
				f.Sends = append(f.Sends, d.send(link, c.way[link])...)
			}
		}
		d.add(f)
	}
	if len(c.cut) > 0 {
		d.add(film.Frame{Kind: film.Links, Node: -1, Text: d.cutText(c.cut), Cut: &c.cut})
		d.drop(func(l film.Link) bool { return slices.Contains(c.cut, l) })
	}
}

func sortedLinks(way map[film.Link][]packet) []film.Link {
	links := make([]film.Link, 0, len(way))
	for l := range way {
		links = append(links, l)
	}
	slices.SortFunc(links, func(a, b film.Link) int { return slices.Compare(a[:], b[:]) })
	return links
}

// send sends packets over a link.
func (d *director) send(link film.Link, packets []packet) (sends []film.Message) {
	for _, p := range packets {
		d.sent++
		d.under[link] = append(d.under[link], flight{d.sent, p})
		sends = append(sends, film.Message{Number: d.sent, To: link[1], Kind: p.kind, Epoch: p.epoch, Text: p.text})
	}
	return sends
}

// drop forgets what is under way on some links: the film ends it by itself.
func (d *director) drop(on func(film.Link) bool) {
	for l := range d.under {
		if on(l) {
			delete(d.under, l)
		}
	}
}

// take takes a packet off a link, the oldest that is the same, and returns its number; 0 if the film has none under way.
func (d *director) take(link film.Link, p packet) int {
	at := slices.IndexFunc(d.under[link], func(f flight) bool { return f.packet == p })
	if at < 0 {
		return 0
	}
	number := d.under[link][at].number
	d.under[link] = slices.Delete(d.under[link], at, at+1)
	return number
}

func (d *director) name(place int) string {
	if place < 0 || place >= len(d.film.Nodes) {
		return "nobody"
	}
	return d.film.Nodes[place]
}

func (d *director) cutText(cut []film.Link) string {
	if len(cut) == 0 {
		return "all links carry again"
	}
	parts := make([]string, len(cut))
	for i, l := range cut {
		parts[i] = d.name(l[0]) + " to " + d.name(l[1])
	}
	return "nothing gets from " + strings.Join(parts, ", ")
}
