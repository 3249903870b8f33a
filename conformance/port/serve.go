package port

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// Implementation is what Serve makes a port of.
type Implementation struct {
	Identity Identity
	Make     conformance.Maker
	// Load makes a node that is in a state, as if it had come to it. Where members change there are no members but those that the state says.
	Load func(id spec.NodeID, members []spec.NodeID, s spec.State) (conformance.Node, error)
	// Changing says that nodes may start with a configuration (R42 to R49). Such a node Make is given alone, as the only member, and Load
	// without members.
	Changing bool
	// Naming says that nodes hand over by name (R51). Other nodes are not called so, and are not given what names a node.
	Naming bool
	// Fence makes a fenced resource. Nil makes those of Serve, which do no more than R38 says.
	Fence func() Fence
}

// Fence is a fenced resource (R38), which admits epoch 0 until a higher one has been.
type Fence interface {
	// Write writes a value with the epoch of its writer, and says whether that was done, and the highest epoch admitted. The error
	// says what has gone wrong inside.
	Write(epoch spec.Epoch, value string) (admitted bool, highest spec.Epoch, err error)
	// Read returns what was written last, and the highest epoch admitted.
	Read() (value string, highest spec.Epoch)
}

// Serve is a port: it reads requests from r and writes replies to w until it is told Bye, or r ends. A request that lacks its line feed
// there is not answered.
func Serve(r io.Reader, w io.Writer, i Implementation) error {
	if i.Fence == nil {
		i.Fence = func() Fence { return &resource{} }
	}
	s := &server{implementation: i, nodes: map[string]*served{}, resources: map[string]Fence{}}
	in, out := bufio.NewReader(r), bufio.NewWriter(w)
	for {
		text, err := in.ReadBytes('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("port: %w", err)
		}
		data, bye, err := s.line(text)
		if err == nil {
			_, err = out.Write(append(data, '\n'))
		}
		if rest, _ := in.Peek(in.Buffered()); err == nil && !bytes.Contains(rest, []byte("\n")) { // the rest of a line may come late
			err = out.Flush()
		}
		if err != nil {
			return fmt.Errorf("port: %w", err)
		}
		if bye {
			return out.Flush()
		}
	}
}

// line answers a line, and says whether it was the last one.
func (s *server) line(text []byte) (reply []byte, bye bool, err error) {
	var q Request
	if wrong := json.Unmarshal(text, &q); wrong != nil {
		var id struct{ ID *uint64 } // null if it cannot be read
		if json.Unmarshal(text, &id) != nil {
			id.ID = nil
		}
		reply, err = json.Marshal(struct {
			ID    *uint64 `json:"id"`
			Error string  `json:"error"`
		}{id.ID, fmt.Sprintf("this is no request: %v", wrong)})
		return reply, false, err
	}
	answer := s.answer(&q)
	answer.ID = q.ID
	reply, err = json.Marshal(answer)
	return reply, q.Op == Bye, err
}

// server is a port.
type server struct {
	implementation Implementation
	nodes          map[string]*served
	resources      map[string]Fence
}

// served is a node of it.
type served struct {
	node  conformance.Node
	state spec.State
}

// resource is the least that a fenced resource is.
type resource struct {
	highest spec.Epoch
	value   string
}

func (r *resource) Write(epoch spec.Epoch, value string) (admitted bool, highest spec.Epoch, err error) {
	if admitted = epoch >= r.highest; admitted {
		r.highest, r.value = epoch, value
	}
	return admitted, r.highest, nil
}

func (r *resource) Read() (value string, highest spec.Epoch) { return r.value, r.highest }

// answer answers a request.
func (s *server) answer(q *Request) Reply {
	switch q.Op {
	case Hello:
		features := []string{FeatureFence}
		if s.implementation.Changing {
			features = append(features, FeatureMembers)
		}
		if s.implementation.Naming {
			features = append(features, FeatureNames)
		}
		return Reply{Port: &s.implementation.Identity, Protocol: Version, Features: features}
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
	first, problem := q.first(s.implementation.Changing)
	if problem == "" && first.IsNone() {
		problem = q.misfounded()
	}
	if problem != "" {
		return Reply{Error: problem}
	}
	n, id := &served{}, *q.Me
	var out spec.Step
	in := spec.Input{Call: spec.StartCall}
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
		n.node = s.implementation.Make(id, q.known(first))
		n.node.Start(first, &out)
	case q.Op == Restart && q.Promise != nil:
		in = spec.Input{Call: spec.RestartCall}
		n.node = s.implementation.Make(id, q.known(first))
		n.node.Restart(*q.Promise, &out)
	default:
		return Reply{Error: "the state, or the promise, is missing"}
	}
	s.nodes[q.Node] = n
	return n.reply(&in, &out)
}

