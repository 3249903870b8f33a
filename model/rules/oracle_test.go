package rules

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

// ask asks a question with names for all that occurs in it.
func ask(id spec.NodeID, before spec.State, in spec.Input) (spec.Step, error) {
	n, err := NamesIn(id, &before, &in)
	if err != nil {
		return spec.Step{}, err
	}
	return n.Answer(id, &before, &in)
}

// restart does the same for a restart.
func restart(id spec.NodeID, kept spec.Durable) (spec.Step, error) {
	n, err := NamesIn(id, &spec.State{Grantee: kept.Grantee, Configuration: kept.Configuration}, &spec.Input{})
	if err != nil {
		return spec.Step{}, err
	}
	return n.Restart(id, kept)
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
	before := spec.State{
		Role: spec.Leader, Leader: uuid, Epoch: 3, Grantee: uuid, Support: []spec.NodeID{low}, Latest: 7, Dated: 7,
		Answered: []spec.Answered{{Node: low, Question: 7}}, Configuration: old,
	}
	got, err := ask(uuid, before, spec.Input{Call: spec.ChangeCall, Configuration: wanted})
	require.NoError(t, err)
	after := before
	after.Support, after.Latest, after.Configuration = nil, 8, wanted
	require.Equal(t, spec.Step{State: after, Sent: []spec.Message{
		{Type: spec.Heartbeat, From: uuid, To: low, Epoch: 3, Question: 8, Configuration: wanted},
		{Type: spec.Heartbeat, From: uuid, To: high, Epoch: 3, Question: 8, Configuration: wanted},
	}}, got)

	elsewhere := configured(t, 3, 1, spec.Member{ID: uuid, Kind: spec.Voter, Address: "a:2"}, old.Members()[0])
	got, err = ask(uuid, before, spec.Input{Message: spec.Message{Type: spec.Ack, From: low, To: uuid, Epoch: 3, Question: 7, Configuration: elsewhere}})
	require.NoError(t, err)
	require.Equal(t, spec.Step{State: before}, got, "another address is another configuration")
}

func TestStepRefusesWhatHasNoAnswer(t *testing.T) {
	id := spec.IntegerID(1)
	conf := configured(t, 0, 1, spec.Member{ID: id, Kind: spec.Voter})
	good := spec.State{Role: spec.Follower, Latest: 1, Configuration: conf}
	var many, more []spec.Member // together one too many
	for i := range uint64(MaxIDs+2) / 2 {
		many = append(many, spec.Member{ID: spec.IntegerID(i + 1), Kind: spec.Voter})
		more = append(more, spec.Member{ID: spec.IntegerID(i + 101), Kind: spec.Voter})
	}
	crowded := spec.State{Role: spec.Follower, Latest: 1, Configuration: configured(t, 0, 2, many...)}
	for says, c := range map[string]struct {
		id     spec.NodeID
		before spec.State
		in     spec.Input
	}{
		"none is not the id of a node":                             {spec.NodeID{}, good, spec.Input{}},
		`the state of node 1: role: "" is no role`:                 {id, spec.State{}, spec.Input{}},
		"it has no configuration, as if members never changed":     {id, spec.State{Role: spec.Follower, Latest: 1}, spec.Input{}},
		"a configuration is for a call to change":                  {id, good, spec.Input{Timer: spec.PatienceTimer, Configuration: conf}},
		"and a cut for the network":                                {id, good, spec.Input{Cut: []spec.Link{{From: id, To: id}}}},
		"rules: 66 ids occur, 1 and others: at most 64 are wanted": {id, crowded, spec.Input{Call: spec.ChangeCall, Configuration: configured(t, 0, 2, more...)}},
	} {
		_, err := ask(c.id, c.before, c.in)
		require.ErrorContains(t, err, says)
	}
	n, err := NewNames([]spec.NodeID{id})
	require.NoError(t, err)
	_, err = n.Start(id, spec.Configuration{})
	require.ErrorContains(t, err, "it has no configuration")
	_, err = restart(id, spec.Durable{})
	require.ErrorContains(t, err, "it has no configuration")
}

