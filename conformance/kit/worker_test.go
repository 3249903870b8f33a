package kit_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// blaming has every failure of cases name a rule.
func blaming(rule string, cases []kit.Case) []kit.Case {
	for k := range cases {
		ask := cases[k].Run
		cases[k].Run = func(ctx context.Context, p *port.Process) error {
			err := ask(ctx, p)
			var failure *port.Failure
			if errors.As(err, &failure) {
				failure.Rule = rule
			}
			return err
		}
	}
	return cases
}

// TestHangs names a rule only if the port hangs alone, too; and gives up a port that hangs again and again, though not in a row.
func TestHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cases := blaming("R17", crashes(60))
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
	require.Equal(t, "the protocol said by 3 of 3 vectors that fail: no rule says it (conformance/CERTIFYING.md, The loop, and Replies)", report.Suspects()[0].String())
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

	o.Alone, o.Port.Serve = 9, afterCase("crash-7", "crash-9")
	report, err = kit.Run(t.Context(), crashes(9), o)
	require.NoError(t, err)
	require.Equal(t, []string{"crash-7", "crash-8"}, report.Verdicts[8].Before, "those that came last, not any two")

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

// afterCase is a port that says error in a case if it has been asked another one before.
func afterCase(first, then string) func(io.Reader, io.Writer) error {
	return func(r io.Reader, w io.Writer) error {
		in := bufio.NewScanner(r)
		before, now := map[string]bool{}, ""
		for in.Scan() {
			var q port.Request
			if err := json.Unmarshal(in.Bytes(), &q); err != nil {
				return err
			}
			body := `"ok":true,"protocol":1,"port":{"name":"after","version":"1","language":"Go"}`
			switch {
			case q.Op == port.Reset:
				before[now], now = true, q.Case
			case q.Op == port.Crash && now == then && before[first]:
				body = `"error":"no"`
			}
			if _, err := fmt.Fprintf(w, "{\"id\":%d,%s}\n", q.ID, body); err != nil {
				return err
			}
		}
		return in.Err()
	}
}

// TestErrorAlone names no rule for an error that was not tried alone.
func TestErrorAlone(t *testing.T) {
	cases := blaming("R17", crashes(4))
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
