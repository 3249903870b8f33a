package simnet

import (
	"fmt"
	"time"
)

// Conditions are what a link does to messages.
type Conditions struct {
	Delay Range   // how long a message is under way, but for the time it waits behind others; messages of one link never overtake
	Loss  float64 // the part of messages that is lost, from 0 to 1
	// Repeated is the part of messages, from 0 to 1, that comes once more, within Echoes times the longest Delay: lost or not, in any
	// order, and to later lives of its receiver too. See Echo.
	Repeated float64
}

// String returns the conditions as a person would say them: 1ms to 5ms, 10% lost.
func (c Conditions) String() string {
	text := c.Delay.String()
	if c.Loss != 0 {
		text += fmt.Sprintf(", %.3g%% lost", 100*c.Loss)
	}
	if c.Repeated != 0 {
		text += fmt.Sprintf(", %.3g%% repeated", 100*c.Repeated)
	}
	return text
}

// Echoes is how many times the longest delay an Echo takes, at most.
const Echoes = 64

// echo is a message that comes once more.
type echo[M any] struct {
	message  M
	from, to uint16
	began    time.Duration
}

// packet is a message under way.
type packet[M any] struct {
	message M
	seq     uint64
	began   time.Duration // when the step began that sent it
	due     time.Duration // when it arrives; what is queued for another time counts for nothing
	lost    bool          // it will be lost when it should arrive
}

// link is one direction between two nodes.
type link[M any] struct {
	from, to uint16
	cuts     int  // how often it has been cut and not healed
	moved    bool // something under way arrives at another time than first: what is queued may be for the time before
	delay    Range
	loss     chance
	repeated chance
	random   Random
	due      time.Duration // when the last message arrives
	packets  []packet[M]   // a ring, whose length is a power of two
	first    int           // the place of the first packet
	count    int
}

func (l *link[M]) add(p packet[M]) {
	if l.count == len(l.packets) {
		grown := make([]packet[M], max(8, 2*len(l.packets)))
		for i := range l.count {
			grown[i] = l.packets[(l.first+i)&(len(l.packets)-1)]
		}
		l.packets, l.first = grown, 0
	}
	l.packets[(l.first+l.count)&(len(l.packets)-1)] = p
	l.count++
}

// has reports whether the packet of this name is under way, and arrives by now: all that was lost is older than what is.
func (l *link[M]) has(seq uint64, now time.Duration) bool {
	if l.moved {
		p := l.find(seq)
		return p != nil && p.due <= now
	}
	return l.count > 0 && l.packets[l.first].seq <= seq
}

// take takes the first packet.
func (l *link[M]) take() *packet[M] {
	p := &l.packets[l.first]
	l.first = (l.first + 1) & (len(l.packets) - 1)
	l.count--
	return p
}

func (l *link[M]) setConditions(w Conditions) {
	l.delay, l.loss, l.repeated = w.Delay, chanceOf(w.Loss), chanceOf(w.Repeated)
}

func (w *Network[M]) link(from, to int) *link[M] { return &w.links[from*len(w.nodes)+to] }

// Send sends a message from one node to another. It leaves at once, or when the node has saved, and is lost at once if the
// link is cut or the receiver is down. It returns when the message should arrive, or be lost; and false if it is lost already.
func (w *Network[M]) Send(from, to int, m M) (due time.Duration, leaves bool) {
	w.sent++
	l, sender := w.link(from, to), &w.nodes[from]
	arrives := w.leaves(sender) + l.random.In(l.delay)
	lost := l.loss > 0 && l.loss.comes(&l.random)
	if sender.doomed {
		if sender.left == 0 {
			w.lost++
			return 0, false
		}
		sender.left--
	}
	if l.repeated > 0 && l.repeated.comes(&l.random) && l.cuts == 0 { // what is sent over a cut never arrives
		after := l.random.In(Range{Max: Echoes * l.delay.Max})
		w.push(item{at: w.leaves(sender) + after, kind: echoed, index: uint16(to), tag: uint32(len(w.echoes))})
		w.echoes = append(w.echoes, echo[M]{m, uint16(from), uint16(to), w.now})
	}
	if l.cuts > 0 || !w.nodes[to].up {
		w.lost++
		return 0, false
	}
	l.due = max(l.due, arrives)
	w.seq++
	if sender.doomed {
		sender.last, sender.lastSeq = max(sender.last, l.due), w.seq
	}
	l.add(packet[M]{message: m, seq: w.seq, began: w.now, due: l.due, lost: lost})
	w.queue.push(item{at: l.due, seq: w.seq, kind: arrival, index: uint16(from*len(w.nodes) + to)})
	return l.due, true
}

// empty loses all that is under way on a link.
func (w *Network[M]) empty(l *link[M]) {
	w.lost += uint64(l.count)
	l.first, l.count, l.due = 0, 0, 0
}

// Break loses all that is under way on a link, and tells of each message, first sent first.
func (w *Network[M]) Break(from, to int, lose func(M)) {
	l := w.link(from, to)
	for i := range l.count {
		lose(l.packets[(l.first+i)&(len(l.packets)-1)].message)
	}
	w.empty(l)
}

// Cut makes a link carry nothing until it is healed as often as it has been cut. It reports whether it carried before.
func (w *Network[M]) Cut(from, to int) (changed bool) {
	l := w.link(from, to)
	w.empty(l)
	l.cuts++
	return l.cuts == 1
}

// Heal takes back one Cut of a link, and reports whether it carries now, and did not before.
func (w *Network[M]) Heal(from, to int) (changed bool) {
	l := w.link(from, to)
	if l.cuts > 0 {
		l.cuts--
		return l.cuts == 0
	}
	return false
}

// IsCut reports whether a link is cut.
func (w *Network[M]) IsCut(from, to int) bool { return w.link(from, to).cuts > 0 }

// SetConditions changes the conditions of a link, for what is sent from now on.
func (w *Network[M]) SetConditions(from, to int, conditions Conditions) {
	w.link(from, to).setConditions(conditions)
}
