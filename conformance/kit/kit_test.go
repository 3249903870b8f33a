package kit_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// actor is a port that does what the name of the node says that it is asked to crash: dies, hangs, and so on.
type actor struct {
	starts   atomic.Int64
	sound    int64        // how many starts go well; 0: all
	asked    atomic.Int64 // over all cases, which a port must not know
	released chan struct{}
	mu       sync.Mutex
	heard    []string // resets and starts, each with its case or node
}

// note keeps what was asked.
func (a *actor) note(q *port.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if q.Op == port.Reset || q.Op == port.Begin {
		a.heard = append(a.heard, strings.TrimSpace(string(q.Op)+" "+q.Case+q.Node))
	}
}

// serve is the port.
func (a *actor) serve(r io.Reader, w io.Writer) error {
	if n := a.starts.Add(1); a.sound > 0 && n > a.sound {
		return errors.New("I do not feel like it")
	}
	in := bufio.NewScanner(r)
	for in.Scan() {
		var q port.Request
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			return err
		}
		reply := fmt.Sprintf(`{"id":%d,"ok":true}`, q.ID)
		if q.Op == port.Hello {
			reply = fmt.Sprintf(`{"id":%d,"protocol":1,"port":{"name":"actor","version":"1","language":"Go"},"features":[]}`, q.ID)
		}
		a.note(&q)
		if q.Op == port.Begin {
			reply = fmt.Sprintf(`{"id":%d,"effects":[],"state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}}`, q.ID)
		}
		a.asked.Add(1)
		switch q.Node {
		case "dies":
			return errors.New("tired")
		case "hangs":
			<-a.released
		case "floods":
			reply = strings.Repeat("x", 2<<20)
		case "talks":
			reply = "hello world"
		case "talks on":
			reply += "\nand another thing"
		case "draws lots":
			reply = fmt.Sprintf(`{"id":%d,"state":{"role":"follower","leader":null,"lease":0,"epoch":%d,"grantee":null,"support":[],"asked":0,"latest":1}}`, q.ID, a.asked.Load())
		case "errs":
			reply = fmt.Sprintf(`{"id":%d,"error":"index out of range"}`, q.ID)
		case "cannot":
			reply = fmt.Sprintf(`{"id":%d,"unsupported":"not yet"}`, q.ID)
		case "dawdles":
			time.Sleep(30 * time.Millisecond)
		}
		if _, err := io.WriteString(w, reply+"\n"); err != nil {
			return err
		}
	}
	return in.Err()
}

// asks is a case that asks for a crash of a node, a few times.
func asks(node string, times int) kit.Case {
	return kit.Case{ID: "case-" + strings.ReplaceAll(node, " ", "-"), Title: node, Rules: []string{"R17"}, Suite: kit.Vectors, Must: true, Run: func(_ context.Context, p *port.Process) error {
		for range times {
			op := port.Crash
			if node == "draws lots" {
				op = port.Load
			}
			reply, err := p.Ask(&port.Request{Op: op, Node: node})
			switch {
			case err != nil:
				return err
			case reply.Error != "":
				return &port.Failure{Kind: port.Erred, Problem: reply.Error}
			case reply.Unsupported != "":
				return &port.Failure{Kind: port.Missing, Problem: reply.Unsupported}
			}
		}
		return nil
	}}
}

// failing is a case that goes wrong in its own way.
func failing(id string, run func(ctx context.Context, p *port.Process) error) kit.Case {
	return kit.Case{ID: id, Title: id, Rules: []string{"R3", "R17"}, Suite: "sim", Must: true, Run: run}
}

func options(a *actor) kit.Options {
	if a == nil {
		a = &actor{}
	}
	return kit.Options{Workers: 1, Limit: 5 * time.Minute, Port: port.Config{Serve: a.serve, Answer: time.Minute}}
}

func newActor(t *testing.T) *actor {
	a := &actor{released: make(chan struct{})}
	t.Cleanup(func() { close(a.released) })
	return a
}

// TestMisbehaviourCostsItsCase puts a case that goes well after each that goes wrong.
func TestMisbehaviourCostsItsCase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		want := []struct {
			node    string
			outcome kit.Outcome
			says    string
		}{
			{"dies", kit.Broken, "it has ended, and did not answer"},
			{"hangs", kit.Broken, "it has not answered for 1m0s"},
			{"floods", kit.Broken, "longer than 1048576 bytes"},
			{"talks", kit.Broken, "this is no reply"},
			{"talks on", kit.Broken, "this is no reply"},
			{"draws lots", kit.Nondeterministic, "other replies the second time"},
			{"errs", kit.Broken, "index out of range"},
			{"cannot", kit.Unsupported, "not yet"},
		}
		var cases []kit.Case
		for k, w := range want {
			good := asks("good", 3)
			good.ID += fmt.Sprint("-", k)
			cases = append(cases, asks(w.node, 1), good)
		}
		for _, workers := range []int{1, 3} {
			a := newActor(t)
			o := options(a)
			o.Workers = workers
			var told []string
			o.Each = func(v kit.Verdict) { told = append(told, v.Case) }
			report, err := kit.Run(t.Context(), cases, o)
			require.NoError(t, err)
			require.Equal(t, "actor", report.Port.Name)
			require.Len(t, report.Verdicts, len(cases))
			for k, w := range want {
				v := &report.Verdicts[2*k]
				require.Equal(t, w.outcome, v.Outcome, v.Explain(""))
				require.Contains(t, v.Problem, w.says)
				require.True(t, v.Failed())
				require.Equal(t, kit.Pass, report.Verdicts[2*k+1].Outcome, "after %s: %s", w.node, report.Verdicts[2*k+1].Explain(""))
				require.Equal(t, cases[2*k].ID, told[2*k], "in the order of the cases")
			}
			failed, undecided := report.Failed()
			require.Equal(t, len(want), failed)
			require.Zero(t, undecided)
		}
	})
}

