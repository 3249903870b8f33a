package resource

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/seed-fdf591db/bully/spec"
)

// The record of a File, with integers in big-endian:
//
//	offset  bytes
//	     0      8  magic: "BULLYFEN"
//	     8      2  version of this layout: 1
//	    10      8  epoch
//	    18      4  n, the length of the value in bytes: 0 to MaxValue
//	    22      n  value
//	  22+n      4  CRC-32C of all before
const (
	magic        = "BULLYFEN"
	version      = 1
	versionAt    = len(magic)
	epochAt      = versionAt + 2
	lengthAt     = epochAt + 8
	valueAt      = lengthAt + 4
	checksumSize = crc32.Size
	maxRecord    = valueAt + MaxValue + checksumSize
)

// MaxValue is the greatest length of the value of a File in bytes, 16 MiB. All of it is written by each write.
const MaxValue = 16 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func encode(e spec.Epoch, value []byte) []byte {
	b := make([]byte, 0, valueAt+len(value)+checksumSize)
	b = append(b, magic...)
	b = binary.BigEndian.AppendUint16(b, version)
	b = binary.BigEndian.AppendUint64(b, uint64(e))
	b = binary.BigEndian.AppendUint32(b, uint32(len(value)))
	b = append(b, value...)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// decode reads a record. The value shares memory with data.
func decode(data []byte) (e spec.Epoch, value []byte, err error) {
	end := len(data) - checksumSize
	switch {
	case len(data) == 0:
		return 0, nil, errors.New("it is empty")
	case !bytes.HasPrefix(data, []byte(magic)):
		return 0, nil, fmt.Errorf("it does not begin with %q", magic)
	case end < valueAt:
		return 0, nil, fmt.Errorf("it has been cut short to %d bytes", len(data))
	}
	stated := uint64(binary.BigEndian.Uint32(data[lengthAt:]))
	sum, want := binary.BigEndian.Uint32(data[end:]), crc32.Checksum(data[:end], castagnoli)
	v := binary.BigEndian.Uint16(data[versionAt:])
	switch {
	case sum != want && uint64(end-valueAt) != stated:
		return 0, nil, fmt.Errorf("it states a value of %d bytes, and has room for %d", stated, end-valueAt)
	case sum != want:
		return 0, nil, fmt.Errorf("its checksum is %08x, and should be %08x by what it says", sum, want)
	case v != version:
		return 0, nil, fmt.Errorf("its version is %d, and this program knows %d only", v, version)
	case uint64(end-valueAt) != stated || stated > MaxValue:
		return 0, nil, fmt.Errorf("it states a value of %d bytes, and has one of %d", stated, end-valueAt)
	}
	if e = spec.Epoch(binary.BigEndian.Uint64(data[epochAt:])); Validate(e) != nil {
		return 0, nil, fmt.Errorf("its epoch %d is not from 1 to 2^53-1", e)
	}
	return e, data[valueAt:end], nil
}
