package localcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
)

// Floor is what a failover after kill -9 cannot do without, each measured by itself: the medians.
type Floor struct {
	Teardown time.Duration // from the kill until the node's address refuses: the kernel gives the memory back before it closes sockets
	Message  time.Duration // from one process to another of this machine and the network between
	Save     time.Duration // of a promise
}

// The messages and saves that wait for each other when a leader is proved dead (decision 0017).
const (
	floorMessages = 5
	floorSaves    = 2
)

// Total returns the sum: one teardown, five messages, two saves.
func (f Floor) Total() time.Duration {
	return f.Teardown + floorMessages*f.Message + floorSaves*f.Save
}

// MeasureFloor measures the floor of a node with this command line, whose teardown it does so often.
func MeasureFloor(ctx context.Context, command []string, rounds int) (f Floor, err error) {
	if f.Teardown, err = measureTeardown(ctx, command, rounds); err != nil {
		return f, fmt.Errorf("how long the end of a node takes: %w", err)
	}
	if f.Message, err = measureMessage(); err != nil {
		return f, fmt.Errorf("how long a message takes: %w", err)
	}
	if f.Save, err = measureSave(); err != nil {
		return f, fmt.Errorf("how long a save takes: %w", err)
	}
	return f, nil
}

// measureTeardown kills a node that leads alone, and dials it until its address refuses.
func measureTeardown(ctx context.Context, command []string, rounds int) (time.Duration, error) {
	c, err := New(Config{Nodes: 1, Command: command})
	if err != nil {
		return 0, err
	}
	defer func() { _ = c.Close() }()
	var took []time.Duration
	var above uint64
	for range rounds {
		if err := c.Start(); err != nil {
			return 0, err
		}
		reign, err := c.agreeSoon(ctx, above)
		if err != nil {
			return 0, err
		}
		above = reign.Epoch
		at, _, err := c.signal(syscall.SIGKILL, []int{1})
		if err != nil {
			return 0, err
		}
		if err := refuses(ctx, c.nodes[0].addr); err != nil {
			return 0, err
		}
		took = append(took, time.Since(at))
		p, err := c.nodes[0].current()
		if err == nil {
			<-p.gone
		}
	}
	return Median(took), nil
}

// agreeSoon waits a minute at most until the only node leads.
func (c *Cluster) agreeSoon(ctx context.Context, above uint64) (Reign, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return c.Agree(ctx, above, 1)
}

// refuses dials an address until it refuses.
func refuses(ctx context.Context, address string) error {
	var dialer net.Dialer
	for {
		conn, err := dialer.DialContext(ctx, "tcp", address)
		switch {
		case errors.Is(err, syscall.ECONNREFUSED):
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			_ = conn.Close()
		}
	}
}

// measureMessage sends a few bytes to and fro over TCP.
func measureMessage() (time.Duration, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = listener.Close() }()
	go func() {
		if conn, err := listener.Accept(); err == nil {
			_, _ = io.Copy(conn, conn)
			_ = conn.Close()
		}
	}()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }()
	there := make([]byte, spec.MessageSize)
	var took []time.Duration
	for range 200 {
		at := time.Now()
		if _, err := conn.Write(there); err != nil {
			return 0, err
		}
		if _, err := io.ReadFull(conn, there); err != nil {
			return 0, err
		}
		took = append(took, time.Since(at)/2)
	}
	return Median(took), nil
}

// measureSave saves promises where clusters keep theirs.
func measureSave() (_ time.Duration, err error) {
	dir, err := os.MkdirTemp("", "bully-floor-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	one := spec.IntegerID(1)
	file, err := storage.Open(dir, one, []spec.NodeID{one})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	var took []time.Duration
	for epoch := range spec.Epoch(50) {
		at := time.Now()
		if err := file.Save(spec.Durable{Epoch: epoch}); err != nil {
			return 0, err
		}
		took = append(took, time.Since(at))
	}
	return Median(took), nil
}
