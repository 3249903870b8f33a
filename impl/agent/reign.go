package agent

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Reign is what work is given. Many goroutines may use it.
type Reign struct {
	asks  *http.Client
	epoch uint64
	term  string

	mu       sync.Mutex
	deadline time.Time // of the last lease
	over     bool
}

// Epoch returns the fencing token: give it to the resource with each write, which refuses what is older than the newest that it has seen.
func (r *Reign) Epoch() uint64 { return r.epoch }

// Deadline returns until when the program may act if the node is not heard any more; it moves on by itself, while the node leads. It is
// dated from when the lease was asked for, so it comes before any other node leads. It is the zero time once the reign is over.
func (r *Reign) Deadline() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return time.Time{}
	}
	return r.deadline
}

// acts returns until when the program acts at most: until the end of its last lease, though the reign is over.
func (r *Reign) acts() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.deadline
}

// Valid reports whether the deadline lies ahead, by the monotonic and by the wall clock. Who acts on what is not fenced calls it before
// each act.
func (r *Reign) Valid() bool {
	d, now := r.Deadline(), time.Now()
	return !d.IsZero() && d.Sub(now) > 0 && d.Round(0).Sub(now.Round(0)) > 0
}

// Progress says that work has come further, which it must if Client.Progress is set. It returns ErrNotLeader if the reign is over.
func (r *Reign) Progress(ctx context.Context) error { return r.ask(ctx, http.MethodPost, "/progress") }

// ask asks for the lease, and dates it from before.
func (r *Reign) ask(ctx context.Context, method, path string) error {
	asked := time.Now()
	if r.isOver() {
		return ErrNotLeader
	}
	answer, err := ask(ctx, r.asks, method, path, url.Values{"term": {r.term}})
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	switch answer.StatusCode {
	case http.StatusOK:
	case http.StatusGone:
		return ErrNotLeader
	default:
		return refusal(answer)
	}
	var lease struct {
		HoldsMS int64 `json:"holds_ms"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&lease); err != nil {
		return gone(err)
	}
	if !r.move(asked.Add(time.Duration(lease.HoldsMS) * time.Millisecond)) {
		return ErrNotLeader
	}
	return nil
}

// move moves the deadline, never back. It reports whether the reign goes on: work may have been told that it is over.
func (r *Reign) move(deadline time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if deadline.After(r.deadline) {
		r.deadline = deadline
	}
	return !r.over
}

func (r *Reign) isOver() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.over
}

// end makes the reign over for everybody who holds it.
func (r *Reign) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
}

// keep asks for the lease when half of it is left, and at least each time that is given, until ctx ends or the reign is over.
func (r *Reign) keep(ctx context.Context, each time.Duration) {
	defer r.end()
	for r.Valid() {
		select {
		case <-time.After(max(minPause, min(each, time.Until(r.Deadline())/2))):
		case <-ctx.Done():
			return
		}
		asking, cancel := context.WithDeadline(ctx, r.Deadline())
		err := r.ask(asking, http.MethodGet, "/lease")
		cancel()
		if errors.Is(err, ErrNotLeader) {
			return
		}
	}
}

// minPause lies between two questions at least, when the node does not answer and little is left.
const minPause = time.Millisecond
