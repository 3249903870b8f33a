package diagram

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/contest/chart/svg"
)

// An episode is what happens without a long pause. Where the same episodes come again and again, a stale write each 100 ms
// or a candidate that nobody can hear, only the first are drawn, and it is said how often they come.
type episode struct {
	from, to time.Duration
	exact    string // what happens
	like     string // ... whatever the epochs are
	turning  bool   // a fault: never left out
}

// longest is of how many episodes what comes again may be made.
const longest = 4

// epochs are the numbers that are other each time.
var epochs = regexp.MustCompile(`\b(epoch|term|revision|attempt) \d+`)

// fold leaves out what has just happened in the same way, if that is more than one episode.
func (s *story) fold(pause time.Duration) {
	all := s.episodes(pause)
	for i := 0; i < len(all); {
		period, times := 0, 0
		for p := 1; p <= longest && i+2*p <= len(all); p++ {
			n := repeats(all[i:], p)
			if p*n > period*times {
				period, times = p, n
			}
		}
		if period*times < 2 {
			i++
			continue
		}
		first, last := i+period, i+period*(times+1)-1
		s.leave(all[first].from, all[last].to, times, slices.EqualFunc(all[i:first], all[last-period+1:last+1], func(a, b episode) bool { return a.exact == b.exact }))
		i = last + 1
	}
}

// repeats returns how often the first episodes come again, right after each other.
func repeats(all []episode, period int) int {
	n := 0
	for k := period; k+period <= len(all); k += period {
		for i := range period {
			if a, b := all[i], all[k+i]; a.turning || b.turning || a.like != b.like {
				return n
			}
		}
		n++
	}
	return n
}

// episodes returns the episodes of a story.
func (s *story) episodes(pause time.Duration) (all []episode) {
	for _, n := range s.notes {
		if last := len(all) - 1; last < 0 || n.at-all[last].to >= pause {
			all = append(all, episode{from: n.at})
		}
		e := &all[len(all)-1]
		// When within an episode, to a millisecond: the same with other waits is not the same.
		text := fmt.Sprintf("%d %s\n", (n.at-e.from)/time.Millisecond, s.text(n))
		e.to = n.at
		e.exact += text
		e.like += epochs.ReplaceAllString(text, "$1 …")
		e.turning = e.turning || n.fault
	}
	return all
}

// leave leaves out what happens from a moment to another, and says so.
func (s *story) leave(from, to time.Duration, times int, exact bool) {
	within := func(at time.Duration) bool { return at >= from && at <= to }
	at := slices.IndexFunc(s.notes, func(n note) bool { return within(n.at) })
	again := "once more"
	if times > 1 {
		again = fmt.Sprintf("%d more times", times)
	}
	text := []string{"the same " + again + ","}
	if !exact {
		text = append(text, "with other epochs,")
	}
	text = append(text, "until "+stamp(to)+string(svg.NoBreak)+"ms")
	said := note{at: from, one: strings.Join(text, " "), class: svg.Ink}
	s.notes = slices.DeleteFunc(s.notes, func(n note) bool { return within(n.at) })
	s.notes = slices.Insert(s.notes, at, said)
	s.arrows = slices.DeleteFunc(s.arrows, func(a arrow) bool { return within(a.At) })
	s.folds = append(s.folds, span{from: from, to: to})
}
