// Leasenode is a node that elects by a Lease of Kubernetes, with the outer face of "bully run", so that one program can
// measure both.
//
//	leasenode -id 3 -members 1=127.0.0.1:7001,2=127.0.0.1:7002,3=127.0.0.1:7003 -data DIR/3 [-http ADDR]
//	          [-profile default|fast] [-store DIR] [-log LEVEL]
//
// It runs client-go's leaderelection with a LeaseLock, as the controllers of Kubernetes do. Nodes do not talk to each
// other, and the addresses of the members are not used: they share a store, here as much of the API of Kubernetes as
// concerns Leases. The store is a process of its own, so that it outlives a leader that is killed. The node that finds
// none starts it, and it ends 3 s after the last node has gone. It listens on a socket in the folder -store, which is
// the folder DIR if -data is DIR/ID or DIR/ID/data; all nodes of a cluster must have the same one. This needs a Unix.
// And it is reached over no network: "workbench bench failover" can measure kill and stop, but its cut cuts nothing off here.
//
// It serves what package peers says, and is well while the store answers; in its status, store is the store's folder. Leader
// is the holder in the record that leaderelection has read or written last, so
// a dead one is named until the next has taken the Lease; it is null before the first answer and after a leader has let
// go. Leading is true as long as the context of OnStartedLeading lasts, whatever the record says. Of the counters,
// writes are requests to the store; its answers are not counted.
//
// Epoch is leaseTransitions of the Lease and one more, as the first leader has 0. Candidates write it, one more than what
// they have read when they take the Lease from somebody else; the store only sees to it that none writes over what it has
// not read. So it grows with each new holder and no two have the same, as long as all candidates behave and nobody
// deletes the Lease. A holder that lets its Lease run out and takes it again keeps its number. Each process is a holder
// of its own, as controllers of Kubernetes are: ID and a random part.
//
// A leader that is told to stop lets go of the Lease.
//
// The comparison is meant to be fair. The profile "default" is what the core components of Kubernetes use, and "fast" is
// the lowest that is safe; see the variable profiles. A follower learns of a new leader when it asks the next time, as
// the library has it; who needs to know at once has to watch the Lease. A write waits for the disk, as one to etcd does;
// but there is one store on the same machine, without TLS, consensus and an API server that has other things to do.
package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/impl/baselines/peers"
)

// leaseNode returns the system. The folder of its store is a flag of its own.
func leaseNode() peers.System {
	store := ""
	return peers.System{
		Name:    "leasenode",
		Members: "all nodes, whose addresses are not used",
		Address: "HOST:PORT",
		Data:    "`DIR` of this node; it keeps nothing there, and the store is found by it",
		Flags: func(flags *flag.FlagSet) {
			flags.StringVar(&store, "store", "", "`DIR` of the store; if empty, DIR of -data DIR/ID or DIR/ID/data")
		},
		Check: func(o peers.Options) (err error) {
			for _, id := range slices.Sorted(maps.Keys(o.Members)) {
				if strings.Contains(id, mark) {
					return fmt.Errorf("-members: want an ID without %s, not %q", mark, id)
				}
			}
			store, err = storeFolder(store, o.Data, o.ID)
			return err
		},
		Start: func(o peers.Options, log io.Writer) (peers.Node, error) { return newNode(o, store, log) },
	}
}

// storeFolder returns the store's folder as an absolute path: the one that is given, or else the one above the node's.
func storeFolder(store, data, id string) (string, error) {
	if store == "" {
		above, last := filepath.Dir(filepath.Clean(data)), filepath.Base(data)
		if last == "data" {
			above, last = filepath.Dir(above), filepath.Base(above)
		}
		if last != id {
			return "", fmt.Errorf("-store: is missing, and -data %s does not end in %s or %[2]s/data, as would tell it", data, id)
		}
		store = above
	}
	store, err := filepath.Abs(store)
	// The kernel has no more room for the path of a socket (unix(7)); elsewhere it has a little less.
	if most := 100; err == nil && len(store) > most {
		return "", fmt.Errorf("-store %s: is longer than %d bytes, too long for a socket in it", store, most)
	}
	return store, err
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == asStore {
		if err := runStore(os.Args[2], linger); err != nil {
			fmt.Fprintln(os.Stderr, "leasenode, the store:", err)
			os.Exit(1)
		}
		return
	}
	leaseNode().Main()
}
