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

// Floor is what a failover cannot do without, each part measured by itself in the same run.
type Floor struct {
	Wait     time.Duration // that the timing sets, before anybody may act on the silence of a node that does not end; 0 after kill
	Teardown time.Duration // from a kill until the node's address refuses: the kernel gives its memory back before it closes its sockets
	Message  time.Duration // from one process of this machine to another
	Save     time.Duration // of a promise
}

// The messages and saves that wait for each other when a leader is proved dead (decision 0017).
const (
	floorMessages = 5
	floorSaves    = 2
)

// Total returns the sum: one wait, one teardown, five messages, two saves.
func (f Floor) Total() time.Duration {
	return f.Wait + f.Teardown + floorMessages*f.Message + floorSaves*f.Save
}

// MeasureFloor returns the floor of failovers that were measured: medians, of messages and saves by themselves, and of their teardowns, if
// their fault is that end. Of nodes that somebody else ends, see [MeasureTeardown].
func MeasureFloor(all []Failover, fault Fault) (f Floor, err error) {
	if fault == FaultKill {
		var ends []time.Duration
		for _, one := range all {
			ends = append(ends, one.Teardown)
		}
		f.Teardown = Median(ends)
	}
	if f.Message, err = measureMessage(); err != nil {
		return f, fmt.Errorf("how long a message takes: %w", err)
	}
	if f.Save, err = measureSave(); err != nil {
		return f, fmt.Errorf("how long a save takes: %w", err)
	}
	return f, nil
}

// MeasureTeardown kills nodes that are alone in their clusters, one after the other, and returns how long it took until their addresses
// refused, the median of rounds.
func MeasureTeardown(ctx context.Context, config Config, rounds int) (time.Duration, error) {
	var took []time.Duration
	config.Nodes = 1
	for range rounds {
		one, err := measureTeardown(ctx, config)
		if err != nil {
			return 0, fmt.Errorf("how long the end of a node takes: %w", err)
		}
		took = append(took, one)
	}
	return Median(took), nil
}

func measureTeardown(ctx context.Context, config Config) (took time.Duration, err error) {
	c, err := New(config)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.Start(); err != nil {
		return 0, err
	}
	if _, err := c.Agree(ctx, 0, 1); err != nil {
		return 0, err
	}
	refuses, err := c.watchEnd(ctx, 1)
	if err != nil {
		return 0, err
	}
	at, err := Failovers{Fault: FaultKill}.strike(ctx, c, 1, 0)
	if err != nil {
		return 0, err
	}
	gone, err := refuses()
	return gone.Sub(at), err
}

// watchEnd returns what waits until a node that is killed refuses, or ctx ends, and returns when that was. It hears a connection to the node
// end, and dials it then, as a follower does.
func (c *Cluster) watchEnd(ctx context.Context, id int) (wait func() (time.Time, error), err error) {
	address := c.nodes[id-1].addr
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	var at time.Time
	context.AfterFunc(ctx, func() { _ = conn.Close() }) // a node that does not end
	go func() {
		_, _ = io.Copy(io.Discard, conn) // it ends in one way or another
		err := refuses(ctx, address)
		at = time.Now()
		_ = conn.Close()
		ended <- err
	}()
	return func() (time.Time, error) {
		err := <-ended
		return at, err
	}, nil
}

// atOnce is how often refuses dials without a pause: what has ended refuses in microseconds, and what lives on after all is not to be flooded.
const atOnce = 1000

// refuses dials an address until it refuses.
func refuses(ctx context.Context, address string) error {
	var dialer net.Dialer
	for tries := 0; ; tries++ {
		if tries >= atOnce {
			if err := sleep(ctx, time.Millisecond); err != nil {
				return err
			}
		}
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
