package web

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"time"
)

// turns are what requests take: so that whoever asks and asks, on many connections at once, does not take the processor from the
// election, and those who ask seldom are answered between those who do. A burst of them begins in a row, and then one at a time.
type turns struct {
	every time.Duration
	burst int

	next chan struct{} // holds a value while one waits for its time; the others wait for that one, in the order in which they came
	free time.Time     // when the turns that were taken are over, if each takes its time; whoever has put the value into next has it
}

// newTurns returns turns that come so often, with a burst of a tenth of a second.
func newTurns(every time.Duration) *turns {
	return &turns{every: every, burst: int(100 * time.Millisecond / every), next: make(chan struct{}, 1)}
}

// How often they come. What balancers and probes ask takes a processor some tens of microseconds, and does not wait for all else, which
// takes up to ten times as long; nor do those two wait for the page, which is of megabytes.
const (
	quickEvery = 500 * time.Microsecond
	otherEvery = 4 * time.Millisecond
	pageEvery  = 50 * time.Millisecond
)

// newQueue returns what says which turns a request takes.
func newQueue() func(*http.Request) *turns {
	quick, other, page := newTurns(quickEvery), newTurns(otherEvery), newTurns(pageEvery)
	return func(r *http.Request) *turns {
		switch r.URL.Path {
		case "/healthz", "/leader", "/leading":
			if r.ContentLength == 0 {
				return quick
			}
		case "/":
			return page
		}
		return other
	}
}

// wait waits until it is the turn of a request, and returns false if ctx has ended before.
func (t *turns) wait(ctx context.Context) bool {
	select {
	case t.next <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	defer func() { <-t.next }()
	if wait := t.take(time.Now()); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// take takes a turn, and returns how long it is until then.
func (t *turns) take(now time.Time) time.Duration {
	if full := now.Add(-time.Duration(t.burst) * t.every); t.free.Before(full) {
		t.free = full
	}
	t.free = t.free.Add(t.every)
	return t.free.Sub(now)
}

// slotKey is where the context of a request has the slot of its connection.
type slotKey struct{}

func withSlot(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, slotKey{}, c)
}

// mostBody is how many bytes a request may have besides its head.
const mostBody = 1 << 10

// inTurn returns a handler that gives requests to another one by one: whole, when it is their turn. Until then the connection of a
// request gives way to a new one, as one does on which nothing is asked: what has not been said whole may never be.
func inTurn(next http.Handler) http.Handler {
	queue := newQueue()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		taken, _ := r.Context().Value(slotKey{}).(*slot)
		taken.setActive(false)
		if r.ContentLength != 0 {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
			if err != nil {
				w.Header().Set("Connection", "close")
				http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		if !queue(r).wait(r.Context()) || !taken.setActive(true) {
			panic(http.ErrAbortHandler) // the connection is closed
		}
		next.ServeHTTP(w, r)
	})
}
