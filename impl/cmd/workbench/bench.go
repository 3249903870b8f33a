package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

// benchFlags are the flags of workbench bench.
type benchFlags struct {
	nodes, faults       string
	profiles            string
	rounds              int
	groups, kills       int
	members, dir        string
	looks               time.Duration
	ballast             []int
	guard, beside, hold bool
	plot                string
	json                bool
	command             string
	against             []string
}

// benchHelp is what bully help bench says before the flags.
const benchHelp = `
Measures clusters of real processes on this machine. Say which measurement first, then flags:

  workbench bench failover   # the leader fails again and again: how long until all others name the next?
  workbench bench idle       # what a node uses that has nothing to do; Linux only
  workbench bench guard      # how often guards kill nodes to which nothing is done; on a machine that is busy, as you make it; Linux only
  workbench bench groups     # many elections over one cluster: cold start, at rest, a node that dies, a node that is added

  workbench bench failover -rounds 3 -nodes 3 -fault kill   # the quick form, in a few seconds
  workbench bench failover                                  # 20 rounds of 3 sizes and 3 faults: some minutes
  workbench bench failover -nodes 5 -fault kill,stop,stuck,disk,cut -guard -plot faults.svg   # with a guard and without, and a picture
  workbench bench failover -nodes 5 -fault kill,program,both -ballast 0,512 -beside -hold     # in a large program, also with its memory held, and beside one

What befalls the leader:

  kill      kill -9
  stop      SIGSTOP: nothing shows it but silence, unless a guard kills it
  stuck     its loop goes round no more, while its process runs on; a program that embeds the host
  disk      kill -9, where each save of each node takes 20ms longer; the same program
  cut       it is off the network, which needs root; no guard knows of that
  program   kill -9 of the program that leads by a node beside it (-beside)
  both      kill -9 of that program and of the node beside it, at the same moment
  resign    nothing: it hands over to another, which it names, as bully resign -to has it; from the call until all others name that one

For ours it measures the floor too, in the same run: what the timing makes everybody wait for (half a heartbeat less than the patience; twice
the delay with a guard, if the loop is stuck), the end of a process of that size until its address refuses, five messages, and two saves.

Other programs can be measured beside ours, in kill, stop and cut. They must take the flags -id, -members, -data and -http, and serve
GET /events and GET /status as bully run does:

  workbench bench failover -against "raftnode -profile fast"

Many groups are measured with nodes that do nothing else, by themselves and beside other programs:

  workbench bench groups                                            # 10,000 of them over five nodes, with fixed members and with changing ones: some minutes
  workbench bench groups -groups 200 -nodes 3 -kills 1 -for 2s      # the quick form
  workbench bench groups -groups 1000 -members fixed -against "groups etcd" -against "groups dragonboat"   # impl/baselines/groups

The node is killed that leads most. It is started again, and waited for until it leads again what it is to lead. Where members change one more node is added at last. Spread is how far the node is
from an even share that is farthest. Frames are those of the groups, and beside them stand those that they would be if each node led one group; where members change the cluster's own election has its own.

`

