package host

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// ChangingTransport is a Transport whose links follow the members, as they come and go. A host of changing members needs
// one.
type ChangingTransport interface {
	Transport
	// SetMembers says who the members are, and where they listen. Links to new members are opened. Those to nodes that are
	// none any more are closed as soon as what has been sent on them is out.
	SetMembers(addresses map[spec.NodeID]string)
}

// changing reports whether members come and go (R42).
func (h *Host) changing() bool { return h.config.changing() }

func (c *Config) changing() bool { return len(c.Members) == 0 }

// prepare makes the core of a node of changing members, which goes by the configuration of its record.
func (h *Host) prepare(promise spec.Durable, found bool) error {
	now := promise.Configuration
	if now.IsNone() {
		return errors.New("it has no configuration: give Members, all nodes, if they are fixed; or make a record of changing members (storage.Init)")
	}
	first := now
	if found {
		first = spec.EmptyConfiguration() // a restart brings its own
	}
	node, err := bully.NewChanging(h.config.ID, first)
	if err != nil {
		return err
	}
	h.node, h.state.Configuration = node, now
	h.reconfigure()
	h.noteMembers()
	h.connectMembers()
	return nil
}

// reconfigure makes all that goes by members go by the configuration of now. It comes before what the step sends.
func (h *Host) reconfigure() {
	links, old := linksOf(h.config.ID, h.state.Configuration), h.links
	h.policy.Reconfigure(links.who, func(s set) set { return links.translate(old, s) })
	links.inherit(old)
	links.show(h.policy.Peers())
	h.links = links
}

// connectMembers makes the transport go by the configuration. It comes after what the step sends: so a node that is
// removed is told on the link that is then closed.
func (h *Host) connectMembers() {
	addresses := map[spec.NodeID]string{}
	for _, m := range h.state.Configuration.Members() {
		addresses[m.ID] = m.Address
	}
	h.config.Transport.(ChangingTransport).SetMembers(addresses) // withDefaults has seen that it is one
}

// noteMembers tells users who the members are, if that is new.
func (h *Host) noteMembers() {
	now := Membership{Configuration: h.state.Configuration, Settled: h.changing() && h.node.Settled()}
	if now == h.membership {
		return
	}
	anew := now.Configuration != h.membership.Configuration
	h.membership = now
	h.show()
	h.members.tell(now)
	h.config.Metrics.Configured(now)
	if !anew {
		return
	}
	h.strange.forget()
	h.config.Logger.Info("members", slog.String("node", h.config.ID.String()), slog.String("configuration", now.Configuration.String()))
	_, member := now.Configuration.Member(h.config.ID)
	switch removed := !member && !now.Configuration.IsEmpty(); {
	case !removed:
		h.leaves = never
	case h.leaves == never:
		h.leaves = h.watch.now.Add(h.config.Timing.Linger())
		h.config.Logger.Warn("no member any more: to stop soon, unless that is lost", slog.String("node", h.config.ID.String()),
			slog.Duration("in", h.config.Timing.Linger()))
	}
}

// leave stops a node that is no member any more, when it has waited for long enough to hear that it is one after all: a
// leader that has removed it, and died, may be followed by one that has not heard of that (R47).
func (h *Host) leave() {
	if h.err != nil || h.watch.now.Before(h.leaves) {
		return
	}
	h.err = h.membersError(ErrRemoved, fmt.Sprintf("the members are %s; it can come back as a new node, with another id and an empty disk", h.state.Configuration))
	h.config.Logger.Warn("stopped", slog.String("node", h.config.ID.String()), slog.Any("err", h.err))
}
