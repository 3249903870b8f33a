package simnet

import "time"

// Config is what a network is like at first.
type Config struct {
	Seed       uint64
	Nodes      int        // at least 1; all are up
	Timers     int        // of each node; at most 64
	Urgent     uint64     // bit t says that an overdue end of timer t goes before messages that wait
	Conditions Conditions // of every link
	Disk       Range      // how long saves take
	Rates      []float64  // how many seconds the clock of each node counts in one, above 0; nil if all are right
}

// Network is nodes, what is between them, and a clock. M is a message. It is for one goroutine.
type Network[M any] struct {
	now        time.Duration
	seq        uint64
	sent, lost uint64
	timers     int
	urgent     uint64
	queue      queue
	nodes      []node
	links      []link[M]
	echoes     []echo[M]
}

// Kind says what an event is.
type Kind uint8

const (
	// Receive is the receipt of Message, by Node from From.
	Receive Kind = iota + 1
	// Lose is the loss of Message, from From to Node, by the conditions of the link. It was the first of all that are under way there.
	Lose
	// TimerEnd is the end of Timer of Node, which runs no longer.
	TimerEnd
	// Called is what Call has asked for.
	Called
	// Saved says that Node has saved, and goes on, unless it is Doomed.
	Saved
	// Crashed says that Node has crashed, and is down.
	Crashed
	// Alarm is what At has asked for.
	Alarm
)

// Event is something that happens.
type Event[M any] struct {
	Kind    Kind
	Node    int
	From    int
	Timer   int
	Tag     uint32
	Message M
	// Since is when the step began that sent the message, or when the timer should have ended.
	Since time.Duration
	// Echo says that the message comes once more: late, in any order, to later lives of its node too, or though it was lost.
	Echo bool
}

// New returns a network at time 0.
func New[M any](c Config) *Network[M] {
	w := &Network[M]{}
	w.Reset(c)
	return w
}

// The streams of random numbers: one for each disk, from 0 on, and one for each link.
const linkStreams = 1 << 16

// Reset makes a network new, and uses its memory again.
func (w *Network[M]) Reset(c Config) {
	if len(w.nodes) != c.Nodes || w.timers != c.Timers {
		w.nodes, w.links = make([]node, c.Nodes), make([]link[M], c.Nodes*c.Nodes)
		for i := range w.nodes {
			w.nodes[i].timers = make([]timer, c.Timers)
		}
	}
	w.now, w.seq, w.sent, w.lost, w.timers, w.urgent, w.queue = 0, 0, 0, 0, c.Timers, c.Urgent, w.queue[:0]
	w.echoes = w.echoes[:0]
	for i := range w.nodes {
		n := &w.nodes[i]
		*n = node{up: true, rate: billion, random: NewRandom(c.Seed, uint64(i)), disk: c.Disk, waiting: n.waiting[:0], timers: n.timers}
		if c.Rates != nil {
			n.rate = max(rateOf(c.Rates[i]), 1)
		}
		for t := range n.timers {
			n.timers[t] = timer{never, never}
		}
		for j := range w.nodes {
			l := w.link(i, j)
			*l = link[M]{from: uint16(i), to: uint16(j), random: NewRandom(c.Seed, linkStreams+uint64(i*len(w.nodes)+j)), packets: l.packets}
			l.setConditions(c.Conditions)
		}
	}
}

// Now returns the time.
func (w *Network[M]) Now() time.Duration { return w.now }

// Messages returns how many messages have been sent, and how many of these have been lost.
func (w *Network[M]) Messages() (sent, lost uint64) { return w.sent, w.lost }

// At asks for an Alarm at a time, which is not before now. Those of one time come in the order in which they were asked for.
func (w *Network[M]) At(t time.Duration, tag uint32) { w.push(item{at: t, kind: alarm, tag: tag}) }

// Call asks for a Called of a node after a time. It waits for a node that is busy or paused, and a crash forgets it.
func (w *Network[M]) Call(i int, after time.Duration, tag uint32) {
	w.push(item{at: w.now + after, kind: called, index: uint16(i), tag: tag})
}

func (w *Network[M]) push(it item) {
	w.seq++
	it.seq = w.seq
	w.queue.push(it)
}

// Next goes on to the next event, and reports false if there is none until then: then it is that time.
func (w *Network[M]) Next(e *Event[M], until time.Duration) bool {
	for len(w.queue) > 0 && w.queue[0].at <= until {
		it := w.queue.pop()
		w.now = it.at
		if w.happen(&it, e) {
			return true
		}
	}
	w.now = max(w.now, until)
	return false
}

