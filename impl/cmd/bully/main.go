// Command bully runs nodes that elect a leader among themselves, and is what their operators need. Each of its subcommands does one
// thing:
//
//	bully demo                       # five nodes on this machine: elect, kill the leader, bring it back
//	bully demo -replace              # … replace each by a new one, while the leader writes to a fenced resource
//	bully cert ca -dir ca                                     # who vouches for the nodes of a cluster
//	bully cert node -ca ca -cluster jobs -id 3 -dir node-3    # … and a certificate for each
//	bully run -id 3 -cluster jobs -members 1=10.0.0.1:7000,2=10.0.0.2:7000,3=10.0.0.3:7000 -data /var/lib/bully -http :8000 -tls-cert …
//	bully exec -restart -id 3 -cluster jobs -members … -data /var/lib/bully -- service   # run a service while this node leads
//	bully guard -- service                                    # run a program that embeds a node under a guard; bully run -guard is one too
//	bully lead -socket /run/bully/jobs.sock -- ./lead.sh      # run a script while a node beside it leads: bully run -socket
//	bully exec -once nightly -every 24h -fence /mnt/shared -id 3 … -- job    # run a job once a night, on whichever node leads
//	bully status 10.0.0.1:8000 10.0.0.2:8000                  # who leads, and how the nodes are
//	bully resign -http 10.0.0.1:8000,10.0.0.2:8000,10.0.0.3:8000            # who leads resigns, and another is waited for
//	bully init -data /var/lib/bully -cluster jobs -id 1 -members 1=10.0.0.1:7000,2=10.0.0.2:7000 -tls-cert …   # members that come and go: a record, once at each
//	bully init -from-fixed -data /var/lib/bully -cluster jobs -members …             # or of a stopped node whose members have been fixed
//	bully join -data /var/lib/bully -cluster jobs -id 4 -address 10.0.0.4:7000 -members 1,2 -tls-cert …   # … and one of a node that is to be added
//	bully run -data /var/lib/bully -http :8000                                       # … which are run so
//	bully run -group orders-[0-999] …                         # many elections over one cluster, each with a leader of its own; bully exec -group …
//	bully groups -plan -members 1,2,3 -group orders-[0-999] -down 3  # who would lead what, and what moves if node 3 goes
//	bully measure -data /var/lib/bully 10.0.0.2:22            # which timer profiles this machine can keep
//	bully member list -http 10.0.0.1:8000                     # who they are; add, remove and replace change them
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
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	library "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
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
			{Name: "groups", Summary: "show who leads what of many groups, or would if nodes went or came", Run: as(groupsOf), Foreign: true},
			{Name: "guard", Summary: "run a program that embeds a node, kill it when it hangs, and start it again", Run: as(guardProgram)},
			{Name: "init", Summary: "make the record of a first member of a cluster whose members come and go", Run: as(setup), Foreign: true},
			{Name: "join", Summary: "make the record of a node that is to be added to one", Run: as(join), Foreign: true},
			{Name: "lead", Summary: "lead by a node of this machine, and become a command that acts while its leases hold", Run: as(leadBy)},
			{Name: "measure", Summary: "say which timer profiles this machine can keep", Run: as(measure)},
			{Name: "member", Summary: "list, add, remove or replace members, if they come and go", Run: as(members), Foreign: true},
			{Name: "repair", Summary: "show what is in the data folder of a node, and find a way out", Run: as(repair), Foreign: true},
			{Name: "resign", Summary: "ask the leader to resign, and see who leads next", Run: as(resignLeader), Foreign: true},
			{Name: "run", Summary: "run a node", Run: as(run)},
			{Name: "status", Summary: "ask nodes what they are, and who leads", Run: as(statusOf), Foreign: true},
			{Name: "trace", Summary: "merge the records that nodes have written, show them, or check traces", Run: as(traces), Foreign: true},
		},
	}
}

func main() { newProgram().Start() }

// nodeFlags are the flags of a node, as they were given.
type nodeFlags struct {
	id, cluster, members, data, listen string
	expect                             int
	profile, preempt                   string
	http, view                         string
	trace                              string
	traceBytes                         int64
	traceFiles                         int
	httpControl                        bool
	socket                             string
	believe                            string
	log, logLevel                      string
	noProof, holdMemory                bool
	groupFlags
	linkFlags
}

