package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// page reads the page for whoever ports, and returns its lines of shell.
func page(t *testing.T) (text string, commands []string) {
	t.Helper()
	read, err := os.ReadFile("../../AGENTS.md")
	require.NoError(t, err)
	text = string(read)
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(block[1]) {
			line, _, _ = strings.Cut(line, " #")
			commands = append(commands, strings.TrimSpace(line))
		}
	}
	return text, commands
}

// TestAgentsCommands runs each command that AGENTS.md says, with the model as the port: those of a whole level for one case alone, and
// those with a pipe up to it.
func TestAgentsCommands(t *testing.T) {
	_, commands := page(t)
	require.Equal(t, "go build -o bullytest ./conformance/cmd/bullytest", commands[0])
	_, err := os.Stat("../../../conformance/cmd/bullytest")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	ran := map[string]int{}
	for _, line := range commands[1:] {
		line, _, _ = strings.Cut(line, " |")
		args := strings.Fields(line)
		require.Equal(t, "bullytest", args[0], line)
		how, at := "", slices.Index(args, "--")
		if at > 0 {
			require.Equal(t, []string{"YOUR", "COMMAND"}, args[at+1:], line)
			how, args = "model", args[:at]
		}
		if args[1] == "test" && !slices.Contains(args, "-run") && !slices.Contains(args, "-rule") {
			args = append(args, "-run", "R17-grants-a-higher-epoch")
		}
		status, out, log := bullytest(t, how, args[1:]...)
		require.Equal(t, exitOK, status, "%s: %s%s", line, out, log)
		ran[args[1]]++
	}
	require.Equal(t, map[string]int{"new": 1, "check": 1, "test": 5, "explain": 2, "stdin": 2, "report": 1, "vectors": 1}, ran)
	require.FileExists(t, filepath.Join("mine", "PORT.md"))
	require.FileExists(t, "certificate.json")
}

// TestAgentsNames looks for what AGENTS.md names besides: rules, commands, and what the kit says of failures.
func TestAgentsNames(t *testing.T) {
	text, _ := page(t)
	require.Less(t, strings.Count(text, "\n"), 120)
	rules := regexp.MustCompile(`\bR[0-9]+\b`).FindAllString(text, -1)
	require.NotEmpty(t, rules)
	for _, name := range rules {
		require.True(t, slices.ContainsFunc(spec.Rules(), func(r spec.Rule) bool { return r.Name == name }), name)
	}
	for _, found := range regexp.MustCompile("`bullytest ([a-z]+)").FindAllStringSubmatch(text, -1) {
		require.True(t, slices.ContainsFunc(commands(), func(c command) bool { return c.name == found[1] }), found[0])
	}
	_, table, found := strings.Cut(text, "| what the kit says | cause |\n|---|---|\n")
	require.True(t, found)
	rows := strings.Split(strings.SplitN(table, "\n\n", 2)[0], "\n")
	require.Len(t, rows, 10)
	said := sources(t, ".", "../../port", "../../kit", "../../vectors", "../../../spec")
	for onPage, inKit := range map[string]string{
		"this is no JSON. Standard output is for replies": "this is no JSON. Standard output is for replies",
		"it has not answered for 5s":                      "it has not answered for %s",
		"`ascending order is wanted`":                     "ascending order is wanted",
		"`state.dated: not wanted`":                       "not wanted with this action",
		"`arm: expected {patience}, got {}`":              `"arm`,
		"`tell is there` and should not be":               "%s is there, %s, and should not be",
		"`over is missing`":                               "%s is missing: expected %s",
		"R33: `got a step`":                               "got a step",
		"`NONDETERMINISTIC`":                              `"nondeterministic"`,
		"*Most likely broken*":                            "Most likely broken",
	} {
		require.Contains(t, text, onPage)
		require.True(t, strings.Contains(said, inKit), "%s: nothing that the kit says", onPage)
	}
}

// sources returns the code of some folders.
func sources(t *testing.T, folders ...string) string {
	t.Helper()
	var all strings.Builder
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			all.Write(text)
		}
	}
	return all.String()
}

// TestSkeletonReplies asks the model what the page of a language without a skeleton shows as the reply to a start.
func TestSkeletonReplies(t *testing.T) {
	text, err := skeletons.ReadFile("skeletons/other/PORT.md")
	require.NoError(t, err)
	row := regexp.MustCompile("(?m)^ *\\| `(\\{\"id\":3,.*\\})` \\| `(.*)` \\|$").FindSubmatch(text)
	require.NotNil(t, row)
	var out strings.Builder
	require.NoError(t, port.Serve(strings.NewReader(string(row[1])+"\n"), &out, port.Implementation{Make: conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })}))
	require.Equal(t, string(row[2]), strings.TrimSpace(out.String()))
}
