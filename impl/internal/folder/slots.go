package folder

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A file in slots is five blocks, and is never made longer or shorter:
//
//	block  is
//	    0  the head, which says to every program what this is; it never changes
//	 1, 2  slot 0: two copies of the content that was saved under an even number
//	 3, 4  slot 1: two copies of the content that was saved under an odd number
//
// A copy is eight sectors, each of which says by itself what it is of. Integers are big-endian:
//
//	offset  bytes
//	     0      8  number of the save; slot 0 has sectors of number 0, and of no content, when the file is made
//	     8      2  place: which of the 32 sectors of both slots this is
//	    10      2  length of the whole content in bytes
//	    12    496  content, of the sector's part; zeros after its end
//	   508      4  CRC-32C of all before
const (
	blockSize      = 4096 // of which a disk that fails in the midst of a write spoils one, and not its neighbours
	sectorSize     = 512
	sectors        = blockSize / sectorSize // of a copy
	slotSize       = 2 * blockSize
	slotsSize      = blockSize + 2*slotSize // of the file
	placeAt        = 8
	lengthAt       = 10
	partAt         = 12
	sumAt          = sectorSize - crc32.Size
	partSize       = sumAt - partAt
	slotRoom       = sectors * partSize // of a content
	headKnownBytes = 12                 // by so many a head is known
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrDamaged is wrapped by the error of Load for a file in slots of which nobody can say what was saved last. ErrCut and ErrLong are
// for one that has lost its end, or has something behind it.
var (
	ErrDamaged = errors.New("is damaged")
	ErrCut     = errors.New("is cut short")
	ErrLong    = errors.New("is too long")
)

// Flaw is the error of Load for a file in slots.
type Flaw struct {
	Is      error  // ErrDamaged, ErrCut or ErrLong
	Problem string // what exactly is wrong, in a few words
}

// Error implements error.
func (f *Flaw) Error() string { return fmt.Sprintf("it %v: %s", f.Is, f.Problem) }

// Unwrap implements what package errors asks for.
func (f *Flaw) Unwrap() error { return f.Is }

func flaw(is error, problem string, about ...any) error {
	return &Flaw{is, fmt.Sprintf(problem, about...)}
}

// slotAt returns where a slot begins.
func slotAt(which int) int64 { return int64(blockSize + which*slotSize) }

// fill writes a content into a slot, twice.
func fill(slot []byte, number uint64, content []byte) {
	for at := 0; at < slotSize; at += sectorSize {
		part := at % blockSize / sectorSize * partSize
		sector := slot[at : at+sectorSize]
		clear(sector)
		binary.BigEndian.PutUint64(sector, number)
		binary.BigEndian.PutUint16(sector[placeAt:], uint16(int(number%2)*slotSize+at)/sectorSize)
		binary.BigEndian.PutUint16(sector[lengthAt:], uint16(len(content)))
		copy(sector[partAt:sumAt], content[min(part, len(content)):])
		binary.BigEndian.PutUint32(sector[sumAt:], crc32.Checksum(sector[:sumAt], castagnoli))
	}
}

// layOut returns a new file in slots, whose content is of number 1.
func layOut(head, content []byte) []byte {
	file := make([]byte, slotsSize)
	copy(file[:blockSize], head)
	fill(file[slotAt(0):], 0, nil)
	fill(file[slotAt(1):], 1, content)
	return file
}

// inSlots reports whether a file is one in slots, as it begins like the head of one.
func inSlots(head, file []byte) bool {
	return len(head) >= headKnownBytes && bytes.HasPrefix(file, head[:headKnownBytes])
}

// ReadSlots returns the content of a file in slots that was saved last, and whether the file is one, as its head says.
func ReadSlots(head, file []byte) (content []byte, is bool, err error) {
	if !inSlots(head, file) {
		return nil, false, nil
	}
	content, err = readSlots(file)
	return content, true, err
}

// slot is what is in a slot.
type slot struct {
	copies  [2]part
	numbers map[uint64]int // of its sectors that are good: how many have which
}

// part is what is in one of its copies.
type part struct {
	whole   bool // all its sectors are good, and of one save
	number  uint64
	content []byte
	bad     int // how many sectors are not good
}

// readSlot reads slot 0 or 1 of a file.
func readSlot(file []byte, which int) slot {
	s := slot{numbers: map[uint64]int{}}
	for i := range s.copies {
		at := int(slotAt(which)) + i*blockSize
		s.copies[i] = s.readCopy(file[at:at+blockSize], (2*which+i)*sectors)
	}
	return s
}

// readCopy reads a copy whose first sector is at a place.
func (s *slot) readCopy(data []byte, place int) (p part) {
	p.whole = true
	length := -1
	for i := range sectors {
		sector := data[i*sectorSize:][:sectorSize]
		number := binary.BigEndian.Uint64(sector)
		if !goodSector(sector, place+i) {
			p.whole, p.bad = false, p.bad+1
			continue
		}
		s.numbers[number]++
		if stated := int(binary.BigEndian.Uint16(sector[lengthAt:])); length < 0 {
			p.number, length = number, stated
		} else if p.number != number || length != stated {
			p.whole = false
		}
		p.content = append(p.content, sector[partAt:sumAt]...)
	}
	if p.whole = p.whole && length <= slotRoom; p.whole {
		p.content = p.content[:length]
	}
	return p
}

// goodSector reports whether a sector is as it was written, and where it was.
func goodSector(sector []byte, place int) bool {
	return binary.BigEndian.Uint32(sector[sumAt:]) == crc32.Checksum(sector[:sumAt], castagnoli) &&
		int(binary.BigEndian.Uint16(sector[placeAt:])) == place &&
		binary.BigEndian.Uint64(sector)%2 == uint64(place/(2*sectors))
}

// newest returns the copy of the highest number that is whole, or nil.
func (s *slot) newest() (found *part) {
	for i := range s.copies {
		if p := &s.copies[i]; p.whole && p.number > 0 && (found == nil || p.number > found.number) {
			found = p
		}
	}
	return found
}

// readSlots returns the content that was saved last, or the one whose save was cut short. Which it is nobody needs to know; but an older
// one it never is. The newest content that is whole, of number n, may be older than that of a save n+1 that was completed, and has been
// spoiled since. Save n+1 wrote over all sectors of the other slot, which were of n−1. So one of them that is left says that no save n+1
// was ever completed, and if none is left the file is damaged.
func readSlots(file []byte) (content []byte, err error) {
	switch {
	case len(file) < slotsSize:
		return nil, flaw(ErrCut, "it has two slots, and so %d bytes, and %d are there", slotsSize, len(file))
	case len(file) > slotsSize:
		return nil, flaw(ErrLong, "it has two slots, and so %d bytes, and there are more", slotsSize)
	}
	slots := []slot{readSlot(file, 0), readSlot(file, 1)}
	last, other := slots[0].newest(), &slots[1]
	if p := slots[1].newest(); last == nil || p != nil && p.number > last.number {
		last, other = p, &slots[0]
	}
	if last == nil {
		return nil, flaw(ErrDamaged, "neither of its slots has a copy that is whole")
	}
	n := last.number
	for number := range other.numbers {
		if number != n-1 && number != n+1 {
			return nil, flaw(ErrDamaged, "save %d is there, and beside it something of save %d: the disk has lost what it had written", n, number)
		}
	}
	if other.numbers[n-1] == 0 {
		return nil, flaw(ErrDamaged, "save %d is whole, but nothing is left of the slot of saves %d and %d: the later one may have been acted on", n, n-1, n+1)
	}
	return last.content, nil
}

// Slots says what is in the copies of a file in slots, in a few words for each, and returns their contents: nil for a copy that is not whole. And it
// returns how many sectors are spoiled, which no write that was cut short leaves behind, but for a power cut.
func Slots(file []byte) (says []string, contents [][]byte, spoiled int) {
	if len(file) != slotsSize {
		return nil, nil, 0
	}
	for which := range 2 {
		for i, p := range readSlot(file, which).copies {
			text, content := "", []byte(nil)
			spoiled += p.bad
			switch {
			case p.whole && p.number == 0:
				text = "not used yet"
			case p.whole:
				text, content = fmt.Sprintf("save %d", p.number), p.content
			case p.bad > 0:
				text = fmt.Sprintf("%d of %d sectors are spoiled", p.bad, sectors)
			default:
				text = "written in part"
			}
			says = append(says, fmt.Sprintf("slot %d, copy %d: %s", which, i+1, text))
			contents = append(contents, content)
		}
	}
	return says, contents, spoiled
}

// System is a file system, as far as it matters here.
type System struct {
	Name    string
	InPlace bool // a file of it may be written in place: see the package's comment
}

// String says how a file is written there.
func (s System) String() string {
	if s.InPlace {
		return "in place, in two slots (the file system is " + s.Name + ")"
	}
	return "as a new file each time (the file system is " + s.Name + ")"
}
