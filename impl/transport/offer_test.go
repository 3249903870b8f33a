package transport

import (
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// aloneChanging starts node 1 of a cluster of changing members, which knows of none. All else is in the test's own hands.
func aloneChanging(t testing.TB, change func(*Config)) *TCP {
	c := Config{
		ID: one, Cluster: "test", Listener: listen(t), Changing: &Changing{Incarnation: disk(one), Address: "one"},
		Dial: neverDial, DialTimeout: never, HandshakeTimeout: patience, FrameTimeout: patience, WriteTimeout: patience,
	}
	if change != nil {
		change(&c)
	}
	return startTCP(t, c)
}

// offerOf returns what a node of changing members says to node 1, where it is at its name.
func offerOf(from spec.NodeID) hello {
	return hello{from: from, to: one, cluster: "test", address: from.String(), life: life{incarnation: disk(from), boot: 1}}
}

// meetAs opens a connection to node 1, and returns it when it is welcome.
func meetAs(t testing.TB, to *TCP, o hello) net.Conn {
	conn := connect(t, to)
	require.Equal(t, welcome, greetAs(t, conn, o).code)
	return conn
}

// TestBytes compares what is said on a connection with what was put together by hand from the comments of the packages:
// the handshake and one frame, of fixed members and of changing ones.
func TestBytes(t *testing.T) {
	const head, id1, id2 = "42554c4c59", "00000000000000000000000000000001", "00000000000000000000000000000002"
	const none = "0000000000000000"
	configuration, err := spec.NewConfiguration(3, 2, []spec.Member{{ID: one, Kind: spec.Voter, Address: "a:1"}, {ID: two, Kind: spec.Witness}})
	require.NoError(t, err)
	changing := claim(one, two, 4)
	changing.Configuration = configuration
	for _, c := range []struct {
		name           string
		changing       *Changing
		message        spec.Message
		record         spec.Durable
		says, welcomes string // what it says when it dials, and how it is welcomed
		frame          string
		hears, answers string // what it hears when it is dialled, and what it answers
	}{
		{
			"fixed", nil, claim(one, two, 4), spec.Durable{Epoch: 7, Grantee: two, Reserved: 3 * spec.Block},
			head + "03" + "005e" + id1 + id2 + none + "78d68721debb423c" + "BOOT" + "0000000000300000" + "0000000000000007" + none + none + "01" + "04" + "74657374",
			head + "03" + "0042" + "00" + id2 + none + "0000000000000b00" + "0000000000200000" + "0000000000000006" + none + none + "01",
			"00000032" + "03" + "04" + id1 + id2 + "0000000000000004" + "0000000000000001",
			head + "03" + "005e" + id2 + id1 + none + none + "0000000000000b00" + "0000000000200000" + "0000000000000006" + none + none + "01" + "04" + "74657374",
			head + "03" + "0042" + "00" + id1 + none + "BOOT" + "0000000000300000" + "0000000000000007" + none + none + "01",
		},
		{
			"changing", &Changing{Incarnation: 0xfeed, Address: "here:1"}, changing, spec.Durable{Epoch: 7, Reserved: 3 * spec.Block, Configuration: configuration},
			head + "03" + "0064" + id1 + id2 + "000000000000feed" + "00000000cafe0001" + "BOOT" +
				"0000000000300000" + "0000000000000007" + "0000000000000003" + "0000000000000002" + "00" + "04" + "74657374" + "686572653a31",
			head + "03" + "0042" + "00" + id2 + "00000000cafe0001" + "0000000000000b00" + none + none + none + none + "00",
			"0000006a" + "03" + "04" + id1 + id2 + "0000000000000004" + "0000000000000001" + "0000000000000003" + "0000000000000002" + "02" +
				id1 + "01" + "03" + "613a31" + id2 + "02" + "00",
			head + "03" + "0064" + id2 + id1 + "00000000cafe0001" + "000000000000feed" + "0000000000000b00" +
				none + none + none + none + "00" + "04" + "74657374" + "68657265" + "3a32",
			head + "03" + "0042" + "00" + id1 + "000000000000feed" + "BOOT" + "0000000000300000" + "0000000000000007" + "0000000000000003" + "0000000000000002" + "00",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			listener := listen(t)
			members := map[spec.NodeID]string{one: "", two: listener.Addr().String()}
			if c.changing != nil {
				members[two] += "#00000000cafe0001"
			}
			node := startTCP(t, Config{ID: one, Cluster: "test", Listener: listen(t), Members: members, Changing: c.changing, Record: c.record})
			boot := fmt.Sprintf("%016x", node.boot)
			conn, err := listener.Accept()
			require.NoError(t, err)
			defer conn.Close()
			hears(t, conn, strings.ReplaceAll(c.says, "BOOT", boot))
			says(t, conn, c.welcomes)
			until(t, node, Up, two)
			node.Send(c.message)
			hears(t, conn, c.frame)
			eventually(t, "it is counted", func() bool { return node.Stats().BytesOut == uint64(len(c.frame)/2) })

			accepted := connect(t, node)
			says(t, accepted, c.hears)
			hears(t, accepted, strings.ReplaceAll(c.answers, "BOOT", boot))
		})
	}
}

