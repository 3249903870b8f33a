package transport

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/seed-fdf591db/bully/spec"
)

// The handshake is described in the package comment.
const (
	magic      = "BULLY"
	version    = 3              // 1 and 2 were of protocol 1
	headSize   = len(magic) + 3 // magic, version, length of what follows
	idSize     = len(spec.NodeID{})
	helloSize  = 2*idSize + 3*8 + recordSize + 1 // without the cluster and the address
	answerSize = 1 + idSize + 2*8 + recordSize
	maxBody    = helloSize + maxCluster + spec.MaxAddress
	maxCluster = 64
)

var (
	errMagic   = errors.New("not a bully handshake")
	errVersion = errors.New("wrong version of the handshake")
)

// A life is what a node says of itself.
type life struct {
	incarnation uint64 // of its record; 0 where members are fixed
	boot        uint64 // tells this run of its program from any other; not 0
	record             // as it was when this run began
}

// A hello is what the dialler says.
type hello struct {
	from, to spec.NodeID
	cluster  string
	address  string // where the dialler is to be dialled, or ""
	wanted   uint64 // the incarnation that it wants the other end to have, or 0
	life
}

func (h hello) append(b []byte) []byte {
	b = append(append(b, magic...), version)
	b = binary.BigEndian.AppendUint16(b, uint16(helloSize+len(h.cluster)+len(h.address)))
	b = append(append(b, h.from[:]...), h.to[:]...)
	for _, n := range []uint64{h.incarnation, h.wanted, h.boot} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	b = append(append(h.record.append(b), byte(len(h.cluster))), h.cluster...)
	return append(b, h.address...)
}

// readHello reads a hello, and no more. Its error wraps errVersion if it has been read whole, and may be answered.
func readHello(r io.Reader) (hello, error) {
	var whole [headSize + maxBody]byte
	body, err := readHandshake(r, whole[:])
	switch {
	case err != nil:
		return hello{}, err
	case len(body) < helloSize:
		return hello{}, fmt.Errorf("%w: %d bytes are too few", errMagic, len(body))
	}
	h := hello{from: spec.NodeID(body[:idSize]), to: spec.NodeID(body[idSize : 2*idSize])}
	for i, n := range []*uint64{&h.incarnation, &h.wanted, &h.boot} {
		*n = binary.BigEndian.Uint64(body[2*idSize+8*i:])
	}
	var ok bool
	if h.record, ok = readRecord(body[2*idSize+3*8:]); !ok {
		return hello{}, fmt.Errorf("%w: it is not said whether the epoch is promised", errMagic)
	}
	rest, name := body[helloSize:], int(body[helloSize-1])
	if len(rest) < name {
		return hello{}, fmt.Errorf("%w: no room for a cluster's name of %d bytes", errMagic, name)
	}
	h.cluster, h.address = string(rest[:name]), string(rest[name:])
	return h, h.validate()
}

func (h *hello) validate() error {
	problem := h.record.problem()
	switch {
	case problem != "":
	case !h.from.Valid() || !h.to.Valid():
		problem = "an id is none"
	case !validCluster(h.cluster):
		problem = "the cluster's name is none"
	case !validAddress(h.address):
		problem = "the address is none"
	case h.boot == 0:
		problem = "the boot is 0"
	case h.incarnation == 0 && h.configuration != spec.Stamp{}:
		problem = "its members are fixed, and have a version"
	default:
		return nil
	}
	*h = hello{}
	return fmt.Errorf("%w: %s", errMagic, problem)
}

// An answer is what the other end says to a hello.
type answer struct {
	code Refusal
	node spec.NodeID // who answers
	life             // of who answers; if the code is RecordLost, the record is what it knows of that of the dialler
}

func (a answer) append(b []byte) []byte {
	b = append(append(b, magic...), version)
	b = append(binary.BigEndian.AppendUint16(b, uint16(answerSize)), byte(a.code))
	b = append(b, a.node[:]...)
	for _, n := range []uint64{a.incarnation, a.boot} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return a.record.append(b)
}

// readAnswer reads an answer, and no more.
func readAnswer(r io.Reader) (answer, error) {
	var whole [headSize + maxBody]byte
	body, err := readHandshake(r, whole[:])
	if err != nil {
		return answer{}, err
	}
	if len(body) != answerSize || !spec.NodeID(body[1:1+idSize]).Valid() {
		return answer{}, fmt.Errorf("%w: the answer is none", errMagic)
	}
	numbers := body[1+idSize:]
	kept, ok := readRecord(numbers[2*8:])
	if !ok {
		return answer{}, fmt.Errorf("%w: the answer does not say whether the epoch is promised", errMagic)
	}
	if problem := kept.problem(); Refusal(body[0]) == welcome && problem != "" {
		return answer{}, fmt.Errorf("%w: %s", errMagic, problem)
	}
	return answer{Refusal(body[0]), spec.NodeID(body[1 : 1+idSize]), life{
		binary.BigEndian.Uint64(numbers), binary.BigEndian.Uint64(numbers[8:]), kept,
	}}, nil
}

// readHandshake reads what all versions have in common, and what follows it.
func readHandshake(r io.Reader, whole []byte) (body []byte, err error) {
	head := whole[:headSize]
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	if string(head[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: it begins with %q", errMagic, head[:len(magic)])
	}
	size := int(binary.BigEndian.Uint16(head[len(magic)+1:]))
	if size > maxBody {
		return nil, fmt.Errorf("%w: %d bytes are too many", errMagic, size)
	}
	body = whole[headSize : headSize+size]
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, unexpected(err)
	}
	if v := head[len(magic)]; v != version {
		return nil, fmt.Errorf("%w: %d", errVersion, v)
	}
	return body, nil
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
