//go:build unix

package transport

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// connected starts nodes of which each may send to all others.
func connected(t testing.TB, ids ...spec.NodeID) map[spec.NodeID]*TCP {
	n := newTCPNet(t, nil, ids...)
	nodes := make(map[spec.NodeID]*TCP)
	for _, id := range ids {
		nodes[id] = n.start(id)
	}
	for _, node := range nodes {
		for up := 0; up < len(ids)-1; {
			<-node.Wake()
			for e, ok := node.Next(); ok; e, ok = node.Next() {
				if e.Kind == Up {
					up++
				}
			}
		}
	}
	return nodes
}

func receive(node *TCP) {
	for {
		if _, ok := node.Next(); ok {
			return
		}
		<-node.Wake()
	}
}

// There and back, by two nodes in one program.
func BenchmarkRoundTrip(b *testing.B) {
	nodes := connected(b, one, two)
	there, back := claim(one, two, 1), claim(two, one, 1)
	b.ReportAllocs()
	for b.Loop() {
		nodes[one].Send(there)
		receive(nodes[two])
		nodes[two].Send(back)
		receive(nodes[one])
	}
}

// A HEARTBEAT from one node to the other, of fixed members and with a configuration of five.
func BenchmarkHeartbeat(b *testing.B) {
	heartbeat := spec.Message{Type: spec.Heartbeat, From: one, To: two, Epoch: 4, Question: 7}
	b.Run("fixed", func(b *testing.B) { send(b, connected(b, one, two), heartbeat) })
	b.Run("five members", func(b *testing.B) {
		g := newChangingTCP(b, nil, one, two)
		nodes := map[spec.NodeID]*TCP{}
		for _, id := range []spec.NodeID{one, two} {
			nodes[id] = begin(g, id, one, two).(*TCP)
		}
		for _, node := range nodes {
			for e := (Event{}); e.Kind != Up; {
				<-node.Wake()
				e, _ = node.Next()
			}
		}
		heartbeat.Configuration = fiveMembers(b)
		send(b, nodes, heartbeat)
	})
}

func send(b *testing.B, nodes map[spec.NodeID]*TCP, m spec.Message) {
	b.ReportAllocs()
	for b.Loop() {
		nodes[one].Send(m)
		receive(nodes[two])
	}
}

// fiveMembers returns a configuration whose members have addresses that name their disks.
func fiveMembers(t testing.TB) spec.Configuration {
	var members []spec.Member
	for i := range 5 {
		id := spec.IntegerID(uint64(1 + i))
		members = append(members, spec.Member{ID: id, Kind: spec.Voter, Address: JoinAddress(fmt.Sprintf("10.0.0.%d:7400", 1+i), disk(id))})
	}
	c, err := spec.NewConfiguration(4, 7, members)
	require.NoError(t, err)
	return c
}

// Reading alone: what the other end of a busy connection does.
func BenchmarkFrames(b *testing.B) {
	for name, c := range map[string]spec.Configuration{"fixed": {}, "five members": fiveMembers(b)} {
		b.Run(name, func(b *testing.B) {
			frame := framed(spec.Message{Type: spec.Heartbeat, From: one, To: two, Epoch: 4, Question: 7, Configuration: c})
			stream := &piecemeal{}
			f := frames{conn: stream, timeout: time.Second}
			b.ReportAllocs()
			for b.Loop() {
				stream.data = frame
				if _, err := f.next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// As many as go through.
func BenchmarkThroughput(b *testing.B) {
	nodes := connected(b, one, two)
	const batch = 200
	b.ReportAllocs()
	for b.Loop() {
		for range batch {
			nodes[one].Send(claim(one, two, 1))
		}
		for range batch {
			receive(nodes[two])
		}
	}
	b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "messages/s")
}

// An idle cluster of five: the leader says HEARTBEAT every 5 ms, and each of the others acknowledges. Reported is the
// processor time of all five for each time that it says so.
func BenchmarkIdleCluster(b *testing.B) {
	ids := []spec.NodeID{one, two, three, spec.IntegerID(4), spec.IntegerID(5)}
	nodes := connected(b, ids...)
	used := processorTime(b)
	for b.Loop() {
		for _, id := range ids[1:] {
			nodes[one].Send(claim(one, id, 1))
		}
		for _, id := range ids[1:] {
			receive(nodes[id])
			nodes[id].Send(claim(id, one, 1))
		}
		for range ids[1:] {
			receive(nodes[one])
		}
		time.Sleep(5 * time.Millisecond)
	}
	b.ReportMetric(float64(processorTime(b)-used)/float64(b.N)/1000, "µs-processor/heartbeat")
}

func processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// What a message costs leaves no garbage.
func TestNoGarbage(t *testing.T) {
	nodes := connected(t, one, two)
	allocated := testing.AllocsPerRun(1000, func() {
		nodes[one].Send(claim(one, two, 1))
		receive(nodes[two])
	})
	require.Zero(t, allocated)
}
