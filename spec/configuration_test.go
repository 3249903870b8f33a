package spec_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/spec"
)

var (
	four = spec.IntegerID(4)

	// mixed is a member of every kind, with addresses and without.
	mixed = []spec.Member{
		{ID: one, Kind: spec.Voter, Address: "10.0.0.1:7400"}, {ID: two, Kind: spec.Voter},
		{ID: three, Kind: spec.Witness, Address: "db-3.example:7400"}, {ID: four, Kind: spec.Observer},
	}
	mixedText = `{"epoch":4,"version":2,"members":[{"id":"1","kind":"voter","address":"10.0.0.1:7400"},{"id":"2","kind":"voter"},` +
		`{"id":"3","kind":"witness","address":"db-3.example:7400"},{"id":"4","kind":"observer"}]}`
	emptyText = `{"epoch":0,"version":0,"members":[]}`
)

// ranks is members with ranks and without.
var ranks = []spec.Member{
	{ID: one, Kind: spec.Voter, Rank: 7, Address: "10.0.0.1:7400"}, {ID: two, Kind: spec.Voter},
	{ID: three, Kind: spec.Witness, Rank: spec.MaxRank}, {ID: four, Kind: spec.Voter, Rank: 7},
}

func configuration(t testing.TB, e spec.Epoch, version uint64, members ...spec.Member) spec.Configuration {
	t.Helper()
	c, err := spec.NewConfiguration(e, version, members)
	require.NoError(t, err)
	return c
}

// voters returns so many voters with ids from 1 on, each with an address of so many characters.
func voters(n, address int) (members []spec.Member) {
	for i := range n {
		members = append(members, spec.Member{ID: spec.IntegerID(uint64(i + 1)), Kind: spec.Voter, Address: strings.Repeat("a", address)})
	}
	return members
}

func TestConfiguration(t *testing.T) {
	c := configuration(t, 4, 2, mixed...)
	require.NoError(t, c.Validate())
	require.Equal(t, spec.Epoch(4), c.Epoch)
	require.Equal(t, uint64(2), c.Version)
	require.Equal(t, 4, c.Len())
	require.Equal(t, mixed, c.Members())
	require.False(t, c.IsNone())
	require.False(t, c.IsEmpty())
	require.Equal(t, "epoch:4 version:2 {1 2 witness:3 observer:4}", c.String())
	for _, want := range mixed {
		m, found := c.Member(want.ID)
		require.True(t, found)
		require.Equal(t, want, m)
	}
	for _, nonMember := range []spec.NodeID{{}, spec.IntegerID(5), id(t, ranked[9])} {
		m, found := c.Member(nonMember)
		require.False(t, found)
		require.Zero(t, m)
	}

	turned := slices.Clone(mixed)
	slices.Reverse(turned)
	require.True(t, c == configuration(t, 4, 2, turned...), "members are given in any order, and configurations are compared with ==")
	turned[0].Kind = spec.Voter
	require.Equal(t, mixed, c.Members(), "a configuration shares no memory with what it is made of")
	c.Members()[0].Address = "x"
	require.Equal(t, mixed, c.Members())
	for _, other := range []spec.Configuration{
		configuration(t, 5, 2, mixed...), configuration(t, 4, 3, mixed...), configuration(t, 4, 2, mixed[:3]...), configuration(t, 4, 2, turned...),
		spec.EmptyConfiguration(), {},
	} {
		require.False(t, c == other, "%v", other)
	}
}

