package traces

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// configurations are those of a trace. The empty one has place 0.
type configurations struct {
	confs     list[spec.Configuration, spec.Configuration]
	fixed     spec.Configuration // where members are fixed, theirs, which nothing in the trace says: all of them, the first of epoch 0; else the empty one
	versions  scale
	addresses []string             // in the order in which they come; an address is called by its place from 1
	names     []spec.Configuration // the first that was held of each epoch and version
}

// found takes the configurations that are there before any event.
func (t *trace) found() {
	t.fixed = spec.EmptyConfiguration()
	t.conf(t.fixed)
	if t.changing {
		return
	}
	members := make([]spec.Member, len(t.members))
	for i, id := range t.members {
		members[i] = spec.Member{ID: id, Kind: spec.Voter}
	}
	all, err := spec.NewConfiguration(0, 1, members)
	if err != nil {
		panic(err) // There are maxMembers at most.
	}
	t.fixed = all
	t.conf(all)
}

// conf returns the place of the configuration of a state or a message.
func (t *trace) conf(c spec.Configuration) int32 {
	if c.IsNone() {
		c = t.fixed
	}
	return t.confs.place(c, func() spec.Configuration {
		t.epochs.note(uint64(c.Epoch))
		t.versions.note(c.Version)
		for _, m := range c.Members() {
			if !slices.Contains(t.addresses, m.Address) {
				t.addresses = append(t.addresses, m.Address)
			}
		}
		return c
	})
}

// nameVersions gives versions small numbers, and finds which configuration is the first of each epoch and version.
func (t *trace) nameVersions() {
	t.versions.shrink()
	seen := map[spec.Stamp]bool{}
	for i := range t.events {
		if !t.events[i].action.OfNode() {
			continue
		}
		c := t.confs.all[t.conf(t.states.all[t.events[i].state].Configuration)]
		if !seen[c.Stamp()] {
			seen[c.Stamp()] = true
			t.names = append(t.names, c)
		}
	}
}

// configurationSaid returns the configuration that TLC has said; none where members are fixed, and the empty one if there is none such.
func (t *trace) configurationSaid(s *saidConf) spec.Configuration {
	if !t.changing {
		return spec.Configuration{}
	}
	var members []spec.Member
	for k, of := range [][]rank{s.voters, s.witnesses, s.observers} {
		for _, r := range of {
			m := spec.Member{ID: t.id(r), Kind: spec.MemberKinds()[k]}
			if int(r) <= len(s.addresses) {
				if a := s.addresses[r-1]; a > 0 && a <= len(t.addresses) {
					m.Address = t.addresses[a-1]
				}
			}
			if int(r) <= len(s.ranks) {
				m.Rank = uint16(s.ranks[r-1])
			}
			members = append(members, m)
		}
	}
	c, err := spec.NewConfiguration(t.large(s.epoch), t.versions.large(s.version), members)
	if err != nil {
		return spec.EmptyConfiguration()
	}
	return c
}

// appendConf appends a configuration as a literal.
func (t *trace) appendConf(b []byte, c spec.Configuration) []byte {
	b = fmt.Appendf(b, "Conf(%d, %d, ", t.epochs.small(uint64(c.Epoch)), t.versions.small(c.Version))
	ranks, addresses := "", make([]int, len(t.members))
	for _, kind := range spec.MemberKinds() {
		var of []rank
		for _, m := range c.Members() {
			if r := t.ranks[m.ID]; m.Kind == kind {
				of, addresses[r-1] = append(of, r), slices.Index(t.addresses, m.Address)+1
			}
		}
		b = append(appendList(b, "{", of, "}"), ", "...)
	}
	for _, m := range c.Members() {
		if m.Rank != 0 {
			ranks += fmt.Sprintf(", <<%d, %d>>", t.ranks[m.ID], m.Rank)
		}
	}
	b = fmt.Appendf(b, "{%s}, ", strings.TrimPrefix(ranks, ", "))
	return append(appendList(b, "<<", addresses, ">>"), ')')
}
