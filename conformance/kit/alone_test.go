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
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
)

// leaks is a port that says error, or what is wrong, when it is asked for the crash with this number, since it started.
func leaks(at int, wrong string) func(io.Reader, io.Writer) error {
	return func(r io.Reader, w io.Writer) error {
		in := bufio.NewScanner(r)
		for crashes := 0; in.Scan(); {
			var q port.Request
			if err := json.Unmarshal(in.Bytes(), &q); err != nil {
				return err
			}
			body := `"ok":true,"protocol":1,"port":{"name":"leaks","version":"1","language":"Go"}`
			if q.Op == port.Crash {
				if crashes++; crashes == at || at == 0 {
					body = wrong
				}
			}
			if _, err := fmt.Fprintf(w, "{\"id\":%d,%s}\n", q.ID, body); err != nil {
				return err
			}
		}
		return in.Err()
	}
}

// crashes are cases, each of which asks for one crash.
func crashes(n int) (cases []kit.Case) {
	for k := range n {
		cases = append(cases, failing(fmt.Sprint("crash-", k+1), func(_ context.Context, p *port.Process) error {
			reply, err := p.Ask(&port.Request{Op: port.Crash, Node: "a"})
			if err == nil && reply.Error != "" {
				return &port.Failure{Kind: port.Erred, Problem: reply.Error}
			}
			return err
		}))
	}
	return cases
}

// TestAlone runs cases that fail once more, on a port that is asked nothing else.
func TestAlone(t *testing.T) {
	run := func(at, alone int) *kit.Report {
		o := options(nil)
		o.Port.Serve, o.Alone = leaks(at, `"error":"index out of range"`), alone
		report, err := kit.Run(t.Context(), crashes(5), o)
		require.NoError(t, err)
		return report
	}
	report := run(3, 9)
	require.Equal(t, "5 cases: 4 pass, 1 nondeterministic", report.Summary())
	v := &report.Verdicts[2]
	require.Equal(t, "it passes alone: the port remembers something, or draws lots\nfailed  index out of range\nafter   2 other cases in the same process it fails again", v.Problem)
	require.Equal(t, []string{"crash-1", "crash-2"}, v.Before)
	report.Command = []string{"./leaks"}
	require.Equal(t, "bullytest test -workers 1 -run crash-1,crash-2,crash-3 -- ./leaks", report.Again(v))
	require.Equal(t, "5 cases: 4 pass, 1 error", run(3, 0).Summary(), "nobody has asked for it")
	require.Equal(t, "5 cases: 5 error", run(0, 9).Summary(), "they fail alone, too")
}

// hangs is a port that does not answer when it is asked for each crash whose number is divisible by this, since it started.
func hangs(every int) func(io.Reader, io.Writer) error {
	return func(r io.Reader, w io.Writer) error {
		in := bufio.NewScanner(r)
		for crashes := 0; in.Scan(); {
			var q port.Request
			if err := json.Unmarshal(in.Bytes(), &q); err != nil {
				return err
			}
			if q.Op == port.Crash {
				if crashes++; crashes%every == 0 {
					continue
				}
			}
			if _, err := fmt.Fprintf(w, `{"id":%d,"ok":true,"protocol":1,"port":{"name":"hangs","version":"1","language":"Go"}}`+"\n", q.ID); err != nil {
				return err
			}
		}
		return in.Err()
	}
}

// TestHangs names a rule only if the port hangs alone, too; and gives up a port that hangs again and again, though not in a row.
func TestHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cases := crashes(60)
		for k := range cases {
			ask := cases[k].Run
			cases[k].Run = func(ctx context.Context, p *port.Process) error {
				err := ask(ctx, p)
				var failure *port.Failure
				if errors.As(err, &failure) {
					failure.Rule = "R17"
				}
				return err
			}
		}
		o := options(nil)
		o.Workers, o.Alone, o.Port.Answer = 1, 9, 20*time.Millisecond
		o.Port.Serve = hangs(1)
		report, err := kit.Run(t.Context(), cases[:5], o)
		require.NoError(t, err)
		var rules []string
		for _, v := range report.Verdicts {
			require.Equal(t, kit.Broken, v.Outcome)
			rules = append(rules, v.Rule)
		}
		require.Equal(t, []string{"R17", "R17", "R17", "", ""}, rules, "three of them are tried alone")

		o.Port.Serve, o.GiveUp = hangs(3), 6
		report, err = kit.Run(t.Context(), cases, o)
		require.ErrorContains(t, err, "in 6 cases the port has hung, and is given up: it has not answered for 20ms")
		require.GreaterOrEqual(t, len(report.Verdicts), 18)
		for _, v := range report.Verdicts {
			require.Empty(t, v.Rule, "it is nothing that a rule says")
		}
		require.Equal(t, kit.Nondeterministic, report.Verdicts[2].Outcome)
		require.Equal(t, kit.Broken, report.Verdicts[17].Outcome)
	})
}

