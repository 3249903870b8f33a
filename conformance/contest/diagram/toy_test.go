package diagram_test

import (
	"time"

	"github.com/seed-fdf591db/bully/conformance/contest"
)

const ms = time.Millisecond

// loud is an algorithm that could not be simpler: who takes its leader for dead leads, and tells all. Servers do nothing.
func loud(servers int) contest.Algorithm {
	return contest.Algorithm{Name: "loud", Title: "Loud", Servers: servers, Timers: []string{"beat"}, Upkeep: []string{"BEAT"}, Epochs: true,
		New: func(c contest.Config) contest.Node { return &loudNode{config: c} }}
}

type loudNode struct {
	config contest.Config
	status contest.Status
}

func (n *loudNode) Start(*contest.Output)        {}
func (n *loudNode) Restart(any, *contest.Output) {}
func (n *loudNode) Status() contest.Status       { return n.status }

func (n *loudNode) Suspect(out *contest.Output) {
	if n.config.ID > n.config.Nodes || n.status.Leading {
		return
	}
	n.status = contest.Status{Leader: n.config.ID, Leading: true, Epoch: n.status.Epoch + 1}
	out.Note = "is tired of waiting"
	n.tell("LEADER", out)
	out.Set = append(out.Set, contest.SetTimer{Timer: 0, After: n.config.Timing.Beat})
}

func (n *loudNode) End(_ contest.Timer, out *contest.Output) {
	n.tell("BEAT", out)
	out.Set = append(out.Set, contest.SetTimer{Timer: 0, After: n.config.Timing.Beat})
}

func (n *loudNode) tell(kind string, out *contest.Output) {
	for id := range n.config.Nodes {
		if id+1 != n.config.ID {
			out.Send = append(out.Send, contest.Sent{To: id + 1, Message: contest.Message{Kind: kind, Body: n.status.Epoch}})
		}
	}
}

func (n *loudNode) Receive(from int, m contest.Message, out *contest.Output) {
	if n.config.ID > n.config.Nodes || m.Kind == "BEAT" {
		return
	}
	if n.status.Leading {
		out.Note = "gives up"
		out.Stop = append(out.Stop, 0)
	}
	n.status = contest.Status{Leader: from, Epoch: m.Body.(uint64)}
}

// split is a scenario in which everything happens that a diagram can show: 4 leads, is cut off, and works on while 3 leads
// too; 2 crashes and is back, 1 is paused.
func split() *contest.Scenario {
	s := &contest.Scenario{Name: "split", Nodes: 5, Length: 3 * time.Second, Timing: contest.LAN(), Work: 100 * ms}
	cut := contest.Fault{Kind: contest.Cut, At: 500 * ms, For: time.Second}
	for a := 1; a <= 3; a++ {
		for b := 4; b <= 5; b++ {
			cut.Links = append(cut.Links, contest.Between(a, b)...)
		}
	}
	s.Faults = []contest.Fault{
		{Kind: contest.Suspect, Node: 4},
		cut,
		{Kind: contest.Suspect, Node: 3, At: 700 * ms},
		{Kind: contest.Crash, Node: 2, At: 1600 * ms, For: 400 * ms},
		{Kind: contest.Pause, Node: 1, At: 1700 * ms, For: 200 * ms},
		{Kind: contest.Pause, Node: contest.Leader, At: 2200 * ms, For: 100 * ms},
		{Kind: contest.Suspect, Node: 5, At: 2600 * ms},
		{Kind: contest.Cut, At: 2800 * ms, Links: []contest.Link{{From: 5, To: 3}}},
	}
	return s
}
