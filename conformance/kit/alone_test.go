package kit_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	require.Equal(t, "it passes alone: the port remembers something, or draws lots\nfailed  index out of range", report.Verdicts[2].Problem)
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
