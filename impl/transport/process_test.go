//go:build unix

package transport

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/seed-fdf591db/bully/spec"
)

// childVariable makes the test binary a node, in a process of its own: it says IM_BACK on each connection, and ACK to
// each message.
const childVariable = "BULLY_TRANSPORT_TEST_CHILD"

// greeting is the epoch of its IM_BACK.
const greeting = 1 << 40

func TestMain(m *testing.M) {
	if members := os.Getenv(childVariable); members != "" {
		if err := child(members); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// childConfig is what differs from one such node to the next.
type childConfig struct {
	Members *map[spec.NodeID]string
	Record  *spec.Durable
}

func child(members string) error {
	c := Config{ID: two, Cluster: "test"}
	if err := json.Unmarshal([]byte(members), &childConfig{&c.Members, &c.Record}); err != nil {
		return err
	}
	node, err := NewTCP(c)
	if err != nil {
		return err
	}
	fmt.Println("listening")
	for range node.Wake() {
		for e, ok := node.Next(); ok; e, ok = node.Next() {
			switch e.Kind {
			case Up:
				node.Send(spec.Message{Type: spec.ImBack, From: two, To: e.Node, Epoch: greeting, Question: 1})
			case Received:
				node.Send(spec.Message{Type: spec.Ack, From: two, To: e.Node, Epoch: e.Message.Epoch, Question: e.Message.Question})
			}
		}
	}
	return nil
}

// startChild starts node 2 as a process, and returns when it listens. The test kills it.
func startChild(t testing.TB, n *tcpNet) *exec.Cmd {
	c := n.config(two)
	members, err := json.Marshal(childConfig{&c.Members, &c.Record})
	require.NoError(t, err)
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), childVariable+"="+string(members))
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	line, err := bufio.NewReader(io.LimitReader(output, 100)).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "listening\n", line)
	return command
}

// untilBoth waits until both directions are open, and returns what was told of the links.
func untilBoth(t *testing.T, node *TCP) []Kind {
	up, heard := false, false
	return kinds(take(t, node, func(e Event) bool {
		up, heard = up || e.Kind == Up, heard || e.Kind == Received && e.Message.Epoch == greeting
		return up && heard
	}), two)
}

// A process is killed, and started again.
func TestKilledProcess(t *testing.T) {
	n := newTCPNet(t, nil, one, two)
	node := n.start(one)
	until(t, node, Dead, two) // it has not been started yet
	var noticed, took []time.Duration
	for round := range 10 {
		process := startChild(t, n)
		require.Equal(t, []Kind{Up}, untilBoth(t, node))
		node.Send(claim(one, two, 10*round))
		require.Equal(t, []int{10 * round}, epochs(untilEpoch(t, node, 10*round), two), "what was sent to its predecessor is lost")

		begin := time.Now()
		require.NoError(t, process.Process.Kill())
		until(t, node, Down, two)
		noticed = append(noticed, time.Since(begin))
		require.Equal(t, []Kind{Dead}, kinds(until(t, node, Dead, two), two))
		took = append(took, time.Since(begin))
		for i := range 9 {
			node.Send(claim(one, two, 10*round+i+1))
		}
		_ = process.Wait()
	}
	slices.Sort(noticed)
	slices.Sort(took)
	t.Logf("median from kill -9 to Down %v, which is how long a process takes to end, and to Dead %v", noticed[5], took[5])
}

// A process that is stopped is not dead, and loses nothing.
func TestStoppedProcess(t *testing.T) {
	n := newTCPNet(t, nil, one, two)
	process := startChild(t, n)
	node := n.start(one)
	untilBoth(t, node)
	require.NoError(t, process.Process.Signal(syscall.SIGSTOP))
	for i := range 100 {
		node.Send(claim(one, two, i))
	}
	eventually(t, "all is written", func() bool { return node.Stats().Sent == 100 })
	require.NoError(t, process.Process.Signal(syscall.SIGCONT))
	events := untilEpoch(t, node, 99)
	require.Len(t, events, 100)
	require.Len(t, epochs(events, two), 100)
}
