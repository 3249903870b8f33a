package changing

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/spec"
)

func configured(t require.TestingT, e spec.Epoch, version uint64, members ...spec.Member) spec.Configuration {
	c, err := spec.NewConfiguration(e, version, members)
	require.NoError(t, err)
	return c
}

// namedID returns an id that is not its rank.
func namedID(i ID) spec.NodeID { return spec.IntegerID(uint64(i) * 10) }

// Ids are ranks of those that occur, and addresses go through as they are.
func TestStepKeepsIDsAndAddresses(t *testing.T) {
	uuid, err := spec.ParseNodeID("00000000-0000-4000-8000-000000000001")
	require.NoError(t, err)
	low, high := spec.IntegerID(7), spec.IntegerID(900)
	old := configured(t, 3, 1, spec.Member{ID: uuid, Kind: spec.Voter, Address: "a:1"}, spec.Member{ID: low, Kind: spec.Voter, Address: "b:1"})
	wanted := configured(t, 3, 2, append(old.Members(), spec.Member{ID: high, Kind: spec.Observer, Address: "a:1"})...)
	before := spec.State{Role: spec.Leader, Leader: uuid, Epoch: 3, Grantee: uuid, Support: []spec.NodeID{low}, Configuration: old}
	got, err := Step(uuid, before, spec.Input{Call: spec.ChangeCall, Configuration: wanted})
	require.NoError(t, err)
	after := before
	after.Support, after.Configuration = nil, wanted
	require.Equal(t, Answer{Action: spec.ChangeAction, After: after, Sent: []spec.Message{
		{Type: spec.Heartbeat, From: uuid, To: low, Epoch: 3, Configuration: wanted},
		{Type: spec.Heartbeat, From: uuid, To: high, Epoch: 3, Configuration: wanted},
	}}, got)

	elsewhere := configured(t, 3, 1, spec.Member{ID: uuid, Kind: spec.Voter, Address: "a:2"}, old.Members()[0])
	got, err = Step(uuid, before, spec.Input{Message: spec.Message{Type: spec.Ack, From: low, To: uuid, Epoch: 3, Configuration: elsewhere}})
	require.NoError(t, err)
	require.Equal(t, Answer{Action: spec.OnAck, After: before}, got, "another address is another configuration")
}

func TestStepRefusesWhatHasNoAnswer(t *testing.T) {
	id := spec.IntegerID(1)
	conf := configured(t, 0, 1, spec.Member{ID: id, Kind: spec.Voter})
	good := spec.State{Role: spec.Follower, Configuration: conf}
	var many, more []spec.Member // together one too many
	for i := range uint64(MaxIDs+1) / 2 {
		many = append(many, spec.Member{ID: spec.IntegerID(i + 1), Kind: spec.Voter})
		more = append(more, spec.Member{ID: spec.IntegerID(i + 101), Kind: spec.Voter})
	}
	crowded := spec.State{Role: spec.Follower, Configuration: configured(t, 0, 2, many...)}
	for says, c := range map[string]struct {
		id     spec.NodeID
		before spec.State
		in     spec.Input
	}{
		"none is not the id of a node":                                {spec.NodeID{}, good, spec.Input{}},
		`the state of node 1: role: "" is no role`:                    {id, spec.State{}, spec.Input{}},
		"it has no configuration, as if members were fixed":           {id, spec.State{Role: spec.Follower}, spec.Input{}},
		"a configuration is for a call to change":                     {id, good, spec.Input{Timer: spec.HeartbeatTimer, Configuration: conf}},
		"and a cut for the network":                                   {id, good, spec.Input{Cut: []spec.Link{{From: id, To: id}}}},
		"changing: 64 ids occur, 1 and others: at most 63 are wanted": {id, crowded, spec.Input{Call: spec.ChangeCall, Configuration: configured(t, 0, 2, more...)}},
	} {
		_, err := Step(c.id, c.before, c.in)
		require.ErrorContains(t, err, says)
	}
	_, err := Start(id, spec.Configuration{})
	require.ErrorContains(t, err, "it has no configuration")
	_, err = Restart(id, spec.Durable{})
	require.ErrorContains(t, err, "it has no configuration")
}

