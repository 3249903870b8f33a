package bully_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// numbered returns a state of node i with numbers in it (R50): 9 is the latest, which is what it asks, or dates its reign from, and 2 is
// the question whose lease of another it keeps.
func numbered(i int, s spec.State) spec.State {
	s.Latest = 9
	if !s.Leader.IsNone() && s.Leader != id(i) {
		s.Lease = 2
	}
	switch s.Role {
	case spec.Candidate, spec.Electing, spec.Claimant:
		s.Asked = 9
	case spec.Leader:
		s.Dated = 9
	}
	return s
}

// inConfiguration returns node i, which is in this role in a configuration, in epoch 4, and keeps the lease of leader or of
// nobody. A leader has the support, and its configuration is of epoch 4.
func inConfiguration(t testing.TB, i int, role spec.Role, leader int, c spec.Configuration, support ...int) *bully.Node {
	s := numbered(i, spec.State{Role: role, Leader: id(leader), Epoch: 4, Grantee: id(leader), Configuration: c})
	for _, from := range support {
		s.Support = append(s.Support, id(from))
	}
	node, err := bully.At(id(i), nil, s)
	require.NoError(t, err)
	require.Equal(t, s.String(), node.State().String())
	require.Equal(t, c, node.Configuration())
	return node
}

// say returns a message of number 9 that carries a configuration.
func say(kind spec.MessageType, from, to int, e spec.Epoch, c spec.Configuration) bully.Input {
	return bully.Receive(spec.Message{Type: kind, From: id(from), To: id(to), Epoch: e, Question: 9, Configuration: c})
}

// asked is a change that leader 3 is asked for, or that a follower of 4 is, by these who back it. Without an error and a text
// it may be.
type asked struct {
	name    string
	role    spec.Role
	support []int
	wanted  spec.Configuration
	want    error
	text    string
}

// now is the configuration that it is asked in.
var now = conf("epoch:4 version:7 {1 2 3 4 observer:5 witness:6}*")

// allAsked returns changes of every kind, each but for what is wrong one that may be.
func allAsked(t *testing.T) []asked {
	home := func(i int, kind spec.MemberKind) spec.Member {
		m, is := now.Member(id(i))
		require.True(t, is, "node %d must be a member", i)
		m.Kind = kind
		return m
	}
	moved := home(2, spec.Voter)
	moved.Address = "10.0.0.2:7401"
	without := func(gone ...int) spec.Configuration {
		members := slices.DeleteFunc(now.Members(), func(m spec.Member) bool {
			return slices.ContainsFunc(gone, func(i int) bool { return m.ID == id(i) })
		})
		c, err := spec.NewConfiguration(4, 8, members)
		require.NoError(t, err)
		return c
	}
	new7 := spec.Member{ID: id(7), Kind: spec.Observer}
	return []asked{
		{"add an observer", spec.Leader, []int{1, 2}, with(now, 4, new7), nil, ""},
		{"add a voter, backed by a witness", spec.Leader, []int{1, 6}, with(now, 4, spec.Member{ID: id(7), Kind: spec.Voter}), nil, ""},
		{"another kind", spec.Leader, []int{1, 2}, with(now, 4, home(5, spec.Voter)), nil, ""},
		{"another address", spec.Leader, []int{1, 2}, with(now, 4, moved), nil, ""},
		{"another kind and address at once", spec.Leader, []int{1, 2}, with(now, 4, spec.Member{ID: id(2), Kind: spec.Observer}), nil, ""},
		{"remove a voter", spec.Leader, []int{1, 2}, without(4), nil, ""},
		{"the leader a witness", spec.Leader, []int{1, 2}, with(now, 4, home(3, spec.Witness)), nil, ""},
		{"no leader", spec.Follower, nil, with(now, 4, new7), bully.ErrNotLeader, "bully: change: this node does not lead: node 3 knows of leader 4: ask the leader"},
		{"of an old epoch", spec.Leader, []int{1, 2}, with(now, 3, new7), bully.ErrStale,
			"epoch 3 version 8 is given, and the node has " + now.String() + ": begin with that, and ask for epoch 4 version 8"},
		{"of the next epoch", spec.Leader, []int{1, 2}, with(now, 5, new7), bully.ErrStale, "ask for epoch 4 version 8"},
		{"of this version", spec.Leader, []int{1, 2}, with(now, 4, new7).At(4, 7), bully.ErrStale, "ask for epoch 4 version 8"},
		{"of the version after", spec.Leader, []int{1, 2}, with(now, 4, new7).At(4, 9), bully.ErrStale, "ask for epoch 4 version 8"},
		{"nobody backs it", spec.Leader, nil, with(now, 4, new7), bully.ErrNotSettled, "only [3] are known to hold it"},
		{"an observer backs it", spec.Leader, []int{1, 5}, with(now, 4, new7), bully.ErrNotSettled, "only [1 3] are known to hold it"},
		{"a witness backs it", spec.Leader, []int{6}, with(now, 4, new7), bully.ErrNotSettled, "only [3 6] are known to hold it"},
		{"nothing differs", spec.Leader, []int{1, 2}, now.At(4, 8), bully.ErrMoreThanOne, "0 differ"},
		{"two are added", spec.Leader, []int{1, 2}, with(now, 4, new7, spec.Member{ID: id(8), Kind: spec.Observer}), bully.ErrMoreThanOne, "2 differ"},
		{"two are removed", spec.Leader, []int{1, 2}, without(1, 4), bully.ErrMoreThanOne, "2 differ"},
		{"two are of another kind", spec.Leader, []int{1, 2}, with(now, 4, home(5, spec.Voter), home(6, spec.Voter)), bully.ErrMoreThanOne, "2 differ"},
		{"all move", spec.Leader, []int{1, 2}, conf("epoch:4 version:8 {1 2 3 4 observer:5 witness:6}"), bully.ErrMoreThanOne, "6 differ"},
		{"one replaces another", spec.Leader, []int{1, 2}, with(without(4).At(4, 7), 4, new7), bully.ErrMoreThanOne, "2 differ"},
		{"the leader is removed", spec.Leader, []int{1, 2}, without(3), bully.ErrKeepsLeader, "node 3 leads: make it a witness"},
		{"the leader an observer", spec.Leader, []int{1, 2}, with(now, 4, home(3, spec.Observer)), bully.ErrKeepsLeader, "node 3 leads: make it a witness"},
		{"a witness is added", spec.Leader, []int{1, 2}, with(now, 4, spec.Member{ID: id(7), Kind: spec.Witness}), nil, ""},
		{"an observer a witness", spec.Leader, []int{1, 2}, with(now, 4, home(5, spec.Witness)), nil, ""},
		{"nothing is left", spec.Leader, []int{1, 2}, spec.EmptyConfiguration(), bully.ErrStale, ""},
		{"nothing is left, with a stamp", spec.Leader, []int{1, 2}, spec.EmptyConfiguration().At(4, 8), nil, "without members"},
		{"none", spec.Leader, []int{1, 2}, spec.Configuration{}, bully.ErrStale, ""},
	}
}

