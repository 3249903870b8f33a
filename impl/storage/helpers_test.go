package storage

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/impl/internal/folder/simdisk"
	"github.com/seed-fdf591db/bully/spec"
)

// n returns the id that is written as the integer i.
func n(i uint64) spec.NodeID { return spec.IntegerID(i) }

func nodes(ids ...uint64) (members []spec.NodeID) {
	for _, id := range ids {
		members = append(members, n(id))
	}
	return members
}

var (
	five = nodes(1, 2, 3, 4, 5)
	me   = owner{n(3), five}
)

func promise(epoch spec.Epoch, grantee uint64) spec.Durable {
	return spec.Durable{Epoch: epoch, Grantee: n(grantee)}
}

// reserving returns a promise with so many blocks of numbers reserved.
func reserving(p spec.Durable, blocks spec.Question) spec.Durable {
	p.Reserved = blocks * spec.Block
	return p
}

// sealed returns data with a new checksum at its end.
func sealed(data []byte) []byte {
	end := len(data) - checksumSize
	binary.BigEndian.PutUint32(data[end:], crc32.Checksum(data[:end], castagnoli))
	return data
}

// put makes a folder with a record of these bytes, as a node that has run leaves it.
func put(t *testing.T, data []byte) (dir string) {
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, recordName), data, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, recordName+folder.MarkerSuffix), nil, 0o600))
	return dir
}

// openDisk opens node 3 of five on a simulated disk.
func openDisk(disk *simdisk.Disk) (*File, error) { return openOn(keptOn(disk), me) }

func keptOn(disk *simdisk.Disk) *folder.Folder {
	return folder.On(disk, "/data", recordName).InSlots(slotsHead)
}

// eachWay runs a test on a disk on which a record is a new file each time, and on one on which it is written in place.
func eachWay(t *testing.T, run func(t *testing.T, newDisk func() *simdisk.Disk)) {
	for name, inPlace := range map[string]bool{"new file": false, "in place": true} {
		t.Run(name, func(t *testing.T) {
			run(t, func() *simdisk.Disk {
				disk := simdisk.New()
				disk.InPlace = inPlace
				return disk
			})
		})
	}
}

// oldWay has all records of a test be new files each time.
func oldWay(t testing.TB) {
	head := slotsHead
	slotsHead = nil
	t.Cleanup(func() { slotsHead = head })
}

// at returns a Fault that gives one call its outcome.
func at(call int, outcome simdisk.Outcome) func(int, simdisk.Op) simdisk.Outcome {
	return func(n int, _ simdisk.Op) simdisk.Outcome {
		if n == call {
			return outcome
		}
		return simdisk.Works
	}
}

// The clock of Raise stands at 1970, so that it reserves no numbers but in tests of that.
func init() { clock = func() time.Time { return time.Unix(0, 0) } }
