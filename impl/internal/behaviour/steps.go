package behaviour

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-fdf591db/bully/traces/recording"
)

// difference is what a step has changed on a link.
type difference struct {
	link  recording.Link
	gone  []packet
	added []packet
}

// differences compares what is under way before and after a step. On links that are queues what goes is at the front.
func differences(old, now map[recording.Link][]packet, queue bool) (all []difference) {
	both := maps.Clone(old)
	maps.Copy(both, now)
	for _, l := range sortedLinks(both) {
		d := difference{link: l}
		if queue {
			d.gone, d.added = queueDifference(old[l], now[l])
		} else {
			d.gone, d.added = without(old[l], now[l]), without(now[l], old[l])
		}
		if len(d.gone)+len(d.added) > 0 {
			all = append(all, d)
		}
	}
	return all
}

func queueDifference(old, now []packet) (gone, added []packet) {
	for k := range len(old) + 1 {
		if rest := old[k:]; len(rest) <= len(now) && slices.Equal(rest, now[:len(rest)]) {
			return old[:k], now[len(rest):]
		}
	}
	return old, now
}

// without returns what is in a and not in b.
func without(a, b []packet) (only []packet) {
	b = slices.Clone(b)
	for _, p := range a {
		if at := slices.Index(b, p); at >= 0 {
			b = slices.Delete(b, at, at+1)
		} else {
			only = append(only, p)
		}
	}
	return only
}

// step shows one step.
func (d *director) step(before, s *Step) {
	old, now := d.scene(before), d.scene(s)
	changes := differences(old.way, now.way, len(before.terms["net"].keys) > 0)
	var changed []int
	for i := range now.nodes {
		if !sameState(&old.nodes[i], &now.nodes[i]) {
			changed = append(changed, i)
		}
	}
	f := recording.Frame{Action: s.Action, Node: d.actor(s, changed, changes)}
	f.Kind = kindOf(s.Action, f.Node, d.nodes)
	switch f.Kind {
	case recording.Crash:
		d.drop(func(l recording.Link) bool { return l[0] == f.Node || l[1] == f.Node })
	case recording.Receive, recording.Lose:
		d.arrive(&f, s, changes)
	}
	if !slices.Equal(old.cut, now.cut) {
		f.Cut = &now.cut
		d.drop(func(l recording.Link) bool { return slices.Contains(now.cut, l) })
	}
	d.losses(changes)
	if f.Node >= 0 && slices.Contains(changed, f.Node) {
		f.State = &now.nodes[f.Node]
		f.Note = whatChanged(&old.nodes[f.Node], f.State, d.name)
	}
	for _, c := range changes {
		if c.link[0] == f.Node {
			f.Sends = append(f.Sends, d.send(c.link, c.added)...)
		}
	}
	if f.Text == "" {
		f.Text = d.text(s, &f)
	}
	d.add(f)
	d.others(&f, &old, &now, changed, changes)
}

// others shows what else a step has changed: other nodes, and what they send.
func (d *director) others(f *recording.Frame, old, now *scene, changed []int, changes []difference) {
	for i := range now.nodes {
		if i == f.Node {
			continue
		}
		g := recording.Frame{Kind: recording.Step, Node: i, Action: f.Action, Text: "has changed with that"}
		if slices.Contains(changed, i) {
			g.State = &now.nodes[i]
			g.Note = whatChanged(&old.nodes[i], g.State, d.name)
		}
		for _, c := range changes {
			if c.link[0] == i {
				g.Sends = append(g.Sends, d.send(c.link, c.added)...)
			}
		}
		if g.State != nil || len(g.Sends) > 0 {
			d.add(g)
		}
	}
}

// actor returns whose step it is, a place; -1 if that cannot be told, or it is nobody's.
func (d *director) actor(s *Step, changed []int, changes []difference) int {
	if s.Action == "Cut" || s.Action == "Lose" {
		return -1
	}
	places := d.nodes + len(d.m.servers)
	valid := func(place int) int {
		if place < 0 || place >= places {
			return -1
		}
		return place
	}
	if len(s.Args) > 0 && s.Args[0] > 0 {
		switch {
		case d.m.about != nil:
			return valid(d.m.about(s.Action, s.Args[0], s.terms, d.nodes))
		case len(s.Args) > 1 && s.Args[1] > 0:
			return valid(s.Args[1] - 1)
		}
		return valid(s.Args[0] - 1)
	}
	if d.m.about != nil {
		if place := d.m.about(s.Action, 0, s.terms, d.nodes); valid(place) >= d.nodes {
			return place
		}
	}
	if strings.HasPrefix(s.Action, "On") {
		for _, c := range changes {
			if len(c.gone) > 0 {
				return c.link[1]
			}
		}
	}
	if len(changed) > 0 {
		return changed[0]
	}
	for _, c := range changes {
		if len(c.added) > 0 {
			return c.link[0]
		}
	}
	return -1
}

