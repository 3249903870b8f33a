package port_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/port"
)

// TestEffectsOfChangingMembers asks the model for each row of the table of effects in conformance/CERTIFYING.md.
func TestEffectsOfChangingMembers(t *testing.T) {
	page, err := os.ReadFile("../CERTIFYING.md")
	require.NoError(t, err)
	cases, err := os.ReadFile("testdata/effects.txt")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "| step of node 2 | save | over | timers | send | tell |\n|---|---|---|---|---|---|\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	var rows []string
	for one := range strings.SplitSeq(strings.TrimSpace(string(cases)), "\n\n") {
		name, requests, _ := strings.Cut(one, "\n")
		rows = append(rows, strings.TrimPrefix(name, "# ")+" | "+effectsOf(t, requests))
	}
	require.Len(t, rows, 18)
	for k, row := range strings.Split(table, "\n") {
		require.Equal(t, rows[k], strings.Trim(row, "| "))
	}
}

// effectsOf returns the cells that say what a node does with the last of some requests.
func effectsOf(t *testing.T, requests string) string {
	t.Helper()
	changing := model()
	changing.Changing = true
	var out strings.Builder
	require.NoError(t, port.Serve(strings.NewReader(requests+"\n"), &out, changing))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var reply port.Reply
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &reply))
	require.NotNil(t, reply.Effects, lines)
	save, over, tell := "·", "·", "·"
	var cancel, arm, send []string
	for _, e := range reply.Effects {
		switch {
		case e.Save != nil:
			save = "yes"
		case e.Over != nil:
			over = "yes"
		case e.Cancel != "" && !strings.Contains(requests, `"timer":"`+string(e.Cancel)):
			cancel = append(cancel, string(e.Cancel))
		case e.Arm != "":
			arm = append(arm, string(e.Arm))
		case e.Send != nil && len(send) > 0 && strings.HasPrefix(send[len(send)-1], string(e.Send.Type)):
			send[len(send)-1] = string(e.Send.Type) + " all"
		case e.Send != nil:
			send = append(send, string(e.Send.Type))
		case e.Tell != nil && e.Tell.Leader.IsNone():
			tell = "none"
		case e.Tell != nil:
			tell = "the leader"
		}
	}
	return strings.Join([]string{save, over, timersOf(cancel, arm), cell(send), tell}, " | ")
}

func timersOf(cancel, arm []string) string {
	slices.Sort(cancel)
	slices.Sort(arm)
	var parts []string
	if len(cancel) > 0 {
		parts = append(parts, "cancel "+strings.Join(cancel, ", "))
	}
	if len(arm) > 0 {
		parts = append(parts, "arm "+strings.Join(arm, ", "))
	}
	return cell([]string{strings.Join(parts, "; ")})
}

// cell joins what a cell says; a dot is nothing.
func cell(parts []string) string {
	text := strings.Join(parts, ", ")
	if regexp.MustCompile(`^\s*$`).MatchString(text) {
		return "·"
	}
	return text
}
