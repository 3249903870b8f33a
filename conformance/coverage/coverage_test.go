// Package coverage counts which of the rules a run has visited: the actions, the branches of the rules, and the states of a
// node. A test, a simulator or a trace is worth what it reaches; this says what it does not reach. It is told each step of a
// node as a [check.Case], whose Want is what the node did. This is the loop that asks what simulations have visited:
//
//	seen := coverage.New()
//	for _, plan := range plans {
//		sim.Run(plan, newNode, sim.Options{Observe: seen.Observe})
//	}
//	if missing := seen.Missing(); len(missing) > 0 {
//		return fmt.Errorf("never visited: %q", missing)
//	}
//
// A [Branch] is a case of a rule of section 8, or of one that bounds them (R2, R33 to R35), such as "R17 grants its own epoch,
// promised to nobody". Every input in every state belongs to at least one branch, and every branch has inputs: a
// test holds that over all cases of package conformance. [Table] sets several Coverages side by side.
//
// Fixed members are a configuration that never changes: they have the same branches, but for those that are marked Changing.
package coverage

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// Coverage is what has been visited. It is made by [New]; its methods are for one goroutine at a time.
type Coverage struct {
	actions  map[spec.Action]uint64
	branches []uint64 // by the order of Branches
	states   map[state]struct{}
	strays   uint64
	changing bool // nodes whose members change have been seen
	view     view
}

// New returns a Coverage of nothing.
func New() *Coverage {
	return &Coverage{actions: map[spec.Action]uint64{}, branches: make([]uint64, len(branches)), states: map[state]struct{}{}}
}

// Observe counts one input that a node has taken, ignored ones too. It keeps nothing of k.
func (c *Coverage) Observe(k *check.Case) {
	v := &c.view
	v.look(k)
	c.changing = c.changing || !v.fixed()
	belongs := false
	for _, i := range byKind[v.kind] {
		if branches[i].has(v) {
			c.branches[i]++
			belongs = belongs || branches[i].isOwn()
		}
	}
	if !belongs {
		c.strays++
	}
	if k.Want.Ignored {
		return
	}
	c.actions[v.kind]++
	if v.fixed() {
		c.states[stateOf(k, &k.Before)] = struct{}{}
		c.states[stateOf(k, &k.Want.State)] = struct{}{}
	}
}

// Saw counts actions that are no step on an input, and that Observe is not told of: Crash, Lose or Cut.
func (c *Coverage) Saw(a spec.Action, n uint64) { c.actions[a] += n }

// Action returns how many times an action has been visited.
func (c *Coverage) Action(a spec.Action) uint64 { return c.actions[a] }

// Branch returns how many times a branch has been visited, by its place in Branches.
func (c *Coverage) Branch(i int) uint64 { return c.branches[i] }

// Strays returns how many inputs belonged to no branch, those apart that any step may be a case of (R4, R7): each input should
// be a case of a rule of its own.
func (c *Coverage) Strays() uint64 { return c.strays }

// Missing names the actions and the branches that have not been visited, though they can be: those that no run reaches are
// left out (see Branch.Never), and those that need changing members if all were fixed.
func (c *Coverage) Missing() (names []string) {
	actions := spec.FixedActions()
	if c.changing {
		actions = spec.Actions()
	}
	for _, a := range actions {
		if c.actions[a] == 0 {
			names = append(names, string(a))
		}
	}
	for i, b := range branches {
		if c.branches[i] == 0 && b.Never == "" && (c.changing || !b.Changing) {
			names = append(names, b.String())
		}
	}
	return names
}

// Contradicted names the branches that have been visited, though no run should reach them.
func (c *Coverage) Contradicted() (names []string) {
	for i, b := range branches {
		if c.branches[i] > 0 && b.Never != "" {
			names = append(names, b.String())
		}
	}
	return names
}

// Add counts what another has visited too.
func (c *Coverage) Add(d *Coverage) {
	for a, n := range d.actions {
		c.actions[a] += n
	}
	for i, n := range d.branches {
		c.branches[i] += n
	}
	for s := range d.states {
		c.states[s] = struct{}{}
	}
	c.strays += d.strays
	c.changing = c.changing || d.changing
}

// state is a state of a node among fixed members, without its epoch: of so many members, as ranks from 1, 0 for none.
type state struct {
	members, id, role, leader, grantee uint8
	support                            uint16
}

func stateOf(k *check.Case, s *spec.State) state {
	rank := func(id spec.NodeID) uint8 { return uint8(slices.Index(k.Members, id) + 1) }
	t := state{
		members: uint8(len(k.Members)), id: rank(k.ID), role: uint8(slices.Index(roles, s.Role)),
		leader: rank(s.Leader), grantee: rank(s.Grantee),
	}
	for _, id := range s.Support {
		t.support |= 1 << rank(id)
	}
	return t
}

var roles = spec.Roles()

// States returns how many states of a node among so many fixed members have been visited, epochs apart.
func (c *Coverage) States(members int) (n int) {
	for s := range c.states {
		if int(s.members) == members {
			n++
		}
	}
	return n
}

// StatesOf returns how many of the states that another has visited, among so many members, have been visited too.
func (c *Coverage) StatesOf(d *Coverage, members int) (n int) {
	for s := range d.states {
		if _, ok := c.states[s]; ok && int(s.members) == members {
			n++
		}
	}
	return n
}
