// Package members is the Go mirror of module Members (tla/Members.tla): members that come and go
// while the cluster runs, each node with a configuration of its own, on disk.
//
// It is written from that module by hand, action for action and in the same order; what
// the module says in its comments is not said again here. The loop to write:
//
//	m, err := members.New(configuration) // as read from tla/models/Members3.cfg
//	if err != nil {
//		return err
//	}
//	result, err := explore.Run(ctx, m, explore.Options{})
//	if err != nil {
//		return err // cancelled, or out of memory: nothing was decided
//	}
//	if result.Violation != nil {
//		fmt.Println(result.Violation)
//	}
package members

import (
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
	Constants:      []string{"N", "Start", "MaxEpoch", "MaxVersion", "Witnesses"},
	Bounds:         map[string]string{"Epoch": "UpToMaxEpoch", "Version": "UpToMaxVersion", "Witness": "Listed"},
	Replacements:   replacements,
	Invariants:     invariants,
	Steps:          stepProperties,
}

// New builds the model of one configuration of module MCMembers. An unknown or missing
// constant, replacement, invariant or property is an error that names it; so is a constant
// above MaxNodes, MaxEpochs or MaxVersions.
func New(c explore.Configuration) (explore.Model, error) {
	y := &system{rules: standard}
	var err error
	if y.Checks, err = module.Configure(y, c, y.setConstants); err != nil {
		return nil, fmt.Errorf("members: %w", err)
	}
	return y, nil
}

// setConstants takes N, Start, MaxEpoch, MaxVersion and Witnesses.
func (y *system) setConstants(constants map[string]string) error {
	n, err := explore.Number(constants, "N", 1, MaxNodes)
	if err != nil {
		return err
	}
	epochs, err := explore.Number(constants, "MaxEpoch", 1, MaxEpochs)
	if err != nil {
		return err
	}
	versions, err := explore.Number(constants, "MaxVersion", 1, MaxVersions)
	if err != nil {
		return err
	}
	y.n, y.maxEpoch, y.maxVersion = node(n), epoch(epochs), version(versions)
	for i := node(1); i <= y.n; i++ {
		y.all |= only(i)
	}
	if y.start, err = nodes(constants, "Start", n); err != nil {
		return err
	}
	if y.start == 0 {
		return fmt.Errorf("constant Start is empty: the first configuration needs a voter")
	}
	y.witnesses, err = nodes(constants, "Witnesses", n)
	return err
}

// nodes returns the value of the named constant, a set of nodes up to n.
func nodes(constants map[string]string, name string, n int) (s set, err error) {
	list, err := explore.NodeSet(constants, name, n)
	for _, i := range list {
		s |= only(node(i))
	}
	return s, err
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
