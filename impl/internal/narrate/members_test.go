package narrate

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces"
	"github.com/seed-fdf591db/bully/traces/recording"
)

var one, two, three, four = spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3), spec.IntegerID(4)

// conf makes a configuration of these members: those at the front are voters, as many as said.
func conf(t *testing.T, e spec.Epoch, version uint64, members ...spec.Member) spec.Configuration {
	t.Helper()
	c, err := spec.NewConfiguration(e, version, members)
	require.NoError(t, err)
	return c
}

func voter(id spec.NodeID) spec.Member    { return spec.Member{ID: id, Kind: spec.Voter} }
func witness(id spec.NodeID) spec.Member  { return spec.Member{ID: id, Kind: spec.Witness} }
func observer(id spec.NodeID) spec.Member { return spec.Member{ID: id, Kind: spec.Observer} }

// narrator returns a narrator of four nodes that come and go, and a function that tells an event and returns its last frame.
func narrator(t *testing.T) func(e spec.Event) recording.Frame {
	t.Helper()
	told, err := New([]spec.NodeID{one, two, three, four}, Options{Changing: true})
	require.NoError(t, err)
	h := told.Header()
	h.Source = recording.Trace
	checker, err := recording.NewChecker(&h)
	require.NoError(t, err)
	return func(e spec.Event) recording.Frame {
		frames := told.Tell(&e)
		for i := range frames {
			require.NoError(t, checker.Frame(&frames[i]))
		}
		return frames[len(frames)-1]
	}
}

// heard is the receipt of a message.
func heard(m spec.Message, state spec.State, sent ...spec.Message) spec.Event {
	action := spec.OnHeartbeat
	for _, a := range spec.Actions() {
		if a.Receipt() == m.Type {
			action = a
		}
	}
	return spec.Event{Node: m.To, Action: action, Input: spec.Input{Message: m}, Sent: sent, State: state}
}

