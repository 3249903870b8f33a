package diagram

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/contest"
	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
)

// note is a line of text beside a moment.
type note struct {
	at    time.Duration
	nodes []int  // of whom it is told; nil if of none
	one   string // what is told of one node
	many  string // ... of more
	to    []int  // of a message: to whom
	times int    // of many messages, how many
	again int    // of a message that is sent again in the same moment: how often
	class string // how it looks
	bold  bool
	fault bool // it is about what befalls nodes or links, not about what these make of it
}

// text returns a note as it is written. Servers, which come after the nodes, are called S.
func (s *story) text(n note) string {
	who := s.ids(n.nodes)
	switch {
	case n.to != nil && n.times > 0:
		return fmt.Sprintf("%s → %d × %s", who, n.times, n.one)
	case n.to != nil && n.again > 0:
		return fmt.Sprintf("%s → %s %s, %d times", who, s.ids(n.to), n.one, n.again+1)
	case n.to != nil:
		return who + " → " + s.ids(n.to) + " " + n.one
	case len(n.nodes) == 0:
		return n.one
	case len(n.nodes) == 1:
		return who + " " + n.one
	}
	return who + " " + n.many
}

// name returns how a node is called, or a server.
func (s *story) name(id int) string {
	switch {
	case id <= s.nodes:
		return strconv.Itoa(id)
	case len(s.states) == s.nodes+1:
		return "S"
	}
	return "S" + strconv.Itoa(id-s.nodes)
}

// ids lists ids, in order; three or more that follow each other as a range. No line is broken within.
func (s *story) ids(list []int) string {
	list = slices.Sorted(slices.Values(list))
	var text []string
	for i := 0; i < len(list); {
		end := i
		for end+1 < len(list) && list[end+1] == list[end]+1 && list[end+1] <= s.nodes {
			end++
		}
		if end-i >= 2 {
			text = append(text, s.name(list[i])+"…"+s.name(list[end]))
			i = end + 1
			continue
		}
		text = append(text, s.name(list[i]))
		i++
	}
	return strings.Join(text, ","+string(svg.NoBreak))
}

// mostFans is how many lines tell of messages of one kind in one moment. Of more, their number is told.
const mostFans = 5

// count replaces the notes of messages of one kind in one moment by one, if there are too many.
func (s *story) count() {
	type fan struct {
		at   time.Duration
		text string
	}
	fans := map[fan]int{}
	for _, n := range s.notes {
		if n.to != nil {
			fans[fan{n.at, n.one}]++
		}
	}
	sums := map[fan]*note{}
	var kept []*note
	for _, n := range s.notes {
		key := fan{n.at, n.one}
		if n.to == nil || fans[key] <= mostFans {
			kept = append(kept, &n)
			continue
		}
		sum := sums[key]
		if sum == nil {
			sum = &note{at: n.at, one: n.one, class: n.class, to: []int{}}
			sums[key] = sum
			kept = append(kept, sum)
		}
		sum.times += len(n.nodes) * len(n.to)
		for _, id := range n.nodes {
			if !slices.Contains(sum.nodes, id) {
				sum.nodes = append(sum.nodes, id)
			}
		}
	}
	s.notes = nil
	for _, n := range kept {
		s.notes = append(s.notes, *n)
	}
}

// tell writes the notes of all that happens.
func (s *story) tell(d *Diagram) {
	before := make([]contest.Status, d.lines())
	decided := make([]time.Duration, d.lines()) // when each has decided last
	for i := range decided {
		decided[i] = -1
	}
	for _, e := range d.Result.Timeline {
		if e.At > s.to {
			break
		}
		n := note{at: e.At, nodes: []int{e.Node}, one: e.Text, many: e.Text, class: svg.Ink}
		switch e.Kind {
		case contest.Happens:
			n.bold = true
			if e.Node == 0 {
				n.nodes = nil
			} else if e.Text == "crashes" {
				before[e.Node-1] = contest.Status{}
			}
			n.fault = !aboutLeaders(e)
			if leadersAtOnce(e) {
				n.class = svg.Bad
			}
			n.many = "each " + n.one
		case contest.Decides:
			n.many = "each " + n.one
			decided[e.Node-1] = e.At
			if e.Node > s.nodes {
				n.nodes, n.one = nil, s.name(e.Node)+": "+e.Text
			}
		case contest.Becomes:
			n.one, n.many, n.bold = change(before[e.Node-1], e.Status, e.Node)
			if n.one == stands && decided[e.Node-1] == e.At {
				n.one = "" // the decision says so, and its line shows it
			}
			before[e.Node-1] = e.Status
			if !n.bold {
				n.class = svg.Soft
			}
		case contest.Writes:
			n.class, n.nodes, n.one = svg.Bad, nil, s.name(e.Node)+": "+e.Text
		case contest.Sends:
			n.class, n.to = svg.Soft, []int{e.Other}
			if slices.Contains(d.Leave, e.Text) {
				n.one = ""
			} else if e.Arrives < 0 {
				n.one += ": lost"
			}
		default:
			n.one = ""
		}
		if n.one != "" && e.At >= s.from {
			s.note(n)
		}
	}
}