// TestRanks: members are compared by rank, and those of one rank by id; rank is a part of what a configuration is, in each of its forms.
func TestRanks(t *testing.T) {
	c := configuration(t, 4, 2, ranks...)
	require.Equal(t, ranks, c.Members())
	require.Equal(t, "epoch:4 version:2 {1^7 2 witness:3^65535 4^7}", c.String())
	for _, ids := range [][]spec.NodeID{{spec.IntegerID(5), two}, {two, one}, {one, four}, {four, three}, {{}, one}} {
		lower, higher := ids[0], ids[1]
		if lower != spec.IntegerID(5) { // it is no member: its rank is 0
			require.True(t, c.Higher(higher, lower), "%v than %v", higher, lower)
		}
		require.Equal(t, lower == spec.IntegerID(5), c.Higher(lower, higher), "%v than %v", lower, higher)
		require.False(t, c.Higher(lower, lower))
	}
	require.True(t, spec.Configuration{}.Higher(two, one), "fixed members are compared by their ids")
	other := slices.Clone(ranks)
	other[3].Rank = 8
	require.False(t, c.SameMembers(configuration(t, 4, 2, other...)))

	text, err := json.Marshal(c)
	require.NoError(t, err)
	require.Equal(t, `{"epoch":4,"version":2,"members":[{"id":"1","kind":"voter","rank":7,"address":"10.0.0.1:7400"},{"id":"2","kind":"voter"},`+
		`{"id":"3","kind":"witness","rank":65535},{"id":"4","kind":"voter","rank":7}]}`, string(text))
	var back spec.Configuration
	require.NoError(t, json.Unmarshal(text, &back))
	require.True(t, c == back)

	full := voters(46, 0)
	for i := range full {
		full[i].Rank = uint16(i + 1)
	}
	require.Equal(t, 46, configuration(t, 1, 1, full...).Len(), "as many as fit into a message")
	_, err = spec.NewConfiguration(1, 1, append(full, spec.Member{ID: spec.IntegerID(47), Kind: spec.Voter, Rank: 1}))
	requireField(t, err, "members", "a message with them has 1039 bytes")
}

func TestConfigurationOfNobody(t *testing.T) {
	var none spec.Configuration
	empty := spec.EmptyConfiguration()
	require.True(t, none.IsNone())
	require.False(t, none.IsEmpty())
	require.False(t, empty.IsNone())
	require.True(t, empty.IsEmpty())
	require.True(t, empty == configuration(t, 0, 0))
	require.NoError(t, empty.Validate())
	requireField(t, none.Validate(), "", "none: a configuration is wanted")
	require.Equal(t, "none", none.String())
	require.Equal(t, "epoch:0 version:0 {}", empty.String())
	for _, c := range []spec.Configuration{none, empty} {
		require.Zero(t, c.Len())
		require.Empty(t, c.Members())
		_, found := c.Member(one)
		require.False(t, found)
	}
	require.True(t, none.At(4, 2).IsNone(), "none stays none")
	stamped := none
	stamped.Epoch = 4
	require.False(t, stamped.IsNone())
	requireField(t, stamped.Validate(), "", "none")
	require.Zero(t, stamped.Len())
	require.Empty(t, stamped.Members())
	require.NotEmpty(t, stamped.String())
}

// TestConfigurationOrder sees that configurations are ordered by epoch, and then by version, and not by their members.
func TestConfigurationOrder(t *testing.T) {
	ascending := []spec.Configuration{
		spec.EmptyConfiguration(), configuration(t, 0, 1, mixed...), configuration(t, 0, 2, mixed[:1]...), configuration(t, 0, spec.MaxVersion, mixed...),
		configuration(t, 1, 1, mixed[:2]...), configuration(t, 4, 2, mixed...), configuration(t, spec.MaxEpoch, 1, mixed...),
	}
	for i, a := range ascending {
		for j, b := range ascending {
			require.Equal(t, i > j, a.Newer(b), "%v against %v", a, b)
		}
	}
	require.False(t, configuration(t, 1, 1, mixed[0]).Newer(configuration(t, 1, 1, mixed[1])))
	require.False(t, spec.EmptyConfiguration().Newer(spec.Configuration{}))
}

