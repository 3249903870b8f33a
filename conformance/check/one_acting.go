package check

import (
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

var oneActing = Promise{
	Name: spec.OneActing, Says: "No two nodes act as leader at the same moment, while clocks keep their rates.", When: OnTime,
	Proved: "The rules are proved to keep this, for any number of nodes, where members are fixed.",
	check:  func() check { return oneActs{} },
}

type oneActs struct{ memoryless }

func (oneActs) breaks(m *Monitor, i int, now *View) *Breach {
	acting := m.acting
	if m.nodes[i].Acts {
		acting--
	}
	if now.Acts {
		acting++
	}
	if acting < 2 {
		return nil
	}
	var got []string
	for j := range m.nodes {
		if v := m.at(j, i, now); v.Acts {
			got = append(got, fmt.Sprintf("node %s leads %s", m.name(j), m.epoch(v.Epoch)))
		}
	}
	return &Breach{Problem: "two nodes act as leader", Got: strings.Join(got, "\n")}
}
