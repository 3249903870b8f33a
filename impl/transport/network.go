package transport

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// Network is a network within one program, for tests of what is built on a transport. Its links are those of TCP:
// FIFO, one for each direction, lost with either end. It starts no goroutine, and works within testing/synctest.
//
//	network := transport.NewNetwork(nil)
//	three, two := network.Join(spec.IntegerID(3)), network.Join(spec.IntegerID(2))
//	network.Kill(spec.IntegerID(3)) // two is told Down and Dead
//
// All methods of a Network and its Endpoints may be called at the same time.
type Network struct {
	delay func(from, to spec.NodeID) time.Duration

	mu      sync.Mutex
	nodes   []spec.NodeID // all that have ever joined, ascending
	running map[spec.NodeID]*Endpoint
	wires   map[spec.Link]*wire
}

// NewNetwork returns a network without nodes. A message takes delay, which is asked for each; nil is no delay: what is
// sent has then arrived when Send returns. A negative delay loses the message; delay
// must not call the network. A connection opens, and its end is
// noticed, after one delay; a refused dial is known after two more.
func NewNetwork(delay func(from, to spec.NodeID) time.Duration) *Network {
	if delay == nil {
		delay = func(_, _ spec.NodeID) time.Duration { return 0 }
	}
	return &Network{delay: delay, running: make(map[spec.NodeID]*Endpoint), wires: make(map[spec.Link]*wire)}
}

// Join starts the node id, and connects it to all others that run. A node of that id that runs already is killed
// first. Who joins is told Dead of those that have run and do so no longer.
func (n *Network) Join(id spec.NodeID) *Endpoint {
	n.mu.Lock()
	defer n.mu.Unlock()
	e := n.join(id)
	for _, other := range n.nodes {
		if other != id {
			e.know(other)
			n.refresh(id, other)
			n.refresh(other, id)
		}
	}
	return e
}

// join starts the node id, which is connected to nobody yet.
func (n *Network) join(id spec.NodeID) *Endpoint {
	n.end(n.running[id], true)
	if at, found := slices.BinarySearchFunc(n.nodes, id, spec.NodeID.Compare); !found {
		n.nodes = slices.Insert(n.nodes, at, id)
		for _, other := range n.running {
			if !other.changing {
				other.know(id)
			}
		}
	}
	e := &Endpoint{network: n, id: id, inbox: newInbox(nil, defaultInbox), routes: make(map[spec.NodeID]*route)}
	n.running[id] = e
	return e
}

// Kill ends the node id as a crash does. What it has sent and what was sent to it is lost if it has not arrived. The
// others are told Down where its link to them is not cut, and Dead where neither link is.
func (n *Network) Kill(id spec.NodeID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.end(n.running[id], true)
}

// Cut makes the link lose what is under way on it, and what is sent on it from now on. from is told Down.
func (n *Network) Cut(from, to spec.NodeID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	w := n.wire(from, to)
	w.cut = true
	w.loseMessages()
	n.refresh(from, to)
	n.refresh(to, from)
}

// Heal makes the link carry messages again. Once neither link between the two is cut, each end is told what has become
// of the other: Up, or Down and Dead.
func (n *Network) Heal(from, to spec.NodeID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.wire(from, to).cut = false
	n.refresh(from, to)
	n.refresh(to, from)
}

// end ends an endpoint, if it is there and runs.
func (n *Network) end(e *Endpoint, crash bool) {
	if e == nil || n.running[e.id] != e {
		return
	}
	delete(n.running, e.id)
	for _, other := range n.nodes {
		if other == e.id {
			continue
		}
		if crash {
			n.wire(e.id, other).loseMessages()
		}
		n.refresh(other, e.id)
	}
	e.inbox.close()
}

