package localcluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
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

// binary is the bully command, built for these tests, without the race detector.
var binary string

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(fakeVariable) != "":
		os.Exit(runFake(os.Args[1:]))
	case os.Getenv(holderVariable) != "":
		os.Exit(runHolder(os.Getenv(holderVariable)))
	case os.Getenv(writerVariable) != "":
		os.Exit(runWriter(os.Getenv(writerVariable)))
	case os.Getenv(resourceVariable) != "": // before leaderVariable, which tests set for others
		os.Exit(runResource(os.Getenv(resourceVariable)))
	case os.Getenv(leaderVariable) != "":
		os.Exit(runLeader(os.Getenv(leaderVariable)))
	case os.Getenv(floodVariable) != "":
		os.Exit(runFlood(os.Getenv(floodVariable)))
	}
	os.Exit(buildAndRun(m))
}

// buildAndRun builds the command and runs all tests.
func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "localcluster-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if binary = os.Getenv(binaryVariable); binary != "" {
		return m.Run()
	}
	binary = filepath.Join(dir, "bully")
	if out, err := exec.Command("go", "build", "-o", binary, "../../cmd/bully").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the command under test does not build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
