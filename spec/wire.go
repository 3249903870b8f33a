package spec

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// The binary form of a message, which wire.md tells byte by byte, has MessageSize bytes, what only messages of its type have, and
// its configuration if it has one. On a stream a frame is the length of what follows, in four bytes, and then that. Every later
// version keeps the frame and the first byte, and stays within MaxFrame, so that older nodes can step over it.
const (
	WireVersion = 3
	MessageSize = 50   // of what every message has, in bytes
	MaxFrame    = 1024 // the greatest length that a frame may state, in bytes

	lengthSize  = 4
	keepsSize   = 16                        // whose lease the sender of an ELECTION keeps, in bytes
	grantedSize = 32                        // the claim that the sender of a RESIGN has granted, in bytes
	namesSize   = 16                        // whom a RESIGN or a CLAIM names, in bytes
	holdSize    = 8                         // for how long, of a RESIGN that names, in bytes
	maxSize     = MessageSize + grantedSize // of a message without a configuration
)

// ErrWireVersion is wrapped by the error for a message in a wire version that this package does not know. On a stream
// the next frame can be read.
var ErrWireVersion = errors.New("unknown wire version")

var (
	_ encoding.BinaryAppender    = Message{}
	_ encoding.BinaryMarshaler   = Message{}
	_ encoding.BinaryUnmarshaler = (*Message)(nil)
)