func TestConfigurationAt(t *testing.T) {
	c := configuration(t, 4, 2, mixed...)
	later := c.At(5, 3)
	require.True(t, later == configuration(t, 5, 3, mixed...))
	require.True(t, c == configuration(t, 4, 2, mixed...))
	require.True(t, c.SameMembers(later))
	moved := slices.Clone(mixed)
	moved[0].Address = "10.0.0.9:7400"
	promoted := slices.Clone(mixed)
	promoted[3].Kind = spec.Voter
	for _, members := range [][]spec.Member{moved, promoted, mixed[:3], mixed[1:]} {
		require.False(t, c.SameMembers(configuration(t, 4, 2, members...)))
	}
	require.False(t, spec.EmptyConfiguration().SameMembers(spec.Configuration{}))
}

// TestConfigurationIsCheap holds that what a node asks of a configuration with every message costs no memory.
func TestConfigurationIsCheap(t *testing.T) {
	c := configuration(t, 4, 2, voters(20, 13)...)
	d, last := c.At(4, 3), spec.IntegerID(20)
	var newer, found, same, stays bool
	require.Zero(t, testing.AllocsPerRun(100, func() {
		newer = d.Newer(c)
		_, found = c.Member(last)
		same = c.SameMembers(d) && c.At(4, 3) == d
		stays = c.Validate() == nil && c.Len() == 20 && !c.IsNone() && !c.IsEmpty()
	}))
	require.True(t, newer && found && same && stays)
}

// TestNewConfigurationRefuses gives members of which no configuration can be made.
func TestNewConfigurationRefuses(t *testing.T) {
	with := func(change func([]spec.Member)) []spec.Member {
		members := slices.Clone(mixed)
		change(members)
		return members
	}
	for _, c := range []struct {
		field, problem string
		epoch          spec.Epoch
		version        uint64
		members        []spec.Member
	}{
		{"epoch", "9007199254740992 is above 2^53-1", spec.MaxEpoch + 1, 1, mixed},
		{"version", "9007199254740992 is above 2^53-1", 1, spec.MaxVersion + 1, mixed},
		{"version", "0: with members it is 1 or more", 1, 0, mixed},
		{"version", "2: without members it is 0", 0, 2, nil},
		{"epoch", "2: without members it is 0", 2, 0, nil},
		{"members", "there are 51: at most 50 are wanted", 1, 1, voters(51, 0)},
		{"members[0].id", "none", 1, 1, with(func(m []spec.Member) { m[0].ID = spec.NodeID{} })},
		{"members[3].id", "neither an integer nor a UUID", 1, 1, with(func(m []spec.Member) { m[3].ID = spec.NodeID{1} })},
		{"members[1].id", "2 after 2: ascending order is wanted, each node once", 1, 1, with(func(m []spec.Member) { m[0].ID = two })},
		{"members[1].kind", `"" is no kind of member`, 1, 1, with(func(m []spec.Member) { m[1].Kind = "" })},
		{"members[1].kind", `"Voter" is no kind of member`, 1, 1, with(func(m []spec.Member) { m[1].Kind = "Voter" })},
		{"members[2].address", "129 characters: at most 128 are wanted", 1, 1, with(func(m []spec.Member) { m[2].Address = strings.Repeat("a", 129) })},
		{"members[2].address", "300 characters", 1, 1, with(func(m []spec.Member) { m[2].Address = strings.Repeat("a", 300) })},
		{"members[2].address", "without space", 1, 1, with(func(m []spec.Member) { m[2].Address = "a b" })},
		{"members[2].address", "without space", 1, 1, with(func(m []spec.Member) { m[2].Address = `a"b` })},
		{"members[2].address", "without space", 1, 1, with(func(m []spec.Member) { m[2].Address = `a\b` })},
		{"members[2].address", "without space", 1, 1, with(func(m []spec.Member) { m[2].Address = "é" })},
		{"members[2].address", "without space", 1, 1, with(func(m []spec.Member) { m[2].Address = "a\x7f" })},
		{"members[2].address", "without space", 1, 1, with(func(m []spec.Member) { m[2].Address = "a&b" })},
		{"members[2].address", "without space", 1, 1, with(func(m []spec.Member) { m[2].Address = "<a" })},
		{"members[2].address", "without space", 1, 1, with(func(m []spec.Member) { m[2].Address = "a>" })},
		{"members", "there is no voter", 1, 1, mixed[2:]},
		{"members", "a message with them has 1025 bytes", 1, 1, append(voters(6, 128), spec.Member{ID: spec.IntegerID(7), Kind: spec.Voter, Address: strings.Repeat("a", 32)})},
	} {
		made, err := spec.NewConfiguration(c.epoch, c.version, c.members)
		requireField(t, err, c.field, c.problem)
		require.True(t, made.IsNone())
	}
	require.Equal(t, 50, configuration(t, 1, 1, voters(50, 0)...).Len())
	require.Equal(t, 7, configuration(t, 1, 1, append(voters(6, 128), spec.Member{ID: spec.IntegerID(7), Kind: spec.Voter, Address: strings.Repeat("a", 31)})...).Len())
}

