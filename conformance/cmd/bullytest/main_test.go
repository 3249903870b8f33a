package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/vectors"
	"github.com/seed-fdf591db/bully/spec"
)

// TestMain lets the test itself be a port: that of the model, right or wrong.
func TestMain(m *testing.M) {
	how := os.Getenv("BULLYTEST_PORT")
	if how == "" {
		os.Exit(m.Run())
	}
	if how == "silent" {
		os.Exit(0)
	}
	subject := func() conformance.Subject { return &answers{how: how} }
	err := port.Serve(os.Stdin, os.Stdout, port.Implementation{
		Identity: port.Identity{Name: how, Version: "1.0", Language: "Go"},
		Changing: true,
		Naming:   true,
		Make:     conformance.NodeOf(subject),
		Load: func(id spec.NodeID, members []spec.NodeID, s spec.State) (conformance.Node, error) {
			return conformance.NodeIn(subject(), id, members, s), nil
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// answers is the model, but "mute" says no HEARTBEAT, "broken" dies of every step, and "frail" dies of a claim timer.
type answers struct {
	model conformance.Model
	how   string
}

func (a *answers) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step {
	out := a.model.Step(id, members, before, in)
	switch {
	case a.how == "mute" && in.Timer == spec.HeartbeatTimer:
		out.Sent = nil
	case a.how == "broken":
		os.Exit(1)
	case a.how == "frail" && in.Timer == spec.ClaimTimer:
		fmt.Fprintln(os.Stderr, "segmentation fault")
		os.Exit(3)
	}
	return out
}

// bullytest calls the command with a port that is this test.
func bullytest(t *testing.T, how string, args ...string) (status int, out, log string) {
	t.Helper()
	t.Setenv("BULLYTEST_PORT", how)
	self, err := os.Executable()
	require.NoError(t, err)
	if how != "" {
		args = append(args, "--", self)
	}
	var o, l bytes.Buffer
	status = run(t.Context(), &program{&o, &l}, args)
	return status, o.String(), l.String()
}

// TestExitStatus calls the command in all ways that it can end.
func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		status    int
		how, args string
		says      string
	}{
		{exitOK, "model", "test -run R27-*,R22-*", "3 cases: 3 pass"},
		{exitFailed, "mute", "test -run R27-*,R22-*", "3 cases: 2 pass, 1 fail"},
		{exitFailed, "frail", "test -run R27-*,R22-*", "3 cases: 1 pass, 2 error"},
		{exitOK, "model", "check", "5 of 5 first cases pass"},
		{exitOK, "model", "test -isolate -run fault-*", "each node in a process of its own"},
		{exitNoPort, "silent", "test", "it has ended, and did not answer"},
		{exitNoPort, "silent", "check", "A port reads a line of JSON"},
		{exitUsage, "model", "test -run R99-*", "no case matches"},
		{exitUsage, "model", "test -rule R99", "there is no rule"},
		{exitUsage, "model", "test -level gilded", "there is no level"},
		{exitUsage, "model", "test -fix", "-fix writes the file of -known-failing"},
		{exitUsage, "model", "test -fix -known-failing x -run R27-*", "what was not run would be forgotten"},
		{exitUsage, "model", "test -known-failing /no/such/file", "-fix writes one"},
		{exitUsage, "model", "test -last 0", "-last 0: give a number above 0"},
		{exitUsage, "model", "test -failed /no/such/file", "no such file"},
		{exitUsage, "model", "test -fix -known-failing x -failed y", "what was not run would be forgotten"},
		{exitUsage, "model", "test -run R27-* -dump /dev/null/x", "the requests cannot be kept"},
		{exitUsage, "", "releases", "give the certificates of a port"},
		{exitUsage, "", "releases /no/such/file", "no such file"},
		{exitUsage, "", "releases -html /no/such/page.html x", "page.html cannot be written"},
		{exitOK, "", "help", "22,000 requests)"},
		{exitUsage, "model", "test -colour", "flag provided but not defined"},
		{exitUsage, "", "test", "say how the port is started"},
		{exitUsage, "", "check", "say how the port is started"},
		{exitUsage, "", "dance", `no command "dance"`},
		{exitUsage, "", "", "bullytest new"},
		{exitOK, "", "help", "bullytest explain"},
		{exitOK, "", "help test", "-known-failing"},
		{exitUsage, "", "help dance", "no command"},
		{exitOK, "", "-h", "bullytest explain"},
		{exitUsage, "", "new", "say which language"},
		{exitUsage, "", "new -lang cobol x", "say which language"},
		{exitUsage, "", "stdin", "say which case"},
		{exitUsage, "", "stdin R17-nothing", "there is no case"},
		{exitUsage, "", "vectors", "say into which folder"},
		{exitUsage, "", "stdin sim-crash-3-2", "is a case of suite sim, and no vector"},
		{exitUsage, "model", "test -workers 0", "-workers 0: give a number above 0"},
		{exitUsage, "model", "test -workers 65", "give 64 at most"},
		{exitUsage, "model", "test -answer 0s", "-answer 0s: give a time above 0"},
		{exitUsage, "model", "test -limit -1s", "-limit -1s: give a time above 0"},
		{exitUsage, "model", "test -level gilded -run R27-*", "there is no level"},
		{exitUsage, "model", "sim -workers 0", "-workers 0: give a number above 0"},
		{exitUsage, "model", "sim -workers -3", "-workers -3"},
		{exitUsage, "model", "sim -answer -5s", "-answer -5s"},
		{exitUsage, "model", "sim -seeds 9-2", "the first not above the last"},
		{exitUsage, "model", "sim -seeds -4", "give one number, or two"},
		{exitUsage, "model", "sim -seeds 1-2-3", "give one number, or two"},
		{exitUsage, "model", "sim -nodes -1", "give 1 to 7, or 0"},
		{exitUsage, "model", "sim -nodes 8", "give 1 to 7, or 0"},
		{exitUsage, "model", "sim -profile calm", "there are lossy"},
		{exitUsage, "model", "replay -answer 0s /no/such/file", "-answer 0s"},
		{exitUsage, "model", "shrink -runs 0 /no/such/file", "-runs 0: give a number above 0"},
		{exitUsage, "", "selftest -workers 0", "-workers 0"},
		{exitUsage, "model", "test -run R27-*,R99-*", `no case matches "R99-*"`},
		{exitOK, "", "help", "The way of a port"},
		{exitUsage, "", "explain", "a rule, such as R12"},
		{exitUsage, "", "explain R99", "neither a rule"},
		{exitUsage, "", "list -run nothing", "no case"},
		{exitUsage, "", "list R17", "what is"},
		{exitUsage, "", "report x", "say one form"},
		{exitOK, "model", "test -run R27-heartbeats", "1 case: 1 pass"},
		{exitOK, "model", "test -rule r27", "about r27: "},
		{exitUsage, "model", "test -rule R37", "no level asks R37: how long timers run"},
		{exitUsage, "", "list -rule R37", "no level asks R37: how long timers run"},
		{exitUsage, "", "test ./port -level gold", "-level stands behind the port, which would be given it"},
		{exitUsage, "", "sim ./port --seeds=1", "--seeds=1 stands behind the port"},
		{exitUsage, "", "replay file ./port -v", "-v stands behind the port"},
		{exitNoPort, "", "test -- /no/such/port -level gold", "does not start"},
		{exitNoPort, "", "test /no/such/port -gold", "does not start"},
		{exitUsage, "model", "test -run R27-heartbeats -json /no/such/r.json", "r.json cannot be written, and nothing was run"},
		{exitUsage, "model", "test -run R27-heartbeats -badge /no/such/b.json", "b.json cannot be written"},
		{exitOK, "", "version", "bullytest 2.0, specification 2.0, vectors "},
		{exitUsage, "", "report -html /no/such/file", "no such file"},
	} {
		status, out, log := bullytest(t, c.how, strings.Fields(c.args)...)
		require.Equal(t, c.status, status, "%s\n%s%s", c.args, out, log)
		require.Contains(t, out+log, c.says, c.args)
	}
}

// TestCommandThatIsNotThere fails once, and early.
func TestCommandThatIsNotThere(t *testing.T) {
	status, out, log := bullytest(t, "", "test", "--", "/no/such/port")
	require.Equal(t, exitNoPort, status)
	require.Empty(t, out)
	require.Equal(t, 1, strings.Count(log, "does not start"))
}

// TestFailureSaysAll shows what a failure prints, down to the command that repeats it.
func TestFailureSaysAll(t *testing.T) {
	status, out, _ := bullytest(t, "mute", "test", "-run", "R27-*")
	require.Equal(t, exitFailed, status)
	self, err := os.Executable()
	require.NoError(t, err)
	for _, says := range []string{
		"FAIL R27-heartbeats\n", "  R27      When the heartbeat timer ends, a leader says HEARTBEAT to all, a new question.\n",
		"effects: send number 1 is missing: expected 3→1 HEARTBEAT epoch:4 question:7\n", `  expected {"id":4,"effects":[{"arm":"heartbeat"},{"send"`,
		`  before   {"id":3,"op":"load"`, `  request  {"id":4,"op":"end"`, `  reply    {"id":4,"effects":[{"arm":"heartbeat"}],"state"`,
		"  again    bullytest test -run R27-heartbeats -- " + self, "Most likely broken:\n  R27  said by 1 of 1 vectors that fail: ",
	} {
		require.Contains(t, out, says)
	}
	_, out, _ = bullytest(t, "frail", "test", "-run", "R22-rests*")
	require.Contains(t, out, "ERROR R22-rests-in-silence")
	require.Contains(t, out, "stderr   segmentation fault")
}

// TestKnownFailing keeps a list of failures, and notices what is stale.
func TestKnownFailing(t *testing.T) {
	dir := t.TempDir()
	known, results := filepath.Join(dir, "known"), filepath.Join(dir, "r.json")
	status, out, log := bullytest(t, "mute", "test", "-known-failing", known, "-fix")
	require.Equal(t, exitOK, status, log)
	require.Contains(t, out, "cases fail.")
	text, err := os.ReadFile(known)
	require.NoError(t, err)
	require.Contains(t, string(text), "R27-heartbeats  # effects: send number 1 is missing")
	status, out, _ = bullytest(t, "mute", "test", "-known-failing", known, "-json", results)
	require.Equal(t, exitOK, status, out)
	require.Contains(t, out, "expected-fail")
	status, out, _ = bullytest(t, "model", "test", "-known-failing", known, "-run", "R27-*")
	require.Equal(t, exitFailed, status)
	require.Contains(t, out, "UNEXPECTED-PASS R27-heartbeats")
	require.NoError(t, os.WriteFile(known, append(text, "R27-beets # no\n"...), 0o644))
	status, out, _ = bullytest(t, "mute", "test", "-known-failing", known, "-run", "R27-*")
	require.Equal(t, exitFailed, status)
	require.Contains(t, out, "R27-beets is on the list of expected failures, and is no case: take it off, such as R27-heartbeats")

	for form, says := range map[string]string{"-html": "<h1>mute", "-junit": "<testsuites>", "-json": `"R27-heartbeats"`, "-text": "expected-fail"} {
		status, out, log := bullytest(t, "", "report", form, results)
		require.Equal(t, exitOK, status, log)
		require.Contains(t, out, says)
	}
}

// TestFiles writes results in all forms.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	name := func(n string) string { return filepath.Join(dir, n) }
	status, out, _ := bullytest(t, "mute", "test", "-v", "-run", "R2[27]-*", "-json", name("j"), "-junit", name("x"), "-html", name("h"))
	require.Equal(t, exitFailed, status)
	require.Contains(t, out, "pass R22-rests-in-silence\n")
	for file, says := range map[string]string{"j": `"kit": "2.0"`, "x": `name="mute.vectors"`, "h": "<title>mute 1.0"} {
		text, err := os.ReadFile(name(file))
		require.NoError(t, err)
		require.Contains(t, string(text), says)
	}
}

// TestStdin pipes each vector into the model by hand: what comes is what -replies says.
func TestStdin(t *testing.T) {
	for _, id := range []string{"R17-grants-a-higher-epoch", "protocol-unknown-op", "R38-each-its-own", "run-failover"} {
		_, requests, _ := bullytest(t, "", "stdin", id)
		_, replies, _ := bullytest(t, "", "stdin", "-replies", id)
		self, err := os.Executable()
		require.NoError(t, err)
		command := exec.CommandContext(t.Context(), self)
		command.Env = append(os.Environ(), "BULLYTEST_PORT=model")
		command.Stdin = strings.NewReader(requests)
		out, err := command.Output()
		require.NoError(t, err)
		got, want := strings.Split(strings.TrimSpace(string(out)), "\n"), strings.Split(strings.TrimSpace(replies), "\n")
		require.Len(t, got, len(want)+3, "hello, reset and bye besides")
		for k := range want {
			require.Equal(t, len(want[k]) > 0, len(got[k+2]) > 0)
			require.Equal(t, want[k][:7], got[k+2][:7], "the same id")
		}
	}
}

// TestList lists cases.
func TestList(t *testing.T) {
	status, out, _ := bullytest(t, "", "list", "-json")
	require.Equal(t, exitOK, status)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.GreaterOrEqual(t, len(lines), len(vectors.All()))
	for _, line := range lines {
		var c listed
		require.NoError(t, json.Unmarshal([]byte(line), &c), line)
		require.NotEmpty(t, c.Title)
	}
	_, out, _ = bullytest(t, "", "list", "-rule", "R22", "-run", "R22*")
	require.Contains(t, out, "R22-rests-in-silence  (vectors R22)\n    A claim that lost messages")
	require.Contains(t, out, "2 cases.")
}

// TestExplain says what each rule says, and which cases are about it.
func TestExplain(t *testing.T) {
	for _, r := range spec.Rules() {
		status, out, _ := bullytest(t, "", "explain", r.Name)
		require.Equal(t, exitOK, status)
		require.Contains(t, out, r.Text)
		require.True(t, strings.Contains(out, "Cases:") || strings.Contains(out, "No case shows"), r.Name)
	}
	_, out, _ := bullytest(t, "", "explain", "r36")
	require.Contains(t, out, "R36.5  what a host may leave out")
	_, out, _ = bullytest(t, "", "explain", "R22-rests-in-silence")
	require.Contains(t, out, `> {"id":4,"op":"end","node":"n2","timer":"claim"}`)
	_, _, log := bullytest(t, "", "explain", "R22-rests")
	require.Contains(t, log, "nor a case, such as R22-rests-in-silence")
}

// TestSkeletons starts those whose language is there: the first case passes, one fails by design, and the rest is not there yet.
func TestSkeletons(t *testing.T) {
	tried := 0
	for _, l := range languages {
		dir := filepath.Join(t.TempDir(), l.name)
		status, out, log := bullytest(t, "", "new", "-lang", l.name, dir)
		require.Equal(t, exitOK, status, log)
		require.Contains(t, out, "bullytest check -- "+l.command)
		require.Equal(t, l.name == "other", strings.Contains(out, "There is no skeleton in your language"))
		status, _, log = bullytest(t, "", "new", "-lang", l.name, dir)
		require.Equal(t, exitUsage, status)
		require.Contains(t, log, "nothing is overwritten")
		words := strings.Fields(l.command)
		if l.name == "go" {
			build := exec.CommandContext(t.Context(), "go", "build")
			build.Dir, build.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
			text, err := build.CombinedOutput()
			require.NoError(t, err, string(text))
			words = []string{filepath.Join(dir, "port")}
		} else if _, err := exec.LookPath(words[0]); err != nil || l.build != "" || l.name == "other" {
			t.Logf("%s is not tried: it needs %q, and what it is built with", l.name, words[0])
			continue
		} else {
			words[1] = filepath.Join(dir, words[1])
		}
		tried++
		var o, e bytes.Buffer
		status = run(t.Context(), &program{&o, &e}, append([]string{"check", "--"}, words...))
		require.Equal(t, exitFailed, status, "%s%s", &o, &e)
		require.Contains(t, o.String(), "ok   R32-first-start\nFAIL R8-patience-ends-without-a-leader\n", l.name)
		require.Equal(t, 1, strings.Count(o.String(), "FAIL"), o.String())
		require.Equal(t, 3, strings.Count(o.String(), "not yet: "), o.String())
		require.Contains(t, o.String(), "speaks the protocol; 1 of 5 first cases pass.")
	}
	require.Positive(t, tried)
}

// TestSmoke holds that the first cases are vectors, and that help names every command.
func TestSmoke(t *testing.T) {
	for _, s := range smoke {
		require.NotNil(t, vectors.Named(s.id), s.id)
	}
	_, out, _ := bullytest(t, "", "help")
	for _, c := range commands() {
		require.Contains(t, out, "bullytest "+c.name+" ")
	}
	cases, err := casesOf("")
	require.NoError(t, err)
	ids := map[string]bool{}
	for _, c := range cases {
		require.False(t, ids[c.ID], "two cases are called %s", c.ID)
		ids[c.ID] = true
	}
	require.True(t, slices.ContainsFunc(cases, func(c kit.Case) bool { return c.Needs == "fence" }))
}

// TestInterrupted ends a run.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	t.Setenv("BULLYTEST_PORT", "model")
	self, err := os.Executable()
	require.NoError(t, err)
	var out, log bytes.Buffer
	status := run(ctx, &program{&out, &log}, []string{"test", "--", self})
	require.NotEqual(t, exitOK, status, "%s%s", &out, &log)
}

