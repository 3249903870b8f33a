package members

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
)

// none is no node.
const none node = 0

type (
	node    int8
	epoch   int8
	version int8
	set     uint8 // a set of nodes: bit i stands for node i
)

func only(i node) set         { return 1 << i }
func (s set) has(i node) bool { return s&only(i) != 0 }
func (s set) size() int       { return bits.OnesCount8(uint8(s)) }

// String returns the set in TLA+.
func (s set) String() string {
	var ids []string
	for i := node(1); i <= MaxNodes; i++ {
		if s.has(i) {
			ids = append(ids, fmt.Sprint(i))
		}
	}
	return "{" + strings.Join(ids, ", ") + "}"
}

// configuration is who votes, who is a witness, and the stamp. Its zero value is Empty.
type configuration struct {
	voters, witnesses set
	version           version
	epoch             epoch
}

func (c configuration) electors() set { return c.voters | c.witnesses }

// newer reports whether c comes after d.
func (c configuration) newer(d configuration) bool {
	return c.epoch > d.epoch || c.epoch == d.epoch && c.version > d.version
}

// differing returns who is of another kind in d than in c.
func (c configuration) differing(d configuration) set {
	return (c.voters ^ d.voters) | (c.witnesses ^ d.witnesses)
}

// compare orders configurations, in any way at all, so that a set of them has one form.
func (c configuration) compare(d configuration) int {
	return cmp.Or(cmp.Compare(c.epoch, d.epoch), cmp.Compare(c.version, d.version),
		cmp.Compare(c.voters, d.voters), cmp.Compare(c.witnesses, d.witnesses))
}

// String returns the configuration in TLA+.
func (c configuration) String() string {
	return fmt.Sprintf("[voters |-> %v, witnesses |-> %v, version |-> %d, epoch |-> %d]",
		c.voters, c.witnesses, c.version, c.epoch)
}

// state holds the variables of the module. Arrays by node or by epoch leave index 0 unused.
type state struct {
	epoch   [MaxNodes + 1]epoch
	conf    [MaxNodes + 1]configuration
	leads   set
	support [MaxNodes + 1]set
	reigns  [MaxEpochs + 1]set // who has come to lead, by epoch
	made    []configuration    // in order; never changed in place, since copies of a state share it
}

// with returns made and c, in order. It does not change made.
func with(made []configuration, c configuration) []configuration {
	k, found := slices.BinarySearchFunc(made, c, configuration.compare)
	if found {
		return made
	}
	return slices.Insert(slices.Clone(made), k, c)
}

// pack appends s to b.
func (y *system) pack(s *state, b []byte) []byte {
	for i := node(1); i <= y.n; i++ {
		b = append(b, byte(s.epoch[i]), byte(s.support[i]))
		b = packConfiguration(b, s.conf[i])
	}
	b = append(b, byte(s.leads))
	for e := epoch(1); e <= y.maxEpoch; e++ {
		b = append(b, byte(s.reigns[e]))
	}
	for _, c := range s.made {
		b = packConfiguration(b, c)
	}
	return b
}

// sizeOfConfiguration is how many bytes packConfiguration appends.
const sizeOfConfiguration = 3

func packConfiguration(b []byte, c configuration) []byte {
	return append(b, byte(c.voters), byte(c.witnesses), byte(c.version)<<4|byte(c.epoch))
}

func unpackConfiguration(b []byte) configuration {
	return configuration{set(b[0]), set(b[1]), version(b[2] >> 4), epoch(b[2] & 15)}
}

// unpack is the inverse of pack.
func (y *system) unpack(b []byte) (s state) {
	y.unpackInto(&s, b)
	return s
}

// unpackInto is unpack into a state whose memory may be used again.
func (y *system) unpackInto(s *state, b []byte) {
	for i := node(1); i <= y.n; i++ {
		s.epoch[i], s.support[i] = epoch(b[0]), set(b[1])
		s.conf[i] = unpackConfiguration(b[2:])
		b = b[2+sizeOfConfiguration:]
	}
	s.leads, b = set(b[0]), b[1:]
	for e := epoch(1); e <= y.maxEpoch; e++ {
		s.reigns[e] = set(b[e-1])
	}
	b = b[y.maxEpoch:]
	s.made = s.made[:0]
	for ; len(b) > 0; b = b[sizeOfConfiguration:] {
		s.made = append(s.made, unpackConfiguration(b))
	}
}

// render returns the variables of s as TLA+ values.
func (y *system) render(s *state) []explore.Variable {
	var epochs, confs, leads, supports, reigns, made []string
	for i := node(1); i <= y.n; i++ {
		epochs = append(epochs, fmt.Sprint(s.epoch[i]))
		confs = append(confs, s.conf[i].String())
		leads = append(leads, strings.ToUpper(fmt.Sprint(s.leads.has(i))))
		supports = append(supports, s.support[i].String())
	}
	for e := epoch(1); e <= y.maxEpoch; e++ {
		for i := node(1); i <= y.n; i++ {
			if s.reigns[e].has(i) {
				reigns = append(reigns, fmt.Sprintf("[epoch |-> %d, leader |-> %d]", e, i))
			}
		}
	}
	for _, c := range s.made {
		made = append(made, c.String())
	}
	tuple := func(items []string) string { return "<<" + strings.Join(items, ", ") + ">>" }
	setOf := func(items []string) string { return "{" + strings.Join(items, ", ") + "}" }
	return []explore.Variable{
		{Name: "epoch", Value: tuple(epochs)},
		{Name: "conf", Value: tuple(confs)},
		{Name: "leads", Value: tuple(leads)},
		{Name: "support", Value: tuple(supports)},
		{Name: "reigns", Value: setOf(reigns)},
		{Name: "made", Value: setOf(made)},
	}
}