// TestGivenUp stops when the same error comes again and again, and not otherwise.
func TestGivenUp(t *testing.T) {
	o := options(nil)
	o.Port.Serve, o.GiveUp = leaks(0, `"error":"index 7 out of range"`), 20
	report, err := kit.Run(t.Context(), crashes(50), o)
	var up *kit.GivenUp
	require.ErrorAs(t, err, &up)
	require.ErrorContains(t, err, "20 cases in a row have ended with the same error, and the port is given up: index 7 out of range")
	require.GreaterOrEqual(t, len(report.Verdicts), 20)
	require.Less(t, len(report.Verdicts), 25)

	o.GiveUp = 0
	report, err = kit.Run(t.Context(), crashes(50), o)
	require.NoError(t, err)
	require.Len(t, report.Verdicts, 50)

	o.Port.Serve, o.GiveUp = leaks(19, `"error":"no"`), 20
	_, err = kit.Run(t.Context(), crashes(50), o)
	require.NoError(t, err)
}

// TestFormIsSuspected says first of all that replies have not their form.
func TestFormIsSuspected(t *testing.T) {
	o := options(nil)
	o.Port.Serve = leaks(0, `"okay":true`)
	cases := crashes(3)
	for k := range cases {
		cases[k].Suite, cases[k].ID = kit.Vectors, fmt.Sprint("R3-", k)
	}
	report, err := kit.Run(t.Context(), cases, o)
	require.NoError(t, err)
	require.Equal(t, []kit.Suspect{{Failed: 3, Cases: 3}}, report.Suspects())
	require.Equal(t, "the protocol said by 3 of 3 vectors that fail: no rule says it (conformance/README.md, The loop, and Replies)", report.Suspects()[0].String())
	require.Contains(t, report.Verdicts[0].Explain(""), "about    the form of replies")
	require.Contains(t, report.Verdicts[0].Explain(""), `a reply has no field "okay"`)
}

// TestNeeded finds how many cases must come before one that passes alone, so that the command that repeats it does repeat it; and says the whole run of
// one that fails once and never again.
func TestNeeded(t *testing.T) {
	o := options(nil)
	o.Workers, o.Alone = 1, 9
	o.Port.Serve = diesAfter(8)
	report, err := kit.Run(t.Context(), crashes(9), o)
	require.NoError(t, err)
	report.Command = []string{"p"}
	v := &report.Verdicts[8]
	require.Equal(t, kit.Nondeterministic, v.Outcome)
	require.Len(t, v.Before, 8, "one, two and four were not enough")
	cases, err := kit.Select(crashes(9), strings.Join(append(v.Before, v.Case), ","), "")
	require.NoError(t, err)
	o.Alone = 0
	again, err := kit.Run(t.Context(), cases, o)
	require.NoError(t, err)
	require.Equal(t, port.Died, again.Verdicts[8].Kind, "the command repeats what failed")

	var starts atomic.Int64
	once := leaks(3, `"error":"no"`)
	o.Alone = 9
	o.Port.Serve = func(r io.Reader, w io.Writer) error {
		if starts.Add(1) == 2 { // the first one is asked who it is
			return once(r, w)
		}
		return leaks(-1, "")(r, w)
	}
	report, err = kit.Run(t.Context(), crashes(5), o)
	require.NoError(t, err)
	report.Command, report.Flags, report.Chosen = []string{"p"}, []string{"-isolate"}, []string{"-level", "silver"}
	v = &report.Verdicts[2]
	require.Equal(t, kit.Nondeterministic, v.Outcome)
	require.NotContains(t, v.Problem, "it fails again")
	require.Equal(t, "bullytest test -isolate -workers 1 -level silver -- p", report.Again(v))
}

// TestErrorAlone names no rule for an error that was not tried alone.
func TestErrorAlone(t *testing.T) {
	cases := crashes(4)
	for k := range cases {
		ask := cases[k].Run
		cases[k].Run = func(ctx context.Context, p *port.Process) error {
			err := ask(ctx, p)
			var failure *port.Failure
			if errors.As(err, &failure) {
				failure.Rule = "R17"
			}
			return err
		}
	}
	o := options(nil)
	o.Workers, o.Alone, o.Port.Serve = 1, 2, leaks(0, `"error":"index out of range"`)
	report, err := kit.Run(t.Context(), cases, o)
	require.NoError(t, err)
	var rules []string
	for _, v := range report.Verdicts {
		rules = append(rules, v.Rule)
	}
	require.Equal(t, []string{"R17", "R17", "", ""}, rules)
}

