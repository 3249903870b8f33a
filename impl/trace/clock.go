package trace

// align takes from the times of each record by how much its clock seems to be ahead of that of the first. What was
// received before it was sent shows that two clocks differ; the quickest messages each way show by how much. Clocks that
// agree well enough are left alone.
func (m *merger) align() {
	quickest := m.quickest()
	ahead := make([]int64, len(m.records))
	known := make([]bool, len(m.records))
	var reached []int
	for root := range m.records {
		if known[root] {
			continue
		}
		known[root] = true
		for reached = append(reached[:0], root); len(reached) > 0; reached = reached[1:] {
			a := reached[0]
			for b := range m.records {
				there, back := quickest[a][b], quickest[b][a]
				if known[b] || there == nil && back == nil {
					continue
				}
				known[b] = true
				ahead[b] = ahead[a] + difference(there, back)
				reached = append(reached, b)
			}
		}
	}
	for i := range m.records {
		for j := range m.records[i].steps {
			s := &m.records[i].steps[j]
			s.time = uint64(max(0, int64(s.time)-ahead[i]))
		}
	}
}

// quickest returns for each link how long the quickest message took, in microseconds by the clocks of both ends. Only
// messages that were sent once are looked at.
func (m *merger) quickest() [][]*int64 {
	all := make([][]*int64, len(m.records))
	for from := range all {
		all[from] = make([]*int64, len(m.records))
	}
	for to := range m.records {
		for i := range m.records[to].steps {
			s := &m.records[to].steps[i]
			sent := m.sent[s.Input.Message]
			if sent.times != 1 {
				continue
			}
			from := sent.first.node
			took := int64(s.time - m.records[from].steps[sent.first.step].time)
			if all[from][to] == nil || took < *all[from][to] {
				all[from][to] = &took
			}
		}
	}
	return all
}

// difference returns by how much one clock is ahead of another, from how long messages take to it and back.
func difference(there, back *int64) int64 {
	switch {
	case back == nil:
		return min(0, *there)
	case there == nil:
		return -min(0, *back)
	case *there >= 0 && *back >= 0:
		return 0
	}
	return (*there - *back) / 2
}
