package storage

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
)

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
