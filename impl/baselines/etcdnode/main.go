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
// It serves
//
//	GET /status   what the node is: id, members, role, leader, epoch, leading, since, profile, etcd_leader,
//	              etcd_term, counters{bytes_sent, saves}
//	GET /events   a stream (SSE) of what it says of the leader, at once and after each change:
//	              data: {"at":1767225600000000,"node":"3","role":"follower","leader":"5","epoch":4,"leading":false}
//	GET /healthz  200 while etcd has a leader
//
// At is in microseconds since 1970. Epoch is the revision at which the leader's key was made: a later leader has a higher
// one, no two have the same, and between them there are gaps. Leader is null while the node knows of none: before its
// session begins, and after it has lost it. Leading is what the recipe says: true from the end of Campaign until the
// session ends, which a node that was stopped notices late.
//
// Etcd_leader says whether the node's etcd server leads the others, and etcd_term counts their elections. That is a
// different matter: it need not be the node that leads. Of the counters, saves are the syncs of etcd's log, and
// bytes_sent is what went to other etcd servers; etcd does not count messages.
//
// On SIGTERM a leader resigns, and the node ends with 0.
//
// The comparison is meant to be fair. The profile "default" is etcd as it is, and "fast" is the lowest that did not flap
// on a loaded machine; see the variable profiles. The session is as short in both as etcd has it, and the recipe's own
// default of a minute is in neither. Etcd syncs its log before it answers, and there is no switch for that here.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"go.uber.org/zap/zapcore"
)

// options is what the flags say.
type options struct {
	id      string
	members map[string]string // address of each, by id
	data    string
	http    string // or "", for none
	profile string
	log     zapcore.Level
}

// levels are those of -log, by name.
var levels = map[string]zapcore.Level{
	"debug": zapcore.DebugLevel, "info": zapcore.InfoLevel, "warn": zapcore.WarnLevel, "error": zapcore.ErrorLevel,
	"off": zapcore.InvalidLevel, // above all others
}

// parse reads the flags. What is wrong with them it says in its error.
func parse(arguments []string, out io.Writer) (options, error) {
	var o options
	var members, level string
	flags := flag.NewFlagSet("etcdnode", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&o.id, "id", "", "`ID` of this node")
	flags.StringVar(&members, "members", "", "all nodes and where their etcd servers listen: `1=IP:PORT,2=…`")
	flags.StringVar(&o.data, "data", "", "`DIR` for what must survive; it is made if it is not there")
	flags.StringVar(&o.http, "http", "", "`ADDR` to serve /status, /events and /healthz on")
	flags.StringVar(&o.profile, "profile", "default", "timeouts: default or fast")
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
	return o, nil
}

// parseMembers reads 1=HOST:PORT,2=….
func parseMembers(text string) (map[string]string, error) {
	if text == "" {
		return nil, errors.New("-members: is missing; want 1=IP:PORT,2=…")
	}
	members := map[string]string{}
	for entry := range strings.SplitSeq(text, ",") {
		id, address, ok := strings.Cut(entry, "=")
		if !ok || id == "" {
			return nil, fmt.Errorf("-members: %q is not ID=IP:PORT", entry)
		}
		if _, _, err := net.SplitHostPort(address); err != nil {
			return nil, fmt.Errorf("-members: %q is not ID=IP:PORT: %w", entry, err)
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
	o, err := parse(arguments, log)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(log, "etcdnode:", err)
		return 2
	}
	if err := serve(ctx, o, log); err != nil {
		fmt.Fprintln(log, "etcdnode:", err)
		return 1
	}
	return 0
}
