package cluster

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// elsewhere is the address that a member is drawn to have, if it is drawn to have another.
const elsewhere = "elsewhere:1"

// changes appends to dst each change by one member that a node makes if it is called to: to one more, one fewer, or one of
// another kind or address.
func (c *Cluster) changes(dst []Op, h *host) []Op {
	own := h.state.Configuration
	if own.IsNone() || h.state.Role != spec.Leader {
		return dst
	}
	for _, id := range c.members {
		was, _ := own.Member(id)
		others := slices.DeleteFunc(own.Members(), func(m spec.Member) bool { return m.ID == id })
		choices := []spec.Member{{}, {ID: id, Kind: spec.Voter}, {ID: id, Kind: spec.Witness}, {ID: id, Kind: spec.Observer}}
		if was.Kind != "" && was.Address == "" {
			choices = append(choices, spec.Member{ID: id, Kind: was.Kind, Address: elsewhere})
		}
		for _, m := range choices {
			members := others
			if m.Kind != "" {
				members = append(slices.Clip(others), m)
			}
			op := Op{Kind: Change, Node: h.id}
			var err error
			if op.Configuration, err = spec.NewConfiguration(0, 1, members); err != nil || m == was {
				continue
			}
			if check.MayChange(h.id, &h.state, op.Wanted(&h.state)) {
				dst = append(dst, op)
			}
		}
	}
	return dst
}

// refusedChanges appends to dst changes that a node does not make though it is called to, each for another reason: that nothing
// differs, that epoch or version is not the next, that two members differ, that it would vote no more, or that it
// does not lead or its configuration is not settled.
func (c *Cluster) refusedChanges(dst []Op, h *host) []Op {
	own := h.state.Configuration
	if own.Len() == 0 {
		return dst
	}
	next := own.At(0, 1)
	low, high := toggled(next, c.members[0]), toggled(next, c.members[len(c.members)-1])
	all := []spec.Configuration{next, low, high, toggled(low, c.members[len(c.members)-1])}
	if h.state.Role == spec.Leader {
		all = append(all, low.At(own.Epoch, own.Version), low.At(own.Epoch+1, own.Version+1), rewritten(next, without(h.id)))
	}
	for _, wanted := range all {
		op := Op{Kind: Change, Node: h.id, Configuration: wanted}
		if !wanted.IsNone() && op.Wanted(&h.state).Validate() == nil && !check.MayChange(h.id, &h.state, op.Wanted(&h.state)) {
			dst = append(dst, op)
		}
	}
	return dst
}

// toggled returns c without a member, or with it as an observer if it is none; none if that is no configuration.
func toggled(c spec.Configuration, id spec.NodeID) spec.Configuration {
	if _, is := c.Member(id); is {
		return rewritten(c, without(id))
	}
	c, err := spec.NewConfiguration(c.Epoch, c.Version, append(c.Members(), spec.Member{ID: id, Kind: spec.Observer}))
	if err != nil {
		return spec.Configuration{}
	}
	return c
}

// memberChange says what becomes of a member, and whether it stays one.
type memberChange func(spec.Member) (m spec.Member, stays bool)

func without(id spec.NodeID) memberChange {
	return func(m spec.Member) (spec.Member, bool) { return m, m.ID != id }
}

// rewritten returns c with its members changed; none if that is no configuration. None and the empty one stay.
func rewritten(c spec.Configuration, change memberChange) spec.Configuration {
	if c.Len() == 0 {
		return c
	}
	var members []spec.Member
	for _, m := range c.Members() {
		if m, stays := change(m); stays {
			members = append(members, m)
		}
	}
	c, err := spec.NewConfiguration(c.Epoch, c.Version, members)
	if err != nil {
		return spec.Configuration{}
	}
	return c
}

// rewrite changes the members of all configurations of the script.
func (s *Script) rewrite(change memberChange) {
	s.First = rewritten(s.First, change)
	for i, record := range s.Records {
		if record != nil {
			other := *record
			other.Configuration = rewritten(record.Configuration, change)
			s.Records[i] = &other
		}
	}
	for i := range s.Ops {
		op := &s.Ops[i]
		op.Configuration, op.State.Configuration = rewritten(op.Configuration, change), rewritten(op.State.Configuration, change)
	}
}
