package bully_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// cluster is cores with the least of a host round each: a disk, timers, links, and a user who has been told something. It
// checks what it is told against what the nodes do.
type cluster struct {
	members []spec.NodeID
	hosts   []*host
	links   map[spec.Link][]spec.Message // under way, first sent first
	leaders map[spec.Epoch]spec.NodeID   // who has ever led
	problem string                       // the first promise that was broken
	record  func(i int, in bully.Input, action spec.Action)
}

type host struct {
	node   *bully.Node // nil while it is down
	disk   spec.Durable
	found  bool // there is a record on disk
	timers bully.TimerSet
	reign  spec.Epoch // that the user has been told it leads, or 0
}

// A step may be cut short by a crash: before the record is written, or after so many messages have left.
const (
	whole      = -1
	beforeSave = -2
)

func newCluster(n int) *cluster {
	c := &cluster{members: integers(n), links: map[spec.Link][]spec.Message{}, leaders: map[spec.Epoch]spec.NodeID{}}
	for range n {
		c.hosts = append(c.hosts, &host{})
	}
	return c
}

func (c *cluster) breaks(format string, args ...any) {
	if c.problem == "" {
		c.problem = fmt.Sprintf(format, args...)
	}
}

// start starts node i, for the first time if nothing is on its disk.
func (c *cluster) start(i, cut int) {
	h := c.hosts[i]
	node, err := bully.New(c.members[i], c.members)
	if err != nil {
		panic(err)
	}
	h.node = node
	if h.found {
		c.step(i, bully.Restart(h.disk), cut)
	} else {
		c.step(i, bully.Start(), cut)
	}
}

// step lets node i take a step, and does what it is told, in order of duty.
func (c *cluster) step(i int, in bully.Input, cut int) {
	h := c.hosts[i]
	before := h.node.State()
	out := h.node.Step(in)
	if c.record != nil {
		c.record(i, in, out.Action)
	}
	if cut == beforeSave {
		c.crash(i)
		return
	}
	if out.Save {
		c.save(h, out.Promise)
	}
	if out.ReignEnded {
		h.reign = 0
	}
	h.timers = h.timers&^out.Cancel | out.Arm
	for sent, m := range out.Send {
		if sent == cut {
			break
		}
		link := spec.Link{From: m.From, To: m.To}
		c.links[link] = append(c.links[link], m)
	}
	if cut != whole {
		c.crash(i)
		return
	}
	if leader, epoch := h.node.Told(); out.Told && leader == c.members[i] {
		h.reign = epoch
	}
	c.check(i, in, before)
}

// save writes a promise. None is ever taken back, or made to two nodes.
func (c *cluster) save(h *host, p spec.Durable) {
	if p.Epoch < h.disk.Epoch {
		c.breaks("EpochMonotonic: %v after %v", p, h.disk)
	}
	if p.Epoch == h.disk.Epoch && !h.disk.Grantee.IsNone() && p.Grantee != h.disk.Grantee {
		c.breaks("epoch %d is promised to %v, and then to %v", p.Epoch, h.disk.Grantee, p.Grantee)
	}
	h.disk, h.found = p, true
}

// check compares what the host of node i knows with the node, and the node with the others.
func (c *cluster) check(i int, in bully.Input, before spec.State) {
	h := c.hosts[i]
	s := h.node.State()
	if h.timers != h.node.Running() {
		c.breaks("R36: %v run, but the host has %v: %v in %v", h.node.Running(), h.timers, in, before)
	}
	if s.Durable() != h.disk {
		c.breaks("R4: %v is on disk: %v", h.disk, s)
	}
	leads := spec.Epoch(0)
	if s.Role == spec.Leader {
		leads = s.Epoch
		if first, led := c.leaders[s.Epoch]; led && first != c.members[i] {
			c.breaks("OneLeaderPerEpoch: %v and %v have led epoch %d", first, c.members[i], s.Epoch)
		}
		c.leaders[s.Epoch] = c.members[i]
	}
	if h.reign != leads {
		c.breaks("R39: the user has been told of epoch %d: %v", h.reign, s)
	}
	if err := s.Validate(); err != nil {
		c.breaks("%v", err)
	}
}

// crash takes node i down, and loses what is under way to it and from it.
func (c *cluster) crash(i int) {
	h := c.hosts[i]
	h.node, h.timers, h.reign = nil, 0, 0
	for _, other := range c.members {
		delete(c.links, spec.Link{From: c.members[i], To: other})
		delete(c.links, spec.Link{From: other, To: c.members[i]})
	}
}

// end ends a timer of node i: it runs no longer.
func (c *cluster) end(i int, timer spec.Timer, cut int) {
	h := c.hosts[i]
	for t := range h.timers.All() {
		if t == timer {
			h.timers &^= only(t)
		}
	}
	c.step(i, bully.Ended(timer), cut)
}

// only returns the set of one timer.
func only(timer spec.Timer) bully.TimerSet {
	return 1 << slices.Index(spec.Timers(), timer)
}

// deliver gives the first message of a link to whom it is for, if that one is up.
func (c *cluster) deliver(link spec.Link, cut int) {
	m := c.links[link][0]
	c.links[link] = c.links[link][1:]
	if to := slices.Index(c.members, link.To); c.hosts[to].node != nil {
		c.step(to, bully.Receive(m), cut)
	}
}

