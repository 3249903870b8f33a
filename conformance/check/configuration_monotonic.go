package check

import "github.com/seed-fdf591db/bully/spec"

var configurationMonotonic = Promise{
	Name: spec.ConfigurationMonotonic, Says: "A node's configuration never gets older, over restarts too.", When: Always, Own: true, Changing: true,
	Proved: "The rules are proved to keep this, for any number of nodes.",
	check:  func() check { return configurationsRise{} },
}

type configurationsRise struct{ memoryless }

func (configurationsRise) breaks(m *Monitor, i int, now *View) *Breach {
	was, is := &m.nodes[i].Configuration, &now.Configuration
	if was.IsNone() || *was == *is || is.Newer(*was) {
		return nil
	}
	return breach("the configuration of node %s becomes %s, which is not newer than %s", m.name(i), is, was)
}