// TestMayChange asks for changes (R47). What MayChange says, the step does.
func TestMayChange(t *testing.T) {
	for _, c := range allAsked(t) {
		leader := 3
		if c.role != spec.Leader {
			leader = 4
		}
		node := inConfiguration(t, 3, c.role, leader, now, c.support...)
		err := node.MayChange(c.wanted)
		out := node.Step(bully.Change(c.wanted))
		if c.want == nil && c.text == "" {
			require.NoError(t, err, c.name)
			require.Equal(t, spec.ChangeAction, out.Action, c.name)
			require.Equal(t, c.wanted, node.Configuration(), c.name)
			continue
		}
		require.ErrorContains(t, err, c.text, c.name)
		if c.want != nil {
			require.ErrorIs(t, err, c.want, c.name)
		}
		require.Equal(t, bully.Output{}, out, c.name)
		require.Equal(t, now, node.Configuration(), c.name)
	}
}

// TestMayChangeAtTheBounds goes to the last version, and to fixed members.
func TestMayChangeAtTheBounds(t *testing.T) {
	last := conf("epoch:4 version:9007199254740991 {1}")
	node := inConfiguration(t, 1, spec.Leader, 1, last)
	require.ErrorContains(t, node.MayChange(last.At(4, last.Version+1)), "version: 9007199254740992")
	require.Empty(t, node.Step(bully.Change(last.At(4, last.Version+1))).Action)

	fixed, err := bully.At(id(1), integers(1), numbered(1, spec.State{Role: spec.Leader, Leader: id(1), Epoch: 4, Grantee: id(1)}))
	require.NoError(t, err)
	require.EqualError(t, fixed.MayChange(last), "bully: change: members are fixed: make the nodes with NewChanging")
	require.Equal(t, bully.Output{}, fixed.Step(bully.Change(last)))
	require.True(t, fixed.Configuration().IsNone(), "a node of fixed members has no configuration")
}