// busy returns the links that have something under way, in a fixed order.
func (c *cluster) busy() (links []spec.Link) {
	for link, queue := range c.links {
		if len(queue) > 0 {
			links = append(links, link)
		}
	}
	slices.SortFunc(links, spec.Link.Compare)
	return links
}

// settle delivers all that is under way, and what comes of it.
func (c *cluster) settle() {
	for links := c.busy(); len(links) > 0; links = c.busy() {
		c.deliver(links[0], whole)
	}
}

// draw draws a node that is up, or down.
func (c *cluster) draw(t *rapid.T, up bool) int {
	var nodes []int
	for i, h := range c.hosts {
		if (h.node != nil) == up {
			nodes = append(nodes, i)
		}
	}
	if len(nodes) == 0 {
		t.Skip("no such node")
	}
	return rapid.SampledFrom(nodes).Draw(t, "node")
}

// drawCut draws whether a step is cut short by a crash: seldom.
func drawCut(t *rapid.T) int {
	if rapid.IntRange(0, 39).Draw(t, "crash") > 0 {
		return whole
	}
	return rapid.SampledFrom([]int{beforeSave, 0, 1, 2}).Draw(t, "at")
}

// actions are what can happen to a cluster. Timers end at any moment, and proofs of death are false at will: neither may
// cost OneLeaderPerEpoch.
func (c *cluster) actions() map[string]func(*rapid.T) {
	deliver := func(t *rapid.T) {
		links := c.busy()
		if len(links) == 0 {
			t.Skip("nothing is under way")
		}
		c.deliver(rapid.SampledFrom(links).Draw(t, "link"), drawCut(t))
	}
	return map[string]func(*rapid.T){
		"":         func(t *rapid.T) { require.Empty(t, c.problem) },
		"deliver":  deliver,
		"deliver2": deliver,
		"deliver3": deliver,
		"end": func(t *rapid.T) {
			i := c.draw(t, true)
			c.end(i, rapid.SampledFrom(slices.Collect(c.hosts[i].node.Running().All())).Draw(t, "timer"), drawCut(t))
		},
		"late": func(t *rapid.T) { // a timer that has most likely been cancelled
			c.step(c.draw(t, true), bully.Ended(rapid.SampledFrom([]spec.Timer{spec.ClaimTimer, spec.PreemptTimer}).Draw(t, "timer")), whole)
		},
		"settle": func(*rapid.T) { c.settle() },
		"lose": func(t *rapid.T) {
			if links := c.busy(); len(links) > 0 {
				delete(c.links, rapid.SampledFrom(links).Draw(t, "link"))
			}
		},
		"resign": func(t *rapid.T) { c.step(c.draw(t, true), bully.Resign(), drawCut(t)) },
		"proof":  func(t *rapid.T) { c.step(c.draw(t, true), bully.HolderDead(), drawCut(t)) },
		"stand": func(t *rapid.T) { // as far as a node comes when all goes well
			i := c.draw(t, true)
			for _, timer := range []spec.Timer{spec.HeartbeatTimer, spec.CoordinatorTimer, spec.ElectionTimer} {
				if c.hosts[i].node.Running().Has(timer) {
					c.end(i, timer, whole)
					c.settle()
				}
			}
		},
		"crash": func(t *rapid.T) { c.crash(c.draw(t, true)) },
		"start": func(t *rapid.T) { c.start(c.draw(t, false), drawCut(t)) },
	}
}

// budget sets a flag of rapid, unless it was given.
func budget(t *testing.T, name, value string) {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	if !given {
		before := flag.Lookup(name).Value.String()
		require.NoError(t, flag.Set(name, value))
		t.Cleanup(func() { require.NoError(t, flag.Set(name, before)) })
	}
}

func TestRandomClusters(t *testing.T) {
	budget(t, "rapid.checks", "1000")
	budget(t, "rapid.steps", "200")
	reigns, contested := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c := newCluster(rapid.IntRange(1, 7).Draw(t, "nodes"))
		for i := range c.hosts {
			c.start(i, whole)
		}
		t.Repeat(c.actions())
		reigns += len(c.leaders)
		if len(c.leaders) > 1 {
			contested++
		}
	})
	t.Logf("%d reigns; %d runs with more than one", reigns, contested)
	require.Greater(t, reigns, 1000, "leaders have been elected")
	require.Greater(t, contested, 100, "epochs have followed on each other")
}

// TestHighestLeads lets every node fall silent in turn, the highest first, with timers on time and nothing lost.
func TestHighestLeads(t *testing.T) {
	for n := 1; n <= 7; n++ {
		c := newCluster(n)
		for i := range n {
			c.start(i, whole)
		}
		for top := n - 1; 2*(top+1) > n; top-- {
			for i := top; i >= 0; i-- {
				if c.hosts[i].node.Running().Has(spec.HeartbeatTimer) {
					c.end(i, spec.HeartbeatTimer, whole)
				}
			}
			c.settle()
			if c.hosts[top].node.Running().Has(spec.ElectionTimer) {
				c.end(top, spec.ElectionTimer, whole)
			}
			c.settle()
			require.Empty(t, c.problem)
			for i := range top + 1 {
				leader, epoch := c.hosts[i].node.Told()
				require.Equal(t, c.members[top], leader, "%d nodes, and the highest of %d leads", n, top+1)
				require.Equal(t, spec.Epoch(n-top), epoch)
			}
			c.crash(top)
		}
	}
}
