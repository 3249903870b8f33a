package simnet

import (
	"math/bits"
	"time"
)

const never = time.Duration(1<<63 - 1)

// node is what the network knows of a node.
type node struct {
	up      bool
	busy    bool          // it saves, until done
	doomed  bool          // it crashes when done, and when what it may still send has arrived
	left    int           // how many messages a doomed node may still send
	last    time.Duration // when the last of these arrives
	lastSeq uint64        // and which it is
	done    time.Duration
	held    uint64        // what it has sent after this waits for its disk, while it is busy
	paused  time.Duration // until then
	born    uint64        // what is older than this was meant for it before it crashed
	rate    uint64        // how many billionths of a second its clock counts in one
	jumped  time.Duration // what its clock has jumped ahead by
	asked   time.Duration // when its clock was last looked at
	counts  time.Duration // and what it had counted by then
	random  Random        // of its disk
	disk    Range
	waiting []item // messages and calls, first come first
	timers  []timer
}

type timer struct {
	due    time.Duration // or never
	queued time.Duration // when the queue next looks at it, not after due; or never
}

// free reports whether a node can take something now.
func (n *node) free(now time.Duration) bool {
	return n.up && !n.busy && !n.doomed && n.paused <= now
}

// leaves returns when what a node does now has its effects.
func (w *Network[M]) leaves(n *node) time.Duration {
	if n.busy {
		return n.done
	}
	return w.now
}

// billion is the rate of a clock that is right.
const billion = 1_000_000_000

// rateOf returns a rate in billionths. The conversion keeps the product from being fused with the sum on some machines.
func rateOf(r float64) uint64 { return uint64(float64(r*billion) + 0.5) }

// longest is longer than any run: what would take longer, takes this.
const longest = time.Duration(1 << 61)

// real returns how long a node's clock takes to count d, rounded down.
func (n *node) real(d time.Duration) time.Duration {
	d = min(max(d, 0), longest)
	if n.rate == billion {
		return d
	}
	high, low := bits.Mul64(uint64(d), billion)
	if high >= n.rate {
		return longest
	}
	quotient, _ := bits.Div64(high, low, n.rate)
	return time.Duration(min(quotient, uint64(longest)))
}

// counted returns how long a node's clock says that d is, rounded down.
func (n *node) counted(d time.Duration) time.Duration {
	if n.rate == billion {
		return d
	}
	high, low := bits.Mul64(uint64(d), n.rate)
	if high >= billion {
		return longest
	}
	quotient, _ := bits.Div64(high, low, billion)
	return time.Duration(min(quotient, uint64(longest)))
}

// Clock returns what the clock of a node shows when what it does now has its effects: now, or when it has saved.
func (w *Network[M]) Clock(i int) time.Duration {
	n := &w.nodes[i]
	if at := w.leaves(n); at != n.asked { // to count is a division, and a step asks more than once
		n.asked, n.counts = at, n.counted(at)
	}
	return n.counts + n.jumped
}

// Reads returns what the clock of a node shows now.
func (w *Network[M]) Reads(i int) time.Duration {
	n := &w.nodes[i]
	return n.counted(w.now) + n.jumped
}

// Save makes a node busy for as long as its disk takes. Then comes Saved. What it sends and which timers it sets after this
// call waits until then. A node that is busy already must not be given this call.
func (w *Network[M]) Save(i int) {
	n := &w.nodes[i]
	n.busy, n.done = true, w.now+n.random.In(n.disk)
	w.push(item{at: n.done, kind: saved, index: uint16(i)})
	n.held = w.seq
}

// SetDisk changes how long saves of a node take, from the next one on.
func (w *Network[M]) SetDisk(i int, d Range) { w.nodes[i].disk = d }

// Crash crashes a node: now, or when it has saved. [Crashed] says when it has. It reports false if the node is down, or is
// about to crash.
func (w *Network[M]) Crash(i int) bool { return w.CrashAfter(i, 0) }

