package transport

import (
	"bytes"
	"encoding/binary"
	"io"
	"maps"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// The answer to each hello that is not welcome; it costs nobody else anything.
func TestRefusals(t *testing.T) {
	node := alone(t, nil)
	member := connectAs(t, node, two)
	with := func(change func(*hello)) []byte {
		h := helloOf(three)
		change(&h)
		return h.append(nil)
	}
	version2 := helloOf(three).append(nil)
	version2[len(magic)] = 2
	longer := append([]byte(magic+"\x09\x00\xff"), make([]byte, 255)...)
	for i, c := range []struct {
		name  string
		hello []byte
		code  Refusal
	}{
		{"another cluster", with(func(h *hello) { h.cluster = "toast" }), WrongCluster},
		{"another cluster, longer", with(func(h *hello) { h.cluster = "test-2" }), WrongCluster},
		{"for another node", with(func(h *hello) { h.to = two }), wrongNodeRefusal},
		{"a non-member", helloOf(nine).append(nil), nonMemberRefusal},
		{"this node itself", helloOf(one).append(nil), itselfRefusal},
		{"of changing members", with(func(h *hello) { h.incarnation = 7 }), otherKindRefusal},
		{"of other members", with(func(h *hello) { h.wanted = node.config.digest() + 1 }), otherMembersRefusal},
		{"a later version", version2, WrongVersion},
		{"a later version of another form", longer, WrongVersion},
	} {
		conn := connect(t, node)
		_, err := conn.Write(c.hello)
		require.NoError(t, err)
		a, err := readAnswer(conn)
		require.NoError(t, err, c.name)
		require.Equal(t, answer{c.code, one, node.life()}, a, c.name)
		ends(t, conn)
		write(t, member, claim(two, one, i))
		untilEpoch(t, node, i)
	}
	stats := node.Stats()
	require.Equal(t, map[Refusal]uint64{WrongCluster: 2, wrongNodeRefusal: 1, nonMemberRefusal: 1, itselfRefusal: 1, otherKindRefusal: 1, otherMembersRefusal: 1, WrongVersion: 2}, happened(t, stats))
	eventually(t, "those who were refused are gone", func() bool { return node.Stats().Unwelcome == 9 })
	require.Zero(t, stats.Links[0].Replaced)
	require.True(t, stats.Links[0].Hears, "refused hellos must not end the connection of a member")
}

// What is no handshake is not answered.
func TestNoHandshake(t *testing.T) {
	node := alone(t, nil)
	member := connectAs(t, node, two)
	with := func(change func(*hello)) string {
		h := helloOf(three)
		change(&h)
		return string(h.append(nil))
	}
	for i, c := range []struct{ name, bytes string }{
		{"HTTP", "GET / HTTP/1.1\r\n\r\n"},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"},
		{"an answer", string(answer{code: welcome, node: three}.append(nil))},
		{"no cluster", with(func(h *hello) { h.cluster = "" })},
		{"a cluster that is no name", with(func(h *hello) { h.cluster = "a b" })},
		{"a cluster that is too long", with(func(h *hello) { h.cluster = strings.Repeat("a", 65) })},
		{"an id that is none", with(func(h *hello) { h.from[0] = 1 })},
		{"an address with a space", with(func(h *hello) { h.address = "a b" })},
		{"an address that is too long", with(func(h *hello) { h.address = strings.Repeat("a", 129) })},
		{"no boot", with(func(h *hello) { h.boot = 0 })},
		{"too many numbers", with(func(h *hello) { h.reserved = spec.MaxReserved + 1 })},
		{"an epoch that is none", with(func(h *hello) { h.epoch = spec.MaxEpoch + 1 })},
		{"a configuration above the epoch", with(func(h *hello) { h.incarnation, h.epoch, h.configuration.Epoch = 1, 4, 5 })},
		{"a version that is none", with(func(h *hello) { h.incarnation, h.configuration.Version = 1, spec.MaxVersion+1 })},
		{"a version of fixed members", with(func(h *hello) { h.configuration.Version = 1 })},
		{"neither promised nor not", strings.Replace(with(func(h *hello) { h.granted = true }), "\x01\x04test", "\x04\x04test", 1)},
		{"too short", magic + "\x03\x00\x59" + strings.Repeat("\x00", 89)},
		{"too long", magic + "\x03\xff\xff" + strings.Repeat("\x00", 300)},
		{"zeros", strings.Repeat("\x00", 100)},
		{"cut short", "BULLY\x03\x00\x5e\x00"},
	} {
		conn := connect(t, node)
		_, err := io.WriteString(conn, c.bytes)
		require.NoError(t, err)
		_ = conn.(*net.TCPConn).CloseWrite() // the other end may be gone already
		answered, _ := io.ReadAll(conn)
		require.Empty(t, answered, c.name)
		write(t, member, claim(two, one, i))
		untilEpoch(t, node, i)
	}
	eventually(t, "all are gone", func() bool { s := node.Stats(); return s.Unwelcome == 20 && s.Pending == 0 })
}

// The longest hello that there can be is read, and one byte more is refused before anything of it is read: there is no room for it.
func TestLongestHandshake(t *testing.T) {
	longest := helloOf(three)
	longest.bundles = true
	longest.cluster, longest.address = strings.Repeat("a", maxCluster), strings.Repeat("b", spec.MaxAddress)
	said := longest.append(nil)
	require.Len(t, said, headSize+maxBody)
	h, err := readHello(bytes.NewReader(said))
	require.NoError(t, err)
	require.Equal(t, longest, h)

	for _, size := range []int{maxBody + 1, 2 * maxBody, 2*maxBody + 1, 1<<16 - 1} {
		said := append(binary.BigEndian.AppendUint16([]byte(magic+"\x03"), uint16(size)), make([]byte, size)...)
		for name, read := range map[string]func(io.Reader) error{
			"hello":  func(r io.Reader) error { _, err := readHello(r); return err },
			"answer": func(r io.Reader) error { _, err := readAnswer(r); return err },
		} {
			r := bytes.NewReader(said)
			var err error
			require.NotPanics(t, func() { err = read(r) }, "%s of %d bytes", name, size)
			require.ErrorIs(t, err, errMagic, "%s of %d bytes", name, size)
			require.Equal(t, size, r.Len(), "nothing more of it is read")
		}
	}
}

// Who says nothing, or not enough, is closed.
func TestSlowHandshake(t *testing.T) {
	node := alone(t, func(c *Config) { c.HandshakeTimeout = 50 * time.Millisecond })
	ends(t, connect(t, node))
	half := connect(t, node)
	_, err := io.WriteString(half, "BULLY")
	require.NoError(t, err)
	ends(t, half)
	eventually(t, "both are counted", func() bool { return node.Stats().Stalled == 2 })

	// One byte at a time gains no time.
	drip := connect(t, node)
	said := helloOf(two).append(nil)
	var failed error
	for i := 0; i < len(said) && failed == nil; i++ {
		_, failed = drip.Write(said[i : i+1])
		time.Sleep(10 * time.Millisecond)
	}
	ends(t, drip)
	require.False(t, node.Stats().Links[0].Hears, "a handshake that never ends must not make a connection")
	eventually(t, "it is counted", func() bool { return node.Stats().Stalled == 3 })
}

// Both ends of a connection that is refused say why. (The dialler is 3 each time.)
func TestRefusalIsLogged(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Config)
		said   string
	}{
		{"cluster", func(c *Config) { c.Cluster = "toast" }, "refused by node 1: wrong cluster"},
		{"non-member", func(c *Config) { c.ID = nine; c.Members[nine] = c.Members[three] + "0" }, "refused by node 1: non-member"},
		{"itself", func(c *Config) { c.Members[two] = c.Listener.Addr().String(); c.Members[three] = "" }, "refused by node 3: itself"},
		{"members", func(c *Config) { c.Members[nine] = "127.0.0.1:3" }, "refused by node 1: other members were given to this node"},
		{"node", func(c *Config) { c.Members[two], c.Members[one] = c.Members[one], c.Members[two] }, "refused by node 1: wrong node"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var said, heard log
			acceptor := alone(t, func(c *Config) { c.Logger = heard.logger() })
			config := Config{ID: three, Cluster: "test", Listener: listen(t), Logger: said.logger(), BackoffMax: time.Millisecond, BackoffMin: time.Millisecond,
				Members: map[spec.NodeID]string{one: acceptor.Addr().String(), two: "127.0.0.1:1", three: "127.0.0.1:2"}}
			c.change(&config)
			dialler := startTCP(t, config)
			eventually(t, "the dialler logs it", func() bool { return strings.Contains(said.String(), c.said) })
			require.Contains(t, said.String(), "level=WARN")
			if c.name != "itself" {
				eventually(t, "the acceptor logs it", func() bool { return strings.Contains(heard.String(), "refused: it") })
			}
			eventually(t, "it is dialled again", func() bool {
				return dialler.Stats().Links[0].Dials > 2 || c.name == "itself" && dialler.Stats().Links[1].Dials > 2
			})
			require.Equal(t, 1, strings.Count(said.String(), c.said), "a reason is told once")
		})
	}
}

