package behaviour

import (
	"fmt"

	"github.com/seed-fdf591db/bully/traces/recording"
)

// leaseModule has a store, and a resource, beside its nodes. A node that stands anew has another session.
func leaseModule() module {
	return module{algorithm: "lease", variables: []string{"sessions", "up", "entries", "revision", "net", "writes", "checked", "wrote"},
		servers: []string{"store", "resource"}, nodes: func(b *Behaviour) int { return mostNodes(b, "sessions", "node", "up") }, scene: leaseScene,
		about: aboutLease, words: map[string]string{
			"Campaign": "begins a session, and asks the store for the entry", "Deadline": "its session ends by its own clock",
			"Resign": "gives its reign up", "Crash": "crashes", "Tell": "says who holds the entry", "Expire": "ends an entry: its session is over",
			"StoreRestart": "the store is started again", "Write": "writes", "Admit": "takes a write", "Check": "checks a write, and has not written yet",
		}}
}

// ofStore are the steps of the store, and ofResource those of the resource.
var (
	ofStore    = map[string]bool{"OnCreate": true, "Tell": true, "OnRelease": true, "Expire": true, "StoreRestart": true}
	ofResource = map[string]bool{"Admit": true, "Check": true, "Act": true, "CheckFirst": true, "ActLater": true, "Refuse": true}
)

func aboutLease(action string, parameter int, s map[string]term, nodes int) int {
	switch {
	case ofStore[action]:
		return nodes
	case ofResource[action]:
		return nodes + 1
	case action == "Campaign", action == "Crash":
		return parameter - 1
	}
	return s["sessions"].at(parameter).field("node").number() - 1
}

// leaseScene shows sessions as their nodes, for a node is what its last session is.
func leaseScene(s map[string]term, nodes int) scene {
	store, resource := nodes, nodes+1
	c := scene{way: map[recording.Link][]packet{}}
	for i := range nodes {
		n := recording.State{Look: recording.Idle, Role: "no session", Leader: -1}
		for k, session := range s["sessions"].items {
			if session.field("node").number() != i+1 {
				continue
			}
			role := session.field("role").word()
			n.Fields = append(n.Fields, recording.Field{Name: fmt.Sprintf("session %d", k+1), Value: role + ", revision " + session.field("epoch").text})
			if role != "over" || n.Look == recording.Idle {
				n.Role, n.Look = role, lookOf(role, -1, i, true)
			}
			if role == "leader" {
				n.Leader, n.Epoch = i, uint64(max(0, session.field("epoch").number()))
			}
		}
		if !s["up"].has(fmt.Sprint(i + 1)) {
			n.Look, n.Role, n.Leader = recording.Down, "down", -1
		}
		c.nodes = append(c.nodes, n)
	}
	entries := "none"
	for i, e := range s["entries"].items {
		if i == 0 {
			entries = ""
		} else {
			entries += "; "
		}
		entries += fmt.Sprintf("session %s at revision %s", e.field("session").text, e.field("revision").text)
	}
	c.nodes = append(c.nodes,
		recording.State{Look: recording.Serves, Role: "store", Leader: -1, Fields: []recording.Field{{Name: "entries", Value: entries}, {Name: "revision", Value: s["revision"].text}}},
		recording.State{Look: recording.Serves, Role: "resource", Leader: -1, Fields: []recording.Field{{Name: "last write", Value: "of epoch " + s["wrote"].text}, {Name: "checked", Value: plain(s["checked"])}}})
	for _, m := range s["net"].items {
		node := s["sessions"].at(m.field("session").number()).field("node").number() - 1
		link := recording.Link{node, store}
		if m.field("type").word() == "HOLDS" {
			link = recording.Link{store, node}
		}
		p := packetOf(m)
		p.text = "session " + m.field("session").text
		c.way[link] = append(c.way[link], p)
	}
	for _, w := range s["writes"].items {
		for _, session := range s["sessions"].items {
			if session.field("epoch").text == w.text {
				link := recording.Link{session.field("node").number() - 1, resource}
				c.way[link] = append(c.way[link], packet{kind: "WRITE", epoch: uint64(max(0, w.number()))})
				break
			}
		}
	}
	return c
}

// mostNodes returns how many nodes there are where no variable says so: the highest that a record of a variable names, or a set.
func mostNodes(b *Behaviour, variable, field, set string) int {
	most := 1
	for _, s := range b.Steps {
		for _, r := range s.terms[variable].items {
			most = max(most, r.field(field).number())
		}
		for _, n := range s.terms[set].items {
			most = max(most, n.number())
		}
	}
	return min(most, recording.MaxNodes-2)
}

// fencingModule has a resource beside the nodes, and says nothing of how they come to lead.
func fencingModule() module {
	return module{variables: []string{"reigns", "writes", "answers", "admitted", "log"}, servers: []string{"resource"},
		nodes: func(b *Behaviour) int { return mostNodes(b, "reigns", "leader", "") }, scene: fencingScene,
		about: func(action string, parameter int, _ map[string]term, nodes int) int {
			if action == "Lead" || action == "Send" {
				return parameter - 1
			}
			return nodes
		},
		words: map[string]string{"Lead": "comes to lead", "Send": "writes, with its epoch", "Admit": "takes a write", "Refuse": "refuses a write",
			"Restart": "the resource is started again", "CheckFirst": "checks a write, and has not written yet", "ActLater": "writes what it has checked before"}}
}

// fencingScene shows who has led, and which writes are under way to the resource.
func fencingScene(s map[string]term, nodes int) scene {
	c := scene{way: map[recording.Link][]packet{}}
	for i := range nodes {
		n := recording.State{Look: recording.Idle, Role: "follower", Leader: -1}
		for _, r := range s["reigns"].items {
			if r.field("leader").number() == i+1 {
				n.Look, n.Role, n.Leader, n.Epoch = recording.Leads, "leader", i, max(n.Epoch, uint64(max(0, r.field("epoch").number())))
			}
		}
		c.nodes = append(c.nodes, n)
	}
	c.nodes = append(c.nodes, recording.State{Look: recording.Serves, Role: "resource", Leader: -1,
		Fields: []recording.Field{{Name: "highest epoch admitted", Value: s["admitted"].text}, {Name: "written", Value: plain(s["log"])}}})
	for _, w := range s["writes"].items {
		link := recording.Link{w.field("leader").number() - 1, nodes}
		c.way[link] = append(c.way[link], packet{kind: "WRITE", epoch: uint64(max(0, w.field("epoch").number()))})
	}
	for _, a := range s["answers"].items {
		w := a.field("write")
		link := recording.Link{nodes, w.field("leader").number() - 1}
		c.way[link] = append(c.way[link], packet{kind: "ANSWER", epoch: uint64(max(0, a.field("admitted").number())), text: "to the write of epoch " + w.field("epoch").text})
	}
	return c
}
