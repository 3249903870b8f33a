//go:build unix

package port_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/port"
)

// TestChildren runs a port that ends while what it has started holds its standard output: it has died, and does not hang, and nothing of it outlives it.
func TestChildren(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("needs /bin/sh: ", err)
	}
	alive := filepath.Join(t.TempDir(), "alive")
	require.NoError(t, syscall.Mkfifo(alive, 0o600))
	held := make(chan error, 1)
	go func() { // it ends when nobody has the other end any more
		_, err := os.ReadFile(alive)
		held <- err
	}()
	script := "exec 3>" + alive + `; read q; echo '{"id":1,"protocol":1,"port":{"name":"parent","version":"1","language":"sh"}}'; read q; sleep 100000 & exit 3`
	p, err := port.Start(t.Context(), port.Config{Command: []string{"/bin/sh", "-c", script}, Answer: time.Hour, Start: time.Hour})
	require.NoError(t, err)
	_, err = p.Ask(&port.Request{Op: port.Reset})
	var failure *port.Failure
	require.ErrorAs(t, err, &failure)
	require.Equal(t, port.Died, failure.Kind)
	require.Contains(t, failure.Problem, "exit status 3")
	require.NoError(t, <-held)
	p.Close()
}
