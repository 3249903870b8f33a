package host

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// MaxHold is the longest time for which a node that was named can be kept from being pre-empted: one day.
const MaxHold = time.Duration(spec.MaxHold) * time.Millisecond

// naming is whom a leader is to name as it resigns, and for how long that one is to be left in peace; or nobody.
type naming struct {
	node spec.NodeID
	hold spec.Hold
}

// held is the reign that a node claims, or leads, because it was named: until when no CLAIM of a higher node is taken in it (R51).
type held struct {
	epoch spec.Epoch
	until instant
}

// HandOver resigns as Resign does, and names the node that is to lead next: another voter that this node is connected to. The others
// wait for it, and after one Timing.Patience without it whoever stands next leads. For hold after the node has been told, no higher
// node pre-empts it; hold is rounded up to milliseconds, and from 0 to MaxHold. It returns nil when this node has resigned, and at once
// if it does not lead. It is an error, and the node leads on, if that node cannot be named, or hold is none of these. Who leads
// then, Watch says: nothing is promised of a node that hangs, or crashes.
func (h *Host) HandOver(ctx context.Context, to spec.NodeID, hold time.Duration) error {
	return h.handOverFrom(ctx, 0, to, hold)
}

// HandOver ends this reign as Host.HandOver does; a later one goes on. Work calls it with its own context, and then returns: what is
// handed over is handed over when all work of the reign has.
func (r Reign) HandOver(ctx context.Context, to spec.NodeID, hold time.Duration) error {
	if r.r == nil {
		return nil
	}
	return r.h.handOverFrom(ctx, r.r.Epoch, to, hold)
}

// handOverFrom is HandOver if the node leads the epoch, or any if it is 0.
func (h *Host) handOverFrom(ctx context.Context, epoch spec.Epoch, to spec.NodeID, hold time.Duration) error {
	if hold < 0 || hold > MaxHold {
		return fmt.Errorf("host: hand over: %v is not from 0 to %v", hold, MaxHold)
	}
	return h.resignNaming(ctx, epoch, naming{to, spec.Hold((hold + time.Millisecond - 1) / time.Millisecond)})
}

// mayName says why a leader may not name a node, or nil.
func (h *Host) mayName(to spec.NodeID) error {
	i := h.links.place(to)
	switch {
	case to == h.config.ID:
		return fmt.Errorf("host: hand over: node %s leads already: name another", to)
	case i < 0 || h.changing() && kindOfMember(h.state.Configuration, to) != spec.Voter:
		return fmt.Errorf("host: hand over: node %s is no voter: it may not lead", to)
	case !h.policy.Peers().Up.Has(i):
		return fmt.Errorf("host: hand over: there is no connection to node %s: name one that runs", to)
	}
	return nil
}

// noteNaming notes for how long nobody is to be pre-empted, after a step: this node, which claims because it was named; or the one that
// it has named itself.
func (h *Host) noteNaming(what *spec.Input) {
	m := &what.Message
	switch until := func(hold spec.Hold) instant { return h.watch.Now.Add(time.Duration(hold) * time.Millisecond) }; {
	case what.Call == spec.ResignCall && !what.Names.IsNone():
		h.policy.Hold(until(what.Hold))
	case m.Type == spec.Resign && m.Names == h.config.ID && (h.state.Role == spec.Claimant || h.state.Role == spec.Leader):
		h.held = held{m.Epoch + 1, until(m.Hold)}
	}
}

// holds reports whether m is a CLAIM that is to be lost: by a higher node, in the configuration of this one (R1), while this one, which
// was named, is to lead (R51).
func (h *Host) holds(m *spec.Message) bool {
	if m.Type != spec.Claim || h.state.Role != spec.Leader || h.state.Epoch != h.held.epoch || !h.watch.Now.Before(h.held.until) ||
		!h.state.Configuration.Higher(m.From, h.config.ID) {
		return false
	}
	h.config.Logger.Debug("a claim is not heard, as this node was named to lead", slog.String("by", m.From.String()))
	return true
}
