package transport

import (
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// run is how a run of node 2 begins, which had reserved so many blocks of numbers before.
func run(boot uint64, blocks spec.Question) hello {
	h := helloOf(two)
	h.boot, h.reserved = boot, blocks*spec.Block
	return h
}

// The next run of a node knows of all that the last one has said; one that does not is refused, and so is its word.
func TestLostDisk(t *testing.T) {
	asks := spec.Message{Type: spec.ImBack, From: two, To: one, Question: 4*spec.Block + 9}
	answers := spec.Message{Type: spec.Ack, From: two, To: one, Question: 1 << 40}
	for _, c := range []struct {
		name  string
		last  spec.Question // which the run before had reserved when it began, in blocks
		says  []spec.Message
		next  spec.Question
		lost  bool
		knows spec.Question // what is known to be used
	}{
		{"the next block", 2, []spec.Message{asks}, 5, false, 0},
		{"many blocks on", 2, []spec.Message{asks, answers}, 90, false, 0},
		{"wiped", 2, []spec.Message{asks}, 0, true, asks.Question},
		{"an old copy", 2, []spec.Message{asks}, 4, true, asks.Question},
		{"wiped in its first run, of which only answers are known", 0, []spec.Message{answers}, 0, true, 1},
		{"a crash before its first step", 2, nil, 2, false, 0},
		{"an old copy of one that crashed before its first step", 2, nil, 1, true, 2 * spec.Block},
	} {
		t.Run(c.name, func(t *testing.T) {
			node := alone(t, nil)
			first := connect(t, node)
			require.Equal(t, welcome, greetAs(t, first, run(7, c.last)).code)
			write(t, first, c.says...)
			eventually(t, "it is heard", func() bool { return node.Stats().Received == uint64(len(c.says)) })
			second := connect(t, node)
			a := greetAs(t, second, run(8, c.next))
			if !c.lost {
				require.Equal(t, welcome, a.code)
				require.False(t, node.Stats().Links[0].LostDisk, "node 2 has not lost its disk")
				return
			}
			require.Equal(t, RecordLost, a.code)
			require.Equal(t, c.knows, a.reserved)
			ends(t, second)
			until(t, node, LostDisk, two)
			require.True(t, node.Stats().Links[0].LostDisk, "node 2 must be reported as one that has lost its disk")
			require.True(t, node.Stats().Links[0].Hears, "the last run is heard as before")

			require.Equal(t, RecordLost, greetAs(t, connect(t, node), run(9, c.next)).code, "it is told once only")
			require.Equal(t, welcome, greetAs(t, connect(t, node), run(7, c.last)).code, "a run that goes on is not another")
			require.Equal(t, welcome, greetAs(t, connect(t, node), run(10, 90)).code, "a record that was raised")
			require.False(t, node.Stats().Links[0].LostDisk, "a raised record ends the report of a lost disk")
			event, ok := node.Next()
			for ; ok && event.Kind == Received; event, ok = node.Next() {
			}
			require.False(t, ok, event)
		})
	}
}

// A copy that was made while the node ran as it did last knows of enough numbers; of a promise or a change that was made after it, it
// does not know. What is refused is what is older than the node has said, and nothing else.
func TestOldCopyOfTheSameRun(t *testing.T) {
	version := func(e spec.Epoch, v uint64) spec.Configuration {
		c, err := spec.NewConfiguration(e, v, []spec.Member{{ID: one, Kind: spec.Voter}, {ID: two, Kind: spec.Voter}})
		require.NoError(t, err)
		return c
	}
	said := func(m spec.MessageType, e spec.Epoch) spec.Message {
		return spec.Message{Type: m, From: two, To: one, Epoch: e, Question: 1}
	}
	handsOver := said(spec.Resign, 4)
	handsOver.Granted = spec.Granted{By: one, Epoch: 6, Question: 3}
	changed := said(spec.Ack, 4)
	changed.Configuration = version(4, 3)
	for _, c := range []struct {
		name  string
		begin record // of the run before, which has used numbers of the block after those
		says  []spec.Message
		keeps record // of the run after
		lacks string
	}{
		{"an epoch that was granted", record{epoch: 3}, []spec.Message{said(spec.Grant, 4)}, record{epoch: 3}, "it has held epoch 4, and its record knew of 3"},
		{"the same, in the end", record{epoch: 3}, []spec.Message{said(spec.Grant, 4)}, record{epoch: 4, granted: true}, ""},
		{"an epoch that was learned", record{epoch: 3}, []spec.Message{said(spec.Refuse, 4)}, record{epoch: 3}, "epoch 4"},
		{"the same, in the end ", record{epoch: 3}, []spec.Message{said(spec.Refuse, 4)}, record{epoch: 4}, ""},
		{"learned, and then granted", record{epoch: 3}, []spec.Message{said(spec.Assent, 4), said(spec.Grant, 4)}, record{epoch: 4}, "promised epoch 4 to somebody"},
		{"granted, and then learned", record{epoch: 3}, []spec.Message{said(spec.Grant, 4), said(spec.Election, 5)}, record{epoch: 5}, ""},
		{"acknowledged as a candidate", record{epoch: 4}, []spec.Message{said(spec.Ack, 4)}, record{epoch: 4}, ""},
		{"what was heard late is not taken back", record{epoch: 3}, []spec.Message{said(spec.Grant, 5), said(spec.Ack, 4)}, record{epoch: 4, granted: true}, "epoch 5"},
		{"a claim that was given up", record{epoch: 3}, []spec.Message{said(spec.Claim, 4)}, record{epoch: 3}, ""},
		{"a claim in an epoch that was learned", record{epoch: 3}, []spec.Message{said(spec.Claim, 6)}, record{epoch: 4}, "epoch 5"},
		{"a claim of nothing", record{}, []spec.Message{said(spec.Claim, 0)}, record{}, ""},
		{"a reign", record{epoch: 3}, []spec.Message{said(spec.Heartbeat, 4)}, record{epoch: 4}, "promised epoch 4 to somebody"},
		{"its beginning", record{epoch: 3}, []spec.Message{said(spec.Coordinator, 4)}, record{epoch: 3, granted: true}, "epoch 4"},
		{"its end", record{epoch: 3}, []spec.Message{said(spec.Resign, 4)}, record{epoch: 4, granted: true}, ""},
		{"a reign that was handed over", record{epoch: 3}, []spec.Message{handsOver}, record{epoch: 4, granted: true}, "epoch 6"},
		{"the same, with the promise", record{epoch: 3}, []spec.Message{handsOver}, record{epoch: 6}, "promised epoch 6 to somebody"},
		{"back after a restart", record{epoch: 3}, []spec.Message{said(spec.ImBack, 3)}, record{epoch: 3}, ""},
		{"nothing but its start", record{epoch: 4, granted: true}, nil, record{epoch: 4}, "promised epoch 4 to somebody"},
		{"a change", record{epoch: 4}, []spec.Message{changed}, record{epoch: 4, configuration: version(4, 2).Stamp()}, "version 3 of the members"},
		{"the same, in the end  ", record{epoch: 4}, []spec.Message{changed}, record{epoch: 4, configuration: version(4, 3).Stamp()}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			changes := c.keeps.configuration != spec.Stamp{}
			node := alone(t, func(config *Config) {
				if changes {
					config.Changing = &Changing{Incarnation: disk(one), Address: "one:1"}
				}
			})
			says := func(boot uint64, r record, blocks spec.Question) hello {
				h := run(boot, blocks)
				r.reserved = h.reserved
				h.record = r
				if changes {
					h.incarnation = disk(two)
				}
				return h
			}
			first := connect(t, node)
			require.Equal(t, welcome, greetAs(t, first, says(7, c.begin, 2)).code)
			write(t, first, c.says...)
			eventually(t, "it is heard", func() bool { return node.Stats().Received == uint64(len(c.says)) })
			second := connect(t, node)
			a := greetAs(t, second, says(8, c.keeps, 3)) // as the copy has it, and the disk itself
			if c.lacks == "" {
				require.Equal(t, welcome, a.code)
				return
			}
			require.Equal(t, RecordLost, a.code)
			require.Contains(t, c.keeps.lacks(record{epoch: a.epoch, granted: a.granted, configuration: a.configuration}), c.lacks)
			ends(t, second)
			until(t, node, LostDisk, two)
			require.True(t, node.Stats().Links[0].LostDisk, "node 2 must be reported as one that runs from an old copy")
			require.Equal(t, welcome, greetAs(t, connect(t, node), says(9, a.record, 3)).code, "the disk itself, at last")
		})
	}
}

