package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/child"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

// guardHelp is what bully help guard says before the flags.
const guardHelp = `
Starts PROGRAM, and kills it (SIGKILL) when it can act no more:

  it is stopped    by SIGSTOP, a terminal, or a debugger
  it dumps core    which takes the longer the larger it is, and leaves its connections open
  its loop hangs   it was silent for twice the delay of its profile (24ms for lan), though it had a processor and waited for no disk

Once it is dead its address refuses connections, which proves to the other nodes that they need not wait for its patience to end; and
it is started again: after 100ms, then twice as long each time up to 30s, from the beginning if it has lived for a minute. So it is when
a signal of somebody else has killed it. When it ends by itself, with whatever status, that is the status of the guard: nothing is started again.
It is told, and shows in /status, /metrics and bully status, how often and why it was killed.

PROGRAM gets SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1 and SIGUSR2 from its guard. After the first three it is not started again. It has a process
group of its own, and no standard input. When a signal has killed it, its guard kills all that it has started: who forks may have its address open, which then
refuses nobody, and is not free. PROGRAM must stay in the foreground: if it ends by itself, what it has started goes on without a guard, which says so.
If the guard dies, the kernel kills PROGRAM, and that alone. A guard may be the first process of a container: it waits for those whose parents have ended.

"bully run -guard" is "bully guard -- bully run". A program of your own embeds a node, and has it tell its guard (host.FindGuard); as long as
it has told nothing it is watched for stops only. A shell between the guard and the program must exec it.

A guard runs on Linux, needs no privilege, and sleeps while all is well. It knows nothing of the machine and the network: whoever
hangs with them costs the others their patience, as without it.

`

// guardProgram runs a program with a guard.
func guardProgram(_ context.Context, p program, args []string) error {
	var format string
	flags := p.Flags("guard")
	flags.StringVar(&format, "log", "text", "log to standard error in this `format`: text or json")
	if err := p.ParseSome(flags, args, cli.Manual{Arguments: " -- PROGRAM [argument…]", Text: guardHelp}); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return cli.Usage("no program is given: bully guard -- PROGRAM [argument…]")
	}
	if choices := []string{"text", "json"}; !slices.Contains(choices, format) {
		return cli.UnknownChoice("log", format, choices)
	}
	path, err := exec.LookPath(flags.Arg(0))
	if err != nil {
		return err
	}
	return child.BecomeGuard(path, flags.Args(), format == "json")
}

// becomeGuard makes this process the guard of the same program, called in the same way.
func becomeGuard(s settings) error {
	path, err := os.Executable()
	if err != nil {
		return err
	}
	return child.BecomeGuard(path, os.Args, s.log == "json")
}

// guarded says what a guard has told the node, in a few words.
func guarded(g *host.GuardStatus) string {
	var text strings.Builder
	fmt.Fprintf(&text, "its guard has started it again %d times, and had killed it %d times", g.Restarts, g.Kills)
	if !g.At.IsZero() {
		fmt.Fprintf(&text, ", the last time at %s: %s", g.At.Format("2006-01-02 15:04:05 UTC"), cli.PrintableText(g.Last))
	}
	return text.String()
}

// guardedBy returns what the log says of the guard, if there is one; and says what it has told, if that is anything.
func (n *node) guardedBy() []any {
	g := n.guard.Status()
	if g == nil {
		return nil
	}
	if g.Restarts > 0 {
		n.logger.Warn("this node was started again", "because", guarded(g))
	}
	return []any{"guard", g.Guard}
}