// TestStillborn gives up a port early that does nothing but die or hang, and not one that has passed something.
func TestStillborn(t *testing.T) {
	for name, serve := range map[string]func(io.Reader, io.Writer) error{"hangs": hangs(1), "dies": diesAfter(0)} {
		o := options(nil)
		o.Port.Serve, o.Port.Answer, o.GiveUp = serve, 20*time.Millisecond, 20
		report, err := kit.Run(t.Context(), crashes(50), o)
		require.ErrorContains(t, err, "in 5 cases in a row the port has died or hung, and it has passed nothing yet: it is given up", name)
		require.Less(t, len(report.Verdicts), 10, name)
	}
	o := options(nil)
	o.Port.Serve, o.GiveUp = diesAfter(1), 20
	var lasting []kit.Case
	for k, c := range crashes(12) {
		if k%6 > 0 {
			c = asks("dies", 1)
			c.ID += fmt.Sprint(k)
		}
		lasting = append(lasting, c)
	}
	report, err := kit.Run(t.Context(), lasting, o)
	require.NoError(t, err, "one has passed before")
	require.Len(t, report.Verdicts, 12)
}

// diesAfter is a port that answers so many crashes of node a, and dies of the next, or of that of any other.
func diesAfter(most int) func(io.Reader, io.Writer) error {
	return func(r io.Reader, w io.Writer) error {
		in := bufio.NewScanner(r)
		for crashes := 0; in.Scan(); {
			var q port.Request
			if err := json.Unmarshal(in.Bytes(), &q); err != nil {
				return err
			}
			if q.Op == port.Crash {
				if crashes++; crashes > most || q.Node != "a" {
					return errors.New("tired")
				}
			}
			if _, err := fmt.Fprintf(w, `{"id":%d,"ok":true,"protocol":1,"port":{"name":"dies","version":"1","language":"Go"}}`+"\n", q.ID); err != nil {
				return err
			}
		}
		return in.Err()
	}
}

// TestFormNamesTheInput says, of a reply that is none, by which rule the input is taken: it may be the step that is wrong.
func TestFormNamesTheInput(t *testing.T) {
	v := kit.Verdict{Case: "R42-x", Suite: kit.Vectors, Rules: []string{"R42"}, Rule: "R33", Outcome: kit.Broken, Kind: port.Nonsense, Problem: "this is no reply: state.configuration …"}
	other := v
	other.Rule = "R17"
	text := v.Explain("")
	require.Contains(t, text, "about    the form of replies")
	require.Contains(t, text, "or R33   by which the input is taken, if the step itself is wrong: "+kit.RuleText("R33"))
	r := kit.Report{Verdicts: []kit.Verdict{v, v, other}}
	require.Equal(t, []kit.Suspect{{Failed: 3, Cases: 3, Inputs: []string{"R33", "R17"}}}, r.Suspects())
	require.Contains(t, r.Suspects()[0].String(), "or the step is wrong, and so the reply is none: what was asked is taken by R33, R17")
}

// TestDump keeps all requests of a case that fails, from its reset on, in a file; the verdict has the last ones, as many as are wanted.
func TestDump(t *testing.T) {
	dir := t.TempDir()
	o := options(nil)
	o.Port.Serve, o.Dump, o.Port.Last = leaks(30, `"okay":true`), dir, 4
	c := failing("long", func(_ context.Context, p *port.Process) error {
		for range 50 {
			if _, err := p.Ask(&port.Request{Op: port.Crash, Node: "a"}); err != nil {
				return err
			}
		}
		return nil
	})
	report, err := kit.Run(t.Context(), append(crashes(3), c), o)
	require.NoError(t, err)
	v := &report.Verdicts[3]
	require.Equal(t, kit.Broken, v.Outcome)
	require.Len(t, v.Last, 4)
	require.Equal(t, filepath.Join(dir, "long.requests"), v.Dump)
	text, err := os.ReadFile(v.Dump)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, lines, 2+27, "hello, reset, and what came after the three crashes before")
	require.Contains(t, lines[0], `"op":"hello"`)
	require.Contains(t, lines[1], `"op":"reset","case":"long"`)
	require.Equal(t, v.Request, lines[28])
	require.Contains(t, v.Explain(""), "  dump     "+v.Dump)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "of what passes nothing is kept")

	o.Dump = filepath.Join(dir, "gone")
	report, err = kit.Run(t.Context(), []kit.Case{c}, o)
	require.NoError(t, err)
	require.Contains(t, report.Verdicts[0].Problem, "dump    the requests are not kept: ")
}

