package transport

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// Kind says what an [Event] tells.
type Kind uint8

const (
	// Received: a message has come from Node. If members change, Node need not be one.
	Received Kind = iota + 1
	// Up: our connection to Node is open. What we send may arrive.
	Up
	// Down: our connection to Node has ended. What we send is lost. This proves nothing about Node.
	Down
	// Dead: Node is proved to have ended (R37, Besides 2). It is told once, until Node is connected again.
	Dead
	// LostDisk: the record of Node knows of less than Node has said before: its disk is lost, or an old copy. It is not connected,
	// and so nothing of it comes. It is told once, until Node is connected again.
	LostDisk
	// Disowned: Node remembers more of this node than its record does. The node must stop: it may have made promises that it does
	// not know of (R32). It is told once.
	Disowned
	// Twice: two programs run as Node. What was taken for a lost disk is another program; the one that knows more is heeded as before.
	// It is told once a minute at most.
	Twice
	// Bundle: what Node has to say in many groups has come: see Config.Bundles.
	Bundle
)

// String returns the name of k.
func (k Kind) String() string {
	switch k {
	case Received:
		return "Received"
	case Up:
		return "Up"
	case Down:
		return "Down"
	case Dead:
		return "Dead"
	case LostDisk:
		return "LostDisk"
	case Disowned:
		return "Disowned"
	case Twice:
		return "Twice"
	case Bundle:
		return "Bundle"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Event is what Next returns: a message that has come, or what has become of a link.
type Event struct {
	Kind    Kind
	Node    spec.NodeID  // the node that it is about: who sent the message, or the other end of the link
	Message spec.Message // of Received; zero otherwise
	Bundle  string       // of Bundle: its bytes; "" otherwise
}

// String returns e as a person would say it: Received 3→1 CLAIM epoch:4, or Down 3.
func (e Event) String() string {
	if e.Kind == Received {
		return fmt.Sprintf("%v %v", e.Kind, e.Message)
	}
	return fmt.Sprintf("%v %v", e.Kind, e.Node)
}

// maxTold is how many link events wait for each member. They are told in pairs and more, and the newest say how things
// are; so a host that sleeps through more of them than this misses the oldest.
const maxTold = 16

// An inbox holds what Next has not returned yet, bounded for each member alone: one that floods takes no room from the
// others. Its owner's mutex guards it.
type inbox struct {
	boxes []*box
	seq   uint64 // of what came last
	size  int    // in all boxes
	wake  chan struct{}
}

// A box holds what has come of one member. The numbers give the order between its two rings, and between boxes.
type box struct {
	node     spec.NodeID
	messages ring[numbered[spec.Message]]
	bundles  ring[numbered[string]]
	told     ring[numbered[Kind]]
}

type numbered[T any] struct {
	seq  uint64
	item T
}

func newInbox(nodes []spec.NodeID, messages int) *inbox {
	in := &inbox{wake: make(chan struct{}, 1)}
	for _, node := range nodes {
		in.add(node, messages)
	}
	return in
}

// add adds a box for a node, which holds at most so many messages.
func (in *inbox) add(node spec.NodeID, messages int) *box {
	b := &box{node: node}
	b.messages.max, b.bundles.max, b.told.max = messages, messages, maxTold
	in.boxes = append(in.boxes, b)
	return b
}

// receive adds a message to b, and reports whether the oldest was dropped for it.
func (in *inbox) receive(b *box, m spec.Message) (dropped bool) {
	in.seq++
	dropped = b.messages.push(numbered[spec.Message]{in.seq, m})
	in.added(dropped)
	return dropped
}

// tell adds a link event to b, and reports whether the oldest was dropped for it.
func (in *inbox) tell(b *box, k Kind) (dropped bool) {
	in.seq++
	dropped = b.told.push(numbered[Kind]{in.seq, k})
	in.added(dropped)
	return dropped
}

func (in *inbox) added(dropped bool) {
	if !dropped {
		in.size++
	}
	in.signal()
}

// forget drops the messages of b, and returns how many.
func (in *inbox) forget(b *box) int {
	n := b.messages.clear() + b.bundles.clear()
	in.size -= n
	in.signal()
	return n
}

// remove takes a box out, with all that is in it.
func (in *inbox) remove(b *box) {
	in.size -= b.told.clear()
	in.forget(b)
	in.boxes = slices.DeleteFunc(in.boxes, func(c *box) bool { return c == b })
}

// untell drops what b has to tell of its link.
func (in *inbox) untell(b *box) {
	in.size -= b.told.clear()
	in.signal()
}

// close empties the inbox for good.
func (in *inbox) close() {
	in.boxes, in.size = nil, 0
	in.signal()
}

// next returns the oldest event of all boxes.
func (in *inbox) next() (Event, bool) {
	var first *box
	var kind Kind // or 0, for what is told of the link
	least := ^uint64(0)
	for _, b := range in.boxes {
		if b.messages.n > 0 && b.messages.front().seq < least {
			first, kind, least = b, Received, b.messages.front().seq
		}
		if b.bundles.n > 0 && b.bundles.front().seq < least {
			first, kind, least = b, Bundle, b.bundles.front().seq
		}
		if b.told.n > 0 && b.told.front().seq < least {
			first, kind, least = b, 0, b.told.front().seq
		}
	}
	if first == nil {
		return Event{}, false
	}
	event := Event{Node: first.node, Kind: kind}
	switch kind {
	case Received:
		event.Message = first.messages.pop().item
	case Bundle:
		event.Bundle = first.bundles.pop().item
	default:
		event.Kind = first.told.pop().item
	}
	in.size--
	in.signal()
	return event, true
}

// signal makes wake have a value exactly when there is something to return, so that a host that takes one event for
// each value misses none, and one that takes all is not woken for nothing.
func (in *inbox) signal() {
	if in.size > 0 {
		select {
		case in.wake <- struct{}{}:
		default:
		}
		return
	}
	select {
	case <-in.wake:
	default:
	}
}

// A ring is a queue of at most max items that drops its oldest for a new one. It grows when it has to.
type ring[T any] struct {
	items   []T
	head, n int
	max     int
}

func (r *ring[T]) push(item T) (dropped bool) {
	if r.n == r.max {
		r.pop()
		dropped = true
	}
	if r.n == len(r.items) {
		grown := make([]T, min(max(2*r.n, 8), r.max))
		for i := range r.n {
			grown[i] = r.items[(r.head+i)%len(r.items)]
		}
		r.items, r.head = grown, 0
	}
	r.items[(r.head+r.n)%len(r.items)] = item
	r.n++
	return dropped
}

func (r *ring[T]) front() *T { return &r.items[r.head] }

// pop takes the oldest item, of which there must be one. Nothing of it stays: it may be a megabyte.
func (r *ring[T]) pop() T {
	var nothing T
	item := r.items[r.head]
	r.items[r.head] = nothing
	r.head = (r.head + 1) % len(r.items)
	r.n--
	return item
}

func (r *ring[T]) clear() (n int) {
	n = r.n
	r.items, r.head, r.n = nil, 0, 0
	return n
}
