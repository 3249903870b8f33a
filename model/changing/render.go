package changing

import (
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
)

// String returns the link as a TLA+ tuple.
func (l link) String() string { return fmt.Sprintf("<<%d, %d>>", l.from, l.to) }

// String returns the queue as a TLA+ sequence.
func (q *queue) String() string {
	return "<<" + list(int(q.n), func(k int) string {
		p := q.at[k]
		return fmt.Sprintf("[type |-> %q, epoch |-> %d, conf |-> %v]", p.kind, p.epoch, p.conf.unpack())
	}) + ">>"
}

// list returns what each says of k, from 0 to n-1, with commas between.
func list(n int, each func(k int) string) string {
	var all []string
	for k := range n {
		all = append(all, each(k))
	}
	return strings.Join(all, ", ")
}

// render returns the variables of s, in the order of VARIABLES in tla/ChangingCluster.tla.
func (c *cluster) render(s *clusterState) []explore.Variable {
	nodes := list(int(c.n), func(k int) string { return s.node[k+1].String() })
	budget := list(int(faults), func(f int) string { return fmt.Sprintf("%s |-> %d", faultWords[f], s.budget[f]) })
	var net, lost, reigns []string
	for l, ends := range c.links {
		net = append(net, ends.String()+" :> "+s.net[l].String())
		if c.cuts[s.cut].has(ends.from, ends.to) {
			lost = append(lost, ends.String())
		}
	}
	for e, leaders := range s.reigns {
		for ; leaders != 0; leaders &= leaders - 1 {
			reigns = append(reigns, fmt.Sprintf("[epoch |-> %d, leader |-> %d]", e, lowest(leaders)))
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
	}
}
