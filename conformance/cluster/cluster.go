package cluster

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// Options are what else a cluster does. The zero Options do nothing.
type Options struct {
	// First says that members change, and who the first of them are (R49): a configuration of version 1 and epoch 0, of some
	// of the members that the cluster is made of. All others join: they begin with the empty configuration. If it is none,
	// members are fixed.
	First spec.Configuration
	// Records are what is on the disks before anything happens, by the order of the members: a node with a record begins
	// with a restart, and not with a first start. Nil stands for no records, and so does a nil element.
	Records []*spec.Durable
	// Unstarted leaves it to the ops to start the nodes.
	Unstarted bool
	// Like, if it is not nil, is what each step is compared with: another implementation is given the same inputs, and must
	// do the same.
	Like conformance.Maker
	// Trace, if it is not nil, is written one event for each thing that happens (section 14). Its header must have the same
	// members; the flush is the caller's.
	Trace *spec.TraceWriter
	// Observe, if it is not nil, is told each input that a node has taken, ignored ones too: Want is what the node did. The
	// memory is used again.
	Observe func(*conformance.Case)
}

// Cluster is nodes, with the least of a host round each: a disk, timers, and the links between them.
type Cluster struct {
	members []spec.NodeID
	newNode conformance.Maker
	options Options
	hosts   []*host
	links   [][]queue // links[i][j]: from member i to member j
	cut     []spec.Link
	monitor *check.Monitor // of the promises
	done    []Op
	sent    uint64 // how many messages have been put under way
	events  uint64
	failed  error // the first violation, or what kept the trace from being written

	out, like spec.Step
	seen      conformance.Case
}

// host is what is round one node.
type host struct {
	id         spec.NodeID
	node, like conformance.Node   // nil while it is down
	record     *spec.Durable      // nil: there is none
	first      spec.Configuration // with which it starts for the first time; none: members are fixed
	timers     spec.TimerSet
	state      spec.State // of a node that is down, what survives
}

// queue is what is under way on a link, first sent first.
type queue []underWay

type underWay struct {
	message spec.Message
	number  uint64 // the order in which all messages were sent
}

// New makes a cluster, all of whose nodes have started for the first time, in the order of their ids (R32), unless the
// options say otherwise. The members must be valid, ascending, each once, at least one. A [Violation] is of a start.
func New(members []spec.NodeID, newNode conformance.Maker, o Options) (*Cluster, error) {
	if err := checkMembers(members); err != nil {
		return nil, err
	}
	if len(o.Records) > 0 && len(o.Records) != len(members) {
		return nil, fmt.Errorf("there are %d records for %d members", len(o.Records), len(members))
	}
	c := &Cluster{
		members: slices.Clone(members), newNode: newNode, options: o,
		monitor: check.NewMonitor(check.MonitorOptions{Members: members}),
	}
	c.monitor.Late() // timers end when they will
	if err := c.checkFirst(); err != nil {
		return nil, fmt.Errorf("the first members: %w", err)
	}
	for i, id := range c.members {
		h := &host{id: id, first: check.FirstOf(c.options.First, id)}
		h.state = check.Survivor(spec.Durable{Configuration: h.first})
		c.hosts = append(c.hosts, h)
		c.links = append(c.links, make([]queue, len(members)))
		if len(o.Records) > 0 && o.Records[i] != nil {
			if err := c.checkRecord(o.Records[i]); err != nil {
				return nil, fmt.Errorf("the record of %s: %w", id, err)
			}
			record := *o.Records[i]
			h.record = &record
			h.state = check.Survivor(record)
		}
		c.monitor.Note(i, &check.View{Epoch: h.state.Epoch, Configuration: h.state.Configuration})
	}
	if o.Unstarted {
		return c, nil
	}
	for _, h := range c.hosts {
		kind := Start
		if h.record != nil {
			kind = Restart
		}
		if err := c.do(Op{Kind: kind, Node: h.id}); err != nil {
			return nil, err
		}
	}
	c.done = nil
	return c, nil
}