// TestCasesAreReset holds that a port is told of each case, and forgets it; and that what it says unasked is found in the case that it
// says it in, though that is run once.
func TestCasesAreReset(t *testing.T) {
	a := newActor(t)
	good, talks := asks("good", 1), asks("talks on", 1)
	good.Suite, talks.Suite = "sim", "sim"
	report, err := kit.Run(t.Context(), []kit.Case{good, good, talks, good}, options(a))
	require.NoError(t, err)
	require.Equal(t, kit.Broken, report.Verdicts[2].Outcome)
	require.Equal(t, kit.Pass, report.Verdicts[3].Outcome)
	require.Equal(t, []string{"reset case-good", "reset", "reset case-good", "reset", "reset case-talks-on"}, a.heard[:5])
}

// TestWhatACaseReturns shows what is not the fault of the port.
func TestWhatACaseReturns(t *testing.T) {
	report, err := kit.Run(t.Context(), []kit.Case{
		failing("wrong", func(context.Context, *port.Process) error {
			return &port.Failure{Kind: port.Wrong, Rule: "R17", Problem: "no", Standard: "a trace"}
		}),
		failing("wrong-by-panic", func(context.Context, *port.Process) error {
			panic(&port.Failure{Kind: port.Wrong, Rule: "R18", Problem: "no"})
		}),
		failing("undecided", func(context.Context, *port.Process) error { return &kit.Inconclusive{Why: "it was never asked"} }),
		failing("kit", func(context.Context, *port.Process) error { return errors.New("no disk") }),
		failing("kit-panics", func(context.Context, *port.Process) error { panic("index out of range") }),
		{ID: "fenced", Suite: "fence", Must: true, Needs: "fence", Run: func(context.Context, *port.Process) error { return errors.New("never") }},
	}, options(newActor(t)))
	require.NoError(t, err)
	for k, want := range []struct {
		outcome kit.Outcome
		rule    string
		says    string
		failed  bool
	}{
		{kit.Fail, "R17", "no", true},
		{kit.Fail, "R18", "no", true},
		{kit.Undecided, "", "it was never asked", false},
		{kit.Undecided, "", "the kit itself has failed, which should be reported to its authors: no disk", false},
		{kit.Undecided, "", "panic: index out of range", false},
		{kit.Unsupported, "", `the feature "fence"`, false},
	} {
		v := &report.Verdicts[k]
		require.Equal(t, want.outcome, v.Outcome, v.Case)
		require.Equal(t, want.rule, v.Rule, v.Case)
		require.Contains(t, v.Problem, want.says)
		require.Equal(t, want.failed, v.Failed(), v.Case)
	}
	require.Equal(t, "6 cases: 1 unsupported, 3 inconclusive, 2 fail", report.Summary())
	require.Contains(t, report.Verdicts[0].Explain(""), "  stderr   a trace\n")
}

// TestTimeLimitOfACase kills a port that answers each request in time, and all of them never.
func TestTimeLimitOfACase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(newActor(t))
		o.Limit = 150 * time.Millisecond
		report, err := kit.Run(t.Context(), []kit.Case{asks("dawdles", 1000), asks("good", 1)}, o)
		require.NoError(t, err)
		require.Equal(t, kit.Broken, report.Verdicts[0].Outcome)
		require.Contains(t, report.Verdicts[0].Problem, "taken longer than 150ms")
		require.Less(t, report.Verdicts[0].Seconds, 3.0)
		require.Equal(t, kit.Pass, report.Verdicts[1].Outcome, "the next has a new port")
	})
}

// TestBrokenStarts gives a port up that does not start any more, and one that never starts at once.
func TestBrokenStarts(t *testing.T) {
	a := newActor(t)
	a.sound = 2 // one for the first look, one for the worker
	var cases []kit.Case
	for k := range 50 {
		c := asks("dies", 1)
		c.ID += fmt.Sprint(k)
		cases = append(cases, c)
	}
	report, err := kit.Run(t.Context(), cases, options(a))
	var not *kit.NotStarted
	require.ErrorAs(t, err, &not)
	require.ErrorContains(t, err, "not started 20 times in a row")
	require.Len(t, report.Verdicts, 20, "one died, and for 19 it did not start")
	require.EqualValues(t, 22, a.starts.Load())

	_, err = kit.Run(t.Context(), cases, kit.Options{Port: port.Config{Command: []string{"/no/such/port"}}})
	require.ErrorAs(t, err, &not)
	require.ErrorContains(t, err, "does not start")
	_, err = kit.Run(t.Context(), nil, options(a))
	require.ErrorContains(t, err, "nothing would be asked")
}

