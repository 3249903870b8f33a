// Command bully runs nodes that elect a leader among themselves, and is the tool of this project. Each of its
// subcommands does one thing:
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
//	bully view                       # see elections in the browser, and meddle with them
//	bully view run.ndjson            # … or a trace, or what TLC has found
//	bully view split-brain           # … or a scenario in which an algorithm goes wrong
//	bully bench failover             # how long a failover takes, with real processes
//	bully check                      # explore the configurations of the specification
//	bully check -config ClusterStar  # one of them, with its counterexample if it has one
//	bully sim -seeds 1-10000         # simulate clusters, with faults, and check what is promised
//	bully compare -html page.html    # ours, the textbook's, a ring, Raft's and leases: plots, and what goes wrong
//	bully history -html page.html h.ndjson  # check what clients saw for linearizability, and draw it
//	bully port                       # the core as a port, for bullytest
//	bully help run
//
// It exits with 0 if all is well, 1 if something is not as it must be, and 2 if it was called wrongly. Help of each
// subcommand says what that means there; exec has the exit status of its command.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/seed-fdf591db/bully/impl/cmd/bully/printable"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/tla"
)

// The exit statuses.
const (
	exitOK       = 0
	exitMismatch = 1
	exitUsage    = 2
)

// command is a subcommand. Each has a file of its own.
type command struct {
	name    string
	summary string
	run     func(ctx context.Context, p program, args []string) error
	foreign bool // it prints what others have written
}

// commands returns all subcommands, in the order of help.
func commands() []command {
	return []command{
		{"bench", "measure failover, or what idle nodes cost, with real processes", benchmark, false},
		{"cert", "make the certificates by which nodes know each other", certificates, true},
		{"check", "explore the configurations of the specification, and compare with its list", check, false},
		{"compare", "ask election algorithms the same questions, ours and the textbook's, a ring, Raft's and leases", compare, false},
		{"demo", "run five nodes, kill the leader, bring it back; or replace all of them, one by one", demo, false},
		{"exec", "run a node, and a command while it leads", execute, false},
		{"help", "say how to use a command", help, false},
		{"history", "check what clients of a cluster and its resources saw for linearizability", histories, true},
		{"init", "make the record of a first member of a cluster whose members come and go", setup, true},
		{"join", "make the record of a node that is to be added to one", join, true},
		{"member", "list, add, remove or replace members, if they come and go", members, true},
		{"port", "speak the protocol of ports on standard input and output, for bullytest", servePorts, false},
		{"repair", "show what is in the data folder of a node, and find a way out", repair, true},
		{"run", "run a node", run, false},
		{"sim", "run simulated clusters, with faults, and check what is promised", simulate, false},
		{"status", "ask nodes what they are, and who leads", statusOf, true},
		{"trace", "merge the records that nodes have written, show them, or check traces", traces, true},
		{"version", "print the version", version, false},
		{"view", "show runs, traces and running clusters in the browser, and play with them", view, false},
	}
}

// program is what a subcommand has of the world around it.
type program struct {
	out, log io.Writer
	live     bool                // log is a terminal
	files    fs.FS               // the configurations, and models.json; see tla.FS
	getenv   func(string) string // the environment; nil is an empty one
}

// usageError says that the program was called wrongly.
type usageError struct{ message string }

// Error implements error.
func (e usageError) Error() string { return e.message }

func main() {
	ctx := untilSignal()
	info, err := os.Stderr.Stat()
	live := err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("CI") == ""
	status := program{out: os.Stdout, log: os.Stderr, live: live, files: tla.FS(), getenv: os.Getenv}.main(ctx, os.Args[1:])
	os.Exit(status)
}

// untilSignal returns a context that ends with the first signal to end. A second one does not ask, however soon it comes: whoever can see
// that the context has ended is ended by it, and one that has come before that is sent again.
func untilSignal() context.Context {
	ctx, end := context.WithCancelCause(context.Background())
	asked := make(chan os.Signal, 2)
	signal.Notify(asked, os.Interrupt, syscall.SIGTERM)
	go func() {
		first := <-asked
		signal.Stop(asked)
		end(fmt.Errorf("%v signal received", first))
		select {
		case second := <-asked:
			self, err := os.FindProcess(os.Getpid())
			if err != nil || self.Signal(second) != nil {
				os.Exit(exitMismatch)
			}
		default:
		}
	}()
	return ctx
}

