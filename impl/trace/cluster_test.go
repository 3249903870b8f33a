package trace_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/spec"
)

// ids returns the ids 1 to n.
func ids(n int) (members []spec.NodeID) {
	for i := range n {
		members = append(members, spec.IntegerID(uint64(i+1)))
	}
	return members
}

// clocks says what the clocks of a cluster are like.
type clocks int

const (
	oneClock    clocks = iota // all nodes on one machine
	skewed                    // up to five seconds apart
	noClock                   // always the same time
	clocksKinds               // how many kinds there are
)

// cluster runs cores under a random scheduler, and records what they do.
type cluster struct {
	t       testing.TB
	dir     string
	random  *rand.Rand
	clocks  clocks
	members []spec.NodeID
	now     uint64
	nodes   []*member
	links   map[spec.Link][]spec.Message // what is under way
	missing int                          // steps that were not recorded
	first   spec.Configuration           // with which it begins, if members come and go
	changes int                          // of members
}

type member struct {
	id       spec.NodeID
	core     *bully.Node // nil while it is down
	recorder *trace.Recorder
	disk     spec.Durable
	started  bool
	skew     uint64
}

// newCluster returns n nodes that have not started.
func newCluster(t testing.TB, n int, seed uint64, kind clocks) *cluster {
	c := &cluster{t: t, dir: t.TempDir(), random: rand.New(rand.NewPCG(seed, 4)), clocks: kind, members: ids(n),
		now: 1_000_000_000, links: map[spec.Link][]spec.Message{}}
	for _, id := range c.members {
		m := &member{id: id}
		if kind == skewed {
			m.skew = c.random.Uint64N(5_000_000)
		}
		c.nodes = append(c.nodes, m)
	}
	return c
}

// run takes so many random steps. A crash comes about once in every crashes steps, a loss once in losses.
func (c *cluster) run(steps, crashes, losses int) {
	for range steps {
		c.now += c.random.Uint64N(2_000)
		m := c.nodes[c.random.IntN(len(c.nodes))]
		switch {
		case m.core == nil:
			if c.random.IntN(10) == 0 {
				c.start(m)
			}
		case c.random.IntN(crashes) == 0:
			c.crash(m)
		case c.random.IntN(losses) == 0:
			c.lose(m)
		case c.random.IntN(8) == 0:
			in, given := c.randomCall(m)
			c.take(m, in, given)
		default:
			c.deliver(m)
		}
	}
	for _, m := range c.nodes {
		if m.recorder != nil {
			require.NoError(c.t, m.recorder.Close())
		}
	}
}

// randomCall returns the end of a timer that runs, or now and then a call.
func (c *cluster) randomCall(m *member) (bully.Input, spec.Input) {
	switch c.random.IntN(80) {
	case 0:
		return bully.Resign(), spec.Input{Call: spec.ResignCall}
	case 1:
		return bully.HolderDead(), spec.Input{Call: spec.HolderDeadCall}
	}
	running := slices.Collect(m.core.Running().All())
	if len(running) == 0 || m.core.Settled() && !c.first.IsNone() {
		next := c.change(m)
		return bully.Change(next), spec.Input{Call: spec.ChangeCall, Configuration: next}
	}
	timer := running[c.random.IntN(len(running))]
	if timer == spec.ReignTimer && !c.first.IsNone() && c.random.IntN(8) > 0 {
		timer = spec.HeartbeatTimer
	}
	if timer != spec.HeartbeatTimer && timer != spec.ReignTimer && c.random.IntN(3) > 0 {
		timer = running[len(running)-1]
	}
	return bully.Timeout(timer), spec.Input{Timer: timer}
}

// start starts a node, or starts it again. Sometimes it does not get as far as to record that.
func (c *cluster) start(m *member) {
	options := trace.Options{Dir: c.dir, Node: m.id, Members: c.members, MaxBytes: 4000, MaxFiles: 10000}
	var err error
	if c.first.IsNone() {
		m.core, err = bully.New(m.id, c.members)
	} else {
		m.core, err = c.changing(m, &options)
	}
	require.NoError(c.t, err)
	m.recorder, err = trace.NewRecorder(options)
	require.NoError(c.t, err)
	if !m.started {
		m.started = true
		c.take(m, bully.Start(), spec.Input{})
		return
	}
	c.take(m, bully.Restart(m.disk), spec.Input{})
}

// crash ends a node: what is under way to it or from it is lost.
func (c *cluster) crash(m *member) {
	m.core = nil
	require.NoError(c.t, m.recorder.Close())
	for link := range c.links {
		if link.From == m.id || link.To == m.id {
			delete(c.links, link)
		}
	}
}

// lose loses what is under way to a node from another.
func (c *cluster) lose(m *member) {
	from := c.members[c.random.IntN(len(c.members))]
	delete(c.links, spec.Link{From: from, To: m.id})
}

// deliver gives a node the next message of some link. Where members change it is one on which there is something: they do so
// only in a reign, and so between two elections that go well.
func (c *cluster) deliver(m *member) {
	from := c.members[c.random.IntN(len(c.members))]
	for range c.members {
		if !c.first.IsNone() && len(c.links[spec.Link{From: from, To: m.id}]) == 0 {
			from = c.members[c.random.IntN(len(c.members))]
		}
	}
	link := spec.Link{From: from, To: m.id}
	if under := c.links[link]; len(under) > 0 {
		c.links[link] = under[1:]
		c.take(m, bully.Receive(under[0]), spec.Input{Message: under[0]})
	}
}

// take takes a step as a host does: save, record, send. A crash may come before each.
func (c *cluster) take(m *member, in bully.Input, given spec.Input) {
	out := m.core.Step(in)
	if out.Action == "" {
		return
	}
	if out.Save {
		m.disk = out.Promise
		if c.random.IntN(10) == 0 {
			c.missing++
			c.crash(m)
			c.tear(m)
			return
		}
	}
	e := spec.Event{At: c.now + m.skew, Node: m.id, Action: out.Action, Input: given, Sent: out.Send, State: m.core.State()}
	if c.clocks == noClock {
		e.At = 1
	}
	require.NoError(c.t, m.recorder.Record(&e))
	for _, message := range out.Send {
		to := c.nodes[slices.Index(c.members, message.To)]
		if to.core != nil {
			link := spec.Link{From: message.From, To: message.To}
			c.links[link] = append(c.links[link], message)
		}
	}
}

// tear leaves half a line at the end of the newest file of a node, or half of its header, as a crash may.
func (c *cluster) tear(m *member) {
	files, err := trace.Files(c.dir)
	require.NoError(c.t, err)
	files = slices.DeleteFunc(files, func(path string) bool {
		var id, number uint64
		_, err := fmt.Sscanf(filepath.Base(path), "%d-%d", &id, &number)
		require.NoError(c.t, err)
		return spec.IntegerID(id) != m.id
	})
	newest := files[len(files)-1]
	data, err := os.ReadFile(newest)
	require.NoError(c.t, err)
	switch lines := slices.Index(data, '\n') == len(data)-1; {
	case lines && c.random.IntN(2) == 0:
		data = data[:c.random.IntN(len(data))]
	case c.random.IntN(2) == 0:
		data = append(data, `{"seq":`...)
	}
	require.NoError(c.t, os.WriteFile(newest, data, 0o644))
}
