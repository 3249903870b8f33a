package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/spec"
)

// tenure is what a command is run for: a reign, in one election or in one of many groups.
type tenure interface {
	Epoch() spec.Epoch
	Deadline() time.Time
	Valid() bool
	Progress()
}

var (
	_ tenure = host.Reign{}
	_ tenure = groups.Reign{}
)

// isQuiet reports whether the reign is to end because its work has reported no progress.
func isQuiet(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return errors.Is(cause, host.ErrNoProgress) || errors.Is(cause, groups.ErrNoProgress)
}

// execGroups runs a node of many groups, and for each that it leads a command of its own.
func (p program) execGroups(ctx context.Context, s settings, x execFlags, path string, args []string) error {
	return p.runGroups(ctx, s, func(n *groupNode) func(context.Context, string) error {
		clearProgress(n.data)
		return func(ctx context.Context, group string) error {
			return n.execGroup(ctx, group, x, path, args, p.Out, p.Log)
		}
	})
}

// execGroup runs the command in each reign of this node in a group, until the node ends or the group goes.
func (n *groupNode) execGroup(ctx context.Context, group string, x execFlags, path string, args []string, out, log io.Writer) error {
	own := *n.node
	own.logger = n.logger.With("group", group)
	w := &worker{node: &own, flags: x, path: path, args: args, out: out, log: log, group: group}
	for {
		err := n.groups.Lead(ctx, group, reports(w, func(ctx context.Context, reign groups.Reign) error { return w.work(ctx, reign) }))
		if !errors.Is(err, errEnded) {
			return err
		}
	}
}

// checkGroups refuses what is of one election.
func (x *execFlags) checkGroups() error {
	if x.isJob() || x.move {
		return cli.Usage("-group: with many groups CMD is a service, which is started again as long as its group is led: give -restart, and neither -once nor -move")
	}
	return nil
}