// Whoever dials a node that has lost its disk does not talk to it either; and that node hears of it where it dials.
func TestLostDiskIsDialled(t *testing.T) {
	for name, c := range map[string]struct {
		finds spec.Durable
		lacks string
	}{
		"wiped":                    {spec.Durable{}, "it has used numbers up to 3145729, and its record knew of 0"},
		"a copy of the last run":   {spec.Durable{Epoch: 8, Reserved: 4 * spec.Block}, "it has held epoch 9, and its record knew of 8"},
		"with the grantee missing": {spec.Durable{Epoch: 9, Reserved: 4 * spec.Block}, "it has promised epoch 9 to somebody, and its record knew of no promise"},
	} {
		t.Run(name, func(t *testing.T) {
			kept := spec.Durable{Epoch: 7, Reserved: 3 * spec.Block}
			n := newTCPNet(t, func(config *Config) {
				if config.ID == two {
					config.Record = kept
				}
			}, one, two)
			stays, first := n.start(one), n.start(two)
			until(t, stays, Up, two)
			until(t, first, Up, one)
			first.Send(spec.Message{Type: spec.Coordinator, From: two, To: one, Epoch: 9, Question: 1})
			untilEpoch(t, stays, 9)
			require.NoError(t, first.Close())
			until(t, stays, Down, two)

			kept = c.finds
			second := n.start(two)
			until(t, second, Disowned, one)
			until(t, stays, LostDisk, two)
			for e, ok := second.Next(); ok; e, ok = second.Next() {
				require.NotContains(t, []Kind{Received, Up, Disowned}, e.Kind)
			}
			require.Contains(t, second.Stats().Links[0].LastError, c.lacks)
			require.Zero(t, second.Stats().Links[0].Received)
			require.NoError(t, second.Close())

			kept = spec.Durable{Epoch: 9, Grantee: two, Reserved: 4 * spec.Block}
			third := n.start(two)
			until(t, stays, Up, two)
			until(t, third, Up, one)
			require.False(t, stays.Stats().Links[0].LostDisk, "node 2 has kept its record")
		})
	}
}