// Names know those that they were made of, each time they are asked, and nobody else.
func TestNamesRefuseStrangers(t *testing.T) {
	one, two, three := spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)
	n, err := NewNames([]spec.NodeID{one, two})
	require.NoError(t, err)
	of := func(ids ...spec.NodeID) spec.Configuration {
		var members []spec.Member
		for _, id := range ids {
			members = append(members, spec.Member{ID: id, Kind: spec.Voter})
		}
		return configured(t, 0, 1, members...)
	}
	says := func(from spec.NodeID, c spec.Configuration) spec.Input {
		return spec.Input{Message: spec.Message{Type: spec.Heartbeat, From: from, To: one, Epoch: 1, Configuration: c}}
	}
	before := spec.State{Role: spec.Follower, Configuration: of(one, two)}
	known, err := n.Step(one, before, says(two, of(one, two)))
	require.NoError(t, err)
	for range 2 {
		for _, in := range []spec.Input{says(three, of(one, two)), says(two, of(one, two, three))} {
			_, err = n.Step(one, before, in)
			require.EqualError(t, err, "changing: node 3 occurs, and is not among the names")
		}
		_, err = n.Restart(one, spec.Durable{Epoch: 1, Grantee: three, Configuration: of(one, two)})
		require.EqualError(t, err, "changing: node 3 occurs, and is not among the names")
		again, err := n.Step(one, before, says(two, of(one, two)))
		require.NoError(t, err)
		require.Equal(t, known, again)
	}
}

// What is no step leaves the state, and says no action.
func TestStepIgnores(t *testing.T) {
	id, other := spec.IntegerID(1), spec.IntegerID(2)
	conf := configured(t, 0, 1, spec.Member{ID: id, Kind: spec.Voter}, spec.Member{ID: other, Kind: spec.Voter})
	before := spec.State{Role: spec.Follower, Configuration: conf}
	claim := spec.Message{Type: spec.Claim, From: other, To: id, Epoch: 1, Configuration: conf}
	for says, spoil := range map[string]func(in *spec.Input){
		"nothing at all":                func(in *spec.Input) { in.Message = spec.Message{} },
		"unknown type":                  func(in *spec.Input) { in.Message.Type = "VOTE" },
		"to another":                    func(in *spec.Input) { in.Message.From, in.Message.To = id, other },
		"of fixed members":              func(in *spec.Input) { in.Message.Configuration = spec.Configuration{} },
		"of a later epoch than it says": func(in *spec.Input) { in.Message.Configuration = conf.At(2, 1) },
		"a timer that does not run":     func(in *spec.Input) { *in = spec.Input{Timer: spec.BeatTimer} },
		"an unknown timer":              func(in *spec.Input) { *in = spec.Input{Timer: "tea"} },
		"an unknown call":               func(in *spec.Input) { *in = spec.Input{Call: "sing"} },
		"who does not lead resigns":     func(in *spec.Input) { *in = spec.Input{Call: spec.ResignCall} },
		"nobody's death":                func(in *spec.Input) { *in = spec.Input{Call: spec.HolderDeadCall} },
		"a change of nothing":           func(in *spec.Input) { *in = spec.Input{Call: spec.ChangeCall} },
		"a change by a follower":        func(in *spec.Input) { *in = spec.Input{Call: spec.ChangeCall, Configuration: conf.At(0, 2)} },
	} {
		in := spec.Input{Message: claim}
		spoil(&in)
		got, err := Step(id, before, in)
		require.NoError(t, err, says)
		require.Equal(t, Answer{After: before}, got, says)
	}
	got, err := Step(id, before, spec.Input{Message: claim})
	require.NoError(t, err)
	require.Equal(t, spec.OnClaim, got.Action)
}

func TestStartAndRestart(t *testing.T) {
	id, other := spec.IntegerID(1), spec.IntegerID(2)
	joins, err := Start(id, spec.EmptyConfiguration())
	require.NoError(t, err)
	require.Equal(t, Answer{Action: spec.StartAction, After: spec.State{Role: spec.Follower, Configuration: spec.EmptyConfiguration()}}, joins)

	conf := configured(t, 2, 1, spec.Member{ID: id, Kind: spec.Witness}, spec.Member{ID: other, Kind: spec.Voter, Address: "b:1"})
	back, err := Restart(id, spec.Durable{Epoch: 4, Grantee: other, Configuration: conf})
	require.NoError(t, err)
	require.Equal(t, Answer{
		Action: spec.RestartAction,
		After:  spec.State{Role: spec.Electing, Leader: id, Epoch: 4, Grantee: other, Configuration: conf},
		Sent:   []spec.Message{{Type: spec.ImBack, From: id, To: other, Epoch: 4, Configuration: conf}},
	}, back)
}

