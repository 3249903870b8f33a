package spec_test

import (
	"go/ast"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

// proctestFolder has the helpers of tests of real processes.
const proctestFolder = "impl/internal/proctest"

// TestSignalsReachOneProcess refuses syscall.Kill in tests. A process id that is 0 or negative, because the process has
// not started or its file is empty, is a group of processes: the test itself among them.
func TestSignalsReachOneProcess(t *testing.T) {
	found := map[string][]string{}
	for _, f := range testFilesIn(t, "impl") {
		if f.folder() != proctestFolder {
			maps.Copy(found, refusedIn(f.name, f.file, bareSignal))
		}
	}
	requireListed(t, nil, found, "call proctest.Kill, or proctest.Signal, which waits until the process is ready")
}

// bareSignal returns the callee of a call that signals a process by its id.
func bareSignal(n ast.Node) string {
	switch callee := calleeOf(n); callee {
	case "syscall.Kill", "unix.Kill":
		return callee
	}
	return ""
}

// TestBareSignalsAreFound: the test finds a signal by process id, and no other.
func TestBareSignalsAreFound(t *testing.T) {
	for call, refused := range map[string]bool{
		`syscall.Kill(pid, syscall.SIGKILL)`: true, `_ = unix.Kill(-pid, 9)`: true, `f := func() { syscall.Kill(0, 9) }; f()`: true,
		`proctest.Kill(pid, 9)`: false, `command.Process.Signal(os.Interrupt)`: false, `c.Kill()`: false,
	} {
		require.Equal(t, refused, refusedIn("p_test.go", parseTest(t, call), bareSignal)["p_test.go Test"] != nil, call)
	}
}
