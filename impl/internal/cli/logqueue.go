package cli

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// What a LogQueue holds at most: so many writes, of so many bytes together. A node logs some ten lines an election.
const (
	maxLogWrites = 1024
	maxLogBytes  = 1 << 20
)

// LogQueue is an io.Writer that lets a program log without ever waiting for whoever reads its log: a terminal that is held, a pipe whose
// reader has stopped, a disk that hangs. A node that waits for its log answers nobody, and could not even be told to stop.
//
//	log := cli.NewLogQueue(os.Stderr, nil)
//	defer log.Close(time.Second)
//	h, err := host.New(host.Config{…, Logger: slog.New(slog.NewTextHandler(log, nil))})
//
// What finds no room is dropped and counted, and the count is logged once there is room again. It may be used by any number of
// goroutines.
type LogQueue struct {
	w       io.Writer
	says    func(dropped uint64) string
	queue   chan []byte
	bytes   atomic.Int64  // in the queue
	dropped atomic.Uint64 // since NewLogQueue
	ended   chan struct{} // closed when nothing more is written

	mu     sync.Mutex // guards closed, and that nothing is put into a closed queue
	closed bool
}

// NewLogQueue returns a LogQueue in front of w, to which it writes from a goroutine of its own, until Close. Says makes the text that is
// written when so many writes have been dropped since it was last called, for logs that are to be read by programs; nil is a line of
// plain English.
func NewLogQueue(w io.Writer, says func(dropped uint64) string) *LogQueue {
	if says == nil {
		says = func(n uint64) string {
			return fmt.Sprintf("log: %d lines were dropped: whoever reads this log was too slow\n", n)
		}
	}
	q := &LogQueue{w: w, says: says, queue: make(chan []byte, maxLogWrites), ended: make(chan struct{})}
	go q.run()
	return q
}

// Write implements io.Writer: one call is written by one call, or dropped as a whole. It never waits and never fails.
func (q *LogQueue) Write(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.put(p) {
		q.dropped.Add(1)
	}
	return len(p), nil
}

// put puts a copy of p into the queue, if there is room.
func (q *LogQueue) put(p []byte) bool {
	if q.closed || q.bytes.Load()+int64(len(p)) > maxLogBytes {
		return false
	}
	select {
	case q.queue <- append([]byte(nil), p...):
		q.bytes.Add(int64(len(p)))
		return true
	default:
		return false
	}
}

// run writes what is in the queue. What w says is passed over: there is nobody to tell.
func (q *LogQueue) run() {
	defer close(q.ended)
	said := uint64(0)
	for p := range q.queue {
		q.bytes.Add(-int64(len(p)))
		_, _ = q.w.Write(p)
		if now := q.dropped.Load(); now != said {
			_, _ = io.WriteString(q.w, q.says(now-said))
			said = now
		}
	}
}

// Dropped returns how many writes have been dropped since NewLogQueue.
func (q *LogQueue) Dropped() uint64 { return q.dropped.Load() }

// Close takes nothing more, waits until all is written, but no longer than patience, and reports whether it is. What is not written
// then is written when the reader goes on, if the program still runs.
func (q *LogQueue) Close(patience time.Duration) bool {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		close(q.queue)
	}
	q.mu.Unlock()
	return within(patience, q.ended)
}
