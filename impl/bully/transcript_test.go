package bully_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

var rewrite = flag.Bool("rewrite", false, "write the transcripts in testdata anew")

// TestTranscripts plays the files in testdata. A paragraph is a comment, or a command, a line of dashes, and what came of
// it, in order of duty. The commands:
//
//	members 1 2 3               nodes that have not started
//	first epoch:0 version:1 {1 2 3} and 4       such nodes, whose members change; 4 is to join
//	2 start                     2 restart epoch:4 grantee:3 reserved:1048576
//	2 is leader leader:2 …      a node in a given state, which is named as it prints
//	3→2 CLAIM epoch:4 question:7 2 receives that
//	2 patience ended           2 resign            2 holder-dead
//	2 change epoch:4 version:2 {1 2 3 observer:4}
//
// With changing members a message, a state and a record end with a configuration.
func TestTranscripts(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(names), 8, "the transcripts are there")
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		played, err := play(string(text))
		require.NoError(t, err, name)
		if *rewrite {
			require.NoError(t, os.WriteFile(name, []byte(played), 0o644))
			continue
		}
		require.Equal(t, string(text), played, "%s: if this is meant: go test ./impl/bully -run Transcripts -rewrite", name)
	}
}

// play returns a transcript with the outputs that come now.
func play(text string) (string, error) {
	var s stage
	var b strings.Builder
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		if strings.HasPrefix(paragraph, "#") {
			b.WriteString(paragraph + "\n")
			continue
		}
		command, _, _ := strings.Cut(paragraph, "\n")
		lines, err := s.do(command)
		if err != nil {
			return "", fmt.Errorf("%s: %w", command, err)
		}
		b.WriteString(command + "\n----\n" + strings.Join(lines, "\n") + "\n")
	}
	return b.String(), nil
}

// stage is the nodes of a transcript.
type stage struct {
	members  []spec.NodeID
	nodes    []*bully.Node
	changing bool
}

// do does a command, and returns what came of it.
func (s *stage) do(command string) ([]string, error) {
	words := strings.Fields(command)
	if words[0] == "members" {
		return s.setMembers(words[1:])
	}
	if words[0] == "first" {
		return s.setFirst(strings.TrimPrefix(command, "first "))
	}
	who, rest, _ := strings.Cut(command, " ")
	from, to, isMessage := strings.Cut(who, "→")
	if !isMessage {
		to = who
	}
	me, err := spec.ParseNodeID(to)
	i := slices.Index(s.members, me)
	if err != nil || i < 0 {
		return nil, fmt.Errorf("%s is no member", to)
	}
	if text, given := strings.CutPrefix(rest, "is "); given {
		return s.put(i, text)
	}
	in, err := s.input(i, from, rest, isMessage)
	if err != nil {
		return nil, err
	}
	if in.String() != strings.TrimPrefix(command, who+" ") && in.String() != command {
		return nil, fmt.Errorf("it means %q", in)
	}
	refused := s.nodes[i].MayChange(wanted(rest))
	out := s.nodes[i].Step(in)
	if words[1] == "change" && out.Action == "" && out.Ignored == "" {
		return []string{"no step: " + refused.Error()}, nil
	}
	return said(s.nodes[i], out), nil
}

func (s *stage) setMembers(words []string) (lines []string, err error) {
	s.members, s.nodes, s.changing = nil, nil, false
	for _, word := range words {
		member, err := spec.ParseNodeID(word)
		if err != nil {
			return nil, err
		}
		s.members = append(s.members, member)
	}
	for _, member := range s.members {
		node, err := bully.New(member, s.members)
		if err != nil {
			return nil, err
		}
		s.nodes = append(s.nodes, node)
	}
	return []string{fmt.Sprintf("nodes: %d", len(s.nodes))}, nil
}

// put puts node i in a state. Only one that prints as the text says is taken.
func (s *stage) put(i int, text string) ([]string, error) {
	state, err := parseState(text)
	if err != nil {
		return nil, err
	}
	if state.String() != text {
		return nil, fmt.Errorf("it prints as %s", state)
	}
	s.nodes[i], err = bully.At(s.members[i], s.members, state)
	if err != nil {
		return nil, err
	}
	return []string{"runs " + s.nodes[i].Running().String()}, nil
}

// parseState reads what a state prints as.
func parseState(text string) (state spec.State, err error) {
	bare, c, err := configured(text)
	if err != nil {
		return state, err
	}
	role, rest, _ := strings.Cut(bare, " ")
	fields := map[string]string{"lease": "0", "support": "", "asked": "0", "dated": "0", "answered": ""}
	for rest != "" {
		name, after, _ := strings.Cut(rest, ":")
		end := " "
		if strings.HasPrefix(after, "{") {
			after, end = after[1:], "}"
		}
		fields[name], rest, _ = strings.Cut(after, end)
		rest = strings.TrimPrefix(rest, " ")
	}
	json := fmt.Sprintf(`{"role":%q,"leader":%q,"lease":%s,"epoch":%s,"grantee":%q,"support":[%s],"asked":%s,"latest":%s`, role, fields["leader"],
		fields["lease"], fields["epoch"], fields["grantee"], quoted(fields["support"]), fields["asked"], fields["latest"])
	if role == string(spec.Leader) {
		json += fmt.Sprintf(`,"dated":%s,"answered":[%s]`, fields["dated"], answers(fields["answered"]))
	}
	if err := state.UnmarshalJSON([]byte(strings.ReplaceAll(json, `"none"`, "null") + "}")); err != nil {
		return state, err
	}
	state.Configuration = c
	return state, nil
}

