package bully_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

func TestNewChangingRefuses(t *testing.T) {
	first := conf("epoch:0 version:1 {1 2 witness:3}")
	for _, c := range []struct {
		id      spec.NodeID
		first   spec.Configuration
		problem string
	}{
		{spec.NodeID{}, first, "bully: node none is no id: give an integer from 1 on or a UUID of version 4"},
		{spec.NodeID{0: 1}, first, "bully: node 01000000-0000-0000-0000-000000000000 is no id: give an integer from 1 on or a UUID of version 4"},
		{id(1), spec.Configuration{}, "bully: first configuration: none: a configuration is wanted"},
		{id(1), first.At(0, 0), "bully: first configuration: version: 0: with members it is 1 or more"},
		{id(1), first.At(1, 1), "bully: first configuration: epoch:1 version:1 {1 2 witness:3} is not of epoch 0: give the one of the first members, or the empty one to a node that joins or has a record"},
		{id(4), first, "bully: first configuration: node 4 is no member of epoch:0 version:1 {1 2 witness:3}: give the empty one to a node that joins or has a record"},
	} {
		_, err := bully.NewChanging(c.id, c.first)
		require.EqualError(t, err, c.problem)
	}
}

// TestFirstStart starts a node of each kind, and one that joins (R49).
func TestFirstStart(t *testing.T) {
	first := conf("epoch:0 version:1 {1 2 witness:3 observer:4}")
	for _, c := range []struct {
		id    int
		first spec.Configuration
		runs  string
	}{
		{1, first, "{patience}"}, {2, first, "{patience}"}, {3, first, "{patience}"}, {4, first, "{patience}"}, {5, spec.EmptyConfiguration(), "{}"},
	} {
		node, err := bully.NewChanging(id(c.id), c.first)
		require.NoError(t, err)
		require.Equal(t, c.first, node.Configuration())
		require.Equal(t, "{}", node.Running().String())
		require.Equal(t, bully.NotStarted, node.Step(bully.Change(c.first)).Ignored)
		out := node.Step(bully.Start())
		require.True(t, out.Save, "the first start must save")
		require.Equal(t, spec.Durable{Reserved: spec.Block, Configuration: c.first}, out.Promise)
		require.Equal(t, c.runs, out.Arm.String())
		require.Equal(t, c.runs, node.Running().String())
		require.Equal(t, spec.State{Role: spec.Follower, Latest: 1, Configuration: c.first}, node.State())
		require.False(t, out.ConfigurationChanged, "a first start does not change the configuration")
	}
}

// TestRestartTakesTheRecord restarts a node whose record has a configuration: it counts, and not the one given to NewChanging.
func TestRestartTakesTheRecord(t *testing.T) {
	for _, c := range []struct {
		record string
		told   []spec.NodeID
	}{
		{"epoch:3 version:4 {1 2 3 observer:9}", []spec.NodeID{id(1), id(3), id(9)}},
		{"epoch:3 version:4 {1 3}", []spec.NodeID{id(1), id(3)}}, // it is removed
		{"epoch:0 version:0 {}", nil},
	} {
		node, err := bully.NewChanging(id(2), conf("epoch:0 version:1 {1 2 3}"))
		require.NoError(t, err)
		record := spec.Durable{Epoch: 5, Grantee: id(7), Reserved: spec.Block, Configuration: conf(c.record)} // 7 was a member once
		in := bully.Restart(record)
		require.Equal(t, "restart epoch:5 grantee:7 reserved:1048576 configuration:"+c.record, in.String())
		out := node.Step(in)
		require.Equal(t, spec.RestartAction, out.Action)
		record.Reserved += spec.Block
		require.True(t, out.Save, "a life takes new numbers (R50)")
		require.Equal(t, record, out.Promise)
		require.True(t, out.ConfigurationChanged, "a restart must report the configuration of the record")
		require.Equal(t, c.told, receivers(out.Send))
		for _, m := range out.Send {
			require.Equal(t, record.Configuration, m.Configuration)
		}
		require.Equal(t, record, node.State().Durable())
		require.Equal(t, "{coordinator}", node.Running().String())
	}
}

