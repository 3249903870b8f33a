package transport

import (
	"crypto/tls"
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
	magic      = "BULLY"
	version    = 3              // 1 and 2 were of protocol 1
	headSize   = len(magic) + 3 // magic, version, length of what follows
	idSize     = len(spec.NodeID{})
	helloSize  = 2*idSize + 3*8 + recordSize + 1 // without the cluster and the address
	answerSize = 1 + idSize + 2*8 + recordSize
	maxBody    = helloSize + savesSize + maxCluster + spec.MaxAddress
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
	bundles     bool   // it is one of many groups
}

// more returns by how many bytes a handshake is longer than that of a node of one election.
func (f life) more() int {
	if f.bundles {
		return savesSize
	}
	return 0
}

// append appends the record, and what the node is.
func (f life) append(b []byte) []byte {
	if b = f.record.append(b); f.bundles {
		b[len(b)-1] |= bundlesBit
		b = binary.BigEndian.AppendUint64(b, f.saves)
	}
	return b
}

// read reads what append has appended, and returns what follows. It is false if there is none.
func (f *life) read(b []byte) (rest []byte, ok bool) {
	if f.record, f.bundles, ok = readRecord(b); !ok || !f.bundles {
		return b[recordSize:], ok
	}
	if b = b[recordSize:]; len(b) < savesSize {
		return nil, false
	}
	f.saves = binary.BigEndian.Uint64(b)
	return b[savesSize:], true
}

// A hello is what the dialler says.
type hello struct {
	from, to spec.NodeID
	cluster  string
	address  string // where the dialler is to be dialled, or ""
	wanted   uint64 // the incarnation, or where members are fixed the digest of these, that it wants the other end to have; or 0
	life
}

func (h hello) append(b []byte) []byte {
	b = append(append(b, magic...), version)
	b = binary.BigEndian.AppendUint16(b, uint16(helloSize+h.more()+len(h.cluster)+len(h.address)))
	b = append(append(b, h.from[:]...), h.to[:]...)
	for _, n := range []uint64{h.incarnation, h.wanted, h.boot} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	b = append(append(h.life.append(b), byte(len(h.cluster))), h.cluster...)
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
	rest, ok := h.read(body[2*idSize+3*8:])
	if !ok || len(rest) == 0 {
		return hello{}, fmt.Errorf("%w: it is not said whether the epoch is promised", errMagic)
	}
	name := int(rest[0])
	if rest = rest[1:]; len(rest) < name {
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
	b = append(binary.BigEndian.AppendUint16(b, uint16(answerSize+a.more())), byte(a.code))
	b = append(b, a.node[:]...)
	for _, n := range []uint64{a.incarnation, a.boot} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return a.life.append(b)
}

// readAnswer reads an answer, and no more.
func readAnswer(r io.Reader) (answer, error) {
	var whole [headSize + maxBody]byte
	body, err := readHandshake(r, whole[:])
	if err != nil {
		return answer{}, err
	}
	if len(body) < answerSize || !spec.NodeID(body[1:1+idSize]).Valid() {
		return answer{}, fmt.Errorf("%w: the answer is none", errMagic)
	}
	numbers := body[1+idSize:]
	a := answer{code: Refusal(body[0]), node: spec.NodeID(body[1 : 1+idSize])}
	a.incarnation, a.boot = binary.BigEndian.Uint64(numbers), binary.BigEndian.Uint64(numbers[8:])
	if rest, ok := a.read(numbers[2*8:]); !ok || len(rest) > 0 {
		return answer{}, fmt.Errorf("%w: the answer does not say whether the epoch is promised", errMagic)
	}
	if problem := a.problem(); a.code == welcome && problem != "" {
		return answer{}, fmt.Errorf("%w: %s", errMagic, problem)
	}
	return a, nil
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
		return nil, versionError{v}
	}
	return body, nil
}

// versionError says that the other end speaks another version of the handshake, and which end is older. It wraps errVersion.
type versionError struct{ theirs byte }

func (e versionError) Error() string {
	older := "the other end"
	if e.theirs > version {
		older = "this node"
	}
	return fmt.Sprintf("%v: the other end speaks version %d, and this node version %d: %s is older, upgrade it", errVersion, e.theirs, version, older)
}

func (versionError) Unwrap() error { return errVersion }

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

// Refusal is why a node does not take a connection. It tells the dialler, which logs it.
type Refusal uint8

