package folder

import (
	"errors"
	"os"
	"path/filepath"
)

// WriteOnce writes a file that is never changed, beside the one that a Folder keeps: durably, and whole or not at all. It makes the folder
// if there is none. If there is such a file the error wraps fs.ErrExist: of two who write at once, one does.
func WriteOnce(dir, name string, data []byte) error {
	if err := makeDir(dir); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, name+TempSuffix+"-")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Link(file.Name(), filepath.Join(dir, name))
	}
	if err = errors.Join(err, os.Remove(file.Name())); err != nil {
		return err
	}
	return SyncNames(dir)
}

// SyncNames makes durable which files a folder has. Who reads one that was written once calls it before he relies on it: who wrote it may
// have crashed before he could.
func SyncNames(dir string) error {
	opened, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}
