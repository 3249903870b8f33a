package promises

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
)

// none is no node.
const none node = 0

type (
	node  int8
	epoch int8
	set   uint8 // a set of nodes: bit i stands for node i
)

func only(i node) set         { return 1 << i }
func (s set) has(i node) bool { return s&only(i) != 0 }
func (s set) size() int       { return bits.OnesCount8(uint8(s)) }

// promise is what a node has on disk.
type promise struct {
	grantee node
	epoch   epoch
}

// state holds the variables of the module. Arrays by node or by epoch leave index 0 unused.
type state struct {
	disk [MaxNodes + 1]promise // epoch and grantee

	// The messages ever sent, by their epoch.
	claims       [MaxEpochs + 1]set               // who sent CLAIM
	grants       [MaxEpochs + 1][MaxNodes + 1]set // grants[e][i]: to whom i sent GRANT
	coordinators [MaxEpochs + 1]set               // who sent COORDINATOR
}

// heard reports whether any message has epoch e.
func (y *system) heard(s *state, e epoch) bool {
	var from set
	for i := node(1); i <= y.n; i++ {
		from |= s.grants[e][i]
	}
	return from|s.claims[e]|s.coordinators[e] != 0
}

// pack appends s to b: a byte for each promise and for each set of messages.
func (y *system) pack(s *state, b []byte) []byte {
	for _, p := range s.disk[1 : y.n+1] {
		b = append(b, byte(p.epoch)<<4|byte(p.grantee))
	}
	for e := epoch(1); e <= y.maxEpoch; e++ {
		b = append(b, byte(s.claims[e]), byte(s.coordinators[e]))
		for _, to := range s.grants[e][1 : y.n+1] {
			b = append(b, byte(to))
		}
	}
	return b
}

// unpack is the inverse of pack.
func (y *system) unpack(b []byte) (s state) {
	for i := range s.disk[1 : y.n+1] {
		s.disk[i+1] = promise{node(b[i] & 15), epoch(b[i] >> 4)}
	}
	b = b[y.n:]
	for e := epoch(1); e <= y.maxEpoch; e++ {
		s.claims[e], s.coordinators[e] = set(b[0]), set(b[1])
		for i, to := range b[2 : y.n+2] {
			s.grants[e][i+1] = set(to)
		}
		b = b[y.n+2:]
	}
	return s
}

// render returns the variables of s as TLA+ values.
func (y *system) render(s *state) []explore.Variable {
	var epochs, grantees, messages []string
	for _, p := range s.disk[1 : y.n+1] {
		epochs = append(epochs, fmt.Sprint(p.epoch))
		grantees = append(grantees, fmt.Sprint(p.grantee))
	}
	add := func(format string, args ...any) { messages = append(messages, fmt.Sprintf(format, args...)) }
	for e := epoch(1); e <= y.maxEpoch; e++ {
		for i := node(1); i <= y.n; i++ {
			if s.claims[e].has(i) {
				add(`[type |-> "CLAIM", from |-> %d, epoch |-> %d]`, i, e)
			}
			for c := node(1); c <= y.n; c++ {
				if s.grants[e][i].has(c) {
					add(`[type |-> "GRANT", from |-> %d, to |-> %d, epoch |-> %d]`, i, c, e)
				}
			}
			if s.coordinators[e].has(i) {
				add(`[type |-> "COORDINATOR", from |-> %d, epoch |-> %d]`, i, e)
			}
		}
	}
	return []explore.Variable{
		{Name: "epoch", Value: "<<" + strings.Join(epochs, ", ") + ">>"},
		{Name: "grantee", Value: "<<" + strings.Join(grantees, ", ") + ">>"},
		{Name: "messages", Value: "{" + strings.Join(messages, ", ") + "}"},
	}
}
