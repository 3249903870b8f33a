package traces

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	scripts "github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
	"github.com/seed-fdf591db/bully/traces"
)

var model = conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })

// happened returns what comes of a script in which members change.
func happened(t testing.TB, script *scripts.Script) (spec.Header, []spec.Event) {
	h := spec.Header{Changing: true, Members: script.Members, Seed: 1, Commit: "test"}
	var text bytes.Buffer
	w := spec.NewTraceWriter(&text, h)
	_, err := script.Run(model, scripts.Options{Trace: w})
	require.NoError(t, err)
	require.NoError(t, w.Flush())
	return h, eventsOf(t, text.Bytes())
}

func eventsOf(t testing.TB, text []byte) []spec.Event {
	_, events, err := traces.Read(text)
	require.NoError(t, err)
	return events
}

// changed is a run of one node, which adds another, changes its address, and removes it. A message is lost without a word.
func changed(t testing.TB) (spec.Header, []spec.Event) {
	script, err := scripts.ParseScript(`members 1 2
first 1@one:7400
end 1 patience
end 1 election
change 1 to 1@one:7400 2@two:7400
settle
change 1 to 1@one:7400 2@elsewhere:7400
lose 1 2
end 1 heartbeat
settle
change 1 to 1@one:7400
settle
end 2 patience`)
	require.NoError(t, err)
	h, events := happened(t, script)
	return h, slices.DeleteFunc(events, func(e spec.Event) bool { return e.Action == spec.LoseAction })
}

// addGolden adds the golden traces in which members change, and the same with one thing changed: package check says where
// those must be refused.
func (c *corpus) addGolden() {
	names, err := fs.Glob(traces.Valid, "members-*.ndjson")
	require.NoError(c.t, err)
	require.GreaterOrEqual(c.t, len(names), 8)
	random := rand.New(rand.NewPCG(9, 6))
	for _, name := range names {
		text, err := fs.ReadFile(traces.Valid, name)
		require.NoError(c.t, err)
		c.add(name, text, 0, "")
		c.mutate(name, text, random, 6)
	}
}

// addChanging adds random runs in which members change, close to the highest epoch too, and the same with one thing changed.
func (c *corpus) addChanging() {
	for seed := range 30 * soak() {
		random := rand.New(rand.NewPCG(uint64(seed), 9))
		script := scripts.DrawScript(random.IntN).DrawFirst(random.IntN)
		var text bytes.Buffer
		w := spec.NewTraceWriter(&text, spec.Header{Changing: true, Members: script.Members, Seed: 1, Commit: "test"})
		run, err := scripts.New(script.Members, model, scripts.Options{First: script.First, Records: script.Records, Trace: w})
		require.NoError(c.t, err)
		for run.Events() < 70 {
			require.NoError(c.t, run.Do(run.Draw(random.IntN)))
		}
		require.NoError(c.t, w.Flush())
		name := fmt.Sprintf("changing %d", seed)
		c.add(name, text.Bytes(), 0, "")
		c.mutate(name, text.Bytes(), random, 2)
	}
}

// mutate adds a trace with one thing changed, so many times.
func (c *corpus) mutate(name string, text []byte, random *rand.Rand, times int) {
	in, err := spec.NewTraceReader(bytes.NewReader(text))
	require.NoError(c.t, err)
	h, events := in.Header(), eventsOf(c.t, text)
	all := append(slices.Clone(mutations), changeConfiguration, changeConfiguration, changeConfiguration)
	for i := range times {
		mutation := all[random.IntN(len(all))]
		if mutant := ndjsonOf(h, mutation(random, h.Members, cloned(events), random.IntN(len(events)))); mutant != nil {
			c.judge(fmt.Sprintf("%s, mutated %d", name, i), mutant)
		}
	}
}

// changeConfiguration changes a configuration of an event: its epoch, its version, or one of its members.
func changeConfiguration(random *rand.Rand, members []spec.NodeID, events []spec.Event, at int) []spec.Event {
	e := &events[at]
	all := []*spec.Configuration{&e.State.Configuration, &e.Input.Message.Configuration, &e.Input.Configuration}
	for i := range e.Sent {
		all = append(all, &e.Sent[i].Configuration)
	}
	all = slices.DeleteFunc(all, func(c *spec.Configuration) bool { return c.IsNone() })
	if len(all) == 0 {
		return events
	}
	c := all[random.IntN(len(all))]
	switch list := c.Members(); random.IntN(4) {
	case 0:
		*c = c.At(c.Epoch, c.Version+1)
	case 1:
		*c = c.At(c.Epoch+1, c.Version)
	case 2:
		m := spec.Member{ID: members[random.IntN(len(members))], Kind: spec.MemberKinds()[random.IntN(3)]}
		list = append(slices.DeleteFunc(list, func(n spec.Member) bool { return n.ID == m.ID }), m)
		*c, _ = spec.NewConfiguration(c.Epoch, max(1, c.Version), list)
	default:
		if len(list) > 0 {
			list[random.IntN(len(list))].Address = "elsewhere"
			*c, _ = spec.NewConfiguration(c.Epoch, c.Version, list)
		}
	}
	return events
}

