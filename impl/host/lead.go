package host

import (
	"context"
	"sync"

	"github.com/seed-fdf591db/bully/spec"
)

// Lead runs work in each reign of this node, one reign after the other, until work returns by itself. It waits while
// another node leads. Several goroutines may call Lead: in each reign all their work runs at once.
//
// Work is given a context that ends when the reign does, when the host is to stop, when Resign is called, and with ctx;
// context.Cause tells which: ErrNotLeader, ErrClosed, ErrNotLeader, or the cause of ctx. Work must then return soon:
// another node may lead from now on. Lead comes back in one of these ways:
//
//   - Work returns while its reign goes on. The node resigns, and Lead returns what work has returned: nil too. It
//     waits for the resignation, and so for other work of this reign to end, but no longer than ctx. A node that
//     resigns and runs on may lead again, and does if it is the highest; only its end prevents that.
//   - The reign ends. Lead waits for work to return, drops what it returns, and waits for the next reign.
//   - Ctx ends. Lead waits for work to return, and returns ctx.Err(). The node leads on: Resign, or the end of Run, is
//     what ends that.
//   - The host ends. Lead waits for work to return, and returns ErrClosed, or an error that wraps ErrStopped.
//
// Whatever it returns, no work runs when Lead returns. A panic of work is the caller's to recover; for the host, work
// has then returned.
func (h *Host) Lead(ctx context.Context, work func(context.Context, Reign) error) error {
	for {
		workCtx, w, err := h.reigns.next(ctx, h.done, h.reason)
		if err != nil {
			return err
		}
		over, err := h.run(workCtx, w, work)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !over {
			h.resignFrom(ctx, w.reign.epoch)
			return err
		}
	}
}

// run runs work, and reports whether the reign was over, or being ended, when it returned.
func (h *Host) run(ctx context.Context, w *work, f func(context.Context, Reign) error) (over bool, err error) {
	done, guarded := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(guarded)
		w.guard(done, h.config.Overrun)
	}()
	defer func() {
		over = w.leave()
		close(done)
		<-guarded
	}()
	return false, f(ctx, Reign{w.reign})
}

// Resign makes the node lead no longer (R28): it ends the contexts of all work, leads on until that has returned, and
// then tells the others. It returns nil when that has been done, and at once if the node does not lead. If ctx ends
// before, Resign returns its error, and the node resigns all the same once work has returned. So work that calls Resign
// with its own context, and then returns, does what it means; with another context it would wait for itself.
//
// A node that resigns and runs on may lead again, in a later epoch, and if it is the highest it will. That is what a
// leader wants that a fence has refused (R38). To move leadership away, end Run.
func (h *Host) Resign(ctx context.Context) error {
	return h.resignFrom(ctx, 0)
}

// resignFrom resigns if the node leads the epoch, or any if it is 0.
func (h *Host) resignFrom(ctx context.Context, epoch spec.Epoch) error {
	over := make(chan struct{})
	ask := func() {
		if h.reign == nil || epoch != 0 && h.reign.epoch != epoch {
			close(over)
			return
		}
		h.reign.close(ErrNotLeader)
		h.resigning = append(h.resigning, over)
	}
	if err := h.call(ctx, ask); err != nil {
		return err
	}
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-h.done:
		return h.reason()
	}
}

// resignIfAsked takes the step once it has been asked for and no work runs. It also resigns from a reign whose deadline
// has passed for work, by an accident of timing, while an answer was on its way that dates it anew: there is no work in it any more. And
// from one that is to hand over, as it is no voter any more.
func (h *Host) resignIfAsked() {
	if h.reign != nil {
		idle, expired := h.reign.rests()
		if !idle || !expired && len(h.resigning) == 0 && !h.stopping && !h.demoted() {
			return
		}
		h.take(spec.Input{Call: spec.ResignCall})
	}
	for _, over := range h.resigning {
		close(over)
	}
	h.resigning = nil
}

// reigns lets Lead wait for the next reign.
type reigns struct {
	mu      sync.Mutex
	current *reign        // or nil
	changed chan struct{} // closed when current changes; nil if nobody waits
}

// set makes r the reign of now.
func (s *reigns) set(r *reign) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = r
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// now returns the reign of now, and a channel that is closed when it is another.
func (s *reigns) now() (*reign, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.current, s.changed
}

// next joins the first reign that can be joined.
func (s *reigns) next(ctx context.Context, done <-chan struct{}, reason func() error) (context.Context, *work, error) {
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
			return nil, nil, reason()
		}
	}
}
