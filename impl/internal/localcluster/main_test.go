package localcluster

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-fdf591db/bully/impl/internal/proctest"
)

// Environment variables that make the test binary something else than tests.
const (
	// fakeVariable makes it a fake node.
	fakeVariable = "LOCALCLUSTER_FAKE_NODE"
	// holderVariable makes it a program that runs a cluster in this folder until it is killed.
	holderVariable = "LOCALCLUSTER_HOLDER"
	// writerVariable makes it a leader's work: it writes to a resource at this address until it is ended.
	writerVariable = "LOCALCLUSTER_WRITER"
	// leaderVariable makes it a leader's work that is recorded: "recorder resources", both addresses.
	leaderVariable = "LOCALCLUSTER_LEADER"
	// resourceVariable makes it the process of fenced resources: "folder address".
	resourceVariable = "LOCALCLUSTER_RESOURCE"
	// floodVariable makes it a nuisance to the node at this address.
	floodVariable = "LOCALCLUSTER_FLOOD"
)

// binaryVariable is the environment variable that names a command to be tested instead of the one built here.
const binaryVariable = "BULLY_BINARY"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(fakeVariable) != "":
		os.Exit(runFake(os.Args[1:]))
	case os.Getenv(holderVariable) != "":
		os.Exit(runHolder(os.Getenv(holderVariable)))
	case os.Getenv(writerVariable) != "":
		os.Exit(runWriter(os.Getenv(writerVariable)))
	case os.Getenv(resourceVariable) != "":
		os.Exit(runResource(os.Getenv(resourceVariable)))
	case os.Getenv(leaderVariable) != "":
		os.Exit(runLeader(os.Getenv(leaderVariable)))
	case os.Getenv(floodVariable) != "":
		os.Exit(runFlood(os.Getenv(floodVariable)))
	}
	os.Exit(runAll(m))
}

// runAll runs all tests. None may leave a goroutine behind: that is asked once, at the end, since tests run in parallel.
func runAll(m *testing.M) int {
	status := m.Run()
	if err := proctest.Clean(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	http.DefaultClient.CloseIdleConnections()
	if err := goleak.Find(); status == 0 && err != nil {
		fmt.Fprintln(os.Stderr, "goroutines outlive the tests:", err)
		return 1
	}
	return status
}

// program returns the bully command under test, without the race detector.
func program() (string, error) {
	if named := os.Getenv(binaryVariable); named != "" {
		return named, nil
	}
	return proctest.Build("../../cmd/bully")
}
