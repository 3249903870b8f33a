package suites

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/paths"
	"github.com/seed-fdf591db/bully/conformance/port"
)

const pathsOfCase = 100

// Cover returns paths along every edge of the state graphs of small clusters (package paths), in cases of a hundred paths each:
// after every step the whole cluster is where the explorer says.
func (k *Kind) Cover() (cases []kit.Case) {
	for _, small := range k.graphs() {
		tour := sync.OnceValues(func() (*paths.Tour, error) { return paths.New(small) })
		for from := 0; from < small.Pinned.Paths; from += pathsOfCase {
			to := min(from+pathsOfCase, small.Pinned.Paths)
			cases = append(cases, kit.Case{
				ID:    fmt.Sprintf("cover-%s-%04d", small.Name, from),
				Title: fmt.Sprintf("paths %d to %d along the %d edges of the state graph %q", from, to-1, small.Pinned.Edges, small.Name),
				Suite: CoverSuite, Must: true, Needs: k.needs,
				Run: func(ctx context.Context, p *port.Process) error {
					t, err := tour()
					if err != nil {
						return err
					}
					return along(ctx, p, t, from, to)
				},
			})
		}
	}
	return cases
}

// along leads the port along some paths of a tour.
func along(ctx context.Context, p *port.Process, tour *paths.Tour, from, to int) error {
	w := newWatch(ctx, p)
	for i := from; i < to; i++ {
		if err := tour.ReplayOne(i, w.maker(), cluster.Options{}); err != nil {
			return w.err(broken(err), err)
		}
	}
	return w.err("", nil)
}

// broken returns the promise or the rule that a violation is of.
func broken(err error) string {
	var v *cluster.Violation
	if errors.As(err, &v) {
		return v.Property
	}
	return ""
}
