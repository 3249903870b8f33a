// Package members is the Go mirror of module Members (tla/Members.tla): members that come and go
// while the cluster runs, each node with a configuration of its own, on disk.
//
// It is written from that module by hand, action for action and in the same order; what
// the module says in its comments is not said again here. The loop to write is that of package explore.
package members

import (
	"errors"
	"fmt"

	"github.com/seed-fdf591db/bully/model/explore"
)

// The largest constants that a packed state has room for.
const (
	MaxNodes    = 7  // of N
	MaxEpochs   = 7  // of MaxEpoch
	MaxVersions = 15 // of MaxVersion
)

// system is one configuration of module MCMembers.
type system struct {
	rules
	explore.Checks[system, state]
	n          node
	all        set // every node
	start      set
	witnesses  set // who may be made a witness
	maxEpoch   epoch
	maxVersion version
}

var _ explore.Model = (*system)(nil)

// module is what a configuration may name.
var module = explore.Module[system, state]{
	Name:           "MCMembers",
	Specifications: []string{"Spec"},
	Constants: []explore.Constant[system]{
		{Name: "N", Least: 1, Most: MaxNodes, Number: func(y *system, n int) { y.n, y.all = node(n), 1<<(n+1)-2 }},
		{Name: "Start", Nodes: func(y *system, members []int) { y.start = setOf(members) }},
		{Name: "MaxEpoch", Least: 1, Most: MaxEpochs, Number: func(y *system, most int) { y.maxEpoch = epoch(most) }},
		{Name: "MaxVersion", Least: 1, Most: MaxVersions, Number: func(y *system, most int) { y.maxVersion = version(most) }},
		{Name: "Witnesses", Nodes: func(y *system, members []int) { y.witnesses = setOf(members) }},
	},
	Bounds:       map[string]string{"Epoch": "UpToMaxEpoch", "Version": "UpToMaxVersion", "Witness": "Listed"},
	Replacements: replacements,
	Invariants:   invariants,
	Steps:        stepProperties,
}

// New builds the model of one configuration of module MCMembers. An unknown or missing
// constant, replacement, invariant or property is an error that names it; so is a constant
// above MaxNodes, MaxEpochs or MaxVersions.
func New(c explore.Configuration) (explore.Model, error) {
	y := &system{rules: standard}
	var err error
	if y.Checks, err = module.Configure(y, c); err != nil {
		return nil, fmt.Errorf("members: %w", err)
	}
	if y.start == 0 {
		return nil, errors.New("members: constant Start is empty: the first configuration needs a voter")
	}
	return y, nil
}

// setOf returns some nodes as a set.
func setOf(members []int) (s set) {
	for _, i := range members {
		s |= only(node(i))
	}
	return s
}

// firstOf returns the configuration that node i begins with: that of the first members, or
// the empty one.
func (y *system) firstOf(i node) configuration {
	if y.start.has(i) {
		return configuration{voters: y.start, version: 1}
	}
	return configuration{}
}

// Init implements explore.Model.
func (y *system) Init(emit func(packed []byte)) {
	s := &state{}
	for i := node(1); i <= y.n; i++ {
		s.conf[i] = y.firstOf(i)
		s.made = with(s.made, s.conf[i])
	}
	emit(y.pack(s, nil))
}

// Expander implements explore.Model.
func (y *system) Expander() explore.Expander { return &stepper{system: y} }

// Render implements explore.Model.
func (y *system) Render(packed []byte) []explore.Variable {
	s := y.unpack(packed)
	return y.render(&s)
}
