package bully_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// next does something that is drawn, and says what, in words for who reads a failure.
func (c *changing) next(choose func(n int) int) (did string, err error) {
	i, j := choose(len(c.places)), choose(len(c.places))
	up := c.places[i].hosted != nil
	busy := c.busy()
	switch lot := choose(100); {
	case lot < 55 && len(busy) > 0:
		l := busy[choose(len(busy))]
		k, repeated := 0, false
		if odd := choose(20); odd < 2 {
			k, repeated = choose(len(c.links[l[0]][l[1]])), odd == 1
		}
		m := c.links[l[0]][l[1]][k]
		return fmt.Sprintf("receive %v, repeated:%t", m, repeated), c.deliver(l[0], l[1], k, repeated)
	case lot < 58 && len(busy) > 0:
		l := busy[choose(len(busy))]
		m := c.links[l[0]][l[1]][0]
		c.links[l[0]][l[1]] = c.links[l[0]][l[1]][1:]
		return fmt.Sprintf("lose %v", m), nil
	case lot < 62:
		return "defer", c.settle()
	case lot < 65:
		c.setCut(i, j, choose(3) == 0)
		return fmt.Sprintf("cut %d→%d: %t", i+1, j+1, c.cut[i][j]), nil
	case lot < 67:
		if c.crashAfter = -1; up {
			c.crashAfter = choose(4)
		}
		return fmt.Sprintf("the next step crashes after %d messages", c.crashAfter), nil
	case !up:
		return fmt.Sprintf("restart %d", i+1), c.start(i)
	case lot < 69:
		c.crash(i)
		return fmt.Sprintf("crash %d", i+1), nil
	case lot < 71:
		call := []spec.Call{spec.ResignCall, spec.HolderDeadCall}[choose(2)]
		return fmt.Sprintf("call %d: %s", i+1, call), c.give(i, spec.Input{Call: call})
	case lot < 85:
		if leaders := c.leaders(); len(leaders) > 0 {
			i = leaders[choose(len(leaders))]
		}
		wanted := c.wanted(i, choose)
		return fmt.Sprintf("change of %d: %v", i+1, wanted), c.give(i, spec.Input{Call: spec.ChangeCall, Configuration: wanted})
	default:
		running := slices.Collect(c.places[i].core.Running().All())
		if len(running) == 0 {
			return "nothing", nil
		}
		timer := running[choose(len(running))]
		return fmt.Sprintf("%s of %d", timer, i+1), c.end(i, timer)
	}
}

// wanted draws the configuration that node i is asked for: mostly one that differs in one member from what it has.
func (c *changing) wanted(i int, choose func(n int) int) spec.Configuration {
	now := c.state(i).Configuration
	members := now.Members()
	for range 1 + choose(8)/7 {
		who := c.places[choose(len(c.places))].id
		at := slices.IndexFunc(members, func(m spec.Member) bool { return m.ID == who })
		kind := []spec.MemberKind{spec.Voter, spec.Voter, spec.Voter, spec.Witness, spec.Observer, ""}[choose(6)]
		m := spec.Member{ID: who, Kind: kind, Address: []string{"", "host:" + who.String()}[choose(4)/3]}
		switch {
		case kind != "" && at < 0:
			members = append(members, m)
		case kind != "":
			members[at] = m
		case at >= 0:
			members = slices.Delete(members, at, at+1)
		}
	}
	wanted, err := spec.NewConfiguration(c.state(i).Epoch, now.Version+1, members)
	if err != nil {
		return spec.EmptyConfiguration() // without a voter
	}
	if choose(20) == 0 {
		wanted = wanted.At(wanted.Epoch, now.Version)
	}
	return wanted
}

// firsts are the configurations that the random clusters begin with.
var firsts = []string{
	"epoch:0 version:1 {1 2 3}", "epoch:0 version:1 {1 2 3 4}", "epoch:0 version:1 {2}", "epoch:0 version:1 {1 2 witness:3}",
	"epoch:0 version:1 {2 3 observer:4}", "epoch:0 version:1 {1 2 3 4 5}", "epoch:0 version:1 {1 witness:2 witness:4 5}",
}