// TestInterrupted returns what there is when the context is done.
func TestInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		o := options(newActor(t))
		o.Each = func(kit.Verdict) { cancel() }
		report, err := kit.Run(ctx, []kit.Case{asks("good", 1), asks("dawdles", 100)}, o)
		require.ErrorIs(t, err, context.Canceled)
		require.Len(t, report.Verdicts, 1)
	})
}

// TestKilledWithItsChildren kills a port that is a script, and hangs in what it has started.
func TestKilledWithItsChildren(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("needs /bin/sh: ", err)
	}
	pids := filepath.Join(t.TempDir(), "pid")
	script := "sleep 1000 & echo $! >" + pids + "; echo '" + `{"id":1,"port":{"name":"hangs","version":"0","language":"sh"},"protocol":1}` + "'; wait"
	p, err := port.Start(t.Context(), port.Config{Command: []string{"/bin/sh", "-c", script}, Start: time.Minute, Answer: 300 * time.Millisecond})
	require.NoError(t, err)
	_, err = p.Ask(&port.Request{Op: port.Reset})
	require.ErrorContains(t, err, "has not answered")
	p.Close()
	text, err := os.ReadFile(pids)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		state, err := os.ReadFile("/proc/" + strings.TrimSpace(string(text)) + "/stat")
		return err != nil || strings.Contains(string(state), ") Z ")
	}, 2*time.Minute, 10*time.Millisecond, "the child of the script goes on")
}

// TestIsolate gives each node a program of its own, and takes it away when it starts again.
func TestIsolate(t *testing.T) {
	a := newActor(t)
	p, err := port.Start(t.Context(), port.Config{Serve: a.serve, Isolate: true})
	require.NoError(t, err)
	ask := func(op port.Op, node string) {
		_, err := p.Ask(&port.Request{Op: op, Node: node})
		require.NoError(t, err)
	}
	ask(port.Reset, "")
	require.EqualValues(t, 1, a.starts.Load())
	ask(port.Crash, "one")
	ask(port.Crash, "one")
	require.EqualValues(t, 1, a.starts.Load(), "one node, one program")
	ask(port.Crash, "two")
	ask(port.Crash, "three")
	require.EqualValues(t, 3, a.starts.Load())
	ask(port.Reset, "")
	ask(port.Crash, "four")
	ask(port.Crash, "five")
	require.EqualValues(t, 3, a.starts.Load(), "those that have forgotten are used again")
	a.heard = nil
	ask(port.Begin, "five")
	ask(port.Begin, "six")
	require.EqualValues(t, 3, a.starts.Load())
	ask(port.Begin, "six")
	require.Equal(t, []string{"reset", "start five", "start six", "reset", "start six"}, a.heard, "who starts again has never been there before")
	_, err = p.Ask(&port.Request{Op: port.Crash, Node: "dies"})
	require.ErrorContains(t, err, "it has ended")
	require.False(t, p.Usable())
	p.Close()
}

// TestKilledFromElsewhere ends a port that somebody waits for.
func TestKilledFromElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newActor(t)
		p, err := port.Start(t.Context(), port.Config{Serve: a.serve, Answer: time.Minute})
		require.NoError(t, err)
		time.AfterFunc(50*time.Millisecond, p.Kill)
		_, err = p.Ask(&port.Request{Op: port.Crash, Node: "hangs"})
		var failure *port.Failure
		require.ErrorAs(t, err, &failure)
		require.Equal(t, port.Died, failure.Kind)
	})
}

// scripted is a port that answers crash as told, each time with the next of some replies.
func scripted(n *int, replies []string) func(io.Reader, io.Writer) error {
	return func(r io.Reader, w io.Writer) error {
		in := bufio.NewScanner(r)
		for in.Scan() {
			var q port.Request
			if err := json.Unmarshal(in.Bytes(), &q); err != nil {
				return err
			}
			body := `"ok":true,"protocol":1,"port":{"name":"scripted","version":"1","language":"Go"}`
			if q.Op == port.Crash {
				*n++
				body = replies[*n]
			}
			if _, err := fmt.Fprintf(w, "{\"id\":%d,%s}\n", q.ID, body); err != nil {
				return err
			}
		}
		return in.Err()
	}
}

// serveModel is the model as a port.
func serveModel(r io.Reader, w io.Writer) error {
	return port.Serve(r, w, port.Implementation{
		Identity: port.Identity{Name: "model", Version: "1.0", Language: "Go"},
		Changing: true,
		Naming:   true,
		Make:     conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} }),
		Load: func(id spec.NodeID, members []spec.NodeID, s spec.State) (conformance.Node, error) {
			return conformance.NodeIn(&conformance.Model{}, id, members, s), nil
		},
	})
}
