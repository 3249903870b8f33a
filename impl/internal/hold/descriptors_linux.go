package hold

import (
	"os"
	"syscall"
)

// lowDescriptors is how many descriptors below that of the listener are free for connections, where many may be open.
const lowDescriptors = 256

// takeDescriptors opens the lowest that are free, and returns what closes them, so that what is opened meanwhile has a higher number than what
// is opened after. Linux closes what a process that is killed has open from the highest down, and whoever sees its connection break
// dials at once: the address must refuse by then. Else it accepts, and those who see that are awake, and keep the dead from going on.
func takeDescriptors() (release func()) {
	var taken []int
	release = func() {
		for _, fd := range taken {
			_ = syscall.Close(fd)
		}
		taken = nil
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return release
	}
	for range min(lowDescriptors, limit.Cur/8) {
		fd, err := syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			release() // others need them more
			break
		}
		taken = append(taken, fd)
	}
	return release
}
