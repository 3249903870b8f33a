//go:build !unix

package port

import "os/exec"

// group does nothing where there are no groups of processes: what a port starts in its turn outlives it if it does not
// notice the end of its input.
func group(*exec.Cmd) {}
