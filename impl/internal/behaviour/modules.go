package behaviour

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/traces/recording"
)

// module is a TLA+ module whose states are known.
type module struct {
	algorithm string
	variables []string // by which it is recognised
	servers   []string
	epoch     string // what it calls an epoch, if not so
	scene     func(s map[string]term, nodes int) scene
	nodes     func(b *Behaviour) int
	// about returns whose step it is, a place, by its first parameter, which may be 0, not known; nil if that is a node, from 1.
	about func(action string, parameter int, s map[string]term, nodes int) int
	words map[string]string // what an action is, in words
}

// scene is a state, as a recording knows it.
type scene struct {
	nodes []recording.State
	way   map[recording.Link][]packet // in the order of each link
	cut   []recording.Link
}

// packet is a message under way, without the link.
type packet struct {
	kind  string
	epoch uint64
	text  string
}

// modules are those that are known, the more particular first.
func modules() []module {
	return []module{textbookStamp(), ringModule(), clusterModule(), textbookModule(), raftModule(), leaseModule(), fencingModule(), promisesModule(),
		electionModule()}
}

// moduleOf recognises the module of a behaviour.
func moduleOf(b *Behaviour) module {
	s := b.Steps[0].terms
	for _, m := range modules() {
		if len(s) == len(m.variables) && !slices.ContainsFunc(m.variables, func(name string) bool { _, ok := s[name]; return !ok }) {
			return m
		}
	}
	return otherModule()
}

// fieldsOf returns all fields of a record.
func fieldsOf(t term) (fields []recording.Field) {
	for i, key := range t.keys {
		fields = append(fields, recording.Field{Name: key, Value: plain(t.items[i])})
	}
	return fields
}

// none is said of what has no elements; of a record it is left out.
const none = "none"

