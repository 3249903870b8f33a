package check

import "github.com/seed-fdf591db/bully/spec"

var someLeader = Promise{
	Name: spec.SomeLeader, Says: "Once faults stop, one leader comes and stays, and all that it reaches follow it.", When: Eventually,
	Now:   "nobody leads just now, though a quorum runs.",
	check: func() check { return somebodyLeads{} },
}

// somebodyLeads asks for somebody who acts as leader, whenever a quorum runs, and a voter among it.
type somebodyLeads struct{ memoryless }

func (somebodyLeads) breaks(m *Monitor, i int, now *View) *Breach {
	up := 0
	var newest spec.Configuration
	for j := range m.nodes {
		v := m.at(j, i, now)
		switch {
		case v.Acts:
			return nil
		case v.Up:
			up++
			if v.Configuration.Newer(newest) || newest.IsNone() {
				newest = v.Configuration
			}
		}
	}
	if !newest.IsNone() {
		return m.nobodyLeads(&newest, i, now)
	}
	if 2*up <= len(m.nodes) {
		return nil
	}
	return breach("nobody leads, though %d of %d nodes run", up, len(m.nodes))
}

// nobodyLeads is breaks of members that change, by the newest configuration that anybody has who runs.
func (m *Monitor) nobodyLeads(newest *spec.Configuration, i int, now *View) *Breach {
	electors, up, voters := 0, 0, 0
	for _, member := range newest.Members() {
		if member.Kind == spec.Observer {
			continue
		}
		electors++
		if j := m.place(member.ID); j < 0 || !m.at(j, i, now).Up {
			continue
		}
		up++
		if member.Kind == spec.Voter {
			voters++
		}
	}
	if voters == 0 || 2*up <= electors {
		return nil
	}
	return breach("nobody leads, though %d of %d run that vote", up, electors)
}

// place returns which node has an id, and -1 if none has.
func (m *Monitor) place(id spec.NodeID) int {
	for j := range m.options.Members {
		if m.options.Members[j] == id {
			return j
		}
	}
	return -1
}