// A case, and its rule, are in the program: no file is needed to read them.
func Example() {
	run(context.Background(), &program{os.Stdout, os.Stderr}, []string{"explain", "R22-rests-in-silence"})
	// Output:
	// R22-rests-in-silence (vectors)
	// A claim that lost messages have starved ends, and nothing is sent.
	//   R22   When the claim timer ends, the claimant rests.
	//   from  R22, B13, B03
	//
	// > is a request, and < the reply to it. By hand: bullytest stdin R22-rests-in-silence | your port
	//
	// > {"id":3,"op":"load","node":"n2","me":"2","members":["1","2","3"],"state":{"role":"claimant","leader":null,"lease":0,"epoch":4,"grantee":"1","support":["3"],"asked":6,"latest":6}}
	// < {"id":3,"state":{"role":"claimant","leader":null,"lease":0,"epoch":4,"grantee":"1","support":["3"],"asked":6,"latest":6}}
	// > {"id":4,"op":"end","node":"n2","timer":"claim"}
	// < {"id":4,"effects":[{"cancel":"claim"},{"arm":"patience"}],"state":{"role":"follower","leader":null,"lease":0,"epoch":4,"grantee":"1","support":[],"asked":0,"latest":6}}
}

// TestPlain lets nothing through that moves a cursor.
func TestPlain(t *testing.T) {
	var b bytes.Buffer
	n, err := fmt.Fprint(plain{&b}, "a\x1b[2Jb\r\tZürich\n\u009b1m\x00")
	require.NoError(t, err)
	require.Equal(t, 21, n)
	require.Equal(t, "a\\x1b[2Jb\\x0d\tZürich\n\\x9b1m\\x00", b.String())
}

