//go:build !linux

package localcluster

import "syscall"

// dieWithUs would let a node die with this process, however it dies. Only Linux can.
func dieWithUs(*syscall.SysProcAttr) {}
