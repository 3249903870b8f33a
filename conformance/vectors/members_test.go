package vectors

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// changing returns the scripts about changing members.
func changing(t *testing.T) (all []*script) {
	for _, name := range []string{"members-1", "members-2"} {
		some, err := parseScripts("scripts/"+name+".txt", membersSuite)
		require.NoError(t, err)
		require.NotEmpty(t, some, name)
		all = append(all, some...)
	}
	return append(append(all, malformedMembers(t)...), sizedMembers(t)...)
}

const membersSuite = "members"

// configuration reads one, such as: 3/2 1 2 witness:3 observer:4^7@h:1; or nobody.
func configuration(text string) (c spec.Configuration, err error) {
	words := strings.Fields(text)
	if len(words) == 1 && words[0] == "nobody" {
		return spec.EmptyConfiguration(), nil
	}
	var members []spec.Member
	for _, word := range words[min(1, len(words)):] {
		m := spec.Member{Kind: spec.Voter}
		word, m.Address, _ = strings.Cut(word, "@")
		var rank uint64
		if id, text, said := strings.Cut(word, "^"); said {
			if rank, err = strconv.ParseUint(text, 10, 16); err != nil {
				return c, err
			}
			word, m.Rank = id, uint16(rank)
		}
		if kind, id, said := strings.Cut(word, ":"); said {
			m.Kind, word = spec.MemberKind(kind), id
		}
		if m.ID, err = spec.ParseNodeID(word); err != nil {
			return c, err
		}
		members = append(members, m)
	}
	if len(members) == 0 {
		return c, fmt.Errorf("%q is no configuration such as: 3/2 1 2 witness:3", text)
	}
	epoch, version, _ := strings.Cut(words[0], "/")
	e, notEpoch := strconv.ParseUint(epoch, 10, 64)
	v, notVersion := strconv.ParseUint(version, 10, 64)
	if err := errors.Join(notEpoch, notVersion); err != nil {
		return c, err
	}
	return spec.NewConfiguration(spec.Epoch(e), v, members)
}

// inBraces matches a configuration within JSON.
var inBraces = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// configured cuts the configuration off a line, and writes those that are within JSON.
func configured(line string) (rest string, c spec.Configuration, err error) {
	if strings.Contains(line, " {") || strings.Contains(line, " ask-change ") {
		line = inBraces.ReplaceAllStringFunc(line, func(text string) string {
			c, wrong := configuration(text[2 : len(text)-2])
			err = errors.Join(err, wrong)
			json, wrong := c.MarshalJSON()
			err = errors.Join(err, wrong)
			return string(json)
		})
		return line, c, err
	}
	for _, word := range []string{" with ", " to "} {
		if before, after, found := strings.Cut(line, word); found {
			c, err = configuration(after)
			return before, c, err
		}
	}
	return line, c, nil
}

// malformedMembers returns the scripts of scripts/members-malformed.txt.
func malformedMembers(t *testing.T) (all []*script) {
	text, err := os.ReadFile("scripts/members-malformed.txt")
	require.NoError(t, err)
	for line := range strings.SplitSeq(string(text), "\n") {
		match := head.FindStringSubmatch(line)
		if line == "" || line[0] == '#' {
			continue
		}
		require.NotNil(t, match, line)
		title, raw, found := strings.Cut(match[2], " | ")
		require.True(t, found, line)
		all = append(all, malformedMember(t, match[1], title, raw))
	}
	return all
}

// malformedMember is a case about a configuration that is none.
func malformedMember(t *testing.T, id, title, raw string) *script {
	s := newScript(membersSuite, id, title)
	s.Rules = append(s.Rules, "R33")
	for _, l := range []string{
		"2 is follower 3 4 3 with 4/1 2 3",
		`2 hears {"type":"HEARTBEAT","from":"3","to":"2","epoch":4,"question":4,"configuration":` + raw + `}`,
		"2 hears HEARTBEAT 3 4 with 4/2 1 2 3",
	} {
		require.NoError(t, s.line(l), id)
	}
	return s
}

// address is one of so many characters.
func address(n int) string { return strings.Repeat("a", n) }

// sizedMembers returns the cases about many members and long addresses.
func sizedMembers(t *testing.T) (all []*script) {
	add := func(id, title string, rules []string, lines ...string) {
		s := newScript(membersSuite, id, title)
		s.Rules = append(s.Rules, rules...)
		for _, line := range lines {
			require.NoError(t, s.line(line), line)
		}
		all = append(all, s)
	}
	add("R42-longest-address", "An address has at most 128 characters, of all kinds that may be in one.", []string{"R43"},
		"2 is follower 3 4 3 with 4/1 2 3", "2 hears HEARTBEAT 3 4 with 4/2 2@"+address(128)+" 3@!#$%'()*+,-./:;=?[]^_`{|}~")
	full, err := configuration(filling)
	require.NoError(t, err)
	text, err := full.MarshalJSON()
	require.NoError(t, err)
	more := strings.Replace(string(text), `"id":"8","kind":"voter"`, `"id":"8","kind":"voter","address":"b"`, 1)
	add("R42-fills-a-message", "A configuration fits into a message of 1024 bytes, or is none: one byte more is too much.", []string{"R33", "R43"},
		"2 is follower 3 4 3 with 4/1 2 3", `2 hears {"type":"HEARTBEAT","from":"3","to":"2","epoch":4,"question":4,"configuration":`+more+`}`,
		"2 hears HEARTBEAT 3 4 with "+filling)
	all = append(all, malformedMember(t, "R42-address-of-129-characters", "An address has at most 128 characters.",
		`{"epoch":4,"version":2,"members":[{"id":"2","kind":"voter"},{"id":"3","kind":"voter","address":"`+address(129)+`"}]}`))
	fifty := "1 " + strings.Join(numbers(2, spec.MaxChangingMembers), " ")
	add("R42-fifty-members", "Of fifty electors 25 are half, and 26 a quorum; broadcasts are to 49, 9 before 10.", []string{"R20", "R26", "R43"},
		"50@leads is leader 50 4 50 "+strings.Join(numbers(1, 24), " ")+" with 4/1 "+fifty, "50@leads hears ACK 25 4 #4 with 4/1 "+fifty,
		"9 is follower 3 4 3 with 4/1 3 9", "9 hears HEARTBEAT 3 4 with 4/2 "+fifty,
		"10@claims is claimant - 4 10 "+strings.Join(numbers(11, 34), " ")+" with 4/1 "+fifty, "10@claims hears GRANT 9 5 with 4/1 "+fifty)
	var members []string
	for _, n := range numbers(1, spec.MaxChangingMembers+1) {
		members = append(members, `{"id":"`+n+`","kind":"voter"}`)
	}
	return append(all, malformedMember(t, "R42-fifty-one-members", "A configuration has at most 50 members.",
		`{"epoch":4,"version":2,"members":[`+strings.Join(members, ",")+`]}`))
}

