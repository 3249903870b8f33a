package storage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/spec"
)

// The layout of a record: see the package's comment.
const (
	magic         = "BULLYREC"
	version       = 3 // older ones had no numbers
	versionAt     = len(magic)
	lengthAt      = versionAt + 2
	epochAt       = lengthAt + 2
	granteeAt     = epochAt + 8
	reservedAt    = granteeAt + idSize
	idAt          = reservedAt + 8
	incarnationAt = idAt + idSize // 0 where members are fixed
	restAt        = incarnationAt + 8
	countAt       = restAt
	membersAt     = countAt + 2
	idSize        = len(spec.NodeID{})
	checksumSize  = crc32.Size
	maxFixed      = membersAt + MaxMembers*idSize + checksumSize
	maxRecord     = max(maxFixed, maxChanging)
)

// MaxMembers is the greatest number of fixed members that a record has room for.
const MaxMembers = 64

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// owner is whose record it is.
type owner struct {
	id      spec.NodeID
	members []spec.NodeID // ascending
}

// newOwner returns the owner whose members are given in any order.
func newOwner(id spec.NodeID, members []spec.NodeID) (owner, error) {
	o := owner{id, slices.Clone(members)}
	slices.SortFunc(o.members, spec.NodeID.Compare)
	if err := o.validate(); err != nil {
		return owner{}, fmt.Errorf("storage: %w", err)
	}
	return o, nil
}

func (o owner) validate() error {
	if len(o.members) == 0 || len(o.members) > MaxMembers {
		return fmt.Errorf("there are %d members, and not 1 to %d", len(o.members), MaxMembers)
	}
	for i, member := range o.members {
		if !member.Valid() {
			return fmt.Errorf("the member %v is no id (R1)", member)
		}
		if i > 0 && o.members[i-1].Compare(member) >= 0 {
			return fmt.Errorf("the member %v is given twice, or out of order", member)
		}
	}
	if !o.has(o.id) {
		return fmt.Errorf("the node %v is not among the members %v (R40)", o.id, o.members)
	}
	return nil
}

func (o owner) has(id spec.NodeID) bool { return slices.Contains(o.members, id) }

// check returns an error for what a node of this membership cannot promise.
func (o owner) check(p spec.Durable) error {
	if !p.Configuration.IsNone() {
		return errors.New("it has a configuration, and the members of this node are fixed (R40)")
	}
	if !p.Epoch.Valid() {
		return fmt.Errorf("the epoch %d is above 2^53-1 (R2)", p.Epoch)
	}
	if p.Reserved > spec.MaxReserved {
		return fmt.Errorf("the numbers reserved go to %d, which is above 2^52 (R50)", p.Reserved)
	}
	if !p.Grantee.IsNone() && !o.has(p.Grantee) {
		return fmt.Errorf("the grantee %v is not among the members %v", p.Grantee, o.members)
	}
	return nil
}

// follows returns an error if a node that has promised old cannot come to promise p: an epoch never goes back (R2),
// and is promised to one node only (R17); nor do numbers go back (R50).
func follows(old, p spec.Durable) error {
	switch {
	case p.Epoch < old.Epoch:
		return fmt.Errorf("the epoch would go back from %d (R2)", old.Epoch)
	case p.Epoch == old.Epoch && !old.Grantee.IsNone() && p.Grantee != old.Grantee:
		return fmt.Errorf("the epoch is promised to %v (R17)", old.Grantee)
	case p.Reserved < old.Reserved:
		return fmt.Errorf("the numbers reserved would go back from %d (R50)", old.Reserved)
	}
	return nil
}

// say says a promise in an error.
func say(p spec.Durable) string {
	text := fmt.Sprintf("epoch %d, grantee %v", p.Epoch, p.Grantee)
	if p.Reserved != 0 {
		text += fmt.Sprintf(", numbers to %d", p.Reserved)
	}
	if p.Configuration.IsNone() {
		return text
	}
	return fmt.Sprintf("%s, configuration %v", text, p.Configuration)
}

// encode returns the record of an owner's promise, both of which must be valid.
func encode(o owner, p spec.Durable) []byte {
	b := appendHead(membersAt+len(o.members)*idSize+checksumSize, p, Identity{ID: o.id})
	b = binary.BigEndian.AppendUint16(b, uint16(len(o.members)))
	for _, member := range o.members {
		b = append(b, member[:]...)
	}
	return seal(b)
}

