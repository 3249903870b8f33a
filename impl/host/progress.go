package host

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/reigns"
	"github.com/seed-fdf591db/bully/spec"
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
func (r Reign) Progress() { r.w.Progress() }

// newKeeper returns who ends reigns at their deadlines, and finds work that reports no progress.
func (h *Host) newKeeper() *reigns.Keeper {
	clock := h.config.Clock
	return &reigns.Keeper{
		Now: clock.Now, NewTimer: func(d time.Duration) reigns.Timer { return clock.NewTimer(d) },
		Progress: h.config.Progress, Over: ErrNotLeader, Stalled: ErrNoProgress, Quiet: h.noteQuiet,
		Overrun: func(w *reigns.Work) {
			if h.config.Overrun != nil {
				h.config.Overrun(Reign{w.Reign, w, h})
			}
		},
	}
}

// noteQuiet notes that work has reported no progress, for which it loses its reign.
func (h *Host) noteQuiet(r *reigns.Reign, now time.Time, long time.Duration) {
	h.quiet.Store(&QuietStatus{Epoch: r.Epoch, At: now, For: long})
	h.counters.quiets.Add(1)
	h.config.Logger.Warn("the work has reported no progress: the node resigns", slog.Uint64("epoch", uint64(r.Epoch)), slog.Duration("for", long),
		slog.Duration("allowed", h.config.Progress))
}

// tellLoop has the loop look at its reign.
func (h *Host) tellLoop() {
	select {
	case h.idle <- struct{}{}:
	default: // the loop has not taken the last one yet, and will look
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
	if h.hung != nil && h.hung.Rests().Idle {
		h.hung = nil
	}
	return h.hung != nil
}
