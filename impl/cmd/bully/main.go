// Command bully runs nodes that elect a leader among themselves, and is what their operators need. Each of its subcommands does one
// thing:
//
//	bully demo                       # five nodes on this machine: elect, kill the leader, bring it back
//	bully demo -replace              # … replace each by a new one, while the leader writes to a fenced resource
//	bully cert ca -dir ca                                     # who vouches for the nodes of a cluster
//	bully cert node -ca ca -cluster jobs -id 3 -dir node-3    # … and a certificate for each
//	bully run -id 3 -cluster jobs -members 1=10.0.0.1:7001,2=10.0.0.2:7001,3=10.0.0.3:7001 -data /var/lib/bully -http :8001 -tls-cert …
//	bully exec -id 3 -cluster jobs -members … -data /var/lib/bully -- job   # run job while this node leads
//	bully status 10.0.0.1:8001 10.0.0.2:8001                  # who leads, and how the nodes are
//	bully init -data /var/lib/bully -cluster jobs -id 1 -members 1=10.0.0.1:7001,2=10.0.0.2:7001 -tls-cert …   # members that come and go: a record, once at each
//	bully init -from-fixed -data /var/lib/bully -cluster jobs -members …             # or of a stopped node whose members have been fixed
//	bully join -data /var/lib/bully -cluster jobs -id 4 -address 10.0.0.4:7001 -tls-cert …   # … and one of a node that is to be added
//	bully run -data /var/lib/bully -http :8001                                       # … which are run so
//	bully member list -http 10.0.0.1:8001                     # who they are; add, remove and replace change them
//	bully repair -data /var/lib/bully                         # what is in the data folder, and the way out if it is bad
//	bully trace merge traces/ >run.ndjson                     # one trace of what all nodes have recorded
//	bully trace show run.ndjson                               # … as a timeline, with its reigns
//	bully trace check run.ndjson                              # … against the rules of the specification
//	bully help run
//
// It exits with 0 if all is well, 1 if something is not as it must be, and 2 if it was called wrongly. Help of each
// subcommand says what that means there; exec has the exit status of its command.
package main

import (
	"context"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

// program is what a subcommand has of the world around it.
type program struct{ cli.Program }

// as makes a subcommand of a function; each has a file of its own.
func as(run func(context.Context, program, []string) error) func(context.Context, cli.Program, []string) error {
	return func(ctx context.Context, p cli.Program, args []string) error { return run(ctx, program{p}, args) }
}

// newProgram returns the program, which has nothing of the world around it yet.
func newProgram() cli.Program {
	return cli.Program{
		Name: "bully", About: "Bully elects a leader among nodes, with epochs that fence off old leaders.",
		Commands: []cli.Command{
			{Name: "cert", Summary: "make the certificates by which nodes know each other", Run: as(certificates), Foreign: true},
			{Name: "demo", Summary: "run five nodes, kill the leader, bring it back; or replace all of them, one by one", Run: as(demo)},
			{Name: "exec", Summary: "run a node, and a command while it leads", Run: as(execute)},
			{Name: "init", Summary: "make the record of a first member of a cluster whose members come and go", Run: as(setup), Foreign: true},
			{Name: "join", Summary: "make the record of a node that is to be added to one", Run: as(join), Foreign: true},
			{Name: "member", Summary: "list, add, remove or replace members, if they come and go", Run: as(members), Foreign: true},
			{Name: "repair", Summary: "show what is in the data folder of a node, and find a way out", Run: as(repair), Foreign: true},
			{Name: "run", Summary: "run a node", Run: as(run)},
			{Name: "status", Summary: "ask nodes what they are, and who leads", Run: as(statusOf), Foreign: true},
			{Name: "trace", Summary: "merge the records that nodes have written, show them, or check traces", Run: as(traces), Foreign: true},
		},
	}
}

func main() { newProgram().Start() }