// appendHead returns what all records have in common, with room for the rest of one of this size.
func appendHead(size int, p spec.Durable, who Identity) []byte {
	b := append(make([]byte, 0, size), magic...)
	b = binary.BigEndian.AppendUint16(b, version)
	b = binary.BigEndian.AppendUint16(b, uint16(size))
	b = binary.BigEndian.AppendUint64(b, uint64(p.Epoch))
	b = append(b, p.Grantee[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(p.Reserved))
	return binary.BigEndian.AppendUint64(append(b, who.ID[:]...), who.Incarnation)
}

// readHead reads what all records have in common.
func readHead(data []byte) (p spec.Durable, id spec.NodeID, incarnation uint64) {
	p = spec.Durable{
		Epoch:    spec.Epoch(binary.BigEndian.Uint64(data[epochAt:])),
		Grantee:  spec.NodeID(data[granteeAt:reservedAt]),
		Reserved: spec.Question(binary.BigEndian.Uint64(data[reservedAt:])),
	}
	return p, spec.NodeID(data[idAt:incarnationAt]), binary.BigEndian.Uint64(data[incarnationAt:])
}

// seal appends the checksum of a record.
func seal(b []byte) []byte {
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// content is what a record says. One of changing members has an identity, and no owner; one of fixed members has not.
type content struct {
	owner
	identity Identity
	promise  spec.Durable
	started  bool // the node has started at least once
}

// isChanging reports whether the record is one of changing members.
func (c *content) isChanging() bool { return c.identity != Identity{} }

// whose says whose record it is.
func (c *content) whose() string {
	if c.isChanging() {
		return c.identity.String()
	}
	return fmt.Sprintf("node %v of %v", c.id, c.members)
}

// checkSize says what is wrong with the length of a record whose layout has at least so many bytes.
func checkSize(data []byte, least int, without string) error {
	if stated := int(binary.BigEndian.Uint16(data[lengthAt:])); stated != len(data) {
		return fmt.Errorf("it states a length of %d bytes, and has %d", stated, len(data))
	}
	if len(data) < least {
		return fmt.Errorf("it has %d bytes, fewer than the %d of a record without %s", len(data), least, without)
	}
	return nil
}

// parse reads a record of this version whose checksum is right.
func parse(data []byte) (c content, err error) {
	if len(data) >= membersAt+checksumSize && binary.BigEndian.Uint64(data[incarnationAt:]) != 0 {
		return parseChanging(data)
	}
	if err := checkSize(data, membersAt+checksumSize, "members"); err != nil {
		return c, err
	}
	count := int(binary.BigEndian.Uint16(data[countAt:]))
	if len(data) != membersAt+count*idSize+checksumSize {
		return c, fmt.Errorf("it has %d bytes, which is not the size for %d members", len(data), count)
	}
	c.promise, c.id, _ = readHead(data)
	for i := range count {
		c.members = append(c.members, spec.NodeID(data[membersAt+i*idSize:][:idSize]))
	}
	c.started = true
	return c, errors.Join(c.validate(), c.owner.check(c.promise))
}

// Where a record is written in place, its file is one in slots (package folder), and a slot holds a record as the package's comment has it. The
// file begins with a head that never changes. To programs that know nothing of slots it is a record of version 4, whole, whether they read as much
// as a record of version 3 may have and a byte, or the first 4 KiB: they refuse it as one of a later version.
const (
	slotsVersion = version + 1
	readToLoad   = 1113    // by programs of version 3
	readToLook   = 4 << 10 // by their bully repair
	headWordsAt  = epochAt
)

const headWords = "\n\nThe promise of a node of bully is in this file, in two slots from byte 4096 on. bully repair -data shows it.\n" +
	"Never put an older copy of this file in its place.\n"

// slotsHead is nil for the tests in which no file is in slots.
var slotsHead = makeHead()

func makeHead() []byte {
	head := make([]byte, readToLook)
	copy(head, magic)
	binary.BigEndian.PutUint16(head[versionAt:], slotsVersion)
	binary.BigEndian.PutUint16(head[lengthAt:], readToLoad)
	copy(head[headWordsAt:], headWords)
	for _, size := range []int{readToLoad, readToLook} {
		end := size - checksumSize
		binary.BigEndian.PutUint32(head[end:], crc32.Checksum(head[:end], castagnoli))
	}
	return head
}

// openFolder opens the folder of a record.
func openFolder(dir string) (*folder.Folder, error) {
	kept, err := folder.Open(dir, recordName)
	if err != nil {
		return nil, err
	}
	return kept.InSlots(slotsHead), nil
}

// decodeFile reads a record, whether it is in slots or not.
func decodeFile(file []byte) (c content, inSlots bool, f *flaw) {
	data, inSlots, err := folder.ReadSlots(slotsHead, file)
	if err != nil {
		return content{}, inSlots, &flaw{kindOf(err), problemOf(err)}
	}
	if !inSlots {
		data = file
	}
	c, f = decode(data)
	return c, inSlots, f
}

// kindOf returns in which way a record in slots is no good, or unreadableKind if it is not that.
func kindOf(err error) Kind {
	switch {
	case errors.Is(err, folder.ErrDamaged):
		return damagedKind
	case errors.Is(err, folder.ErrCut):
		return truncatedKind
	case errors.Is(err, folder.ErrLong):
		return overlongKind
	}
	return unreadableKind
}

func problemOf(err error) string {
	if bad, ok := errors.AsType[*folder.Flaw](err); ok {
		return bad.Problem
	}
	return err.Error()
}

// slotLines says what is in each slot of a file, in lines for a person to read, and how many sectors are spoiled.
func slotLines(file []byte) (lines []string, spoiled int) {
	says, contents, spoiled := folder.Slots(file)
	for i, line := range says {
		if contents[i] != nil {
			c, f := decode(contents[i])
			if f != nil {
				line += ", " + string(f.kind) + ": " + f.problem
			} else {
				line += ", " + say(c.promise)
			}
		}
		lines = append(lines, line)
	}
	return lines, spoiled
}
