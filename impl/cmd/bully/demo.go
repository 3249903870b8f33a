package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	tracecheck "github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
)

const (
	demoNodes = 5
	// demoPause lies between two scenes, so that a person can follow.
	demoPause = 400 * time.Millisecond
	// demoPatience bounds each scene.
	demoPatience = time.Minute
)

// demoFlags are the flags of bully demo.
type demoFlags struct {
	dir, command string
	replace      bool
	write        string
}

// demo runs five nodes as five processes, and does to them what the protocol is for.
func demo(ctx context.Context, p program, args []string) error {
	var f demoFlags
	flags := p.Flags("demo")
	flags.StringVar(&f.dir, "dir", "", "keep the traces and logs in this `folder` (default: a new temporary one)")
	flags.StringVar(&f.command, "command", "", "the `command` line of a node (default: bully run)")
	flags.BoolVar(&f.replace, "replace", false, "replace each of five nodes by a new one, while the leader writes to a fenced resource")
	flags.StringVar(&f.write, "write", "", "be the work of a leader: write to the resource at this `address` until ended; for -replace")
	if err := p.Parse(flags, args); err != nil {
		return err
	}
	switch {
	case f.write != "":
		return writeLoad(ctx, f.write)
	case f.replace:
		return p.replaceAll(ctx, f)
	}
	command, err := nodeCommand(f.command, "-cluster", "demo", "-profile", "lan", "-preempt", "1s")
	if err != nil {
		return err
	}
	if f.dir == "" {
		if f.dir, err = os.MkdirTemp("", "bully-demo-"); err != nil {
			return err
		}
	}
	c, err := localcluster.New(localcluster.Config{Nodes: demoNodes, Command: command, Dir: f.dir, Traces: true})
	if err != nil {
		return err
	}
	s := &show{program: p, cluster: c, begin: time.Now()}
	return errors.Join(s.play(ctx), c.Close())
}

// nodeCommand returns the command line of a node: what the user says, or else this program's run with flags.
func nodeCommand(given string, flags ...string) ([]string, error) {
	if command := strings.Fields(given); len(command) > 0 {
		return command, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return append([]string{self, "run"}, flags...), nil
}

// show is a demo that is being played.
type show struct {
	program
	cluster *localcluster.Cluster
	begin   time.Time
}

// say prints a line of the timeline, of something that happened at a moment.
func (s *show) say(at time.Time, format string, values ...any) {
	_, _ = fmt.Fprintf(s.Out, "%7.1f ms  %s\n", ms(at.Sub(s.begin)), fmt.Sprintf(format, values...))
}

// ms returns d in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// play plays all scenes.
func (s *show) play(ctx context.Context) error {
	_, _ = fmt.Fprintf(s.Out, "Five nodes, five processes on this machine. The highest that runs and has a quorum of 3 leads.\n\n")
	all := s.cluster.IDs()
	s.say(time.Now(), "start nodes %s", list(all))
	if err := s.cluster.Start(); err != nil {
		return err
	}
	first, err := s.elect(ctx, 0, all)
	if err != nil {
		return err
	}
	for first.Leader != demoNodes { // It started late; it takes over when it has waited for long enough.
		if first, err = s.elect(ctx, first.Epoch, all); err != nil {
			return err
		}
	}
	if err := s.rest(ctx); err != nil {
		return err
	}
	second, err := s.crash(ctx, first)
	if err != nil {
		return err
	}
	if err := s.rest(ctx); err != nil {
		return err
	}
	if err := s.comeBack(ctx, first, second); err != nil {
		return err
	}
	if err := s.rest(ctx); err != nil {
		return err
	}
	return s.curtain(ctx, s.cluster.IDs()...)
}

// rest lets a person read.
func (s *show) rest(ctx context.Context) error {
	select {
	case <-time.After(demoPause):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// elect waits until nodes agree on a leader in an epoch above one, and says so.
func (s *show) elect(ctx context.Context, above uint64, ids []int) (localcluster.Reign, error) {
	ctx, cancel := context.WithTimeout(ctx, demoPatience)
	defer cancel()
	reign, err := s.cluster.Agree(ctx, above, ids...)
	if err == nil {
		s.say(reign.At, "node %d leads epoch %d: %s say so", reign.Leader, reign.Epoch, list(ids))
	}
	return reign, err
}

// crash kills the leader, and waits for the next.
func (s *show) crash(ctx context.Context, old localcluster.Reign) (localcluster.Reign, error) {
	s.line()
	at, err := s.cluster.Kill(old.Leader)
	if err != nil {
		return old, err
	}
	s.say(at, "kill -9 node %d, the leader", old.Leader)
	reign, err := s.elect(ctx, old.Epoch, s.cluster.IDs(old.Leader))
	if err == nil {
		s.note("failover took %.1f ms", ms(reign.At.Sub(at)))
	}
	return reign, err
}

// comeBack starts a node again that led before, and waits until it leads once more.
func (s *show) comeBack(ctx context.Context, old, now localcluster.Reign) error {
	s.line()
	heard := len(s.cluster.Events(0))
	s.say(time.Now(), "start node %d again", old.Leader)
	if err := s.cluster.Start(old.Leader); err != nil {
		return err
	}
	reign, err := s.elect(ctx, now.Epoch-1, s.cluster.IDs())
	if err != nil {
		return err
	}
	if reign.Leader != old.Leader {
		s.note("node %d waits for a second before it takes over, in case it dies again", old.Leader)
	}
	for reign.Leader != old.Leader {
		if reign, err = s.elect(ctx, reign.Epoch, s.cluster.IDs()); err != nil {
			return err
		}
	}
	var left, took time.Time // when the one stopped to lead, and when the other began
	for _, e := range s.cluster.Events(heard) {
		switch {
		case e.Node == now.Leader && !e.Leading && left.IsZero():
			left = e.At
		case e.Node == reign.Leader && e.Leading && took.IsZero():
			took = e.At
		}
	}
	if took.After(left) && !left.IsZero() {
		s.note("node %d handed over: nobody led for %.1f ms", now.Leader, ms(took.Sub(left)))
	}
	return nil
}

// curtain stops the nodes that run, merges what all have recorded, and checks it.
func (s *show) curtain(ctx context.Context, running ...int) error {
	s.line()
	at, err := s.cluster.Stop(running...)
	if err != nil {
		return err
	}
	s.say(at, "stop all nodes")
	name := filepath.Join(s.cluster.Dir(), "merged.ndjson")
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	summary, err := s.cluster.MergeTraces(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	verdict := (&evidence{name: name}).check(ctx, tracecheck.Options{Strict: true})
	if verdict.err != nil {
		return verdict.err
	}
	_, err = fmt.Fprintf(s.Out, "\nEvery step of every node, merged into one trace: %s\n(%s, reigns: %d) It is a run that the rules allow.\nSee it with: bully trace show %s\n",
		name, summary, verdict.Reigns, name)
	return err
}

// line leaves a line free.
func (s *show) line() { _, _ = fmt.Fprintln(s.Out) }

// note says more of what was said last.
func (s *show) note(format string, values ...any) {
	_, _ = fmt.Fprintf(s.Out, "%12s%s\n", "", fmt.Sprintf(format, values...))
}

// list writes ids as a person would: 1, 2 and 3.
func list(ids []int) string {
	var text strings.Builder
	for i, id := range ids {
		switch {
		case i > 0 && i == len(ids)-1:
			text.WriteString(" and ")
		case i > 0:
			text.WriteString(", ")
		}
		_, _ = fmt.Fprint(&text, id)
	}
	return text.String()
}
