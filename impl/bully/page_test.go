package bully_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// page is Python that runs the code of spec/code.md, and reads the decision table, spec/table.md.
type page struct {
	t       *testing.T
	command *exec.Cmd
	to      *bufio.Writer
	lines   *json.Encoder
	close   func() error
	said    bytes.Buffer
	asked   int
	steps   map[spec.Action]int
	unused  []string // rows of the table that no question has come to, at the end
}

// question is a line of testdata/page.py, which says what the fields are.
type question struct {
	Me      spec.NodeID    `json:"me"`
	Members []spec.NodeID  `json:"members"`
	Before  *spec.State    `json:"before"`
	Input   map[string]any `json:"input"`
	After   *spec.State    `json:"after"`
	Sent    []spec.Message `json:"sent"`
	Running []spec.Timer   `json:"running"`
}

const (
	pagePath  = "../../spec/code.md"
	tablePath = "../../spec/table.md"
)

// openPage starts Python with the page and the decision table that are in two files, or ends the test if there is no Python.
func openPage(t *testing.T, file, table string) *page {
	t.Helper()
	name, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("needs Python: the code of the page is written in it: %v", err)
	}
	p := &page{t: t, command: exec.Command(name, "testdata/page.py", file, table), steps: map[spec.Action]int{}}
	in, err := p.command.StdinPipe()
	require.NoError(t, err)
	p.to, p.close = bufio.NewWriter(in), in.Close
	p.lines = json.NewEncoder(p.to)
	p.command.Stdout, p.command.Stderr = &p.said, &p.said
	require.NoError(t, p.command.Start())
	return p
}

// ask puts a question to the page: does it do what the core does? It is put to the model, too. What is malformed is not asked:
// the page is given what has passed R33.
func (p *page) ask(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) {
	isMessage := !in.Starts() && in.Timer == "" && in.Call == ""
	if isMessage && in.Message.Validate() != nil || in.Call == spec.ChangeCall && in.Configuration.Validate() != nil {
		return
	}
	node, input, err := toInput(id, members, before, in)
	require.NoError(p.t, err)
	out := node.Step(input)
	after := node.State()
	got := spec.Step{Ignored: out.Action == "", State: after, Sent: out.Send}
	want := new(conformance.Model).Step(id, members, before, in)
	require.True(p.t, got.Equal(want), "%s takes %v in %s: the core says %v, and the model %v", id, in, before, got, want)
	q := question{Me: id, Members: members, Before: &before, Input: wordsOf(&in, &before), Sent: out.Send}
	if in.Call == spec.StartCall {
		q.Before = nil
	}
	if out.Action != "" {
		q.After = &after
	}
	q.Running = append([]spec.Timer{}, collect(node.Running())...)
	if err := p.lines.Encode(&q); err != nil { // Python is gone, and has said why
		_ = p.command.Wait()
		require.NoError(p.t, err, p.said.String())
	}
	p.asked++
	p.steps[out.Action]++
}

// wordsOf returns an input as the page reads it.
func wordsOf(in *spec.Input, before *spec.State) map[string]any {
	switch {
	case in.Call == spec.StartCall && before.Configuration.IsNone():
		return map[string]any{"start": nil}
	case in.Call == spec.StartCall:
		return map[string]any{"start": before.Configuration}
	case in.Call == spec.RestartCall:
		return map[string]any{"restart": true}
	case in.Timer != "":
		return map[string]any{"timer": in.Timer}
	case in.Call == spec.ChangeCall:
		return map[string]any{"call": in.Call, "configuration": in.Configuration}
	case !in.Names.IsNone():
		return map[string]any{"call": in.Call, "names": in.Names}
	case in.Call != "":
		return map[string]any{"call": in.Call}
	}
	return map[string]any{"message": in.Message}
}

// collect returns the timers of a set.
func collect(s spec.TimerSet) (timers []spec.Timer) {
	for timer := range s.All() {
		timers = append(timers, timer)
	}
	return timers
}