func TestConfigurationValidate(t *testing.T) {
	for _, c := range []struct {
		field, problem string
		made           spec.Configuration
	}{
		{"epoch", "above 2^53-1", configuration(t, 4, 2, mixed...).At(spec.MaxEpoch+1, 2)},
		{"version", "above 2^53-1", configuration(t, 4, 2, mixed...).At(4, spec.MaxVersion+1)},
		{"version", "0: with members", configuration(t, 4, 2, mixed...).At(4, 0)},
		{"version", "1: without members", spec.EmptyConfiguration().At(0, 1)},
		{"epoch", "1: without members", spec.EmptyConfiguration().At(1, 0)},
		{"", "none", spec.Configuration{}},
	} {
		requireField(t, c.made.Validate(), c.field, c.problem)
		_, err := json.Marshal(c.made)
		require.ErrorContains(t, err, c.problem)
		if c.made.IsNone() {
			continue
		}
		field := strings.TrimSuffix("configuration."+c.field, ".")
		if c.made.Epoch.Valid() {
			message := claim
			message.Epoch, message.Configuration = spec.MaxEpoch, c.made
			requireField(t, message.Validate(), field, c.problem)
			_, err = message.MarshalBinary()
			requireField(t, err, field, c.problem)
			requireField(t, spec.Durable{Epoch: spec.MaxEpoch, Configuration: c.made}.Validate(), field, c.problem)
		}
		requireField(t, spec.Event{Seq: 1, Node: one, Action: spec.ChangeAction, State: blank,
			Input: spec.Input{Call: spec.ChangeCall, Configuration: c.made}}.Validate(), "input."+field, c.problem)
	}
}

func TestConfigurationJSON(t *testing.T) {
	for text, c := range map[string]spec.Configuration{mixedText: configuration(t, 4, 2, mixed...), emptyText: spec.EmptyConfiguration()} {
		written, err := json.Marshal(c)
		require.NoError(t, err)
		require.Equal(t, text, string(written))
		var back spec.Configuration
		require.NoError(t, json.Unmarshal(written, &back))
		require.True(t, c == back)
	}
	var back spec.Configuration
	loose := " { \"members\" : [ {\"kind\":\"voter\",\t\"id\":\"3\"} ] , \"version\":1,\n\"epoch\" : 0 } "
	require.NoError(t, back.UnmarshalJSON([]byte(loose)))
	require.True(t, back == configuration(t, 0, 1, spec.Member{ID: three, Kind: spec.Voter}))
}

