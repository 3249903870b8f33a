package check

import (
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// Options say what a run is of.
type MonitorOptions struct {
	// Members are all nodes there are; with changing members, all that are ever members. A node is known by its place here.
	Members []spec.NodeID
	// Name says what a node is called; nil: its id.
	Name func(i int) string
	// Epoch is what an epoch is called; "": epoch.
	Epoch string
	// Asked says of which promises the monitor is; nil: of all.
	Asked func(*Promise) bool
}

// View is what is seen of a node.
type View struct {
	Up            bool               // it runs
	Acts          bool               // it acts as leader: others may rely on it now
	Leads         spec.Epoch         // which epoch it leads; 0: none
	Epoch         spec.Epoch         // in which it is; of a node that is down, what its disk has
	Configuration spec.Configuration // the same; none where members are fixed, and if it is not known
}

// ViewOf returns what is seen of a node that runs, and acts as leader for as long as it is one.
func ViewOf(s *spec.State) View {
	v := View{Up: true, Epoch: s.Epoch, Configuration: s.Configuration}
	if s.Role == spec.Leader {
		v.Acts, v.Leads = true, s.Epoch
	}
	return v
}

// Down returns what is seen of the node from when it is down, if its disk has kept its epoch and configuration.
func (v View) Down() View { return View{Epoch: v.Epoch, Configuration: v.Configuration} }

// Breach says how a promise is broken.
type Breach struct {
	Promise *Promise
	Problem string // such as: nodes 2 and 3 have both led epoch 4
	Got     string // what is seen, one thing a line; "" if the problem says it all
}

func (b *Breach) Error() string { return string(b.Promise.Name) + ": " + b.Text() }

// Text returns the problem with all that is seen, in a line.
func (b *Breach) Text() string {
	if b.Got == "" {
		return b.Problem
	}
	return b.Problem + ": " + strings.ReplaceAll(b.Got, "\n", ", ")
}

// Monitor holds a run to the promises. It is for one goroutine.
type Monitor struct {
	options MonitorOptions
	asked   []asked
	nodes   []View // as they were seen last
	acting  int    // how many of them act as leader
	late    bool
	now     View // that is looked at: what is given may be on a stack
	reigns  reigns
}

// asked is a promise, and what has been seen of it.
type asked struct {
	*Promise
	check
}

// New returns a monitor of a run before anything has happened. Nothing is known of its nodes.
func NewMonitor(o MonitorOptions) *Monitor {
	m := &Monitor{options: o, nodes: make([]View, len(o.Members))}
	for _, p := range promises {
		if p.check != nil && (o.Asked == nil || o.Asked(p)) {
			m.asked = append(m.asked, asked{p, p.check()})
		}
	}
	m.reigns.reset()
	return m
}

// Reset makes the monitor new, for a run of these members, and uses its memory again.
func (m *Monitor) Reset(members []spec.NodeID) {
	m.options.Members, m.acting, m.late = members, 0, false
	m.nodes = append(m.nodes[:0], make([]View, len(members))...)
	m.reigns.reset()
	for k := range m.asked {
		m.asked[k].check.reset()
	}
}

// Late says that timers are not on time, or that a proof of death was false: from now on no promise is asked that needs that.
func (m *Monitor) Late() { m.late = true }

// Seen returns what was seen last of node i.
func (m *Monitor) Seen(i int) View { return m.nodes[i] }

// Acts reports whether node i was seen last to act as leader.
func (m *Monitor) Acts(i int) bool { return m.nodes[i].Acts }

// Breaks says which promise is broken if node i is seen so now, and returns nil if none is. Nothing is noted: a step that a
// node takes back may be asked for too. What need only hold eventually is not asked.
func (m *Monitor) Breaks(i int, now *View) *Breach {
	if *now == m.nodes[i] {
		return nil
	}
	m.now = *now
	for k := range m.asked {
		p := &m.asked[k]
		if p.When == Eventually || p.When == OnTime && m.late {
			continue
		}
		if breach := p.breaks(m, i, &m.now); breach != nil {
			breach.Promise = p.Promise
			return breach
		}
	}
	return nil
}

// Note remembers what is seen of node i.
func (m *Monitor) Note(i int, now *View) {
	was := &m.nodes[i]
	if *now == *was {
		return
	}
	m.now = *now
	m.reigns.note(m, i, &m.now)
	for k := range m.asked {
		m.asked[k].note(m, i, &m.now)
	}
	if was.Acts {
		m.acting--
	}
	if now.Acts {
		m.acting++
	}
	*was = *now
}

// at returns what is seen of node j if node i is seen so now.
func (m *Monitor) at(j, i int, now *View) *View {
	if j == i {
		return now
	}
	return &m.nodes[j]
}

// name returns what node i is called.
func (m *Monitor) name(i int) string {
	if m.options.Name != nil {
		return m.options.Name(i)
	}
	return m.options.Members[i].String()
}

// epoch says which epoch is meant.
func (m *Monitor) epoch(e spec.Epoch) string {
	if m.options.Epoch != "" {
		return fmt.Sprintf("%s %d", m.options.Epoch, e)
	}
	return fmt.Sprintf("epoch %d", e)
}

// breach returns a problem.
func breach(format string, args ...any) *Breach {
	return &Breach{Problem: fmt.Sprintf(format, args...)}
}
