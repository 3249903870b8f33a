package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// inImage runs the program of an image, in a folder where it has been unpacked, as the user that the image says. Who is not root cannot change what
// the root is, and runs it where it lies.
func inImage(t *testing.T, folder string, c imageConfig, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), c.Config.Entrypoint[0], args...)
	command.Dir, command.Env = c.Config.WorkingDir, []string{}
	if os.Getuid() == 0 {
		var user, group uint32
		_, err := fmt.Sscanf(c.Config.User, "%d:%d", &user, &group)
		require.NoError(t, err)
		command.SysProcAttr = &syscall.SysProcAttr{Chroot: folder, Credential: &syscall.Credential{Uid: user, Gid: group}}
	} else {
		command.Path, command.Dir = filepath.Join(folder, command.Path), filepath.Join(folder, command.Dir)
		for i, arg := range args {
			if filepath.IsAbs(arg) {
				command.Args[i+1] = filepath.Join(folder, arg)
			}
		}
	}
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}