// TestChangeIsTold tells a change from the call to its end.
func TestChangeIsTold(t *testing.T) {
	tell := narrator(t)
	was := conf(t, 0, 1, voter(one), voter(two), witness(three))
	follows := spec.State{Role: spec.Follower, Configuration: was, Latest: 7}
	for _, id := range []spec.NodeID{one, two, three} {
		f := tell(spec.Event{Node: id, Action: spec.StartAction, State: follows})
		require.Equal(t, "one of the first members, which are 1 and 2, with witness 3; it waits to hear from a leader", f.Note)
		require.Equal(t, "R49", f.Rule)
		require.Equal(t, 1, f.State.Configuration)
		require.Equal(t, id == one, len(f.Configurations) == 1, "it is told once")
	}
	f := tell(spec.Event{Node: four, Action: spec.StartAction, State: spec.State{Role: spec.Follower, Configuration: spec.EmptyConfiguration(), Latest: 7}})
	require.Contains(t, f.Note, "it knows no member")
	require.Equal(t, []recording.Configuration{{Members: []recording.Member{}}}, f.Configurations)

	// 2 has claimed, and wins.
	claims := spec.State{Role: spec.Claimant, Configuration: was, Asked: 7, Latest: 7}
	tell(spec.Event{Node: two, Action: spec.ElectionTimeout, Input: spec.Input{Timer: spec.ElectionTimer}, State: claims})
	stamp := was.At(1, 1)
	leads := spec.State{Role: spec.Leader, Leader: two, Epoch: 1, Grantee: two, Configuration: stamp, Latest: 7, Dated: 7}
	f = tell(heard(spec.Message{Type: spec.Grant, From: three, To: two, Epoch: 1, Question: 7, Configuration: was}, leads))
	require.Equal(t, "has the promises of 2 of 3, itself included: leads epoch 1, and tells all; stamps its configuration, which is now version 1 of epoch 1", f.Note)
	require.Equal(t, "R20 R48", f.Rule)
	require.False(t, f.State.Settled, "a configuration that was just stamped is not settled")
	backed := leads
	backed.Support = []spec.NodeID{three}
	f = tell(heard(spec.Message{Type: spec.Ack, From: three, To: two, Epoch: 1, Question: 7, Configuration: stamp}, backed))
	require.Contains(t, f.Note, "so version 1 is settled: it holds for good")
	require.True(t, f.State.Settled, "a configuration that a quorum backs is settled")
	require.False(t, f.Upkeep, "the news of a settled configuration is not upkeep")

	now := conf(t, 1, 2, voter(one), voter(two), witness(three), spec.Member{ID: four, Kind: spec.Observer, Address: "h:4"})
	changed := leads
	changed.Configuration = now
	heartbeat := spec.Message{Type: spec.Heartbeat, From: two, To: four, Epoch: 1, Question: 7, Configuration: now}
	f = tell(spec.Event{Node: two, Action: spec.ChangeAction, Input: spec.Input{Call: spec.ChangeCall, Configuration: now}, Sent: []spec.Message{heartbeat}, State: changed})
	require.Equal(t, "is called to add 4 as an observer", f.Text)
	require.Contains(t, f.Note, "makes that version 2 of epoch 1, and says HEARTBEAT to all who are or were members. It holds for good when a quorum has acknowledged it: 2 of 3")
	require.Equal(t, "R47", f.Rule)
	require.False(t, f.State.Settled, "a configuration that was just changed is not settled")
	require.False(t, f.Sends[0].Upkeep, "it tells of the change")
	require.Equal(t, f.State.Configuration, f.Sends[0].Configuration)
	require.Equal(t, "h:4", f.Configurations[0].Members[3].Address)

	joined := spec.State{Role: spec.Follower, Leader: two, Epoch: 1, Configuration: now, Lease: 7, Latest: 7}
	ack := spec.Message{Type: spec.Ack, From: four, To: two, Epoch: 1, Question: 7, Configuration: now}
	f = tell(heard(heartbeat, joined, ack))
	require.Equal(t, "adopts version 2 of epoch 1: the members are 1 and 2, with witness 3 and observer 4; so it is an observer now; follows 2 in epoch 1", f.Note)
	require.Equal(t, "R43 R23", f.Rule)
	require.False(t, f.Sends[0].Upkeep, "it answers the change")
	backed.Configuration, backed.Support = now, []spec.NodeID{four}
	f = tell(heard(ack, backed))
	require.Equal(t, "4 follows: that is 1 of 3, itself included (it needs 2)", f.Note, "an observer is not counted")
	require.False(t, f.State.Settled, "an observer must not settle a configuration")
}