// TestStandardError shows the end of what a port writes to its standard error, line by line, and counts all of it.
func TestStandardError(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no /bin/sh: ", err)
	}
	const script = `read q; echo '{"id":1,"protocol":1,"port":{"name":"loud","version":"1","language":"sh"}}'
read q; echo '{"id":2,"ok":true}'; read q
i=0; while [ $i -lt 2000 ]; do i=$((i+1)); echo "line $i of many" >&2; done; exit 3`
	o := kit.Options{Workers: 1, Port: port.Config{Command: []string{"/bin/sh", "-c", script}}}
	report, err := kit.Run(t.Context(), crashes(1), o)
	require.NoError(t, err)
	v := &report.Verdicts[0]
	require.Equal(t, port.Died, v.Kind)
	require.Contains(t, v.Explain(""), "  stderr   … (the end of 34893 bytes)\n           line 1991 of many\n")
	require.Contains(t, v.Explain(""), "line 2000 of many\n")
	require.EqualValues(t, 34893, report.Written, "of the process that was asked who it is nothing is counted")
	require.Contains(t, report.StandardError(), "It has written 34893 bytes to its standard error, which end so:\nline 1991 of many\n")
	require.Empty(t, (&kit.Report{}).StandardError())
}

// TestByRule counts each case for the rules that it asks, and a failure for the rule that it says is broken.
func TestByRule(t *testing.T) {
	r := kit.Report{Verdicts: []kit.Verdict{
		{Rules: []string{"R17", "R4"}, Asked: map[string]uint64{"R17": 3, "R23": 2}, Outcome: kit.Pass},
		{Rules: []string{"R17"}, Asked: map[string]uint64{"R17": 1, "R8": 1}, Outcome: kit.Fail, Rule: "R8"},
		{Rules: []string{"R17"}, Outcome: kit.Fail, Rule: "OneLeaderPerEpoch"},
		{Rules: []string{"R42"}, Outcome: kit.Unsupported},
		{Rules: []string{}, Outcome: kit.Pass},
		{Rules: []string{"R3"}, Outcome: kit.Nondeterministic},
	}}
	of := map[string]kit.RuleResult{}
	for _, one := range r.ByRule() {
		of[one.Rule] = one
	}
	for _, want := range []kit.RuleResult{
		{Rule: "R17", Cases: 3, Passed: 1, Others: 2, Asked: 4}, {Rule: "R4", Cases: 1, Passed: 1}, {Rule: "R23", Cases: 1, Passed: 1, Asked: 2},
		{Rule: "R8", Cases: 1, Failed: 1, Asked: 1}, {Rule: "OneLeaderPerEpoch", Cases: 1, Failed: 1}, {Rule: "R42", Cases: 1, Others: 1},
		{Rule: kit.NoRule, Cases: 2, Passed: 1, Failed: 1}, {Rule: "R3", Cases: 1, Others: 1}, {Rule: "R50"},
	} {
		require.Equal(t, want, of[want.Rule])
	}
	require.Len(t, of, 50+1+1)
	require.Contains(t, r.RuleTable(), "R8                       1      0      1      0          1  The patience of a follower ends\n")
}

// TestSpeed measures how many requests a second a port answers, and says so beside how many it should.
func TestSpeed(t *testing.T) {
	r := kit.Report{Seconds: 3, Rate: 15_000.4, Verdicts: []kit.Verdict{{Requests: 40_000}, {Requests: 20_000}}}
	require.Equal(t, "60000 requests in 3.0 s. It answers 15000 requests a second here, as busy as this machine is; a port should answer 20000.", r.Speed())
	r.Rate = 0
	require.Equal(t, "60000 requests in 3.0 s.", r.Speed(), "it was not measured")

	o := options(nil)
	o.Measure, o.Port.Serve = true, serveModel
	report, err := kit.Run(t.Context(), crashes(1), o)
	require.NoError(t, err)
	require.Positive(t, report.Rate)
	o.Port.Serve = leaks(-1, "") // which answers no step
	report, err = kit.Run(t.Context(), crashes(1), o)
	require.NoError(t, err)
	require.Zero(t, report.Rate)
}
