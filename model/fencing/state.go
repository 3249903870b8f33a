package fencing

import (
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
)

type (
	node  int8
	epoch int8
	set   uint8 // a set of nodes: bit i stands for node i
)

func only(i node) set         { return 1 << i }
func (s set) has(i node) bool { return s&only(i) != 0 }

// reigns is a set of reigns: by epoch, the leaders. Index 0 is not used.
type reigns [MaxEpochs + 1]set

// reign is who leads in which epoch.
type reign struct {
	epoch  epoch
	leader node
}

// state holds the variables of the module.
type state struct {
	reigns   reigns
	writes   reigns
	answers  [MaxEpochs + 1]reigns // by the epoch that was admitted when the write was checked
	admitted epoch
	log      [MaxWrites]reign
	length   int // of log
}

// pack appends s to b. The log comes last, as long as it is.
func (y *system) pack(s *state, b []byte) []byte {
	b = append(b, byte(s.admitted))
	for e := epoch(1); e <= y.maxEpoch; e++ {
		b = append(b, byte(s.reigns[e]), byte(s.writes[e]))
		for _, checked := range s.answers[:y.maxEpoch+1] {
			b = append(b, byte(checked[e]))
		}
	}
	for _, r := range s.log[:s.length] {
		b = append(b, byte(r.epoch)<<4|byte(r.leader))
	}
	return b
}

// unpack is the inverse of pack.
func (y *system) unpack(b []byte) (s state) {
	s.admitted, b = epoch(b[0]), b[1:]
	for e := epoch(1); e <= y.maxEpoch; e++ {
		s.reigns[e], s.writes[e], b = set(b[0]), set(b[1]), b[2:]
		for a := range y.maxEpoch + 1 {
			s.answers[a][e], b = set(b[0]), b[1:]
		}
	}
	for _, r := range b {
		s.log[s.length] = reign{epoch(r >> 4), node(r & 15)}
		s.length++
	}
	return s
}

func (r reign) String() string {
	return fmt.Sprintf("[epoch |-> %d, leader |-> %d]", r.epoch, r.leader)
}

// list returns the reigns in r, by epoch and then by leader.
func (y *system) list(r *reigns) []reign {
	var list []reign
	for e := epoch(1); e <= y.maxEpoch; e++ {
		for i := node(1); i <= y.n; i++ {
			if r[e].has(i) {
				list = append(list, reign{e, i})
			}
		}
	}
	return list
}

// render returns the variables of s as TLA+ values.
func (y *system) render(s *state) []explore.Variable {
	join := func(left string, list []reign, format, right string) string {
		var items []string
		for _, r := range list {
			items = append(items, fmt.Sprintf(format, r))
		}
		return left + strings.Join(items, ", ") + right
	}
	var answers []string
	for a := range y.maxEpoch + 1 {
		if checked := y.list(&s.answers[a]); checked != nil {
			answers = append(answers, join("", checked, fmt.Sprintf("[write |-> %%v, admitted |-> %d]", a), ""))
		}
	}
	return []explore.Variable{
		{Name: "reigns", Value: join("{", y.list(&s.reigns), "%v", "}")},
		{Name: "writes", Value: join("{", y.list(&s.writes), "%v", "}")},
		{Name: "answers", Value: "{" + strings.Join(answers, ", ") + "}"},
		{Name: "admitted", Value: fmt.Sprint(s.admitted)},
		{Name: "log", Value: join("<<", s.log[:s.length], "%v", ">>")},
	}
}
