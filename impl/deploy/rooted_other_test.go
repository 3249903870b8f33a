//go:build !linux

package deploy

import "syscall"

// rooted knows no other root folder here.
func rooted(string, int) *syscall.SysProcAttr { return nil }