// TestMixed gives each kind of cluster what is of the other.
func TestMixed(t *testing.T) {
	c := conf("epoch:0 version:1 {1 2 3}")
	fixed := started(t, 2, 3)
	changing, err := bully.NewChanging(id(2), c)
	require.NoError(t, err)
	require.Equal(t, bully.Output{Ignored: bully.Mixed}, changing.Step(bully.Restart(spec.Durable{Epoch: 1, Grantee: id(3)})))
	require.Equal(t, bully.Output{Ignored: bully.Malformed}, changing.Step(bully.Restart(spec.Durable{Epoch: 1, Configuration: c.At(2, 1)})))
	require.Equal(t, spec.StartAction, changing.Step(bully.Start()).Action)
	for _, kind := range spec.MessageTypes() {
		require.Equal(t, bully.Output{Ignored: bully.Mixed}, fixed.Step(say(kind, 3, 2, 1, c)), kind)
		require.Equal(t, bully.Output{Ignored: bully.Mixed}, fixed.Step(say(kind, 3, 2, 1, spec.EmptyConfiguration())), kind)
		require.Equal(t, bully.Output{Ignored: bully.Mixed}, changing.Step(message(kind, 3, 2, 1)), kind)
	}
	require.Equal(t, bully.Output{Ignored: bully.Malformed}, changing.Step(say(spec.Claim, 3, 2, 1, c.At(2, 1))), "its epoch is above that of the message")
	require.Equal(t, bully.Output{Ignored: bully.Misaddressed}, changing.Step(say(spec.Claim, 3, 1, 1, c)))
	require.Equal(t, bully.Output{Ignored: bully.UnknownType}, changing.Step(say("VOTE", 3, 2, 1, c)))
	require.Equal(t, spec.State{Role: spec.Follower, Latest: 1, Configuration: c}, changing.State())

	again, err := bully.New(id(2), integers(3))
	require.NoError(t, err)
	require.Equal(t, bully.Output{Ignored: bully.Mixed}, again.Step(bully.Restart(spec.Durable{Epoch: 1, Configuration: c})))
}

// TestAtInConfigurations puts nodes into states that the rules lead to, and into some that they do not.
func TestAtInConfigurations(t *testing.T) {
	four := conf("epoch:4 version:1 {1 2 witness:3 observer:4}")
	for _, c := range []struct {
		id      int
		s       spec.State
		problem string
	}{
		{1, spec.State{Role: spec.Candidate, Leader: id(3), Epoch: 4}, ""},                               // it pre-empts a leader that has become a witness
		{1, spec.State{Role: spec.Claimant, Leader: id(9), Epoch: 4, Support: []spec.NodeID{id(4)}}, ""}, // or one that has been removed
		{3, spec.State{Role: spec.Electing, Leader: id(3), Epoch: 4, Grantee: id(9)}, ""},
		{3, spec.State{Role: spec.Leader, Leader: id(3), Epoch: 4, Grantee: id(3)}, ""}, // a witness goes on leading
		{9, spec.State{Role: spec.Follower, Leader: id(2), Epoch: 5}, ""},
		{2, spec.State{Role: spec.Candidate, Leader: id(1), Epoch: 5}, ""},
		{1, spec.State{Role: spec.Candidate, Leader: id(2), Epoch: 4}, "R9: a candidate and a claimant keep no lease but that of a node that they outrank"},
		{2, spec.State{Role: spec.Candidate, Leader: id(2), Epoch: 4}, "R9: "},
		{3, spec.State{Role: spec.Candidate, Epoch: 4}, "R46: a candidate and a claimant are voters"},
		{4, spec.State{Role: spec.Claimant, Epoch: 4}, "R46: "},
		{9, spec.State{Role: spec.Candidate, Epoch: 4}, "R46: "},
		{1, spec.State{Role: spec.Electing, Epoch: 4, Support: []spec.NodeID{id(9)}}, "bully: state: support: 9 is no member"},
		{9, spec.State{Role: spec.Electing, Epoch: 4, Support: []spec.NodeID{id(9)}}, "bully: state: support: 9 is no member"},
		{1, spec.State{Role: spec.Electing, Leader: id(9), Epoch: 4, Support: []spec.NodeID{id(9)}}, "bully: state: support: 9 is no member"},
		{1, spec.State{Role: spec.Leader, Leader: id(1), Epoch: 5, Grantee: id(1)}, "R48: the configuration of a leader is of its epoch"},
		{1, spec.State{Role: spec.Follower, Epoch: 3}, "configuration.epoch: 4 is above epoch 3"},
		{0, spec.State{Role: spec.Follower, Epoch: 4}, "bully: node none is no id"},
	} {
		c.s.Configuration = four
		c.s = numbered(c.id, c.s)
		node, err := bully.At(id(c.id), nil, c.s)
		if c.problem != "" {
			require.ErrorContains(t, err, c.problem, "%d in %s", c.id, c.s)
			continue
		}
		require.NoError(t, err, "%d in %s", c.id, c.s)
		require.Equal(t, c.s.String(), node.State().String())
	}
	_, err := bully.At(id(1), nil, spec.State{Role: spec.Follower, Configuration: spec.EmptyConfiguration().At(0, 1)})
	require.ErrorContains(t, err, "bully: state: configuration.version")
}

