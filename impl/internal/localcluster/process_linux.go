package localcluster

import "syscall"

// dieWithUs lets a node die with this process. The kernel goes by the thread that started the node; Go ends no thread
// that no goroutine is locked to, so that is as good.
func dieWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
