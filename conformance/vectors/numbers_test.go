package vectors

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// shadow is a node of a script as the model has it, so that what it hears may be of numbers that fit.
type shadow struct {
	id      spec.NodeID
	members []spec.NodeID
	state   spec.State
}

// follow lets the model do what a request asks for.
func (s *script) follow(q *port.Request) {
	if q.Me != nil {
		s.shadows[q.Node] = &shadow{id: *q.Me, members: q.Members}
	}
	now, in := s.shadows[q.Node], spec.Input{Timer: q.Timer, Call: q.Call}
	switch q.Op {
	case port.Load:
		now.state = *q.State
		return
	case port.Begin:
		in.Call, now.state = spec.StartCall, check.Survivor(spec.Durable{Configuration: configurationOf(q)})
	case port.Restart:
		in.Call, now.state = spec.RestartCall, check.Survivor(*q.Promise)
	case port.Receive:
		if json.Unmarshal(q.Message, &in.Message) != nil {
			return
		}
	case port.Call:
		in.Configuration, in.Hold = configurationOf(q), q.Hold
		if q.Names != nil {
			in.Names = *q.Names
		}
	case port.Crash:
		delete(s.shadows, q.Node)
		return
	}
	if now == nil {
		return
	}
	defer func() { _ = recover() }() // a configuration that is none, which the model is not asked about
	now.state = new(conformance.Model).Step(now.id, now.members, now.state, in).State.Clone()
}

// configurationOf returns the configuration that a request says, or none if it is none.
func configurationOf(q *port.Request) (c spec.Configuration) {
	if json.Unmarshal(q.Configuration, &c) != nil {
		return spec.Configuration{}
	}
	return c
}

// fitting returns the number of what a node hears, unless the script says it: an answer is to what the node asks now, or has asked last;
// who holds its lease asks the next question, or says as of the same one that it does not lead.
func (s *script) fitting(node string, m *spec.Message) spec.Question {
	const some = 3
	now := s.shadows[node]
	if now == nil {
		return some
	}
	switch m.Type {
	case spec.OK, spec.Assent, spec.Grant, spec.Refuse, spec.Ack:
		if now.state.Asked != 0 {
			return now.state.Asked
		}
		return now.state.Latest
	}
	if now.state.Leader != m.From || now.state.Lease == 0 {
		return some
	}
	if m.Type == spec.Resign || m.Type == spec.ImBack {
		return now.state.Lease
	}
	return now.state.Lease + 1
}

// numbersOf reads what a script says of the numbers of a state, such as: latest:9 asked:0 lease:5 dated:4 answered:1=4,3=2. The rest is
// as conformance.Numbered has it.
func numbersOf(s *spec.State, words []string) error {
	for _, word := range words {
		name, text, _ := strings.Cut(word, ":")
		if name == "answered" {
			s.Answered = nil
			for pair := range strings.SplitSeq(text, ",") {
				id, number, _ := strings.Cut(pair, "=")
				node, err := spec.ParseNodeID(id)
				if err != nil {
					return err
				}
				q, err := strconv.ParseUint(number, 10, 64)
				if err != nil {
					return err
				}
				s.Answered = append(s.Answered, spec.Answered{Node: node, Question: spec.Question(q)})
			}
			continue
		}
		number, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return err
		}
		switch q := spec.Question(number); name {
		case "latest":
			if s.Latest == s.Asked {
				s.Asked = q
			}
			s.Latest = q
		case "asked":
			s.Asked = q
		case "lease":
			s.Lease = q
		case "dated":
			s.Dated = q
		default:
			return fmt.Errorf("a state has no number %q", word)
		}
	}
	return nil
}

// besides reads what a message of a script says after its epoch, such as: for 1 #7 keeps 3 granted 3 5 9. Without # its number is 0.
func besides(m *spec.Message, words []string) (err error) {
	for len(words) > 0 && err == nil {
		taken := 2
		switch {
		case strings.HasPrefix(words[0], "#"):
			taken = 1
			var q uint64
			q, err = strconv.ParseUint(words[0][1:], 10, 64)
			m.Question = spec.Question(q)
		case words[0] == "for" && len(words) > 1:
			m.To, err = spec.ParseNodeID(words[1])
		case words[0] == "keeps" && len(words) > 1:
			m.Keeps, err = spec.ParseNodeID(words[1])
		case words[0] == "names" && len(words) > 1:
			m.Names, err = spec.ParseNodeID(words[1])
		case words[0] == "hold" && len(words) > 1:
			m.Hold, err = hold(words[1])
		case words[0] == "granted" && len(words) > 3:
			taken = 4
			var epoch, q uint64
			if epoch, err = strconv.ParseUint(words[2], 10, 64); err != nil {
				return err
			}
			if q, err = strconv.ParseUint(words[3], 10, 64); err != nil {
				return err
			}
			m.Granted = spec.Granted{Epoch: spec.Epoch(epoch), Question: spec.Question(q)}
			m.Granted.By, err = spec.ParseNodeID(words[1])
		default:
			return fmt.Errorf("a message says nothing like %q", strings.Join(words, " "))
		}
		words = words[taken:]
	}
	return err
}

// hold reads for how long a node that is named is not to be pre-empted.
func hold(text string) (spec.Hold, error) {
	d, err := strconv.ParseUint(text, 10, 64)
	return spec.Hold(d), err
}

// numbered cuts the words that say numbers off those that say a state.
func numbered(words []string) (rest, numbers []string) {
	k := slices.IndexFunc(words, func(word string) bool {
		name, _, says := strings.Cut(word, ":")
		return says && slices.Contains([]string{"latest", "asked", "lease", "dated", "answered"}, name)
	})
	if k < 0 {
		return words, nil
	}
	return words[:k], words[k:]
}
