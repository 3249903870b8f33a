package compare

import (
	"bufio"
	"fmt"
	"io"
	"time"
)

// WriteTimeline writes the timeline of a result as people read it: a line for all that a node sends of one kind in one step,
// and at the end what was measured. Messages are told when they are sent; one that never arrived is said to be lost.
func WriteTimeline(w io.Writer, s *Scenario, result *Result) error {
	b := bufio.NewWriter(w)
	var was time.Duration = -1
	line := func(at time.Duration, format string, args ...any) {
		stamp := ""
		if at != was {
			stamp = fmt.Sprintf("%.1f ms", float64(at)/float64(time.Millisecond))
		}
		was = at
		fmt.Fprintf(b, "%12s  %s\n", stamp, fmt.Sprintf(format, args...))
	}
	before := map[int]Status{}
	for k := 0; k < len(result.Timeline); k++ {
		e := &result.Timeline[k]
		switch e.Kind {
		case Sends:
			arrived, lost, next := together(result.Timeline[k:])
			if len(arrived) > 0 {
				line(e.At, "%d sends %s to %s", e.Node, e.Text, ids(arrived))
			}
			if len(lost) > 0 {
				line(e.At, "%d sends %s to %s: lost", e.Node, e.Text, ids(lost))
			}
			k += next - 1
		case Receives:
		case Becomes:
			if text := e.Status.since(before[e.Node], e.Node); text != "" {
				line(e.At, "%d %s", e.Node, text)
			}
			before[e.Node] = e.Status
		default:
			if e.Node > 0 {
				line(e.At, "%d %s", e.Node, e.Text)
			} else {
				line(e.At, "%s", e.Text)
			}
		}
		if e.Kind == Happens && e.Text == crashes {
			before[e.Node] = Status{}
		}
	}
	_, _ = fmt.Fprintf(b, "%12s  the end\n\n%s", fmt.Sprintf("%.1f ms", float64(result.Ended)/float64(time.Millisecond)), result)
	return b.Flush()
}

// together returns whom a node sends messages of one kind in one step, and how many entries that is.
func together(entries []Entry) (arrived, lost []int, n int) {
	first := &entries[0]
	for n < len(entries) {
		e := &entries[n]
		if e.Kind != Sends || e.Node != first.Node || e.Text != first.Text || e.At != first.At {
			break
		}
		if e.Arrives < 0 {
			lost = append(lost, e.Other)
		} else {
			arrived = append(arrived, e.Other)
		}
		n++
	}
	return arrived, lost, n
}

// since says what is new in the status of a node.
func (s Status) since(was Status, id int) string {
	epoch := ""
	if s.Epoch > 0 {
		epoch = fmt.Sprintf(" (epoch %d)", s.Epoch)
	}
	switch {
	case s.Leading && (!was.Leading || s.Epoch != was.Epoch):
		return "LEADS" + epoch
	case s.Standing && !was.Standing:
		return "stands for election"
	case s.Leader != 0 && s.Leader != id && (s.Leader != was.Leader || s.Epoch != was.Epoch):
		return fmt.Sprintf("follows %d%s", s.Leader, epoch)
	case was.Leading && !s.Leading:
		return "leads no more"
	case was.Leader != 0 && s.Leader == 0:
		return "knows of no leader"
	}
	return ""
}

// String says what was measured, one thing a line.
func (r *Result) String() string {
	b := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }
	text := fmt.Sprintf("messages of elections  %d, and %d of upkeep\n", r.Election, r.upkeep())
	text += fmt.Sprintf("elections, reigns      %d, %d\n", r.Elections, len(r.Reigns))
	text += fmt.Sprintf("nobody led for         %s\n", b(r.None))
	text += fmt.Sprintf("more than one led for  %s, at most %d at once\n", b(r.Two), r.AtOnce)
	if r.SameEpoch > 0 {
		text += fmt.Sprintf("leaders of one epoch   at most %d\n", r.SameEpoch)
	}
	if r.Accepted+r.Refused > 0 {
		text += fmt.Sprintf("writes                 %d accepted, %d refused; %d of those accepted were stale\n", r.Accepted, r.Refused, r.Stale)
	}
	end := "all that run follow one leader"
	if !r.Agreed {
		end = "not all that run follow one leader"
	}
	return text + "at the end             " + end + "\n"
}

// upkeep returns how many messages were no part of an election.
func (r *Result) upkeep() int {
	n := -r.Election
	for _, count := range r.Messages {
		n += count
	}
	return n
}
