package port_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// TestMain lets the test itself be a port: that of the model, or one that misbehaves.
func TestMain(m *testing.M) {
	how := os.Getenv("TEST_PORT")
	if how == "" {
		os.Exit(m.Run())
	}
	if err := misbehave(how); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// model is the model as a port.
func model() port.Implementation {
	return port.Implementation{
		Identity: port.Identity{Name: "model", Version: "1.0", Language: "Go"},
		Changing: true,
		Naming:   true,
		Make:     conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} }),
		Load: func(id spec.NodeID, members []spec.NodeID, s spec.State) (conformance.Node, error) {
			return conformance.NodeIn(&conformance.Model{}, id, members, s), nil
		},
	}
}

// misbehave is a port: the model, or one that answers hello, and the next request in its own way.
func misbehave(how string) error {
	if how == "model" {
		return port.Serve(os.Stdin, os.Stdout, model())
	}
	if strings.HasPrefix(how, "bye") {
		return byes(how)
	}
	in := bufio.NewScanner(os.Stdin)
	if how == "dumb" {
		fmt.Fprintln(os.Stderr, "I know nothing")
		return nil
	}
	in.Scan()
	fmt.Println(`{"id":1,"port":{"name":"bad","version":"0","language":"Go"},"protocol":1}`)
	in.Scan()
	switch {
	case how == "dies":
		return fmt.Errorf("I am tired of %s", in.Text())
	case how == "hangs":
		time.Sleep(time.Hour)
	case how == "floods":
		for range 3 << 10 {
			fmt.Print(strings.Repeat("x", 1<<10))
		}
	default:
		for more := true; more; more = in.Scan() {
			fmt.Println(strings.TrimPrefix(how, "an empty line"))
		}
	}
	return nil
}

// start starts this test as a port.
func start(t *testing.T, how string) (*port.Process, error) {
	t.Helper()
	t.Setenv("TEST_PORT", how)
	self, err := os.Executable()
	require.NoError(t, err)
	answer := time.Minute // a machine that is busy with other things may take its time
	if how == "hangs" {
		answer = 300 * time.Millisecond
	}
	return port.Start(context.Background(), port.Config{Command: []string{self}, Answer: answer, Start: time.Minute})
}

// members are three, of which 2 is asked.
func members() []spec.NodeID {
	return []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}
}

// TestModel puts the model, as a port, through a part of all questions, and through plans of the simulator.
func TestModel(t *testing.T) {
	slowtest.Only(t, "it makes all cases, and asks some of each group")
	p, err := start(t, "model")
	require.NoError(t, err)
	defer p.Close()
	require.Equal(t, port.Identity{Name: "model", Version: "1.0", Language: "Go"}, p.Identity)
	require.Equal(t, []string{"fence", "members", "names"}, p.Features)
	asked := 0
	for _, g := range conformance.Groups() {
		n := 0
		for c := range g.All {
			if n++; n%499 != 1 && g.Name != "questions" {
				continue
			}
			asked++
			var got spec.Step
			require.Nil(t, port.Guard(func() { got = p.Subject().Step(c.ID, c.Members, c.Before, c.Input) }))
			require.True(t, got.Equal(c.Want), "%s: %+v", g.Name, c)
		}
	}
	require.Greater(t, asked, 300)
	for _, profile := range sim.Profiles() {
		plan, err := sim.Generate(81, 3, profile)
		require.NoError(t, err)
		plan.Faults, plan.Length = plan.Faults[:1], 2*time.Second+plan.Faults[0].At+plan.Faults[0].For
		ours, err := sim.Run(&plan, p.Maker(), sim.Options{})
		require.NoError(t, err)
		require.Nil(t, ours.Violation)
		models, err := sim.Run(&plan, model().Make, sim.Options{})
		require.NoError(t, err)
		require.Equal(t, models, ours, profile)
		require.Greater(t, ours.Steps, uint64(50), profile)
	}
}

// TestResource writes to a fenced resource.
func TestResource(t *testing.T) {
	p, err := start(t, "model")
	require.NoError(t, err)
	defer p.Close()
	write := func(epoch spec.Epoch, value string) (bool, spec.Epoch) {
		reply, err := p.Ask(&port.Request{Op: port.Write, Resource: "r", Epoch: epoch, Value: value})
		require.NoError(t, err)
		return *reply.Admitted, *reply.Highest
	}
	for _, c := range []struct {
		epoch    spec.Epoch
		admitted bool
		highest  spec.Epoch
	}{{0, true, 0}, {2, true, 2}, {1, false, 2}, {2, true, 2}, {spec.MaxEpoch, true, spec.MaxEpoch}, {2, false, spec.MaxEpoch}} {
		admitted, highest := write(c.epoch, fmt.Sprint("value of ", c.epoch))
		require.Equal(t, c.admitted, admitted)
		require.Equal(t, c.highest, highest)
	}
	reply, err := p.Ask(&port.Request{Op: port.Read, Resource: "r"})
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint("value of ", spec.MaxEpoch), *reply.Value)
	_, err = p.Ask(&port.Request{Op: port.Reset})
	require.NoError(t, err)
	reply, err = p.Ask(&port.Request{Op: port.Read, Resource: "r"})
	require.NoError(t, err)
	require.Zero(t, *reply.Highest, "all is forgotten")
}