// Each fault in a state is seen, and the state without it passes.
func TestCheckStateSeesEachFault(t *testing.T) {
	conf := configured(t, 1, 1, spec.Member{ID: namedID(1), Kind: spec.Voter}, spec.Member{ID: namedID(2), Kind: spec.Voter},
		spec.Member{ID: namedID(3), Kind: spec.Witness})
	for says, c := range map[string]struct {
		id    ID
		s     spec.State
		spoil func(s *spec.State)
	}{
		"no lease of its own": {2, spec.State{Role: spec.Follower, Leader: namedID(1)}, func(s *spec.State) { s.Leader = namedID(2) }},
		"nobody backs it":     {2, spec.State{Role: spec.Follower}, func(s *spec.State) { s.Support = []spec.NodeID{namedID(1)} }},
		"only a voter stands": {2, spec.State{Role: spec.Candidate, Leader: namedID(3)}, func(s *spec.State) {
			s.Configuration = configured(t, 1, 1, spec.Member{ID: namedID(1), Kind: spec.Voter}, spec.Member{ID: namedID(2), Kind: spec.Witness})
		}},
		"of a node that it outranks": {1, spec.State{Role: spec.Claimant, Leader: namedID(3)}, func(s *spec.State) { s.Leader = namedID(2) }},
		"no epoch left":              {1, spec.State{Role: spec.Claimant, Epoch: spec.MaxEpoch - 1}, func(s *spec.State) { s.Epoch++ }},
		"promised its epoch to itself": {1, spec.State{Role: spec.Leader, Leader: namedID(1), Grantee: namedID(1)},
			func(s *spec.State) { s.Grantee = namedID(2) }},
		"is of its epoch":  {1, spec.State{Role: spec.Leader, Leader: namedID(1), Grantee: namedID(1)}, func(s *spec.State) { s.Epoch++ }},
		"and nobody else":  {1, spec.State{Role: spec.Candidate, Support: []spec.NodeID{namedID(3)}}, func(s *spec.State) { s.Support[0] = namedID(4) }},
		"another member":   {1, spec.State{Role: spec.Electing}, func(s *spec.State) { s.Support = []spec.NodeID{namedID(1)} }},
		"above epoch":      {1, spec.State{Role: spec.Electing}, func(s *spec.State) { s.Epoch = 0 }},
		"no configuration": {1, spec.State{Role: spec.Electing}, func(s *spec.State) { s.Configuration = spec.Configuration{} }},
	} {
		c.s.Configuration = conf
		c.s.Epoch = max(c.s.Epoch, 1)
		require.NoError(t, CheckState(namedID(c.id), c.s), says)
		c.spoil(&c.s)
		require.ErrorContains(t, CheckState(namedID(c.id), c.s), says)
	}
}

// drawMembers returns a configuration of nodes 1 to 5.
func drawMembers(t *rapid.T, label string) spec.Configuration {
	var members []spec.Member
	for i := ID(1); i <= 5; i++ {
		kind := rapid.SampledFrom([]spec.MemberKind{spec.Voter, spec.Voter, spec.Witness, spec.Observer, ""}).Draw(t, label)
		if kind != "" {
			address := rapid.SampledFrom([]string{"", "", "", "a:1"}).Draw(t, label+" address")
			members = append(members, spec.Member{ID: namedID(i), Kind: kind, Address: address})
		}
	}
	e, version := rapid.IntRange(0, 2).Draw(t, label+" epoch"), rapid.IntRange(1, 2).Draw(t, label+" version")
	c, err := spec.NewConfiguration(spec.Epoch(e), uint64(version), members)
	if err != nil || len(members) == 0 { // nobody votes
		return spec.EmptyConfiguration()
	}
	return c
}

func drawID(t *rapid.T, label string) spec.NodeID {
	i := ID(rapid.IntRange(0, 5).Draw(t, label))
	if i == None {
		return spec.NodeID{}
	}
	return namedID(i)
}