func TestConfigurationJSONRefuses(t *testing.T) {
	member := func(text string) string {
		return `{"epoch":4,"version":2,"members":[{"id":"1","kind":"voter"},` + text + `]}`
	}
	for _, c := range []struct{ text, field, problem string }{
		{`{}`, "epoch", "missing"},
		{`{"version":2,"members":[]}`, "epoch", "missing"},
		{`{"epoch":4,"members":[]}`, "version", "missing"},
		{`{"epoch":4,"version":2}`, "members", "missing"},
		{`{"epoch":4,"version":2,"members":[],"quorum":2}`, "quorum", "unknown field"},
		{`{"epoch":4,"version":2,"version":2,"members":[]}`, "version", "given twice"},
		{`{"epoch":4,"version":-2,"members":[]}`, "version", "negative"},
		{`{"epoch":4,"version":"2","members":[]}`, "version", "an integer expected"},
		{`{"epoch":9007199254740992,"version":2,"members":[]}`, "epoch", "above 2^53-1"},
		{`{"epoch":4,"version":9007199254740992,"members":[]}`, "version", "above 2^53-1"},
		{`{"epoch":4,"version":2,"members":[]}`, "version", "2: without members it is 0"},
		{`{"epoch":4,"version":0,"members":[]}`, "epoch", "4: without members it is 0"},
		{`{"epoch":4,"version":0,"members":[{"id":"1","kind":"voter"}]}`, "version", "0: with members it is 1 or more"},
		{`{"epoch":4,"version":2,"members":[{"id":"1","kind":"witness"}]}`, "members", "there is no voter"},
		{`{"epoch":4,"version":2,"members":null}`, "members", "an array expected"},
		{`{"epoch":4,"version":2,"members":["1"]}`, "members[0]", "an object expected"},
		{member(`{"kind":"voter"}`), "members[1].id", "missing"},
		{member(`{"id":"2"}`), "members[1].kind", "missing"},
		{member(`{"id":"2","kind":"voter","role":"x"}`), "members[1].role", "unknown field"},
		{member(`{"id":"2","kind":"voter","kind":"voter"}`), "members[1].kind", "given twice"},
		{member(`{"id":2,"kind":"voter"}`), "members[1].id", "a string expected"},
		{member(`{"id":null,"kind":"voter"}`), "members[1].id", "a string expected"},
		{member(`{"id":"2","kind":"VOTER"}`), "members[1].kind", `"VOTER" is no kind of member`},
		{member(`{"id":"2","kind":"voter","rank":0}`), "members[1].rank", "0: a rank from 1 to 65535 is wanted, and none for 0"},
		{member(`{"id":"2","kind":"voter","rank":65536}`), "members[1].rank", "65536: a rank from 1 to 65535 is wanted"},
		{member(`{"id":"2","kind":"voter","rank":-1}`), "members[1].rank", "negative"},
		{member(`{"id":"2","kind":"voter","rank":"1"}`), "members[1].rank", "an integer expected"},
		{member(`{"id":"2","kind":"voter","rank":null}`), "members[1].rank", "an integer expected"},
		{member(`{"id":"2","kind":"voter","rank":1,"rank":1}`), "members[1].rank", "given twice"},
		{member(`{"id":"2","kind":"voter","address":""}`), "members[1].address", "empty: leave it out"},
		{member(`{"id":"2","kind":"voter","address":null}`), "members[1].address", "a string expected"},
		{member(`{"id":"2","kind":"voter","address":"a b"}`), "members[1].address", "without space"},
		{member(`{"id":"2","kind":"voter","address":"a\u0062"}`), "members[1].address", "without escapes"},
		{member(`{"id":"2","kind":"voter","address":"` + strings.Repeat("a", 129) + `"}`), "members[1].address", "129 characters"},
		{member(`{"id":"1","kind":"voter"}`), "members[1].id", "1 after 1: ascending order"},
		{member(`{"id":"3","kind":"voter"},{"id":"2","kind":"voter"}`), "members[2].id", "2 after 3: ascending order"},
		{member(`{"id":"2","kind":"voter"},`), "members[2]", "an object expected"},
		{mixedText + "}", "", "the end expected"},
		{`null`, "", "an object expected"},
	} {
		kept := configuration(t, 7, 7, mixed...)
		requireField(t, kept.UnmarshalJSON([]byte(c.text)), c.field, c.problem)
		require.True(t, kept == configuration(t, 7, 7, mixed...), "an error must leave the configuration as it was")
	}
}

