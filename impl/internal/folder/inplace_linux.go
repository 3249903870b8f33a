package folder

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// systems are the file systems that are known by name. Those that may be written in place write what is there over itself, on a disk of
// this machine, and wait for that disk: see spec/decisions/0042-a-save-is-written-in-place.md. The numbers are those of linux/magic.h.
var systems = map[int64]System{
	0xEF53:     {"ext2, ext3 or ext4", true},
	0x58465342: {"xfs", true},
	0x01021994: {"tmpfs", true}, // which keeps nothing when the machine stops, however it is written
	0x9123683E: {"btrfs", false},
	0xCA451A4E: {"bcachefs", false},
	0x2FC12FC1: {"zfs", false},
	0xF2F52010: {"f2fs", false},
	0x794C7630: {"overlayfs", false},
	0x61756673: {"aufs", false},
	0x65735546: {"fuse", false},
	0x6969:     {"nfs", false},
	0xFF534D42: {"cifs", false},
	0xFE534D42: {"smb2", false},
	0x01021997: {"9p", false},
	0x00C36400: {"ceph", false},
}

// systemOf returns the file system of a folder that is open.
func systemOf(self *os.File) System {
	var stat syscall.Statfs_t
	if err := syscall.Fstatfs(int(self.Fd()), &stat); err != nil {
		return System{Name: "not known: " + err.Error()}
	}
	kind := int64(uint32(stat.Type)) // its type differs between machines, and so does its sign
	if system, known := systems[kind]; known {
		return system
	}
	return System{Name: fmt.Sprintf("of type %#x, which is not known", kind)}
}

// syncData makes durable what has been written to a file whose length stays.
func syncData(file *os.File) error {
	for {
		if err := syscall.Fdatasync(int(file.Fd())); !errors.Is(err, syscall.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}

// isUnreadable reports whether the disk could not read what is there, as after a write that a power cut has ended.
func isUnreadable(err error) bool { return errors.Is(err, syscall.EIO) }
