package port

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// Implementation is what Serve makes a port of.
type Implementation struct {
	Identity Identity
	Make     conformance.Maker
	// Load makes a node that is in a state, as if it had come to it.
	Load func(id spec.NodeID, members []spec.NodeID, s spec.State) (conformance.Node, error)
}

// Serve is a port: it reads requests from r and writes replies to w until it is told Bye, or r ends.
func Serve(r io.Reader, w io.Writer, i Implementation) error {
	s := &server{implementation: i, nodes: map[string]*served{}, resources: map[string]*resource{}}
	in, out := bufio.NewReader(r), bufio.NewWriter(w)
	for {
		text, err := in.ReadBytes('\n')
		if err != nil {
			if errors.Is(err, io.EOF) && len(text) == 0 {
				return nil
			}
			return fmt.Errorf("port: a request does not end with a line feed: %w", err)
		}
		var request Request
		var reply Reply
		if err := json.Unmarshal(text, &request); err != nil {
			reply.Error = fmt.Sprintf("this is no request: %v", err)
		} else {
			reply = s.answer(&request)
		}
		reply.ID = request.ID
		data, err := json.Marshal(reply)
		if err == nil {
			_, err = out.Write(append(data, '\n'))
		}
		if rest, _ := in.Peek(in.Buffered()); err == nil && !bytes.Contains(rest, []byte("\n")) { // the rest of a line may come late
			err = out.Flush()
		}
		if err != nil {
			return fmt.Errorf("port: %w", err)
		}
		if request.Op == Bye {
			return out.Flush()
		}
	}
}

// server is a port.
type server struct {
	implementation Implementation
	nodes          map[string]*served
	resources      map[string]*resource
}

// served is a node of it.
type served struct {
	node  conformance.Node
	state spec.State
}

// resource is a fenced resource (R38).
type resource struct {
	highest spec.Epoch
	value   string
}

// answer answers a request.
func (s *server) answer(q *Request) Reply {
	switch q.Op {
	case Hello:
		return Reply{Port: &s.implementation.Identity, Protocol: Version, Features: []string{"fence"}}
	case Reset:
		clear(s.nodes)
		clear(s.resources)
		return Reply{OK: true}
	case Crash:
		delete(s.nodes, q.Node)
		return Reply{OK: true}
	case Bye:
		return Reply{OK: true}
	case Write, Read:
		return s.resource(q)
	case Begin, Restart, Load:
		return s.start(q)
	case Receive, End, Call:
		if s.nodes[q.Node] == nil {
			return Reply{Error: fmt.Sprintf("node %q has not started", q.Node)}
		}
		return s.step(q)
	}
	return Reply{Unsupported: fmt.Sprintf("there is no op %q", q.Op)}
}

// start makes a node.
func (s *server) start(q *Request) Reply {
	if q.Me == nil {
		return Reply{Error: "the id of the node, me, is missing"}
	}
	n, id := &served{}, *q.Me
	var out conformance.Output
	in := conformance.Input{Start: true}
	switch {
	case q.Op == Load && q.State != nil:
		var err error
		if n.node, err = s.implementation.Load(id, q.Members, *q.State); err != nil {
			return Reply{Error: err.Error()}
		}
		n.state = q.State.Clone()
		s.nodes[q.Node] = n // only now: what fails is no node
		return Reply{State: q.State}
	case q.Op == Begin:
		n.node = s.implementation.Make(id, q.Members)
		n.node.Start(&out)
	case q.Op == Restart && q.Promise != nil:
		in = conformance.Input{Restart: true}
		n.node = s.implementation.Make(id, q.Members)
		n.node.Restart(*q.Promise, &out)
	default:
		return Reply{Error: "the state, or the promise, is missing"}
	}
	s.nodes[q.Node] = n
	return n.reply(&in, &out)
}

// step gives a node an input.
func (s *server) step(q *Request) Reply {
	n := s.nodes[q.Node]
	in := spec.Input{Timer: q.Timer, Call: q.Call}
	if q.Op == Receive {
		if err := json.Unmarshal(q.Message, &in.Message); err != nil {
			return Reply{Ignored: err.Error(), State: &n.state}
		}
	}
	var out conformance.Output
	n.node.Step(&in, &out)
	return n.reply(&conformance.Input{Message: in.Message, Timer: in.Timer, Call: in.Call}, &out)
}

// reply writes what a node has done in the order of duty.
func (n *served) reply(in *conformance.Input, out *conformance.Output) Reply {
	if out.Ignored {
		return Reply{Ignored: "no rule is for it", State: &n.state}
	}
	before := n.state
	if in.Start || in.Restart {
		before = spec.State{Role: spec.Follower}
	}
	n.state = out.State.Clone()
	r := Reply{State: &n.state, Effects: []Effect{}}
	if out.Save {
		promise := n.state.Durable()
		r.Effects = append(r.Effects, Effect{Save: &promise})
	}
	if before.Role == spec.Leader && (n.state.Role != spec.Leader || n.state.Epoch != before.Epoch) {
		r.Effects = append(r.Effects, Effect{Over: &before.Epoch})
	}
	for t := range out.Cancel.All() {
		r.Effects = append(r.Effects, Effect{Cancel: t})
	}
	for t := range out.Arm.All() {
		r.Effects = append(r.Effects, Effect{Arm: t})
	}
	for k := range out.Sent {
		r.Effects = append(r.Effects, Effect{Send: &out.Sent[k]})
	}
	if told := toldOf(&n.state); told != toldOf(&before) {
		r.Effects = append(r.Effects, Effect{Tell: &told})
	}
	return r
}

// resource does what is asked of a resource (R38).
func (s *server) resource(q *Request) Reply {
	kept := s.resources[q.Resource]
	if kept == nil {
		kept = &resource{}
		s.resources[q.Resource] = kept
	}
	if q.Op == Read {
		return Reply{Value: &kept.value, Highest: &kept.highest}
	}
	admitted := q.Epoch >= kept.highest
	if admitted {
		kept.highest, kept.value = q.Epoch, q.Value
	}
	return Reply{Admitted: &admitted, Highest: &kept.highest}
}