// TestServerAnswers asks what cannot be answered: the port says so, and goes on.
func TestServerAnswers(t *testing.T) {
	p, err := start(t, "model")
	require.NoError(t, err)
	defer p.Close()
	me := members()[1]
	for _, c := range []struct {
		request port.Request
		says    string
	}{
		{port.Request{Op: "dance"}, `no op "dance"`},
		{port.Request{Op: port.End, Node: "nobody", Timer: spec.HeartbeatTimer}, "has not started"},
		{port.Request{Op: port.Begin, Node: "a", Members: members()}, "me, is missing"},
		{port.Request{Op: port.Load, Node: "a", Me: &me, Members: members()}, "state, or the promise, is missing"},
	} {
		reply, err := p.Ask(&c.request)
		if err == nil {
			require.Contains(t, reply.Error+reply.Unsupported, c.says)
		} else {
			require.ErrorContains(t, err, c.says)
		}
	}
	reply, err := p.Ask(&port.Request{Op: port.End, Node: "a", Timer: spec.HeartbeatTimer})
	require.NoError(t, err)
	require.Contains(t, reply.Error, "has not started", "what fails is no node")
	reply, err = p.Ask(&port.Request{Op: port.Begin, Node: "a", Me: &me, Members: members()})
	require.NoError(t, err)
	require.Equal(t, spec.Follower, reply.State.Role)
	reply, err = p.Ask(&port.Request{Op: port.Receive, Node: "a", Message: []byte(`[1,2]`)})
	require.NoError(t, err)
	require.NotEmpty(t, reply.Ignored)
}

// TestProcess runs ports that do not start, die, hang, flood, or talk nonsense: each is a failure that says so, soon.
func TestProcess(t *testing.T) {
	_, err := port.Start(context.Background(), port.Config{})
	require.ErrorContains(t, err, "no command")
	_, err = port.Start(context.Background(), port.Config{Command: []string{"/no/such/program"}})
	require.ErrorContains(t, err, "does not start")
	_, err = start(t, "dumb")
	require.ErrorContains(t, err, "has ended, and did not answer")
	require.ErrorContains(t, err, "I know nothing")

	for how, want := range map[string]struct {
		kind port.Kind
		says string
	}{
		"dies":                  {port.Died, "I am tired of"},
		"hangs":                 {port.Hung, "has not answered for 300ms"},
		"floods":                {port.Flooded, "longer than"},
		`hello world`:           {port.Nonsense, "this is no reply"},
		`{"id":7}`:              {port.Nonsense, "id must be the integer 2, as in the request, and is 7: replies come in the order of requests"},
		`{"id":2}`:              {port.Nonsense, `it must say "state"`},
		`{"ok":true}`:           {port.Nonsense, "id must be the integer 2, as in the request, and is missing"},
		`{"id":"2"}`:            {port.Nonsense, `id must be the integer 2, as in the request, and is the string "2"`},
		`{"id":null}`:           {port.Nonsense, `and is null`},
		`[2]`:                   {port.Nonsense, `a reply is a JSON object, and this is a list`},
		`{"id":2,"colour":1}`:   {port.Nonsense, `a reply has no field "colour"`},
		`{"id":2,"ok":"yes"}`:   {port.Nonsense, `ok must be true, and is the string "yes"`},
		`{"id":2,"effects":{}}`: {port.Nonsense, `effects must be a list, and is an object`},
		`{"id":2} {}`:           {port.Nonsense, `Standard output is for replies; log to standard error`},
		`{"id":2,"state":` + strings.Replace(blank, "}", `,"x":1}`, 1) + `}`:                                          {port.Nonsense, `state.x: unknown field "x"`},
		`{"id":2,"effects":[` + saved + `,{"send":{"type":"ACK","from":"2","to":"3","epoch":1,"question":1,"y":1}}]}`: {port.Nonsense, `effects[1].send.y: unknown field`},
		`{"id":2,"effects":[{"over":"3"}]}`:                                                                           {port.Nonsense, `effects[0].over.`},
		`an empty line`:                                                                                               {port.Nonsense, "this is no reply"},
		`{"id":2,"error":"no idea"}`:                                                                                  {port.Erred, "the port says: no idea"},
		`{"id":2,"unsupported":"later"}`:                                                                              {port.Missing, "does not support this: later"},
		`{"id":2,"effects":[{"vote":3}]}`:                                                                             {port.Nonsense, "vote"},
		`{"id":2,"effects":[{}]}`:                                                                                     {port.Nonsense, "these are 0"},
		`{"id":2,"effects":[{"arm":"alarm"}]}`:                                                                        {port.Nonsense, `no timer "alarm"`},
		`{"id":2,"state":{"role":"king"}}`:                                                                            {port.Nonsense, "role"},
		ignoring + `,"effects":[{"arm":"heartbeat"}]}`:                                                                {port.Nonsense, "what is ignored has none"},
	} {
		p, err := start(t, how)
		require.NoError(t, err)
		failure := port.Guard(func() { p.Maker()(members()[1], members()).Start(spec.Configuration{}, &spec.Step{}) })
		require.NotNil(t, failure, how)
		require.Equal(t, want.kind, failure.Kind, failure.Error())
		require.Contains(t, failure.Error(), want.says)
		require.Contains(t, failure.Request, `"op":"start"`)
		again := port.Guard(func() { p.Maker()(members()[1], members()).Start(spec.Configuration{}, &spec.Step{}) })
		require.NotNil(t, again, "it is of no more use, or still as bad")
		p.Kill() // it does not know bye, and Close would wait
		p.Close()
	}
}