// end asks no more. The page must do what the core does.
func (p *page) end() {
	for _, differs := range p.differs() {
		p.t.Error("the code of spec/code.md, or spec/table.md, does not do what the core does: " + differs)
	}
	p.t.Logf("%d questions: %v", p.asked, p.steps)
}

// differs asks no more, and returns the first questions that the page answers otherwise.
func (p *page) differs() []string {
	require.NoError(p.t, p.to.Flush())
	require.NoError(p.t, p.close())
	require.NoError(p.t, p.command.Wait(), p.said.String())
	var told struct {
		Lines   int
		Asked   int
		Differs []string
		Unused  []string
	}
	require.NoError(p.t, json.Unmarshal(p.said.Bytes(), &told), p.said.String())
	require.Equal(p.t, p.asked, told.Asked)
	require.Greater(p.t, told.Lines, 200, "code of spec/code.md")
	p.unused = told.Unused
	return told.Differs
}

// TestPage runs the code of the specification, with fixed members, on some of the questions that TestConformance asks the core; in a
// long soak on all of them: every state and input of one, two and three members, and more. It does what the core does, and the model.
func TestPage(t *testing.T) {
	p := openPage(t, pagePath, tablePath)
	most := 2000 * soak()
	for _, g := range conformance.Groups() {
		asked, every := 0, max(1, min(g.Pinned, 7*most)/most)
		for c := range g.All {
			if asked++; asked > every*most {
				break
			}
			if asked%every == 0 {
				p.ask(c.ID, c.Members, c.Before, c.Input)
				p.askNamed(c.ID, c.Members, c.Before, c.Input)
			}
		}
	}
	p.end()
	for _, action := range spec.FixedActions() {
		require.Equal(t, action.OfNode() && action != spec.CrashAction, p.steps[action] > 0, action)
	}
	require.Positive(t, p.steps[""], "no step")
	require.Len(t, p.unused, 1, "rows of the table that nothing has come to: %q", p.unused)
	require.Contains(t, p.unused[0], "| R47 |", "only members that change come to it")
}

// TestPageChanging runs the same code on what happens to clusters whose members come and go: on every step there, and now and then on the end of each timer and on each call.
func TestPageChanging(t *testing.T) {
	p := openPage(t, pagePath, tablePath)
	seeds := 24 * soak()
	for seed := range uint64(seeds) {
		random := rand.New(rand.NewPCG(seed, 18))
		first := conf(firsts[random.IntN(len(firsts))])
		c, err := newChanging(max(5, int(lastOf(first))), first)
		require.NoError(t, err)
		for _, place := range c.places {
			p.ask(place.id, nil, check.Survivor(spec.Durable{Configuration: place.first}), spec.Input{Call: spec.StartCall})
		}
		c.seen = func(o *observed) {
			before := check.Survivor(o.after.Durable()) // of a node that restarts
			if o.before != nil {
				before = *o.before
			}
			p.ask(o.me, nil, before, o.in)
			if random.IntN(40) == 0 {
				p.askAll(o.me, *o.after)
				p.askAny(o.me, *o.after, random)
			}
		}
		for range 250 {
			_, err := c.next(random.IntN)
			require.NoError(t, err)
		}
	}
	p.end()
	for _, action := range spec.Actions() {
		require.Equal(t, action.OfNode() && action != spec.CrashAction, p.steps[action] > 0, action)
	}
}

// askNamed asks the same with each node named that there is, if a node may be (R51).
func (p *page) askNamed(id spec.NodeID, members []spec.NodeID, s spec.State, in spec.Input) {
	m := &in.Message
	for _, k := range members {
		switch {
		case in.Call == spec.ResignCall:
			in.Names = k
		case (m.Type == spec.Resign || m.Type == spec.Claim) && m.Granted == spec.Granted{} && in.Call == "" && in.Timer == "":
			m.Names = k
		default:
			return
		}
		p.ask(id, members, s, in)
	}
}