// Names know those that they were made of, each time they are asked, and nobody else.
func TestNamesRefuseNonMembers(t *testing.T) {
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
		return spec.Input{Message: spec.Message{Type: spec.Heartbeat, From: from, To: one, Epoch: 1, Question: 1, Configuration: c}}
	}
	before := spec.State{Role: spec.Follower, Latest: 1, Configuration: of(one, two)}
	heard := says(two, of(one, two))
	known, err := n.Answer(one, &before, &heard)
	require.NoError(t, err)
	for range 2 {
		for _, in := range []spec.Input{says(three, of(one, two)), says(two, of(one, two, three))} {
			_, err = n.Answer(one, &before, &in)
			require.EqualError(t, err, "rules: node 3 occurs, and is not among the names")
		}
		_, err = n.Restart(one, spec.Durable{Epoch: 1, Grantee: three, Configuration: of(one, two)})
		require.EqualError(t, err, "rules: node 3 occurs, and is not among the names")
		again, err := n.Answer(one, &before, &heard)
		require.NoError(t, err)
		require.Equal(t, known, again)
	}
}

// What is no step leaves the state, and says no action.
func TestStepIgnores(t *testing.T) {
	id, other := spec.IntegerID(1), spec.IntegerID(2)
	conf := configured(t, 0, 1, spec.Member{ID: id, Kind: spec.Voter}, spec.Member{ID: other, Kind: spec.Voter})
	before := spec.State{Role: spec.Follower, Latest: 1, Configuration: conf}
	claim := spec.Message{Type: spec.Claim, From: other, To: id, Epoch: 1, Question: 1, Configuration: conf}
	for says, spoil := range map[string]func(in *spec.Input){
		"nothing at all":                func(in *spec.Input) { in.Message = spec.Message{} },
		"unknown type":                  func(in *spec.Input) { in.Message.Type = "VOTE" },
		"to another":                    func(in *spec.Input) { in.Message.From, in.Message.To = id, other },
		"of fixed members":              func(in *spec.Input) { in.Message.Configuration = spec.Configuration{} },
		"of a later epoch than it says": func(in *spec.Input) { in.Message.Configuration = conf.At(2, 1) },
		"a timer that does not run":     func(in *spec.Input) { *in = spec.Input{Timer: spec.HeartbeatTimer} },
		"an unknown timer":              func(in *spec.Input) { *in = spec.Input{Timer: "tea"} },
		"an unknown call":               func(in *spec.Input) { *in = spec.Input{Call: "sing"} },
		"who does not lead resigns":     func(in *spec.Input) { *in = spec.Input{Call: spec.ResignCall} },
		"nobody's death":                func(in *spec.Input) { *in = spec.Input{Call: spec.HolderDeadCall} },
		"a change of nothing":           func(in *spec.Input) { *in = spec.Input{Call: spec.ChangeCall} },
		"a change by a follower":        func(in *spec.Input) { *in = spec.Input{Call: spec.ChangeCall, Configuration: conf.At(0, 2)} },
	} {
		in := spec.Input{Message: claim}
		spoil(&in)
		got, err := ask(id, before, in)
		require.NoError(t, err, says)
		require.Equal(t, spec.Step{Ignored: true, State: before}, got, says)
	}
	got, err := ask(id, before, spec.Input{Message: claim})
	require.NoError(t, err)
	require.False(t, got.Ignored)
}

