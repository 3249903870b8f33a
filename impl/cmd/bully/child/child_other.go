//go:build !unix

package child

import (
	"os"
	"os/exec"
)

func isolate(*exec.Cmd) {}

func status(s *os.ProcessState) int { return s.ExitCode() }

func terminate(p *os.Process) { _ = p.Kill() }

func kill(p *os.Process) { _ = p.Kill() }