// askAll ends every timer in a state, and makes every call.
func (p *page) askAll(id spec.NodeID, s spec.State) {
	for _, timer := range spec.Timers() {
		p.ask(id, nil, s, spec.Input{Timer: timer})
	}
	for _, call := range []spec.Call{spec.ResignCall, spec.HolderDeadCall} {
		p.ask(id, nil, s, spec.Input{Call: call})
	}
	for k := range uint64(6) {
		p.ask(id, nil, s, spec.Input{Call: spec.ResignCall, Names: spec.IntegerID(k + 1)})
	}
	p.ask(id, nil, s, spec.Input{Call: spec.RestartCall})
	p.ask(id, nil, s, spec.Input{Call: spec.ChangeCall, Configuration: s.Configuration.At(s.Epoch, s.Configuration.Version+1)})
	mixed := spec.Message{Type: spec.Heartbeat, From: spec.IntegerID(9), To: id, Epoch: s.Epoch, Question: 1}
	p.ask(id, nil, s, spec.Input{Message: mixed})
}

// askAny has a node in a state hear a message of each type, whose numbers are those that matter in that state, and others.
func (p *page) askAny(id spec.NodeID, s spec.State, random *rand.Rand) {
	anybody := func() spec.NodeID { return spec.IntegerID(1 + random.Uint64N(5)) }
	number := func() spec.Question {
		return max(1, []spec.Question{1, max(s.Lease, 1) - 1, s.Lease, s.Lease + 1, s.Asked, s.Asked, s.Latest, s.Latest + 1}[random.IntN(8)])
	}
	for _, messageType := range spec.MessageTypes() {
		m := spec.Message{Type: messageType, From: anybody(), To: id, Epoch: s.Epoch + spec.Epoch(random.IntN(3)), Question: number(),
			Configuration: s.Configuration}
		if m.Type == spec.Election {
			m.Keeps = []spec.NodeID{{}, s.Leader, anybody()}[random.IntN(3)]
		}
		if m.Type == spec.Resign && random.IntN(4) > 0 {
			m.Granted = spec.Granted{By: anybody(), Epoch: s.Epoch + spec.Epoch(random.IntN(3)), Question: number()}
		}
		if (m.Type == spec.Resign && m.Granted == spec.Granted{} || m.Type == spec.Claim) && random.IntN(2) == 0 {
			m.Names = []spec.NodeID{id, s.Leader, anybody()}[random.IntN(3)]
		}
		if c := &m.Configuration; c.Version > 1 && random.IntN(4) == 0 {
			*c = c.At(c.Epoch, c.Version-1) // an older one
		}
		p.ask(id, nil, s, spec.Input{Message: m})
	}
}

