// Package nameserver is a small DNS server for tests, on loopback:
//
//	names, err := nameserver.Start()
//	if err != nil {
//		return err
//	}
//	defer names.Close()
//	names.Serve("_peer._tcp.bully", nameserver.Target{Host: "bully-0.bully", Port: 7000})
//	names.Host("bully-0.bully", "127.0.0.2")
//
// It answers what it was told last, by UDP and TCP, or can be made to say nothing, or to cut its answers short.
package nameserver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
)

// The types of records.
const (
	typeA   = 1
	typePTR = 12
	typeSRV = 33
)

// Behaviour is how a server treats its clients.
type Behaviour uint8

const (
	// Answers by UDP and TCP.
	Answers Behaviour = iota
	// Silent does not answer.
	Silent
	// Truncates what it says by UDP to nothing, and says so; the whole is to be asked for by TCP.
	Truncates
	// TruncatesAll does that by UDP and takes no TCP connection.
	TruncatesAll
)

// Target is what a SRV record says.
type Target struct {
	Host string
	Port uint16
}

// record is one record, without its name.
type record struct {
	kind uint16
	data []byte
}

// Server is a name server.
type Server struct {
	udp *net.UDPConn
	tcp net.Listener

	mu        sync.Mutex
	records   map[string][]record // by name
	behaviour Behaviour
	asked     int
	serving   sync.WaitGroup
}

// attempts is how many ports are tried: one must be free for both protocols.
const attempts = 50

// Start begins to serve on a port of loopback.
func Start() (*Server, error) {
	var failed error
	for range attempts {
		s := &Server{records: map[string][]record{}}
		if failed = s.listen(); failed == nil {
			s.serving.Go(s.serveUDP)
			s.serving.Go(s.serveTCP)
			return s, nil
		}
	}
	return nil, fmt.Errorf("nameserver: no port is free in %d attempts: %w", attempts, failed)
}

func (s *Server) listen() (err error) {
	if s.tcp, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	at, _ := s.tcp.Addr().(*net.TCPAddr)
	if s.udp, err = net.ListenUDP("udp", &net.UDPAddr{IP: at.IP, Port: at.Port}); err != nil {
		return errors.Join(err, s.tcp.Close())
	}
	return nil
}

// Address is where it is asked, host:port.
func (s *Server) Address() string { return s.tcp.Addr().String() }

// Close ends the server.
func (s *Server) Close() error {
	err := errors.Join(s.udp.Close(), s.tcp.Close())
	s.serving.Wait()
	return err
}

// Behave changes how it treats its clients.
func (s *Server) Behave(b Behaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behaviour = b
}

// Asked returns how many questions have come.
func (s *Server) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// Serve sets the SRV records of a name. With none the name is there, and empty.
func (s *Server) Serve(name string, targets ...Target) {
	var all []record
	for _, t := range targets {
		data := binary.BigEndian.AppendUint16([]byte{0, 1, 0, 1}, t.Port) // priority, weight
		all = append(all, record{typeSRV, appendName(data, t.Host)})
	}
	s.set(name, typeSRV, all)
}

// Host sets the addresses of a name. Of each, the name is what a reverse lookup gives.
func (s *Server) Host(name string, addresses ...string) {
	var all []record
	for _, text := range addresses {
		address := netip.MustParseAddr(text).As4()
		all = append(all, record{typeA, address[:]})
		s.set(fmt.Sprintf("%d.%d.%d.%d.in-addr.arpa", address[3], address[2], address[1], address[0]), typePTR, []record{{typePTR, appendName(nil, name)}})
	}
	s.set(name, typeA, all)
}

// Pool sets the addresses of a name that many hosts have, and leaves their own names as they are.
func (s *Server) Pool(name string, addresses ...string) {
	var all []record
	for _, text := range addresses {
		address := netip.MustParseAddr(text).As4()
		all = append(all, record{typeA, address[:]})
	}
	s.set(name, typeA, all)
}

// Forget makes a name one that there is not.
func (s *Server) Forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.records, strings.ToLower(name))
}

func (s *Server) set(name string, kind uint16, all []record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name = strings.ToLower(name)
	others := slices.DeleteFunc(slices.Clone(s.records[name]), func(r record) bool { return r.kind == kind })
	s.records[name] = append(others, all...)
}

func (s *Server) serveUDP() {
	buffer := make([]byte, 4096)
	for {
		n, from, err := s.udp.ReadFromUDPAddrPort(buffer)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if said := s.answer(buffer[:n], false); err == nil && said != nil {
			_, _ = s.udp.WriteToUDPAddrPort(said, from)
		}
	}
}

func (s *Server) serveTCP() {
	for {
		conn, err := s.tcp.Accept()
		if err != nil {
			return
		}
		s.talk(conn)
		_ = conn.Close()
	}
}

// talk answers one question.
func (s *Server) talk(conn net.Conn) {
	var size [2]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return
	}
	question := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(conn, question); err != nil {
		return
	}
	if said := s.answer(question, true); said != nil {
		_, _ = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(said))), said...))
	}
}

// The parts of an answer's head.
const (
	headSize       = 12
	isAnswer       = 0x8480 // an answer, with authority, of one that looks further
	isTruncated    = 0x0200
	noSuchName     = 3
	nameOfQuestion = 0xc00c // a pointer to it
)

// answer returns the answer to a question, or nil if there is none.
func (s *Server) answer(question []byte, whole bool) []byte {
	name, end, ok := readName(question)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if !ok || s.behaviour == Silent || whole && s.behaviour == TruncatesAll {
		return nil
	}
	flags, count := uint16(isAnswer), uint16(0)
	all, there := s.records[name]
	if !there {
		flags |= noSuchName
	}
	kind := binary.BigEndian.Uint16(question[end-4:])
	var body []byte
	for _, r := range all {
		if r.kind == kind {
			count++
			body = binary.BigEndian.AppendUint16(body, nameOfQuestion)
			body = binary.BigEndian.AppendUint16(body, kind)
			body = append(body, 0, 1, 0, 0, 0, 0) // IN, for no time
			body = append(binary.BigEndian.AppendUint16(body, uint16(len(r.data))), r.data...)
		}
	}
	if !whole && s.behaviour != Answers {
		flags, count, body = flags|isTruncated, 0, nil
	}
	said := append([]byte(nil), question[:2]...)
	for _, n := range []uint16{flags, 1, count, 0, 0} {
		said = binary.BigEndian.AppendUint16(said, n)
	}
	return append(append(said, question[headSize:end]...), body...)
}

// readName reads the name that a question is for, in lower case, and returns where the question ends.
func readName(question []byte) (name string, end int, ok bool) {
	var labels []string
	for at := headSize; at < len(question); {
		size := int(question[at])
		at++
		if size == 0 {
			return strings.ToLower(strings.Join(labels, ".")), at + 4, at+4 <= len(question)
		}
		if at+size > len(question) {
			return "", 0, false
		}
		labels = append(labels, string(question[at:at+size]))
		at += size
	}
	return "", 0, false
}

// appendName appends a name as DNS writes it.
func appendName(b []byte, name string) []byte {
	for label := range strings.SplitSeq(strings.TrimSuffix(name, "."), ".") {
		b = append(append(b, byte(len(label))), label...)
	}
	return append(b, 0)
}
