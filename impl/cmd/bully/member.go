package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

const memberHelp = `
list prints who the members of a cluster are, if they come and go. It asks the nodes at all addresses, and those that they know from
their -view, and prints what the leader says; or if it does not answer, the newest that any of them knows.

add makes a node a member, or a member one of another kind: a voter, which votes and may lead; a witness, which votes and
never leads; an observer, which follows. A node that is to vote is an observer until it has answered, so it must run. Its
address is host:port, or host:port#incarnation as bully join has printed it: then no other disk will do.

remove makes a member none. A leader is made a witness, hands over, and is removed by the next. replace adds a node, and
then removes another.

rank gives a member a rank, from 0 to 65535. The highest voter that runs leads: of two members the one of the higher rank is higher, and of
two of one rank the one of the higher id. A member has rank 0 until it is given another.

` + oneDisk + `
A change needs a leader, and so a quorum of the members. If that is lost for good, no change brings it back, with -force neither: a new
cluster takes its place, which bully help init says.

The nodes are asked at the addresses that they were given by -http; the leader must be among them, or among those that
they know from their -view. A change is made only where that address is of loopback, or the leader runs with -http-control:
there is no authentication. So let only those connect there who may change members, which is to say, end the cluster.

With -version it is made only if the members are of that version: of two that have seen the same members, one then wins.
It exits with 0 if all is done, and a quorum holds it, and with 1 if not.

`

// memberVerbs are what can be done with members, and what each takes.
var memberVerbs = map[string]string{"list": "[address…]", "add": "ID=host:port", "remove": "ID", "replace": "OLD ID=host:port",
	"rank": "ID N"}

var verbs = []string{"list", "add", "remove", "replace", "rank"}

// memberCall is what the flags of bully member say.
type memberCall struct {
	nodes   []string
	change  web.Change // what to do; nothing for list
	timeout time.Duration
}

// members lists or changes members.
func members(ctx context.Context, p program, args []string) error {
	c := memberCall{}
	verb := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		verb, args = args[0], args[1:]
	}
	takes, known := memberVerbs[verb]
	name := "member " + verb
	if verb == "" {
		name = "member " + strings.Join(verbs, "|")
	}
	flags := p.Flags(name)
	kind := c.define(flags, verb)
	if err := p.ParseSome(flags, args, cli.Manual{Arguments: " " + takes, Text: memberHelp}); err != nil {
		return err
	}
	switch {
	case verb == "":
		return cli.Usage("do what? There are list, add, remove, replace and rank")
	case !known:
		return cli.Usage(fmt.Sprintf("unknown %q%s (there are list, add, remove, replace and rank)", verb, cli.Suggest(verb, verbs)))
	}
	if verb == "list" {
		c.nodes = append(c.nodes, flags.Args()...)
	}
	var err error
	if c.nodes, err = p.nodesAsked("member "+verb, c.nodes, c.timeout); err != nil {
		return err
	}
	if err := c.understand(verb, takes, *kind, flags.Args()); err != nil {
		return err
	}
	return c.run(ctx, p)
}

// define defines the flags.
func (c *memberCall) define(flags *flag.FlagSet, verb string) (kind *string) {
	nodesFlag(flags, &c.nodes)
	flags.DurationVar(&c.timeout, "timeout", 30*time.Second, "give up after this `time`")
	kind = new(string)
	if verb == "list" {
		return kind
	}
	flags.Uint64Var(&c.change.Version, "version", 0, "only if the members are still at this `version`; 0 means any")
	flags.BoolVar(&c.change.Force, "force", false, "change the members even if the nodes that answer now would be no quorum; also needed to move a member to another address")
	if verb == "add" || verb == "replace" {
		flags.Func("rank", "the `rank` of the member, from 0 to 65535; 0, or none, leaves the one that it has, or that it replaces", func(text string) (err error) {
			c.change.Rank, err = parseRank(text)
			return err
		})
		flags.StringVar(kind, "kind", string(spec.Voter), "the `kind` of member: voter, witness or observer")
	}
	return kind
}