// A node that has taken its first step, and has said no more than that, is known again: by who was connected then, and by who was not
// yet. One that has not is taken for one that has promised nothing.
func TestBegun(t *testing.T) {
	for name, begins := range map[string]func(node *TCP, connected func()){
		"connected":     func(node *TCP, connected func()) { connected(); node.Begun(); node.Begun() },
		"not connected": func(node *TCP, connected func()) { node.Begun(); connected() },
		"not at all":    func(_ *TCP, connected func()) { connected() },
	} {
		t.Run(name, func(t *testing.T) {
			n := newTCPNet(t, nil, one, two)
			first := n.start(two)
			var stays *TCP
			begins(first, func() {
				stays = n.start(one)
				until(t, stays, Up, two)
				until(t, first, Up, one)
			})
			eventually(t, "it is known, or not", func() bool {
				stays.mu.Lock()
				defer stays.mu.Unlock()
				return stays.byNode[two].memory.reserved > 0 || name == "not at all"
			})
			require.NoError(t, first.Close())
			until(t, stays, Down, two)
			require.Zero(t, stays.Stats().Unknown+stays.Stats().Received)

			n.starts[two] = 0
			second := n.start(two)
			if name == "not at all" {
				until(t, second, Up, one)
				return
			}
			until(t, second, Disowned, one)
			require.Contains(t, second.Stats().Links[0].LastError, "it has used numbers up to 1, and its record knew of 0")
		})
	}
}

// Who is found to have lost its disk by being dialled is not talked to, though it never dials.
func TestLostDiskAnswers(t *testing.T) {
	listener := listen(t)
	node := startTCP(t, Config{ID: one, Cluster: "test", Listener: listen(t), BackoffMin: time.Millisecond, BackoffMax: time.Millisecond,
		Members: map[spec.NodeID]string{one: "", two: listener.Addr().String()}})
	answers := func(said life) net.Conn {
		conn, err := listener.Accept()
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
		_, err = readHello(conn)
		require.NoError(t, err)
		_, err = conn.Write(answer{welcome, two, said}.append(nil))
		require.NoError(t, err)
		return conn
	}
	first := answers(life{boot: 7, record: record{reserved: 5 * spec.Block}})
	until(t, node, Up, two)
	require.NoError(t, first.Close())
	until(t, node, Down, two)
	ends(t, answers(life{boot: 8, record: record{reserved: 4 * spec.Block}}))
	require.Equal(t, []Kind{LostDisk}, kinds(until(t, node, LostDisk, two), two))
	require.True(t, node.Stats().Links[0].LostDisk, "node 2 must be reported as one that has lost its disk")
	answers(life{boot: 9, record: record{reserved: 5 * spec.Block}})
	until(t, node, Up, two)
	require.False(t, node.Stats().Links[0].LostDisk, "a record that is new enough ends the report of a lost disk")
}

