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

// The handshake is described in the package comment.
const (
	magic            = "BULLY"
	transportVersion = 3              // 1 was of protocol 1
	headSize         = len(magic) + 2 // magic, version, length of what follows
	idSize           = len(spec.NodeID{})
	maxCluster       = 64
	answerSize       = 1 + idSize
)

// Refusal is why a node does not take a connection. It tells the dialler, which logs it.
type Refusal uint8

const (
	// WrongVersion: the handshake is not of the version of this cluster, 3 where members are fixed and 4 where they change.
	WrongVersion Refusal = iota + 1
	// WrongCluster: the dialler is of a cluster of another name.
	WrongCluster
	// WrongNode: the dialler wants another node than the one that it has reached. Its address of that node is wrong.
	WrongNode
	// Stranger: the dialler is no member (R34).
	Stranger
	// Itself: the dialler says that it is the node that it has reached. Two nodes run with one id, or the address that
	// the dialler has of another node is its own.
	Itself
	// WrongName: the certificate of the dialler does not name the node that it says it is.
	WrongName
	// Superseded: the node has accepted a later connection of the dialler already.
	Superseded
	// WrongIncarnation: the dialler's id belongs to another disk, by the address that the members have of it. Its record was
	// lost and made anew: it must join under another id.
	WrongIncarnation
	// StaleAddress: the dialler wants another incarnation of the node that it has reached. Its configuration is old, or
	// the disk of the node is not the one that was added.
	StaleAddress
	// Busy: the dialler is no member, and too many others who are none have come lately.
	Busy
)

const welcome Refusal = 0

var refusals = [...]string{
	welcome:      "welcome",
	WrongVersion: "wrong version of the handshake: another protocol, or members change at one end and at the other they do not",
	WrongCluster: "wrong cluster",
	WrongNode:    "wrong node",
	Stranger:     "stranger",
	Itself:       "itself",
	WrongName:    "certificate of another name",
	Superseded:   "superseded",

	WrongIncarnation: "this id belongs to another disk",
	StaleAddress:     "the disk of this node is not the one of the address",
	Busy:             "too many strangers",
}

// String returns r in words.
func (r Refusal) String() string {
	if int(r) < len(refusals) {
		return refusals[r]
	}
	return fmt.Sprintf("refusal %d", uint8(r))
}

// A hello is what the dialler says.
type hello struct {
	from, to spec.NodeID
	cluster  string
}

var (
	errMagic   = errors.New("not a bully handshake")
	errVersion = errors.New("wrong version of the handshake")
)

func (h hello) append(b []byte) []byte {
	b = append(append(b, magic...), transportVersion, byte(2*idSize+len(h.cluster)))
	b = append(append(b, h.from[:]...), h.to[:]...)
	return append(b, h.cluster...)
}

// parseHello reads what follows the head of a hello.
func parseHello(body []byte) (hello, error) {
	if len(body) < 2*idSize {
		return hello{}, fmt.Errorf("%w: %d bytes are too few", errMagic, len(body))
	}
	h := hello{spec.NodeID(body[:idSize]), spec.NodeID(body[idSize : 2*idSize]), string(body[2*idSize:])}
	if !h.from.Valid() || !h.to.Valid() || !validCluster(h.cluster) {
		return hello{}, fmt.Errorf("%w: an id or the cluster's name is none", errMagic)
	}
	return h, nil
}

// An answer is what the other end says to a hello.
type answer struct {
	code Refusal
	node spec.NodeID
}

func (a answer) append(b []byte) []byte {
	b = append(append(b, magic...), transportVersion, byte(answerSize), byte(a.code))
	return append(b, a.node[:]...)
}

// readHandshake reads what all versions have in common, and what follows it.
func readHandshake(r io.Reader, whole *[headSize + 255]byte) (body []byte, version byte, err error) {
	head := whole[:headSize]
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, 0, err
	}
	if string(head[:len(magic)]) != magic {
		return nil, 0, fmt.Errorf("%w: it begins with %q", errMagic, head[:len(magic)])
	}
	body = whole[headSize : headSize+int(head[len(magic)+1])]
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, 0, unexpected(err)
	}
	return body, head[len(magic)], nil
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func validCluster(name string) bool {
	for _, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return len(name) >= 1 && len(name) <= maxCluster
}

const (
	lengthSize = 4
	frameSize  = lengthSize + spec.MessageSize // of a message without a configuration
)

// frames reads messages from a connection. It does what spec.ReadFrame does, but reads many frames at once, makes no
// garbage, and does not wait longer than timeout for the end of a frame that has begun. To wait for its first byte it
// takes as long as that takes.
type frames struct {
	conn       net.Conn
	timeout    time.Duration
	buffer     [2048]byte // at least the largest frame
	start, end int
	size       int  // of the last frame that next has found
	timed      bool // the frame that has begun has its deadline
	armed      bool // the connection has a deadline
}

// next returns the next message. Its errors are those of spec.ReadFrame, and those of the connection.
func (f *frames) next() (m spec.Message, err error) {
	for {
		have := f.buffer[f.start:f.end]
		if len(have) >= lengthSize {
			length := binary.BigEndian.Uint32(have)
			if length == 0 || length > spec.MaxFrame {
				return m, &spec.FieldError{Field: "length", Problem: fmt.Sprintf("%d is not from 1 to %d", length, spec.MaxFrame)}
			}
			if whole := lengthSize + int(length); len(have) >= whole {
				f.start += whole
				f.size = whole
				f.timed = false
				err := m.UnmarshalBinary(have[lengthSize:whole])
				return m, err
			}
		}
		if err := f.fill(); err != nil {
			return m, err
		}
	}
}

// fill reads what there is.
func (f *frames) fill() error {
	f.end = copy(f.buffer[:], f.buffer[f.start:f.end])
	f.start = 0
	begun := f.end > 0
	switch {
	case begun && !f.timed:
		f.timed, f.armed = true, true
		if err := f.conn.SetReadDeadline(time.Now().Add(f.timeout)); err != nil {
			return err
		}
	case !begun && f.armed:
		f.armed = false
		if err := f.conn.SetReadDeadline(time.Time{}); err != nil {
			return err
		}
	}
	n, err := f.conn.Read(f.buffer[f.end:])
	f.end += n
	if n > 0 {
		return nil
	}
	if err == nil {
		return io.ErrNoProgress
	}
	if begun {
		return unexpected(err)
	}
	return err
}