// main runs the subcommand that args name.
func (p program) main(ctx context.Context, args []string) int {
	if len(args) == 0 {
		args = []string{"help"}
	}
	if slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
		args[0] = "help"
	}
	i := slices.IndexFunc(commands(), func(c command) bool { return c.name == args[0] })
	if i < 0 {
		_, _ = fmt.Fprintf(printable.To(p.log), "bully: unknown command %q%s\n", args[0], suggest(args[0], names()))
		return exitUsage
	}
	if commands()[i].foreign {
		p.out, p.log = printable.To(p.out), printable.To(p.log)
	}
	err := commands()[i].run(ctx, p, args[1:])
	var usage usageError
	var exit exitError
	switch {
	case errors.As(err, &exit):
		return exit.status
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case ctx.Err() != nil:
		err = errors.New("interrupted")
	}
	p.sayLast(fmt.Sprintf("bully %s: %v\n", args[0], err))
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitMismatch
}

// lastPatience is how long a program that ends waits for whoever reads what it says last.
const lastPatience = time.Second

// sayLast says why the program ends, unless nobody reads that.
func (p program) sayLast(text string) {
	said := make(chan struct{})
	go func() {
		defer close(said)
		_, _ = io.WriteString(printable.To(p.log), text)
	}()
	select {
	case <-said:
	case <-time.After(lastPatience):
	}
}

// names returns the names of all subcommands.
func names() []string {
	var all []string
	for _, c := range commands() {
		all = append(all, c.name)
	}
	return all
}

// flagSet returns the flags of a subcommand, still empty.
func (p program) flagSet(name string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // parse says it better.
	return flags
}

// parse reads the flags of a subcommand that takes no further arguments.
func (p program) parse(flags *flag.FlagSet, args []string) error {
	if err := p.parseSome(flags, args, usage{}); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return usageError{fmt.Sprintf("unexpected argument %q (\"bully help %s\" lists the flags)", flags.Arg(0), flags.Name())}
	}
	return nil
}

// usage is what help says of a subcommand besides its flags.
type usage struct {
	arguments string // what comes after the flags, with a space before
	text      string // what there is to know; ends with an empty line
}

// parseSome reads the flags of a subcommand, and leaves further arguments to it.
func (p program) parseSome(flags *flag.FlagSet, args []string, u usage) error {
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintf(p.out, "Usage: bully %s [flags]%s\n%s", flags.Name(), u.arguments, u.text)
		flags.SetOutput(p.out)
		flags.PrintDefaults()
		return err
	}
	if err != nil {
		text := err.Error()
		if _, name, unknown := strings.Cut(text, "flag provided but not defined: -"); unknown {
			var all []string
			flags.VisitAll(func(f *flag.Flag) { all = append(all, "-"+f.Name) })
			text += suggest("-"+name, all)
		}
		return usageError{fmt.Sprintf("%s (\"bully help %s\" lists the flags)", text, flags.Name())}
	}
	return nil
}

// help prints all subcommands, or the flags of one.
func help(ctx context.Context, p program, args []string) error {
	if len(args) > 0 && args[0] != "help" {
		i := slices.IndexFunc(commands(), func(c command) bool { return c.name == args[0] })
		if i < 0 {
			return usageError{fmt.Sprintf("unknown command %q%s", args[0], suggest(args[0], names()))}
		}
		return commands()[i].run(ctx, p, []string{"-help"})
	}
	_, _ = fmt.Fprint(p.out, "Bully elects a leader among nodes, with epochs that fence off old leaders.\n\n"+
		"Usage: bully COMMAND [flags]\n\n")
	for _, c := range commands() {
		_, _ = fmt.Fprintf(p.out, "  %-9s %s\n", c.name, c.summary)
	}
	_, err := fmt.Fprint(p.out, "\n\"bully help COMMAND\" lists the flags of a command.\n")
	return err
}

// version prints what this program was built from.
func version(_ context.Context, p program, args []string) error {
	flags := p.flagSet("version")
	if err := p.parse(flags, args); err != nil {
		return err
	}
	text := "bully, version unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		text = "bully " + strings.Trim(info.Main.Version, "()") + ", built with " + info.GoVersion
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				text += ", from " + s.Value
			}
		}
	}
	_, err := fmt.Fprintf(p.out, "%s\nspec %s, wire %d, trace %d\n", text, spec.Version, spec.WireVersion, spec.TraceFormat)
	return err
}
