package host

import (
	"context"
	"fmt"
	"strings"
)

// awaitAll waits until each other member has been reached at least once. It is for a first start of members that were found: each has by
// then written down who the members are, and has not refused this node, so that they are the same everywhere. Then no quorum of other
// members can be made of them, ever. Those that are proved dead must come back. It reports whether the node is to go on.
func (h *Host) awaitAll(ctx context.Context) bool {
	missing := h.links.who.Others
	for {
		missing &^= h.links.isUp()
		h.sayWaits(missing)
		if h.err != nil || missing == 0 {
			return h.err == nil
		}
		if !h.await(ctx, func() { missing &^= h.links.isUp() }) { // it may be down again with the next
			return false
		}
	}
}

// await waits for one thing to happen to a node that has not started yet, and calls heard after each event of a link. It reports whether
// the node is still to start.
func (h *Host) await(ctx context.Context, heard func()) bool {
	h.alarm.ringBy(min(h.alarm.set, h.watched.rousesBy(h.watch.Now)), h.watch.Now)
	h.watched.rests(h.alarm.set, h.watch.Now)
	defer func() {
		h.tick()
		h.watched.turns(h.watch.Read)
	}()
	select {
	case <-ctx.Done():
		return false
	case <-h.closing:
		return false
	case f := <-h.calls:
		f()
	case <-h.config.Transport.Wake():
		for event, ok := h.config.Transport.Next(); ok; event, ok = h.config.Transport.Next() {
			h.tick()
			h.hear(event)
			heard()
		}
	case <-h.alarm.timer.C():
		h.alarm.rang()
	}
	return true
}

// sayWaits says who is missing, if that has changed.
func (h *Host) sayWaits(missing set) {
	var names []string
	for i, node := range h.links.members {
		if missing.Has(i) {
			names = append(names, node.String())
		}
	}
	now := ""
	if len(names) > 0 {
		now = fmt.Sprintf("node %s: a first start waits until all members have been reached, and have the same members", strings.Join(names, ", "))
	}
	if now == h.waits {
		return
	}
	if h.waits = now; now != "" {
		h.config.Logger.Info("waits for members before it starts for the first time", "because", now)
	}
	h.show()
}