// define defines the flags.
func (f *nodeFlags) define(flags *flag.FlagSet) {
	flags.StringVar(&f.id, "id", "", "the `id` of this node: an integer from 1 on, a UUID of version 4, or ordinal, which is made of the host's name: bully-0 is 1; the highest leads (default: that of the record, if bully init or join made it)")
	flags.StringVar(&f.cluster, "cluster", "", "the `name` of the cluster; must be identical on every node, and differ from that of any other cluster (default: that of the record, if bully init or join made it)")
	flags.StringVar(&f.members, "members", "", "the fixed members, `id=host:port,…`, or where they are found: dns+srv://NAME or dns://NAME:PORT; must be identical on every node")
	flags.IntVar(&f.expect, "expect", 0, "how many `members` there are, if DNS names them: nobody begins with fewer; must be identical on every node")
	flags.StringVar(&f.data, "data", "", "the `folder` for the record of this node; it must survive restarts")
	flags.StringVar(&f.listen, "listen", "", "listen for the other nodes on this `address` (default: its address in -members)")
	flags.StringVar(&f.profile, "profile", "lan", "the timer `profile`: local, lan, busy, wan, or a delay such as 30ms, which bully measure proposes; must be identical on every node")
	flags.StringVar(&f.preempt, "preempt", "", "let a lower node lead for this `time` before a higher one takes over: a duration such as 5s, now, or never (default: as the profile says)")
	flags.StringVar(&f.http, "http", "", "serve status, metrics and the live page on this `address`, without authentication")
	flags.StringVar(&f.socket, "socket", "", "run while a program of this machine asks to lead, on a Unix socket at this `path`: see impl/AGENT.md")
	flags.StringVar(&f.view, "view", "", "the HTTP address of every node, as browsers reach it: `id=http://host:port,…`")
	flags.BoolVar(&f.httpControl, "http-control", false, "allow everybody who can reach -http to make the node resign and to change members; always allowed on a loopback address")
	flags.StringVar(&f.trace, "trace", "", "record every step in this `folder`; see bully trace")
	flags.Int64Var(&f.traceBytes, "trace-bytes", 0, "begin another file of a trace after so many `bytes`; 0 means 16 MiB")
	flags.IntVar(&f.traceFiles, "trace-files", 0, "keep so many `files` of a trace; 0 means 256")
	flags.StringVar(&f.log, "log", "text", "log to standard error in this `format`: text or json")
	flags.StringVar(&f.logLevel, "log-level", "info", "log from this `level` on: debug, info, warn or error")
	f.linkFlags.define(flags)
	flags.StringVar(&f.group, "group", "", "run many elections, one for each of these `groups`: NAME, NAME-[0-999], NAME=ID, or @FILE, separated by commas; must be identical on every node")
	flags.StringVar(&f.weight, "weight", "", "of -group: how much nodes are to lead, `id=weight,…`, if not all the same; must be identical on every node")
	flags.StringVar(&f.believe, "believe", "", "trust these nodes, `id,…`, about who the members are, although this node does not know them; for a node that was down while all others were replaced")
	flags.BoolVar(&f.holdMemory, "hold-memory", true, "have a second process, bully-memory, share the memory of this one, so that its address refuses as soon as it dies; Linux only")
	flags.BoolVar(&f.noProof, "no-proof", false, "do not conclude from a refused connection that a node is dead; needed behind proxies and firewalls that refuse connections")
}