func TestStartAndRestart(t *testing.T) {
	id, other := spec.IntegerID(1), spec.IntegerID(2)
	n, err := NewNames(nil)
	require.NoError(t, err)
	joins, err := n.Start(id, spec.EmptyConfiguration())
	require.NoError(t, err)
	require.Equal(t, spec.Step{State: spec.State{Role: spec.Follower, Latest: 1, Configuration: spec.EmptyConfiguration()}}, joins)

	conf := configured(t, 2, 1, spec.Member{ID: id, Kind: spec.Witness}, spec.Member{ID: other, Kind: spec.Voter, Address: "b:1"})
	back, err := restart(id, spec.Durable{Epoch: 4, Grantee: other, Reserved: 2 * spec.Block, Configuration: conf})
	require.NoError(t, err)
	require.Equal(t, spec.Step{
		State: spec.State{Role: spec.Electing, Leader: id, Epoch: 4, Grantee: other, Latest: 2*spec.Block + 1, Configuration: conf},
		Sent:  []spec.Message{{Type: spec.ImBack, From: id, To: other, Epoch: 4, Question: 2*spec.Block + 1, Configuration: conf}},
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
		"lease of another": {1, spec.State{Role: spec.Follower}, func(s *spec.State) { s.Lease = 3 }},
		"takes a number":   {1, spec.State{Role: spec.Follower}, func(s *spec.State) { s.Latest = 0 }},
		"asks something":   {1, spec.State{Role: spec.Candidate}, func(s *spec.State) { s.Asked = 0 }},
		"dated from":       {1, spec.State{Role: spec.Leader, Leader: namedID(1), Grantee: namedID(1)}, func(s *spec.State) { s.Dated = 0 }},
		"answers a leader": {1, spec.State{Role: spec.Leader, Leader: namedID(1), Grantee: namedID(1)}, func(s *spec.State) {
			s.Answered = []spec.Answered{{Node: namedID(4), Question: 1}}
		}},
		"above epoch": {1, spec.State{Role: spec.Electing}, func(s *spec.State) { s.Epoch = 0 }},
	} {
		c.s.Configuration = conf
		c.s.Epoch, c.s.Latest = max(c.s.Epoch, 1), 9
		if !c.s.Leader.IsNone() && c.s.Leader != namedID(c.id) {
			c.s.Lease = 3
		}
		switch c.s.Role {
		case spec.Candidate, spec.Claimant:
			c.s.Asked = 9
		case spec.Leader:
			c.s.Dated = 9
		}
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
	s.Latest = drawQuestion(t, "latest")
	if !s.Leader.IsNone() && s.Leader != namedID(2) {
		s.Lease = drawQuestion(t, "lease")
	}
	switch s.Role {
	case spec.Candidate, spec.Claimant:
		s.Asked = s.Latest
	case spec.Leader:
		s.Dated = min(s.Latest, drawQuestion(t, "dated"))
		for _, j := range s.Support {
			s.Answered = append(s.Answered, spec.Answered{Node: j, Question: min(s.Latest, drawQuestion(t, "answered"))})
		}
	}
	return s
}

func drawQuestion(t *rapid.T, label string) spec.Question {
	return spec.Question(rapid.IntRange(1, 9).Draw(t, label))
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
	m := spec.Message{Type: kind, From: drawID(t, "from"), To: namedID(2), Epoch: e, Question: drawQuestion(t, "question"), Configuration: conf}
	switch {
	case kind == spec.Election:
		m.Keeps = drawID(t, "keeps")
	case kind == spec.Resign && rapid.Bool().Draw(t, "hands over"):
		m.Granted = spec.Granted{By: namedID(3), Epoch: e + 1, Question: drawQuestion(t, "claim granted")}
	}
	return spec.Input{Message: m}
}

// TestStepIsTotal sees that each state that CheckState passes has an answer to every input, which again passes; that no other
// has; and what is durable never goes back.
func TestStepIsTotal(t *testing.T) {
	count := map[spec.MessageType]int{}
	ignored, refused, adopted := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		state := drawState(t)
		if CheckState(namedID(2), state) != nil {
			refused++
			_, err := ask(namedID(2), state, drawInput(t, state))
			require.Error(t, err)
			return
		}
		for range 30 {
			in := drawInput(t, state)
			got := stepTotally(t, state, in)
			if got.Ignored {
				ignored++
			} else {
				count[in.Message.Type]++
			}
			if got.State.Configuration != state.Configuration {
				adopted++
			}
			state = got.State
		}
	})
	for _, kind := range spec.MessageTypes() {
		require.NotZero(t, count[kind], kind)
	}
	require.NotZero(t, ignored)
	require.NotZero(t, refused)
	require.NotZero(t, adopted)
}

// stepTotally has node 2 take a step, and sees what holds of every step.
func stepTotally(t *rapid.T, before spec.State, in spec.Input) spec.Step {
	got, err := ask(namedID(2), before, in)
	require.NoError(t, err)
	after := got.State
	require.NoError(t, CheckState(namedID(2), after))
	require.GreaterOrEqual(t, after.Epoch, before.Epoch)
	if after.Configuration != before.Configuration {
		require.True(t, after.Configuration.Newer(before.Configuration))
	}
	if after.Epoch == before.Epoch && !before.Grantee.IsNone() {
		require.Equal(t, before.Grantee, after.Grantee, "an epoch is promised once")
	}
	if got.Ignored {
		require.Equal(t, spec.Step{Ignored: true, State: before}, got)
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
		got, err := restart(namedID(2), kept)
		require.NoError(t, err)
		require.NoError(t, CheckState(namedID(2), got.State))
		require.Equal(t, kept.Reserved+1, got.State.Latest, "none of the numbers that may have been used")
		kept.Reserved += spec.Block
		require.Equal(t, kept, got.State.Durable())
	})
}

