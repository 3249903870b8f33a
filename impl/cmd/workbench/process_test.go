package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
	"github.com/seed-fdf591db/bully/impl/internal/proctest"
	"github.com/seed-fdf591db/bully/tla"
)

// inPath puts the folder of the programs into the path of this process, once.
var inPath sync.Once

// buildNode builds the program that is measured, which is in the path from then on, and returns where it is.
func buildNode(t *testing.T) string {
	t.Helper()
	node, err := proctest.Build("../bully")
	require.NoError(t, err)
	inPath.Do(func() { err = os.Setenv("PATH", filepath.Dir(node)+string(os.PathListSeparator)+os.Getenv("PATH")) })
	require.NoError(t, err)
	return node
}

// buildBoth builds both programs into one folder, which is in the path, and returns where this one is.
func buildBoth(t *testing.T) string {
	t.Helper()
	buildNode(t)
	workbench, err := proctest.Build(".")
	require.NoError(t, err)
	return workbench
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
	proctest.Until(t, func() string { return what }, holds)
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