// variable returns the name of the environment variable for a flag.
func variable(name string) string {
	return "BULLY_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// settings returns what the flags, and the environment where they were not given, say.
func (p program) settings(f *nodeFlags, flags *flag.FlagSet) (settings, error) {
	if p.Getenv != nil {
		if err := fromEnvironment(flags, p.Getenv); err != nil {
			return settings{}, err
		}
	}
	if err := p.ordinal(&f.id); err != nil {
		return settings{}, err
	}
	return f.settings(given(flags))
}

// givenFlags are the names of the flags that were given, or found in the environment.
type givenFlags map[string]bool

func given(flags *flag.FlagSet) givenFlags {
	names := givenFlags{}
	flags.Visit(func(f *flag.Flag) { names[f.Name] = true })
	return names
}

// fromEnvironment sets the flags that were not given from the environment.
func fromEnvironment(flags *flag.FlagSet, environment func(string) string) error {
	given := given(flags)
	var wrong error
	flags.VisitAll(func(f *flag.Flag) {
		value := environment(variable(f.Name))
		if given[f.Name] || value == "" || wrong != nil {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			wrong = cli.Usage(fmt.Sprintf("%s=%q: %v", variable(f.Name), value, err))
		}
	})
	return wrong
}

// settings are the flags of a node, understood.
type settings struct {
	nodeFlags
	id        spec.NodeID
	identity  storage.Identity // of the record, if members come and go; else zero
	address   string           // where this node listens then
	search    *library.Search  // how members are found, or nil
	found     *library.Found   // once they are
	addresses map[spec.NodeID]string
	members   []spec.NodeID // ascending
	timing    host.Timing
	views     map[spec.NodeID]string
	own       *library.Certificate // the certificate of the node, or nil
	guard     *host.Guard          // or nil
	believed  []spec.NodeID
	placed    *groupList       // which groups there are, or nil if the node has one election
	placement groups.Placement // … and who is to lead them
	proof     bool             // of exec: its command holds the address
	progress  time.Duration    // of work, see host.Config; 0 if it need not report any
}

// settings reads the flags. An error says which flag is wrong, how, and what would be right.
func (f nodeFlags) settings(given givenFlags) (s settings, err error) {
	s = settings{nodeFlags: f}
	changing, err := s.ofRecord(given)
	if err == nil && !changing {
		err = s.ofMembers()
	}
	if err != nil {
		return s, err
	}
	var viewed []spec.NodeID
	if s.views, viewed, err = parsePairs("view", f.view, web.CheckPage); err != nil {
		return s, err
	}
	for _, id := range viewed {
		if _, ok := s.addresses[id]; !ok && !changing && s.search == nil {
			return s, cli.Usage(fmt.Sprintf("-view: node %s is not one of -members, which are %s", id, s.members))
		}
	}
	if f.expect != 0 && s.search == nil {
		return s, cli.Usage("-expect is for members that DNS names: give -members dns+srv://NAME or dns://NAME:PORT")
	}
	if given["socket"] && f.socket == "" {
		return s, cli.Usage("-socket: give the path of the socket, or leave the flag out: without it the node takes part whatever programs do")
	}
	if f.httpControl && f.http == "" {
		return s, cli.Usage("-http-control says who may use -http, which is missing")
	}
	if f.view != "" && f.http == "" {
		return s, cli.Usage("-view says where pages are, but -http is missing: this node would show none")
	}
	if s.timing, err = f.timing(); err != nil {
		return s, err
	}
	if f.listen != "" {
		if problem := transport.CheckAddress(f.listen); problem != "" {
			return s, cli.Usage("-listen: " + problem)
		}
	}
	if f.http != "" && !strings.HasSuffix(f.http, ":0") { // any that is free
		if problem := transport.CheckAddress(f.http); problem != "" {
			return s, cli.Usage("-http: " + problem)
		}
	}
	for name, choices := range map[string][]string{"log": {"text", "json"}, "log-level": {"debug", "info", "warn", "error"}} {
		value := map[string]string{"log": f.log, "log-level": f.logLevel}[name]
		if !slices.Contains(choices, value) {
			return s, cli.UnknownChoice(name, value, choices)
		}
	}
	if f.traceBytes < 0 || f.traceFiles < 0 {
		return s, cli.Usage("-trace-bytes and -trace-files cannot be negative")
	}
	if s.believed, err = parseBelieved(f.believe, changing); err != nil {
		return s, err
	}
	if err := s.ofGroups(given); err != nil {
		return s, err
	}
	s.own, err = f.certificate(s.cluster, s.id, s.reached())
	return s, err
}

// ofMembers reads the flags that say who the node is, and all members, which are fixed.
func (s *settings) ofMembers() (err error) {
	f := &s.nodeFlags
	if f.data != "" && f.id == "" && f.cluster == "" && f.members == "" { // as a node is run whose members come and go
		return cli.Usage(fmt.Sprintf("there is no record in %s, and no -id, -cluster and -members, as fixed members need. If members come and go, bully init or join makes "+
			"the record, once; if it was there before, this disk is lost: bully help join says what to do", f.data))
	}
	for _, required := range []struct{ flag, value, like string }{
		{"id", f.id, "3"}, {"cluster", f.cluster, "jobs"}, {"members", f.members, "1=10.0.0.1:7000,2=10.0.0.2:7000,3=10.0.0.3:7000"}, {"data", f.data, "/var/lib/bully"},
	} {
		if required.value == "" {
			return cli.Usage(fmt.Sprintf("-%s is missing: give it as in -%s %s, or in %s", required.flag, required.flag, required.like,
				variable(required.flag)))
		}
	}
	if s.id, err = spec.ParseNodeID(f.id); err != nil {
		return cli.Usage(fmt.Sprintf("-id: %v", err))
	}
	if err := checkCluster(f.cluster); err != nil {
		return err
	}
	if strings.Contains(f.members, "://") {
		return s.searched()
	}
	if s.addresses, s.members, err = parsePairs("members", f.members, nil); err != nil {
		return err
	}
	if _, ok := s.addresses[s.id]; !ok {
		return cli.Usage(fmt.Sprintf("-id: node %s is not one of -members, which are %s", s.id, s.members))
	}
	return nil
}

// parsePairs reads a list of id=address. The ids are returned ascending.
func parsePairs(name, text string, check func(string) string) (map[spec.NodeID]string, []spec.NodeID, error) {
	if text == "" {
		return map[spec.NodeID]string{}, nil, nil
	}
	pairs, err := transport.ParseMembers(text, check)
	if err != nil {
		return nil, nil, cli.Usage(fmt.Sprintf("-%s: %v", name, err))
	}
	return pairs, slices.SortedFunc(maps.Keys(pairs), spec.NodeID.Compare), nil
}

// timing returns the timing that the profile and -preempt say.
func (f nodeFlags) timing() (host.Timing, error) {
	timing, err := profileNamed(f.profile)
	if err != nil {
		return timing, err
	}
	switch f.preempt {
	case "":
	case "now":
		timing.Preempt = 0
	case "never":
		timing.Preempt = -1
	default:
		d, err := time.ParseDuration(f.preempt)
		if err != nil || d < 0 {
			return timing, cli.Usage(fmt.Sprintf("-preempt: %q is no length of time: give 5s, 500ms, now or never", f.preempt))
		}
		timing.Preempt = d
	}
	var wrong *policy.Error
	if err := timing.Validate(); errors.As(err, &wrong) {
		return timing, cli.Usage(fmt.Sprintf("-preempt: %s", wrong.Problem))
	}
	return timing, nil
}

// profileNamed returns the timing of a profile or of a delay, or which profiles there are.
func profileNamed(name string) (host.Timing, error) {
	var names []string
	for _, p := range policy.Profiles() {
		if names = append(names, p.Name); p.Name == name {
			return p.Timing, nil
		}
	}
	if delay, err := time.ParseDuration(name); err == nil {
		timing := policy.Timing{Delay: delay}
		if delay > 0 && delay <= policy.MaxTiming {
			timing = policy.TimingFor(delay)
		}
		if timing.Validate() != nil {
			return host.Timing{}, cli.Usage(fmt.Sprintf("-profile: %v is no delay that timers can be made for: give one from 1µs to 20m, such as 30ms", delay))
		}
		return timing, nil
	}
	return host.Timing{}, cli.UnknownChoice("profile", name, append(names, "delays such as 30ms"))
}

// parseBelieved reads -believe.
func parseBelieved(text string, changing bool) (ids []spec.NodeID, err error) {
	switch {
	case text == "":
		return nil, nil
	case !changing:
		return nil, cli.Usage("-believe is for members that come and go: here they are fixed")
	}
	return parseIDs("believe", text)
}

// reached returns what addresses of nodes there are, by whose they are.
func (s *settings) reached() map[string]string {
	all := map[string]string{}
	for id, address := range s.addresses {
		all["node "+id.String()+" is"] = address
	}
	if s.address != "" {
		all["this node is"] = s.address
	}
	if s.listen != "" {
		all["this node listens"] = s.listen
	}
	if s.search != nil {
		all["members are found"] = s.search.Where
	}
	return all
}
