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
// It serves
//
//	GET /status   what the node is: id, members, role, leader, epoch, leading, since, profile, store,
//	              counters{bytes_sent, writes}
//	GET /events   a stream (SSE) of what it says of the leader, at once and after each change:
//	              data: {"at":1767225600000000,"node":"3","role":"follower","leader":"5","epoch":4,"leading":false}
//	GET /healthz  200 while the store answers
//
// At is in microseconds since 1970. Leader is the holder in the record that leaderelection has read or written last, so
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
// On SIGTERM a leader lets go of the Lease, and the node ends with 0.
//
// The comparison is meant to be fair. The profile "default" is what the core components of Kubernetes use, and "fast" is
// the lowest that is safe; see the variable profiles. A follower learns of a new leader when it asks the next time, as
// the library has it; who needs to know at once has to watch the Lease. A write waits for the disk, as one to etcd does;
// but there is one store on the same machine, without TLS, consensus and an API server that has other things to do.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// options is what the flags say.
type options struct {
	id      string
	members map[string]string // address of each, by id
	store   string            // the store's folder
	data    string
	http    string // or "", for none
	profile string
	log     slog.Level
}

// levels are those of -log, by name.
var levels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
	"off": slog.LevelError + 1,
}

// parse reads the flags. What is wrong with them it says in its error.
func parse(arguments []string, out io.Writer) (options, error) {
	var o options
	var members, level string
	flags := flag.NewFlagSet("leasenode", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&o.id, "id", "", "`ID` of this node")
	flags.StringVar(&members, "members", "", "all nodes: `1=HOST:PORT,2=…`; their addresses are not used")
	flags.StringVar(&o.data, "data", "", "`DIR` of this node; it keeps nothing there, and the store is found by it")
	flags.StringVar(&o.http, "http", "", "`ADDR` to serve /status, /events and /healthz on")
	flags.StringVar(&o.profile, "profile", "default", "timeouts: default or fast")
	flags.StringVar(&o.store, "store", "", "`DIR` of the store; if empty, DIR of -data DIR/ID or DIR/ID/data")
	flags.StringVar(&level, "log", "warn", "least `LEVEL` that is logged: debug, info, warn, error or off")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("there are no arguments but flags, and %q is none", flags.Arg(0))
	}
	var err error
	if o.members, err = parseMembers(members); err != nil {
		return o, err
	}
	known := false
	if o.log, known = levels[level]; !known {
		return o, fmt.Errorf("-log %s: want debug, info, warn, error or off", level)
	}
	switch {
	case o.members[o.id] == "":
		return o, fmt.Errorf("-id %q: is not among -members %s", o.id, strings.Join(slices.Sorted(maps.Keys(o.members)), ", "))
	case o.data == "":
		return o, errors.New("-data: is missing")
	case profiles[o.profile] == (profile{}):
		return o, fmt.Errorf("-profile %s: want default or fast", o.profile)
	}
	o.store, err = storeFolder(o.store, o.data, o.id)
	return o, err
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

// parseMembers reads 1=HOST:PORT,2=….
func parseMembers(text string) (map[string]string, error) {
	if text == "" {
		return nil, errors.New("-members: is missing; want 1=HOST:PORT,2=…")
	}
	members := map[string]string{}
	for entry := range strings.SplitSeq(text, ",") {
		id, address, ok := strings.Cut(entry, "=")
		if !ok || id == "" || strings.Contains(id, mark) {
			return nil, fmt.Errorf("-members: %q is not ID=HOST:PORT, with an ID without %s", entry, mark)
		}
		if _, _, err := net.SplitHostPort(address); err != nil {
			return nil, fmt.Errorf("-members: %q is not ID=HOST:PORT: %w", entry, err)
		}
		if members[id] != "" {
			return nil, fmt.Errorf("-members: %s is there twice", id)
		}
		members[id] = address
	}
	return members, nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stderr))
}

// run is the program. It returns the exit status: 2 if the flags are wrong.
func run(ctx context.Context, arguments []string, log io.Writer) int {
	if len(arguments) == 2 && arguments[0] == asStore {
		if err := runStore(arguments[1], linger); err != nil {
			fmt.Fprintln(log, "leasenode, the store:", err)
			return 1
		}
		return 0
	}
	o, err := parse(arguments, log)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(log, "leasenode:", err)
		return 2
	}
	if err := serve(ctx, o, log); err != nil {
		fmt.Fprintln(log, "leasenode:", err)
		return 1
	}
	return 0
}
