package folder

import (
	"os"
	"time"
)

// A file that cannot be made because the process has too many open is tried for a second: nothing is written yet, and others
// close theirs.
const (
	spareTries = 100
	sparePause = 10 * time.Millisecond
)

// spare is a descriptor that is kept for the moment in which a process has no other left: what it has been told to keep it can
// keep then, whoever has taken the rest.
type spare struct {
	root *os.Root
	held *os.File // or nil, when it is in use
}

// take makes sure that there is one.
func (s *spare) take() (err error) {
	if s.held == nil {
		s.held, err = s.root.Open(".")
	}
	return err
}

// give closes it, so that something else can be opened in its place.
func (s *spare) give() (err error) {
	if s.held != nil {
		err, s.held = s.held.Close(), nil
	}
	return err
}

// create makes a new file, in the place of the spare one if need be.
func (s *spare) create(name string) (File, error) {
	for tries := 1; ; tries++ {
		file, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		switch {
		case err == nil:
			return &sparing{file, s}, nil
		case !outOfFiles(err) || tries > spareTries:
			return nil, err
		case s.held == nil: // somebody else was faster
			time.Sleep(sparePause)
		}
		_ = s.give() // nothing was written to it
	}
}

// sparing is a file after which the spare descriptor is taken again.
type sparing struct {
	*os.File
	spare *spare
}

// Close implements io.Closer. Without a spare one the next file waits for a descriptor.
func (f *sparing) Close() error {
	err := f.File.Close()
	_ = f.spare.take()
	return err
}

// SyncData implements File.
func (f *sparing) SyncData() error { return syncData(f.File) }

// Keep implements File.
func (f *sparing) Keep() bool { return f.spare.take() == nil }
