package kit_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// results is a report with one verdict of each outcome.
func results() *kit.Report {
	r := &kit.Report{Kit: kit.Version, Spec: kit.Spec, Port: port.Identity{Name: "<mine>", Version: "1", Language: "C"}, Command: []string{"my port", "-x"}, Seconds: 1.5}
	for _, o := range kit.Outcomes() {
		v := kit.Verdict{Case: "R17-" + string(o), Suite: kit.Vectors, Must: true, Rules: []string{"R17", "R4"}, Outcome: o, Requests: 7}
		if o != kit.Pass {
			v.Problem, v.Request, v.Reply, v.Last = "state.epoch: expected 5, got <4>\nexpected {}", `{"id":2}`, "{}", []string{`{"id":1}`, `{"id":2}`}
		}
		if o == kit.Fail {
			v.Rule = "R17"
		}
		r.Verdicts = append(r.Verdicts, v)
	}
	return r
}

// TestReportKeeps writes a report, and reads it.
func TestReportKeeps(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.json")
	require.NoError(t, results().Write(name))
	r, err := kit.ReadReport(name)
	require.NoError(t, err)
	require.Equal(t, results(), r)
	require.NoError(t, os.WriteFile(name, []byte(`{"kit":"1.0"}`), 0o644))
	_, err = kit.ReadReport(name)
	require.ErrorContains(t, err, "is no report")
	require.NoError(t, os.WriteFile(name, []byte(`no`), 0o644))
	_, err = kit.ReadReport(name)
	require.ErrorContains(t, err, "is no report")
	_, err = kit.ReadReport(name + "x")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestForms writes a report as XML and as a page. What a port says is text there, and nothing else.
func TestForms(t *testing.T) {
	r := results()
	var junit, html bytes.Buffer
	require.NoError(t, r.JUnit(&junit))
	var all struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
			Skipped  int `xml:"skipped,attr"`
			Cases    []struct {
				Failure string `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal(junit.Bytes(), &all))
	require.Len(t, all.Suites, 2)
	rules := all.Suites[1]
	require.Equal(t, []int{52, 2, 0, 49}, []int{rules.Tests, rules.Failures, rules.Errors, rules.Skipped}, "R17, and what no rule says, have failed; R4 has passed")
	require.Contains(t, junit.String(), `<testcase name="R17" classname="&lt;mine&gt;.rules"`)
	require.Contains(t, junit.String(), `8 cases have asked it: 1 pass, 1 fail, 6 others`)
	s := all.Suites[0]
	require.Equal(t, []int{8, 4, 1, 2}, []int{s.Tests, s.Failures, s.Errors, s.Skipped})
	require.Contains(t, s.Cases[7].Failure, "got <4>")
	require.Contains(t, s.Cases[7].Failure, "bullytest test -run R17-fail -- 'my port' -x")
	require.NoError(t, r.HTML(&html))
	page := html.String()
	require.Contains(t, page, "&lt;mine&gt;")
	require.Contains(t, page, "got &lt;4&gt;")
	require.NotContains(t, page, "<4>")
	require.Contains(t, page, `<details id="R17-fail">`)
	require.NotContains(t, page, `<details id="R17-pass">`)
	require.Contains(t, page, `<td>R17</td><td class="title">Granting a claim</td><td class="number">8</td><td class="number pass">1</td><td class="number fail">1</td><td class="number other">6</td>`)
	require.Contains(t, page, `<strong class="fail">It does not conform</strong>`)
	require.Contains(t, page, `<a href="#R17-fail">R17-fail</a>`)
	require.Contains(t, page, "<h2>Most likely broken</h2>")
}

// TestExplain shows all that a failure says.
func TestExplain(t *testing.T) {
	r := results()
	v := &r.Verdicts[len(r.Verdicts)-1]
	require.Equal(t, `FAIL R17-fail
  R17      A CLAIM is granted unless the node keeps another's lease, claims that epoch or a higher one itself as the better, or has promised that epoch, or a higher one, already.
  what     state.epoch: expected 5, got <4>
  expected {}
  before   {"id":1}
  request  {"id":2}
  reply    {}
  again    bullytest test -run R17-fail -- 'my port' -x
`, v.Explain(r.Again(v)))
	for _, p := range spec.Properties() {
		require.NotEmpty(t, kit.RuleText(string(p)))
	}
	for _, r := range spec.Rules() {
		require.NotContains(t, kit.RuleText(r.Name), "spec/README.md", "it has a sentence")
		require.NotEmpty(t, kit.RuleText(r.Name))
	}
	require.Empty(t, kit.RuleText("R99"))
}

// TestSuspects ranks rules by how many of the vectors that fail say that they are broken, whatever these are about.
func TestSuspects(t *testing.T) {
	r := &kit.Report{}
	add := func(about, broken string, n int) {
		for range n {
			o := kit.Fail
			if broken == "" {
				o = kit.Pass
			}
			r.Verdicts = append(r.Verdicts, kit.Verdict{Case: about + "-x", Suite: kit.Vectors, Rules: []string{about}, Rule: broken, Outcome: o})
		}
	}
	add("R17", "R17", 3)
	add("R17", "", 7)
	add("R4", "R4", 4)
	add("R4", "R17", 1)
	add("R23", "R4", 9)
	r.Verdicts = append(r.Verdicts, kit.Verdict{Case: "sim-x", Suite: "sim", Rules: []string{"R17"}, Rule: "R17", Outcome: kit.Fail})
	require.Equal(t, []kit.Suspect{{Rule: "R4", Failed: 13, Cases: 17}, {Rule: "R17", Failed: 4, Cases: 17}}, r.Suspects())
	require.Equal(t, "R4   said by 13 of 17 vectors that fail: "+kit.RuleText("R4"), r.Suspects()[0].String())
}

// TestKnown runs with a list of expected failures.
func TestKnown(t *testing.T) {
	name := filepath.Join(t.TempDir(), "known")
	cases := []kit.Case{asks("good", 1), asks("errs", 1), asks("cannot", 1), asks("talks", 1)}
	run := func(list string) (*kit.Report, *kit.Known) {
		require.NoError(t, os.WriteFile(name, []byte(list), 0o644))
		known, err := kit.ReadKnown(name)
		require.NoError(t, err)
		o := options(newActor(t))
		o.Known = known
		report, err := kit.Run(t.Context(), cases, o)
		require.NoError(t, err)
		return report, known
	}
	outcomes := func(r *kit.Report) (all []kit.Outcome) {
		for _, v := range r.Verdicts {
			all = append(all, v.Outcome)
		}
		return all
	}
	r, known := run("# what fails\ncase-errs # index\ncase-cannot  # not yet\n\ncase-talks#this is no reply\n")
	require.Equal(t, []kit.Outcome{kit.Pass, kit.ExpectedFail, kit.ExpectedFail, kit.ExpectedFail}, outcomes(r))
	require.Empty(t, known.Stale(cases))
	require.Equal(t, 3, r.Known().Len())

	r, known = run("case-good # it fails\ncase-errs # it dies\ncase-talks\ncase-gone # long ago\n")
	require.Equal(t, []kit.Outcome{kit.UnexpectedPass, kit.Broken, kit.Unsupported, kit.Broken}, outcomes(r))
	require.Contains(t, r.Verdicts[1].Problem, `"it dies": it fails in another way`)
	require.Equal(t, []string{"case-gone"}, known.Stale(cases))

	require.NoError(t, r.Known().Write(name))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	r, _ = run(string(text))
	require.Equal(t, []kit.Outcome{kit.Pass, kit.ExpectedFail, kit.ExpectedFail, kit.ExpectedFail}, outcomes(r), "what was written holds: %s", text)

	for _, bad := range []string{"a b # no", "a # x\na # y"} {
		require.NoError(t, os.WriteFile(name, []byte(bad), 0o644))
		_, err := kit.ReadKnown(name)
		require.ErrorContains(t, err, "not one case, or is there twice")
	}
	var none *kit.Known
	require.Zero(t, none.Len())
	require.Empty(t, none.Stale(cases))
}

// TestSelect chooses cases.
func TestSelect(t *testing.T) {
	cases := []kit.Case{{ID: "R17-a", Rules: []string{"R17"}}, {ID: "R17-b", Rules: []string{"R4", "R17"}}, {ID: "R18-a", Rules: []string{"R18"}}}
	for _, c := range []struct{ globs, rule, want string }{
		{"", "", "R17-a R17-b R18-a"}, {"R17-*", "", "R17-a R17-b"}, {"*-a", "", "R17-a R18-a"}, {"", "R17", "R17-a R17-b"}, {"*-a", "R17", "R17-a"}, {"R18-?,R17-b", "", "R17-b R18-a"},
	} {
		some, err := kit.Select(cases, c.globs, c.rule)
		require.NoError(t, err)
		var ids []string
		for _, one := range some {
			ids = append(ids, one.ID)
		}
		require.Equal(t, c.want, strings.Join(ids, " "))
	}
	for globs, says := range map[string]string{"R17": "no case matches", "r18*": "such as R18-a", "[": "is no glob", "nothing": "bullytest list"} {
		_, err := kit.Select(cases, globs, "")
		require.ErrorContains(t, err, says)
	}
	_, err := kit.Select(cases, "", "R40")
	require.ErrorContains(t, err, "no case that is about R40")
	_, err = kit.Select(cases, "", "R99")
	require.ErrorContains(t, err, "no rule")
}

// TestSameReplies shows which replies to the same request are the same: no field order, no order of timers, no words.
func TestSameReplies(t *testing.T) {
	say := func(replies ...string) kit.Outcome {
		n := -1
		o := options(nil)
		o.Port.Serve = scripted(&n, replies)
		report, err := kit.Run(t.Context(), []kit.Case{asks("good", 1)}, o)
		require.NoError(t, err)
		return report.Verdicts[0].Outcome
	}
	const state = `"state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}`
	require.Equal(t, kit.Pass, say(`"ok":true,"features":["1","2"]`, `"features": ["1","2"], "ok": true`))
	require.Equal(t, kit.Nondeterministic, say(`"ok":true,"features":["1","2"]`, `"ok":true,"features":["2","1"]`))
	require.Equal(t, kit.Pass, say(`"ok":true,"effects":[{"arm":"heartbeat"},{"arm":"reign"}],`+state, `"ok":true,"effects":[{"arm":"reign"},{"arm":"heartbeat"}],`+state))
	require.Equal(t, kit.Nondeterministic, say(`"ok":true,"effects":[{"arm":"heartbeat"},{"over":1}],`+state, `"ok":true,"effects":[{"over":1},{"arm":"heartbeat"}],`+state))
	require.Equal(t, kit.Pass, say(`"ok":true,"ignored":"a",`+state, `"ok":true,"ignored":"b",`+state))
}

// TestOutcomesAreNamed holds that each outcome is counted.
func TestOutcomesAreNamed(t *testing.T) {
	text, err := json.Marshal(kit.Outcomes())
	require.NoError(t, err)
	require.JSONEq(t, `["pass","expected-fail","unsupported","inconclusive","unexpected-pass","nondeterministic","error","fail"]`, string(text))
	require.True(t, slices.Contains(kit.Outcomes(), kit.Undecided))
}