// filling is a configuration whose message is of 1024 bytes: 99, and 18 for each member, and the addresses.
var filling = fmt.Sprintf("4/2 1@%[1]s 2@%[1]s 3@%[1]s 4@%[1]s 5@%[1]s 6@%[1]s observer:7@%[2]s 8", address(120), address(1024-99-8*18-6*120))

// allVoters returns a configuration in which all members vote.
func allVoters(c spec.Configuration) spec.Configuration {
	members := slices.Clone(c.Members())
	for i := range members {
		members[i].Kind = spec.Voter
	}
	all, err := spec.NewConfiguration(c.Epoch, c.Version, members)
	if err != nil {
		panic(err) // only kinds are other ones
	}
	return all
}

// wrongMembers are ports that break one of R42 to R49.
var wrongMembers = map[string]func(c *conformance.Case, out *spec.Step){
	"R42": func(c *conformance.Case, out *spec.Step) { // counts what observers have answered
		own := c.Before.Configuration
		if c.Input.Message.Type != spec.Ack || c.Before.Role != spec.Leader || c.Input.Message.Configuration != own || own.IsNone() {
			return
		}
		before, in := c.Before.Clone(), c.Input
		before.Configuration = allVoters(own)
		in.Message.Configuration = before.Configuration
		out.State.Dated = max(out.State.Dated, (&conformance.Model{}).Step(c.ID, c.Members, before, in).State.Dated)
	},
	"R43": func(c *conformance.Case, out *spec.Step) { // adopts, and says the old one
		for i := range out.Sent {
			if c.Input.Message.Type != "" && out.State.Role != spec.Leader {
				out.Sent[i].Configuration = c.Before.Configuration
			}
		}
	},
	"R44": func(c *conformance.Case, out *spec.Step) { // answers no non-member
		if _, known := out.State.Configuration.Member(c.Input.Message.From); !known && !out.State.Configuration.IsNone() && c.Input.Message.Type != "" {
			out.Sent = nil
		}
	},
	"R45": func(c *conformance.Case, out *spec.Step) { // counts ACKs of an older configuration
		m := c.Input.Message
		if m.Type == spec.Ack && c.Before.Role == spec.Leader && m.Epoch == c.Before.Epoch && c.Before.Configuration.Newer(m.Configuration) {
			in := c.Input
			in.Message.Configuration = c.Before.Configuration
			*out = (&conformance.Model{}).Step(c.ID, c.Members, c.Before, in)
		}
	},
	"R46": func(c *conformance.Case, out *spec.Step) { // asks observers too
		var sent []spec.Message
		for _, m := range out.State.Configuration.Members() {
			if m.ID != c.ID && m.Kind == spec.Observer && len(out.Sent) > 0 && out.Sent[0].Type == spec.Election {
				election := out.Sent[0]
				election.To = m.ID
				sent = append(sent, election)
			}
		}
		out.Sent = append(out.Sent, sent...)
	},
	"R47": func(c *conformance.Case, out *spec.Step) { // keeps the support
		if c.Input.Call == spec.ChangeCall && !out.Ignored {
			out.State.Support = slices.DeleteFunc(slices.Clone(c.Before.Support), func(id spec.NodeID) bool {
				_, stays := out.State.Configuration.Member(id)
				return !stays
			})
		}
	},
	"R48": func(c *conformance.Case, out *spec.Step) { // does not stamp
		if own := c.Before.Configuration; out.State.Role == spec.Leader && c.Before.Role != spec.Leader && !own.IsNone() {
			out.State.Configuration = own
			for i := range out.Sent {
				out.Sent[i].Configuration = own
			}
		}
	},
	"R49": func(c *conformance.Case, out *spec.Step) { // is told of the first members, and takes them for none
		if c.Input.Call == spec.StartCall && !out.State.Configuration.IsNone() {
			out.State.Configuration = spec.EmptyConfiguration()
		}
	},
}

// TestRightRuleOfMembersIsBlamed refuses ports that break one rule about members, and says which.
func TestRightRuleOfMembersIsBlamed(t *testing.T) {
	require.Len(t, wrongMembers, 8)
	for rule, change := range wrongMembers {
		isBlamed(t, rule, change, "R4[2-9]-*")
	}
}