func checkMembers(members []spec.NodeID) error {
	if len(members) == 0 {
		return fmt.Errorf("there are no members")
	}
	for i, id := range members {
		if !id.Valid() {
			return fmt.Errorf("member %d is no id", i+1)
		}
		if i > 0 && members[i-1].Compare(id) >= 0 {
			return fmt.Errorf("the members must be ascending, each once: %s comes after %s", id, members[i-1])
		}
	}
	return nil
}

func (c *Cluster) checkRecord(d *spec.Durable) error {
	if err := d.Validate(); err != nil {
		return err
	}
	if !d.Grantee.IsNone() && c.index(d.Grantee) < 0 {
		return fmt.Errorf("%s is no member", d.Grantee)
	}
	switch {
	case d.Configuration.IsNone() && !c.options.First.IsNone():
		return fmt.Errorf("it has no configuration, and members change")
	case !d.Configuration.IsNone() && c.options.First.IsNone():
		return fmt.Errorf("it has a configuration, and members are fixed")
	}
	return checkKnown(d.Configuration, c.members)
}

// Members returns the ids of all nodes, ascending. They must not be changed.
func (c *Cluster) Members() []spec.NodeID { return c.members }

// State returns the state of a node; of one that is down, what survives (R4); of a non-member the zero State. Its support
// is good until the node's next step, and must not be changed.
func (c *Cluster) State(id spec.NodeID) spec.State {
	if i := c.index(id); i >= 0 {
		return c.hosts[i].state
	}
	return spec.State{}
}

// Up reports whether a node runs.
func (c *Cluster) Up(id spec.NodeID) bool {
	i := c.index(id)
	return i >= 0 && c.hosts[i].node != nil
}

// Timers returns the timers that a node's host runs: what the node has armed, and neither cancelled nor seen end.
func (c *Cluster) Timers(id spec.NodeID) spec.TimerSet {
	if i := c.index(id); i >= 0 {
		return c.hosts[i].timers
	}
	return 0
}

// Record returns what is on the disk of a node, and whether there is anything.
func (c *Cluster) Record(id spec.NodeID) (spec.Durable, bool) {
	if i := c.index(id); i >= 0 && c.hosts[i].record != nil {
		return *c.hosts[i].record, true
	}
	return spec.Durable{}, false
}

// UnderWay appends what is under way on a link to dst, first sent first.
func (c *Cluster) UnderWay(dst []spec.Message, link spec.Link) []spec.Message {
	i, j := c.index(link.From), c.index(link.To)
	if i < 0 || j < 0 {
		return dst
	}
	for _, m := range c.links[i][j] {
		dst = append(dst, m.message)
	}
	return dst
}

// Busy appends the links on which anything is under way to dst, ascending.
func (c *Cluster) Busy(dst []spec.Link) []spec.Link {
	for i, row := range c.links {
		for j, q := range row {
			if len(q) > 0 {
				dst = append(dst, spec.Link{From: c.members[i], To: c.members[j]})
			}
		}
	}
	return dst
}

// CutLinks returns the links that carry nothing, ascending. They must not be changed.
func (c *Cluster) CutLinks() []spec.Link { return c.cut }

// Leaders returns who has led, by epoch.
func (c *Cluster) Leaders() map[spec.Epoch]spec.NodeID {
	leaders := map[spec.Epoch]spec.NodeID{}
	for epoch, i := range c.monitor.Leaders() {
		leaders[epoch] = c.members[i]
	}
	return leaders
}

// Events returns how many events there have been: the number of lines of a trace, but for its header.
func (c *Cluster) Events() uint64 { return c.events }

// Done returns the ops that have been done, but for the starts of New, and with each Settle as what it came to. It must
// not be changed.
func (c *Cluster) Done() []Op { return c.done }

// index returns the place of a member, and -1 for a non-member.
func (c *Cluster) index(id spec.NodeID) int {
	i, found := slices.BinarySearchFunc(c.members, id, spec.NodeID.Compare)
	if !found {
		return -1
	}
	return i
}
