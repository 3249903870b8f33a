package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/cmd/bully/stage"
)

// TestITF writes traces in the Informal Trace Format and makes traces of that again: the same bytes, and the same verdict.
func TestITF(t *testing.T) {
	folder := t.TempDir()
	states, again := filepath.Join(folder, "run.itf.json"), filepath.Join(folder, "run.ndjson")
	for name, verdict := range map[string]int{
		"valid/hand-over": exitOK, "valid/members-grow": exitOK, "valid/uuids": exitOK, "invalid/R10-says-ok-and-does-not-ask": exitMismatch, "invalid/OneConfiguration-two-lists-of-first-members": exitMismatch,
	} {
		file := filepath.FromSlash("../../../traces/" + name + ".ndjson")
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		status, out, log := bully(t, "trace", "itf", "-o", states, file)
		require.Equal(t, exitOK, status, log)
		require.Empty(t, out)
		status, _, log = bully(t, "trace", "from-itf", "-o", again, states)
		require.Equal(t, exitOK, status, log)
		got, err := os.ReadFile(again)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
		status, out, log = bully(t, "trace", "check", "-two-acting", again)
		require.Equal(t, verdict, status, out+log)
		text, err := os.ReadFile(states)
		require.NoError(t, err)
		opened := stage.Open(text, states)
		require.NotNil(t, opened.Film, name)
		require.Equal(t, verdict == exitOK, opened.Problem == nil, name)
		require.Equal(t, string(want), string(opened.Trace), name)
	}
}

// TestWrongITF says what is wrong with files of which no trace can be made.
func TestWrongITF(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.json")
	for text, says := range map[string]string{
		`{"vars":["x"],"states":[{"x":1}]}`:                               "x.json: no trace can be made of it: it is no behaviour of module Cluster",
		`{"#meta":{"header":1},"vars":["x"],"states":[{"x":1}]}`:          "x.json: #meta: header: ",
		`{"vars":["x"],"states":[]}`:                                      "x.json: it has no states",
		`{"format":3,"spec":"2.0","members":["1"],"seed":1,"commit":"x"}`: "x.json: it has no states",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		status, _, log := bully(t, "trace", "from-itf", file)
		require.Equal(t, exitMismatch, status)
		require.Contains(t, log, says)
	}
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("x\n", 3)), 0o600))
	status, _, log := bully(t, "trace", "itf", file)
	require.Equal(t, exitMismatch, status)
	require.Contains(t, log, "x.json: line 1: ")
	for _, verb := range []string{"itf", "from-itf"} {
		status, _, log = bully(t, "trace", verb, file, file)
		require.Equal(t, exitUsage, status)
		require.Contains(t, log, "is wanted, or - for standard input")
	}
}
