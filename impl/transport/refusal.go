package transport

import "fmt"

// Refusal is why a node does not take a connection. It tells the dialler, which logs it.
type Refusal uint8

const (
	// WrongVersion: the handshake is of a version that the acceptor does not know.
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
	// OtherKind: members change at one end, and are fixed at the other.
	OtherKind
	// RecordLost: the dialler's record knows less of its own numbers than the node that it has reached (R50): it is lost, or an old
	// copy was put in its place, and so are the promises that were in it (R32).
	RecordLost
)

const welcome Refusal = 0

var refusals = [...]string{
	welcome:      "welcome",
	WrongVersion: "wrong version of the handshake: another protocol",
	WrongCluster: "wrong cluster",
	WrongNode:    "wrong node",
	Stranger:     "stranger",
	Itself:       "itself",
	WrongName:    "certificate of another name",
	Superseded:   "superseded",

	WrongIncarnation: "this id belongs to another disk",
	StaleAddress:     "the disk of this node is not the one of the address",
	Busy:             "too many strangers",
	OtherKind:        "members change at one end, and are fixed at the other",
	RecordLost:       "the disk of this node is lost, or an old copy",
}

// String returns r in words.
func (r Refusal) String() string {
	if int(r) < len(refusals) {
		return refusals[r]
	}
	return fmt.Sprintf("refusal %d", uint8(r))
}
