package host

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/impl/internal/membership"
	"github.com/seed-fdf591db/bully/impl/transport"
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
			h.reign.Close(ErrNotLeader) // resignIfAsked does the rest when no work runs
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
	case membership.Fulfilled:
		return spec.Configuration{}, true, nil
	case membership.HandsOver:
		c.handing = true
		return spec.Configuration{}, false, nil
	case membership.Awaits: // it may have just come up: it need not wait for the next heartbeat
		h.policy.Due.Sooner(policy.HeartbeatTimer, h.watch.Now.Add(2*h.config.Timing.Delay))
		return spec.Configuration{}, false, nil
	}
	if !c.force && h.config.Follows != nil && !h.config.Follows(now) {
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
	if err := c.fillIn(now); err != nil {
		return fmt.Errorf("host: %w", err)
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

// fillIn makes the plan say all of each member: what a call leaves as it is, is as in the configuration of now.
func (c *change) fillIn(now spec.Configuration) error {
	for k := range c.plan {
		wanted := &c.plan[k]
		was, member := now.Member(wanted.ID)
		switch {
		case c.ranks && !member:
			return fmt.Errorf("node %s is no member, and so cannot be given a rank: the members are %s", wanted.ID, now)
		case c.ranks:
			was.Rank = wanted.Rank
			*wanted = was
		case wanted.Rank != 0 || wanted.Kind == "":
		case member:
			wanted.Rank = was.Rank
		case len(c.plan) > 1: // it takes the place of another
			old, _ := now.Member(c.plan[len(c.plan)-1].ID)
			wanted.Rank = old.Rank
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
	problem := membership.LosesQuorum(next, h.config.ID, h.backsNow)
	if problem == "" {
		members := next.Members()
		for _, wanted := range c.plan {
			members = membership.With(members, wanted)
		}
		added := func(id spec.NodeID) bool {
			return h.backsNow(id) || !membership.Votes(kindOfMember(next, id)) // it is to answer before it votes
		}
		if last, err := spec.NewConfiguration(next.Epoch, next.Version, members); err == nil {
			problem = membership.LosesQuorum(last, h.config.ID, added)
		}
	}
	switch {
	case problem == "":
		c.doubted = never
		return false, nil
	case c.doubted == never:
		c.doubted = h.watch.Now
		return true, nil
	case h.watch.Now.After(c.doubted) < h.config.Timing.Reign:
		return true, nil
	}
	return false, h.membersError(ErrWouldLoseQuorum, problem)
}

// backsNow reports whether a member has acknowledged this leader lately, and is not proved dead.
func (h *Host) backsNow(id spec.NodeID) bool {
	i := h.links.place(id)
	return i >= 0 && h.links.backed[i] != never && h.watch.Now.After(h.links.backed[i]) <= 2*h.config.Timing.Reign && !h.links.isDead().Has(i)
}

// answered reports whether a member has acknowledged the configuration of now: only then it counts as support (R45).
func (h *Host) answered(id spec.NodeID) bool { return slices.Contains(h.state.Support, id) }

// noteBacking notes that a node has acknowledged this one as the leader of its epoch.
func (h *Host) noteBacking(m *spec.Message) {
	if m.Type != spec.Ack || h.state.Role != spec.Leader || m.Epoch != h.state.Epoch {
		return
	}
	if i := h.links.place(m.From); i >= 0 {
		h.links.backed[i] = h.watch.Now
	}
}

// demoted reports whether this node leads and is no voter in its own configuration, which is settled: it is to hand over.
func (h *Host) demoted() bool {
	return h.membership.Settled && h.changing() && kindOfMember(h.membership.Configuration, h.config.ID) != spec.Voter
}

// A plan is what a call wants of the members, one after the other: that a node is a member of a kind, at an address; or
// that it is none, if the kind is "". Each step to it changes one member (R47).
type plan []spec.Member

// next returns what is to be done next by the leader me, in its configuration c, which is settled, for the first member that is not as wanted.
func (p plan) next(c spec.Configuration, me spec.NodeID, answered func(spec.NodeID) bool) (membership.Verdict, []spec.Member) {
	for _, wanted := range p {
		if verdict, members := membership.Next(c, me, wanted, answered); verdict != membership.Fulfilled {
			return verdict, members
		}
	}
	return membership.Fulfilled, nil
}

// check returns what is wrong with a plan, whoever leads: it is looked at before anything is changed.
func (p plan) check(c spec.Configuration, force bool) error {
	members := c.Members()
	for _, wanted := range p {
		now, member := c.Member(wanted.ID)
		switch {
		case wanted.Kind == "" && !member:
			return fmt.Errorf("node %s is no member, and so cannot be removed: the members are %s", wanted.ID, c)
		case wanted.Kind != "" && wanted.Address == "":
			return fmt.Errorf("node %s has no address: give the one at which it listens to the others", wanted.ID)
		case wanted.Kind != "" && member && now.Address != wanted.Address && !force:
			return fmt.Errorf("node %s is a member at %s, not at %s: if it has moved with its disk, force this; without its disk it is another "+
				"node: join under a new id, and replace this one", wanted.ID, now.Address, wanted.Address)
		}
		members = membership.With(members, wanted)
		if other, taken := sharesAddress(members, wanted); taken {
			return fmt.Errorf("node %s is at %s already: node %s needs an address of its own", other, endpoint(wanted.Address), wanted.ID)
		}
	}
	if len(members) == 0 {
		return fmt.Errorf("node %s is the last member, and cannot be removed", p[len(p)-1].ID)
	}
	if _, err := spec.NewConfiguration(c.Epoch, c.Version, members); err != nil {
		return fmt.Errorf("the members wanted make no configuration: %w", err)
	}
	return nil
}

// checkDisks returns an error if a node is to be a member with another disk than it had when it was heard last, which remembers tells: an
// id never comes back so (R1). The others would take the new disk for a lost one, and the node would stop for good (R32).
func (p plan) checkDisks(c spec.Configuration, remembers func(spec.NodeID) (uint64, bool)) error {
	for _, wanted := range p {
		now, member := c.Member(wanted.ID)
		if wanted.Kind == "" || wanted.Address == now.Address {
			continue
		}
		_, disk, err := transport.SplitAddress(wanted.Address)
		if err != nil {
			return err
		}
		if former, known := remembers(wanted.ID); known && disk != former && (disk != 0 || !member) {
			return fmt.Errorf("node %s was here before, with another disk (%016x), and an id belongs to one disk for life: join under a new id, and add "+
				"that; if it has its old disk, add it at %s", wanted.ID, former, transport.JoinAddress(endpoint(wanted.Address), former))
		}
	}
	return nil
}

// sharesAddress returns another member at the address of one: the end of the one would be taken for a proof of the
// death of the other.
func sharesAddress(members []spec.Member, one spec.Member) (other spec.NodeID, taken bool) {
	for _, m := range members {
		if one.Kind != "" && m.ID != one.ID && endpoint(m.Address) == endpoint(one.Address) {
			return m.ID, true
		}
	}
	return spec.NodeID{}, false
}

// endpoint returns the host and port of an address, without which disk is there.
func endpoint(address string) string {
	at, _, _ := strings.Cut(address, "#")
	if host, port, err := net.SplitHostPort(at); err == nil {
		return net.JoinHostPort(host, port)
	}
	return at
}