const (
	ignoring = `{"id":2,"ignored":"why not","state":` + blank
	blank    = `{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}`
	saved    = `{"save":{"epoch":0,"grantee":null,"reserved":1048576}}`
)

// TestDuties holds what effects of a first start cannot be.
func TestDuties(t *testing.T) {
	for effects, want := range map[string]struct{ rule, says string }{
		`{"arm":"patience"},` + saved:                            {"R4", "effect 2, save, comes too late, after effect 1, arm patience"},
		saved + `,` + saved:                                      {"R4", "effect 2 is there twice: save"},
		`{"save":{"epoch":1,"grantee":null,"reserved":1048576}}`: {"R4", "not what the state after the step says"},
		saved + `,{"over":3}`:                                    {"R39", "there was none"},
		saved + `,{"tell":{"leader":"3","epoch":1}}`:             {"R39", "may be told of no leader"},
		saved + `,{"tell":{"leader":null,"epoch":0}}`:            {"R39", "which they know already"},
		saved + `,{"tell":{"leader":null,"epoch":0}},{"over":1}`: {"R39", "effect 3, over, comes too late, after effect 2, tell"},
	} {
		p, err := start(t, `{"id":2,"effects":[`+effects+`],"state":`+blank+`}`)
		require.NoError(t, err)
		failure := port.Guard(func() { p.Maker()(members()[1], members()).Start(spec.Configuration{}, &spec.Step{}) })
		require.NotNil(t, failure, effects)
		require.Equal(t, port.Wrong, failure.Kind, failure.Error())
		require.Equal(t, want.rule, failure.Rule, failure.Error())
		require.Contains(t, failure.Error(), want.says)
		p.Kill() // it does not know bye, and Close would wait
		p.Close()
	}
}

// TestGuard lets panics pass that are no failures of a port.
func TestGuard(t *testing.T) {
	require.PanicsWithValue(t, "mine", func() { port.Guard(func() { panic("mine") }) })
	require.Nil(t, port.Guard(func() {}))
}

// TestStandardError counts what a port writes to its standard error, and keeps the end.
func TestStandardError(t *testing.T) {
	p, err := start(t, "dies")
	require.NoError(t, err)
	_, err = p.Ask(&port.Request{Op: port.Reset})
	var failure *port.Failure
	require.ErrorAs(t, err, &failure)
	p.Close()
	const says = `I am tired of {"id":2,"op":"reset"}`
	require.Equal(t, says, failure.Standard)
	require.EqualValues(t, len(says)+1, failure.Written)
	written, last := p.Standard()
	require.EqualValues(t, len(says)+1, written)
	require.Equal(t, says, last)
}

// TestLast keeps as many requests before a failure as are wanted, or all since the last reset.
func TestLast(t *testing.T) {
	for last, want := range map[int]int{0: 10, 3: 3, 12: 12, -1: 15} {
		p, err := port.Start(t.Context(), port.Config{Serve: func(r io.Reader, w io.Writer) error { return port.Serve(r, w, model()) }, Last: last})
		require.NoError(t, err)
		_, err = p.Ask(&port.Request{Op: port.Crash, Node: "before"})
		require.NoError(t, err)
		_, err = p.Ask(&port.Request{Op: port.Reset})
		require.NoError(t, err)
		for range 14 {
			_, err = p.Ask(&port.Request{Op: port.Crash, Node: "a"})
			require.NoError(t, err)
		}
		require.Len(t, p.Wrong("R1", "no").Last, want)
		p.Close()
	}
}