// TestWhoMayNotIsTold tells what comes of messages that rules 44 to 46 are about.
func TestWhoMayNotIsTold(t *testing.T) {
	old := conf(t, 1, 1, voter(one), voter(two), voter(three), voter(four))
	now := conf(t, 1, 2, voter(one), voter(two), witness(three))
	mine := spec.State{Role: spec.Follower, Leader: two, Epoch: 1, Configuration: now, Lease: 7, Latest: 7}
	free := spec.State{Role: spec.Follower, Epoch: 1, Configuration: now, Latest: 7}
	asks := func(kind spec.MessageType, from, to spec.NodeID, c spec.Configuration) spec.Message {
		return spec.Message{Type: kind, From: from, To: to, Epoch: 1, Question: 7, Configuration: c}
	}
	no := func(from, to spec.NodeID) spec.Message { return asks(spec.Refuse, from, to, now) }
	for _, c := range []struct {
		name         string
		before       spec.State
		event        spec.Event
		text, rule   string
		note, beside string
	}{
		{name: "no member asks", before: mine, event: heard(asks(spec.Election, four, one, old), mine, no(one, four)), rule: "R44",
			note: "4 is no member: refuses, and so tells it version 2 of epoch 1"},
		{name: "no member answers", before: mine, event: heard(asks(spec.Ack, four, one, old), mine), rule: "R44", note: "4 is no member: passes it over"},
		{name: "it hears that it is removed", before: spec.State{Role: spec.Candidate, Epoch: 1, Configuration: old, Asked: 7, Latest: 7},
			event: heard(no(one, four), free), rule: "R44",
			note: "adopts version 2 of epoch 1, which removes it, makes 3 a witness: it is no member any more; gives up standing; waits for a leader; does nothing else about the message"},
		{name: "it is none", before: free, event: heard(asks(spec.Heartbeat, one, four, now), free), rule: "R44", note: "is no member itself: does nothing about it"},
		{name: "older", before: free, event: heard(asks(spec.Claim, two, one, now.At(1, 1)), free, no(one, two)), rule: "R45",
			note: "refuses: 2 has an older configuration, version 1 of epoch 1, and is told the newer"},
		{name: "of a witness", before: free, event: heard(asks(spec.Election, three, one, now), free, no(one, three)), rule: "R45",
			note: "refuses: 3 is a witness, and may not lead"},
		{name: "answer of an older one", before: spec.State{Role: spec.Leader, Leader: two, Epoch: 1, Grantee: two, Configuration: now, Latest: 7, Dated: 7},
			event: heard(asks(spec.Ack, one, two, now.At(1, 1)), spec.State{Role: spec.Leader, Leader: two, Epoch: 1, Grantee: two, Configuration: now, Latest: 7, Dated: 7,
				Answered: []spec.Answered{{Node: one, Question: 7}}}), rule: "R45",
			note: "does not count: it was given in version 1 of epoch 1, and its own configuration is version 2 of epoch 1"},
		{name: "a witness speaks", before: spec.State{Role: spec.Follower, Leader: two, Epoch: 1, Configuration: now, Lease: 7, Latest: 7},
			event: spec.Event{Node: three, Action: spec.PatienceTimeout, Input: spec.Input{Timer: spec.PatienceTimer}, Sent: []spec.Message{asks(spec.ImBack, three, one, now)}, State: free},
			text:  "has not heard from 2 for too long", rule: "R46", beside: "as of question 7: I do not lead: who does?",
			note: "its lease ends; it is a witness, and may not stand: says IM_BACK to all other members, so that who leads says so, and all hear of version 2 of epoch 1"},
		{name: "a removed node waits no more", before: spec.State{Role: spec.Follower, Leader: two, Epoch: 1, Configuration: now, Lease: 7, Latest: 7},
			event: spec.Event{Node: four, Action: spec.PatienceTimeout, Input: spec.Input{Timer: spec.PatienceTimer}, State: free}, rule: "R46",
			note: "its lease ends; it is no member of its configuration, and so does nothing more"},
		{name: "a witness gives way to who is lower", before: free,
			event: heard(asks(spec.Election, two, three, now), spec.State{Role: spec.Electing, Epoch: 1, Configuration: now, Latest: 7}, asks(spec.Assent, three, two, now)), rule: "R11",
			note: "gives way to 2, being a witness itself: would grant its claim, and says so"},
		{name: "a leader demotes itself", before: spec.State{Role: spec.Leader, Leader: two, Epoch: 1, Grantee: two, Configuration: now, Latest: 7, Dated: 7},
			event: spec.Event{Node: two, Action: spec.ChangeAction, Input: spec.Input{Call: spec.ChangeCall, Configuration: conf(t, 1, 3, voter(one), witness(two), witness(three))},
				State: spec.State{Role: spec.Leader, Leader: two, Epoch: 1, Grantee: two, Configuration: conf(t, 1, 3, voter(one), witness(two), witness(three)), Latest: 7, Dated: 7}},
			text: "is called to make itself a witness", rule: "R47"},
	} {
		tell := narrator(t)
		began := c.before
		began.Role, began.Leader = spec.Follower, spec.NodeID{}
		tell(spec.Event{Node: c.event.Node, Action: spec.StartAction, State: began})
		tell(spec.Event{Node: c.event.Node, Action: spec.HeartbeatTimeout, Input: spec.Input{Timer: spec.HeartbeatTimer}, State: c.before}) // however it came to be so
		f := tell(c.event)
		require.Equal(t, c.rule, f.Rule, c.name)
		if c.note != "" {
			require.Equal(t, c.note, f.Note, c.name)
		}
		if c.text != "" {
			require.Equal(t, c.text, f.Text, c.name)
		}
		if c.beside != "" {
			require.Equal(t, c.beside, f.Sends[0].Text, c.name)
		}
		require.False(t, f.Upkeep, c.name)
	}
}

