package host

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// ErrNoProgress is the cause for which the context of work ends when it has reported no progress for Config.Progress. It is an
// ErrNotLeader. Run returns an error that wraps it if such work has not returned when the node would lead again.
var ErrNoProgress = fmt.Errorf("%w: its work has reported no progress", ErrNotLeader)

// QuietStatus says when work has reported no progress.
type QuietStatus struct {
	Epoch spec.Epoch    `json:"epoch"` // of its reign
	At    time.Time     `json:"at"`
	For   time.Duration `json:"for_ns"` // it had reported none
}

// Progress reports that work gets on. With Config.Progress, work that has not for so long loses its reign. Each work reports for itself. It
// takes no lock, and does nothing once the reign is over.
func (r Reign) Progress() {
	if r.w != nil {
		r.w.reported.Store(int64(r.w.reign.clock.Now().Sub(r.w.began)))
	}
}

// awaitProgress ends the reign of work that has reported no progress for too long. It returns when to look again.
func (h *Host) awaitProgress(w *work) time.Duration {
	most := h.config.Progress
	if most == 0 {
		return policy.MaxTiming
	}
	now := w.reign.clock.Now()
	quiet := now.Sub(w.began) - time.Duration(w.reported.Load())
	if quiet < most {
		return most - quiet
	}
	if w.reign.quieten() {
		h.quiet.Store(&QuietStatus{Epoch: w.reign.epoch, At: now, For: quiet})
		h.counters.quiets.Add(1)
		h.config.Logger.Warn("the work has reported no progress: the node resigns", slog.Uint64("epoch", uint64(w.reign.epoch)), slog.Duration("for", quiet),
			slog.Duration("allowed", most))
	}
	return policy.MaxTiming
}

// quieten ends the contexts of all work, and moves the deadline no more, unless work is being ended already. It reports whether it was not.
func (r *reign) quieten() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.quiet = true
	r.cancel(ErrNoProgress)
	r.tellLoop()
	return true
}

// hang notes that work still runs after the deadline, and has the loop resign if it had reported no progress. Who is to know was told before: it
// may end the process, and then nobody must lead before it has.
func (r *reign) hang() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.quiet {
		r.hangs = true
		r.tellLoop()
	}
}

// endIfHung ends a host that leads again while work of an earlier reign has neither reported progress nor returned: it would not do the
// work of this one.
func (h *Host) endIfHung() {
	if h.hung == nil || h.state.Role != spec.Leader || h.err != nil {
		return
	}
	h.take(spec.Input{Call: spec.ResignCall})
	if h.err == nil {
		h.err = fmt.Errorf("%w, and has not returned: the node would lead again, and nobody would work", ErrNoProgress)
		h.config.Logger.Error("ends, as its work hangs", slog.Any("err", h.err))
	}
}

// isHung reports whether work of an earlier reign hangs.
func (h *Host) isHung() bool {
	if h.hung != nil && h.hung.rests().idle {
		h.hung = nil
	}
	return h.hung != nil
}