// TestRunningInConfigurations reads the table of R36 for followers, by R46.
func TestRunningInConfigurations(t *testing.T) {
	c := conf("epoch:4 version:1 {1 2 3 witness:4 observer:5}")
	for _, row := range []struct {
		id, leader int
		runs       string
	}{
		{2, 0, "{patience}"},
		{2, 1, "{patience preempt}"},
		{2, 3, "{patience}"},
		{2, 4, "{patience preempt}"}, // a witness may not lead
		{1, 5, "{patience preempt}"},
		{1, 9, "{patience preempt}"}, // and neither may one that has been removed
		{4, 0, "{patience}"},
		{4, 1, "{patience}"},
		{5, 0, "{patience}"},
		{5, 1, "{patience}"},
		{9, 0, "{}"},
		{9, 1, "{patience}"},
	} {
		node := inConfiguration(t, row.id, spec.Follower, row.leader, c)
		require.Equal(t, row.runs, node.Running().String(), "node %d follows %d", row.id, row.leader)
		out := node.Step(bully.Timeout(spec.PatienceTimer))
		require.True(t, node.State().Leader.IsNone(), "node %d must name no leader when its patience ends", row.id)
		switch {
		case row.runs == "{}":
			require.Equal(t, bully.TimerNotRunning, out.Ignored)
		case row.id <= 3: // it stands
			require.Equal(t, spec.Candidate, node.State().Role)
			require.Equal(t, "{election}", out.Arm.String())
		case row.id <= 5: // it waits to speak again
			require.Equal(t, spec.Follower, node.State().Role)
			require.Equal(t, "{} {patience}", out.Cancel.String()+" "+out.Arm.String())
		default:
			require.Equal(t, spec.Follower, node.State().Role)
			require.Equal(t, "{patience} {}", out.Cancel.String()+" "+out.Arm.String())
		}
	}
}

// TestWhoSpeaks lets the patience of every kind of node end, with and without a lease, in each role that may wait: a voter
// asks, another member says that it does not lead, and who is no member says nothing (R46).
func TestWhoSpeaks(t *testing.T) {
	c := conf("epoch:4 version:1 {1 2 3 witness:4 observer:5 witness:6}")
	for _, row := range []struct {
		id   int
		says spec.MessageType
		to   []spec.NodeID
	}{
		{2, spec.Election, []spec.NodeID{id(1), id(3), id(4), id(6)}},
		{4, spec.ImBack, []spec.NodeID{id(1), id(2), id(3), id(5), id(6)}},
		{5, spec.ImBack, []spec.NodeID{id(1), id(2), id(3), id(4), id(6)}},
		{9, "", nil},
	} {
		for _, leader := range []int{0, 1, 7} {
			for role, timer := range map[spec.Role]spec.Timer{spec.Follower: spec.PatienceTimer, spec.Electing: spec.CoordinatorTimer} {
				node := inConfiguration(t, row.id, role, leader, c)
				out := node.Step(bully.Timeout(timer))
				if timer == spec.PatienceTimer && row.id == 9 && leader == 0 {
					require.Equal(t, bully.TimerNotRunning, out.Ignored)
					continue
				}
				require.Equal(t, timer.Action(), out.Action)
				require.False(t, out.Save, "what it may promise is as it was")
				number := spec.Question(9)
				if row.says == spec.Election {
					number = 10 // it asks
				}
				require.Equal(t, row.to, receivers(out.Send), "%d, a %s of %d", row.id, role, leader)
				for _, m := range out.Send {
					require.Equal(t, spec.Message{Type: row.says, From: id(row.id), To: m.To, Epoch: 4, Question: number, Configuration: c}, m)
				}
				require.True(t, node.State().Leader.IsNone(), "node %d must name no leader", row.id)
			}
		}
	}
}

