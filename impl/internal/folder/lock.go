package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// A lock is tried for a fifth of a second: that of a process that has just been killed is held until its last write
// is through, and whoever looks at a folder with Look takes it for a moment.
const (
	lockTries = 20
	lockPause = 10 * time.Millisecond
)

// acquire takes the locks of a folder, and writes the number of this process into the file that is one. A lock that is left
// behind by a crash is none: the kernel has released it. The folder itself is locked first: files in it can be removed, or
// replaced by a copy, and it cannot.
func acquire(root *os.Root, self *os.File, dir string) (*os.File, error) {
	for range lockTries {
		err := tryLockFolder(self)
		if errors.Is(err, ErrLocked) {
			time.Sleep(lockPause)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot lock %s: %w", dir, err)
		}
		lock, err := root.OpenFile(LockName, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, fmt.Errorf("cannot lock %s: %w", dir, bare(err))
		}
		err = tryLock(lock)
		if err == nil && isCurrent(root, lock) {
			note(lock)
			return lock, nil
		}
		_ = lock.Close() // nothing was written to it
		if err != nil && !errors.Is(err, ErrLocked) {
			return nil, fmt.Errorf("cannot lock %s: %w", dir, err)
		}
		time.Sleep(lockPause)
	}
	return nil, fmt.Errorf("%s %w%s: two at once would break what either has promised", dir, ErrLocked, by(root))
}

// isCurrent reports whether lock is the file that is now found under the name of the lock. It is not if somebody has
// removed that in between.
func isCurrent(root *os.Root, lock *os.File) bool { return isNamed(root, LockName, lock) }

// isNamed reports whether a file that is open is the one that is found under a name.
func isNamed(root *os.Root, name string, file *os.File) bool {
	mine, err := file.Stat()
	if err != nil {
		return false
	}
	found, err := root.Lstat(name)
	return err == nil && os.SameFile(mine, found)
}

// note writes the number of this process into the lock. That is for messages only: it is no error if it fails.
func note(lock *os.File) {
	if lock.Truncate(0) == nil {
		_, _ = lock.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
}

// holder returns what the lock says about who has it, or has had it last: the number of a process, or 0.
func holder(root *os.Root) int {
	data, err := readIn(root, LockName, 32)
	if err != nil {
		return 0
	}
	number, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return 0
	}
	return number
}

func by(root *os.Root) string {
	if number := holder(root); number != 0 {
		return " by process " + strconv.Itoa(number)
	}
	return ""
}

// View is what Look has found in a folder.
type View struct {
	Data   []byte   // of the file, at most the limit given
	Found  bool     // whether there is something by the name of the file
	Err    error    // why it could not be read; wraps ErrIrregular if it is no regular file, and ErrPartly if Data is all but some blocks
	Marked bool     // whether there has been a file at any time
	Locked bool     // whether the folder is open in some process
	Holder int      // that process, as it said itself; 0 if not known
	Others []string // the names of all else in the folder, ascending, but for the lock and the marker
	System System   // what the file system is
}

// Look looks at a folder that keeps the file name, and changes nothing. It may be open in another process. An error
// means that the folder itself cannot be read.
func Look(dir, name string, limit int) (view View, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return View{}, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return View{}, fmt.Errorf("cannot read the folder %s: %w", dir, bare(err))
	}
	view.Locked, view.System = isLocked(root), systemIn(root)
	if view.Locked {
		view.Holder = holder(root)
	}
	for _, entry := range entries {
		switch entry.Name() {
		case name:
			view.Found = true
		case name + MarkerSuffix:
			view.Marked = true
		case LockName:
			// It is not what somebody keeps there.
		default:
			view.Others = append(view.Others, entry.Name())
		}
	}
	if view.Found {
		view.Data, err = readIn(root, name, limit)
		view.Err = bare(err)
	}
	return view, nil
}

// systemIn returns the file system of a folder.
func systemIn(root *os.Root) System {
	self, err := root.Open(".")
	if err != nil {
		return System{Name: "not known: " + bare(err).Error()}
	}
	defer func() { _ = self.Close() }() // nothing was written
	return systemOf(self)
}

// LookAt returns the content of one of View.Others, at most limit bytes of it.
func LookAt(dir, name string, limit int) (data []byte, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return readIn(root, name, limit)
}

// isLocked takes each of the locks for a moment, and so finds out whether somebody else has it.
func isLocked(root *os.Root) bool {
	for _, name := range []string{".", LockName} {
		lock, err := root.Open(name)
		if err != nil {
			continue
		}
		err = tryLock(lock)
		_ = lock.Close() // releases it; nothing was written
		if errors.Is(err, ErrLocked) {
			return true
		}
	}
	return false
}