// Two programs that speak different versions of the handshake do not connect, and each says which of the two is older: the one that
// accepts, and the one that dials and is answered in the version of the other. It is a warning, as people have to act.
func TestOlderIsNamed(t *testing.T) {
	for theirs, said := range map[byte]string{
		version - 1: "speaks version 2, and this node version 3: the other end is older, upgrade it",
		version + 1: "speaks version 4, and this node version 3: this node is older, upgrade it",
	} {
		other := listen(t)
		var accepts, dials log
		node := alone(t, func(c *Config) { c.Logger = accepts.logger() })
		startTCP(t, Config{ID: one, Cluster: "test", Listener: listen(t), Logger: dials.logger(), BackoffMin: time.Millisecond, BackoffMax: time.Millisecond,
			Members: map[spec.NodeID]string{one: "", two: other.Addr().String()}})

		greeting := helloOf(two).append(nil)
		greeting[len(magic)] = theirs
		_, err := connect(t, node).Write(greeting)
		require.NoError(t, err)
		eventually(t, "who accepts says it", func() bool { return strings.Contains(accepts.String(), said) })
		require.Contains(t, accepts.String(), "refused: wrong version of the handshake")

		conn, err := other.Accept()
		require.NoError(t, err)
		_, err = readHello(conn)
		require.NoError(t, err)
		reply := answer{code: WrongVersion, node: two}.append(nil)
		reply[len(magic)] = theirs
		_, err = conn.Write(reply)
		require.NoError(t, err)
		eventually(t, "who dials says it", func() bool { return strings.Contains(dials.String(), said) })
		require.Contains(t, dials.String(), "level=WARN")
		require.NoError(t, conn.Close())
	}
}

