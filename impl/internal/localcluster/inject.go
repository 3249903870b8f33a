package localcluster

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// CanInject returns why no fault can be put into the system calls of nodes here, or nil.
func CanInject() error {
	strace, err := exec.LookPath("strace")
	if err != nil {
		return errors.New("that needs strace, which is not installed")
	}
	if err := exec.Command(strace, "-qq", "-e", "trace=none", "true").Run(); err != nil {
		return fmt.Errorf("that needs strace, and it may not trace here: %w", err)
	}
	return nil
}

// InjectFsync has each fsync of a node fail, or take long, from when it returns until end is called: the fault is error=EIO, or
// delay_exit=200000 (in µs), in the words of strace.
func (c *Cluster) InjectFsync(id int, fault string) (end func(), err error) {
	pid, err := c.PID(id)
	if err != nil {
		return nil, err
	}
	tracer := exec.Command("strace", "-f", "-p", strconv.Itoa(pid), "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:"+fault, "-e", "signal=none")
	tracer.SysProcAttr = attributes()
	log, err := tracer.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := tracer.Start(); err != nil {
		return nil, err
	}
	end = func() {
		_ = tracer.Process.Kill()
		_ = tracer.Wait()
	}
	line, err := bufio.NewReader(log).ReadString('\n')
	if err != nil || !strings.Contains(line, "attached") {
		end()
		return nil, fmt.Errorf("strace does not trace node %d: %s: %w", id, line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()
	return end, nil
}
