package transport

import (
	"maps"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// Stats are the counters of a [TCP] since it began, and how its links are. All messages that were sent are in Sent,
// Lost, Dropped or Unsendable, or wait still; all that came from members are in Received or one of the faults.
type Stats struct {
	Links     []LinkStats // of members, ascending by node
	Strangers []LinkStats // of nodes that are no members of a cluster of changing members, ascending by node

	// What follows are counters of all links together, those too that have ended for good.

	Sent, Received    uint64 // messages
	BytesOut, BytesIn uint64
	Lost              uint64
	Dropped           uint64

	Unsendable uint64 // messages given to Send that are not valid, not of this node, or for nobody who is known

	Accepted        uint64             // connections accepted
	Pending         int                // of those, how many have not shown yet of which node they are
	Evicted         uint64             // connections that were closed before they could, for want of room
	Shed            uint64             // TLS handshakes that were not begun, as too many had been
	Refused         map[Refusal]uint64 // connections that were refused
	Unwelcome       uint64             // connections that ended before they were welcome, evicted and refused ones too
	AcceptErrors    uint64             // errors of the listener
	LastAcceptError string             // the last of them, or ""

	Malformed    uint64 // connections closed for a frame that is none (R33)
	Stalled      uint64 // connections closed because a handshake or a frame did not end in time
	Unknown      uint64 // frames of a wire version or type that this node does not know, passed over (R34.3)
	Spoofed      uint64 // connections closed for a message of another sender (R34.4)
	Misaddressed uint64 // connections closed for a message to another node (R34.2)
	Untold       uint64 // link events dropped because nobody called Next
}

// LinkStats says how the links to and from one node are.
type LinkStats struct {
	Node      spec.NodeID
	Up        bool      // what is sent may arrive: our connection to it is open
	Since     time.Time // since when it is so
	Hears     bool      // its connection to us is open
	Dead      bool      // it is proved dead
	LostDisk  bool      // its disk is lost, or an old copy; it is not heeded
	LastError string    // why the last connection ended, or was not made; "" if none has

	Dials             uint64 // begun
	Sent, Received    uint64 // messages written and read
	BytesOut, BytesIn uint64 // of their frames
	Lost              uint64 // messages that were sent while there was no connection, or that were queued when it ended
	Dropped           uint64 // messages dropped from a full queue to the node
	Overrun           uint64 // messages of the node that were dropped because nobody called Next
	Replaced          uint64 // connections of the node that a newer one has replaced
	Undelivered       uint64 // messages that were dropped when a newer connection came
	Queued, Waiting   int    // messages that wait now: to be written, and for Next
}

// Stats returns a copy.
func (t *TCP) Stats() Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.stats
	s.Refused = maps.Clone(s.Refused)
	s.Pending = len(t.pending)
	s.add(t.past)
	for _, l := range t.links {
		s.Links = append(s.Links, s.add(l.now()))
	}
	for _, l := range t.strangers {
		s.Strangers = append(s.Strangers, s.add(l.now()))
	}
	slices.SortFunc(s.Strangers, func(a, b LinkStats) int { return a.Node.Compare(b.Node) })
	return s
}

// add adds the counters of a link to those of all, and returns them.
func (s *Stats) add(k LinkStats) LinkStats {
	s.Sent += k.Sent
	s.Received += k.Received
	s.BytesOut += k.BytesOut
	s.BytesIn += k.BytesIn
	s.Lost += k.Lost
	s.Dropped += k.Dropped
	return k
}

// now returns how the link is.
func (l *link) now() LinkStats {
	k := l.stats
	k.Hears, k.Dead, k.LostDisk, k.Waiting, k.Queued = l.in != nil, l.dead, l.lostDisk, l.box.messages.n, l.waiting.n
	if l.out != nil {
		k.Queued = l.out.queue.n
	}
	return k
}
