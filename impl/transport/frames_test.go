package transport

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

func frame(body ...byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func framed(m spec.Message) []byte {
	b, err := spec.AppendFrame(nil, m)
	if err != nil {
		panic(err)
	}
	return b
}

// What is wrong with a frame costs its connection, and no other.
func TestBadFrames(t *testing.T) {
	bad := func(at int, b byte) []byte {
		f := framed(claim(two, one, 500))
		f[at] = b
		return f
	}
	for _, c := range []struct {
		name  string
		bytes []byte
		count func(Stats) uint64
	}{
		{"garbage", []byte("GET / HTTP/1.1\r\n\r\n"), func(s Stats) uint64 { return s.Malformed }},
		{"length of zero", make([]byte, 4), func(s Stats) uint64 { return s.Malformed }},
		{"length above the greatest", []byte{0, 0, 4, 1}, func(s Stats) uint64 { return s.Malformed }},
		{"greatest length there is", []byte{255, 255, 255, 255}, func(s Stats) uint64 { return s.Malformed }},
		{"shorter than a message", frame(framed(claim(two, one, 500))[4:53]...), func(s Stats) uint64 { return s.Malformed }},
		{"longer than a message", frame(append(framed(claim(two, one, 500))[4:], 0)...), func(s Stats) uint64 { return s.Malformed }},
		{"sender that is no id", bad(6, 1), func(s Stats) uint64 { return s.Malformed }},
		{"receiver that is the sender", bad(37, 2), func(s Stats) uint64 { return s.Malformed }},
		{"epoch above the greatest", bad(38, 255), func(s Stats) uint64 { return s.Malformed }},
		{"another sender", framed(claim(three, one, 500)), func(s Stats) uint64 { return s.Spoofed }},
		{"a non-member", framed(claim(nine, one, 500)), func(s Stats) uint64 { return s.Spoofed }},
		{"the receiver's name", framed(claim(one, two, 500)), func(s Stats) uint64 { return s.Spoofed }},
		{"for another", framed(claim(two, three, 500)), func(s Stats) uint64 { return s.Misaddressed }},
		{"configuration cut short", frame(append(framed(claim(two, one, 500))[4:], make([]byte, 20)...)...), func(s Stats) uint64 { return s.Malformed }},
	} {
		t.Run(c.name, func(t *testing.T) {
			node := alone(t, nil)
			other := connectAs(t, node, three)
			conn := connectAs(t, node, two)
			write(t, conn, claim(two, one, 1))
			untilEpoch(t, node, 1)
			_, err := conn.Write(append(c.bytes, framed(claim(two, one, 2))...))
			require.NoError(t, err)
			ends(t, conn)
			eventually(t, "it is counted", func() bool { return c.count(node.Stats()) == 1 })
			write(t, other, claim(three, one, 3))
			require.Len(t, untilEpoch(t, node, 3), 1, "what follows on a bad frame is not read")
			stats := node.Stats()
			require.Equal(t, uint64(1), stats.Malformed+stats.Spoofed+stats.Misaddressed)
			require.Zero(t, stats.Unknown+stats.Stalled+stats.Unwelcome)
			// Its node may come again.
			write(t, connectAs(t, node, two), claim(two, one, 4))
			require.Len(t, untilEpoch(t, node, 4), 1)
		})
	}
}

// Frames of a later version or type are passed over (section 7, R34.3).
func TestUnknownFrames(t *testing.T) {
	node := alone(t, nil)
	conn := connectAs(t, node, two)
	laterType := framed(claim(two, one, 500))
	laterType[5] = 12
	for i, unknown := range [][]byte{
		laterType, frame(4), frame(append([]byte{4}, make([]byte, spec.MaxFrame-1)...)...), frame(0, 0),
	} {
		_, err := conn.Write(append(unknown, framed(claim(two, one, i))...))
		require.NoError(t, err)
		require.Len(t, untilEpoch(t, node, i), 1)
	}
	require.Equal(t, uint64(4), node.Stats().Unknown)
	require.Zero(t, node.Stats().Malformed)
}

// A frame that has begun must end in time, however it comes.
func TestSlowFrames(t *testing.T) {
	whole := framed(claim(two, one, 1))
	for _, c := range []struct {
		name string
		send func(net.Conn)
	}{
		{"one byte", func(conn net.Conn) { conn.Write(whole[:1]) }},
		{"half", func(conn net.Conn) { conn.Write(whole[:20]) }},
		{"half, after a whole one", func(conn net.Conn) { conn.Write(append(framed(claim(two, one, 2)), whole[:20]...)) }},
		{"half of a long one", func(conn net.Conn) { conn.Write(append([]byte{0, 0, 4, 0}, make([]byte, 900)...)) }},
		{"half, some time after one in two parts", func(conn net.Conn) {
			for _, part := range [][]byte{framed(claim(two, one, 2))[:30], framed(claim(two, one, 2))[30:], whole[:20]} {
				conn.Write(part)
				time.Sleep(10 * time.Millisecond)
			}
		}},
		{"byte by byte", func(conn net.Conn) {
			for i := range whole {
				if _, err := conn.Write(whole[i : i+1]); err != nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			node := alone(t, func(c *Config) { c.FrameTimeout = 50 * time.Millisecond })
			conn := connectAs(t, node, two)
			c.send(conn)
			ends(t, conn)
			eventually(t, "it is counted", func() bool { return node.Stats().Stalled == 1 })
			write(t, connectAs(t, node, three), claim(three, one, 3))
			require.Empty(t, slicesIndex(epochs(untilEpoch(t, node, 3), two), 1))
		})
	}
}

func slicesIndex(epochs []int, epoch int) (found []int) {
	for _, e := range epochs {
		if e == epoch {
			found = append(found, e)
		}
	}
	return found
}

// Between frames there may be any time, also after one that came in two parts: no deadline is left.
func TestPatientBetweenFrames(t *testing.T) {
	conns := make(chan net.Conn, 1)
	node := alone(t, func(c *Config) { c.Listener = keeping{c.Listener, conns} })
	conn := connectAs(t, node, two)
	accepted := (<-conns).(*timed)
	eventually(t, "the handshake has no deadline any more", func() bool { return accepted.deadline.Load() == 0 })
	for i := range 3 {
		whole := append(framed(claim(two, one, 2*i)), framed(claim(two, one, 2*i+1))...)
		_, err := conn.Write(whole[:60])
		require.NoError(t, err)
		untilEpoch(t, node, 2*i)
		eventually(t, "a frame has begun", func() bool { return accepted.deadline.Load() != 0 })
		_, err = conn.Write(whole[60:])
		require.NoError(t, err)
		untilEpoch(t, node, 2*i+1)
		eventually(t, "no frame has begun", func() bool { return accepted.deadline.Load() == 0 })
	}
}

// A keeping listener keeps what it accepts.
type keeping struct {
	net.Listener
	conns chan<- net.Conn
}

func (k keeping) Accept() (net.Conn, error) {
	conn, err := k.Listener.Accept()
	if err == nil {
		conn = &timed{TCPConn: conn.(*net.TCPConn)}
		k.conns <- conn
	}
	return conn, err
}

// A timed connection knows until when it may be read; 0 is for ever.
type timed struct {
	*net.TCPConn
	deadline atomic.Int64
}

func (c *timed) SetDeadline(at time.Time) error {
	_ = c.SetReadDeadline(at)
	return c.TCPConn.SetDeadline(at)
}

func (c *timed) SetReadDeadline(at time.Time) error {
	if at.IsZero() {
		c.deadline.Store(0)
	} else {
		c.deadline.Store(at.UnixNano())
	}
	return c.TCPConn.SetReadDeadline(at)
}

// A piecemeal connection gives what is read from it in pieces of the sizes in sizes, over and over.
type piecemeal struct {
	net.Conn
	data  []byte
	sizes []byte
	reads int
}

func (p *piecemeal) SetReadDeadline(time.Time) error { return nil }

func (p *piecemeal) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	size := len(b)
	if len(p.sizes) > 0 {
		size = int(p.sizes[p.reads%len(p.sizes)]) + 1
		p.reads++
	}
	n := copy(b[:min(size, len(b))], p.data)
	p.data = p.data[n:]
	return n, nil
}

// However a stream is cut up, it is read as spec.ReadFrame reads it.
func FuzzFrames(f *testing.F) {
	good := append(framed(claim(two, one, 1)), framed(claim(one, two, 2))...)
	changing := claim(two, one, 4)
	changing.Configuration = fiveMembers(f)
	f.Add(append(framed(changing), good...), []byte{100, 30})
	f.Add(good, []byte{0})
	f.Add(good, []byte{3, 40, 200})
	f.Add(good[:50], []byte{})
	f.Add(append(frame(2, 0, 1), good...), []byte{7})
	f.Add(append(frame(3, 0, 1), good...), []byte{7})
	f.Add(append(frame(append([]byte{9}, make([]byte, spec.MaxFrame-1)...)...), good...), []byte{255})
	f.Add(append(good, 0, 0, 4, 1), []byte{50})
	f.Add(make([]byte, 4), []byte{})
	f.Fuzz(func(t *testing.T, stream, sizes []byte) {
		reader := bytes.NewReader(stream)
		got := frames{conn: &piecemeal{data: stream, sizes: sizes}, timeout: time.Second}
		for {
			want, wantErr := spec.ReadFrame(reader)
			m, err := got.next()
			require.Equal(t, wantErr, err)
			require.Equal(t, want, m)
			if err != nil && !errors.Is(err, spec.ErrWireVersion) && !errors.Is(err, spec.ErrMessageType) {
				return
			}
		}
	})
}
