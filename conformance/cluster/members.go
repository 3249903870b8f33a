package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// checkFirst says what is wrong with who the first members are, if members change.
func (c *Cluster) checkFirst() error {
	first := c.options.First
	if first.IsNone() {
		return nil
	}
	if err := first.Validate(); err != nil {
		return err
	}
	if first.Epoch != 0 || first.Version != 1 {
		return fmt.Errorf("a configuration of version 1 and epoch 0 is wanted, not %s", first)
	}
	return checkKnown(first, c.members)
}

// checkKnown says which member of a configuration is not one of the nodes that there are.
func checkKnown(c spec.Configuration, nodes []spec.NodeID) error {
	for _, m := range c.Members() {
		if !slices.Contains(nodes, m.ID) {
			return fmt.Errorf("%s is no member", m.ID)
		}
	}
	return nil
}

// The text of configurations in scripts.

// membersText returns, such as: 1 2^7 witness:3@10.0.0.3:7400.
func membersText(c spec.Configuration) string {
	var words []string
	for _, m := range c.Members() {
		word := m.ID.String()
		if m.Kind != spec.Voter {
			word = string(m.Kind) + ":" + word
		}
		if m.Rank != 0 {
			word += "^" + strconv.Itoa(int(m.Rank))
		}
		if m.Address != "" {
			word += "@" + m.Address
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// configurationText returns, such as: epoch 4 version 2 of 1 2 witness:3; or nobody, for the empty one.
func configurationText(c spec.Configuration) string {
	if c.IsEmpty() {
		return "nobody"
	}
	return fmt.Sprintf("epoch %d version %d of %s", c.Epoch, c.Version, membersText(c))
}

// wantedText is configurationText of what a node is called to change to: of the next version it says the members alone.
func wantedText(c spec.Configuration) string {
	if c.Epoch == 0 {
		return membersText(c)
	}
	return configurationText(c)
}

// parseConfiguration reads what configurationText writes, from the beginning of words, and returns those after it.
func parseConfiguration(words []string) (c spec.Configuration, rest []string, err error) {
	if len(words) > 0 && words[0] == "nobody" {
		return spec.EmptyConfiguration(), words[1:], nil
	}
	if len(words) < 5 || words[0] != "epoch" || words[2] != "version" || words[4] != "of" {
		return c, nil, fmt.Errorf("%q does not say a configuration so: epoch 4 version 2 of 1 2 witness:3", strings.Join(words, " "))
	}
	epoch, notEpoch := strconv.ParseUint(words[1], 10, 64)
	version, notVersion := strconv.ParseUint(words[3], 10, 64)
	if notEpoch != nil || notVersion != nil {
		return c, nil, fmt.Errorf("%s or %s is no number", words[1], words[3])
	}
	return parseMembers(words[5:], spec.Epoch(epoch), version)
}

// parseMembers reads what membersText writes, to the end or to the word crash.
func parseMembers(words []string, epoch spec.Epoch, version uint64) (c spec.Configuration, rest []string, err error) {
	end := slices.Index(words, "crash")
	if end < 0 {
		end = len(words)
	}
	if end == 0 {
		return c, nil, fmt.Errorf("there must be members, such as: 1 2 witness:3")
	}
	var members []spec.Member
	for _, word := range words[:end] {
		m := spec.Member{Kind: spec.Voter}
		word, m.Address, _ = strings.Cut(word, "@")
		if kind, id, said := strings.Cut(word, ":"); said {
			m.Kind, word = spec.MemberKind(kind), id
		}
		word, rank, said := strings.Cut(word, "^")
		if said {
			n, err := strconv.ParseUint(rank, 10, 16)
			if err != nil || n == 0 {
				return c, nil, fmt.Errorf("%s is no rank: give one from 1 to %d, or none", rank, spec.MaxRank)
			}
			m.Rank = uint16(n)
		}
		if m.ID, err = spec.ParseNodeID(word); err != nil {
			return c, nil, err
		}
		members = append(members, m)
	}
	c, err = spec.NewConfiguration(epoch, version, members)
	return c, words[end:], err
}

// elsewhere is the address that a member is drawn to have, if it is drawn to have another; the lowest is given the rank raised with it.
const (
	elsewhere = "elsewhere:1"
	raised    = 7
)

// changes appends to dst each change by one member that a node makes if it is called to: to one more, one fewer, or one of
// another kind, rank or address.
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
			moved := spec.Member{ID: id, Kind: was.Kind, Rank: was.Rank, Address: elsewhere}
			if id == c.members[0] {
				moved.Rank = raised
			}
			choices = append(choices, moved)
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
