package simnet

import "time"

// What is here lets somebody who looks on intervene in a network between two events. It all is done at the present time, and
// draws no random number: what nobody has touched goes on as it would have. Links stay first in, first out.

// find returns the packet of this name, or nil.
func (l *link[M]) find(seq uint64) *packet[M] {
	for k := range l.count {
		if p := l.at(k); p.seq == seq {
			return p
		}
	}
	return nil
}

// at returns a packet by its place, 0 for the first.
func (l *link[M]) at(k int) *packet[M] { return &l.packets[(l.first+k)&(len(l.packets)-1)] }

// UnderWay returns how many messages are under way on a link, be it that they wait for a busy node.
func (w *Network[M]) UnderWay(from, to int) int { return w.link(from, to).count }

// Packet returns a message that is under way on a link, by its place: 0 is the first to arrive; and when it arrives.
func (w *Network[M]) Packet(from, to, k int) (m M, due time.Duration) {
	p := w.link(from, to).at(k)
	return p.message, p.due
}

// Left reports whether the message at place k of a link has left its sender, which does not wait for its disk first.
func (w *Network[M]) Left(from, to, k int) bool {
	n := &w.nodes[from]
	return !n.busy || w.link(from, to).at(k).seq < n.held
}

// Hurry lets the messages up to place k of a link arrive now, in their order: none overtakes another. What has not left
// arrives as soon as it leaves. A message that the conditions of the link have lost is lost when it would arrive.
func (w *Network[M]) Hurry(from, to, k int) {
	l := w.link(from, to)
	for i := range k + 1 {
		soon := w.now
		if !w.Left(from, to, i) {
			soon = w.nodes[from].done
		}
		w.put(l, i, min(l.at(i).due, soon))
	}
}

// Hold lets the message at place k of a link arrive later by d, and those behind it no sooner than it.
func (w *Network[M]) Hold(from, to, k int, d time.Duration) {
	l := w.link(from, to)
	due := max(l.at(k).due, w.now) + d
	for i := k; i < l.count; i++ {
		w.put(l, i, max(l.at(i).due, due))
	}
}

// put makes a packet arrive at another time. What is queued already counts for nothing, as it has another time.
func (w *Network[M]) put(l *link[M], k int, due time.Duration) {
	p := l.at(k)
	if p.due == due {
		return
	}
	p.due, l.moved = due, true
	l.due = l.at(l.count - 1).due
	w.queue.push(item{at: due, seq: p.seq, kind: arrival, index: uint16(int(l.from)*len(w.nodes) + int(l.to))})
}

// Drop loses the message at place k of a link, and none else.
func (w *Network[M]) Drop(from, to, k int) {
	l := w.link(from, to)
	for i := k; i < l.count-1; i++ {
		*l.at(i) = *l.at(i + 1)
	}
	l.count--
	w.lost++
	l.due = 0
	if l.count > 0 {
		l.due = l.at(l.count - 1).due
	}
}

// Take gives a node the first message of a link at once, before all else that happens now, if the node is free to take it and
// it has arrived; else it reports false.
func (w *Network[M]) Take(from, to int, e *Event[M]) bool {
	l := w.link(from, to)
	if l.count == 0 || l.at(0).due > w.now || !w.nodes[to].free(w.now) {
		return false
	}
	return w.deliver(&item{kind: arrival, index: uint16(from*len(w.nodes) + to), seq: l.at(0).seq}, e)
}

// EndTimer ends a timer of a node now, before all else, and tells of it if the node is free to take it. Else the timer has
// ended when the node is.
func (w *Network[M]) EndTimer(i, t int, e *Event[M]) (told bool) {
	n := &w.nodes[i]
	n.timers[t].due = min(n.timers[t].due, w.now)
	if !n.free(w.now) {
		return false // woken finds it
	}
	w.end(i, t, e)
	return true
}

// Due returns when a timer of a node ends, and whether it runs.
func (w *Network[M]) Due(i, t int) (due time.Duration, runs bool) {
	due = w.nodes[i].timers[t].due
	return due, due != never
}

// Free reports whether a node could take something now: it is up, saves nothing, and is not paused.
func (w *Network[M]) Free(i int) bool { return w.nodes[i].free(w.now) }

// Kill crashes a node at once, also amid a save, of which then nothing is on disk. There is no [Crashed] for it.
func (w *Network[M]) Kill(i int) {
	n := &w.nodes[i]
	w.seq++ // what has been asked for by now is older
	n.doomed, n.last, n.lastSeq = true, w.now, 0
	w.crash(i, w.seq)
}

// Resume ends the pause of a node.
func (w *Network[M]) Resume(i int) {
	if n := &w.nodes[i]; n.paused > w.now {
		n.paused = w.now
		w.push(item{at: w.now, kind: woken, index: uint16(i)})
	}
}

// Forever is how long a pause takes that only Resume ends.
const Forever = longest
