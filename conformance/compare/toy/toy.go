// Package toy is an election algorithm as simple as can be, for the tests and examples of the packages that run algorithms:
// whoever hears of no leader for its patience leads, and says so to all; who hears of another leader follows it. How often
// a node has come to lead is on its disk, and is its epoch, which is not ordered.
//
//	result, err := compare.Run(scenario, toy.New(), seed, compare.Options{})
package toy

import (
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
)

// New returns the algorithm.
func New() compare.Algorithm {
	return compare.Algorithm{Name: "toy", Timers: []string{"patience", "heartbeat"}, Upkeep: []string{"HEARTBEAT"}, Epochs: true,
		New: Node}
}

// Node makes a node.
func Node(c compare.Config) compare.Node { return &node{config: c} }

type node struct {
	config compare.Config
	leader int
	epoch  uint64 // of the leader
	own    uint64 // the last epoch that was its own
}

func (n *node) Start(out *compare.Output) { n.wait(out) }

func (n *node) Restart(saved any, out *compare.Output) {
	n.own, _ = saved.(uint64)
	n.wait(out)
}

// wait waits for a time that is the shorter the higher the id.
func (n *node) wait(out *compare.Output) {
	after := n.config.Timing.Patience + time.Duration(n.config.Nodes-n.config.ID)*10*time.Millisecond
	out.Set = append(out.Set, compare.SetTimer{Timer: 0, After: after})
}

func (n *node) End(t compare.Timer, out *compare.Output) {
	if t == 0 {
		n.Suspect(out)
		return
	}
	n.say("HEARTBEAT", out)
}

func (n *node) Suspect(out *compare.Output) {
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
func (n *node) say(kind string, out *compare.Output) {
	for id := 1; id <= n.config.Nodes; id++ {
		if id != n.config.ID {
			out.Send = append(out.Send, compare.Sent{To: id, Message: compare.Message{Kind: kind, Body: n.epoch}})
		}
	}
	out.Set = append(out.Set, compare.SetTimer{Timer: 1, After: n.config.Timing.Heartbeat})
}

func (n *node) Receive(from int, m compare.Message, out *compare.Output) {
	n.leader = from
	n.epoch, _ = m.Body.(uint64)
	out.Stop = append(out.Stop, 1)
	n.wait(out)
}

func (n *node) Status() compare.Status {
	return compare.Status{Leader: n.leader, Leading: n.leader == n.config.ID, Standing: n.leader == 0, Epoch: n.epoch}
}