// kindOf returns what kind of thing an action is.
func kindOf(action string, node, nodes int) recording.Kind {
	switch {
	case action == "Cut":
		return recording.Links
	case action == "Lose":
		return recording.Lose
	case node < 0:
		return recording.Step
	case strings.HasPrefix(action, "On"), node >= nodes && (action == "Admit" || action == "Refuse" || action == "CheckFirst"):
		return recording.Receive
	case node >= nodes:
		return recording.Step
	case action == "Crash":
		return recording.Crash
	case action == "Restart":
		return recording.Restart
	case strings.HasSuffix(action, "Timeout"), action == "Heartbeat", action == "Retry", action == "Deadline":
		return recording.Timer
	case action == "Resign", action == "HolderDead", action == "Start":
		return recording.Call
	}
	return recording.Step
}

// arrive finds the message that a step takes, or loses.
func (d *director) arrive(f *recording.Frame, s *Step, changes []difference) {
	link, taken, found := recording.Link{}, packet{}, false
	for i := range changes {
		if c := &changes[i]; len(c.gone) > 0 && (f.Kind == recording.Lose || c.link[1] == f.Node) {
			link, taken, found = c.link, c.gone[len(c.gone)-1], true
			c.gone = c.gone[:len(c.gone)-1]
			break
		}
	}
	if !found {
		link, taken, found = d.choose(f, s, changes)
	}
	switch {
	case !found && f.Kind == recording.Lose:
		f.Kind = recording.Step
		return
	case !found:
		return
	}
	f.Takes = d.take(link, taken)
	what := taken.kind
	if taken.epoch > 0 {
		what += fmt.Sprintf(" of %s %d", cmp.Or(d.m.epoch, "epoch"), taken.epoch)
	}
	if taken.text != "" {
		what += ", " + taken.text + ","
	}
	switch f.Kind {
	case recording.Lose:
		f.Text = fmt.Sprintf("%s from %s to %s is lost", what, d.name(link[0]), d.name(link[1]))
		if f.Takes == 0 {
			f.Kind = recording.Step
		}
	default:
		f.Text = fmt.Sprintf("takes %s from %s", what, d.name(link[0]))
	}
}

// choose finds what a step takes where nothing goes: what has been said once can be heard again and again.
func (d *director) choose(f *recording.Frame, s *Step, changes []difference) (link recording.Link, taken packet, found bool) {
	kind := typeOf(s.Action)
	best := -1
	for _, l := range sortedLinks(d.under) {
		if l[1] != f.Node {
			continue
		}
		for _, m := range d.under[l] {
			if kind != "" && m.kind != kind {
				continue
			}
			score := m.number // of many the last
			if len(s.Args) > 1 && s.Args[1] > 0 && l[0] == s.Args[0]-1 || d.m.servers != nil && len(s.Args) > 0 && (l[0] == s.Args[0]-1 || int(m.epoch) == s.Args[0]) {
				score += 1 << 30
			}
			if slices.ContainsFunc(changes, func(c difference) bool { return len(c.added) > 0 && c.link == recording.Link{l[1], l[0]} }) {
				score += 1 << 20 // it is answered
			}
			if score > best {
				link, taken, found, best = l, m.packet, true, score
			}
		}
	}
	return link, taken, found
}

// typeOf returns the type of message that an action receives: REQUEST_VOTE of OnRequestVote. "" is any.
func typeOf(action string) string {
	name, isReceipt := strings.CutPrefix(action, "On")
	if !isReceipt {
		return ""
	}
	var b strings.Builder
	for i, c := range name {
		if i > 0 && unicode.IsUpper(c) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(c))
	}
	return b.String()
}

// losses shows what is under way no more, and was not taken, as far as the recording does not end it by itself.
func (d *director) losses(changes []difference) {
	for _, c := range changes {
		for _, p := range c.gone {
			if number := d.take(c.link, p); number > 0 {
				d.add(recording.Frame{Kind: recording.Lose, Node: -1, Takes: number, Text: fmt.Sprintf("%s from %s to %s is lost", p.kind, d.name(c.link[0]), d.name(c.link[1]))})
			}
		}
	}
}

// text says a step.
func (d *director) text(s *Step, f *recording.Frame) string {
	switch {
	case f.Kind == recording.Links && f.Cut != nil:
		return d.cutText(*f.Cut)
	case d.m.words[s.Action] != "":
		return d.m.words[s.Action]
	case f.Kind == recording.Receive && typeOf(s.Action) != "":
		return "takes " + typeOf(s.Action) + " again"
	case s.Action == "":
		return "a step"
	}
	return s.Action
}

func sameState(a, b *recording.State) bool {
	return a.Look == b.Look && a.Role == b.Role && a.Leader == b.Leader && a.Epoch == b.Epoch && a.Disk == b.Disk && slices.Equal(a.Fields, b.Fields)
}

// whatChanged says how a state has changed.
func whatChanged(old, now *recording.State, name func(int) string) string {
	var parts []string
	add := func(what, was, is string) {
		if was != is && len(parts) < 8 {
			parts = append(parts, fmt.Sprintf("%s: %s → %s", what, was, is))
		}
	}
	add("role", old.Role, now.Role)
	add("leader", name(old.Leader), name(now.Leader))
	add("epoch", fmt.Sprint(old.Epoch), fmt.Sprint(now.Epoch))
	for _, field := range now.Fields {
		was := "none"
		for _, f := range old.Fields {
			if f.Name == field.Name {
				was = f.Value
			}
		}
		if field.Name != "role" && field.Name != "leader" && field.Name != "epoch" && field.Name != "term" {
			add(field.Name, was, field.Value)
		}
	}
	return strings.Join(parts, "; ")
}
