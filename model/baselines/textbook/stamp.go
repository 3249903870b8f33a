package textbook

import (
	"encoding/binary"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/internal/frame"
)

// stamped is one configuration of module MCTextbookStamp: a model of Textbook, and what its steps do to the stamps.
type stamped struct {
	*model
	remembers bool // AfterCrash is replaced by Remembers
	oneLeader bool // whether to look for OneLeaderPerStamp
	rise      bool // whether to look for StampsRise
}

var _ explore.Model = (*stamped)(nil)

// The properties of TextbookStamp besides TypeOK.
const (
	oneLeaderPerStamp = "OneLeaderPerStamp"
	stampsRise        = "StampsRise"
)

// NewStamp builds the model of one configuration of module MCTextbookStamp, under the same bounds as New and with the same
// errors.
func NewStamp(c explore.Configuration) (explore.Model, error) {
	if c.Module != "MCTextbookStamp" {
		return nil, fmt.Errorf("textbook: module %s is not MCTextbookStamp", c.Module)
	}
	if c.Specification != "Spec" {
		return nil, fmt.Errorf("textbook: module MCTextbookStamp has no specification %s", c.Specification)
	}
	y := &stamped{}
	plain := c
	plain.Module, plain.Replacements = "MCTextbook", maps.Clone(c.Replacements)
	plain.Invariants, plain.Properties = nil, nil
	for operator, name := range c.Replacements {
		switch operator + " <- " + name {
		case "AfterCrash <- Remembers":
			y.remembers = true
			delete(plain.Replacements, operator)
		case "Cuts <- Whole", "Cuts <- TopIsolated", "Beginnings <- OnlyLed":
		default:
			return nil, fmt.Errorf("textbook: there is no replacement %s <- %s in module MCTextbookStamp", operator, name)
		}
	}
	for _, name := range c.Invariants {
		switch name {
		case "TypeOK":
			plain.Invariants = append(plain.Invariants, name)
		case oneLeaderPerStamp:
			y.oneLeader = true
		default:
			return nil, fmt.Errorf("textbook: %s is no invariant of module MCTextbookStamp", name)
		}
	}
	for _, name := range c.Properties {
		if name != stampsRise {
			return nil, fmt.Errorf("textbook: %s is no property of module MCTextbookStamp", name)
		}
		y.rise = true
	}
	m, err := New(plain)
	if err != nil {
		return nil, err
	}
	y.model = m.(*model)
	return y, nil
}

// maxStamp is the highest stamp that a state has room for; no run that the explorer has room for comes near.
const maxStamp = 15

// stamps is what TextbookStamp adds to a state of Textbook. Those under way have four bits each, the first in the lowest.
type stamps struct {
	heard    [maxNodes + 1]uint8
	underWay [maxNodes * (maxNodes - 1)]uint64
	reigns   [maxStamp + 1]set // by stamp, the leaders
}

// pack appends the packed form of s, and before it its length, to b; a state of Textbook comes after it.
func (y *stamped) pack(b []byte, s *stamps) []byte {
	at := len(b)
	b = append(b, 0)
	b = append(b, s.heard[1:y.N+1]...)
	for k := range y.Links {
		b = binary.AppendUvarint(b, s.underWay[k])
	}
	for e := 1; e <= maxStamp; e++ {
		if s.reigns[e] != 0 {
			b = append(b, byte(e), byte(s.reigns[e]))
		}
	}
	b[at] = byte(len(b) - at - 1)
	return b
}

// unpack sets s, and returns the packed state of Textbook that comes after it.
func (y *stamped) unpack(b []byte, s *stamps) []byte {
	*s = stamps{}
	own, plain := b[1:1+b[0]], b[1+b[0]:]
	own = own[copy(s.heard[1:y.N+1], own):]
	for k := range y.Links {
		q, n := binary.Uvarint(own)
		s.underWay[k], own = q, own[n:]
	}
	for ; len(own) > 0; own = own[2:] {
		s.reigns[own[0]] = set(own[1])
	}
	return plain
}

// Init implements explore.Model.
func (y *stamped) Init(emit func(state []byte)) {
	y.model.Init(func(plain []byte) {
		var s stamps
		for i := 1; i <= y.N; i++ {
			s.heard[i] = 1
		}
		s.reigns[1] = frame.Only(y.N)
		emit(append(y.pack(nil, &s), plain...))
	})
}

// Expander implements explore.Model.
func (y *stamped) Expander() explore.Expander {
	return &stamper{stamped: y, plain: y.model.Expander()}
}

// stamper computes steps: those of plain, and what they do to the stamps.
type stamper struct {
	*stamped
	plain     explore.Expander
	now, next state
	old, made stamps
	packed    []byte
}

