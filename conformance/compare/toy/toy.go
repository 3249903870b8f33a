// Package toy is an election algorithm as simple as can be, for the tests and examples of the packages that run algorithms:
// whoever hears of no leader for its patience leads, and says so to all; who hears of another leader follows it. How often
// a node has come to lead is on its disk, and is its epoch, which is not ordered.
//
//	result, err := contest.Run(scenario, toy.New(), seed, contest.Options{})
package toy

import (
	"time"

	"github.com/seed-fdf591db/bully/conformance/contest"
)

// New returns the algorithm.
func New() contest.Algorithm {
	return contest.Algorithm{Name: "toy", Timers: []string{"patience", "heartbeat"}, Upkeep: []string{"HEARTBEAT"}, Epochs: true,
		New: Node}
}

// Node makes a node.
func Node(c contest.Config) contest.Node { return &node{config: c} }

type node struct {
	config contest.Config
	leader int
	epoch  uint64 // of the leader
	own    uint64 // the last epoch that was its own
}

func (n *node) Start(out *contest.Output) { n.wait(out) }

func (n *node) Restart(saved any, out *contest.Output) {
	n.own, _ = saved.(uint64)
	n.wait(out)
}

// wait waits for a time that is the shorter the higher the id.
func (n *node) wait(out *contest.Output) {
	after := n.config.Timing.Patience + time.Duration(n.config.Nodes-n.config.ID)*10*time.Millisecond
	out.Set = append(out.Set, contest.SetTimer{Timer: 0, After: after})
}

func (n *node) End(t contest.Timer, out *contest.Output) {
	if t == 0 {
		n.Suspect(out)
		return
	}
	n.say("HEARTBEAT", out)
}

func (n *node) Suspect(out *contest.Output) {
	if n.leader == n.config.ID {
		return
	}
	n.own++
	n.leader, n.epoch = n.config.ID, n.own
	out.Save, out.Note = n.own, "has waited long enough"
	out.Stop = append(out.Stop, 0)
	n.say("LEAD", out)
}

// say tells everybody, and does so again after a heartbeat.
func (n *node) say(kind string, out *contest.Output) {
	for id := 1; id <= n.config.Nodes; id++ {
		if id != n.config.ID {
			out.Send = append(out.Send, contest.Sent{To: id, Message: contest.Message{Kind: kind, Body: n.epoch}})
		}
	}
	out.Set = append(out.Set, contest.SetTimer{Timer: 1, After: n.config.Timing.Heartbeat})
}

func (n *node) Receive(from int, m contest.Message, out *contest.Output) {
	n.leader = from
	n.epoch, _ = m.Body.(uint64)
	out.Stop = append(out.Stop, 1)
	n.wait(out)
}

func (n *node) Status() contest.Status {
	return contest.Status{Leader: n.leader, Leading: n.leader == n.config.ID, Standing: n.leader == 0, Epoch: n.epoch}
}