// AppendBinary appends the binary form of m to b. A message that is not valid is an error.
func (m Message) AppendBinary(b []byte) ([]byte, error) {
	if err := m.Validate(); err != nil {
		return b, err
	}
	c := &m.Configuration
	b = append(b, WireVersion, m.code())
	b = append(append(b, m.From[:]...), m.To[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(m.Epoch))
	b = binary.BigEndian.AppendUint64(b, uint64(m.Question))
	switch g, names := &m.Granted, !m.Names.IsNone(); {
	case m.Type == Election:
		b = append(b, m.Keeps[:]...)
	case names && m.Type == Resign:
		b = binary.BigEndian.AppendUint64(append(b, m.Names[:]...), uint64(m.Hold))
	case names:
		b = append(b, m.Names[:]...)
	case m.Type == Resign:
		b = binary.BigEndian.AppendUint64(append(b, g.By[:]...), uint64(g.Epoch))
		b = binary.BigEndian.AppendUint64(b, uint64(g.Question))
	}
	if c.IsNone() {
		return b, nil
	}
	b = binary.BigEndian.AppendUint64(b, uint64(c.Epoch))
	return append(binary.BigEndian.AppendUint64(b, c.Version), c.packed...), nil
}

// naming is what the code of a message that names a node has besides that of its type.
const naming = 0x80

// code returns the code of m: that of its type, and whether it names a node.
func (m *Message) code() byte {
	code := byte(slices.Index(messageTypes, m.Type) + 1)
	if !m.Names.IsNone() {
		code |= naming
	}
	return code
}

// ofCode returns the type that a code says, and whether a node is named; "" if it is the code of none.
func ofCode(code byte) (t MessageType, names bool) {
	names = code&naming != 0
	code &^= naming
	if code == 0 || int(code) > len(messageTypes) {
		return "", names
	}
	if t = messageTypes[code-1]; names && t != Resign && t != Claim {
		return "", names
	}
	return t, names
}

// size returns how many bytes the binary form of m has.
func (m *Message) size() int {
	size := sizeOf(m.Type, !m.Names.IsNone())
	if m.Configuration.IsNone() {
		return size
	}
	return size + stampSize + len(m.Configuration.packed)
}

// sizeOf returns how many bytes the binary form of a message of type t has, which names a node or does not, without its configuration.
func sizeOf(t MessageType, names bool) int {
	switch {
	case t == Election:
		return MessageSize + keepsSize
	case names && t == Resign:
		return MessageSize + namesSize + holdSize
	case names:
		return MessageSize + namesSize
	case t == Resign:
		return MessageSize + grantedSize
	}
	return MessageSize
}

// MarshalBinary returns the binary form of m. A message that is not valid is an error.
func (m Message) MarshalBinary() ([]byte, error) {
	return m.AppendBinary(make([]byte, 0, m.size()))
}

// UnmarshalBinary reads a valid message from its binary form. Its error is a FieldError whose field is version, type, length, from,
// to, epoch, question, keeps, within granted, names, hold, or within configuration, looked at in this order; but that bytes are missing within a
// member, or left over after the last one, is seen when they are come to. It wraps ErrWireVersion or ErrMessageType if that is what
// is wrong.
func (m *Message) UnmarshalBinary(data []byte) error {
	size, err := checkSize(data)
	if err != nil {
		return err
	}
	kind, names := ofCode(data[1])
	parsed := Message{
		Type:     kind,
		From:     NodeID(data[2:18]),
		To:       NodeID(data[18:34]),
		Epoch:    Epoch(binary.BigEndian.Uint64(data[34:])),
		Question: Question(binary.BigEndian.Uint64(data[42:])),
	}
	switch more := data[MessageSize:size]; {
	case kind == Election:
		parsed.Keeps = NodeID(more)
	case names:
		parsed.Names = NodeID(more[:namesSize])
		if kind == Resign {
			parsed.Hold = Hold(binary.BigEndian.Uint64(more[namesSize:]))
		}
		if parsed.Names.IsNone() {
			return &FieldError{Field: "names", Problem: parsed.Names.problem()}
		}
	case kind == Resign:
		parsed.Granted = Granted{NodeID(more[:16]), Epoch(binary.BigEndian.Uint64(more[16:])), Question(binary.BigEndian.Uint64(more[24:]))}
	}
	if err := parsed.Validate(); err != nil {
		return err
	}
	if len(data) > size {
		if err := parsed.Configuration.read(data[size:], parsed.Epoch); err != nil {
			return err
		}
	}
	*m = parsed
	return nil
}

// checkSize says what is wrong with the version, the type or the length of a message, and returns where its configuration begins, if
// it has one.
func checkSize(data []byte) (int, error) {
	switch {
	case len(data) == 0:
		return 0, &FieldError{Field: "length", Problem: "no bytes at all"}
	case data[0] != WireVersion:
		return 0, &FieldError{Field: "version", Problem: fmt.Sprintf("%d: version %d is wanted", data[0], WireVersion), cause: ErrWireVersion}
	case len(data) < 2:
		return 0, &FieldError{Field: "length", Problem: "cut short: no type"}
	}
	t, names := ofCode(data[1])
	if t == "" {
		return 0, &FieldError{Field: "type", Problem: fmt.Sprintf("%d is the code of no message type", data[1]), cause: ErrMessageType}
	}
	size := sizeOf(t, names)
	switch left := len(data) - size; {
	case left < 0:
		return 0, &FieldError{Field: "length", Problem: fmt.Sprintf("cut short: %d bytes of the %d of %s", len(data), size, t)}
	case left > 0 && left <= stampSize:
		return 0, &FieldError{Field: "length", Problem: fmt.Sprintf("%d bytes follow the %d of %s: a configuration has %d or more", left, size, t, stampSize+1)}
	}
	return size, nil
}

// read reads a valid configuration from its binary form, which is at least one byte longer than a stamp, beside the epoch
// of its message.
func (c *Configuration) read(data []byte, e Epoch) error {
	read := Configuration{Epoch: Epoch(binary.BigEndian.Uint64(data)), Version: binary.BigEndian.Uint64(data[8:])}
	if read.Epoch > e {
		return aboveEpoch(read.Epoch, e)
	}
	if err := checkStamp(read.Epoch, read.Version); err != nil {
		return err.within("configuration")
	}
	packed := data[stampSize:]
	if err := checkPacked(packed); err != nil {
		if err.Field != "length" {
			err = err.within("configuration")
		}
		return err
	}
	read.packed = string(packed)
	if err := read.check(); err != nil {
		return err.within("configuration")
	}
	*c = read
	return nil
}

// AppendFrame appends the frame of m to b. A message that is not valid is an error.
func AppendFrame(b []byte, m Message) ([]byte, error) {
	framed, err := m.AppendBinary(binary.BigEndian.AppendUint32(b, uint32(m.size())))
	if err != nil {
		return b, err
	}
	return framed, nil
}

// ReadFrame reads one frame from r. At the end of r it returns io.EOF, and io.ErrUnexpectedEOF if that is within a
// frame. After an error that wraps ErrWireVersion or ErrMessageType the frame has been read whole, and the next
// one may be read; after any other the stream is of no further use.
func ReadFrame(r io.Reader) (Message, error) {
	frame := make([]byte, lengthSize+maxSize)
	if _, err := io.ReadFull(r, frame[:lengthSize]); err != nil {
		return Message{}, err
	}
	length := binary.BigEndian.Uint32(frame)
	if length == 0 || length > MaxFrame {
		return Message{}, &FieldError{Field: "length", Problem: fmt.Sprintf("%d is not from 1 to %d", length, MaxFrame)}
	}
	body := slices.Grow(frame[lengthSize:lengthSize], int(length))[:length]
	if _, err := io.ReadFull(r, body); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return Message{}, err
	}
	var m Message
	err := m.UnmarshalBinary(body)
	return m, err
}

const (
	memberSize = 18 // of a packed member without its rank and address, in bytes
	rankSize   = 2  // of the rank of a packed member, in bytes
	stampSize  = 16 // of the epoch and version of a configuration before its packed members, in bytes

	ranked byte = 0x80 // added to the code of the kind of a member whose rank follows
)

