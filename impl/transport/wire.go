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
	transportVersion = 1
	headSize         = len(magic) + 2 // magic, version, length of what follows
	idSize           = len(spec.NodeID{})
	maxCluster       = 64
	answerSize       = 1 + idSize
)

// Refusal is why a node does not take a connection. It tells the dialler, which logs it.
type Refusal uint8

const (
	// WrongVersion: the handshake is of another version than 1.
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
)

const welcome Refusal = 0

var refusals = [...]string{
	welcome:      "welcome",
	WrongVersion: "wrong version of the handshake",
	WrongCluster: "wrong cluster",
	WrongNode:    "wrong node",
	Stranger:     "stranger",
	Itself:       "itself",
	WrongName:    "certificate of another name",
	Superseded:   "superseded",
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
	errVersion = errors.New("unknown version of the handshake")
)

func (h hello) append(b []byte) []byte {
	b = append(append(b, magic...), transportVersion, byte(2*idSize+len(h.cluster)))
	b = append(append(b, h.from[:]...), h.to[:]...)
	return append(b, h.cluster...)
}

// readHello reads a hello, and no more. Its error wraps errVersion if it has been read whole, and may be answered.
func readHello(r io.Reader) (hello, error) {
	var whole [headSize + 255]byte
	body, version, err := readHandshake(r, &whole)
	if err != nil {
		return hello{}, err
	}
	switch {
	case version != transportVersion:
		return hello{}, fmt.Errorf("%w: %d", errVersion, version)
	case len(body) < 2*idSize:
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

// readAnswer reads an answer, and no more.
func readAnswer(r io.Reader) (answer, error) {
	var whole [headSize + 255]byte
	body, version, err := readHandshake(r, &whole)
	if err != nil {
		return answer{}, err
	}
	if version != transportVersion {
		return answer{}, fmt.Errorf("%w: %d", errVersion, version)
	}
	if len(body) != answerSize || !spec.NodeID(body[1:]).Valid() {
		return answer{}, fmt.Errorf("%w: the answer is none", errMagic)
	}
	return answer{Refusal(body[0]), spec.NodeID(body[1:])}, nil
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
	frameSize  = lengthSize + spec.MessageSize // of a message of this wire version
)

// frames reads messages from a connection. It does what spec.ReadFrame does, but reads many frames at once, makes no
// garbage, and does not wait longer than timeout for the end of a frame that has begun. To wait for its first byte it
// takes as long as that takes.
type frames struct {
	conn       net.Conn
	timeout    time.Duration
	buffer     [2048]byte // at least the largest frame
	start, end int
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
