// Raftnode is a node of hashicorp/raft with the outer face of "bully run", so that one program can measure both.
//
//	raftnode -id 3 -members 1=127.0.0.1:7001,2=127.0.0.1:7002,3=127.0.0.1:7003 -data DIR [-http ADDR]
//	         [-profile default|fast] [-log LEVEL]
//
// It serves
//
//	GET /status   what the node is: id, members, role, leader, epoch, leading, since, profile, counters{bytes_sent, writes}
//	GET /events   a stream (SSE) of what it says of the leader, at once and after each change:
//	              data: {"at":1767225600000000,"node":"3","role":"follower","leader":"5","epoch":4,"leading":false}
//	GET /healthz  200 while raft runs
//
// At is in microseconds since 1970; epoch is raft's term; leader is null while there is none. On SIGTERM a leader hands
// over, and the node ends with 0.
//
// The comparison is meant to be fair. The profile "default" is raft.DefaultConfig. The profile "fast" is the lowest
// that did not flap on a loaded machine; see the function fast. Both keep votes, terms and the log in raft-boltdb, which
// syncs each write to the disk, and use TCP, where Nagle's algorithm is off as Go has it. Pre-vote is on, as raft has it
// by default. Nothing is written to the log but what raft writes itself when a leader begins.
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

	"github.com/hashicorp/go-hclog"
)

// options is what the flags say.
type options struct {
	id      string
	members map[string]string // address of each, by id
	data    string
	http    string // or "", for none
	profile string
	log     hclog.Level
}

// parse reads the flags. What is wrong with them it says in its error.
func parse(arguments []string, out io.Writer) (options, error) {
	var o options
	var members, level string
	flags := flag.NewFlagSet("raftnode", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&o.id, "id", "", "`ID` of this node")
	flags.StringVar(&members, "members", "", "all nodes and where they listen: `1=HOST:PORT,2=…`")
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
	if o.log = hclog.LevelFromString(level); o.log == hclog.NoLevel {
		return o, fmt.Errorf("-log %s: want debug, info, warn, error or off", level)
	}
	switch {
	case o.members[o.id] == "":
		return o, fmt.Errorf("-id %q: is not among -members %s", o.id, strings.Join(slices.Sorted(maps.Keys(o.members)), ", "))
	case o.data == "":
		return o, errors.New("-data: is missing")
	case profiles[o.profile] == nil:
		return o, fmt.Errorf("-profile %s: want default or fast", o.profile)
	}
	return o, nil
}

// parseMembers reads 1=HOST:PORT,2=….
func parseMembers(text string) (map[string]string, error) {
	if text == "" {
		return nil, errors.New("-members: is missing; want 1=HOST:PORT,2=…")
	}
	members := map[string]string{}
	for entry := range strings.SplitSeq(text, ",") {
		id, address, ok := strings.Cut(entry, "=")
		if !ok || id == "" {
			return nil, fmt.Errorf("-members: %q is not ID=HOST:PORT", entry)
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
	o, err := parse(arguments, log)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(log, "raftnode:", err)
		return 2
	}
	if err := serve(ctx, o, log); err != nil {
		fmt.Fprintln(log, "raftnode:", err)
		return 1
	}
	return 0
}
