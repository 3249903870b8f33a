package main

import (
	"net"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"
)

// layer is raft's TCP, with every byte and every write counted.
type layer struct {
	net.Listener
	sent counters
}

// counters counts what was written to connections. A message of raft is one write as a rule: its frame is buffered and
// flushed at once.
type counters struct {
	bytes, writes atomic.Uint64
}

// listen returns a layer that accepts at an address.
func listen(address string) (*layer, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	return &layer{Listener: listener}, nil
}

// Accept returns the next connection to this node.
func (l *layer) Accept() (net.Conn, error) {
	connection, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &counted{connection, &l.sent}, nil
}

// Dial connects to another node.
func (l *layer) Dial(address raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	connection, err := net.DialTimeout("tcp", string(address), timeout)
	if err != nil {
		return nil, err
	}
	return &counted{connection, &l.sent}, nil
}

// counted is a connection whose writes are counted.
type counted struct {
	net.Conn
	sent *counters
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.sent.bytes.Add(uint64(n))
	c.sent.writes.Add(1)
	return n, err
}