// understand reads what is to be done.
func (c *memberCall) understand(verb, takes, kind string, args []string) (err error) {
	if verb == "list" {
		return nil
	}
	if wanted := len(strings.Fields(takes)); len(args) != wanted {
		return cli.Usage(fmt.Sprintf("give %s, after the flags: there are %d arguments", takes, len(args)))
	}
	c.change.Do = verb
	last := args[len(args)-1]
	if verb == "remove" {
		c.change.ID, err = parseID(last)
		return err
	}
	if verb == "rank" {
		if c.change.ID, err = parseID(args[0]); err == nil {
			c.change.Rank, err = parseRank(last)
		}
		return err
	}
	if verb == "replace" {
		if c.change.Old, err = parseID(args[0]); err != nil {
			return err
		}
	}
	idText, address, ok := strings.Cut(last, "=")
	if !ok {
		return cli.Usage(fmt.Sprintf("%q has no =: give id=host:port, or id=host:port#incarnation as bully join prints it", last))
	}
	hostPort, _, err := transport.SplitAddress(address)
	if err != nil {
		return cli.Usage(err.Error())
	}
	if problem := transport.CheckAddress(hostPort); problem != "" {
		return cli.Usage(problem)
	}
	c.change.Address, c.change.Kind = address, spec.MemberKind(kind)
	if !c.change.Kind.Valid() {
		return cli.UnknownChoice("kind", kind, []string{"voter", "witness", "observer"})
	}
	c.change.ID, err = parseID(idText)
	return err
}

func parseID(text string) (spec.NodeID, error) {
	id, err := spec.ParseNodeID(text)
	if err != nil {
		return id, cli.Usage(err.Error())
	}
	return id, nil
}

func parseRank(text string) (uint16, error) {
	rank, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return 0, cli.Usage(fmt.Sprintf("%q is no rank: give an integer from 0 to %d", text, spec.MaxRank))
	}
	return uint16(rank), nil
}

// run lists the members, or changes them and then lists them.
func (c *memberCall) run(ctx context.Context, p program) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	if c.change.Do == "" { // CarryOut does it itself
		asking, stop := context.WithTimeout(ctx, viewsTimeout)
		c.nodes = web.Views(asking, c.nodes)
		stop()
	}
	operator := web.Operator{Nodes: c.nodes, Say: func(text string) { _, _ = fmt.Fprintln(p.Log, cli.PrintableText(text)) }}
	if c.change.Do != "" {
		if err := operator.CarryOut(ctx, c.change); err != nil {
			return err
		}
	}
	newest, err := operator.Newest(ctx)
	if err != nil {
		return err
	}
	return printMembers(p.Out, newest.Members)
}

// viewsTimeout bounds how long nodes may take to say where the others are seen.
const viewsTimeout = time.Second

// printMembers prints a table, with a column of ranks if any member has one.
func printMembers(out io.Writer, m web.Members) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	ranked := slices.ContainsFunc(m.Configuration.Members(), func(m spec.Member) bool { return m.Rank != 0 })
	column := func(text string) string {
		if !ranked {
			return ""
		}
		return text + "\t"
	}
	_, _ = fmt.Fprintf(w, "node\tkind\t%saddress\t\n", column("rank"))
	for _, member := range m.Configuration.Members() {
		leads := ""
		if member.ID == m.Leader {
			leads = "leads"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s%s\t%s\n", member.ID, member.Kind, column(strconv.Itoa(int(member.Rank))), cli.PrintableText(member.Address), leads)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	state := "as node " + m.Node.String() + " knows: the leader, which can tell whether it is settled, was not asked or has not answered"
	if m.Settled {
		state = "settled"
	} else if m.Leading {
		state = "not settled yet"
	}
	_, err := fmt.Fprintf(out, "version %d, epoch %d, %s\n", m.Configuration.Version, m.Configuration.Epoch, state)
	return err
}