// The dialler takes nobody else's answer for that of the node it wants.
func TestWrongAnswer(t *testing.T) {
	for name, said := range map[string][]byte{
		"another node": answer{code: welcome, node: three}.append(nil),
		"an echo":      nil,
		"no answer":    []byte("HTTP/1.1 400 Bad Request\r\n\r\n"),
		"a version":    append([]byte("BULLY\x04\x00\x11\x00"), two[:]...),
		"too short":    []byte("BULLY\x03\x00\x10\x000000000000000000"),
		"no node":      append([]byte("BULLY\x03\x00\x42\x00"), make([]byte, 65)...),
		"no record":    answer{welcome, two, life{boot: 1, record: record{reserved: spec.MaxReserved + 1}}}.append(nil),
		"half a word":  append(answer{code: welcome, node: two}.append(nil)[:headSize+answerSize-1], 4),
	} {
		t.Run(name, func(t *testing.T) {
			listener := listen(t)
			node := startTCP(t, Config{ID: one, Cluster: "test", Listener: listen(t), BackoffMin: time.Millisecond, BackoffMax: time.Millisecond,
				Members: map[spec.NodeID]string{one: "", two: listener.Addr().String()}})
			for range 3 {
				conn, err := listener.Accept()
				require.NoError(t, err)
				h, err := readHello(conn)
				require.NoError(t, err)
				require.Equal(t, hello{from: one, to: two, cluster: "test", wanted: node.config.digest(), life: node.life()}, h)
				if said == nil {
					_, err = conn.Write(h.append(nil))
				} else {
					_, err = conn.Write(said)
				}
				require.NoError(t, err)
				require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
				ends(t, conn)
				require.NoError(t, conn.Close())
			}
			event, ok := node.Next()
			require.False(t, ok, event)
		})
	}
}

// A node that is handed a connection of its own says so, and goes on.
func TestSelfConnection(t *testing.T) {
	listener := listen(t)
	node := startTCP(t, Config{ID: one, Cluster: "test", Listener: listener, BackoffMin: time.Millisecond, BackoffMax: time.Millisecond,
		Members: map[spec.NodeID]string{one: "", two: listener.Addr().String()}})
	eventually(t, "it refuses itself", func() bool { return node.Stats().Refused[itselfRefusal] > 2 })
	event, ok := node.Next()
	require.False(t, ok, event)
}

func FuzzHello(f *testing.F) {
	f.Add(helloOf(two).append(nil))
	f.Add([]byte("BULLY\x04\x00\x00"))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, said []byte) {
		r := bytes.NewReader(said)
		h, err := readHello(r)
		if err != nil {
			require.Zero(t, h)
			return
		}
		require.Equal(t, said[:len(said)-r.Len()], h.append(nil), "what is accepted has one form")
		require.True(t, h.from.Valid() && h.to.Valid() && validCluster(h.cluster) && validAddress(h.address) && h.boot != 0, "an accepted hello must be valid in each field")
	})
}

func FuzzAnswer(f *testing.F) {
	f.Add(answer{welcome, one, life{1, 2, record{3, 4, true, spec.Stamp{Epoch: 4, Version: 5}, 6}, true}}.append(nil))
	f.Add(answer{code: supersededRefusal, node: two}.append(nil))
	f.Add([]byte("BULLY\x03\x00\x42"))
	f.Fuzz(func(t *testing.T, said []byte) {
		r := bytes.NewReader(said)
		a, err := readAnswer(r)
		if err != nil {
			require.Zero(t, a)
			return
		}
		require.Equal(t, said[:len(said)-r.Len()], a.append(nil), "what is accepted has one form")
		require.NotEmpty(t, a.code.String())
	})
}

// happened returns which refusals there were, and how many of each. All are there from the start.
func happened(t *testing.T, s Stats) map[Refusal]uint64 {
	t.Helper()
	require.Len(t, s.Refused, len(refusals)-1)
	all := maps.Clone(s.Refused)
	maps.DeleteFunc(all, func(_ Refusal, n uint64) bool { return n == 0 })
	return all
}
