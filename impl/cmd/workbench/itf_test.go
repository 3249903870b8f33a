package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	checking "github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/engine"
)

// TestITF writes traces in the Informal Trace Format and makes traces of that again: the same bytes, and the same verdict.
func TestITF(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	states, again := filepath.Join(folder, "run.itf.json"), filepath.Join(folder, "run.ndjson")
	for name, verdict := range map[string]int{
		"valid/hand-over": cli.OK, "valid/members-grow": cli.OK, "valid/uuids": cli.OK, "invalid/R10-says-ok-and-does-not-ask": cli.Mismatch, "invalid/OneConfiguration-two-lists-of-first-members": cli.Mismatch,
	} {
		file := filepath.FromSlash("../../../traces/" + name + ".ndjson")
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		status, out, log := workbench(t, "itf", "-o", states, file)
		require.Equal(t, cli.OK, status, log)
		require.Empty(t, out)
		status, _, log = workbench(t, "from-itf", "-o", again, states)
		require.Equal(t, cli.OK, status, log)
		got, err := os.ReadFile(again)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
		_, err = checking.Trace(bytes.NewReader(got), checking.Options{})
		require.Equal(t, verdict == cli.OK, err == nil, name)
		text, err := os.ReadFile(states)
		require.NoError(t, err)
		opened := engine.Open(text, states)
		require.NotNil(t, opened.Recording, name)
		require.Equal(t, verdict == cli.OK, opened.Problem == nil, name)
		require.Equal(t, string(want), string(opened.Trace), name)
	}
}

// TestWrongITF says what is wrong with files of which no trace can be made.
func TestWrongITF(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.json")
	for text, says := range map[string]string{
		`{"vars":["x"],"states":[{"x":1}]}`:                               "x.json: no trace can be made of it: it is no behaviour of module Cluster",
		`{"#meta":{"header":1},"vars":["x"],"states":[{"x":1}]}`:          "x.json: #meta: header: ",
		`{"vars":["x"],"states":[]}`:                                      "x.json: it has no states",
		`{"format":3,"spec":"2.0","members":["1"],"seed":1,"commit":"x"}`: "x.json: it has no states",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		status, _, log := workbench(t, "from-itf", file)
		require.Equal(t, cli.Mismatch, status)
		require.Contains(t, log, says)
	}
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("x\n", 3)), 0o600))
	status, _, log := workbench(t, "itf", file)
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "x.json: line 1: ")
	for _, verb := range []string{"itf", "from-itf"} {
		status, _, log = workbench(t, verb, file, file)
		require.Equal(t, cli.Misused, status)
		require.Contains(t, log, "is wanted, or - for standard input")
	}
}
