package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// Resignation is what came of Operator.Resign.
type Resignation struct {
	Old, New Leading       // as they said that they led
	Without  time.Duration // for how long nobody led, at most: from the last question that Old has answered as leader to the first answer of New
}

// Resign asks the leader to resign, and waits until somebody leads in a later epoch: another node, or the same again. The error says how
// far it has come.
func (o *Operator) Resign(ctx context.Context) (Resignation, error) {
	return o.HandOver(ctx, spec.NodeID{}, 0)
}

// HandOver is Resign of a leader that names who is to lead next, and for how long no higher node pre-empts that one; none is nobody.
func (o *Operator) HandOver(ctx context.Context, to spec.NodeID, hold time.Duration) (Resignation, error) {
	query := ""
	if !to.IsNone() {
		query = "?to=" + to.String() + "&hold=" + hold.String()
	}
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	o.Nodes = Views(asking, o.Nodes)
	cancel()
	ctx, cancel = context.WithCancel(ctx)
	w := &watcher{changed: make(chan struct{}, 1), said: map[string]said{}}
	for _, node := range o.Nodes {
		w.asking.Go(func() { w.watch(ctx, node) })
	}
	defer w.asking.Wait()
	defer cancel()
	old, url, err := w.leads(ctx, 0)
	if err != nil {
		return Resignation{}, err
	}
	w.follow(url, old.Epoch)
	if old.Node == to {
		return Resignation{}, fmt.Errorf("node %s leads already: nothing was done", to)
	}
	o.tell("node %s leads epoch %d, and is asked to resign", old.Node, old.Epoch)
	var resigned Resigned
	switch err := call(ctx, http.MethodPost, url+"/resign"+query, nil, &resigned); {
	case ctx.Err() != nil:
		return Resignation{}, fmt.Errorf("node %s leads epoch %d, and has not resigned in time: its work goes on; it resigns when that ends", old.Node, old.Epoch)
	case errors.As(err, new(refused)):
		return Resignation{}, err
	case err != nil: // its work goes on, or it has gone
		o.tell("node %s: %v", old.Node, err)
	case !resigned.Resigned:
		return Resignation{}, fmt.Errorf("node %s leads no more: nothing was done", old.Node)
	}
	next, _, err := w.leads(ctx, old.Epoch)
	if err != nil {
		return Resignation{}, fmt.Errorf("node %s, which led epoch %d, has resigned, or has gone; %w", old.Node, old.Epoch, err)
	}
	return Resignation{Old: old, New: next, Without: w.without()}, nil
}

// refused is an answer of a server that has not done what it was asked for, and will not: it lets nobody, or it cannot be.
type refused struct{ error }

// watcher asks nodes whether they lead, again and again.
type watcher struct {
	asking  sync.WaitGroup
	changed chan struct{} // has a value when a node has answered

	mu          sync.Mutex
	said        map[string]said
	url         string     // of the old leader
	epoch       spec.Epoch // that it leads
	last, first time.Time  // when it was asked last that has said that it leads; when the first of a later epoch was heard
}

// said is what a node has answered last, or why it has not.
type said struct {
	Leading
	err error
}

// watchAgain lies between two questions to one node.
const watchAgain = 2 * time.Millisecond

// watch asks a node until ctx ends. A question that this cuts short says nothing of a node that has answered before.
func (w *watcher) watch(ctx context.Context, url string) {
	for first := true; ctx.Err() == nil; first = false {
		asked := time.Now()
		var s said
		asking, cancel := context.WithTimeout(ctx, askTimeout)
		s.err = call(asking, http.MethodGet, url+"/leading", nil, &s.Leading)
		cancel()
		if first || ctx.Err() == nil {
			w.note(url, asked, s)
		}
		select {
		case <-time.After(watchAgain):
		case <-ctx.Done():
		}
	}
}

func (w *watcher) note(url string, asked time.Time, s said) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said[url] = s
	switch leads := s.err == nil && s.Leading.Leading; {
	case leads && url == w.url && s.Epoch == w.epoch && asked.After(w.last):
		w.last = asked
	case leads && w.url != "" && s.Epoch > w.epoch && w.first.IsZero():
		w.first = time.Now()
	}
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// follow has the watcher note when a leader leads no more.
func (w *watcher) follow(url string, epoch spec.Epoch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.url, w.epoch, w.last = url, epoch, time.Now()
}

// without returns how long nobody has led, at most.
func (w *watcher) without() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.first.Sub(w.last)
}

// leads waits until a node leads in an epoch above one, and returns what it says, and where it is. When ctx ends, the error says what is
// known instead.
func (w *watcher) leads(ctx context.Context, above spec.Epoch) (Leading, string, error) {
	for {
		w.mu.Lock()
		for url, s := range w.said {
			if s.err == nil && s.Leading.Leading && s.Epoch > above {
				w.mu.Unlock()
				return s.Leading, url, nil
			}
		}
		w.mu.Unlock()
		select {
		case <-w.changed:
		case <-ctx.Done():
			return Leading{}, "", w.nobody(above)
		}
	}
}

// nobody says why no leader was found.
func (w *watcher) nobody(above spec.Epoch) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var silent error
	answered := false
	for url, s := range w.said {
		switch {
		case s.err != nil:
			silent = fmt.Errorf("%s: %w", url, s.err)
		case !s.Leader.IsNone() && s.Leader != s.Node && s.Epoch > above:
			return fmt.Errorf("node %s leads epoch %d, and is not among those that were asked: give the address of its HTTP server too", s.Leader, s.Epoch)
		default:
			answered = true
		}
	}
	if !answered && silent != nil {
		return fmt.Errorf("no node has said who leads: %w", silent)
	}
	return errors.New("no leader was found in time: see bully status")
}