// refresh compares what the node x knows of its link to y with how things are, and tells it the difference. What comes
// from afar goes by way of the link from y, behind the messages of y that are under way.
func (n *Network) refresh(x, y spec.NodeID) {
	e := n.running[x]
	if e == nil || e.routes[y] == nil || !e.routes[y].member {
		return
	}
	r, to, there, back := e.routes[y], n.running[y], n.wire(x, y), n.wire(y, x)
	refused := to != nil && !(e.admits(to) && to.admits(e))
	if refused {
		to = nil
	}
	if there.cut || back.cut || r.opening != to {
		r.opening = nil
	}
	switch {
	case r.to == nil:
	case there.cut:
		r.to = nil
		e.inbox.tell(r.box, Down)
	case r.to != to && !back.cut:
		r.to = nil
		n.post(back, packet{target: e, kind: Down}, 0)
	}
	switch {
	case there.cut || back.cut || r.to != nil:
	case to != nil && r.opening == nil:
		r.opening = to
		n.post(back, packet{target: e, sender: to, kind: Up}, 0)
	case to == nil && !refused && !r.dead:
		r.dead = true
		n.post(back, packet{target: e, kind: Dead}, max(0, n.delay(x, y))+max(0, n.delay(y, x)))
	}
}

// A wire is a link and what is under way on it.
type wire struct {
	spec.Link
	cut bool
	way []packet // in the order sent; the first holds up those behind it
}

// A packet is a message of sender, or what target is to be told of its link to the other end of the wire.
type packet struct {
	at             time.Time
	sender, target *Endpoint
	kind           Kind
	message        spec.Message
	bundle         string
}

// said reports whether it is what a node has said, which may be lost.
func (p *packet) said() bool { return p.kind == Received || p.kind == Bundle }

func (w *wire) loseMessages() {
	w.way = slices.DeleteFunc(w.way, func(p packet) bool { return p.said() })
}

func (n *Network) wire(from, to spec.NodeID) *wire {
	link := spec.Link{From: from, To: to}
	w := n.wires[link]
	if w == nil {
		w = &wire{Link: link}
		n.wires[link] = w
	}
	return w
}

// post sends a packet, which arrives after all before it and at the earliest after the delay and what is added to it.
func (n *Network) post(w *wire, p packet, added time.Duration) {
	delay := n.delay(w.From, w.To)
	if delay < 0 && p.said() {
		return
	}
	now := time.Now()
	p.at = now.Add(max(0, delay) + added)
	if len(w.way) == 0 && !p.at.After(now) {
		n.deliver(w, p)
		return
	}
	w.way = append(w.way, p)
	time.AfterFunc(p.at.Sub(now), func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		for len(w.way) > 0 && !w.way[0].at.After(time.Now()) {
			due := w.way[0]
			w.way = slices.Delete(w.way, 0, 1)
			n.deliver(w, due)
		}
	})
}

// deliver gives a packet to its target, if both are still who they were.
func (n *Network) deliver(w *wire, p packet) {
	e := p.target
	if n.running[e.id] != e {
		return
	}
	r := e.routes[w.From]
	if r == nil {
		if !p.said() {
			return // of a member that is one no longer
		}
		r = e.know(w.From)
	}
	switch p.kind {
	case Received:
		e.inbox.receive(r.box, p.message)
		return
	case Bundle:
		e.inbox.receiveBundle(r.box, p.bundle)
		return
	case Up:
		if r.opening != p.sender || p.sender == nil {
			return
		}
		r.opening, r.to, r.dead = nil, p.sender, false
		// The other end has accepted a new connection: what it has of an old one is dropped.
		n.wire(e.id, w.From).loseMessages()
		p.sender.inbox.forget(p.sender.know(e.id).box)
	}
	if !r.member {
		return
	}
	e.inbox.tell(r.box, p.kind)
}

// Endpoint is a node of a [Network]. It has the methods of [TCP] that a host needs.
type Endpoint struct {
	network *Network
	id      spec.NodeID
	inbox   *inbox
	routes  map[spec.NodeID]*route

	changing    bool
	incarnation uint64 // or 0
}

// A route is what an endpoint knows of its link to another.
type route struct {
	box     *box
	to      *Endpoint // who is at the other end of our connection, or nil
	opening *Endpoint // who has been dialled, or nil
	dead    bool      // the node is known to have ended
	member  bool      // the node is one, and is to be connected
	wanted  uint64    // the incarnation that the node is to have, or 0
}

