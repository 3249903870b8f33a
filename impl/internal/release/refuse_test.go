package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRefused: what is not to be released is not, and is told what is to be done.
func TestRefused(t *testing.T) {
	for _, bad := range []string{"", "0.1.0", "v1", "v1.2", "v01.2.3", "v1.2.3+meta", "v1.2.3-", "../v1.2.3"} {
		err := run(t.Context(), root, bad, nil, io.Discard)
		require.ErrorContains(t, err, "want a version such as v0.1.0, not", bad)
	}
	folder := t.TempDir()
	for text, want := range map[string]string{
		"# The protocol\n": `spec/README.md has no section "17. Changes", which the notes are from`,
		"# P\n\n## 17. Changes\n\n| v1.0.0 | 2.0 | the first |":              "spec/README.md, section 17, has no row of v1.0.1: say there what changes",
		"# P\n\n## 17. Changes\n\n| v1.0.1, not released yet | 2.0 | more |": "has no row of v1.0.1: say there what changes",
		"# P\n\n## 17. Changes\n\n| v1.0.1 | 2.0, not released yet | more |": "says of v1.0.1 that it is not released yet: take that out, and commit it",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, "spec"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, page), []byte(text), 0o600))
		require.ErrorContains(t, run(t.Context(), folder, "v1.0.1", nil, io.Discard), want, text)
	}
}

// TestSBOMRefuses a program of which Go has written nothing down.
func TestSBOMRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o600))
	_, err := build{}.sbom([]artifact{{Name: "program", Path: path}})
	require.ErrorContains(t, err, path)
}

// TestTags: each module of the repository has a tag, that of a module within begins with its folder.
func TestTags(t *testing.T) {
	needGit(t)
	tags, err := tagsOf(t.Context(), root, "v1.2.3")
	require.NoError(t, err)
	require.Equal(t, "v1.2.3", tags[0])
	require.Contains(t, tags, "impl/resource/sqlfence/v1.2.3")
	for _, tag := range tags {
		require.False(t, strings.Contains(tag, "testdata"), tag)
	}
}
