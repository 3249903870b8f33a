// Package frame has what the models of the baselines share: the nodes, the links between them, of which some are cut, and the
// constants that bound faults. It has no rule of any of them.
package frame

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
)

// MaxNodes is the highest number of nodes of any of the models. maxBudget is the highest of each budget.
const (
	MaxNodes  = 6
	maxBudget = 255
)

// Set is a set of nodes: bit i stands for node i.
type Set uint8

// Only returns the set of one node.
func Only(i int) Set { return 1 << i }

// Has reports whether node i is in s.
func (s Set) Has(i int) bool { return s>>i&1 != 0 }

// Highest returns the highest node of s, which is not empty.
func (s Set) Highest() int { return bits.Len8(uint8(s)) - 1 }

// Size returns how many nodes are in s.
func (s Set) Size() int { return bits.OnesCount8(uint8(s)) }

// String returns the set in TLA+.
func (s Set) String() string {
	var members []string
	for i := range 8 {
		if s.Has(i) {
			members = append(members, fmt.Sprint(i))
		}
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// Subsets gives every subset of s, from the empty one to s itself.
func (s Set) Subsets(each func(Set)) {
	for sub := Set(0); ; sub = (sub - s) & s {
		each(sub)
		if sub == s {
			return
		}
	}
}

// Link is a directed link; LinkSet is a set of them: bit k stands for Network.Links[k].
type (
	Link    struct{ From, To int }
	LinkSet uint32
)

// String returns the link in TLA+.
func (l Link) String() string { return fmt.Sprintf("<<%d, %d>>", l.From, l.To) }

// Network is the nodes 1 to N, a link from each to each other, and the sets of links that may be cut.
type Network struct {
	N     int
	Links []Link
	Index [MaxNodes + 1][MaxNodes + 1]int // Index[i][j] is the place of link i→j in Links
	Cuts  []LinkSet
}

// Connect numbers the links of n nodes.
func (w *Network) Connect(n int) {
	w.N = n
	for i := 1; i <= n; i++ {
		for j := 1; j <= n; j++ {
			if i != j {
				w.Index[i][j] = len(w.Links)
				w.Links = append(w.Links, Link{i, j})
			}
		}
	}
}

// Where returns the links of which something is true.
func (w *Network) Where(is func(l Link) bool) (all LinkSet) {
	for k, l := range w.Links {
		if is(l) {
			all |= 1 << k
		}
	}
	return all
}

// CutWhere allows for cut the whole network and the links for which lost is true.
func (w *Network) CutWhere(lost func(l Link) bool) {
	w.Cuts = slices.Compact([]LinkSet{0, w.Where(lost)})
}

// IsCut reports whether link i→j is cut, where cut is the place in Cuts.
func (w *Network) IsCut(cut uint8, i, j int) bool { return w.Cuts[cut]>>w.Index[i][j]&1 != 0 }

// CutLinks returns the links that are cut in TLA+.
func (w *Network) CutLinks(cut uint8) string {
	var all []string
	for k, l := range w.Links {
		if w.Cuts[cut]>>k&1 != 0 {
			all = append(all, l.String())
		}
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// EachNode does something for each node.
func (w *Network) EachNode(do func(i int)) {
	for i := 1; i <= w.N; i++ {
		do(i)
	}
}

// SomeNode reports whether something is true of some node.
func (w *Network) SomeNode(is func(i int) bool) bool {
	for i := 1; i <= w.N; i++ {
		if is(i) {
			return true
		}
	}
	return false
}

// Budgets are the constants that bound the faults, of a model that has what is left of each.
func Budgets[M any](of func(m *M) []uint8, names ...string) (all []explore.Constant[M]) {
	for f, name := range names {
		all = append(all, explore.Constant[M]{Name: name, Most: maxBudget, Number: func(m *M, most int) { of(m)[f] = uint8(most) }})
	}
	return all
}

// Flapping is the constant of this name: the nodes that crash and restart as they like.
func Flapping[M any](of func(m *M) *Set) explore.Constant[M] {
	return explore.Constant[M]{Name: "Flapping", Nodes: func(m *M, members []int) {
		for _, i := range members {
			*of(m) |= Only(i)
		}
	}}
}

// StepOf returns a step as the explorer wants it.
func StepOf(action string, args []int) explore.Step {
	step := explore.Step{Action: action}
	for k, a := range args {
		step.Args[k] = int8(a)
	}
	return step
}