// plain says a value as people write it.
func plain(t term) string {
	switch t.open {
	case '{', '<':
		if len(t.items) == 0 {
			return none
		}
		parts := make([]string, len(t.items))
		for i := range t.items {
			parts[i] = plain(t.items[i])
		}
		return strings.Join(parts, ", ")
	case '[', '(':
		var parts []string
		for i := range t.items {
			if text := plain(t.items[i]); text != none {
				parts = append(parts, t.keys[i]+" "+text)
			}
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return t.word()
}

// lookOf returns how to draw a role.
func lookOf(role string, leader, me int, up bool) recording.Look {
	switch {
	case !up:
		return recording.Down
	case role == "leader":
		return recording.Leads
	case role == "candidate", role == "claimant", role == "precandidate":
		return recording.Stands
	case role == "electing":
		return recording.Waits
	case leader >= 0 && leader != me:
		return recording.Follows
	}
	return recording.Idle
}

// recordState returns the state of a node that is a record with a role, and a leader from 1.
func recordState(t term, me int, up bool) recording.State {
	leader := t.field("leader").number() - 1
	role := t.field("role").word()
	s := recording.State{Look: lookOf(role, leader, me, up), Role: role, Leader: leader, Fields: fieldsOf(t)}
	if !up {
		s.Role, s.Leader = "down", -1
	}
	for _, name := range []string{"epoch", "term"} {
		s.Epoch = max(s.Epoch, uint64(max(0, t.field(name).number())))
	}
	return s
}

// queues returns what is under way on links that are queues.
func queues(net term) map[recording.Link][]packet {
	way := map[recording.Link][]packet{}
	for i, key := range net.keys {
		from, to, ok := pair(key)
		if !ok {
			continue
		}
		for _, m := range net.items[i].items {
			link := recording.Link{from - 1, to - 1}
			way[link] = append(way[link], packetOf(m))
		}
	}
	return way
}

// cutOf returns a set of links.
func cutOf(t term) []recording.Link {
	cut := []recording.Link{} // none is said too
	for _, l := range t.items {
		if from, to, ok := pair(l.text); ok {
			cut = append(cut, recording.Link{from - 1, to - 1})
		}
	}
	return cut
}

func tupleNodes(name string) func(b *Behaviour) int {
	return func(b *Behaviour) int { return len(b.Steps[0].terms[name].items) }
}

// packetOf returns a message, which is a record or its type alone.
func packetOf(m term) packet {
	if m.field("type").text == "" {
		return packet{kind: m.word()}
	}
	p := packet{kind: m.field("type").word()}
	for _, name := range []string{"epoch", "term", "revision"} {
		p.epoch = max(p.epoch, uint64(max(0, m.field(name).number())))
	}
	if id := m.field("id"); id.text != "" {
		p.text = "of " + id.text
	}
	return p
}

// nodeScene is the scene of a module in which all is in node, up, net and cut.
func nodeScene(s map[string]term, nodes int) scene {
	c := scene{way: queues(s["net"]), cut: cutOf(s["cut"])}
	up, known := s["up"]
	for i := range nodes {
		c.nodes = append(c.nodes, recordState(s["node"].at(i+1), i, !known || up.has(fmt.Sprint(i+1))))
	}
	return c
}

// nodeModule is such a module. Each adds to the state of a node, at a place, what it has besides.
func nodeModule(algorithm string, each func(n *recording.State, s map[string]term, place int), variables ...string) module {
	return module{algorithm: algorithm, variables: append([]string{"node", "net", "cut", "budget"}, variables...), nodes: tupleNodes("node"), words: electionWords,
		scene: func(s map[string]term, nodes int) scene {
			c := nodeScene(s, nodes)
			for i := range c.nodes {
				each(&c.nodes[i], s, i+1)
			}
			return c
		}}
}

var electionWords = map[string]string{
	"PatienceTimeout":    "has not heard from its leader for too long",
	"PreemptTimeout":     "has followed a lower leader for long enough",
	"ElectionTimeout":    "has waited long enough for answers",
	"CoordinatorTimeout": "has waited long enough for a better node to lead",
	"ClaimTimeout":       "has waited long enough for grants",
	"ReignTimeout":       "has had no answer of a quorum for too long",
	"HeartbeatTimeout":   "says HEARTBEAT",
	"Heartbeat":          "says again that it leads",
	"Start":              "begins an election",
	"Retry":              "has waited in vain, and begins the election again",
	"Crash":              "crashes",
	"Restart":            "is back",
	"Resign":             "is called to resign",
	"HolderDead":         "is told that the holder of its lease is dead",
	"Claim":              "claims an epoch",
	"Win":                "has its grants, and leads",
	"Learn":              "learns of a higher epoch",
	"Lead":               "comes to lead",
	"Rise":               "promises a higher epoch",
}

func clusterModule() module {
	return nodeModule("bully", func(n *recording.State, _ map[string]term, _ int) {
		n.Fields = slices.DeleteFunc(n.Fields, isNumber)
	}, "up", "reigns", "since")
}

// isNumber reports whether a field has numbers of questions. The module gives them anew in each state, so a recording would have them
// change where nothing has.
func isNumber(f recording.Field) bool {
	return slices.Contains([]string{"lease", "asked", "latest", "dated", "answered"}, f.Name)
}

func textbookModule() module {
	return nodeModule("textbook", func(*recording.State, map[string]term, int) {}, "up")
}

// textbookStamp is the textbook whose leaders number their reigns.
func textbookStamp() module {
	m := nodeModule("textbook", func(n *recording.State, s map[string]term, place int) {
		heard := s["heard"].at(place)
		n.Epoch = uint64(max(0, heard.number()))
		n.Fields = append(n.Fields, recording.Field{Name: "highest stamp", Value: heard.text})
	}, "up", "heard", "stamps", "reigns")
	unstamped := m.scene
	m.scene = func(s map[string]term, nodes int) scene {
		c := unstamped(s, nodes)
		for link, way := range c.way {
			stamps, k := s["stamps"].field(fmt.Sprintf("<<%d, %d>>", link[0]+1, link[1]+1)).items, 0
			for i := range way {
				if way[i].kind == "COORDINATOR" && k < len(stamps) {
					way[i].epoch = uint64(max(0, stamps[k].number()))
					k++
				}
			}
		}
		return c
	}
	return m
}

func ringModule() module {
	return nodeModule("ring", func(n *recording.State, s map[string]term, place int) {
		n.Fields = append(n.Fields, recording.Field{Name: "next on the ring", Value: s["ring"].at(place).text})
	}, "up", "ring")
}

func raftModule() module {
	m := nodeModule("raft", func(n *recording.State, s map[string]term, place int) {
		node := s["node"].at(place)
		n.Disk = fmt.Sprintf("term %s, voted for %s", node.field("term").text, orNone(node.field("vote")))
	})
	m.epoch, m.words = "term", map[string]string{"ElectionTimeout": "has not heard from a leader for too long", "QuorumTimeout": "counts who has answered it",
		"Heartbeat": "says again that it leads", "Restart": "crashes, and is back"}
	queued := m.scene
	m.scene = func(s map[string]term, nodes int) scene {
		c := queued(s, nodes)
		c.way = records(s["net"], nodes)
		return c
	}
	return m
}

// records returns what is under way where it is a set of records with their ends. One without a receiver is for all others.
func records(net term, nodes int) map[recording.Link][]packet {
	way := map[recording.Link][]packet{}
	for _, m := range net.items {
		from, to := m.field("from").number()-1, m.field("to").number()-1
		for i := range nodes {
			if i == to || to < 0 && i != from {
				link := recording.Link{from, i}
				way[link] = append(way[link], packetOf(m))
			}
		}
	}
	return way
}

func orNone(t term) string {
	if t.text == "0" {
		return "nobody"
	}
	return t.text
}

// otherModule shows the variables of a module that is not known, as fields of one node.
func otherModule() module {
	return module{nodes: func(*Behaviour) int { return 1 }, scene: func(s map[string]term, _ int) scene {
		n := recording.State{Look: recording.Idle, Role: "state", Leader: -1}
		for _, name := range slices.Sorted(maps.Keys(s)) {
			n.Fields = append(n.Fields, recording.Field{Name: name, Value: s[name].text})
		}
		return scene{nodes: []recording.State{n}}
	}}
}

func promisesModule() module {
	return module{algorithm: "bully", variables: []string{"epoch", "grantee", "messages"}, nodes: tupleNodes("epoch"), words: electionWords,
		scene: func(s map[string]term, nodes int) scene {
			c := scene{way: records(s["messages"], nodes)}
			for i := range nodes {
				c.nodes = append(c.nodes, promised(s, i))
			}
			return c
		}}
}

// promised returns the state of a node of which only the promises are known: whoever has said COORDINATOR of an epoch leads it.
func promised(s map[string]term, i int) recording.State {
	epoch, grantee := s["epoch"].at(i+1), s["grantee"].at(i+1)
	n := recording.State{Look: recording.Idle, Role: "follower", Leader: -1, Epoch: uint64(max(0, epoch.number())),
		Disk:   fmt.Sprintf("epoch %s, promised to %s", epoch.text, orNone(grantee)),
		Fields: []recording.Field{{Name: "grantee", Value: orNone(grantee)}}}
	for _, m := range s["messages"].items {
		from, e := m.field("from").number()-1, m.field("epoch").number()
		switch kind := m.field("type").word(); {
		case kind == "COORDINATOR" && e == epoch.number():
			if n.Leader = from; from == i {
				n.Look, n.Role = recording.Leads, "leader"
				return n
			}
		case kind == "CLAIM" && from == i && e > epoch.number():
			n.Look, n.Role = recording.Stands, "claimant"
		}
	}
	switch {
	case n.Look == recording.Stands:
	case n.Leader >= 0:
		n.Look = recording.Follows
	case grantee.number() > 0:
		n.Look, n.Role = recording.Waits, "electing"
	}
	return n
}

// electionModule knows only who has led which epoch: nobody says anything in it.
func electionModule() module {
	return module{variables: []string{"epoch", "reigns"}, nodes: tupleNodes("epoch"), words: electionWords,
		scene: func(s map[string]term, nodes int) scene {
			c := scene{}
			for i := range nodes {
				n := recording.State{Look: recording.Idle, Role: "follower", Leader: -1, Epoch: uint64(max(0, s["epoch"].at(i+1).number()))}
				for _, r := range s["reigns"].items {
					if leader := r.field("leader").number() - 1; r.field("epoch").number() == int(n.Epoch) {
						if n.Leader = leader; leader == i {
							n.Look, n.Role = recording.Leads, "leader"
							break
						}
						n.Look = recording.Follows
					}
				}
				c.nodes = append(c.nodes, n)
			}
			return c
		}}
}