// known returns who the members are, as far as that is known without a configuration.
func (q *Request) known(first spec.Configuration) []spec.NodeID {
	if first.IsNone() {
		return q.Members
	}
	return []spec.NodeID{*q.Me}
}

// first returns the configuration that a node begins with, or none; and what is wrong with that, or "".
func (q *Request) first(changing bool) (c spec.Configuration, problem string) {
	switch {
	case q.Op == Begin && len(q.Configuration) > 0:
		if err := json.Unmarshal(q.Configuration, &c); err != nil {
			return c, err.Error()
		}
	case q.Op == Restart && q.Promise != nil:
		c = q.Promise.Configuration
	case q.Op == Load && q.State != nil:
		c = q.State.Configuration
	}
	switch {
	case c.IsNone():
		return c, ""
	case !changing:
		return c, "members are fixed here: a configuration is for a port with the feature members"
	case q.Me == nil:
		return c, "the id of the node, me, is missing"
	case q.Members != nil:
		return c, "there are members and a configuration: members are fixed, or they change"
	}
	if _, is := c.Member(*q.Me); q.Op == Begin && !is && !c.IsEmpty() {
		return c, "me must be a member of the first configuration, unless that is empty"
	}
	return c, ""
}

// misfounded says what is wrong with who a node of fixed members is to be, or "".
func (q *Request) misfounded() string {
	ascending := slices.IsSortedFunc(q.Members, spec.NodeID.Compare) && len(slices.Compact(slices.Clone(q.Members))) == len(q.Members)
	switch {
	case q.Me == nil:
		return "the id of the node, me, is missing"
	case len(q.Members) > MaxMembers:
		return fmt.Sprintf("there are %d members, and may be %d", len(q.Members), MaxMembers)
	case !ascending || !slices.Contains(q.Members, *q.Me):
		return "the members must be ascending, each once, and me must be one of them"
	case q.Promise != nil && !q.Promise.Grantee.IsNone() && !slices.Contains(q.Members, q.Promise.Grantee):
		return "the promise is to a non-member"
	}
	return ""
}

// step gives a node an input.
func (s *server) step(q *Request) Reply {
	n := s.nodes[q.Node]
	in := spec.Input{Timer: q.Timer, Call: q.Call, Hold: q.Hold}
	if q.Names != nil {
		in.Names = *q.Names
	}
	switch {
	case q.unsaid != "":
		return Reply{Error: fmt.Sprintf("the %s is missing", q.unsaid)}
	case q.Op == Receive && len(q.Message) == 0:
		return Reply{Error: "the message is missing"}
	case q.Op == Receive:
		if err := json.Unmarshal(q.Message, &in.Message); err != nil {
			return Reply{Ignored: err.Error(), State: &n.state}
		}
	case q.Op == Call && q.Call == spec.ChangeCall:
		if len(q.Configuration) == 0 {
			return Reply{Ignored: "a change to no configuration", State: &n.state}
		}
		if err := json.Unmarshal(q.Configuration, &in.Configuration); err != nil {
			return Reply{Ignored: err.Error(), State: &n.state}
		}
	}
	if !s.implementation.Naming && !(in.Names.IsNone() && in.Message.Names.IsNone()) {
		return Reply{Ignored: "it hands over to nobody by name (section 15)", State: &n.state}
	}
	var out spec.Step
	n.node.Step(&in, &out)
	return n.reply(&in, &out)
}

// reply writes what a node has done in the order of duty.
func (n *served) reply(in *spec.Input, out *spec.Step) Reply {
	if out.Ignored {
		return Reply{Ignored: "no rule is for it", State: &n.state}
	}
	before := n.state
	if in.Starts() {
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
	if told := leadershipOf(&n.state); told != leadershipOf(&before) {
		r.Effects = append(r.Effects, Effect{Tell: &told})
	}
	return r
}

// resource does what is asked of a resource (R38).
func (s *server) resource(q *Request) Reply {
	kept := s.resources[q.Resource]
	if kept == nil {
		kept = s.implementation.Fence()
		s.resources[q.Resource] = kept
	}
	if q.Op == Read {
		value, highest := kept.Read()
		return Reply{Value: &value, Highest: &highest}
	}
	admitted, highest, err := kept.Write(q.Epoch, q.Value)
	if err != nil {
		return Reply{Error: err.Error()}
	}
	return Reply{Admitted: &admitted, Highest: &highest}
}