// TestWritable leaves things as they were.
func TestWritable(t *testing.T) {
	dir := t.TempDir()
	isNew, old := filepath.Join(dir, "new"), filepath.Join(dir, "old")
	require.NoError(t, os.WriteFile(old, []byte("text"), 0o644))
	require.NoError(t, writable("", isNew, old))
	require.NoFileExists(t, isNew)
	text, err := os.ReadFile(old)
	require.NoError(t, err)
	require.Equal(t, "text", string(text))
	require.ErrorContains(t, writable(isNew, dir), "cannot be written")
}

// TestFailedAgain runs what has not passed once more, and nothing else; when all passes there is nothing left.
func TestFailedAgain(t *testing.T) {
	dir := t.TempDir()
	results, second := filepath.Join(dir, "r.json"), filepath.Join(dir, "second.json")
	status, out, _ := bullytest(t, "mute", "test", "-run", "R2[2-7]-*", "-json", results)
	require.Equal(t, exitFailed, status, out)
	status, out, _ = bullytest(t, "mute", "test", "-failed", results)
	require.Equal(t, exitFailed, status, out)
	require.Contains(t, out, "mute 1.0 (Go), what has not passed in "+results+": 3 cases: 3 fail")
	status, out, _ = bullytest(t, "model", "test", "-failed", results, "-run", "R27-*", "-json", second)
	require.Equal(t, exitOK, status, out)
	require.Contains(t, out, "1 case: 1 pass")
	require.NotContains(t, out, "reached", "a level is that of a whole run")
	status, _, log := bullytest(t, "model", "test", "-failed", second)
	require.Equal(t, exitUsage, status)
	require.Contains(t, log, "there is nothing to run again: of the 1 cases in "+second)
}

