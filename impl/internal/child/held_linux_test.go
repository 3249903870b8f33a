package child

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/hold"
)

// TestAddressIsHeld: an address that was lent refuses nobody until a process has ended, and all that it has started, though the one that has lent it is no more. The process
// inherits it; what it closes, its guardian has.
func TestAddressIsHeld(t *testing.T) {
	needs(t, "python3")
	for name, closes := range map[string]string{"closed": "os.closerange(3, 4096)", "inherited": "pass"} {
		t.Run(name, func(t *testing.T) {
			l, err := hold.Listen("127.0.0.1:0")
			require.NoError(t, err)
			file := filepath.Join(t.TempDir(), "pid")
			c, err := Start(exec.Command("python3", "-c", "import os, sys, time\n"+closes+"\nopen(sys.argv[1], 'w').write('%d\\n' % os.getpid())\ntime.sleep(1000)", file), l)
			require.NoError(t, err)
			pid := pidIn(t, file)
			var sockets []string
			open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
			require.NoError(t, err)
			for _, fd := range open {
				if to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name())); strings.HasPrefix(to, "socket:") {
					sockets = append(sockets, fd.Name())
				}
			}
			require.Equal(t, map[string][]string{"inherited": {fmt.Sprint(inheritedFrom)}}[name], sockets)
			require.NoError(t, l.TCPListener.Close()) // as the kernel does when a process ends
			waits, err := net.Dial("tcp", l.Addr().String())
			require.NoError(t, err)
			require.NoError(t, waits.Close())
			c.Kill()
			<-c.Done()
			_, err = net.Dial("tcp", l.Addr().String())
			require.ErrorIs(t, err, syscall.ECONNREFUSED)
		})
	}
}

// TestNothingIsStartedUnheld: a process whose address cannot be lent is not started.
func TestNothingIsStartedUnheld(t *testing.T) {
	l, err := hold.Listen("127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	_, err = Start(exec.Command("true"), l)
	require.ErrorContains(t, err, "starting "+exec.Command("true").Path+": its address is not held")
}