// TestChange looks at all that one change comes to: those who were members hear of it, and those who are.
func TestChange(t *testing.T) {
	for _, c := range []struct {
		name, now, next string
		leader          int
		support, told   []int
	}{
		{"added", "epoch:4 version:1 {1 2 4}", "epoch:4 version:2 {1 2 observer:3 4}", 2, []int{4}, []int{1, 3, 4}},
		{"removed", "epoch:4 version:1 {1 2 3}", "epoch:4 version:2 {1 2}", 1, []int{3}, []int{2, 3}},
		{"of another kind", "epoch:4 version:1 {1 2 3}", "epoch:4 version:2 {1 2 witness:3}", 3, []int{1}, []int{1, 2}},
		{"one, and one more", "epoch:4 version:1 {2}", "epoch:4 version:2 {1 2}", 2, nil, []int{1}},
		{"the last but one", "epoch:4 version:1 {1 2}", "epoch:4 version:2 {2}", 2, []int{1}, []int{1}},
	} {
		node := inConfiguration(t, c.leader, spec.Leader, c.leader, conf(c.now), c.support...)
		require.True(t, node.Settled(), c.name)
		next := conf(c.next)
		var want bully.Output
		want.Action, want.Save, want.ConfigurationChanged = spec.ChangeAction, true, true
		want.Promise = spec.Durable{Epoch: 4, Grantee: id(c.leader), Reserved: spec.Block, Configuration: next}
		alone := next.Len() == 1
		want.Dated, want.Arm = 9, only(spec.HeartbeatTimer)
		if alone { // who is a quorum alone dates its reign from what it asks
			want.Dated, want.Arm = 10, node.Running()
		}
		for _, to := range c.told {
			want.Send = append(want.Send, spec.Message{Type: spec.Heartbeat, From: id(c.leader), To: id(to), Epoch: 4, Question: 10, Configuration: next})
		}
		require.Equal(t, want, node.Step(bully.Change(next)), c.name)
		require.Equal(t, alone, node.Settled(), c.name)
		for _, m := range next.Members() {
			node.Step(bully.Receive(spec.Message{Type: spec.Ack, From: m.ID, To: id(c.leader), Epoch: 4, Question: 10, Configuration: conf(c.now)}))
		}
		require.Equal(t, alone, node.Settled(), "%s: ACKs of the configuration before", c.name)
		for _, m := range next.Members() {
			node.Step(bully.Receive(spec.Message{Type: spec.Ack, From: m.ID, To: id(c.leader), Epoch: 4, Question: 10, Configuration: next}))
		}
		require.True(t, node.Settled(), c.name)
		require.EqualValues(t, 10, node.State().Dated, "%s: an ACK dates the reign, of whatever configuration", c.name)
		node.Step(bully.Timeout(spec.HeartbeatTimer))
		require.True(t, node.Settled(), "%s: an ACK says it until the next change", c.name)
		node.Step(bully.Timeout(spec.ReignTimer))
		require.False(t, node.Settled(), c.name)
	}
}

// TestSettledIsOfLeaders shows who is not settled, whoever backs it.
func TestSettledIsOfLeaders(t *testing.T) {
	c := conf("epoch:4 version:1 {1 2 3}")
	require.False(t, inConfiguration(t, 3, spec.Electing, 0, c, 1, 2).Settled(), "a node that is electing must not be settled")
	require.False(t, inConfiguration(t, 3, spec.Claimant, 0, c, 1, 2).Settled(), "a claimant must not be settled")
	require.True(t, inConfiguration(t, 3, spec.Leader, 3, c, 1).Settled(), "a leader that a quorum backs is settled")
}

// TestYieldsToWhoKnowsMore: a message with a newer configuration is one to stop for if its sender is to lead rather than this node by that, whatever this
// node knows of ranks and members (R43), or if it is of a higher epoch (R7).
func TestYieldsToWhoKnowsMore(t *testing.T) {
	node := inConfiguration(t, 3, spec.Leader, 3, conf("epoch:4 version:7 {1 2 3}*"), 1)
	for text, want := range map[string]bool{
		"epoch:5 version:8 {1 2^9 3}":   true,
		"epoch:5 version:8 {1 2 3}":     true,
		"epoch:5 version:8 {1 2^9 3 4}": true,
		"epoch:4 version:6 {1 2^9 3}":   false,
	} {
		claim := spec.Message{Type: spec.Claim, From: id(2), To: id(3), Epoch: 5, Question: 9, Configuration: conf(text)}
		require.Equal(t, want, node.Yields(&claim), text)
		claim.Epoch, claim.Configuration.Epoch = 4, 4
		require.False(t, node.Yields(&claim), "the epoch that it leads")
	}
	joined := spec.Message{Type: spec.Claim, From: id(4), To: id(3), Epoch: 5, Question: 9, Configuration: conf("epoch:5 version:8 {1 2 3 4}")}
	require.True(t, node.Yields(&joined), "who is a member since")
}