// What has no configuration is of a cluster whose members never change, and of 64 members as of three.
func TestStaticMembers(t *testing.T) {
	var members []spec.NodeID
	for i := ID(1); i <= MaxIDs; i++ {
		members = append(members, namedID(i))
	}
	n, err := NewStaticNames(members)
	require.NoError(t, err)
	top, nonMember, blank := namedID(MaxIDs), namedID(MaxIDs+1), spec.State{Role: spec.Follower, Latest: 1}
	with := configured(t, 0, 1, spec.Member{ID: top, Kind: spec.Voter}, spec.Member{ID: namedID(1), Kind: spec.Voter})
	started, err := n.Start(top, spec.Configuration{})
	require.NoError(t, err)
	require.Equal(t, spec.Step{State: blank}, started)

	asks, err := n.Answer(top, &blank, &spec.Input{Timer: spec.PatienceTimer})
	require.NoError(t, err)
	require.Len(t, asks.Sent, MaxIDs-1)
	require.Equal(t, spec.Message{Type: spec.Election, From: top, To: namedID(MaxIDs - 1), Question: 2}, asks.Sent[MaxIDs-2])
	half := spec.State{Role: spec.Claimant, Support: members[:MaxIDs/2-1], Asked: 4, Latest: 4} // and itself
	wins, err := n.Answer(top, &half, &spec.Input{Message: spec.Message{Type: spec.Grant, From: members[40], To: top, Epoch: 1, Question: 4}})
	require.NoError(t, err)
	led := wins.State
	require.Len(t, led.Answered, MaxIDs/2)
	led.Answered = nil
	require.Equal(t, spec.State{Role: spec.Leader, Leader: top, Epoch: 1, Grantee: top, Latest: 4, Dated: 4}, led)
	still, err := n.Answer(top, &half, &spec.Input{Message: spec.Message{Type: spec.Grant, From: members[3], To: top, Epoch: 1, Question: 4}})
	require.NoError(t, err)
	require.Equal(t, half, still.State)

	for says, m := range map[string]spec.Message{
		"of a non-member (R34)": {Type: spec.Claim, From: nonMember, To: top, Epoch: 1, Question: 1},
		"to a non-member":       {Type: spec.Claim, From: top, To: nonMember, Epoch: 1, Question: 1},
		"with members (R34)":    {Type: spec.Claim, From: namedID(1), To: top, Epoch: 1, Question: 1, Configuration: with},
		"of no type":            {From: namedID(1), To: top, Epoch: 1, Question: 1},
	} {
		got, err := n.Answer(top, &blank, &spec.Input{Message: m})
		require.NoError(t, err, says)
		require.Equal(t, spec.Step{Ignored: true, State: blank}, got, says)
	}
	got, err := n.Answer(top, &wins.State, &spec.Input{Call: spec.ChangeCall, Configuration: with.At(1, 2)})
	require.NoError(t, err)
	require.True(t, got.Ignored)
}

func TestStaticMembersRefuse(t *testing.T) {
	one, two := namedID(1), namedID(2)
	n, err := NewStaticNames([]spec.NodeID{one, two})
	require.NoError(t, err)
	with := configured(t, 0, 1, spec.Member{ID: one, Kind: spec.Voter})
	for says, s := range map[string]spec.State{
		"node 30 occurs, and is not among the names":            {Role: spec.Electing, Leader: namedID(3)},
		"node 10 has a configuration, and members never change": {Role: spec.Follower, Configuration: with},
	} {
		_, err := n.Answer(one, &s, &spec.Input{Timer: spec.PatienceTimer})
		require.EqualError(t, err, "rules: "+says)
	}
	_, err = n.Restart(one, spec.Durable{Configuration: with})
	require.ErrorContains(t, err, "members never change")
	_, err = NewStaticNames(nil)
	require.ErrorContains(t, err, "without members")
	require.NoError(t, CheckState(one, spec.State{Role: spec.Leader, Leader: one, Grantee: one, Epoch: 3, Support: []spec.NodeID{two}, Latest: 2, Dated: 2}))
}
