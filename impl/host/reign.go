package host

import (
	"context"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/reigns"
	"github.com/seed-fdf591db/bully/spec"
)

// Lead runs work in each reign of this node, one reign after the other, until work returns by itself. It waits while
// another node leads. Several goroutines may call Lead: in each reign all their work runs at once.
//
// Work is given a context that ends when the reign does, when the host is to stop, when Resign is called, when a higher node is to take
// over, and with ctx; context.Cause tells which: ErrNotLeader, ErrClosed, ErrNotLeader, ErrNotLeader, or the cause of ctx. Work must then
// return soon: another node may lead from now on, or waits for that. A higher node waits until the deadline, which moves no more. Lead
// comes back in one of these ways:
//
//   - Work returns while its reign goes on. The node resigns, and Lead returns what work has returned: nil too. It
//     waits for the resignation, and so for other work of this reign to end, but no longer than ctx. A node that
//     resigns and runs on may lead again, and does if it is the highest; only its end prevents that.
//   - Work reports no progress for Config.Progress, and its context ends because of ErrNoProgress. If it then returns before
//     the deadline, the node resigns at once, and Lead waits for the next reign. Else the node resigns at the deadline; and it
//     ends, if it would lead again while work still runs, as nobody would do the work then.
//   - The reign ends. Lead waits for work to return, drops what it returns, and waits for the next reign.
//   - Ctx ends. Lead waits for work to return, and returns ctx.Err(). The node leads on: Resign, or the end of Run, is
//     what ends that.
//   - The host ends. Lead waits for work to return, and returns ErrClosed, or an error that wraps ErrStopped.
//
// Whatever it returns, no work runs when Lead returns. A panic of work is the caller's to recover; for the host, work
// has then returned.
func (h *Host) Lead(ctx context.Context, work func(context.Context, Reign) error) error {
	return h.seat.Lead(ctx, func(ctx context.Context, w *reigns.Work) error { return work(ctx, Reign{w.Reign, w, h}) },
		func(r *reigns.Reign) { _ = h.resignFrom(ctx, r.Epoch) }, h.done, h.reason)
}

// Resign makes the node lead no longer: it ends the contexts of all work, leads on until that has returned, and then
// tells the others (R28). It returns nil when that has been done, and at once if the node does not lead. If ctx ends
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
	return h.resignNaming(ctx, epoch, naming{})
}

// resignNaming is resignFrom, and names a node, if it is not none.
func (h *Host) resignNaming(ctx context.Context, epoch spec.Epoch, names naming) error {
	over := make(chan struct{})
	var refused error
	ask := func() {
		if h.reign == nil || epoch != 0 && h.reign.Epoch != epoch {
			close(over)
			return
		}
		if names != (naming{}) {
			if refused = h.mayName(names.node); refused != nil {
				close(over)
				return
			}
			h.names = names
		}
		h.reign.Close(ErrNotLeader)
		h.resigning = append(h.resigning, over)
	}
	if err := h.call(ctx, ask); err != nil {
		return err
	}
	select {
	case <-over:
		return refused
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
	h.endIfHung()
	h.yield()
	if h.reign != nil {
		rest := h.reign.Rests()
		asked := rest.Over() || len(h.resigning) > 0 || h.stopping || h.demoted()
		if !rest.Hangs && !(rest.Idle && asked) {
			return
		}
		if rest.Hangs {
			h.hung = h.reign
			h.endReign(ErrNoProgress)
		}
		in := spec.Input{Call: spec.ResignCall}
		if h.names != (naming{}) && h.mayName(h.names.node) == nil { // it may have gone while work ended
			in.Names, in.Hold = h.names.node, h.names.hold
		}
		h.take(in)
	}
	h.names = naming{}
	for _, over := range h.resigning {
		close(over)
	}
	h.resigning = nil
}

// yields begins to end a reign that a message would end (R18, R7), and reports whether that message waits: until work has returned, and at most until the deadline,
// which moves no more. It is as if it came later. For work may be in another process, which was told the deadline and acts until then (R39.4). Of several one waits, and
// the others are lost: a CLAIM rather than what only says that there is a higher epoch. All are, once a reign has ended before the deadline, and its work acts until then.
func (h *Host) yields(m *spec.Message) bool {
	if h.outlived.Acts() {
		return true
	}
	if h.reign == nil || !h.node.Yields(m) || !h.reign.Yield(ErrNotLeader) {
		return false
	}
	if m.Type == spec.Claim || h.yielding.Type != spec.Claim {
		h.yielding = *m
	}
	return true
}

// yield gives the node the message that has waited for work, once that has returned, or may act no more.
func (h *Host) yield() {
	if m := h.yielding; m.Type != "" && !h.reign.Acts() {
		h.yielding = spec.Message{}
		h.give(&m)
	}
}

// Reign is what work is given: the epoch that this node leads, and until when it is sure to. It may be copied, and used
// by many goroutines. The zero Reign is over.
type Reign struct {
	r *reigns.Reign
	w *reigns.Work // whose it is
	h *Host
}

// Epoch returns the epoch of the reign. It is the fencing token: give it to the resource with each write (R38). It
// stays the same after the reign is over.
func (r Reign) Epoch() spec.Epoch {
	if r.r == nil {
		return 0
	}
	return r.r.Epoch
}

// Deadline returns when the reign is over if nobody is heard any more: Timing.Reign after the node has asked the latest question
// that a quorum has answered. It moves on as acknowledgements come, well before it is reached; one that comes late moves it less (R26).
// It is the zero time once the reign is over.
//
// Until the deadline no other node leads, however late or lost messages are, if clocks keep Timing.Drift (R37). It has a monotonic and a wall clock reading.
func (r Reign) Deadline() time.Time { return r.r.Deadline() }

// Valid reports whether the deadline lies ahead, by the monotonic and by the wall clock: one may have stood still while
// the machine was suspended, the other may have been set back. Who acts on what is not fenced calls it before each act
// (R39). It takes no lock.
func (r Reign) Valid() bool { return r.r.Valid() }