// Check implements explore.Expander.
func (x *stamper) Check(packed []byte) string {
	if broken := x.plain.Check(x.unpack(packed, &x.old)); broken != "" {
		return broken
	}
	for _, leaders := range x.old.reigns {
		if x.oneLeader && leaders&(leaders-1) != 0 {
			return oneLeaderPerStamp
		}
	}
	return ""
}

// Expand implements explore.Expander.
func (x *stamper) Expand(packed []byte, emit func(step explore.Step, next []byte, broken string)) {
	plain := x.unpack(packed, &x.old)
	x.model.unpack(plain, &x.now)
	x.plain.Expand(plain, func(step explore.Step, next []byte, broken string) {
		x.model.unpack(next, &x.next)
		if !x.follow() && x.rise {
			broken = stampsRise
		}
		x.packed = append(x.pack(x.packed[:0], &x.made), next...)
		emit(step, x.packed, broken)
	})
}

// follow makes the stamps after the step from now to next, and reports whether all that were picked are above all before.
func (x *stamper) follow() (rises bool) {
	x.made, rises = x.old, true
	for i := 1; i <= x.N; i++ {
		switch {
		case !x.next.up.Has(i) && !x.remembers:
			x.made.heard[i] = 0
		case x.declares(i):
			pick := x.pick(i)
			rises = rises && pick > x.old.highest()
			x.made.heard[i] = pick
			x.made.reigns[pick] |= frame.Only(i)
		}
	}
	for k, l := range x.Links {
		before, after := x.now.net[k].count(coordinator), x.next.net[k].count(coordinator)
		if x.followed(k) {
			x.made.heard[l.To] = max(x.old.heard[l.To], uint8(x.old.underWay[k]&15))
		}
		if after > before {
			x.made.underWay[k] |= uint64(x.pick(l.From)) << (4 * before)
		} else {
			x.made.underWay[k] >>= 4 * (before - after)
		}
	}
	return rises
}

// pick returns the stamp that node i picks.
func (x *stamper) pick(i int) uint8 {
	if x.old.heard[i] == maxStamp {
		panic("textbook: a stamp above 15, which is more than a state has room for")
	}
	return x.old.heard[i] + 1
}

// declares reports whether node i says in this step that it leads, or comes to lead with nobody to say it to.
func (x *stamper) declares(i int) bool {
	if !x.next.leads(i) {
		return false
	}
	for k, l := range x.Links {
		if l.From == i && x.next.net[k].count(coordinator) > x.now.net[k].count(coordinator) {
			return true
		}
	}
	return !x.now.leads(i)
}

// followed reports whether a COORDINATOR is taken from link k in this step.
func (x *stamper) followed(k int) bool {
	return x.next.up == x.now.up && x.next.cut == x.now.cut &&
		x.now.net[k].head() == coordinator && x.next.net[k] == x.now.net[k]>>2
}

// count returns how often t is in q.
func (q queue) count(t message) (n int) {
	for ; q != 0; q >>= 2 {
		if q.head() == t {
			n++
		}
	}
	return n
}

// highest returns the highest stamp of any reign.
func (s *stamps) highest() (e uint8) {
	for k, leaders := range s.reigns {
		if leaders != 0 {
			e = uint8(k)
		}
	}
	return e
}

// Render implements explore.Model.
func (y *stamped) Render(packed []byte) []explore.Variable {
	var s stamps
	variables := y.model.Render(y.unpack(packed, &s))
	var heard, underWay, reigns []string
	for i := 1; i <= y.N; i++ {
		heard = append(heard, strconv.Itoa(int(s.heard[i])))
	}
	for k, l := range y.Links {
		var list []string
		for q := s.underWay[k]; q != 0; q >>= 4 {
			list = append(list, strconv.Itoa(int(q&15)))
		}
		underWay = append(underWay, fmt.Sprintf("<<%d, %d>> :> <<%s>>", l.From, l.To, strings.Join(list, ", ")))
	}
	for e, leaders := range s.reigns {
		for i := 1; i <= y.N; i++ {
			if leaders.Has(i) {
				reigns = append(reigns, fmt.Sprintf("[stamp |-> %d, leader |-> %d]", e, i))
			}
		}
	}
	network := "<<>>" // the function without links
	if len(underWay) > 0 {
		network = "(" + strings.Join(underWay, " @@ ") + ")"
	}
	return append(variables,
		explore.Variable{Name: "heard", Value: "<<" + strings.Join(heard, ", ") + ">>"},
		explore.Variable{Name: "stamps", Value: network},
		explore.Variable{Name: "reigns", Value: "{" + strings.Join(reigns, ", ") + "}"})
}