// TestDumpIsReplayed keeps the requests of a case that has failed: replay fails with them in the same way.
func TestDumpIsReplayed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dumps")
	status, out, log := bullytest(t, "mute", "test", "-run", "R27-heartbeats,sim-crash-3-2", "-dump", dir, "-last", "3")
	require.Equal(t, exitFailed, status, out+log)
	require.Contains(t, out, "2 cases: 2 fail")
	for _, id := range []string{"R27-heartbeats", "sim-crash-3-2"} {
		file := filepath.Join(dir, id+".requests")
		require.Contains(t, out, "  dump     "+file+"\n")
		status, replayed, log := bullytest(t, "mute", "replay", file)
		require.Equal(t, exitFailed, status, replayed+log)
		require.Contains(t, replayed, "R27", id)
		status, replayed, log = bullytest(t, "model", "replay", file)
		require.Equal(t, exitOK, status, replayed+log)
	}
	_, after, _ := strings.Cut(out, "FAIL sim-crash-3-2")
	_, before, _ := strings.Cut(after, "  before   ")
	before, _, _ = strings.Cut(before, "  request  ")
	require.Equal(t, 2, strings.Count(before, `{"id":`), "three, and one of them is the request itself")
}

// TestResultsPerRule says what came of each rule: on request in the text, and in the certificate.
func TestResultsPerRule(t *testing.T) {
	dir := t.TempDir()
	name := func(n string) string { return filepath.Join(dir, n) }
	status, out, _ := bullytest(t, "mute", "test", "-v", "-run", "R2[27]-*,sim-crash-3-2", "-json", name("r.json"), "-certificate", name("1.json"))
	require.Equal(t, exitFailed, status)
	row := regexp.MustCompile(`R27 +2 +0 +2 +0 +\d+  Heartbeats\n`)
	require.Regexp(t, row, out)
	require.Regexp(t, `R37 +0 +0 +0 +0 +0  `, out, "nobody asks it, and that is said")
	_, out, _ = bullytest(t, "", "report", "-text", name("r.json"))
	require.Regexp(t, row, out)
	status, _, _ = bullytest(t, "model", "test", "-run", "R2[27]-*,sim-crash-3-2", "-certificate", name("2.json"))
	require.Equal(t, exitOK, status)
	for file, says := range map[string]string{"1.json": `{"cases":2,"failed":2,"passed":0,"rule":"R27"}`, "2.json": `{"cases":2,"failed":0,"passed":2,"rule":"R27"}`} {
		text, err := os.ReadFile(name(file))
		require.NoError(t, err)
		require.Contains(t, string(text), says)
		renamed := strings.NewReplacer(`"name":"mute"`, `"name":"p"`, `"name":"model","version":"1.0"`, `"name":"p","version":"1.1"`).Replace(string(text))
		require.NoError(t, os.WriteFile(name(file), []byte(renamed), 0o644))
	}
	status, out, log := bullytest(t, "", "releases", "-html", name("page.html"), name("2.json"), name("1.json"))
	require.Equal(t, exitOK, status, log)
	require.Regexp(t, `^p +1\.0 +1\.1\n`, out)
	require.Regexp(t, `R27 +0/2 \(2 fail\) +2/2 better\n`, out)
	page, err := os.ReadFile(name("page.html"))
	require.NoError(t, err)
	require.Contains(t, string(page), `<td class="good">2/2 <small>better</small>`)
}
