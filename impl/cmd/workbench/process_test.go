package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/localcluster"

	"github.com/seed-fdf591db/bully/tla"
)

// buildNode builds the program that is measured, and returns its path.
func buildNode(t *testing.T) string {
	t.Helper()
	node := filepath.Join(t.TempDir(), "bully")
	out, err := exec.Command("go", "build", "-o", node, "../bully").CombinedOutput()
	require.NoError(t, err, string(out))
	return node
}

// output keeps what a program prints.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// String returns what has been printed.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// running is the program while it runs.
type running struct {
	out, log *output
	stop     func() // as SIGINT does
	ended    chan int
}

// start starts the program. It is stopped when the test ends.
func start(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{&output{}, &output{}, cancel, make(chan int, 1)}
	t.Cleanup(cancel)
	go func() { r.ended <- newProgram(tla.FS()).To(r.out, r.log).Main(ctx, args) }()
	return r
}

// freeAddress returns an address of loopback that nobody listens on, and that nobody else is given while the test runs.
func freeAddress(t *testing.T) string {
	t.Helper()
	address, release, err := localcluster.Reserve()
	require.NoError(t, err)
	t.Cleanup(release)
	return address
}

// until waits until a condition holds: as long as that takes, within reason.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, 30*time.Second, 5*time.Millisecond, what)
}

// answers reports whether a server at an address answers.
func answers(address string) bool {
	response, err := http.Get("http://" + address + "/views")
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
}
