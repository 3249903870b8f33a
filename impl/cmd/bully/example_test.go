package main

import (
	"context"
	"os"
	"strings"
)

func Example() {
	p := program{out: os.Stdout, log: &strings.Builder{}}
	p.main(context.Background(), []string{"help"})
	// Output:
	// Bully elects a leader among nodes, with epochs that fence off old leaders.
	//
	// Usage: bully COMMAND [flags]
	//
	//   bench     measure failover, or what idle nodes cost, with real processes
	//   cert      make the certificates by which nodes know each other
	//   check     explore the configurations of the specification, and compare with its list
	//   compare   ask election algorithms the same questions, ours and the textbook's, a ring, Raft's and leases
	//   demo      run five nodes, kill the leader, bring it back; or replace all of them, one by one
	//   exec      run a node, and a command while it leads
	//   help      say how to use a command
	//   history   check what clients of a cluster and its resources saw for linearizability
	//   init      make the record of a first member of a cluster whose members come and go
	//   join      make the record of a node that is to be added to one
	//   member    list, add, remove or replace members, if they come and go
	//   port      speak the protocol of ports on standard input and output, for bullytest
	//   repair    show what is in the data folder of a node, and find a way out
	//   run       run a node
	//   sim       run simulated clusters, with faults, and check what is promised
	//   status    ask nodes what they are, and who leads
	//   trace     merge the records that nodes have written, show them, or check traces
	//   version   print the version
	//   view      show runs, traces and running clusters in the browser, and play with them
	//
	// "bully help COMMAND" lists the flags of a command.
}
