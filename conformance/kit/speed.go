package kit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// Should is how many requests a second a port should answer (conformance/README.md, Speed).
const Should = 20_000

const (
	measuring = time.Second // for how long a port is asked, at least, to know how fast it is
	stretch   = 2_000       // requests that are timed together: many more than are under way
)

// errEnough ends a measurement.
var errEnough = errors.New("that is enough")

// measure returns how many requests a second a port answers that runs by itself and is asked ahead, one simple step after the other, at its best:
// what else the machine does meanwhile is not laid at its door. It is 0 if the port does not answer all.
func (r *runner) measure(ctx context.Context) float64 {
	p, err := r.start(ctx, nil)
	if err != nil {
		return 0
	}
	defer p.Close()
	began := time.Now()
	last, best := began, 0.0
	err = p.AskAll(steps(ctx), func(n int, _ *port.Request, _ *port.Reply) error {
		if n == 0 || n%stretch > 0 {
			return nil
		}
		now := time.Now()
		best, last = max(best, stretch/now.Sub(last).Seconds()), now
		if now.Sub(began) >= measuring {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		return 0
	}
	return best
}

// steps are requests without end: a node is put into a state, and hears a CLAIM.
func steps(ctx context.Context) func(yield func(port.Request) bool) {
	ids := []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}
	state := spec.State{Role: spec.Follower, Epoch: 4, Grantee: ids[0], Latest: 6}
	heard := []byte(`{"type":"CLAIM","from":"3","to":"2","epoch":5,"question":4}`)
	return func(yield func(port.Request) bool) {
		for ctx.Err() == nil {
			if !yield(port.Request{Op: port.Load, Node: "speed", Me: &ids[1], Members: ids, State: &state}) ||
				!yield(port.Request{Op: port.Receive, Node: "speed", Message: heard}) {
				return
			}
		}
	}
}

// Speed says how long the run took, how many requests there were, and how many a second the port answers, if that was measured, beside how many it
// should.
func (r *Report) Speed() string {
	requests := uint64(0)
	for i := range r.Verdicts {
		requests += r.Verdicts[i].Requests
	}
	says := fmt.Sprintf("%d requests in %.1f s.", requests, r.Seconds)
	if r.Rate > 0 {
		says += fmt.Sprintf(" It answers %.0f requests a second here, as busy as this machine is; a port should answer %d.", r.Rate, Should)
	}
	return says
}
