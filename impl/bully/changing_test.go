package bully_test

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// place is where a node of changing members runs: its disk, and the node unless it is down.
type place struct {
	*hosted // nil while it is down
	id      spec.NodeID
	first   spec.Configuration // empty: it joins
	disk    *spec.Durable      // nil: it has never started
}

// stamp is what a configuration is ordered by.
type stamp struct {
	epoch   spec.Epoch
	version uint64
}

// changing is a cluster of changing members, in which everything happens when the test says so. Its first error is for
// good: a promise is broken, or a duty of a step (duties_test.go).
type changing struct {
	places []*place
	links  [][][]spec.Message // links[i][j]: under way from place i to j, first sent first
	cut    [][]bool
	reigns map[spec.Epoch]spec.NodeID
	said   map[stamp]spec.Configuration
	steps  map[spec.Action]int
	// How many messages of the next step leave before its node crashes, or -1: it does not.
	crashAfter int
	changes    int
	seen       func(o *observed) // is given every step, if it is there
}

// newChanging starts the members of the first configuration, and nodes that are to join: up to n in all, ids 1 to n.
func newChanging(n int, first spec.Configuration) (*changing, error) {
	c := &changing{reigns: map[spec.Epoch]spec.NodeID{}, said: map[stamp]spec.Configuration{}, steps: map[spec.Action]int{}, crashAfter: -1}
	for _, id := range integers(n) {
		p := &place{id: id, first: spec.EmptyConfiguration()}
		if _, is := first.Member(id); is {
			p.first = first
		}
		c.places = append(c.places, p)
		c.links = append(c.links, make([][]spec.Message, n))
		c.cut = append(c.cut, make([]bool, n))
	}
	for i := range c.places {
		if err := c.start(i); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// start starts a node: again, if it has a disk.
func (c *changing) start(i int) error {
	p := c.places[i]
	first, in, o := p.first, bully.Start(), &observed{me: p.id, in: spec.Input{Call: spec.StartCall}}
	if p.disk != nil {
		first, in, o.in = spec.EmptyConfiguration(), bully.Restart(*p.disk), spec.Input{Call: spec.RestartCall}
	}
	core, err := bully.NewChanging(p.id, first)
	if err != nil {
		return err
	}
	p.hosted = &hosted{id: p.id, core: core}
	return c.take(i, in, o)
}

// give gives a node that is up a message, the end of a timer or a call.
func (c *changing) give(i int, in spec.Input) error {
	p := c.places[i]
	before := p.core.State()
	if in.Timer != "" {
		p.runs &^= only(in.Timer)
	}
	may, made := p.core.MayChange(in.Configuration), c.changes
	yields := p.core.Yields(&in.Message)
	o := &observed{me: p.id, before: &before, in: in}
	if err := c.take(i, bully.InputOf(in), o); err != nil {
		return err
	}
	if over := before.Role == spec.Leader && in.Message.Type != "" && (o.after.Role != spec.Leader || o.after.Epoch != before.Epoch); yields != over {
		return fmt.Errorf("R39.4: Yields says %v of %v in %v, and after it is %v", yields, in, before, o.after)
	}
	if in.Call == spec.ChangeCall && (may == nil) != (c.changes > made) {
		return fmt.Errorf("R47: MayChange says %v of %v in %v, and after it is %v", may, in, before, o.after)
	}
	return nil
}

// take takes a step, holds it to its duties, does them in their order, and checks what is promised.
func (c *changing) take(i int, in bully.Input, o *observed) error {
	p := c.places[i]
	out := p.core.Step(in)
	after := p.core.State()
	if o.after, o.sent = &after, out.Send; c.seen != nil {
		c.seen(o)
	}
	fail := func(what string, args ...any) error {
		return fmt.Errorf("%s: node %s took %v in %v and is %v: %+v", fmt.Sprintf(what, args...), p.id, in, o.before, after, out)
	}
	if out.Action == "" {
		if out.Ignored != "" || !after.Equal(*o.before) {
			return fail("no step")
		}
		return nil
	}
	p.serve(in, &out)
	if problem := o.problem(p.core, out); problem != "" {
		return fail("%s", problem)
	}
	if err := o.event(out.Action).Validate(); err != nil {
		return fail("%v", err)
	}
	c.steps[out.Action]++
	if p.disk != nil && (after.Configuration != p.disk.Configuration && !after.Configuration.Newer(p.disk.Configuration)) {
		return fail("ConfigurationMonotonic: %s was on the disk", p.disk.Configuration)
	}
	if p.disk != nil && after.Epoch < p.disk.Epoch {
		return fail("EpochMonotonic")
	}
	if out.Save {
		promise := out.Promise
		p.disk = &promise
	}
	if err := c.promised(p, &after); err != nil {
		return fail("%v", err)
	}
	if out.Action == spec.ChangeAction {
		c.changes++
	}
	return c.send(i, out.Send, fail)
}

// promised checks the promises that are about more than one node.
func (c *changing) promised(p *place, after *spec.State) error {
	if after.Durable() != *p.disk {
		return fmt.Errorf("R4: what is on the disk is %v", *p.disk)
	}
	named := after.Configuration
	if was, said := c.said[stamp{named.Epoch, named.Version}]; said && was != named {
		return fmt.Errorf("OneConfiguration: it was %s", was)
	}
	c.said[stamp{named.Epoch, named.Version}] = named
	if after.Role != spec.Leader {
		return nil
	}
	if led, is := c.reigns[after.Epoch]; is && led != p.id {
		return fmt.Errorf("OneLeaderPerEpoch: %s led it", led)
	}
	c.reigns[after.Epoch] = p.id
	if m, is := named.Member(p.id); !is || m.Kind == spec.Observer || named.Epoch != after.Epoch {
		return fmt.Errorf("R47, R48: a leader is an elector of a configuration of its epoch")
	}
	return nil
}

// send sends what a step says, all of it about what is on the disk; the node may crash meanwhile.
func (c *changing) send(i int, sent []spec.Message, fail func(string, ...any) error) error {
	p := c.places[i]
	for k, m := range sent {
		if k == c.crashAfter {
			break
		}
		promises := m.Type == spec.Grant || m.Type == spec.Coordinator || m.Type == spec.Heartbeat
		grantee := p.id
		if m.Type == spec.Grant {
			grantee = m.To
		}
		if m.Configuration != p.disk.Configuration || promises && (spec.Durable{Epoch: m.Epoch, Grantee: grantee}) != (spec.Durable{Epoch: p.disk.Epoch, Grantee: p.disk.Grantee}) {
			return fail("R4: %v is said, and on the disk is %v", m, *p.disk)
		}
		if j := c.at(m.To); !c.cut[i][j] && c.places[j].hosted != nil {
			c.links[i][j] = append(c.links[i][j], m)
		}
	}
	if c.crashAfter >= 0 {
		c.crash(i)
	}
	c.crashAfter = -1
	return nil
}

func (c *changing) at(id spec.NodeID) int {
	return slices.IndexFunc(c.places, func(p *place) bool { return p.id == id })
}

// crash ends a node, and loses what is under way from it and to it.
func (c *changing) crash(i int) {
	c.places[i].hosted = nil
	for j := range c.places {
		c.links[i][j], c.links[j][i] = nil, nil
	}
}

// setCut cuts or heals a link.
func (c *changing) setCut(i, j int, cut bool) {
	c.cut[i][j] = cut
	if cut {
		c.links[i][j] = nil
	}
}

// busy returns the links that have something under way.
func (c *changing) busy() (links [][2]int) {
	for i := range c.links {
		for j := range c.links[i] {
			if len(c.links[i][j]) > 0 {
				links = append(links, [2]int{i, j})
			}
		}
	}
	return links
}

// deliver delivers message k of what is under way; one that is repeated stays under way, too.
func (c *changing) deliver(i, j, k int, repeated bool) error {
	m := c.links[i][j][k]
	if !repeated {
		c.links[i][j] = slices.Delete(c.links[i][j], k, k+1)
	}
	return c.give(j, spec.Input{Message: m})
}

// settle delivers all that is under way, and all that comes of it.
func (c *changing) settle() error {
	for range 10_000 {
		busy := c.busy()
		if len(busy) == 0 {
			return nil
		}
		if err := c.deliver(busy[0][0], busy[0][1], 0, false); err != nil {
			return err
		}
	}
	return fmt.Errorf("it never settles")
}

// end ends a timer of a node, if it is up and the timer runs.
func (c *changing) end(i int, timer spec.Timer) error {
	if p := c.places[i]; p.hosted == nil || !p.core.Running().Has(timer) {
		return nil
	}
	return c.give(i, spec.Input{Timer: timer})
}

// state returns the state of a node; of one that is down, what survives.
func (c *changing) state(i int) spec.State {
	if p := c.places[i]; p.hosted != nil {
		return p.core.State()
	}
	return check.Survivor(*c.places[i].disk)
}

// leaders returns who leads.
func (c *changing) leaders() (leaders []int) {
	for i, p := range c.places {
		if p.hosted != nil && p.core.State().Role == spec.Leader {
			leaders = append(leaders, i)
		}
	}
	return leaders
}

// followed reports whether node i follows a leader that it hears, which leads in the same epoch, and counts it as a member.
func (c *changing) followed(i int) bool {
	s := c.state(i)
	if s.Role != spec.Follower || s.Leader.IsNone() {
		return false
	}
	j := c.at(s.Leader)
	leader := c.state(j)
	_, member := leader.Configuration.Member(c.places[i].id)
	return leader.Role == spec.Leader && leader.Epoch == s.Epoch && member && !c.cut[j][i]
}

// backed reports whether a quorum of the configuration of node i is linked to it: what it asks is answered in time.
func (c *changing) backed(i int) bool {
	electors, there := 0, 0
	for _, m := range c.state(i).Configuration.Members() {
		if m.Kind != spec.Observer {
			electors++
			if c.linked(i, c.at(m.ID)) {
				there++
			}
		}
	}
	return 2*there > electors
}

// calm heals all links, and settles what has been going on.
func (c *changing) calm() error {
	for i := range c.places {
		for j := range c.places {
			c.setCut(i, j, false)
		}
	}
	return c.calmDown()
}

// calmDown lets timers end on time, the highest node's first, until nothing is left to wait for. Who pre-empts in vain waits
// longer before it does again (R9): else a lower node can be in the way each time. Then the highest of the eligible nodes leads,
// if there are any, and every member that hears it follows it and holds its configuration. That asks for links that are cut
// between two parts, or not at all.
func (c *changing) calmDown() error {
	for round := range 12 {
		if err := c.settle(); err != nil {
			return err
		}
		for i := len(c.places) - 1; i >= 0; i-- {
			for _, timer := range spec.Timers() {
				if timer == spec.PatienceTimer && c.followed(i) || timer == spec.ReignTimer && c.backed(i) || timer == spec.PreemptTimer && round%2 == 1 {
					continue
				}
				if err := c.end(i, timer); err != nil {
					return err
				}
				if err := c.settle(); err != nil {
					return err
				}
			}
		}
	}
	if problem := c.stuck(); problem != "" {
		text := "SomeLeader: " + problem
		for i, p := range c.places {
			text += fmt.Sprintf("\n  %s up:%t %v", p.id, p.hosted != nil, c.state(i))
		}
		return fmt.Errorf("%s", text)
	}
	return nil
}

// stuck says what is not as it should be in a cluster that is calm, or "".
func (c *changing) stuck() string {
	var eligible []int
	for i := range c.places {
		if c.eligible(i) {
			eligible = append(eligible, i)
		}
	}
	if len(eligible) == 0 {
		return ""
	}
	leaders := c.leaders()
	if len(leaders) != 1 {
		return fmt.Sprintf("%d lead", len(leaders))
	}
	leader := leaders[0]
	if highest := eligible[len(eligible)-1]; leader != highest {
		return fmt.Sprintf("node %s leads, and %s is the highest that may", c.places[leader].id, c.places[highest].id)
	}
	led := c.state(leader)
	for i, p := range c.places {
		_, is := led.Configuration.Member(p.id)
		if is && i != leader && c.linked(i, leader) && (!c.followed(i) || c.state(i).Configuration != led.Configuration) {
			return fmt.Sprintf("node %s does not follow as it should", p.id)
		}
	}
	return ""
}

// linked reports whether two nodes are up, and hear each other.
func (c *changing) linked(i, j int) bool {
	return c.places[i].hosted != nil && c.places[j].hosted != nil && (i == j || !c.cut[i][j] && !c.cut[j][i])
}

// eligible reports whether a node may come to lead (section 3): the newest configuration of those that are linked
// to it has it as a voter, and a quorum among them.
func (c *changing) eligible(i int) bool {
	newest := spec.EmptyConfiguration()
	for j := range c.places {
		if s := c.state(j); c.linked(i, j) && s.Configuration.Newer(newest) {
			newest = s.Configuration
		}
	}
	electors, there := 0, 0
	for _, m := range newest.Members() {
		if m.Kind != spec.Observer {
			electors++
			if c.linked(i, c.at(m.ID)) {
				there++
			}
		}
	}
	m, _ := newest.Member(c.places[i].id)
	return m.Kind == spec.Voter && 2*there > electors
}