// happen lets an item happen, and reports whether it is an event for the user.
func (w *Network[M]) happen(it *item, e *Event[M]) bool {
	switch it.kind {
	case arrival:
		l := &w.links[it.index]
		return l.has(it.seq, w.now) && w.comes(it, int(l.to)) && w.deliver(it, e)
	case echoed:
		n := &w.nodes[it.index]
		return n.up && w.comes(it, int(it.index)) && w.deliver(it, e)
	case timerDue:
		return w.timerDue(int(it.index)/w.timers, int(it.index)%w.timers, it.at, e)
	case called:
		n := &w.nodes[it.index]
		return n.up && it.seq > n.born && w.comes(it, int(it.index)) && w.deliver(it, e)
	case saved:
		n := &w.nodes[it.index]
		if !n.busy || it.seq < n.born {
			return false
		}
		n.busy = false
		w.push(item{at: w.now, kind: woken, index: it.index})
		*e = Event[M]{Kind: Saved, Node: int(it.index)}
		return true
	case crashed:
		*e = Event[M]{Kind: Crashed, Node: int(it.index)}
		return w.nodes[it.index].doomed && w.crash(int(it.index), it.seq)
	case woken:
		return w.woken(int(it.index), e)
	}
	*e = Event[M]{Kind: Alarm, Tag: it.tag}
	return true
}

// comes reports whether a node can take a message or a call now. Else it waits, behind those that wait already.
func (w *Network[M]) comes(it *item, i int) bool {
	n := &w.nodes[i]
	if n.free(w.now) && len(n.waiting) == 0 {
		return true
	}
	n.waiting = append(n.waiting, *it)
	return false
}

// deliver makes an event of a message or a call, if it is not lost.
func (w *Network[M]) deliver(it *item, e *Event[M]) bool {
	if it.kind == called {
		*e = Event[M]{Kind: Called, Node: int(it.index), Tag: it.tag, Since: it.at}
		return true
	}
	if it.kind == echoed {
		x := &w.echoes[it.tag]
		*e = Event[M]{Kind: Receive, Node: int(x.to), From: int(x.from), Message: x.message, Since: x.began, Echo: true}
		return true
	}
	l := &w.links[it.index]
	if !l.has(it.seq, w.now) {
		return false
	}
	p := l.take()
	e.Kind, e.Node, e.From, e.Message, e.Since, e.Echo = Receive, int(l.to), int(l.from), p.message, p.began, false
	if p.lost {
		e.Kind = Lose
		w.lost++
	}
	return true
}

// timerDue ends a timer if it is due and the node can take it now. One that waits is found by woken.
func (w *Network[M]) timerDue(i, t int, at time.Duration, e *Event[M]) bool {
	n := &w.nodes[i]
	timer := &n.timers[t]
	if timer.queued != at {
		return false // it has been queued again, for an earlier time
	}
	timer.queued = never
	switch {
	case timer.due == never:
		return false
	case timer.due > w.now:
		w.setDue(i, t, timer.due)
		return false
	case !n.free(w.now), len(n.waiting) > 0 && w.urgent>>t&1 == 0:
		return false
	}
	w.end(i, t, e)
	return true
}

// end ends a timer.
func (w *Network[M]) end(i, t int, e *Event[M]) {
	timer := &w.nodes[i].timers[t]
	*e = Event[M]{Kind: TimerEnd, Node: i, Timer: t, Since: timer.due}
	timer.due = never
}

// overdue ends the first timer of a node that should have ended and is, or is not, urgent.
func (w *Network[M]) overdue(i int, urgent uint64, e *Event[M]) bool {
	for t := range w.nodes[i].timers {
		if w.urgent>>t&1 == urgent && w.nodes[i].timers[t].due <= w.now {
			w.end(i, t, e)
			return true
		}
	}
	return false
}

// woken gives a node that may have become free one thing that has waited for it.
func (w *Network[M]) woken(i int, e *Event[M]) bool {
	n := &w.nodes[i]
	if !n.free(w.now) {
		return false
	}
	given := w.overdue(i, 1, e) || w.first(n, e) || w.overdue(i, 0, e)
	if given {
		w.push(item{at: w.now, kind: woken, index: uint16(i)})
	}
	return given
}

// first gives a node the first of the messages and calls that wait, but for those that have been lost.
func (w *Network[M]) first(n *node, e *Event[M]) bool {
	found, taken := false, 0
	for !found && taken < len(n.waiting) {
		found = w.deliver(&n.waiting[taken], e)
		taken++
	}
	n.waiting = append(n.waiting[:0], n.waiting[taken:]...)
	return found
}