// TestRandomChanges lets all happen to clusters of four and five nodes, of which some join later: changes that may be and
// that may not, messages that are lost, repeated and overtaken, cuts of one direction, crashes within steps, restarts, and
// timers that end at any moment. Then it calms down, with some nodes down, first in two parts and then in one, and there is a
// leader again if there can be.
func TestRandomChanges(t *testing.T) {
	checks := 300 * soak()
	if raceDetector() {
		checks /= 3
	}
	budget(t, "rapid.checks", strconv.Itoa(checks))
	budget(t, "rapid.steps", "250")
	budget(t, "rapid.nofailfile", "true")
	steps := map[spec.Action]int{}
	changed, reigns, versions, parted, led := 0, 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		choose := tosses(t)
		n := 4 + choose(2)
		first := conf(firsts[choose(len(firsts))])
		c, err := newChanging(max(n, int(lastOf(first))), first)
		require.NoError(t, err)
		t.Repeat(map[string]func(*rapid.T){"next": func(t *rapid.T) {
			did, err := c.next(choose)
			if t.Log(did); err != nil {
				t.Fatal(err)
			}
		}})
		c.crashAfter = -1
		for i := range c.places {
			if down := choose(4) == 0; down {
				c.crash(i)
			} else if c.places[i].hosted == nil {
				require.NoError(t, c.start(i))
			}
		}
		c.part(choose)
		if err := c.calmDown(); err != nil {
			t.Fatal(err)
		}
		parted += len(c.leaders())
		if err := c.calm(); err != nil {
			t.Fatal(err)
		}
		led += len(c.leaders())
		for action, times := range c.steps {
			steps[action] += times
		}
		changed, reigns, versions = changed+c.changes, reigns+len(c.reigns), versions+len(c.said)
	})
	t.Logf("%d changes, %d reigns, %d configurations; %d led in parts and %d in the end; %v", changed, reigns, versions, parted, led, steps)
	if testing.Short() {
		return // then there are too few for what follows
	}
	require.Greater(t, changed, 2*checks, "changes have been made")
	require.Greater(t, reigns, 2*checks, "epochs have followed on each other")
	require.Greater(t, parted, checks/4, "a part has had a leader")
	require.Greater(t, led, checks/2, "there was a leader in the end")
	for _, action := range spec.Actions() {
		require.Equal(t, action.OfNode() && action != spec.CrashAction, steps[action] > checks/20, action)
	}
}

// part draws on which of two sides each node is, and cuts all links between the two.
func (c *changing) part(choose func(n int) int) {
	sides := make([]int, len(c.places))
	for i := range sides {
		sides[i] = choose(2)
	}
	for i := range sides {
		for j := range sides {
			c.setCut(i, j, sides[i] != sides[j])
		}
	}
}

// lastOf returns the highest id of a configuration of small integers.
func lastOf(c spec.Configuration) uint64 {
	members := c.Members()
	last, _ := strconv.ParseUint(members[len(members)-1].ID.String(), 10, 64)
	return last
}

// change asks the leader for these members, one after the other, and settles after each.
func (c *changing) change(t *testing.T, members ...spec.Member) {
	t.Helper()
	for _, m := range members {
		leader := c.leaders()[0]
		c.ask(t, leader, m)
		require.NoError(t, c.settle())
		require.True(t, c.places[leader].core.Settled(), m)
	}
}

// ask asks a node, which may, to change one member.
func (c *changing) ask(t *testing.T, leader int, m spec.Member) {
	t.Helper()
	next := c.after(leader, m)
	require.NoError(t, c.places[leader].core.MayChange(next))
	require.NoError(t, c.give(leader, spec.Input{Call: spec.ChangeCall, Configuration: next}))
}

// after returns the configuration after that of a node, with another member; one of no kind is not in it.
func (c *changing) after(i int, m spec.Member) spec.Configuration {
	now := c.state(i)
	members := slices.DeleteFunc(now.Configuration.Members(), func(was spec.Member) bool { return was.ID == m.ID })
	if m.Kind != "" {
		members = append(members, m)
	}
	next, err := spec.NewConfiguration(now.Epoch, now.Configuration.Version+1, members)
	if err != nil {
		panic(err)
	}
	return next
}

