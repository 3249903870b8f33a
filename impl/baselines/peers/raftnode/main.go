// Raftnode is a node of hashicorp/raft with the outer face of "bully run", so that one program can measure both.
//
//	raftnode -id 3 -members 1=127.0.0.1:7001,2=127.0.0.1:7002,3=127.0.0.1:7003 -data DIR [-http ADDR]
//	         [-profile default|fast] [-log LEVEL]
//
// It serves what package peers says. Epoch is raft's term; counters are bytes_sent and writes; a leader that is told to
// stop hands over first.
//
// The comparison is meant to be fair. The profile "default" is raft.DefaultConfig. The profile "fast" is the lowest
// that did not flap on a loaded machine; see the function fast. Both keep votes, terms and the log in raft-boltdb, which
// syncs each write to the disk, and use TCP, where Nagle's algorithm is off as Go has it. Pre-vote is on, as raft has it
// by default. Nothing is written to the log but what raft writes itself when a leader begins.
package main

import "github.com/seed-fdf591db/bully/impl/baselines/peers"

var raftNode = peers.System{
	Name:    "raftnode",
	Members: "all nodes and where they listen",
	Address: "HOST:PORT",
	Data:    "`DIR` for what must survive; it is made if it is not there",
	Start:   start,
}

func main() { raftNode.Main() }