// leadersAtOnce says whether an entry tells how many lead.
func leadersAtOnce(e contest.Entry) bool {
	return e.Node == 0 && strings.Contains(e.Text, " lead at once")
}

// aboutLeaders says whether an entry tells what has come of the leaders, not what befalls anybody.
func aboutLeaders(e contest.Entry) bool {
	return e.Node == 0 && strings.Contains(e.Text, " lead")
}

// note adds a note, to one of the same moment that tells the same of other nodes if there is one.
func (s *story) note(n note) {
	for i := len(s.notes) - 1; i >= 0 && s.notes[i].at == n.at; i-- {
		o := &s.notes[i]
		switch {
		case o.one == n.one && o.nodes == nil && n.nodes == nil:
			return // the end of many faults at once, for instance
		case o.one == n.one && n.to != nil && slices.Equal(o.nodes, n.nodes) && slices.Equal(o.to, n.to):
			o.again++
			return
		case o.again > 0:
		case o.one != n.one || o.class != n.class || o.nodes == nil || n.nodes == nil || (o.to == nil) != (n.to == nil):
		case n.to == nil:
			if !slices.Contains(o.nodes, n.nodes[0]) {
				o.nodes = append(o.nodes, n.nodes[0])
				return
			}
		case slices.Equal(o.nodes, n.nodes) && !slices.Contains(o.to, n.to[0]):
			o.to = append(o.to, n.to[0])
			return
		case slices.Equal(o.to, n.to) && !slices.Contains(o.nodes, n.nodes[0]):
			o.nodes = append(o.nodes, n.nodes[0])
			return
		}
	}
	s.notes = append(s.notes, n)
}

// stands is what is told of a node that comes to stand.
const stands = "stands for election"

// change says what is new in the status of a node, for one and for more, and whether it is about a reign.
func change(was, now contest.Status, id int) (one, many string, reign bool) {
	epoch := ""
	if now.Epoch > 0 {
		epoch = fmt.Sprintf(" (epoch %d)", now.Epoch)
	}
	switch {
	case now.Leading && (!was.Leading || now.Epoch != was.Epoch):
		return "leads" + epoch, "lead" + epoch, true
	case was.Leading && !now.Leading:
		return "leads no more", "lead no more", true
	case now.Standing && !was.Standing:
		return stands, "stand for election", false
	case now.Leader != 0 && now.Leader != id && (now.Leader != was.Leader || now.Epoch != was.Epoch):
		return fmt.Sprintf("follows %d%s", now.Leader, epoch), fmt.Sprintf("follow %d%s", now.Leader, epoch), false
	case was.Leader != 0 && now.Leader == 0:
		return "knows of no leader", "know of no leader", false
	}
	return "", "", false
}

// mostTold is how many events a description tells.
const mostTold = 30

// describe tells a run to who cannot see it: when who led, and what went wrong.
func (p *picture) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d nodes from %s to %s ms.", p.Scenario.Nodes, stamp(p.from), stamp(p.to))
	told := 0
	for _, n := range p.notes {
		if n.bold || n.class == svg.Bad {
			if told++; told > mostTold {
				continue
			}
			fmt.Fprintf(&b, " At %s ms: %s.", stamp(n.at), p.story.text(n))
		}
	}
	if told > mostTold {
		fmt.Fprintf(&b, " And %d more events.", told-mostTold)
	}
	return b.String()
}

// stamp writes a moment in milliseconds, to a tenth.
func stamp(at time.Duration) string {
	tenths := (at + 50*time.Microsecond) / (100 * time.Microsecond)
	whole := strconv.FormatInt(int64(tenths/10), 10)
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if tenths%10 != 0 {
		whole += fmt.Sprintf(".%d", tenths%10)
	}
	return whole
}