// remove asks the leader to remove a node, and settles. A leader is made a witness, and hands over.
func (c *changing) remove(t *testing.T, node spec.NodeID) {
	t.Helper()
	if leader := c.leaders()[0]; c.places[leader].id == node {
		require.ErrorIs(t, c.places[leader].core.MayChange(c.after(leader, spec.Member{ID: node})), bully.ErrKeepsLeader)
		c.change(t, spec.Member{ID: node, Kind: spec.Witness})
		require.NoError(t, c.give(leader, spec.Input{Call: spec.ResignCall}))
		require.NoError(t, c.calm())
	}
	c.change(t, spec.Member{ID: node})
}

// TestGrowAndShrink lets a cluster of one grow to three and to five, and shrink to one again: the highest go first, and with
// them each leader.
func TestGrowAndShrink(t *testing.T) {
	c, err := newChanging(5, conf("epoch:0 version:1 {1}"))
	require.NoError(t, err)
	require.NoError(t, c.calm())
	for i := 2; i <= 5; i++ {
		c.change(t, spec.Member{ID: id(i), Kind: spec.Observer}, spec.Member{ID: id(i), Kind: spec.Voter})
		require.NoError(t, c.calm())
		require.Equal(t, []int{i - 1}, c.leaders(), "the highest leads as soon as it may")
	}
	require.Equal(t, "epoch:5 version:9 {1 2 3 4 5}", c.state(0).Configuration.String())
	for i := 5; i >= 2; i-- {
		c.remove(t, id(i))
		require.NoError(t, c.calm())
		require.Equal(t, []int{i - 2}, c.leaders())
		gone := c.places[i-1].core
		_, member := gone.Configuration().Member(id(i))
		require.False(t, member, "node %d has learned that it is gone: %s", i, gone.Configuration())
		require.Zero(t, gone.Running())
	}
	require.Equal(t, "epoch:9 version:17 {1}", c.state(0).Configuration.String())
}

// TestTwoOperators asks a leader for two changes at once: one is made, and the other is stale. So it is if they ask two
// leaders, of which one does not know that it is none any more.
func TestTwoOperators(t *testing.T) {
	c, err := newChanging(5, conf("epoch:0 version:1 {1 2 3}"))
	require.NoError(t, err)
	require.NoError(t, c.calm())
	voter4, voter5 := spec.Member{ID: id(4), Kind: spec.Voter}, spec.Member{ID: id(5), Kind: spec.Voter}
	late := c.after(2, voter5)
	c.ask(t, 2, voter4)
	require.ErrorIs(t, c.places[2].core.MayChange(late), bully.ErrStale)
	require.ErrorIs(t, c.places[2].core.MayChange(c.after(2, voter5)), bully.ErrNotSettled)
	require.NoError(t, c.calm())

	// Node 4 leads now. It is cut off while it makes a change that nobody hears of; node 3 comes to lead, and makes another.
	require.Equal(t, []int{3}, c.leaders())
	for i := range c.places {
		c.setCut(i, 3, true)
		c.setCut(3, i, true)
	}
	require.NoError(t, c.end(3, spec.HeartbeatTimer))
	c.ask(t, 3, voter5)
	for i := range 3 {
		require.NoError(t, c.end(i, spec.PatienceTimer))
	}
	require.NoError(t, c.settle())
	require.NoError(t, c.end(2, spec.ElectionTimer))
	require.NoError(t, c.settle())
	require.Equal(t, []int{2, 3}, c.leaders())
	c.ask(t, 2, spec.Member{ID: id(1), Kind: spec.Witness})
	require.ErrorIs(t, c.places[3].core.MayChange(c.after(3, spec.Member{ID: id(1), Kind: spec.Witness})), bully.ErrNotSettled)
	require.NoError(t, c.calm())
	require.Equal(t, []int{3}, c.leaders())
	require.True(t, c.state(3).Configuration.SameMembers(conf("epoch:1 version:1 {witness:1 2 3 4}")), "what nobody heard of is gone: %v", c.state(3))
}

