// Command workbench is for whoever checks, compares and looks at elections: nothing of it is needed to run a node. Each of its
// subcommands does one thing:
//
//	workbench view                       # see elections in the browser, and intervene in them
//	workbench view run.ndjson            # … or a trace, or what TLC has found
//	workbench view split-brain           # … or a scenario in which an algorithm goes wrong
//	workbench from-tlc counterexample    # make a trace of what TLC has printed
//	workbench itf run.ndjson             # a trace in the format of Apalache and Quint; from-itf makes a trace of such
//	workbench check                      # explore the configurations of the specification
//	workbench check -config ClusterStar  # one of them, with its counterexample if it has one
//	workbench sim -seeds 1-10000         # simulate clusters, with faults, and check what is promised
//	workbench compare -html page.html    # ours, the textbook's, a ring, Raft's and leases: plots, and what goes wrong
//	workbench bench failover             # how long a failover takes, with real processes
//	workbench bench groups               # … and what many elections over one cluster cost
//	workbench history -html page.html h.ndjson  # check what clients saw for linearizability, and draw it
//	workbench port                       # the core as a port, for bullytest
//	workbench help sim
//
// It exits with 0 if all is well, 1 if something is not as it must be, and 2 if it was called wrongly. Help of each
// subcommand says what that means there.
package main

import (
	"context"
	"io/fs"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/tla"
)

// program is what a subcommand has of the world around it.
type program struct {
	cli.Program
	files fs.FS // the configurations, and models.json; see tla.FS
}

// newProgram returns the program, which has nothing of the world around it yet but the configurations.
func newProgram(files fs.FS) cli.Program {
	as := func(run func(context.Context, program, []string) error) func(context.Context, cli.Program, []string) error {
		return func(ctx context.Context, p cli.Program, args []string) error {
			return run(ctx, program{p, files}, args)
		}
	}
	return cli.Program{
		Name: "workbench", About: "Checks elections, measures them, compares them, and shows them.",
		Commands: []cli.Command{
			{Name: "bench", Summary: "measure failover, what idle nodes cost, or many groups, with real processes", Run: as(benchmark)},
			{Name: "check", Summary: "explore the configurations of the specification, and compare with its list", Run: as(check)},
			{Name: "compare", Summary: "ask election algorithms the same questions, ours and the textbook's, a ring, Raft's and leases", Run: as(compareAlgorithms)},
			{Name: "from-itf", Summary: "make a trace of states in the Informal Trace Format", Run: as(fromITF)},
			{Name: "from-tlc", Summary: "make a trace, or a recording, of a counterexample that TLC has printed", Run: as(fromTLC)},
			{Name: "history", Summary: "check what clients of a cluster and its resources saw for linearizability", Run: as(histories), Foreign: true},
			{Name: "itf", Summary: "write a trace in the Informal Trace Format of Apalache and Quint", Run: as(toITF)},
			{Name: "node", Summary: "run a node in a large process, for bench", Run: as(largeNode)},
			{Name: "port", Summary: "speak the protocol of ports on standard input and output, for bullytest", Run: as(servePorts)},
			{Name: "sim", Summary: "run simulated clusters, with faults, and check what is promised", Run: as(simulate)},
			{Name: "view", Summary: "show runs, traces and running clusters in the browser, and play with them", Run: as(view)},
		},
	}
}

func main() { newProgram(tla.FS()).Start() }