// TestQuorumsOfElectors lets a candidate have the support of some, and asks whether it then claims (R42).
func TestQuorumsOfElectors(t *testing.T) {
	for _, c := range []struct {
		conf    string
		support []int
		claims  bool
	}{
		{"epoch:4 version:1 {1}", nil, true},
		{"epoch:4 version:1 {1 observer:2 observer:3}", nil, true},
		{"epoch:4 version:1 {1 2}", nil, false},
		{"epoch:4 version:1 {1 2}", []int{2}, true},
		{"epoch:4 version:1 {1 witness:2}", nil, false},
		{"epoch:4 version:1 {1 witness:2}", []int{2}, true},
		{"epoch:4 version:1 {1 witness:2 observer:3}", []int{3}, false},
		{"epoch:4 version:1 {1 2 3 observer:4 observer:5}", []int{4, 5}, false},
		{"epoch:4 version:1 {1 2 3 observer:4 observer:5}", []int{3, 5}, true},
		{"epoch:4 version:1 {1 2 3 witness:4}", []int{4}, false},
		{"epoch:4 version:1 {1 2 3 witness:4}", []int{2, 4}, true},
		{"epoch:4 version:1 {1 2 3 witness:4 witness:5}", []int{4, 5}, true},
	} {
		node := inConfiguration(t, 1, spec.Candidate, 0, conf(c.conf), c.support...)
		node.Step(bully.Timeout(spec.ElectionTimer))
		claims := node.State().Role == spec.Claimant || node.State().Role == spec.Leader
		require.Equal(t, c.claims, claims, "%s with %v", c.conf, c.support)
	}
}

// TestWhoVotes lets nodes of each kind ask nodes of each kind: an elector votes for a voter of exactly its own configuration (R45).
// Nobody votes for who holds an older one, though it is a voter there.
func TestWhoVotes(t *testing.T) {
	c := conf("epoch:4 version:2 {1 2 witness:3 witness:4 observer:5 observer:6}")
	for _, held := range []spec.Configuration{c, c.At(4, 1), c.At(3, 9), conf("epoch:4 version:2 {1 2 witness:3 witness:4 observer:5 6}")} {
		for from := 1; from <= 6; from++ {
			for to := 1; to <= 6; to++ {
				if from == to {
					continue
				}
				votes := from <= 2 && to <= 4 && held == c
				out := inConfiguration(t, to, spec.Follower, 0, c).Step(say(spec.Election, from, to, 4, held))
				answers := []spec.MessageType{spec.Refuse}
				switch {
				case votes && to == 2: // the higher voter stands itself
					answers = []spec.MessageType{spec.OK, spec.Election, spec.Election, spec.Election}
				case votes:
					answers = []spec.MessageType{spec.Assent}
				}
				require.Equal(t, answers, typesOf(out.Send), "%d asks %d, and holds %s", from, to, held)
				out = inConfiguration(t, to, spec.Follower, 0, c).Step(say(spec.Claim, from, to, 5, held))
				require.Equal(t, votes, out.Send[0].Type == spec.Grant, "%d claims, and holds %s; %d answers %s", from, held, to, out.Send)
			}
		}
	}
}

// typesOf returns the types of messages.
func typesOf(sent []spec.Message) (types []spec.MessageType) {
	for _, m := range sent {
		types = append(types, m.Type)
	}
	return types
}

