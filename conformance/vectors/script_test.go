package vectors

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// script is a case to which nobody has answered yet.
type script struct {
	Header
	members  []spec.NodeID
	shadows  map[string]*shadow // nodes, by their names
	requests []string
}

// head matches the first line of a script.
var head = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*): (.+)$`)

// parseScripts reads a file of scripts; rules-1.txt says what is in it.
func parseScripts(name, suite string) ([]*script, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var all []*script
	for number, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if match := head.FindStringSubmatch(line); match != nil {
			all = append(all, newScript(suite, match[1], match[2]))
			continue
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("%s:%d: this is before the first case", name, number+1)
		}
		if err := all[len(all)-1].line(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number+1, err)
		}
	}
	return all, nil
}

// newScript returns a script in which nothing has happened. A case that is named after a rule is about that one first.
func newScript(suite, id, title string) *script {
	s := &script{Header: newHeader(suite, id, title), shadows: map[string]*shadow{}}
	s.members = integers(3)
	if suite == membersSuite {
		s.Needs = port.FeatureMembers
	}
	if rule, _, _ := strings.Cut(id, "-"); regexp.MustCompile(`^R[0-9]+$`).MatchString(rule) {
		s.Rules = append(s.Rules, rule)
	}
	return s
}

func integers(n int) (ids []spec.NodeID) {
	for i := range n {
		ids = append(ids, spec.IntegerID(uint64(i+1)))
	}
	return ids
}

// line adds what one line says.
func (s *script) line(line string) error {
	line, c, err := configured(line)
	if err != nil {
		return err
	}
	words := strings.Fields(line)
	switch words[0] {
	case "also":
		s.Rules = append(s.Rules, words[1:]...)
		return nil
	case "needs":
		s.Needs = strings.TrimSpace(s.Needs + " " + words[1])
		return nil
	case "members":
		s.members = nil
		for _, word := range words[1:] {
			id, err := spec.ParseNodeID(word)
			if err != nil {
				return err
			}
			s.members = append(s.members, id)
		}
		return nil
	case "ask":
		s.raw(strings.TrimPrefix(line, "ask {"))
		return nil
	case "write", "read":
		return s.resource(words)
	}
	return s.node(line, words, c)
}

// resource adds a write or a read.
func (s *script) resource(words []string) error {
	if words[0] == "read" {
		return s.add(&port.Request{Op: port.Read, Resource: words[1]})
	}
	epoch, err := strconv.ParseUint(words[2], 10, 64)
	if err != nil {
		return err
	}
	return s.add(&port.Request{Op: port.Write, Resource: words[1], Epoch: spec.Epoch(epoch), Value: strings.Join(words[3:], " ")})
}

// node adds what happens to a node.
func (s *script) node(line string, words []string, c spec.Configuration) error {
	text, name, called := strings.Cut(words[0], "@")
	id, err := spec.ParseNodeID(text)
	if err != nil {
		return err
	}
	if !called {
		name = "n" + text
	}
	q := &port.Request{Node: name}
	if len(words) < 2 {
		return fmt.Errorf("%q says nothing of %s", line, id)
	}
	if slices.Contains([]string{"is", "starts", "restarts"}, words[1]) {
		q.Me = &id
		if c.IsNone() {
			q.Members = s.members
		}
	}
	switch words[1] {
	case "is":
		q.Op = port.Load
		if q.State, err = state(id, s.members, words[2:], c); err == nil && slices.Contains(q.State.Support, id) {
			err = fmt.Errorf("%q: no node is in its own support", line)
		}
	case "starts":
		*q = port.StartOf(name, id, q.Members, c)
	case "restarts":
		var st *spec.State
		st, err = state(id, s.members, append([]string{"follower", "-"}, words[2:]...), c)
		if err == nil {
			promise := st.Durable()
			q.Op, q.Promise = port.Restart, &promise
		}
	case "crashes":
		q.Op = port.Crash
	case "ends":
		q.Op, q.Timer = port.End, spec.Timer(words[2])
	case "called":
		in := spec.Input{Call: spec.Call(words[2]), Configuration: c}
		var says spec.Message
		err = besides(&says, words[3:])
		in.Names, in.Hold = says.Names, says.Hold
		*q = port.InputOf(name, &in)
	case "ask-change":
		_, text, _ := strings.Cut(line, "ask-change ")
		q.Op, q.Call, q.Configuration = port.Call, spec.ChangeCall, json.RawMessage(text)
	case "hears":
		q.Op = port.Receive
		q.Message, err = s.message(name, id, strings.TrimSpace(line[strings.Index(line, "hears")+5:]), c)
	default:
		return fmt.Errorf("what is %q?", words[1])
	}
	if err != nil {
		return err
	}
	s.follow(q)
	return s.add(q)
}

// state reads a state of a node, such as: follower 3 4 3. The configuration is none where members are fixed.
func state(id spec.NodeID, members []spec.NodeID, words []string, c spec.Configuration) (*spec.State, error) {
	words, numbers := numbered(words)
	if len(words) < 4 {
		return nil, fmt.Errorf("a state is such as: follower 3 4 3")
	}
	var ids []spec.NodeID
	for _, word := range append([]string{words[1], words[3]}, words[4:]...) {
		var id spec.NodeID
		if word != "-" {
			var err error
			if id, err = spec.ParseNodeID(word); err != nil {
				return nil, err
			}
		}
		ids = append(ids, id)
	}
	epoch, err := strconv.ParseUint(words[2], 10, 64)
	if err != nil {
		return nil, err
	}
	s := conformance.Numbered(id, members, spec.State{
		Role: spec.Role(words[0]), Leader: ids[0], Epoch: spec.Epoch(epoch), Grantee: ids[1], Support: ids[2:], Configuration: c,
	})
	if err := numbersOf(&s, numbers); err != nil {
		return nil, err
	}
	return &s, s.Validate()
}

// message reads a message that a node hears, such as: CLAIM 3 5.
func (s *script) message(node string, to spec.NodeID, text string, c spec.Configuration) (json.RawMessage, error) {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}
	words := strings.Fields(text)
	if len(words) < 3 {
		return nil, fmt.Errorf("%q is not such as: CLAIM 3 5", text)
	}
	from, err := spec.ParseNodeID(words[1])
	if err != nil {
		return nil, err
	}
	epoch, err := strconv.ParseUint(words[2], 10, 64)
	if err != nil {
		return nil, err
	}
	m := spec.Message{Type: spec.MessageType(words[0]), From: from, To: to, Epoch: spec.Epoch(epoch), Configuration: c}
	if err := besides(&m, words[3:]); err != nil {
		return nil, err
	}
	if m.Question == 0 {
		m.Question = s.fitting(node, &m)
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m.MarshalJSON()
}

// add adds a request. Ids begin with 3.
func (s *script) add(q *port.Request) error {
	q.ID = uint64(len(s.requests) + 3)
	text, err := json.Marshal(q)
	s.requests = append(s.requests, string(text))
	return err
}

// raw adds a request as it is, without its id.
func (s *script) raw(rest string) {
	s.requests = append(s.requests, fmt.Sprintf(`{"id":%d,`, len(s.requests)+3)+rest)
}
