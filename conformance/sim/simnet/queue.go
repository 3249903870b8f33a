package simnet

import "time"

// item is something that will happen.
type item struct {
	at    time.Duration
	seq   uint64 // the order of what happens at one moment, and the name of a message
	tag   uint32 // of an alarm or a call
	index uint16 // of the link, the timer or the node
	kind  itemKind
}

type itemKind uint8

const (
	arrival itemKind = iota // of a message; index is the link
	timerDue
	called
	saved
	crashed
	woken // index is a node for which something waits
	alarm
	echoed // a message comes once more; index is its node, tag the echo
)

func (a *item) before(b *item) bool { return a.at < b.at || a.at == b.at && a.seq < b.seq }

// queue is a heap of items in which each has up to four below it: the first comes first.
type queue []item

func (q *queue) push(it item) {
	*q = append(*q, it)
	heap := *q
	i := len(heap) - 1
	for i > 0 {
		above := (i - 1) / 4
		if !it.before(&heap[above]) {
			break
		}
		heap[i] = heap[above]
		i = above
	}
	heap[i] = it
}

// pop takes the first item out of a queue that is not empty.
func (q *queue) pop() item {
	heap := *q
	first, last := heap[0], heap[len(heap)-1]
	heap = heap[:len(heap)-1]
	*q = heap
	if len(heap) == 0 {
		return first
	}
	i := 0
	for {
		below := 4*i + 1
		if below >= len(heap) {
			break
		}
		least := below
		for k, end := below+1, min(below+4, len(heap)); k < end; k++ {
			if heap[k].before(&heap[least]) {
				least = k
			}
		}
		if !heap[least].before(&last) {
			break
		}
		heap[i] = heap[least]
		i = least
	}
	heap[i] = last
	return first
}
