package host

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// begin takes on a change, unless another is under way.
func (h *Host) begin(c *change) {
	switch {
	case !h.changing():
		c.end(spec.Configuration{}, errors.New("host: the members are fixed (R40): they change only of a node that was made without Members"))
	case h.change != nil && h.change.ctx.Err() == nil:
		c.end(spec.Configuration{}, h.membersError(ErrChangeInProgress, ""))
	default:
		h.change, c.epoch, c.doubted = c, h.state.Epoch, never
	}
}

// end tells who has called how the change has ended.
func (c *change) end(result spec.Configuration, err error) { c.done <- changed{result, err} }

// membersError returns what is wrong with members now.
func (h *Host) membersError(why error, problem string) error {
	return &MembersError{Why: why, Problem: problem, Leader: h.told.Leader, Configuration: h.state.Configuration}
}

// carryOn does for the change that is under way what can be done now, and lets a leader that is no voter any more hand
// over.
func (h *Host) carryOn() {
	for h.err == nil {
		if h.demoted() && h.reign != nil {
			h.reign.close(ErrNotLeader) // resignIfAsked does the rest when no work runs
		}
		c := h.change
		if c == nil {
			return
		}
		if c.ctx.Err() != nil { // nobody waits for it any more
			h.change = nil
			return
		}
		next, over, err := h.nextOf(c)
		switch {
		case over || err != nil:
			h.change = nil
			c.end(h.state.Configuration, err)
			return
		case next.IsNone() || !c.goesOn():
			return
		}
		h.take(spec.Input{Call: spec.ChangeCall, Configuration: next})
	}
}

// goesOn reports whether who has called still waits, as the change is to be made.
func (c *change) goesOn() bool {
	return c.stage.CompareAndSwap(changeWaits, changeBegan) || c.stage.Load() == changeBegan
}

// nextOf returns the configuration to be made next for a change, if one can be made now; or that it is over; or why it
// cannot be.
func (h *Host) nextOf(c *change) (next spec.Configuration, over bool, err error) {
	now := h.state.Configuration
	if h.state.Role != spec.Leader || h.state.Epoch != c.epoch {
		return spec.Configuration{}, false, h.lost(c)
	}
	if !h.membership.Settled {
		return spec.Configuration{}, false, nil // nothing may be changed before (R47)
	}
	if !c.looked {
		if err := h.lookAt(c); err != nil {
			return spec.Configuration{}, false, err
		}
		c.looked = true
	}
	verdict, members := c.plan.next(now, h.config.ID, h.answered)
	switch verdict {
	case fulfilled:
		return spec.Configuration{}, true, nil
	case handsOver:
		c.handing = true
		return spec.Configuration{}, false, nil
	case awaits: // it may have just come up: it need not wait for the next heartbeat
		h.policy.Due.Sooner(policy.HeartbeatTimer, h.watch.now.Add(2*h.config.Timing.Delay))
		return spec.Configuration{}, false, nil
	}
	if next, err = spec.NewConfiguration(h.state.Epoch, now.Version+1, members); err != nil {
		return spec.Configuration{}, false, fmt.Errorf("host: the members wanted make no configuration: %w", err)
	}
	if doubts, err := h.doubts(c, next); doubts || err != nil {
		return spec.Configuration{}, false, err
	}
	return next, false, h.node.MayChange(next)
}

// lost returns the error of a change whose leader leads no more.
func (h *Host) lost(c *change) error {
	switch {
	case c.handing:
		return h.membersError(ErrHandedOver, "")
	case c.stage.Load() == changeBegan:
		return h.unknown(nil)
	}
	return h.membersError(ErrNotLeader, "")
}

// lookAt looks at a change before anything is changed.
func (h *Host) lookAt(c *change) error {
	now := h.state.Configuration
	if c.version != 0 && c.version != now.Version {
		return &MembersError{Why: ErrStaleVersion, Leader: h.told.Leader, Configuration: now, Wanted: c.version,
			Problem: fmt.Sprintf("version %d is expected, and they are at %s", c.version, now)}
	}
	if err := c.plan.check(now, c.force); err != nil {
		return fmt.Errorf("host: %w", err)
	}
	if links, ok := h.config.Transport.(diskRememberer); ok {
		if err := c.plan.checkDisks(now, links.Remembers); err != nil {
			return fmt.Errorf("host: %w", err)
		}
	}
	return nil
}

// doubts reports whether a change must wait because the nodes that answer now would be no quorum of a configuration, or of
// what the plan comes to in the end. After a while that is an error: a node that lives answers each heartbeat.
func (h *Host) doubts(c *change, next spec.Configuration) (bool, error) {
	if c.force {
		return false, nil
	}
	problem := losesQuorum(next, h.config.ID, h.backsNow)
	if problem == "" {
		members := next.Members()
		for _, wanted := range c.plan {
			members = with(members, wanted)
		}
		added := func(id spec.NodeID) bool {
			return h.backsNow(id) || !votes(kindOfMember(next, id)) // it is to answer before it votes
		}
		if last, err := spec.NewConfiguration(next.Epoch, next.Version, members); err == nil {
			problem = losesQuorum(last, h.config.ID, added)
		}
	}
	switch {
	case problem == "":
		c.doubted = never
		return false, nil
	case c.doubted == never:
		c.doubted = h.watch.now
		return true, nil
	case h.watch.now.After(c.doubted) < h.config.Timing.Reign:
		return true, nil
	}
	return false, h.membersError(ErrWouldLoseQuorum, problem)
}

// backsNow reports whether a member has acknowledged this leader lately, and is not proved dead.
func (h *Host) backsNow(id spec.NodeID) bool {
	i := h.links.place(id)
	return i >= 0 && h.links.backed[i] != never && h.watch.now.After(h.links.backed[i]) <= 2*h.config.Timing.Reign && !h.links.isDead().Has(i)
}

// answered reports whether a member has acknowledged the configuration of now: only then it counts as support (R45).
func (h *Host) answered(id spec.NodeID) bool { return slices.Contains(h.state.Support, id) }

// noteBacking notes that a node has acknowledged this one as the leader of its epoch.
func (h *Host) noteBacking(m *spec.Message) {
	if m.Type != spec.Ack || h.state.Role != spec.Leader || m.Epoch != h.state.Epoch {
		return
	}
	if i := h.links.place(m.From); i >= 0 {
		h.links.backed[i] = h.watch.now
	}
}

// demoted reports whether this node leads and is no voter in its own configuration, which is settled: it is to hand over.
func (h *Host) demoted() bool {
	return h.membership.Settled && h.changing() && kindOfMember(h.membership.Configuration, h.config.ID) != spec.Voter
}
