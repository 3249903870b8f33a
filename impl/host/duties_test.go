package host

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// order is a log of what a host did, in order.
type order struct {
	mu  sync.Mutex
	log []string
}

func (o *order) add(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.log = append(o.log, what)
}

// all returns the log, and empties it.
func (o *order) all() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	log := o.log
	o.log = nil
	return log
}

type orderedDisk struct {
	Storage
	o     *order
	check func(what string)
}

func (d orderedDisk) Save(p spec.Durable) error {
	d.o.add("save")
	d.check("save")
	return d.Storage.Save(p)
}

type orderedLinks struct {
	Transport
	o     *order
	check func(what string)
}

func (l orderedLinks) Send(m spec.Message) {
	l.o.add("send " + string(m.Type))
	l.check("send")
	l.Transport.Send(m)
}

func (l orderedLinks) Close() error {
	l.o.add("close")
	return l.Transport.Close()
}

type orderedTrace struct {
	Trace
	o     *order
	check func(what string)
}

func (t orderedTrace) Record(e *spec.Event) error {
	t.o.add("record " + string(e.Action))
	t.check("record")
	return t.Trace.Record(e)
}

type orderedMetrics struct {
	noMetrics
	o *order
}

func (m orderedMetrics) Changed(l Leadership) { m.o.add("tell " + l.Leader.String()) }

// TestDutiesOfHandOver: the order of section 10, in a step that has all duties: a leader hands over (R18, R39.3).
func TestDutiesOfHandOver(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		o := &order{}
		var mu sync.Mutex
		var h *member
		var reign Reign
		var workCtx context.Context
		sees := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			if workCtx == nil {
				return
			}
			over := !reign.Valid() && workCtx.Err() != nil && !h.seen.Load().told.Leading
			switch {
			case what == "save" && h.state.Role == spec.Leader && over:
				c.broken("the reign is over before the promise is made")
			case what != "save" && h.state.Role == spec.Electing && !over:
				c.broken("%s before users have heard that the reign is over", what)
			case what != "save" && h.state.Role == spec.Electing && h.policy.Due[policy.CoordinatorTimer] == never:
				c.broken("%s before timers are set", what)
			}
		}
		c.start(1)
		config := c.config(id(2))
		config.Storage = orderedDisk{config.Storage, o, sees}
		config.Transport = orderedLinks{config.Transport, o, sees}
		config.Trace = orderedTrace{config.Trace, o, sees}
		config.Metrics = orderedMetrics{o: o}
		h = c.startWith(config)
		c.awaitLeader(2*time.Second, 2)
		lead(h, c.t.Context(), func(ctx context.Context, r Reign) error {
			mu.Lock()
			workCtx, reign = ctx, r
			mu.Unlock()
			<-ctx.Done()
			return nil
		})
		synctest.Wait()
		log := o.all()
		won := slices.Index(log, "record OnGrant")
		require.Equal(t, []string{"save", "record OnGrant", "send COORDINATOR", "send COORDINATOR", "tell 2"}, log[won-1:won+4])
		c.start(3)
		c.awaitLeader(3*time.Second, 3)
		log = o.all()
		gone := slices.Index(log, "record OnClaim")
		require.Equal(t, []string{"save", "tell none", "record OnClaim", "send GRANT", "send RESIGN", "send RESIGN"}, log[gone-2:gone+4])
		c.quit(2)
		log = o.all()
		require.Equal(t, []string{"tell none", "close"}, log[len(log)-2:])
		c.quit(3)
	})
}

// TestDutiesOfStop: a leader that stops in good order resigns, and only then closes the transport; users hear first.
func TestDutiesOfStop(t *testing.T) {
	bubble(t, 1, func(t *testing.T, c *cluster) {
		o := &order{}
		config := c.config(id(1))
		config.Members = append(config.Members, id(2))
		config.Transport = orderedLinks{config.Transport, o, func(string) {}}
		config.Metrics = orderedMetrics{o: o}
		h := c.startWith(config)
		other := c.network.Join(id(2))
		c.await(5*time.Second, "it leads", func() bool {
			for event, ok := other.Next(); ok; event, ok = other.Next() {
				switch m := event.Message; m.Type {
				case spec.Election:
					other.Send(spec.Message{Type: spec.Assent, From: id(2), To: id(1), Epoch: m.Epoch, Question: m.Question})
				case spec.Claim:
					other.Send(spec.Message{Type: spec.Grant, From: id(2), To: id(1), Epoch: m.Epoch, Question: m.Question})
				}
			}
			return h.Status().Leading
		})
		h.cancel()
		require.NoError(t, <-h.ended)
		log := o.all()
		require.Equal(t, []string{"tell 1", "tell none", "send RESIGN", "close"}, log[len(log)-4:])
	})
}
