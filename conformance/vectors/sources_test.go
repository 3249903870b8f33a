package vectors

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// scripted returns the scripts that were written for this.
func scripted(t *testing.T) (all []*script) {
	for _, file := range []struct{ name, suite string }{{"rules-1", "rules"}, {"rules-2", "rules"}, {"input", "input"}} {
		some, err := parseScripts("scripts/"+file.name+".txt", file.suite)
		require.NoError(t, err)
		require.NotEmpty(t, some, file.name)
		all = append(all, some...)
	}
	return append(append(append(append(all, malformed(t)...), pairs(t)...), sized(t)...), changing(t)...)
}

// malformed returns the scripts of scripts/malformed.txt.
func malformed(t *testing.T) (all []*script) {
	text, err := os.ReadFile("scripts/malformed.txt")
	require.NoError(t, err)
	for line := range strings.SplitSeq(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		match := head.FindStringSubmatch(line)
		require.NotNil(t, match, line)
		title, raw, found := strings.Cut(match[2], " | ")
		require.True(t, found, line)
		s := newScript("input", match[1], title)
		if strings.HasPrefix(s.Case, "R33-type") {
			s.Rules = append(s.Rules, "R34")
		}
		for _, l := range []string{"2 is follower 3 4 3", "2 hears " + raw, "2 hears HEARTBEAT 3 4"} {
			require.NoError(t, s.line(l), line)
		}
		all = append(all, s)
	}
	return all
}

// pair is two ids, the lower one first, and how they are easily compared wrongly.
type pair struct{ name, low, high, wrong string }

var idPairs = []pair{
	{"9-and-10", "9", "10", "as text"},
	{"99-and-100", "99", "100", "as text"},
	{"255-and-256", "255", "256", "by the last byte, or from the wrong end"},
	{"65535-and-65536", "65535", "65536", "by the last two bytes"},
	{"2-to-31", "2147483647", "2147483648", "with 32 bits and a sign"},
	{"2-to-32", "4294967295", "4294967296", "with 32 bits"},
	{"2-to-53", "9007199254740992", "9007199254740993", "as floats, which cannot tell them apart"},
	{"2-to-53-and-3", "9007199254740993", "9007199254740995", "as floats, which move both"},
	{"2-to-63", "9223372036854775807", "9223372036854775808", "with 64 bits and a sign"},
	{"2-to-63-and-1", "9223372036854775808", "9223372036854775809", "as floats, or with a sign"},
	{"2-to-63-and-2-to-64", "9223372036854775807", "18446744073709551615", "by their difference, or by their last 19 digits"},
	{"9e18-and-2-to-64", "9000000000000000000", "18446744073709551615", "by their last 19 digits, which are 8.4e18 of the higher one"},
	{"18e18-and-2-to-64", "18000000000000000000", "18446744073709551615", "by their first digits"},
	{"10-to-19", "9999999999999999999", "10000000000000000000", "as text, or by 19 digits"},
	{"2-to-64", "18446744073709551614", "18446744073709551615", "as floats, or with a sign"},
	{"integer-and-uuid", "18446744073709551615", "00000000-0000-4000-8000-000000000000", "as text, or by their last halves"},
	{"7-and-uuid", "7", "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", "as text"},
	{"uuid-first-byte", "7fffffff-ffff-4fff-bfff-ffffffffffff", "80000000-0000-4000-8000-000000000000", "as signed bytes"},
	{"uuid-unsigned", "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", "f47ac10b-58cc-4372-a567-0e02b2c3d479", "as signed bytes"},
	{"uuid-last-byte", "f47ac10b-58cc-4372-a567-0e02b2c3d47f", "f47ac10b-58cc-4372-a567-0e02b2c3d480", "by a part of their bytes, or as signed ones"},
	{"uuid-second-half", "f47ac10b-58cc-4372-8567-0e02b2c3d479", "f47ac10b-58cc-4372-a567-0e02b2c3d479", "by their first half"},
	{"uuid-first-half-first", "00000001-0000-4000-bfff-ffffffffffff", "00000002-0000-4000-8000-000000000000", "by their second half first"},
	{"uuid-little-endian", "01000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000001", "…"},
}

