package transport

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/seed-fdf591db/bully/spec"
)

// The handshake of changing members is described in the package comment.
const (
	changingVersion    = 4                  // 2 was of protocol 1
	offerSize          = 2*idSize + 3*8 + 1 // without the cluster and the address
	changingAnswerSize = answerSize + 2*8
)

// An offer is what the dialler says: a hello, and in version 4 what there is besides.
type offer struct {
	hello
	address     string // where the dialler is to be dialled, or ""
	incarnation uint64 // of the dialler
	wanted      uint64 // the incarnation that it wants the other end to have, or 0
	boot        uint64 // tells this run of the dialler's program from any other
}

func (o offer) append(b []byte) []byte {
	b = append(append(b, magic...), changingVersion, byte(offerSize+len(o.cluster)+len(o.address)))
	b = append(append(b, o.from[:]...), o.to[:]...)
	for _, n := range []uint64{o.incarnation, o.wanted, o.boot} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	b = append(append(b, byte(len(o.cluster))), o.cluster...)
	return append(b, o.address...)
}

// readOffer reads an offer of this version, and no more. Its error wraps errVersion if it has been read whole, and may
// be answered.
func readOffer(r io.Reader, wanted byte) (offer, error) {
	var whole [headSize + 255]byte
	body, version, err := readHandshake(r, &whole)
	switch {
	case err != nil:
		return offer{}, err
	case version != wanted:
		return offer{}, unknownVersion(version)
	case version == transportVersion:
		h, err := parseHello(body)
		return offer{hello: h}, err
	case len(body) < offerSize:
		return offer{}, fmt.Errorf("%w: %d bytes are too few", errMagic, len(body))
	}
	var o offer
	copy(o.from[:], body)
	copy(o.to[:], body[idSize:])
	for i, n := range []*uint64{&o.incarnation, &o.wanted, &o.boot} {
		*n = binary.BigEndian.Uint64(body[2*idSize+8*i:])
	}
	rest, name := body[offerSize:], int(body[offerSize-1])
	if len(rest) < name {
		return offer{}, fmt.Errorf("%w: no room for a cluster's name of %d bytes", errMagic, name)
	}
	o.cluster, o.address = string(rest[:name]), string(rest[name:])
	if !o.from.Valid() || !o.to.Valid() || !validCluster(o.cluster) || !validAddress(o.address) || o.incarnation == 0 || o.boot == 0 {
		return offer{}, fmt.Errorf("%w: an id, the cluster's name, the address, the incarnation or the boot is none", errMagic)
	}
	return o, nil
}

// A reply is what the other end says to an offer: an answer, and in version 4 what there is besides.
type reply struct {
	answer
	incarnation, boot uint64 // of who answers; 0 in version 3
}

func (a reply) append(b []byte) []byte {
	b = append(append(b, magic...), changingVersion, byte(changingAnswerSize), byte(a.code))
	b = append(b, a.node[:]...)
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, a.incarnation), a.boot)
}

// readReply reads a reply of a version up to this, and no more. A node of fixed members refuses in version 3.
func readReply(r io.Reader, most byte) (reply, error) {
	var whole [headSize + 255]byte
	body, version, err := readHandshake(r, &whole)
	if err != nil {
		return reply{}, err
	}
	size := answerSize
	if version == changingVersion {
		size = changingAnswerSize
	}
	switch {
	case version != transportVersion && version != most:
		return reply{}, unknownVersion(version)
	case len(body) != size || !spec.NodeID(body[1:1+idSize]).Valid():
		return reply{}, fmt.Errorf("%w: the answer is none", errMagic)
	}
	a := reply{answer: answer{Refusal(body[0]), spec.NodeID(body[1 : 1+idSize])}}
	switch {
	case version == changingVersion:
		a.incarnation, a.boot = binary.BigEndian.Uint64(body[answerSize:]), binary.BigEndian.Uint64(body[answerSize+8:])
	case most != transportVersion && a.code == welcome:
		return reply{}, unknownVersion(version)
	}
	return a, nil
}

func unknownVersion(version byte) error {
	switch version {
	case transportVersion:
		return fmt.Errorf("%w: 3, of a node whose members are fixed; those of this cluster change", errVersion)
	case changingVersion:
		return fmt.Errorf("%w: 4, of a node whose members change; those of this cluster are fixed", errVersion)
	}
	if version < transportVersion {
		return fmt.Errorf("%w: %d, of protocol 1", errVersion, version)
	}
	return fmt.Errorf("%w: %d", errVersion, version)
}
