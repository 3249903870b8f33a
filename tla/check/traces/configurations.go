package traces

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// configurations are those of a trace, each once. Members that are fixed have one, the first of epoch 0.
type configurations struct {
	confs     []conf
	versions  []uint64 // in the order in which they come
	addresses []string // the same; an address is called by its place from 1
	small     []int    // what each of versions is in TLC
	names     []int32  // the first that was held of each epoch and version: places in confs

	known map[spec.Configuration]int32
}

// conf is a configuration.
type conf struct {
	epoch   int32  // a place in trace.epochs
	version int32  // a place in configurations.versions
	members string // of each rank, the place of its kind among spec.MemberKinds and its address, from 1 and in 1 and 2 bytes; 0 for no member
}

const memberBytes = 3

// conf returns the place of a configuration among those of the trace; 0 for none.
func (r *reader) conf(c spec.Configuration) int32 {
	if c.IsNone() {
		return 0
	}
	place, ok := r.known[c]
	if ok {
		return place
	}
	if r.known == nil {
		r.known = map[spec.Configuration]int32{}
	}
	compact := conf{epoch: r.epoch(c.Epoch), version: place32(&r.versions, c.Version)}
	members := make([]byte, memberBytes*len(r.members))
	for _, m := range c.Members() {
		at := memberBytes * (int(r.ranks[m.ID]) - 1)
		address := place32(&r.configurations.addresses, m.Address) + 1
		members[at], members[at+1], members[at+2] = byte(slices.Index(spec.MemberKinds(), m.Kind)+1), byte(address>>8), byte(address)
	}
	compact.members = string(members)
	place = int32(len(r.confs))
	r.confs = append(r.confs, compact)
	r.known[c] = place
	return place
}

// confOrFixed returns the place of the configuration of a state or a message.
func (r *reader) confOrFixed(c spec.Configuration) int32 {
	if c.IsNone() {
		return r.fixed
	}
	return r.conf(c)
}

// all returns the configuration of members that are fixed.
func all(ids []spec.NodeID) spec.Configuration {
	members := make([]spec.Member, len(ids))
	for i, id := range ids {
		members[i] = spec.Member{ID: id, Kind: spec.Voter}
	}
	c, err := spec.NewConfiguration(0, 1, members)
	if err != nil {
		panic(err) // There are maxMembers at most.
	}
	return c
}

// place32 returns the place of x in a list, to which it is added if it is not there. These lists are short.
func place32[T comparable](in *[]T, x T) int32 {
	at := slices.Index(*in, x)
	if at < 0 {
		at = len(*in)
		*in = append(*in, x)
	}
	return int32(at)
}

// kind and address return what a rank is in a configuration, and where; 0 if it is no member.
func (c *conf) kind(r rank) int { return int(c.members[memberBytes*(int(r)-1)]) }

func (c *conf) address(r rank) int {
	at := memberBytes * (int(r) - 1)
	return int(c.members[at+1])<<8 | int(c.members[at+2])
}

// shrinkVersions gives versions small numbers, and finds which configuration is the first of each epoch and version.
func (c *configurations) shrinkVersions(t *trace) {
	if len(c.confs) == 0 {
		return
	}
	c.small = shrunk(c.versions)
	type stamp struct{ epoch, version int32 }
	seen := map[stamp]bool{}
	hold := func(place int32) {
		if s := (stamp{c.confs[place].epoch, c.confs[place].version}); !seen[s] {
			seen[s] = true
			c.names = append(c.names, place)
		}
	}
	for i := range t.events {
		if t.events[i].action.OfNode() {
			hold(t.states[t.events[i].state].conf)
		}
	}
}

// configuration returns the configuration of a place; none where members are fixed.
func (t *trace) configuration(place int32) spec.Configuration {
	if !t.changing {
		return spec.Configuration{}
	}
	c := &t.confs[place]
	return t.made(spec.Epoch(t.epochs[c.epoch]), t.versions[c.version], c.kind, c.address)
}

// configurationSaid returns the configuration that TLC has said; none where members are fixed.
func (t *trace) configurationSaid(s *saidConf) spec.Configuration {
	if !t.changing {
		return spec.Configuration{}
	}
	kind := func(r rank) int {
		for i, of := range [][]rank{s.voters, s.witnesses, s.observers} {
			if slices.Contains(of, r) {
				return i + 1
			}
		}
		return 0
	}
	address := func(r rank) int {
		if int(r) > len(s.addresses) {
			return 0
		}
		return s.addresses[r-1]
	}
	return t.made(t.large(s.epoch), grown(t.versions, t.configurations.small, s.version), kind, address)
}

// made returns a configuration; the empty one if there is none such.
func (t *trace) made(e spec.Epoch, version uint64, kind, address func(rank) int) spec.Configuration {
	var members []spec.Member
	for i, id := range t.members {
		r := rank(i + 1)
		if k := kind(r); k > 0 {
			m := spec.Member{ID: id, Kind: spec.MemberKinds()[k-1]}
			if a := address(r); a > 0 && a <= len(t.addresses) {
				m.Address = t.addresses[a-1]
			}
			members = append(members, m)
		}
	}
	c, err := spec.NewConfiguration(e, version, members)
	if err != nil {
		return spec.EmptyConfiguration()
	}
	return c
}

// appendConf appends a configuration as a literal.
func (t *trace) appendConf(b []byte, place int32) []byte {
	c := &t.confs[place]
	b = fmt.Appendf(b, "Conf(%d, %d, ", t.small[c.epoch], t.configurations.small[c.version])
	addresses := make([]int, len(t.members))
	for kind := range spec.MemberKinds() {
		var of []rank
		for i := range t.members {
			if r := rank(i + 1); c.kind(r) == kind+1 {
				of, addresses[i] = append(of, r), c.address(r)
			}
		}
		b = append(appendList(b, "{", of, "}"), ", "...)
	}
	return append(appendList(b, "<<", addresses, ">>"), ')')
}