// drawConfiguration draws configurations of all sizes: of integers and UUIDs, of every kind, with addresses and without.
func drawConfiguration(t *rapid.T, epoch spec.Epoch) spec.Configuration {
	ids := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) spec.NodeID {
		id := spec.IntegerID(rapid.Uint64Min(1).Draw(t, "integer"))
		if rapid.Bool().Draw(t, "uuid") {
			id[0], id[6], id[8] = byte(rapid.IntRange(0, 255).Draw(t, "first")), 0x40, 0x80
		}
		return id
	}), 0, spec.MaxChangingMembers, rapid.ID[spec.NodeID]).Draw(t, "ids")
	room := spec.MaxFrame - (spec.MessageSize + 32 + 16 + 1) - 18*len(ids) // of the longest message
	var members []spec.Member
	for i, id := range ids {
		kind := rapid.SampledFrom(spec.MemberKinds()).Draw(t, "kind")
		if i == 0 {
			kind = spec.Voter
		}
		address := rapid.StringMatching(`[!#-%'-;=?-\[\]-~]{0,24}`).Draw(t, "address")
		address = address[:min(len(address), room)]
		room -= len(address)
		rank := uint16(0)
		if room >= 2 && rapid.Bool().Draw(t, "ranked") {
			rank = rapid.Uint16Min(1).Draw(t, "rank")
			room -= 2
		}
		members = append(members, spec.Member{ID: id, Kind: kind, Rank: rank, Address: address})
	}
	version := uint64(0)
	if len(ids) > 0 {
		version = rapid.Uint64Range(1, spec.MaxVersion).Draw(t, "version")
		epoch = spec.Epoch(rapid.Uint64Max(uint64(epoch)).Draw(t, "epoch"))
	} else {
		epoch = 0
	}
	c, err := spec.NewConfiguration(epoch, version, members)
	require.NoError(t, err)
	slices.SortFunc(members, func(a, b spec.Member) int { return a.ID.Compare(b.ID) })
	require.Equal(t, len(members), c.Len())
	for i, m := range c.Members() {
		require.Equal(t, members[i], m)
	}
	return c
}

// TestConfigurationRoundTrips writes and reads configurations in every form that has them.
func TestConfigurationRoundTrips(t *testing.T) {
	sizes := map[int]bool{}
	rapid.Check(t, func(t *rapid.T) {
		epoch := spec.Epoch(rapid.Uint64Max(uint64(spec.MaxEpoch)).Draw(t, "message epoch"))
		message := spec.Message{Type: rapid.SampledFrom(spec.MessageTypes()).Draw(t, "type"), From: three, To: one, Epoch: epoch, Question: 7,
			Configuration: drawConfiguration(t, epoch)}
		sizes[message.Configuration.Len()] = true
		data, err := message.MarshalBinary()
		require.NoError(t, err)
		require.LessOrEqual(t, len(data), spec.MaxFrame)
		require.Equal(t, len(data), cap(data), "what is allotted is what is needed")
		var fromBinary, fromJSON spec.Message
		require.NoError(t, fromBinary.UnmarshalBinary(data))
		require.True(t, message == fromBinary)
		text, err := message.MarshalJSON()
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &fromJSON))
		require.True(t, message == fromJSON)

		state := spec.State{Role: spec.Leader, Leader: three, Epoch: epoch, Grantee: three, Support: []spec.NodeID{one}, Configuration: message.Configuration}
		event := spec.Event{Seq: 1, Node: one, Action: spec.ChangeAction, State: state,
			Input: spec.Input{Call: spec.ChangeCall, Configuration: message.Configuration}}
		text, err = event.MarshalJSON()
		require.NoError(t, err)
		var back spec.Event
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, event, back)
		text, err = state.Durable().MarshalJSON()
		require.NoError(t, err)
		var record spec.Durable
		require.NoError(t, json.Unmarshal(text, &record))
		require.True(t, state.Durable() == record)
	})
	if !testing.Short() {
		require.Greater(t, len(sizes), 10, "configurations of many sizes have been seen")
	}
}
