package kit_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
)

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
		t.Skip("needs /bin/sh: ", err)
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
	require.Len(t, of, 51+1+1)
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