// drawState returns a state of node 2, which may be one that it cannot be in; most are not.
func drawState(t *rapid.T) spec.State {
	s := spec.State{
		Role: rapid.SampledFrom(spec.Roles()).Draw(t, "role"), Leader: drawID(t, "leader"), Grantee: drawID(t, "grantee"),
		Configuration: drawMembers(t, "member"),
	}
	s.Epoch = s.Configuration.Epoch
	if s.Role == spec.Leader {
		s.Leader, s.Grantee = namedID(2), namedID(2)
	} else {
		s.Epoch += spec.Epoch(rapid.IntRange(0, 2).Draw(t, "later epoch"))
	}
	for i := ID(1); s.Role != spec.Follower && i <= 5; i++ {
		if _, known := s.Configuration.Member(namedID(i)); known && i != 2 && rapid.Bool().Draw(t, "backs") {
			s.Support = append(s.Support, namedID(i))
		}
	}
	return s
}

// drawInput returns an input of node 2, whose configuration is often that of s or close to it.
func drawInput(t *rapid.T, s spec.State) spec.Input {
	conf := s.Configuration
	switch rapid.IntRange(0, 4).Draw(t, "configuration") {
	case 0:
		conf = drawMembers(t, "other member")
	case 1:
		if !conf.IsEmpty() {
			conf = conf.At(conf.Epoch, conf.Version+1)
		}
	}
	switch rapid.SampledFrom([]string{"message", "message", "message", "timer", "call", "change"}).Draw(t, "input") {
	case "timer":
		return spec.Input{Timer: rapid.SampledFrom(spec.Timers()).Draw(t, "timer")}
	case "call":
		return spec.Input{Call: rapid.SampledFrom([]spec.Call{spec.ResignCall, spec.HolderDeadCall}).Draw(t, "call")}
	case "change":
		wanted := drawMembers(t, "wanted member")
		if !wanted.IsEmpty() {
			wanted = wanted.At(s.Epoch, s.Configuration.Version+1)
		}
		return spec.Input{Call: spec.ChangeCall, Configuration: wanted}
	}
	e := conf.Epoch + spec.Epoch(rapid.IntRange(0, 3).Draw(t, "epoch of the message"))
	kind := rapid.SampledFrom(spec.MessageTypes()).Draw(t, "type")
	return spec.Input{Message: spec.Message{Type: kind, From: drawID(t, "from"), To: namedID(2), Epoch: e, Configuration: conf}}
}

// TestStepIsTotal sees that each state that CheckState passes has an answer to every input, which again passes; that no other
// has; and what is durable never goes back.
func TestStepIsTotal(t *testing.T) {
	count := map[spec.Action]int{}
	refused, adopted := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		state := drawState(t)
		if CheckState(namedID(2), state) != nil {
			refused++
			_, err := Step(namedID(2), state, drawInput(t, state))
			require.Error(t, err)
			return
		}
		for range 30 {
			got := stepTotally(t, state, drawInput(t, state))
			count[got.Action]++
			if got.After.Configuration != state.Configuration {
				adopted++
			}
			state = got.After
		}
	})
	for _, kind := range spec.MessageTypes() {
		require.NotZero(t, count[kind.Action()], kind)
	}
	require.NotZero(t, count[""])
	require.NotZero(t, refused)
	require.NotZero(t, adopted)
}

// stepTotally has node 2 take a step, and sees what holds of every step.
func stepTotally(t *rapid.T, before spec.State, in spec.Input) Answer {
	got, err := Step(namedID(2), before, in)
	require.NoError(t, err)
	after := got.After
	require.NoError(t, CheckState(namedID(2), after))
	require.GreaterOrEqual(t, after.Epoch, before.Epoch)
	if after.Configuration != before.Configuration {
		require.True(t, after.Configuration.Newer(before.Configuration))
	}
	if after.Epoch == before.Epoch && !before.Grantee.IsNone() {
		require.Equal(t, before.Grantee, after.Grantee, "an epoch is promised once")
	}
	if got.Action == "" {
		require.Equal(t, Answer{After: before}, got)
	}
	for _, m := range got.Sent {
		require.NoError(t, m.Validate())
		require.Equal(t, namedID(2), m.From)
		require.Equal(t, after.Configuration, m.Configuration)
	}
	return got
}

// TestRestartIsTotal does the same for what a crash leaves of a state.
func TestRestartIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kept := drawState(t).Durable()
		got, err := Restart(namedID(2), kept)
		require.NoError(t, err)
		require.NoError(t, CheckState(namedID(2), got.After))
		require.Equal(t, kept, got.After.Durable())
		require.Equal(t, spec.RestartAction, got.Action)
	})
}
