package storage

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
)

// Kind says in which way a record is no good.
type Kind string

// The kinds. Of the first three there is no record to be read; of the next nine what it was is not known, or not all of
// it; the last five are good records that are not what is wanted.
const (
	Missing          Kind = "missing"               // there is none, and never was: changing members begin with Init
	unreadableKind   Kind = "unreadable"            // the file system does not let it be read, or it is no file
	Lost             Kind = "lost"                  // there has been one, and there is none
	emptyKind        Kind = "empty"                 // no byte is there
	foreignKind      Kind = "foreign"               // it is something else, and not a record
	truncatedKind    Kind = "truncated"             // its end is missing
	overlongKind     Kind = "overlong"              // there is more after its end
	tornKind         Kind = "torn"                  // its end is zeros: it was never written whole
	damagedKind      Kind = "damaged"               // some bits are not as they were written
	impossibleKind   Kind = "impossible"            // it is as it was written, but says what no node can have promised
	pastKind         Kind = "of a past version"     // it is as it was written, in a layout of before protocol 2, or of no version
	futureKind       Kind = "of a future version"   // it is as it was written, in a layout that this program does not know
	wrongNodeKind    Kind = "of another node"       // its id is not that of this node
	WrongMembers     Kind = "of another membership" // its members are not those of this node
	wrongClusterKind Kind = "of another cluster"    // the name of its cluster is not that of this node's
	changingKind     Kind = "of changing members"   // it was opened with Open, which is for fixed members
	fixedKind        Kind = "of fixed members"      // it was opened with OpenChanging
)

// flaw is what is wrong with the bytes of a record.
type flaw struct {
	kind    Kind
	problem string
}

// decode reads a record. If there is a flaw, the content is not to be used.
func decode(data []byte) (content, *flaw) {
	if !intact(data) {
		return content{}, damage(data)
	}
	if !bytes.HasPrefix(data, []byte(magic)) || len(data) < epochAt+checksumSize {
		return content{}, &flaw{foreignKind, fmt.Sprintf("it does not begin with %q", magic)}
	}
	var c content
	var err error
	switch v := binary.BigEndian.Uint16(data[versionAt:]); {
	case v == version:
		c, err = parse(data)
	case v > version:
		return content{}, &flaw{futureKind, fmt.Sprintf("its version is %d, and this program knows %d only", v, version)}
	default:
		return content{}, &flaw{pastKind, fmt.Sprintf("its version is %d, and this program knows %d only", v, version)}
	}
	if err != nil {
		return content{}, &flaw{impossibleKind, strings.ReplaceAll(err.Error(), "\n", ", and ")}
	}
	return c, nil
}

// intact reports whether data ends with the checksum of what is before.
func intact(data []byte) bool {
	end := len(data) - checksumSize
	return end >= 0 && binary.BigEndian.Uint32(data[end:]) == crc32.Checksum(data[:end], castagnoli)
}

// damage finds out what has become of a record whose checksum is wrong.
func damage(data []byte) *flaw {
	zeros := len(data) - len(bytes.TrimRight(data, "\x00"))
	switch {
	case len(data) == 0:
		return &flaw{emptyKind, "it has no bytes"}
	case zeros == len(data):
		return &flaw{tornKind, fmt.Sprintf("all its %d bytes are zero", len(data))}
	}
	if at, bit, c := oneBit(data); at >= 0 {
		return &flaw{damagedKind, fmt.Sprintf("bit %d of the byte at %d is flipped; before it said: %s, %s",
			bit, at, c.whose(), say(c.promise))}
	}
	if !bytes.HasPrefix(data, []byte(magic)) && !bytes.HasPrefix([]byte(magic), data) {
		return &flaw{foreignKind, fmt.Sprintf("it does not begin with %q", magic)}
	}
	if len(data) < epochAt {
		return &flaw{truncatedKind, fmt.Sprintf("it has %d bytes only", len(data))}
	}
	stated := int(binary.BigEndian.Uint16(data[lengthAt:]))
	switch {
	case len(data) < stated:
		return &flaw{truncatedKind, fmt.Sprintf("it states a length of %d bytes, and has %d", stated, len(data))}
	case len(data) > stated && intact(data[:stated]):
		return &flaw{overlongKind, fmt.Sprintf("it states a length of %d bytes, and they are good, but there are more", stated)}
	case zeros >= checksumSize:
		return &flaw{tornKind, fmt.Sprintf("its last %d bytes are zero", zeros)}
	case len(data) > stated:
		return &flaw{overlongKind, fmt.Sprintf("it states a length of %d bytes, and there are more", stated)}
	}
	end := len(data) - checksumSize
	return &flaw{damagedKind, fmt.Sprintf("its checksum is %08x, and should be %08x by what it says",
		data[end:], crc32.Checksum(data[:end], castagnoli))}
}

// oneBit looks for the one bit whose flipping back makes a good record of data; at is its byte, or −1. A CRC-32C
// tells any two records apart that differ in less than four bits, so what is found is what it was, unless more has
// happened to it.
func oneBit(data []byte) (at, bit int, c content) {
	if len(data) > maxRecord {
		return -1, 0, content{}
	}
	data = bytes.Clone(data)
	for at := range data {
		for bit := range 8 {
			data[at] ^= 1 << bit
			if intact(data) {
				if c, f := decode(data); f == nil {
					return at, bit, c
				}
			}
			data[at] ^= 1 << bit
		}
	}
	return -1, 0, content{}
}