// TestRemovedWithOldDisk starts a node that has been removed while it was down, with the disk of old: it disturbs nobody,
// and learns.
func TestRemovedWithOldDisk(t *testing.T) {
	c, err := newChanging(5, conf("epoch:0 version:1 {1 2 3 4 5}"))
	require.NoError(t, err)
	require.NoError(t, c.calm())
	require.Equal(t, []int{4}, c.leaders())
	c.crash(4)
	require.NoError(t, c.calm())
	c.remove(t, id(5))
	before := c.state(3)
	require.Equal(t, spec.Leader, before.Role)

	for _, early := range []spec.Timer{"", spec.CoordinatorTimer} {
		require.NoError(t, c.start(4))
		if early != "" { // it asks, before it has heard anything
			for i := range 4 {
				c.setCut(i, 4, true)
			}
			require.NoError(t, c.end(4, early))
			for i := range 4 {
				c.setCut(i, 4, false)
			}
		}
		require.NoError(t, c.settle())
		gone := c.state(4)
		require.Equal(t, before.Configuration, gone.Configuration, "the answer to IM_BACK tells it")
		require.NoError(t, c.end(4, spec.CoordinatorTimer))
		require.NoError(t, c.calm())
		require.Equal(t, before.Durable(), c.state(3).Durable(), "no epoch has gone by")
		require.Equal(t, []int{3}, c.leaders())
		require.Zero(t, c.places[4].core.Running())
		old := spec.Durable{Epoch: 9, Grantee: id(5), Reserved: spec.Block, Configuration: conf("epoch:1 version:1 {1 2 3 4 5}")}
		c.crash(4)
		c.places[4].disk = &old // of an epoch that it alone knew, too
	}
}

// TestLastWhoKnowsSpeaks lets a leader, and all other voters but one, die when only a witness or an observer has heard of the change
// that the leader has just made (L14). It does not stand, and who may stand does not know that it may, or that it would be
// answered: nobody would ever lead if that one did not speak (R46).
func TestLastWhoKnowsSpeaks(t *testing.T) {
	for _, row := range []struct {
		name, first string
		changed     spec.Member
		deaf, die   []int
		leader      int
		members     string
	}{
		{"an observer is made a witness", "{1 2 observer:3}", spec.Member{ID: id(3), Kind: spec.Witness}, []int{1}, []int{2}, 1, "{1 2 witness:3}"},
		{"a witness is added", "{1 2}", spec.Member{ID: id(3), Kind: spec.Witness}, []int{1}, []int{2}, 1, "{1 2 witness:3}"},
		{"a witness is made a voter", "{1 witness:2 witness:3}", spec.Member{ID: id(3), Kind: spec.Voter}, []int{3}, []int{1}, 3, "{1 witness:2 3}"},
		{"an observer is made a voter", "{1 witness:2 observer:3}", spec.Member{ID: id(3), Kind: spec.Voter}, []int{3}, []int{1}, 3, "{1 witness:2 3}"},
		{"only an observer has heard", "{1 witness:2 observer:3 observer:4}", spec.Member{ID: id(3), Kind: spec.Voter}, []int{2, 3}, []int{1}, 3, "{1 witness:2 3 observer:4}"},
		{"of many", "{1 2 witness:3 witness:4 observer:5}", spec.Member{ID: id(5), Kind: spec.Voter}, []int{1, 4, 5}, []int{1, 2}, 5, "{1 2 witness:3 witness:4 5}"},
	} {
		t.Run(row.name, func(t *testing.T) {
			first, members := conf("epoch:0 version:1 "+row.first), conf("epoch:0 version:1 "+row.members)
			c, err := newChanging(int(lastOf(members)), first)
			require.NoError(t, err)
			require.NoError(t, c.calm())
			leader, next := c.leaders()[0], row.leader-1
			for _, node := range row.deaf {
				c.setCut(leader, node-1, true)
			}
			c.ask(t, leader, row.changed)
			require.NoError(t, c.settle())
			for _, node := range row.die {
				c.crash(node - 1)
			}
			require.True(t, c.state(next).Configuration.SameMembers(first), "who is to lead has not heard")
			require.NoError(t, c.calm())
			require.Equal(t, []int{next}, c.leaders())
			require.True(t, c.state(next).Configuration.SameMembers(members), "node %d must have the changed members", next)
		})
	}
}
