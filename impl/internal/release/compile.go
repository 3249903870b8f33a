package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// compile builds the command for a platform. Nothing of the folder, the machine or the hour is in it: the version and the commit are said by
// the linker, as Go leaves them out where the source is not a clone.
func (b build) compile(ctx context.Context, on platform, path string) error {
	env := []string{"CGO_ENABLED=0", "GOOS=" + on.OS, "GOARCH=" + on.Arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off"}
	_, err := output(ctx, b.Root, env, "go", "build", "-trimpath", "-buildvcs=false", "-o", path,
		"-ldflags", "-s -w -buildid= -X "+stamped+".release="+b.Version+" -X "+stamped+".commit="+b.Commit, command)
	return err
}

// output runs a command in a folder, and returns what it prints.
func output(ctx context.Context, folder string, env []string, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = folder, append(os.Environ(), env...)
	var log bytes.Buffer
	c.Stderr = &log
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(c.Args, " "), err, bytes.TrimSpace(log.Bytes()))
	}
	return strings.TrimRight(string(out), "\n"), nil
}
