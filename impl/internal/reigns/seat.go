package reigns

import (
	"context"
	"sync"
)

// A Seat is where the reign of now is, if there is one, and where the next is waited for.
type Seat struct {
	mu      sync.Mutex
	current *Reign        // or nil
	changed chan struct{} // closed when current changes; nil if nobody waits
}

// Set makes r the reign of now.
func (s *Seat) Set(r *Reign) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = r
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// now returns the reign of now, and a channel that is closed when it is another.
func (s *Seat) now() (*Reign, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.current, s.changed
}

// next joins the first reign that can be joined.
func (s *Seat) next(ctx context.Context, done <-chan struct{}) (context.Context, *Work, error) {
	for {
		current, changed := s.now()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if current != nil {
			if workCtx, w := current.join(ctx); w != nil {
				return workCtx, w, nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-done:
			return nil, nil, nil
		}
	}
}

// Lead runs work in each reign, one after the other, until work returns while its reign goes on: then it calls resign, and returns what work has returned. If ctx
// ends it returns ctx.Err(), and when done is closed the reason. Whatever it returns, no work runs when it does.
func (s *Seat) Lead(ctx context.Context, work func(context.Context, *Work) error, resign func(*Reign), done <-chan struct{}, reason func() error) error {
	for {
		workCtx, w, err := s.next(ctx, done)
		switch {
		case err != nil:
			return err
		case w == nil:
			return reason()
		}
		over, err := w.run(workCtx, work)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !over {
			resign(w.Reign)
			return err
		}
	}
}
