package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// repository returns a folder that has the records of this one, and the page.
func repository(t *testing.T) string {
	root := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(root, folder), os.DirFS(".")))
	require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(page)), 0o755))
	return root
}

func textOf(t *testing.T, name string) string {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// figures runs the command, and returns its exit status and what it complains of.
func figures(root, in string, args ...string) (status int, log string) {
	var complaints bytes.Buffer
	status = run(args, root, strings.NewReader(in), &complaints, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	return status, complaints.String()
}

// TestPageIsWritten sees that the page of the repository is what the command writes.
func TestPageIsWritten(t *testing.T) {
	records, err := read(os.DirFS("."))
	require.NoError(t, err)
	want, err := pageOf(records)
	require.NoError(t, err)
	require.Equal(t, want, textOf(t, filepath.Join("../../..", page)), "go run ./conformance/evidence/figures")
}

// TestKeep measures anew, in a copy: the page says the new figures, with their date.
func TestKeep(t *testing.T) {
	root := repository(t)
	status, log := figures(root, `{"seconds": 61, "os": "plan9"}`, "-keep", "test", "-of", "make test", "-beside", "alone")
	require.Zero(t, status, log)
	status, log = figures(root, "goos: linux\nBenchmarkStep/claim-2  100  75.4 ns/op  0 B/op\nBenchmarkStep/grant-2 100 80 ns/op\n"+
		"BenchmarkSimulator/fixed-quiet-2 9 500 ns/step\nBenchmarkSimulator/changing-2 9 1000 ns/step\n"+
		"BenchmarkTrace/uuids-3-2 9 2000000 events/s\nBenchmarkTrace/changing-5-2 9 700000 events/s\nPASS\n", "-keep", "benchmarks", "-of", "go test -bench .")
	require.Zero(t, status, log)
	text := textOf(t, filepath.Join(root, page))
	require.Contains(t, text, "| 1m01 | `make test`, 2026-12-01, ")
	require.NotContains(t, text, "plan9")
	require.Contains(t, text, "A step of the core takes 75 to 80 ns")
	require.Contains(t, text, "| 2.0 million steps a second; 1.0 million where members change |")
	require.Contains(t, text, "| 2.0 million events a second; 0.7 million where members change |")
	require.Contains(t, textOf(t, filepath.Join(root, folder, "test.json")), `"beside": "alone"`)
}

// TestTrial: what a trial measures goes into its own folder, and the repository stays as it is.
func TestTrial(t *testing.T) {
	root, trial := repository(t), t.TempDir()
	before := textOf(t, filepath.Join(root, folder, "test.json"))
	status, log := figures(root, `{"seconds": 61}`, "-keep", "test", "-of", "make help", "-to", trial)
	require.Zero(t, status, log)
	require.Contains(t, textOf(t, filepath.Join(trial, page)), "| 1m01 | `make help`, 2026-12-01, ")
	require.FileExists(t, filepath.Join(trial, folder, "test.json"))
	require.Equal(t, before, textOf(t, filepath.Join(root, folder, "test.json")))
	require.NoFileExists(t, filepath.Join(root, page))
}

// TestGroupsThatCameNoFurther: what another program did not reach is left out of its column, and said.
func TestGroupsThatCameNoFurther(t *testing.T) {
	var r record
	require.NoError(t, json.Unmarshal([]byte(`{"groups": [{"program": "bully", "members": "fixed", "cold_s": 2, "kills": [{"led": 200, "first_ms": 9, "all_ms": 100}]},
		{"program": "groups etcd", "cold_s": 3, "stuck": "after a kill: 800 of 1000 groups are led after 2m0s"}, {"program": "groups dragonboat", "stuck": "cold start: 7 of 1000"}]}`), &r))
	table, err := groupsTable(&r)
	require.NoError(t, err)
	require.Contains(t, table, "all nodes know | 2.0 s | 3.0 s | |\n")
	require.Contains(t, table, "how many it led | 200 | | |\n")
	require.Contains(t, table, "| came no further |  | after a kill: 800 of 1000 groups are led after 2m0s | cold start: 7 of 1000 |")
}

// TestRefused gives what no page can be made of: nothing is kept.
func TestRefused(t *testing.T) {
	for problem, test := range map[string]struct{ name, in string }{
		"there is no such record":            {"speed", `{"seconds": 1}`},
		"not a JSON object":                  {"test", `seconds: 1`},
		"nothing was measured":               {"test", `{}`},
		"no line is of a benchmark":          {"benchmarks", "PASS\n"},
		`a benchmark says "BenchmarkStep-2 `: {"benchmarks", "BenchmarkStep-2 9 fast ns/op\n"},
	} {
		root := repository(t)
		status, log := figures(root, test.in, "-keep", test.name, "-of", "make x")
		require.Equal(t, exitWrong, status)
		require.Contains(t, log, problem)
		require.NoFileExists(t, filepath.Join(root, page))
	}
	for problem, test := range map[string]struct{ name, in string }{
		"has killed no node of bully":                  {"groups", `{"groups": [{"program": "bully", "nodes": 5}]}`},
		"has added no node: members that change are":   {"groups", `{"groups": [{"program": "bully", "kills": [{}]}]}`},
		`measures "etcd", which has no name`:           {"services", `{"failovers": [{"program": "etcd", "nodes": 3, "fault": "kill"}]}`},
		"has not counted the messages of bully on 3 n": {"failover", `{"failovers": [{"program": "bully", "nodes": 3, "fault": "kill"}]}`},
		`no benchmark that "^BenchmarkSimulator/fixed`: {"benchmarks", "BenchmarkStep-2 9 1 ns/op\n"},
	} {
		root := repository(t)
		kept, _ := os.ReadFile(filepath.Join(root, folder, test.name+".json")) // that of groups may not be there
		status, log := figures(root, test.in, "-keep", test.name, "-of", "make x")
		require.Equal(t, exitWrong, status)
		require.Contains(t, log, problem)
		now, _ := os.ReadFile(filepath.Join(root, folder, test.name+".json"))
		require.Equal(t, kept, now)
	}
	for _, args := range [][]string{{"more"}, {"-keep", "test"}, {"-of", "make test"}, {"-unknown"}} {
		status, _ := figures(repository(t), "", args...)
		require.Equal(t, exitUsage, status)
	}
	root := repository(t)
	require.NoError(t, os.Remove(filepath.Join(root, folder, "idle.json")))
	status, log := figures(root, "")
	require.Equal(t, exitWrong, status)
	require.Contains(t, log, "idle.json")
}
