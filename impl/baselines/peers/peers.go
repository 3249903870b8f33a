// Package peers gives nodes of other systems the outer face of "bully run", so that one program can measure them all.
// A system says how it elects (System, Node); the flags, the HTTP server and the stream of events are here.
//
// Each node serves
//
//	GET /status   what the node is: id, members, role, leader, epoch, leading, since, profile, counters, and what
//	              its system adds
//	GET /events   a stream (SSE) of what it says of the leader, at once and after each change:
//	              data: {"at":1767225600000000,"node":"3","role":"follower","leader":"5","epoch":4,"leading":false}
//	GET /healthz  200 while it is well
//
// At is in microseconds since 1970, and leader is null while the node knows of none. On SIGTERM a node leaves, and ends
// with 0.
package peers

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// System is a system that elects a leader.
type System struct {
	Name    string // of the program
	Members string // what -members is, in its help
	Address string // how one address of it is written, such as HOST:PORT
	Data    string // what -data is, in its help
	Flags   func(*flag.FlagSet)
	Check   func(Options) error // what else may be wrong with the flags
	Start   func(Options, io.Writer) (Node, error)
}

// Node is one node of a system.
type Node interface {
	// Hub has what the node says of the leader.
	Hub() *Hub
	// Elect lets the node take part in elections until the context ends, or it cannot go on. It is called once.
	Elect(ctx context.Context) error
	// Healthy returns why the node is not well.
	Healthy() error
	// Describe adds to a status what only the node knows.
	Describe(*Status) error
	// Close lets the node leave. It is called once, after Elect.
	Close() error
}

// Main is the program of a system: it runs a node until SIGTERM, and ends the process.
func (s System) Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(s.Run(ctx, os.Args[1:], os.Stderr))
}

// Run runs a node until the context ends. It returns the exit status: 2 if the flags are wrong.
func (s System) Run(ctx context.Context, arguments []string, log io.Writer) int {
	o, err := s.parse(arguments, log)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(log, "%s: %v\n", s.Name, err)
		return 2
	}
	if err := s.serve(ctx, o, log); err != nil {
		fmt.Fprintf(log, "%s: %v\n", s.Name, err)
		return 1
	}
	return 0
}