// benchmark measures clusters of real processes: how long a failover takes, or what a node costs that has nothing to
// do.
func benchmark(ctx context.Context, p program, args []string) error {
	f := benchFlags{}
	flags := p.Flags("bench")
	flags.StringVar(&f.faults, "fault", "kill,stop,cut", "failover: a `list` of what befalls the leader: kill, stop, stuck, disk, cut, program, both, resign")
	flags.IntVar(&f.rounds, "rounds", 20, "failover: let the leader fail this `often`, for each size and fault")
	flags.DurationVar(&f.looks, "for", 10*time.Second, "idle, guard and groups: look for this `time`")
	flags.StringVar(&f.profiles, "profile", "", "guard: a `list` of timer profiles, a cluster of each, all at the same time, local,lan,busy,wan if empty; groups: one profile, wan if empty")
	flags.IntVar(&f.groups, "groups", 10_000, "groups: `how many`")
	flags.IntVar(&f.kills, "kills", 3, "groups: kill a node so `often`")
	flags.StringVar(&f.members, "members", "fixed,changing", "groups: measure those whose members are fixed, or changing, or a `list` of both")
	flags.StringVar(&f.dir, "dir", "", "groups: keep the folders of nodes in this `folder`; that of temporary files if empty")
	flags.StringVar(&f.nodes, "nodes", "", "a `list` of sizes of clusters; 3,5,7 for failover and 5 else if empty")
	flags.Func("ballast", "failover: nodes are programs that embed the host, with so many `MiB` of memory besides; or a list of that", f.setBallast)
	flags.BoolVar(&f.guard, "guard", false, "measure our nodes with a guard too, and at rest that guard; Linux only")
	flags.BoolVar(&f.hold, "hold", false, "failover: for each -ballast, measure a program whose memory is held too (bully run -hold-memory, and HoldMemory of the client beside it); Linux only")
	flags.BoolVar(&f.beside, "beside", false, "failover: for each -ballast, measure a node beside a program of that size too; Linux only")
	flags.StringVar(&f.plot, "plot", "", "failover: draw every time that was measured into this `file`, as SVG")
	flags.BoolVar(&f.json, "json", false, "print the results as JSON")
	flags.StringVar(&f.command, "command", "", "the `command` line of a node; bully run if empty")
	flags.Func("against", "measure this `command` line too, and compare; may be given again", func(s string) error {
		f.against = append(f.against, s)
		return nil
	})
	what := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		what, args = args[0], args[1:]
	}
	if err := p.ParseSome(flags, args, cli.Manual{Text: benchHelp}); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return cli.Usage(fmt.Sprintf("unexpected argument %q (\"workbench help bench\" lists the flags)", flags.Arg(0)))
	}
	switch what {
	case "failover":
		return p.failovers(ctx, f)
	case "idle":
		return p.idle(ctx, f)
	case "guard":
		return p.guarded(ctx, f)
	case "groups":
		return p.groupsOf(ctx, f)
	case "":
		return cli.Usage("measure what? Say workbench bench failover, idle, guard or groups first, then flags")
	}
	return cli.Usage(fmt.Sprintf("unknown benchmark %q: there are failover, idle, guard and groups", what))
}

// contestants returns the programs that are to be measured, ours first.
func (f benchFlags) contestants() ([]contestant, error) {
	var others []contestant
	for _, given := range f.against {
		command := strings.Fields(given)
		if len(command) == 0 {
			return nil, cli.Usage("-against needs a command line")
		}
		others = append(others, contestant{name: shortName(command), command: command})
	}
	if f.beside && f.ballast == nil {
		return nil, cli.Usage("-beside: say with -ballast how large the program is, as in -ballast 512")
	}
	command := strings.Fields(f.command)
	if len(command) == 0 {
		ours, err := f.ours()
		return append(ours, others...), err
	}
	if f.ballast != nil || f.guard {
		return nil, cli.Usage("-ballast and -guard are for our own nodes, and -command says that they are others")
	}
	return append([]contestant{{name: shortName(command), command: command}}, others...), nil
}

// setBallast reads -ballast.
func (f *benchFlags) setBallast(list string) error {
	for text := range strings.SplitSeq(list, ",") {
		size, err := strconv.Atoi(text)
		if err != nil || size < 0 || size > mostBallast {
			return fmt.Errorf("%q is not a number from 0 to %d", text, mostBallast)
		}
		f.ballast = append(f.ballast, size)
	}
	return nil
}

// findProgram returns the program bully or workbench: that beside this one, or else that of the path.
func findProgram(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(self), name); isFile(beside) {
			return beside, nil
		}
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return "", errors.New("there is no program " + name + " beside this one, nor in the path: build both into one folder (go build -o .cache/ ./impl/cmd/bully " +
			"./impl/cmd/workbench), or say with -command what a node is")
	}
	return found, nil
}

// isFile reports whether there is a file of this name.
func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// ms returns a length of time in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// shortName returns how a command line is called in a table.
func shortName(command []string) string {
	return strings.Join(append([]string{filepath.Base(command[0])}, command[1:]...), " ")
}

// sizes reads the sizes of clusters, those given or else the usual ones.
func (f benchFlags) sizes(usual string) ([]int, error) {
	var all []int
	for text := range strings.SplitSeq(cmp.Or(f.nodes, usual), ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 64 {
			return nil, cli.Usage(fmt.Sprintf("-nodes %q: %q is not a size from 1 to 64", f.nodes, text))
		}
		all = append(all, n)
	}
	return all, nil
}

// counted writes a number, or that nobody has counted.
func counted(n float64, digits int) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatFloat(n, 'f', digits, 64)
}

// machine is where something was measured.
type machine struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	Cores int    `json:"cores"`
	Go    string `json:"go"`
}

// thisMachine describes this one.
func thisMachine() machine {
	return machine{runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version()}
}

// String returns m as a person would say it.
func (m machine) String() string {
	return fmt.Sprintf("Measured on %s/%s, %d cores, all nodes on one machine, built with %s", m.OS, m.Arch, m.Cores, m.Go)
}