// TestSupportIsOfOneConfiguration adopts a configuration in every role that has support: none is left (R43).
func TestSupportIsOfOneConfiguration(t *testing.T) {
	c := conf("epoch:4 version:1 {1 2 3}")
	for _, role := range []spec.Role{spec.Candidate, spec.Electing, spec.Claimant, spec.Leader} {
		leader := 0
		if role == spec.Leader {
			leader = 3
		}
		node := inConfiguration(t, 3, role, leader, c, 1, 2)
		require.True(t, node.Step(say(spec.Refuse, 1, 3, 4, c.At(4, 2))).ConfigurationChanged, "a newer configuration must be adopted")
		require.Empty(t, node.State().Support, role)
	}
}

// TestFifty goes to the bound of the members of a configuration, with a node and a lease from outside of it.
func TestFifty(t *testing.T) {
	var members []spec.Member
	for i := range spec.MaxChangingMembers {
		members = append(members, spec.Member{ID: id(2*i + 2), Kind: spec.Voter})
	}
	all, err := spec.NewConfiguration(4, 9, members)
	require.NoError(t, err)
	node, err := bully.At(id(51), nil, numbered(51, spec.State{Role: spec.Follower, Leader: id(1), Epoch: 5, Grantee: id(101), Configuration: all.At(4, 8)}))
	require.NoError(t, err)
	require.Equal(t, "follower leader:1 lease:2 epoch:5 grantee:101 support:{} latest:9 configuration:"+all.At(4, 8).String(), node.State().String())
	out := node.Step(say(spec.OK, 4, 51, 5, with(conf("epoch:4 version:8 {2 4 6}"), 4, spec.Member{ID: id(51), Kind: spec.Voter})))
	require.Equal(t, "follower leader:1 lease:2 epoch:5 grantee:101 support:{} latest:9 configuration:epoch:4 version:9 {2 4 6 51}", node.State().String(), "others are other ranks")
	require.False(t, out.LeaderChanged, "the leader must not change")
	require.Equal(t, "{preempt}", out.Arm.String())
	require.Equal(t, spec.Durable{Epoch: 5, Grantee: id(101), Reserved: spec.Block, Configuration: node.Configuration()}, out.Promise)
}

// TestLeaderIsToldOfAnotherChange gives a leader a configuration of its own epoch that it has not made. No node of the
// cluster has one; still it is adopted like any other, and nothing breaks.
func TestLeaderIsToldOfAnotherChange(t *testing.T) {
	for _, made := range []string{"epoch:4 version:2 {1 2 3 4}", "epoch:4 version:2 {1 2 observer:3}", "epoch:4 version:2 {1 2}"} {
		node := inConfiguration(t, 3, spec.Leader, 3, conf("epoch:4 version:1 {1 2 3}"), 1, 2)
		out := node.Step(say(spec.Ack, 2, 3, 4, conf(made)))
		require.True(t, out.Save && out.ConfigurationChanged && !out.ReignEnded, "a leader that adopts a configuration must save it and lead on")
		require.Equal(t, conf(made), node.Configuration())
		require.Equal(t, spec.Leader, node.State().Role)
		require.False(t, node.Settled(), "a leader whose members have just changed must not be settled")
		require.Equal(t, "{reign heartbeat}", node.Running().String())
		require.Equal(t, spec.ReignTimeout, node.Step(bully.Timeout(spec.ReignTimer)).Action)
		require.Equal(t, spec.Follower, node.State().Role)
	}
}

// TestTieOfRanks: of two members of one rank the one of the higher id is the better leader, where others have ranks, too (R1).
func TestTieOfRanks(t *testing.T) {
	first, err := spec.NewConfiguration(0, 1, []spec.Member{{ID: id(1), Kind: spec.Voter, Rank: 7}, {ID: id(2), Kind: spec.Voter}, {ID: id(3), Kind: spec.Voter}})
	require.NoError(t, err)
	for me, want := range map[int]spec.MessageType{3: spec.OK, 2: spec.Assent} {
		node, err := bully.NewChanging(id(me), first)
		require.NoError(t, err)
		node.Step(bully.Start())
		out := node.Step(bully.Receive(spec.Message{Type: spec.Election, From: id(5 - me), To: id(me), Question: 2, Configuration: first}))
		require.Equal(t, want, out.Send[0].Type, "of %d", me)
	}
}
