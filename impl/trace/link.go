package trace

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// ref names a step: the place of its node among the records, and its own in the record.
type ref struct{ node, step int }

// link is all that one node said to another, and all that the other heard of it.
type link struct {
	sends    []sent
	receipts []int // steps of the receiver, ascending
	earliest []int // for each receipt, the first of sends that it can be
}

// sent is a message, and the step of the sender that it left in.
type sent struct {
	step    int
	message spec.Message
}

// edges says which steps must come before a step, besides those that its node took before.
type edges map[ref][]ref

// add says that first comes before then, and reports whether that is news.
func (e edges) add(first, then ref) bool {
	if slices.Contains(e[then], first) {
		return false
	}
	e[then] = append(e[then], first)
	return true
}

// join makes the links, and matches what was received with what was sent, as early as can be. It returns the first
// message received that nobody has sent, if there is one.
func (m *merger) join() (unsent error) {
	index := map[spec.NodeID]int{}
	m.links = make([][]link, len(m.records))
	for i := range m.records {
		index[m.records[i].node] = i
		m.links[i] = make([]link, len(m.records))
	}
	for node := range m.records {
		for i := range m.records[node].steps {
			s := &m.records[node].steps[i]
			for _, message := range s.Sent {
				if to, ok := index[message.To]; ok {
					l := &m.links[node][to]
					l.sends = append(l.sends, sent{i, message})
				}
			}
			if message := s.Input.Message; message != (spec.Message{}) {
				from, ok := index[message.From]
				if ok {
					l := &m.links[from][node]
					l.receipts = append(l.receipts, i)
				} else if unsent == nil {
					unsent = fmt.Errorf("%s: node %s receives %s, and no record of node %s is given", s.place, s.Node, message, message.From)
				}
			}
		}
	}
	for from := range m.links {
		for to := range m.links[from] {
			if err := m.match(from, to); err != nil && unsent == nil {
				unsent = err
			}
		}
	}
	return unsent
}

// match finds the first message sent that each message received can be: a link is FIFO, and may lose (L1).
func (m *merger) match(from, to int) error {
	l := &m.links[from][to]
	next := 0
	earliest := make([]int, 0, len(l.receipts))
	for _, step := range l.receipts {
		s := &m.records[to].steps[step]
		begin := next
		for next < len(l.sends) && l.sends[next].message != s.Input.Message {
			next++
		}
		if next == len(l.sends) {
			return fmt.Errorf("%s: node %s receives %s, which node %s is not recorded to have sent%s",
				s.place, s.Node, s.Input.Message, m.records[from].node, l.after(m, from, begin))
		}
		earliest = append(earliest, next)
		next++
	}
	l.earliest = earliest
	return nil
}

// after says that a message sought among sends from begin on was sought there.
func (l *link) after(m *merger, from, begin int) string {
	if begin == 0 {
		return ""
	}
	last := l.sends[begin-1]
	return fmt.Sprintf(" after the %s of %s, which was received before", last.message.Type, m.records[from].steps[last.step].place)
}

// latest returns for each receipt the last of sends that it can be. If times are trusted, it was sent before it was
// received by the clocks of both too, where that can be.
func (m *merger) latest(from, to int, trustTimes bool) []int {
	l := &m.links[from][to]
	latest := make([]int, len(l.receipts))
	next := len(l.sends) - 1
	for i := len(l.receipts) - 1; i >= 0; i-- {
		s := &m.records[to].steps[l.receipts[i]]
		for next > l.earliest[i] && (l.sends[next].message != s.Input.Message ||
			trustTimes && m.records[from].steps[l.sends[next].step].time > s.time) {
			next--
		}
		latest[i] = next
		next--
	}
	return latest
}

// edges returns what must come before crashes, and after starts, if each message was sent as late as can be: it is
// received before the crash of its sender, and sent after the start of its receiver. Without trust in times, this much
// must be; with it, it is likely.
func (m *merger) edges(trustTimes bool) edges {
	e := edges{}
	for from := range m.links {
		for to := range m.links[from] {
			l, latest := &m.links[from][to], m.latest(from, to, trustTimes)
			crashes, starts := m.records[from].crashes, m.records[to].starts
			for i, step := range l.receipts {
				send := l.sends[latest[i]].step
				if crash, ok := following(crashes, send); ok {
					e.add(ref{to, step}, ref{from, crash})
				}
				start, ok := preceding(starts, step)
				if first := i == 0 || l.receipts[i-1] < start; first && ok {
					e.add(ref{to, start}, ref{from, send})
				}
			}
		}
	}
	return e.reduced()
}

// reduced returns e with only the last of several steps of one node that come before the same step: it implies the
// others.
func (e edges) reduced() edges {
	for then, all := range e {
		slices.SortFunc(all, func(a, b ref) int { return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.step, b.step)) })
		var last []ref
		for i, first := range all {
			if i+1 == len(all) || all[i+1].node != first.node {
				last = append(last, first)
			}
		}
		e[then] = last
	}
	return e
}

// following returns the first of steps, which ascend, after a step.
func following(steps []int, step int) (int, bool) {
	i, _ := slices.BinarySearch(steps, step+1)
	if i == len(steps) {
		return 0, false
	}
	return steps[i], true
}

// preceding returns the last of steps, which ascend, before a step.
func preceding(steps []int, step int) (int, bool) {
	i, _ := slices.BinarySearch(steps, step)
	if i == 0 {
		return 0, false
	}
	return steps[i-1], true
}