// answers returns what was answered, as "1:7 2:9" says it, as the elements of a JSON array.
func answers(words string) string {
	elements := strings.Fields(words)
	for i, word := range elements {
		node, question, _ := strings.Cut(word, ":")
		elements[i] = fmt.Sprintf(`{"node":%q,"question":%s}`, node, question)
	}
	return strings.Join(elements, ",")
}

// quoted returns words as the elements of a JSON array.
func quoted(words string) string {
	elements := strings.Fields(words)
	for i, word := range elements {
		elements[i] = `"` + word + `"`
	}
	return strings.Join(elements, ",")
}

// input reads the input of a command to node i. A start makes a new node.
func (s *stage) input(i int, from, rest string, isMessage bool) (in bully.Input, err error) {
	rest, c, err := configured(rest)
	if err != nil {
		return in, err
	}
	words := strings.Fields(rest)
	if isMessage {
		m, err := parseMessage(words)
		m.To, m.Configuration = s.members[i], c
		if err == nil {
			m.From, err = spec.ParseNodeID(from)
		}
		return bully.Receive(m), err
	}
	switch words[0] {
	case "start", "restart":
		if words[0] == "start" && s.changing {
			return bully.Start(), nil
		}
		if s.changing {
			s.nodes[i], err = bully.NewChanging(s.members[i], spec.EmptyConfiguration())
		} else {
			s.nodes[i], err = bully.New(s.members[i], s.members)
		}
		if err != nil || words[0] == "start" {
			return bully.Start(), err
		}
		promise := spec.Durable{Configuration: c}
		if _, err = fmt.Sscanf(words[1]+" "+words[3], "epoch:%d reserved:%d", &promise.Epoch, &promise.Reserved); err == nil && words[2] != "grantee:none" {
			promise.Grantee, err = spec.ParseNodeID(strings.TrimPrefix(words[2], "grantee:"))
		}
		return bully.Restart(promise), err
	case "resign":
		var m spec.Message
		if err = parseNaming(&m, words[1:]); err != nil {
			return in, err
		}
		return bully.HandOver(m.Names, m.Hold), nil
	case "holder-dead":
		return bully.HolderDead(), nil
	case "change":
		return bully.Change(wanted(rest)), nil
	}
	return bully.Timeout(spec.Timer(words[0])), nil
}

// parseMessage reads what a message prints as after its ends, but for its configuration: RESIGN epoch:4 question:9 granted epoch:5 to 3 question:7.
func parseMessage(words []string) (m spec.Message, err error) {
	m.Type = spec.MessageType(words[0])
	if _, err = fmt.Sscanf(words[1]+" "+words[2], "epoch:%d question:%d", &m.Epoch, &m.Question); err != nil || len(words) == 3 {
		return m, err
	}
	if strings.HasPrefix(words[3], "names:") {
		return m, parseNaming(&m, words[3:])
	}
	if keeps, is := strings.CutPrefix(words[3], "keeps:"); is {
		m.Keeps, err = spec.ParseNodeID(keeps)
		return m, err
	}
	if m.Granted.By, err = spec.ParseNodeID(words[6]); err == nil {
		_, err = fmt.Sscanf(words[4]+" "+words[7], "epoch:%d question:%d", &m.Granted.Epoch, &m.Granted.Question)
	}
	return m, err
}

// parseNaming reads names:3 and hold:5000, if they are there.
func parseNaming(m *spec.Message, words []string) (err error) {
	for _, word := range words {
		if names, is := strings.CutPrefix(word, "names:"); is {
			m.Names, err = spec.ParseNodeID(names)
		} else {
			_, err = fmt.Sscanf(word, "hold:%d", &m.Hold)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// said returns an output as a person would say it, a duty a line.
func said(node *bully.Node, out bully.Output) []string {
	switch {
	case out.Ignored != "":
		return []string{"ignored: " + string(out.Ignored)}
	case out.Action == "":
		return []string{"no step"}
	}
	lines := []string{string(out.Action)}
	say := func(when bool, format string, args ...any) {
		if when {
			lines = append(lines, fmt.Sprintf(format, args...))
		}
	}
	say(out.Save, "save epoch:%d grantee:%s reserved:%d%s", out.Promise.Epoch, out.Promise.Grantee, out.Promise.Reserved, suffix(out.Promise.Configuration))
	say(out.ReignEnded, "the reign has ended")
	say(out.Cancel != 0, "cancel %s", out.Cancel)
	say(out.Arm != 0, "arm %s", out.Arm)
	say(out.ConfigurationChanged, "changed %s", node.Configuration())
	for _, m := range out.Send {
		say(true, "send %s", m)
	}
	leader, epoch := node.Leader()
	say(out.LeaderChanged, "tell leader:%s epoch:%d", leader, epoch)
	say(true, "is %s", node.State())
	return lines
}
