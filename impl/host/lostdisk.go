package host

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// lostDisk takes note that another node does not remember what it has said. The transport does not connect it, so that it is not
// heeded; people must be told.
func (h *Host) lostDisk(i int, node spec.NodeID) {
	if i >= 0 {
		h.links.lost.Or(uint64(policy.One(i)))
	}
	h.counters.lostDisks.Add(1)
	h.config.Logger.Error("a node is not heeded: its disk is lost, or an old copy, or two nodes run under this id. Look at its folder with bully repair",
		slog.String("lost", node.String()))
}

// disowned stops for good, as another node remembers more of this one than its record does: it may have made promises that it does not
// know of (R32). The record is put out of use, lest it be taken for good when those who remember do not run.
func (h *Host) disowned(by spec.NodeID) {
	err := fmt.Errorf("%w: node %v remembers what it has said after its record was written, or two nodes run under this id", ErrLostDisk, by)
	if h.changing() {
		err = fmt.Errorf("%w, or it was a member before, with another disk: remove it, and join under a new id", err)
	}
	if store, ok := h.config.Storage.(disowner); ok {
		err = errors.Join(err, store.Disown())
	}
	h.fail("asking the others who it was", err)
}

// remembersAll returns an error if the transport tells of another record than there is: then this node would be disowned without need.
func (h *Host) remembersAll(promise spec.Durable) error {
	links, ok := h.config.Transport.(rememberer)
	if ok && links.Record() != promise {
		return fmt.Errorf("the record is %+v, and the transport was told %+v: give transport.Config.Record what Storage.Load returns",
			promise, links.Record())
	}
	return nil
}

// remembers notes that a member is one that has its disk.
func (l *links) remembers(i int) { l.lost.And(^uint64(policy.One(i))) }