// pairs returns the cases about rank: everything that depends on who is higher.
func pairs(t *testing.T) (all []*script) {
	for _, p := range idPairs {
		if p.wrong == "…" { // the other way round, so that the bytes at the end are the higher ones
			p.low, p.high, p.wrong = p.high, p.low, "as little-endian numbers, as some languages keep UUIDs"
		}
		s := newScript("ids", "R1-"+p.name, fmt.Sprintf("%s is lower than %s: ids are compared as unsigned bytes, and not %s.", p.low, p.high, p.wrong))
		s.Rules = append(s.Rules, "R10", "R11", "R13", "R18")
		lines := "members 1 LOW HIGH\n" +
			"HIGH@high is follower - 4 -\nHIGH@high hears ELECTION LOW 4\n" + // R10: OK, and stands
			"LOW@low is follower - 4 -\nLOW@low hears ELECTION HIGH 4\n" + // R11: ASSENT, and waits
			"HIGH@high is candidate - 4 -\nHIGH@high hears ASSENT LOW 4\n" + // R13: the highest claims
			"LOW@low is candidate - 4 -\nLOW@low hears ASSENT HIGH 4\n" + // and others wait
			"LOW@low is leader LOW 4 LOW\nLOW@low hears CLAIM HIGH 5\n" + // R18: hands over
			"HIGH@high is leader HIGH 4 HIGH\nHIGH@high hears CLAIM LOW 5\n" + // and not
			"HIGH@high is follower LOW 4 LOW\nHIGH@high ends preempt\n" + // R9, R36
			"LOW@low is follower HIGH 4 HIGH\nLOW@low ends preempt"
		lines = strings.NewReplacer("LOW", p.low, "HIGH", p.high).Replace(lines)
		for line := range strings.SplitSeq(lines, "\n") {
			require.NoError(t, s.line(line), line)
		}
		all = append(all, s)
	}
	s := newScript("ids", "R1-all-in-order", "Ids of both kinds, in order: broadcasts ascend, and support does.")
	s.Rules = append(s.Rules, "R8")
	ids := []string{"3", "20", "100", "18446744073709551615", "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", "9b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", "f47ac10b-58cc-4372-a567-0e02b2c3d479"}
	for _, line := range []string{
		"members " + strings.Join(ids, " "), "100@a is leader 100 4 100", "100@a ends heartbeat",
		"100@a hears ACK " + ids[6] + " 4", "100@a hears ACK " + ids[1] + " 4", "100@a hears ACK " + ids[3] + " 4", "100@a hears ACK 3 4", "100@a hears ACK " + ids[5] + " 4",
	} {
		require.NoError(t, s.line(line), line)
	}
	return append(all, s)
}

// question is a script, and the answer that was written by hand.
type question struct {
	*script
	want spec.Step
}

// questions returns the questions of package conformance that are answered by hand.
func questions(t *testing.T) (all []question) {
	used, stem := map[string]int{}, ""
	for c := range conformance.Groups()[0].All {
		id := "Q-" + c.Rule + "-" + slug(c.Question, 60)
		if used[id]++; used[id] > 1 {
			id += fmt.Sprintf("-%d", used[id])
		}
		title := c.Question
		if _, more, goesOn := strings.Cut(title, "..."); goesOn {
			title = stem + " …" + more
		} else {
			stem = title
		}
		s := newScript("questions", id, title)
		s.Rules = []string{c.Rule}
		q := port.Request{Op: port.Load, Node: "n" + c.ID.String(), Me: &c.ID, Members: c.Members}
		in := port.InputOf(q.Node, &c.Input)
		switch before := c.Before.Clone(); c.Input.Call {
		case spec.StartCall:
			in = port.StartOf(q.Node, c.ID, c.Members, spec.Configuration{})
		case spec.RestartCall:
			in = port.RestartOf(q.Node, c.ID, c.Members, before.Durable())
		default:
			q.State = &before
			require.NoError(t, s.add(&q))
		}
		require.NoError(t, s.add(&in))
		all = append(all, question{s, c.Want})
	}
	return all
}
