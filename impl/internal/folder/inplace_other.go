//go:build !linux

package folder

import (
	"os"
	"runtime"
)

// systemOf returns what is known here of the file system of a folder: nothing.
func systemOf(*os.File) System { return System{Name: "that of " + runtime.GOOS} }

func syncData(file *os.File) error { return file.Sync() }

func isUnreadable(error) bool { return false }