const (
	// WrongVersion: the handshake is of a version that the acceptor does not know.
	WrongVersion Refusal = iota + 1
	// WrongCluster: the dialler is of a cluster of another name.
	WrongCluster
	// wrongNodeRefusal: the dialler wants another node than the one that it has reached. Its address of that node is wrong.
	wrongNodeRefusal
	// nonMemberRefusal: the dialler is no member (R34).
	nonMemberRefusal
	// itselfRefusal: the dialler says that it is the node that it has reached. Two nodes run with one id, or the address that
	// the dialler has of another node is its own.
	itselfRefusal
	// wrongNameRefusal: the certificate of the dialler does not name the node that it says it is.
	wrongNameRefusal
	// supersededRefusal: the node has accepted a later connection of the dialler already.
	supersededRefusal
	// wrongIncarnationRefusal: the dialler's id belongs to another disk, by the address that the members have of it. Its record was
	// lost and made anew: it must join under another id.
	wrongIncarnationRefusal
	// staleAddressRefusal: the dialler wants another incarnation of the node that it has reached. Its configuration is old, or
	// the disk of the node is not the one that was added.
	staleAddressRefusal
	// busyRefusal: the dialler is no member, and too many others who are none have come lately.
	busyRefusal
	// otherKindRefusal: members change at one end, and are fixed at the other.
	otherKindRefusal
	// RecordLost: the dialler's record knows less of its own numbers than the node that it has reached (R50): it is lost, or an old
	// copy was put in its place, and so are the promises that were in it (R32).
	RecordLost
	// otherMembersRefusal: members are fixed at both ends, and not the same. All nodes must be given the same.
	otherMembersRefusal
	// otherGroupsRefusal: one end is of many groups, and the other of one election.
	otherGroupsRefusal
)

const welcome Refusal = 0

var refusals = [...]string{
	welcome:           "welcome",
	WrongVersion:      "wrong version of the handshake: another protocol",
	WrongCluster:      "wrong cluster",
	wrongNodeRefusal:  "wrong node",
	nonMemberRefusal:  "non-member",
	itselfRefusal:     "itself",
	wrongNameRefusal:  "certificate of another name",
	supersededRefusal: "superseded",

	wrongIncarnationRefusal: "this id belongs to another disk",
	staleAddressRefusal:     "the disk of this node is not the one of the address",
	busyRefusal:             "too many non-members",
	otherKindRefusal:        "members change at one end, and are fixed at the other",
	RecordLost:              "the disk of this node is lost, or an old copy",
	otherMembersRefusal:     "other members were given to this node",
	otherGroupsRefusal:      "one end is of many groups, and the other is not",
}

// String returns r in words.
func (r Refusal) String() string {
	if int(r) < len(refusals) {
		return refusals[r]
	}
	return fmt.Sprintf("refusal %d", uint8(r))
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

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A TLS handshake costs whoever is asked for one a signature: milliseconds of a processor, if its key is of RSA, before anything is
// known of who asks. So only so many are begun: of addresses where a member is known to be, and of all others, each have a share.
const (
	memberHandshakes = 64 // are begun in a row from addresses of members: all others may come back at once,
	memberEvery      = 50 * time.Millisecond
	otherHandshakes  = 16 // from other addresses,
	otherEvery       = 100 * time.Millisecond
)

var errHandshakes = errors.New("too many TLS handshakes have been begun lately")

// gate bounds the handshakes of TLS that are begun.
type gate struct{ members, others limiter }

func newGate() gate {
	return gate{limiter{burst: memberHandshakes, every: memberEvery}, limiter{burst: otherHandshakes, every: otherEvery}}
}

// guarded returns a configuration for connections that are accepted which goes through the gate: once it is known what the other end
// wants, and before anything is computed.
func (t *TCP) guarded(c *tls.Config) *tls.Config {
	c.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		if !t.mayShakeHands(hello.Conn.RemoteAddr(), time.Now()) {
			return nil, errHandshakes
		}
		return nil, nil
	}
	return c
}

// mayShakeHands reports whether one more handshake may be begun with who is at an address.
func (t *TCP) mayShakeHands(with net.Addr, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	share := &t.gate.others
	if t.isOfMember(with) {
		share = &t.gate.members
	}
	if !share.allow(now) {
		t.stats.Shed++
		return false
	}
	return true
}

// isOfMember reports whether a member is at the host of an address, as far as its links tell: where it is dialled, or has last been
// reached, or has last come from.
func (t *TCP) isOfMember(address net.Addr) bool {
	host := hostOf(address.String())
	for _, l := range t.links {
		if host == hostOf(l.target().address) || l.out != nil && host == hostOf(l.out.raw.RemoteAddr().String()) ||
			l.from != nil && host == hostOf(l.from.String()) {
			return true
		}
	}
	return false
}

// hostOf returns the host of host:port, or what it is given.
func hostOf(hostPort string) string {
	if host, _, err := net.SplitHostPort(hostPort); err == nil {
		return host
	}
	return hostPort
}
