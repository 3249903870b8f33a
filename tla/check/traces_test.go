package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/tla/check/traces"
)

// newTraceBench returns a bench with a trace of two members in a folder, and a TLC that says this of it.
func newTraceBench(t *testing.T, verdicts ...string) (b *bench, folder string) {
	t.Helper()
	b = newBench(t)
	b.write(filepath.Join(b.dir, "TraceCluster.cfg"), "")
	recorded, err := os.ReadFile(filepath.Join("tlc", "testdata", "outputs", "holds.txt"))
	require.NoError(t, err)
	b.write(filepath.Join(b.fake, "TraceCluster.txt"), strings.Join(verdicts, "\n")+"\n"+string(recorded))
	folder = t.TempDir()
	b.write(filepath.Join(folder, "start.ndjson"), `{"format":3,"spec":"2.0","members":["1","2"],"seed":1,"commit":"a"}
{"seq":1,"node":"1","action":"Start","sent":[],"state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}}
{"seq":2,"node":"2","action":"Start","sent":[],"state":{"role":"candidate","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}}
`)
	return b, folder
}

const (
	saidAccepted = `"<<\"verdict\", 1, 3, \"accepted\", <<>>, <<>>>>"`
	saidState    = `"<<\"verdict\", 1, 2, \"state\", <<\"follower\", 0, 0, 0, 0, {}, 0, 1, 0, <<0, 0>>, <<0, 1, {1, 2}, {}, {}, <<0, 0>>, <<1, 1>>>>>>, <<<<\"follower\", 0, 0, 0, 0, {}, 0, 1, 0, <<0, 0>>, <<0, 1, {1, 2}, {}, {}, <<0, 0>>, <<1, 1>>>>>>, <<>>>>>>"`
)

func TestTraces(t *testing.T) {
	b, folder := newTraceBench(t, saidAccepted)
	require.Equal(t, exitOK, b.run("-traces", folder), "%s%s", b.out.String(), b.log.String())
	text := strings.Join(strings.Fields(b.out.String()), " ")
	require.Contains(t, text, "members traces events chunks accepted refused seconds events/s 2 1 2 1 1 0")
	require.Contains(t, text, "1 trace: 1 accepted, 0 refused. As it must be: 1. 2 events on")
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "bully-check-*"))
	require.NoError(t, err)
	require.Empty(t, left, "no folder stays behind")

	require.Equal(t, exitOK, b.run("-traces", "-json", folder))
	var report struct {
		tracesFound
		Groups   []traces.Group
		Verdicts []traces.Verdict
	}
	require.NoError(t, json.Unmarshal([]byte(b.out.String()), &report))
	require.True(t, report.OK)
	require.Equal(t, 2, report.Events)
	require.Equal(t, 1, report.Groups[0].Traces)
	require.Equal(t, filepath.Join(folder, "start.ndjson"), report.Verdicts[0].File)
}

func TestTracesRefused(t *testing.T) {
	b, folder := newTraceBench(t, saidState)
	b.red("start.ndjson: refused at line 3: state: Start of node 2: the state after is not what the rules say\n"+
		"  before    follower leader:none epoch:0 grantee:none support:{} latest:1\n", "-traces", folder)
	require.Contains(t, b.log.String(), "not as it must be: 1 of 1 trace")

	expect := filepath.Join(folder, traces.ExpectFile)
	b.write(expect, `{"start.ndjson": {"line": 3, "rule": "R32"}}`)
	require.Equal(t, exitOK, b.run("-traces", folder), "%s%s", b.out.String(), b.log.String())
	require.NotContains(t, b.out.String(), "line 3", "only -v shows what is as it must be")
	require.Equal(t, exitOK, b.run("-traces", "-v", folder))
	require.Contains(t, b.out.String(), "refused at line 3")
	b.write(expect, `{"start.ndjson": {"line": 2, "rule": "R32"}}`)
	b.red("It must be refused at line 2, by R32.", "-traces", folder)

	b, folder = newTraceBench(t, saidAccepted)
	b.write(filepath.Join(folder, traces.ExpectFile), `{"start.ndjson": {"line": 3, "rule": "R32"}}`)
	b.red("start.ndjson: accepted\n  It must be refused at line 3, by R32.", "-traces", folder)
	b.replace(filepath.Join(folder, "start.ndjson"), `"seq":2`, `"seq":3`)
	require.Equal(t, exitOK, b.run("-traces", folder), "%s%s", b.out.String(), b.log.String())
	require.Contains(t, b.out.String(), "0 refused, 1 refused by the reader as malformed")
}

func TestTracesThatTLCDoesNotJudge(t *testing.T) {
	b, folder := newTraceBench(t)
	b.red("TLC gives no verdict on "+filepath.Join(folder, "start.ndjson")+", lines 2 to 3", "-traces", folder)
	b.red("there is no trace in this folder", "-traces", t.TempDir())
	for flags, problem := range map[string]string{
		"-traces":            "no trace would be checked",
		"-traces -bench x":   "exclude each other",
		"some.ndjson":        `unexpected argument "some.ndjson"`,
		"-traces -chunk 0 x": "-chunk is 0, but must be from 1 to 32000",
	} {
		require.Equal(t, exitUsage, b.run(strings.Fields(flags)...), flags)
		require.Contains(t, b.log.String(), problem)
	}
}