// A node does not stop for good because somebody says that its disk is lost, but because a member knows what its record does not.
func TestDisownedByWhom(t *testing.T) {
	more := record{reserved: 2 * spec.Block}
	for name, c := range map[string]struct {
		says     answer
		disowned bool
	}{
		"a member that knows more":    {answer{RecordLost, two, life{boot: 7, record: more}}, true},
		"a member that knows no more": {answer{RecordLost, two, life{boot: 7, record: record{reserved: spec.Block}}}, false},
		"another at its address":      {answer{RecordLost, three, life{boot: 7, record: more}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			listener := listen(t)
			node := startTCP(t, Config{ID: one, Cluster: "test", Listener: listen(t), BackoffMin: time.Millisecond, BackoffMax: time.Millisecond,
				Members: map[spec.NodeID]string{one: "", two: listener.Addr().String()}, Record: spec.Durable{Reserved: spec.Block}})
			for range 3 { // it dials again when it has taken note of an answer
				conn, err := listener.Accept()
				require.NoError(t, err)
				_, err = readHello(conn)
				require.NoError(t, err)
				_, err = conn.Write(c.says.append(nil))
				require.NoError(t, err)
				require.NoError(t, conn.Close())
			}
			require.Equal(t, c.disowned, len(kinds(drained(node), two)) == 1)
		})
	}
}

// What a node says while it is no member does not count, and so does not keep it from saying it when it is one.
func TestDisownedOnceItIsAMember(t *testing.T) {
	var dials <-chan dial
	node := aloneChanging(t, func(c *Config) { dials = dialsOf(c); c.BackoffMin, c.BackoffMax = time.Millisecond, time.Millisecond })
	meetAs(t, node, saidAt(7))
	refuse := func() {
		here, there := net.Pipe()
		t.Cleanup(func() { here.Close() })
		next(t, dials).result <- dialled{conn: there}
		_, err := readHello(here)
		require.NoError(t, err)
		_, err = here.Write(answer{RecordLost, two, life{incarnation: disk(two), boot: 7, record: record{reserved: spec.Block}}}.append(nil))
		require.NoError(t, err)
		ends(t, here)
	}
	node.Send(claim(one, two, 1))
	refuse()
	node.Send(claim(one, two, 2))
	refuse() // it has taken note of the first
	nothing(t, node)
	node.SetMembers(map[spec.NodeID]string{two: "two"})
	refuse()
	until(t, node, Disowned, two)
}

// Another run of a node that knows less is no lost disk if the one that is heeded goes on: two programs run under one id. It is said
// with the addresses of both, once a minute.
func TestTwice(t *testing.T) {
	var logged log
	node := alone(t, func(c *Config) { c.Logger = logged.logger() })
	first := connect(t, node)
	require.Equal(t, welcome, greetAs(t, first, run(7, 2)).code)
	beats := 0
	beat := func() {
		beats++
		write(t, first, spec.Message{Type: spec.ImBack, From: two, To: one, Epoch: 1, Question: 3*spec.Block + spec.Question(beats)})
		eventually(t, "it is heard", func() bool { return node.Stats().Received == uint64(beats) })
	}
	beat()
	for round := range 3 {
		second := connect(t, node)
		require.Equal(t, RecordLost, greetAs(t, second, run(8, 0)).code)
		require.Equal(t, round > 0, strings.Contains(logged.String(), "two programs"), "nobody has said anything since")
		require.True(t, node.Stats().Links[0].LostDisk, "node 2 must be reported as one that has lost its disk")
		beat()
		require.Equal(t, 1, strings.Count(logged.String(), "two programs run as one node"), logged.String())
		require.Contains(t, logged.String(), "twice=2")
		require.Contains(t, logged.String(), "heeded="+first.LocalAddr().String())
		if round == 0 {
			require.Contains(t, logged.String(), "not_heeded="+second.LocalAddr().String())
			require.False(t, node.Stats().Links[0].LostDisk, "a message of the right run ends the report of a lost disk")
		}
	}
	require.Equal(t, []Kind{LostDisk, Twice, LostDisk}, slices.DeleteFunc(kinds(drained(node), two), func(k Kind) bool { return k == Received }))
}

// drained returns all events that there are.
func drained(node *TCP) (all []Event) {
	for e, ok := node.Next(); ok; e, ok = node.Next() {
		all = append(all, e)
	}
	return all
}
