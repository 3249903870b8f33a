package cluster

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/rules"
)

// String returns the link as a TLA+ tuple.
func (l link) String() string { return fmt.Sprintf("<<%d, %d>>", l.from, l.to) }

// renderQueue returns the queue as a TLA+ sequence, or as a set where messages are kept.
func (c *cluster) renderQueue(q *queue) string {
	begin, end := "<<", ">>"
	if c.kept {
		begin, end = "{", "}"
	}
	return begin + list(int(q.n), func(k int) string {
		p := q.at[k]
		return fmt.Sprintf("[type |-> %q, epoch |-> %d, question |-> %d, keeps |-> %d, granted |-> %v, conf |-> %v]", p.kind(), p.epoch(),
			p.question(), p.keeps(), p.granted(), c.unpackConf(p.conf()))
	}) + end
}

// list returns what each says of k, from 0 to n-1, with commas between.
func list(n int, each func(k int) string) string {
	var all []string
	for k := range n {
		all = append(all, each(k))
	}
	return strings.Join(all, ", ")
}

// render returns the variables of s, in the order of VARIABLES in tla/Cluster.tla.
func (c *cluster) render(s *clusterState) []explore.Variable {
	nodes := list(int(c.n), func(k int) string { return s.node[k+1].Among(c.n) })
	since := list(int(c.n), func(i int) string {
		return "<<" + list(int(c.n), func(k int) string { return strconv.FormatUint(uint64(s.since[i+1][k+1]), 10) }) + ">>"
	})
	budget := list(int(faults), func(f int) string { return fmt.Sprintf("%s |-> %d", faultWords[f], s.budget[f]) })
	var net, lost, reigns []string
	for l, ends := range c.links {
		net = append(net, ends.String()+" :> "+c.renderQueue(&s.net[l]))
		if c.cuts[s.cut].has(ends.from, ends.to) {
			lost = append(lost, ends.String())
		}
	}
	for e, leaders := range s.reigns {
		for leader := range rules.Set(leaders).All() {
			reigns = append(reigns, fmt.Sprintf("[epoch |-> %d, leader |-> %d]", e, leader))
		}
	}
	network := "<<>>" // the function without links
	if len(net) > 0 {
		network = "(" + strings.Join(net, " @@ ") + ")"
	}
	return []explore.Variable{
		{Name: "node", Value: "<<" + nodes + ">>"},
		{Name: "up", Value: s.up.String()},
		{Name: "net", Value: network},
		{Name: "cut", Value: "{" + strings.Join(lost, ", ") + "}"},
		{Name: "budget", Value: "[" + budget + "]"},
		{Name: "reigns", Value: "{" + strings.Join(reigns, ", ") + "}"},
		{Name: "since", Value: "<<" + since + ">>"},
	}
}