// TestTLCOfChangingMembers has TLC check traces in which members change.
func TestTLCOfChangingMembers(t *testing.T) {
	slowtest.Only(t, "TLC replays traces")
	t.Parallel()
	checker, c := newChecker(t), newCorpus(t)
	c.add("changed", ndjsonOf(changed(t)), 0, "")
	c.addGolden()
	c.addChanging()
	c.addFaultsOfMembers()
	c.check(checker)
}

// addFaultsOfMembers adds traces with one fault each of which TLC must name the part.
func (c *corpus) addFaultsOfMembers() {
	configuration := func(e spec.Epoch, version uint64, ids ...uint64) spec.Configuration {
		var members []spec.Member
		for _, id := range ids {
			members = append(members, spec.Member{ID: spec.IntegerID(id), Kind: spec.Voter, Address: map[uint64]string{1: "one:7400", 2: "two:7400"}[id]})
		}
		made, err := spec.NewConfiguration(e, version, members)
		require.NoError(c.t, err)
		return made
	}
	for _, f := range []struct {
		name  string
		line  int
		part  Part
		spoil func([]spec.Event)
	}{
		{"starts with a version of its own", 2, startPart, func(es []spec.Event) { es[0].State.Configuration = configuration(0, 2, 1) }},
		{"starts with a configuration that it is not in", 2, startPart, func(es []spec.Event) { es[0].State.Configuration = configuration(0, 1, 2) }},
		{"joins with another list of the first members", 3, listPart, func(es []spec.Event) { es[1].State.Configuration = configuration(0, 1, 1, 2) }},
		{"starts with another list of the first members", 3, listPart, func(es []spec.Event) { es[1].State.Configuration = configuration(0, 1, 2) }},
		{"is not stamped", 5, StatePart, func(es []spec.Event) { es[3].State.Configuration = configuration(0, 1, 1) }},
		{"changes two versions at once", 6, unheededPart, func(es []spec.Event) {
			es[4].Input.Configuration = configuration(1, 3, 1, 2)
			es[4].State.Configuration = es[4].Input.Configuration
			es[4].Sent[0].Configuration = es[4].Input.Configuration
		}},
		{"says another configuration", 6, sentPart, func(es []spec.Event) { es[4].Sent[0].Configuration = configuration(1, 1, 1) }},
		{"hears another configuration", 7, linkPart, func(es []spec.Event) { es[5].Input.Message.Configuration = configuration(1, 1, 1) }},
		{"is crashed back", 16, StatePart, func(es []spec.Event) {}},
	} {
		h, events := changed(c.t)
		f.spoil(events)
		if f.line > len(events)+1 {
			events = append(events, spec.Event{Node: spec.IntegerID(2), Action: spec.CrashAction,
				State: spec.State{Role: spec.Follower, Epoch: 1, Grantee: spec.IntegerID(1), Latest: spec.Block, Configuration: configuration(1, 2, 1, 2)}})
		}
		c.add(f.name, ndjsonOf(h, events), f.line, f.part)
	}
}

// TestMutantsOfTheChangingModule puts another operator in the place of a rule about members: then good runs are refused.
func TestMutantsOfTheChangingModule(t *testing.T) {
	slowtest.Only(t, "TLC replays traces")
	sample := ndjsonOf(changed(t))
	// The rules as they are never let a configuration get older. Where a crash loses it, that it did is what is refused.
	h, forgets := changed(t)
	forgets = append(forgets, spec.Event{Node: spec.IntegerID(2), Action: spec.CrashAction,
		State: spec.State{Role: spec.Follower, Epoch: 1, Grantee: spec.IntegerID(1), Latest: spec.Block, Configuration: spec.EmptyConfiguration()}})
	for mutant, want := range map[string]struct {
		golden string
		text   []byte
		wanted
	}{
		"Stamped <- Unstamped":          {"", sample, wanted{5, StatePart}},
		"Survives <- ForgetsMembers":    {"", ndjsonOf(h, forgets), wanted{len(forgets) + 1, olderPart}},
		"AskOrSay <- AsksOrRests":       {"members-witness-speaks", nil, wanted{17, sentPart}},
		"OutsideHeard <- AnswersNobody": {"members-removed-told-late", nil, wanted{37, sentPart}},
		"OneDiffers <- ManyDiffer":      {"members-grow", nil, wanted{}},
	} {
		t.Run(mutant, func(t *testing.T) {
			t.Parallel()
			checker, c := newChecker(t), newCorpus(t)
			checker.mutant = mutant
			text := want.text
			if want.golden != "" {
				var err error
				text, err = fs.ReadFile(traces.Valid, want.golden+".ndjson")
				require.NoError(t, err)
			}
			c.add("good", text, want.line, want.part)
			c.check(checker)
		})
	}
}