// pack returns members, which are ascending, as they are on the wire: the number of them in a byte, and of each the
// id, the code of its kind, its rank unless that is 0, the length of its address, and that.
func pack(members []Member) (string, *FieldError) {
	if len(members) > MaxChangingMembers {
		return "", tooManyMembers(len(members))
	}
	packed := make([]byte, 0, 1+len(members)*memberSize)
	packed = append(packed, byte(len(members)))
	for i, m := range members {
		switch kind := slices.Index(memberKinds, m.Kind); {
		case !m.ID.Valid():
			return "", memberFault(i, "id", m.ID.problem())
		case i > 0 && members[i-1].ID.Compare(m.ID) >= 0:
			return "", memberFault(i, "id", notAscending(members[i-1].ID, m.ID))
		case kind < 0:
			return "", memberFault(i, "kind", unknownWord(string(m.Kind), "kind of member"))
		default:
			if problem := addressProblem(m.Address); problem != "" {
				return "", memberFault(i, "address", problem)
			}
			packed = append(append(packed, m.ID[:]...), byte(kind+1))
			if m.Rank != 0 {
				packed[len(packed)-1] |= ranked
				packed = binary.BigEndian.AppendUint16(packed, m.Rank)
			}
			packed = append(append(packed, byte(len(m.Address))), m.Address...)
		}
	}
	if err := checkAll(packed); err != nil {
		return "", err
	}
	return string(packed), nil
}

// unpack returns the member that begins at an offset of packed, and where the next one begins.
func unpack(packed string, at int) (m Member, next int) {
	copy(m.ID[:], packed[at:])
	kind := packed[at+16]
	m.Kind = memberKinds[kind&^ranked-1]
	if kind&ranked != 0 {
		m.Rank = uint16(packed[at+17])<<8 | uint16(packed[at+18])
	}
	at += headSize(kind)
	next = at + int(packed[at-1])
	m.Address = packed[at:next]
	return m, next
}

// headSize returns how many bytes of a packed member come before its address, by that of its kind.
func headSize(kind byte) int {
	if kind&ranked != 0 {
		return memberSize + rankSize
	}
	return memberSize
}

// checkPacked says what is wrong with bytes that are to be packed members, looked at from the first to the last. Its
// fields are those of a configuration, or length if there are too few or too many bytes.
func checkPacked(packed []byte) *FieldError {
	if packed[0] > MaxChangingMembers {
		return tooManyMembers(int(packed[0]))
	}
	left := packed[1:]
	var last NodeID
	for i := range int(packed[0]) {
		head := memberSize
		if len(left) >= memberSize {
			head = headSize(left[16])
		}
		if len(left) < head || len(left) < head+int(left[head-1]) {
			return &FieldError{Field: "length", Problem: "cut short: within member " + strconv.Itoa(i+1) + " of " + strconv.Itoa(int(packed[0]))}
		}
		id, kind, address := NodeID(left[:16]), left[16]&^ranked, left[head:head+int(left[head-1])]
		switch {
		case !id.Valid():
			return memberFault(i, "id", id.problem())
		case last.Compare(id) >= 0:
			return memberFault(i, "id", notAscending(last, id))
		case kind == 0 || int(kind) > len(memberKinds):
			return memberFault(i, "kind", strconv.Itoa(int(left[16]))+" is the code of no kind of member")
		case head > memberSize && binary.BigEndian.Uint16(left[17:]) == 0:
			return memberFault(i, "rank", "0: it is left out, as the code of the kind says")
		}
		if problem := addressProblem(address); problem != "" {
			return memberFault(i, "address", problem)
		}
		last, left = id, left[head+len(address):]
	}
	if len(left) > 0 {
		return &FieldError{Field: "length", Problem: strconv.Itoa(len(left)) + " bytes follow the last member"}
	}
	return checkAll(packed)
}

// checkAll says what is wrong with packed members that are well formed one by one.
func checkAll(packed []byte) *FieldError {
	voter := false
	for at := 1; at < len(packed); {
		kind := packed[at+16]
		voter = voter || memberKinds[kind&^ranked-1] == Voter
		at += headSize(kind)
		at += int(packed[at-1])
	}
	switch size := maxSize + stampSize + len(packed); {
	case len(packed) > 1 && !voter:
		return &FieldError{Field: "members", Problem: "there is no voter, and so nobody to lead"}
	case size > MaxFrame:
		return &FieldError{Field: "members", Problem: "a message with them has " + strconv.Itoa(size) + " bytes: give shorter addresses, or fewer members, for " + strconv.Itoa(MaxFrame)}
	}
	return nil
}

// addressProblem says what is wrong with the address of a member, or is "".
func addressProblem[T string | []byte](address T) string {
	if len(address) > MaxAddress {
		return strconv.Itoa(len(address)) + " characters: at most " + strconv.Itoa(MaxAddress) + " are wanted"
	}
	for i := range len(address) {
		if c := address[i]; c <= ' ' || c > '~' || strings.IndexByte("\"\\&<>", c) >= 0 {
			return strconv.Quote(string(address)) + ": printable ASCII without space, \" \\ & < and > is wanted"
		}
	}
	return ""
}

func memberFault(i int, field, problem string) *FieldError {
	return &FieldError{Field: "members" + index(i) + "." + field, Problem: problem}
}

func tooManyMembers(n int) *FieldError {
	return &FieldError{Field: "members", Problem: "there are " + strconv.Itoa(n) + ": at most " + strconv.Itoa(MaxChangingMembers) + " are wanted"}
}

func notAscending(last, id NodeID) string {
	return id.String() + " after " + last.String() + ": ascending order is wanted, each node once"
}