// know makes room for what comes of another node, and returns the route to it. Where members are fixed it is one of them.
func (e *Endpoint) know(other spec.NodeID) *route {
	r := e.routes[other]
	if r == nil {
		r = &route{box: e.inbox.add(other, defaultInbox), member: !e.changing}
		e.routes[other] = r
	}
	return r
}

// Send sends m to m.To. It never blocks. The message is lost if there is no connection, and if it is not from this
// endpoint. A node that is no member hears it if it is connected to this one.
func (e *Endpoint) Send(m spec.Message) {
	n := e.network
	n.mu.Lock()
	defer n.mu.Unlock()
	to := n.running[m.To]
	if n.running[e.id] != e || m.From != e.id || m.Validate() != nil || to == nil || !e.reaches(to) {
		return
	}
	n.post(n.wire(e.id, m.To), packet{sender: e, target: to, kind: Received, message: m}, 0)
}

// reaches reports whether there is a connection to an endpoint, or would be for the asking.
func (e *Endpoint) reaches(to *Endpoint) bool {
	r := e.routes[to.id]
	if r != nil && r.member {
		return r.to == to
	}
	back := to.routes[e.id]
	return e.changing && back != nil && back.member && back.to == e && !e.network.wire(e.id, to.id).cut
}

// Wake returns a channel that has a value while Next has an event. Close does not close it.
func (e *Endpoint) Wake() <-chan struct{} { return e.inbox.wake }

// Next returns the oldest event, and false if there is none now, or the endpoint has ended.
func (e *Endpoint) Next() (Event, bool) {
	e.network.mu.Lock()
	defer e.network.mu.Unlock()
	return e.inbox.next()
}

// Close ends the node in good order: what it has sent still arrives, and then the others are told Down and Dead. It
// returns nil.
func (e *Endpoint) Close() error {
	e.network.mu.Lock()
	defer e.network.mu.Unlock()
	e.network.end(e, false)
	return nil
}

// JoinChanging starts the node id as one of changing members, of this incarnation. It is connected to nobody until
// SetMembers says to whom. A node of that id that runs already is killed first. Nodes of fixed and of changing members do
// not connect to each other.
func (n *Network) JoinChanging(id spec.NodeID, incarnation uint64) *Endpoint {
	n.mu.Lock()
	defer n.mu.Unlock()
	e := n.join(id)
	e.changing, e.incarnation = true, incarnation
	for _, other := range n.nodes {
		if other != id {
			n.refresh(other, id)
		}
	}
	return e
}

// SetMembers says who the members are from now on, as that of TCP does. Of an address only the incarnation counts. A node
// that is no member is heard, and answered as long as it is connected to this one. There is no bound to how many are.
func (e *Endpoint) SetMembers(members map[spec.NodeID]string) {
	n := e.network
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.running[e.id] != e || !e.changing {
		return
	}
	for _, id := range slices.SortedFunc(maps.Keys(e.routes), spec.NodeID.Compare) {
		if _, stays := members[id]; !stays && e.routes[id].member {
			r := e.routes[id]
			*r = route{box: r.box}
			e.inbox.untell(r.box)
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(members), spec.NodeID.Compare) {
		if id == e.id {
			continue
		}
		if at, found := slices.BinarySearchFunc(n.nodes, id, spec.NodeID.Compare); !found {
			n.nodes = slices.Insert(n.nodes, at, id)
		}
		r := e.know(id)
		r.member = true
		if _, wanted, err := SplitAddress(members[id]); err == nil && wanted != r.wanted {
			r.wanted, r.dead = wanted, false
		}
		n.refresh(e.id, id)
		n.refresh(id, e.id)
	}
}

// admits reports whether another endpoint may be connected to this one.
func (e *Endpoint) admits(other *Endpoint) bool {
	r := e.routes[other.id]
	return e.changing == other.changing && (r == nil || r.wanted == 0 || other.incarnation == r.wanted)
}