// CrashAfter crashes a node within the step that it takes, so that no more than k of the messages that it sends from here
// on leave it. These have time to arrive: the node crashes when they have, and does nothing until then. It reports false
// if the node is down, or is about to crash.
func (w *Network[M]) CrashAfter(i, k int) bool {
	n := &w.nodes[i]
	if !n.up || n.doomed {
		return false
	}
	n.doomed, n.left, n.last, n.lastSeq = true, k, w.leaves(n), 0
	w.push(item{at: n.last, kind: crashed, index: uint16(i)})
	return true
}

// crash makes a doomed node go down, and reports whether its time has come: not before what it may still send has arrived.
func (w *Network[M]) crash(i int, seq uint64) bool {
	n := &w.nodes[i]
	if n.last > w.now || n.lastSeq > seq {
		w.push(item{at: n.last, kind: crashed, index: uint16(i)})
		return false
	}
	for j := range w.nodes {
		if j != i {
			w.empty(w.link(i, j))
			w.empty(w.link(j, i))
		}
	}
	for t := range n.timers {
		n.timers[t].due = never
	}
	n.up, n.busy, n.doomed, n.paused, n.born = false, false, false, 0, w.seq
	n.waiting = n.waiting[:0]
	return true
}

// Restart brings a node back that has crashed. What it does then is a step of its own.
func (w *Network[M]) Restart(i int) { w.nodes[i].up = true }

// Up reports whether a node runs.
func (w *Network[M]) Up(i int) bool { return w.nodes[i].up }

// Busy reports whether a node saves.
func (w *Network[M]) Busy(i int) bool { return w.nodes[i].busy }

// Doomed reports whether a node is about to crash.
func (w *Network[M]) Doomed(i int) bool { return w.nodes[i].doomed }

// Pause lets a node take nothing for d from now on, or for longer if it is paused for longer. Its timers run, its messages
// wait. A crash ends it. A node that saves has its save done.
func (w *Network[M]) Pause(i int, d time.Duration) {
	n := &w.nodes[i]
	if n.up && n.paused < w.now+d {
		n.paused = w.now + d
		w.push(item{at: n.paused, kind: woken, index: uint16(i)})
	}
}

// Paused reports whether a node is paused.
func (w *Network[M]) Paused(i int) bool { return w.nodes[i].paused > w.now }

// SetTimer lets a timer of a node end when its clock has counted d, from now on or from when the node has saved. If the
// timer runs, it begins anew.
func (w *Network[M]) SetTimer(i, t int, d time.Duration) {
	n := &w.nodes[i]
	w.setDue(i, t, w.leaves(n)+n.real(d))
}

// StopTimer stops a timer, if it runs.
func (w *Network[M]) StopTimer(i, t int) { w.nodes[i].timers[t].due = never }

// Runs reports whether a timer of a node runs.
func (w *Network[M]) Runs(i, t int) bool { return w.nodes[i].timers[t].due != never }

// EndTimers ends all timers of a node that run.
func (w *Network[M]) EndTimers(i int) {
	for t := range w.nodes[i].timers {
		if w.Runs(i, t) {
			w.setDue(i, t, w.now)
		}
	}
}

// Jump moves the clock of a node ahead by d: its timers end by so much sooner, and some should have ended by now.
func (w *Network[M]) Jump(i int, d time.Duration) {
	n := &w.nodes[i]
	n.jumped += d
	for t := range n.timers {
		if w.Runs(i, t) {
			w.setDue(i, t, n.timers[t].due-n.real(d))
		}
	}
}

// setDue makes a timer end at a time. One that is put off stays where it is in the queue, which looks again when it comes
// to it: a heartbeat that renews a lease costs nothing.
func (w *Network[M]) setDue(i, t int, due time.Duration) {
	n := &w.nodes[i]
	n.timers[t].due = due
	if at := max(due, w.now); at < n.timers[t].queued {
		n.timers[t].queued = at
		w.push(item{at: at, kind: timerDue, index: uint16(i*w.timers + t)})
	}
}