func says(t *testing.T, conn net.Conn, digits string) {
	b, err := hex.DecodeString(digits)
	require.NoError(t, err)
	_, err = conn.Write(b)
	require.NoError(t, err)
}

func hears(t *testing.T, conn net.Conn, digits string) {
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
	b := make([]byte, len(digits)/2)
	_, err := io.ReadFull(conn, b)
	require.NoError(t, err)
	require.Equal(t, digits, hex.EncodeToString(b))
}

// The answer to each offer that is not welcome; it costs nobody else anything.
func TestOffersThatAreRefused(t *testing.T) {
	node := aloneChanging(t, nil)
	node.SetMembers(map[spec.NodeID]string{two: JoinAddress("two", disk(two)), three: JoinAddress("three", disk(three))})
	member := meetAs(t, node, offerOf(two))
	with := func(change func(*hello)) hello {
		o := offerOf(three)
		change(&o)
		return o
	}
	for i, c := range []struct {
		name  string
		offer hello
		code  Refusal
	}{
		{"another cluster", with(func(o *hello) { o.cluster = "toast" }), WrongCluster},
		{"another cluster, longer", with(func(o *hello) { o.cluster = "test-2" }), WrongCluster},
		{"for another node", with(func(o *hello) { o.to = two }), wrongNodeRefusal},
		{"this node itself", with(func(o *hello) { o.from = one }), itselfRefusal},
		{"for another disk", with(func(o *hello) { o.wanted = disk(one) + 1 }), staleAddressRefusal},
		{"of fixed members", helloOf(three), otherKindRefusal},
		{"of another disk", with(func(o *hello) { o.incarnation++ }), wrongIncarnationRefusal},
	} {
		conn := connect(t, node)
		require.Equal(t, answer{c.code, one, node.life()}, greetAs(t, conn, c.offer), c.name)
		ends(t, conn)
		write(t, member, claim(two, one, i))
		untilEpoch(t, node, i)
	}
	eventually(t, "those who were refused are gone", func() bool { return node.Stats().Unwelcome == 7 })
	stats := node.Stats()
	require.Equal(t, map[Refusal]uint64{WrongCluster: 2, wrongNodeRefusal: 1, itselfRefusal: 1, staleAddressRefusal: 1, wrongIncarnationRefusal: 1, otherKindRefusal: 1}, happened(t, stats))
	require.Zero(t, stats.Links[0].Replaced)
	require.True(t, stats.Links[0].Hears, "refused offers must not end the connection of a member")
	require.Empty(t, stats.NonMembers)
	require.Equal(t, welcome, greetAs(t, connect(t, node), with(func(o *hello) { o.wanted = disk(one) })).code)
}

