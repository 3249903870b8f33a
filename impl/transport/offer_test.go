package transport

import (
	"bytes"
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

// offerOf returns what a node says to node 1, where it is at its name.
func offerOf(from spec.NodeID) offer {
	return offer{hello: hello{from, one, "test"}, address: from.String(), incarnation: disk(from), boot: 1}
}

// offerAs says an offer on a connection, and returns what is answered.
func offerAs(t testing.TB, conn net.Conn, o offer) reply {
	_, err := conn.Write(o.append(nil))
	require.NoError(t, err)
	a, err := readReply(conn, changingVersion)
	require.NoError(t, err)
	return a
}

// meetAs opens a connection to node 1, and returns it when it is welcome.
func meetAs(t testing.TB, to *TCP, o offer) net.Conn {
	conn := connect(t, to)
	require.Equal(t, answer{welcome, one}, offerAs(t, conn, o).answer)
	return conn
}

// TestBytes compares what is said on a connection with what was put together by hand from the comments of the packages:
// the handshake and one frame, of fixed members and of changing ones.
func TestBytes(t *testing.T) {
	const head, id1, id2 = "42554c4c59", "00000000000000000000000000000001", "00000000000000000000000000000002"
	configuration, err := spec.NewConfiguration(3, 2, []spec.Member{{ID: one, Kind: spec.Voter, Address: "a:1"}, {ID: two, Kind: spec.Witness}})
	require.NoError(t, err)
	changing := claim(one, two, 4)
	changing.Configuration = configuration
	for _, c := range []struct {
		name           string
		changing       *Changing
		message        spec.Message
		says, welcomes string // what it says when it dials, and how it is welcomed
		frame          string
		hears, answers string // what it hears when it is dialled, and what it answers
	}{
		{
			"fixed", nil, claim(one, two, 4),
			head + "03" + "24" + id1 + id2 + "74657374",
			head + "03" + "11" + "00" + id2,
			"00000032" + "03" + "04" + id1 + id2 + "0000000000000004" + "0000000000000001",
			head + "03" + "24" + id2 + id1 + "74657374",
			head + "03" + "11" + "00" + id1,
		},
		{
			"changing", &Changing{Incarnation: 0xfeed, Address: "here:1"}, changing,
			head + "04" + "43" + id1 + id2 + "000000000000feed" + "00000000cafe0001" + "BOOT" + "04" + "74657374" + "686572653a31",
			head + "04" + "21" + "00" + id2 + "00000000cafe0001" + "0000000000000b00",
			"0000006a" + "03" + "04" + id1 + id2 + "0000000000000004" + "0000000000000001" + "0000000000000003" + "0000000000000002" + "02" +
				id1 + "01" + "03" + "613a31" + id2 + "02" + "00",
			head + "04" + "43" + id2 + id1 + "00000000cafe0001" + "000000000000feed" + "0000000000000b00" + "04" + "74657374" + "68657265" + "3a32",
			head + "04" + "21" + "00" + id1 + "000000000000feed" + "BOOT",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			listener := listen(t)
			members := map[spec.NodeID]string{one: "", two: listener.Addr().String()}
			if c.changing != nil {
				members[two] += "#00000000cafe0001"
			}
			node := startTCP(t, Config{ID: one, Cluster: "test", Listener: listen(t), Members: members, Changing: c.changing})
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
	with := func(change func(*offer)) offer {
		o := offerOf(three)
		change(&o)
		return o
	}
	for i, c := range []struct {
		name  string
		offer offer
		code  Refusal
	}{
		{"another cluster", with(func(o *offer) { o.cluster = "toast" }), WrongCluster},
		{"another cluster, longer", with(func(o *offer) { o.cluster = "test-2" }), WrongCluster},
		{"for another node", with(func(o *offer) { o.to = two }), WrongNode},
		{"this node itself", with(func(o *offer) { o.from = one }), Itself},
		{"for another disk", with(func(o *offer) { o.wanted = disk(one) + 1 }), StaleAddress},
		{"of another disk", with(func(o *offer) { o.incarnation++ }), WrongIncarnation},
	} {
		conn := connect(t, node)
		require.Equal(t, reply{answer{c.code, one}, disk(one), node.boot}, offerAs(t, conn, c.offer), c.name)
		ends(t, conn)
		write(t, member, claim(two, one, i))
		untilEpoch(t, node, i)
	}
	for _, said := range [][]byte{hello{three, one, "test"}.append(nil), append([]byte(magic+"\x09\xff"), make([]byte, 255)...)} {
		conn := connect(t, node)
		_, err := conn.Write(said)
		require.NoError(t, err)
		a, err := readAnswer(conn)
		require.NoError(t, err)
		require.Equal(t, answer{WrongVersion, one}, a, "in the words of version 3")
		ends(t, conn)
	}
	eventually(t, "those who were refused are gone", func() bool { return node.Stats().Unwelcome == 8 })
	stats := node.Stats()
	require.Equal(t, map[Refusal]uint64{WrongCluster: 2, WrongNode: 1, Itself: 1, StaleAddress: 1, WrongIncarnation: 1, WrongVersion: 2}, stats.Refused)
	require.Zero(t, stats.Links[0].Replaced)
	require.True(t, stats.Links[0].Hears)
	require.Empty(t, stats.Strangers)
	require.Equal(t, answer{welcome, one}, offerAs(t, connect(t, node), with(func(o *offer) { o.wanted = disk(one) })).answer)
}

// What is no offer is not answered.
func TestNoOffer(t *testing.T) {
	node := aloneChanging(t, nil)
	bad := func(at int, b ...byte) string {
		o := offerOf(three).append(nil)
		copy(o[at:], b)
		return string(o)
	}
	with := func(change func(*offer)) string {
		o := offerOf(three)
		change(&o)
		return string(o.append(nil))
	}
	zeros := make([]byte, 8)
	said := map[string]string{
		"an id that is none":          bad(headSize, 1),
		"no incarnation":              bad(headSize+2*idSize, zeros...),
		"no boot":                     bad(headSize+2*idSize+16, zeros...),
		"a cluster without end":       bad(headSize+offerSize-1, 200),
		"a cluster of no name":        with(func(o *offer) { o.cluster = "" }),
		"a cluster that is too long":  with(func(o *offer) { o.cluster = strings.Repeat("a", 65) }),
		"an address that is too long": with(func(o *offer) { o.address = strings.Repeat("a", 129) }),
		"an address with a space":     with(func(o *offer) { o.address = "a b" }),
		"too short":                   magic + "\x04\x20" + strings.Repeat("\x00", 32),
		"cut short":                   bad(0, magic[0])[:60],
	}
	for name, said := range said {
		conn := connect(t, node)
		_, err := io.WriteString(conn, said)
		require.NoError(t, err)
		_ = conn.(*net.TCPConn).CloseWrite() // the other end may be gone already
		answered, _ := io.ReadAll(conn)
		require.Empty(t, answered, name)
	}
	eventually(t, "all are gone", func() bool { s := node.Stats(); return s.Unwelcome == uint64(len(said)) && s.Pending == 0 })
	require.Empty(t, node.Stats().Strangers)
}

// The dialler takes nobody else's answer for that of the node it wants.
func TestWrongReply(t *testing.T) {
	for name, said := range map[string][]byte{
		"another node":        reply{answer{welcome, three}, disk(two), 1}.append(nil),
		"another disk":        reply{answer{welcome, two}, disk(three), 1}.append(nil),
		"a welcome of fixed":  answer{welcome, two}.append(nil),
		"a refusal of fixed":  answer{WrongVersion, two}.append(nil),
		"stale":               reply{answer{StaleAddress, two}, disk(three), 1}.append(nil),
		"a later version":     append([]byte("BULLY\x05\x11\x00"), two[:]...),
		"too short":           []byte("BULLY\x04\x10\x000000000000000000"),
		"version 4, 3 behind": append([]byte("BULLY\x04\x11\x00"), two[:]...),
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
				o, err := readOffer(conn, changingVersion)
				require.NoError(t, err)
				require.Equal(t, offer{hello{one, two, "test"}, node.Addr().String(), disk(one), disk(two), node.boot}, o)
				_, err = conn.Write(said)
				require.NoError(t, err)
				require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
				ends(t, conn)
				require.NoError(t, conn.Close())
			}
			event, ok := node.Next()
			require.False(t, ok, event)
			for part, says := range map[string]string{"stale": "the disk of this node is not", "disk": "incarnation 00000000d15c0003 of node 2 answers", "fixed": "wrong version of the handshake"} {
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
			return strings.Contains(l.String(), "members change at one end") &&
				strings.Contains(l.String(), "those of this cluster")
		})
	}
	for _, node := range []*TCP{fixed, changing} {
		for e, ok := node.Next(); ok; e, ok = node.Next() {
			require.Equal(t, Dead, e.Kind) // the first one, before the second was started
		}
		require.NotZero(t, node.Stats().Refused[WrongVersion])
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

func FuzzOffer(f *testing.F) {
	f.Add(offerOf(two).append(nil))
	f.Add(hello{two, one, "test"}.append(nil))
	f.Add([]byte("BULLY\x05\x00"))
	f.Fuzz(func(t *testing.T, said []byte) {
		r := bytes.NewReader(said)
		o, err := readOffer(r, changingVersion)
		if err != nil {
			require.Zero(t, o)
			return
		}
		require.Equal(t, said[:len(said)-r.Len()], o.append(nil), "what is accepted has one form")
		require.True(t, o.from.Valid() && o.to.Valid() && validCluster(o.cluster) && validAddress(o.address))
	})
}

func FuzzReply(f *testing.F) {
	f.Add(reply{answer{welcome, one}, 1, 2}.append(nil))
	f.Add(answer{WrongVersion, two}.append(nil))
	f.Add([]byte("BULLY\x04\x21"))
	f.Fuzz(func(t *testing.T, said []byte) {
		r := bytes.NewReader(said)
		a, err := readReply(r, changingVersion)
		if err != nil {
			require.Zero(t, a)
			return
		}
		again := a.append(nil)
		if said[len(magic)] == transportVersion {
			require.NotEqual(t, welcome, a.code)
			again = a.answer.append(nil)
		}
		require.Equal(t, said[:len(said)-r.Len()], again, "what is accepted has one form")
	})
}