// TestAloneIsTold tells how the only voter wins: by the end of a timer, and not by a message.
func TestAloneIsTold(t *testing.T) {
	tell := narrator(t)
	c := conf(t, 0, 1, voter(one), observer(two))
	tell(spec.Event{Node: one, Action: spec.StartAction, State: spec.State{Role: spec.Follower, Configuration: c, Latest: 7}})
	f := tell(spec.Event{Node: one, Action: spec.PatienceTimeout, Input: spec.Input{Timer: spec.PatienceTimer},
		State: spec.State{Role: spec.Leader, Leader: one, Epoch: 1, Grantee: one, Configuration: c.At(1, 1), Latest: 8, Dated: 8}})
	require.Contains(t, f.Note, "stamps its configuration, which is now version 1 of epoch 1")
}

// TestBrokenConfigurationsAreSeen tells what no node may do with its configuration.
func TestBrokenConfigurationsAreSeen(t *testing.T) {
	tell := narrator(t)
	first, other := conf(t, 0, 1, voter(one), voter(two)), conf(t, 0, 1, voter(one), voter(three))
	newer := conf(t, 0, 2, voter(one))
	red := map[string]string{}
	for _, e := range []spec.Event{
		{Node: one, Action: spec.StartAction, State: spec.State{Role: spec.Follower, Configuration: newer, Latest: 7}},
		{Node: one, Action: spec.CrashAction, State: spec.State{Role: spec.Follower, Configuration: first, Latest: 7}},
		{Node: two, Action: spec.StartAction, State: spec.State{Role: spec.Follower, Configuration: first, Latest: 7}},
		{Node: three, Action: spec.StartAction, State: spec.State{Role: spec.Follower, Configuration: other, Latest: 7}},
	} {
		f := tell(e)
		for _, indicator := range f.Indicators {
			if indicator.Light == recording.Red {
				red[indicator.Name] = indicator.Says
			}
		}
	}
	require.Equal(t, map[string]string{
		string(spec.ConfigurationMonotonic): "the configuration of node 1 becomes " + first.String() + ", which is not newer than " + newer.String(),
		string(spec.OneConfiguration):       "node 3 has configuration " + other.String() + ", and there has been " + first.String(),
	}, red)
}

// TestNobodyLeadsOfThoseWhoMay looks at the indicator string(spec.SomeLeader) where a quorum runs, and where only observers and witnesses do.
func TestNobodyLeadsOfThoseWhoMay(t *testing.T) {
	c := conf(t, 0, 1, voter(one), witness(two), observer(three))
	tell := narrator(t)
	amber := func(id spec.NodeID) (says string) {
		for _, indicator := range tell(spec.Event{Node: id, Action: spec.StartAction, State: spec.State{Role: spec.Follower, Configuration: c, Latest: 7}}).Indicators {
			says = indicator.Says
		}
		return says
	}
	require.Empty(t, amber(three), "an observer")
	require.Empty(t, amber(two), "a witness alone")
	require.Equal(t, "nobody leads, though 2 of 2 run that vote", amber(one))
}

// TestGoldenMembers tells every golden trace of changing members: each has a change, and no indicator of a configuration goes red.
func TestGoldenMembers(t *testing.T) {
	names, err := fs.Glob(traces.Valid, "members-*.ndjson")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	changed := 0
	for _, name := range names {
		text, err := fs.ReadFile(traces.Valid, name)
		require.NoError(t, err)
		in, err := spec.NewTraceReader(bytes.NewReader(text))
		require.NoError(t, err)
		require.True(t, in.Header().Changing, name)
		told, err := New(in.Header().Members, Options{Changing: true})
		require.NoError(t, err)
		h := told.Header()
		h.Source = recording.Trace
		checker, err := recording.NewChecker(&h)
		require.NoError(t, err)
		var e spec.Event
		for in.Read(&e) == nil {
			for _, f := range told.Tell(&e) {
				require.NoError(t, checker.Frame(&f), name)
				for _, indicator := range f.Indicators {
					require.NotContains(t, []string{string(spec.ConfigurationMonotonic), string(spec.OneConfiguration), string(spec.OneLeaderPerEpoch)}, indicator.Name, name)
				}
				if f.Rule == "R47" {
					require.True(t, strings.HasPrefix(f.Text, "is called to "), f.Text)
					changed++
				}
			}
		}
	}
	require.Greater(t, changed, len(names)/2)
}
