// Etcdnode is a node of a cluster that elects by etcd, with the outer face of "bully run", so that one program can
// measure both.
//
//	etcdnode -id 3 -members 1=127.0.0.1:7001,2=127.0.0.1:7002,3=127.0.0.1:7003 -data DIR [-http ADDR]
//	         [-profile default|fast] [-log LEVEL]
//
// Each node has an etcd server of its own in it, as K3s does it: there is no cluster of three beside the nodes that would
// have to live on. Each campaigns by etcd's own recipe, concurrency.Election, through a client in the same process: it
// puts a key that is bound to a lease of its session, and leads once no older key is left. Followers watch the oldest.
// At the addresses of the members the etcd servers reach each other; no client is served, over no network. Those
// addresses must be the same in the -members of all, as etcd derives the identity of the cluster from them, and this
// node's own must be an IP address or localhost.
//
// It serves what package peers says, and is well while etcd has a leader. Epoch is the revision at which the leader's
// key was made: a later leader has a higher one, no two have the same, and between them there are gaps. Leader is null
// while the node knows of none: before its session begins, and after it has lost it. Leading is what the recipe says: true
// from the end of Campaign until the session ends, which a node that was stopped notices late. A leader that is told to
// stop resigns.
//
// In its status etcd.leader says whether the node's etcd server leads the others, and etcd.term counts their elections.
// That is a different matter: it need not be the node that leads. Of the counters, saves are the syncs of etcd's log, and
// bytes_sent is what went to other etcd servers; etcd does not count messages.
//
// The comparison is meant to be fair. The profile "default" is etcd as it is, and "fast" is the lowest that did not flap
// on a loaded machine; see the variable profiles. The session is as short in both as etcd has it, and the recipe's own
// default of a minute is in neither. Etcd syncs its log before it answers, and there is no switch for that here.
package main

import (
	"io"

	"github.com/seed-fdf591db/bully/impl/baselines/peers"
)

var etcdNode = peers.System{
	Name:    "etcdnode",
	Members: "all nodes and where their etcd servers listen",
	Address: "IP:PORT",
	Data:    "`DIR` for what must survive; it is made if it is not there",
	Start:   func(o peers.Options, log io.Writer) (peers.Node, error) { return newNode(o, log) },
}

func main() { etcdNode.Main() }