// TestPageThatIsWrong changes a word here and there in copies of the page and of the table, and has each noticed.
func TestPageThatIsWrong(t *testing.T) {
	leads := spec.State{Role: spec.Leader, Leader: id(2), Epoch: 4, Grantee: id(2), Latest: 9, Dated: 7}
	asks := spec.State{Role: spec.Candidate, Epoch: 4, Asked: 7, Latest: 7}
	follows := spec.State{Role: spec.Follower, Leader: id(1), Lease: 8, Epoch: 4, Grantee: id(1), Latest: 5}
	rests := check.Survivor(spec.Durable{Epoch: 4, Reserved: spec.Block, Configuration: conf("epoch:4 version:1 {1 witness:2 3}")})
	resign := spec.Input{Call: spec.ResignCall}
	hears := func(m spec.Message) spec.Input {
		m.To, m.Epoch = id(2), 4
		return spec.Input{Message: m}
	}
	type edit struct {
		right, wrong string
		before       spec.State
		in           spec.Input
	}
	code := []edit{
		{`rest(unbound(s)), to_all(members`, `unbound(s), to_all(members`, leads, resign},
		{`{"patience"} if me in members(s.conf)`, `{"patience"} if may_stand(s)`, rests, resign},
		{`return t, to_all(members(t.conf), "IM_BACK", t.epoch, t.latest) if me`, `return t, [] if me`, rests, spec.Input{Timer: spec.PatienceTimer}},
		{`return m.question == s.asked`, `return True`, asks, hears(spec.Message{Type: spec.OK, From: id(3), Question: 6})},
		{`return max(s.lease, m.question) if`, `return m.question if`, follows, hears(spec.Message{Type: spec.Heartbeat, From: id(1), Question: 6})},
		{`s.leader == m.sender and m.question >= s.lease else s`, `s.leader == m.sender else s`, follows,
			hears(spec.Message{Type: spec.Resign, From: id(1), Question: 7})},
		{`.but(latest=reserved(s.latest))`, ``, follows, spec.Input{Call: spec.RestartCall}},
		{`return dated(t.but(support`, `return (t.but(support`, leads, hears(spec.Message{Type: spec.Ack, From: id(1), Question: 8})},
		{`and s.leader == m.names and s.epoch < m.epoch`, `and s.leader == m.names`, follows, // its epoch is that of the CLAIM
			hears(spec.Message{Type: spec.Claim, From: id(3), Question: 4, Names: id(1)})},
		{`and t.epoch == m.epoch and t.epoch < MAX_EPOCH`, `and t.epoch < MAX_EPOCH`, spec.State{Role: spec.Follower, Leader: id(1), Lease: 3, Epoch: 5, Latest: 5},
			hears(spec.Message{Type: spec.Resign, From: id(1), Question: 4, Names: id(2)})},
		{`and m.keeps == s.leader)`, `)`, follows, hears(spec.Message{Type: spec.Election, From: id(3), Question: 4})},
	}
	table := []edit{
		{`follower | none | · | {} | RESIGN all`, `electing | none | · | {} | RESIGN all`, leads, resign},
		{`| OK; COORDINATOR |`, `| OK |`, leads, hears(spec.Message{Type: spec.Election, From: id(1), Question: 3})},
		{`not leader | none, sender | > |`, `not leader | none | = |`, spec.State{Role: spec.Follower, Latest: 1},
			hears(spec.Message{Type: spec.Claim, From: id(3), Question: 3})},
		{`| OK | candidate, electing | none, own | any | asked |`, `| OK | candidate, electing | none, own | any | |`, asks,
			hears(spec.Message{Type: spec.OK, From: id(3), Question: 6})},
		{`| leader | any | = | not above my latest |`, `| leader | any | = | |`, leads, hears(spec.Message{Type: spec.Ack, From: id(1), Question: 10})},
		{`| follower, claimant | lower | any | keeps the same |`, `| follower, claimant | lower | any | |`, follows,
			hears(spec.Message{Type: spec.Election, From: id(3), Question: 4})},
	}
	wrong := func(file string, edits []edit) string {
		read, err := os.ReadFile(file)
		require.NoError(t, err)
		text := string(read)
		for _, e := range edits {
			require.Equal(t, 1, strings.Count(text, e.right), e.right)
			text = strings.Replace(text, e.right, e.wrong, 1)
		}
		to := filepath.Join(t.TempDir(), filepath.Base(file))
		require.NoError(t, os.WriteFile(to, []byte(text), 0o644))
		return to
	}
	for _, c := range []struct {
		page, table string
		asked       []edit
		says        string
		differ      int
	}{
		{pagePath, tablePath, append(code, table...), "", 0},
		{wrong(pagePath, code), tablePath, code, "the code says", len(code)},
		{pagePath, wrong(tablePath, table), table, "the table says", len(table)},
	} {
		p := openPage(t, c.page, c.table)
		for _, e := range c.asked {
			p.ask(id(2), integers(3), e.before, e.in)
		}
		differs := p.differs()
		require.Len(t, differs, c.differ)
		for _, d := range differs {
			require.Contains(t, d, c.says)
		}
	}
}