// The dialler takes nobody else's answer for that of the node it wants.
func TestWrongReply(t *testing.T) {
	for name, said := range map[string][]byte{
		"another node":       answer{welcome, three, life{incarnation: disk(two), boot: 1}}.append(nil),
		"another disk":       answer{welcome, two, life{incarnation: disk(three), boot: 1}}.append(nil),
		"a welcome of fixed": answer{code: welcome, node: two, life: life{boot: 1}}.append(nil),
		"a refusal of fixed": answer{otherKindRefusal, two, life{boot: 1}}.append(nil),
		"stale":              answer{staleAddressRefusal, two, life{incarnation: disk(three), boot: 1}}.append(nil),
	} {
		t.Run(name, func(t *testing.T) {
			var logged log
			listener := listen(t)
			node := startTCP(t, Config{ID: one, Cluster: "test", Listener: listen(t), BackoffMin: time.Millisecond, BackoffMax: time.Millisecond,
				Changing: &Changing{Incarnation: disk(one)}, Logger: logged.logger(),
				Members: map[spec.NodeID]string{two: JoinAddress(listener.Addr().String(), disk(two))}})
			for range 3 {
				conn, err := listener.Accept()
				require.NoError(t, err)
				o, err := readHello(conn)
				require.NoError(t, err)
				require.Equal(t, hello{one, two, "test", node.Addr().String(), disk(two), node.life()}, o)
				_, err = conn.Write(said)
				require.NoError(t, err)
				require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
				ends(t, conn)
				require.NoError(t, conn.Close())
			}
			event, ok := node.Next()
			require.False(t, ok, event)
			for part, says := range map[string]string{"stale": "the disk of this node is not", "disk": "incarnation 00000000d15c0003 of node 2 answers", "fixed": "members change at one end"} {
				if strings.HasSuffix(name, part) {
					require.Contains(t, logged.String(), says)
				}
			}
		})
	}
}

// Nodes of fixed and of changing members do not take each other for members, and say why.
func TestFixedMeetsChanging(t *testing.T) {
	var fixedLog, changingLog log
	n := newTCPNet(t, func(c *Config) {
		c.Logger = fixedLog.logger()
		if c.ID == two {
			c.Changing, c.Logger = &Changing{Incarnation: disk(two), Address: c.Members[two]}, changingLog.logger()
		}
	}, one, two)
	fixed, changing := n.start(one), n.start(two)
	for name, l := range map[string]*log{"fixed": &fixedLog, "changing": &changingLog} {
		eventually(t, name+" says so", func() bool {
			return strings.Contains(l.String(), "members change at one end")
		})
	}
	for _, node := range []*TCP{fixed, changing} {
		for e, ok := node.Next(); ok; e, ok = node.Next() {
			require.Equal(t, Dead, e.Kind) // the first one, before the second was started
		}
		eventually(t, "it is counted", func() bool { return node.Stats().Refused[otherKindRefusal] > 0 })
	}
}

func TestAddresses(t *testing.T) {
	for _, address := range []string{"a:1", "[::1]:80", ""} {
		hostPort, incarnation, err := SplitAddress(address)
		require.NoError(t, err)
		require.Equal(t, address, hostPort)
		require.Zero(t, incarnation)
		require.Equal(t, address+"#00000000d15c0001", JoinAddress(address, disk(one)))
		hostPort, incarnation, err = SplitAddress(JoinAddress(address, disk(one)))
		require.NoError(t, err)
		require.Equal(t, address, hostPort)
		require.Equal(t, disk(one), incarnation)
	}
	for _, address := range []string{"a:1#", "a:1#1", "a:1#0000000000000000", "a:1#00000000D15C0001", "a:1#+0000000d15c0001", "a:1#00000000d15c00011", "a:1#1#00000000d15c0001"} {
		_, _, err := SplitAddress(address)
		require.ErrorContains(t, err, "an incarnation of 16 digits", address)
	}
}
