package main

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/spec"
)

const resignHelp = `
Asks the leader to resign, waits until another node leads, and says who, and for how long nobody led at most, as seen from here.

Nodes are asked at the addresses that they were given by -http. The leader must be among them, or among those that the first one lists
in its -view; so give all. It resigns only where its address is of loopback, or where it runs with -http-control, as of POST /resign, which is what it
is asked: there is no authentication. A node that does not lead answers that with 409, and who does.

Under bully exec CMD is ended first, and the node leads on until it has: for -stop at most. A node that has resigned runs on. It may lead
again at once, and if it is the highest that runs it does: this says so then, and exits with 1. To keep it from leading, stop it, or make it a
witness with bully member. So this is for a cluster with -preempt never, or a long one, where the leader is not the highest.

With -to ID the leader names the node that is to lead next: a voter that runs and that it is connected to. The others wait for that one, and no higher node
pre-empts it for -hold. If it does not come within Timing.Patience, whoever stands next leads.

Of nodes of many groups whose members change it is the cluster's own election that is resigned from; the groups are led on. To have a node lead no group, stop it,
or make it a witness (bully member add -kind witness): where members are fixed there is no other election, and a node is stopped, or has -weight ID=0.

It exits with 0 if another node leads, or the one that was named, and with 1 if not.

`

// resignLeader makes the leader resign.
func resignLeader(ctx context.Context, p program, args []string) error {
	var urls []string
	var timeout time.Duration
	var to spec.NodeID
	var hold time.Duration
	flags := p.Flags("resign")
	flags.Func("to", "hand over to the node `ID`", func(text string) (err error) {
		to, err = spec.ParseNodeID(text)
		return err
	})
	flags.DurationVar(&hold, "hold", 0, "with -to: for this `time` no higher node pre-empts that one, at most 24h")
	nodesFlag(flags, &urls)
	flags.DurationVar(&timeout, "timeout", 30*time.Second, "give up after this `time`")
	if err := p.ParseSome(flags, args, cli.Manual{Arguments: " [address…]", Text: resignHelp}); err != nil {
		return err
	}
	urls, err := p.nodesAsked("resign", append(urls, flags.Args()...), timeout)
	if err != nil {
		return err
	}
	if hold < 0 || hold > host.MaxHold || hold > 0 && to.IsNone() {
		return cli.Usage(fmt.Sprintf("-hold is from 0 to %v, and for a node that -to names", host.MaxHold))
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	operator := web.Operator{Nodes: urls, Say: func(text string) { _, _ = fmt.Fprintln(p.Log, text) }}
	r, err := operator.HandOver(ctx, to, hold)
	if err != nil {
		return err
	}
	again := ""
	if r.New.Node == r.Old.Node {
		again = " again"
	}
	if _, err := fmt.Fprintf(p.Out, "node %s leads epoch %d%s: nobody led for %v at most\n", r.New.Node, r.New.Epoch, again, r.Without.Round(100*time.Microsecond)); err != nil {
		return err
	}
	if !to.IsNone() && r.New.Node != to {
		return fmt.Errorf("node %s has not come to lead in time, and node %s leads: see bully status", to, r.New.Node)
	}
	if again != "" {
		return fmt.Errorf("node %s leads again: it is the highest that runs; stop it, or make it a witness, and another leads", r.New.Node)
	}
	return nil
}
