package transport

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// maxBundle is the longest bundle, in bytes.
const maxBundle = 1 << 20

// savesSize is how many bytes of a bundle say how many saves its sender has made.
const savesSize = 8

// bundleBit in the length of a frame says that it is a bundle, and not a message.
const bundleBit = 1 << 31

// SendBundle sends bytes to a node, with Config.Bundles: what this node has to say in many groups at once. It is one frame: the length of what follows, in four bytes,
// big-endian, with the highest bit set; how many saves this node has made, in eight; and the bytes, at most 1 MiB. It never blocks, does not keep the bytes, and loses them where Send would lose a
// message. The number of saves is that of storage.Groups, of which the others remember the highest, as of all records: see the package comment, Lost disks.
func (t *TCP) SendBundle(to spec.NodeID, saves uint64, bundle []byte) {
	if c := t.enqueueBundle(to, saves, bundle); c != nil {
		c.wake()
	}
}

func (t *TCP) enqueueBundle(to spec.NodeID, saves uint64, bundle []byte) *outbound {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.byNode[to]
	if l == nil || !t.config.Bundles || len(bundle) == 0 || len(bundle) > maxBundle {
		t.stats.Unsendable++
		return nil
	}
	if t.closing || l.out == nil && (l.member || l.said.address == "") {
		l.stats.Lost++
		return nil
	}
	if l.out == nil {
		if l.bundles.push(appendBundle(nil, saves, bundle)) {
			l.stats.Dropped++
		}
		t.start(l)
		return nil
	}
	if l.out.bundles.push(appendBundle(nil, saves, bundle)) {
		l.stats.Dropped++
	}
	return l.out
}

func appendBundle(frame []byte, saves uint64, bundle []byte) []byte {
	frame = binary.BigEndian.AppendUint32(frame, bundleBit|uint32(savesSize+len(bundle)))
	return append(binary.BigEndian.AppendUint64(frame, saves), bundle...)
}

// takeBundles empties the queue of bundles into frames.
func (c *outbound) takeBundles(buffer []byte) (_ []byte, n uint64) {
	for ; c.bundles.n > 0; n++ {
		buffer = append(buffer, c.bundles.pop()...)
	}
	return buffer, n
}

// readBundles is read for a node of many groups: bundles, and where members change messages too, which are of the cluster's own election.
func (t *TCP) readBundles(l *link, p *inbound, conn net.Conn) error {
	for {
		frame, isBundle, err := readEither(conn, t.config.FrameTimeout)
		switch {
		case err != nil:
		case isBundle:
			err = t.receivedBundle(l, p, frame)
		case len(frame) == len(begun)-lengthSize:
			err = t.hasBegun(l, p)
		case t.config.Changing == nil:
			err = &spec.FieldError{Field: "length", Problem: fmt.Sprintf("%d is not that of a bundle", len(frame))}
		default:
			err = t.readMessage(l, p, frame)
		}
		if err == nil {
			err = t.slows(p)
		}
		if err != nil {
			return err
		}
	}
}

// readMessage takes a message that has come among bundles.
func (t *TCP) readMessage(l *link, p *inbound, frame []byte) error {
	var m spec.Message
	err := m.UnmarshalBinary(frame)
	if err != nil && !errors.Is(err, spec.ErrWireVersion) && !errors.Is(err, spec.ErrMessageType) {
		return err
	}
	return t.received(l, p, m, lengthSize+len(frame), err != nil)
}

// readEither reads a frame, but for its length, and whether it is a bundle.
func readEither(conn net.Conn, timeout time.Duration) (frame []byte, isBundle bool, err error) {
	var length [lengthSize]byte
	if _, err := io.ReadFull(conn, length[:1]); err != nil {
		return nil, false, err
	}
	if err := conn.SetReadDeadline(time.Now().Add(timeout)); err != nil {
		return nil, false, err
	}
	if _, err := io.ReadFull(conn, length[1:]); err != nil {
		return nil, false, unexpected(err)
	}
	n := binary.BigEndian.Uint32(length[:])
	isBundle = n&bundleBit != 0
	n &^= bundleBit
	if isBundle && (n <= savesSize || n > savesSize+maxBundle) || !isBundle && (n == 0 || n > spec.MaxFrame) {
		return nil, false, &spec.FieldError{Field: "length", Problem: fmt.Sprintf("%d is neither that of a bundle nor of a message", n)}
	}
	frame = make([]byte, n)
	if _, err := io.ReadFull(conn, frame); err != nil {
		return nil, false, unexpected(err)
	}
	return frame, isBundle, conn.SetReadDeadline(time.Time{})
}

// receivedBundle delivers a bundle.
func (t *TCP) receivedBundle(l *link, p *inbound, frame []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.in != p {
		return errReplaced
	}
	l.heard++
	t.noted(l)
	p.nonMember = !l.member
	l.memory.saved(binary.BigEndian.Uint64(frame))
	t.goesOn(l, p)
	l.stats.Received++
	l.stats.BytesIn += uint64(lengthSize + len(frame))
	if t.inbox.receiveBundle(l.box, string(frame[savesSize:])) {
		l.stats.Overrun++
	}
	return nil
}

// maxSaves is how many saves a log may have.
const maxSaves = uint64(spec.MaxEpoch)

// saved notes that a node has made so many saves in its groups. It is told apart from its other record: neither hides that the other has been set back.
func (k *memory) saved(saves uint64) {
	if saves <= maxSaves {
		k.saves = max(k.saves, saves)
	}
}

// receiveBundle adds a bundle to b, and reports whether the oldest was dropped for it.
func (in *inbox) receiveBundle(b *box, bundle string) (dropped bool) {
	in.seq++
	dropped = b.bundles.push(numbered[string]{in.seq, bundle})
	in.added(dropped)
	return dropped
}

// SendBundle sends bytes to another endpoint, as that of TCP does.
func (e *Endpoint) SendBundle(to spec.NodeID, _ uint64, bundle []byte) {
	n := e.network
	n.mu.Lock()
	defer n.mu.Unlock()
	target := n.running[to]
	if n.running[e.id] != e || target == nil || !e.reaches(target) {
		return
	}
	n.post(n.wire(e.id, to), packet{sender: e, target: target, kind: Bundle, bundle: string(bundle)}, 0)
}
