package rules

import (
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-fdf591db/bully/spec"
)

// State is the state of one node.
type State struct {
	Role    Role
	Leader  ID            // the node whose lease I keep: I follow it, or granted it and await it (R5)
	Grantee ID            // to whom the epoch was promised; durable
	Epoch   spec.Epoch    // the highest promised; durable
	Support Set           // who backs me; of a leader, who has acknowledged its configuration in its reign
	Conf    Configuration // who the members are; durable

	Lease  Question // of the lease that I keep: the latest question of Leader that I have answered; 0 for my own
	Asked  Question // what I ask now, and may be answered: ELECTION or CLAIM; 0 if nothing
	Latest Question // the latest number that I have used; durable, as the end of the block that is reserved
	Dated  Question // of a leader: the latest question that a quorum has answered, from which its reign is dated
	// Answered is, of a leader, the latest question that each node has answered.
	Answered Answers
}

// Blank returns the state of a node that starts for the first time with configuration c. R32, R49.
func Blank(c Configuration) State { return State{Conf: c, Latest: 1} }

// Is reports whether s and t are the same state.
func (s State) Is(t State) bool {
	return s.Role == t.Role && s.Leader == t.Leader && s.Epoch == t.Epoch && s.Grantee == t.Grantee && s.Support == t.Support &&
		s.Lease == t.Lease && s.Asked == t.Asked && s.Latest == t.Latest && s.Dated == t.Dated &&
		s.Answered == t.Answered && s.Conf.Is(t.Conf)
}

// String returns the state as a TLA+ record.
func (s State) String() string { return s.Among(s.Answered.Len()) }

// Among returns the state as a TLA+ record in which n nodes may have answered.
func (s State) Among(n ID) string {
	return fmt.Sprintf("[role |-> %q, leader |-> %d, lease |-> %d, epoch |-> %d, grantee |-> %d, support |-> %v, asked |-> %d, "+
		"latest |-> %d, dated |-> %d, answered |-> %v, conf |-> %v]",
		s.Role, s.Leader, s.Lease, s.Epoch, s.Grantee, s.Support, s.Asked, s.Latest, s.Dated, s.Answered.text(n), s.Conf)
}

// String returns the claim as a TLA+ record.
func (g Granted) String() string {
	return fmt.Sprintf("[by |-> %d, epoch |-> %d, question |-> %d]", g.By, g.Epoch, g.Question)
}

// String returns the answers as a TLA+ sequence, of the nodes up to the last that has answered.
func (a Answers) String() string { return a.text(a.Len()) }

// text returns the answers of n nodes as a TLA+ sequence.
func (a Answers) text(n ID) string {
	all := make([]string, n)
	for j := range all {
		all[j] = strconv.FormatUint(uint64(a.Of(ID(j+1))), 10)
	}
	return "<<" + strings.Join(all, ", ") + ">>"
}

// Message is what one node says to another.
type Message struct {
	Type     MessageType
	From, To ID
	Epoch    spec.Epoch
	Question Question      // the one asked or answered; of RESIGN and IM_BACK the sender's latest
	Keeps    ID            // of an ELECTION: whose lease the sender keeps
	Granted  Granted       // of the RESIGN of a hand-over: the claim that was granted
	Names    ID            // of a RESIGN: who is to stand first; of a CLAIM: by whom its sender was named
	Hold     spec.Hold     // of a RESIGN that names; no rule looks at it
	Conf     Configuration // of the sender, after the step that sends it (R43)
}

// Granted is a claim that a leader has granted as it handed over.
type Granted struct {
	By       ID // who claims; None if there is none
	Epoch    spec.Epoch
	Question Question
}

// String returns the message as people write it, without its configuration: OnClaim(3→1) is the receipt of 3→1 CLAIM(4).
func (m Message) String() string { return fmt.Sprintf("%d→%d %v(%d)", m.From, m.To, m.Type, m.Epoch) }

// Step is what a node does at once: the state after, and the messages sent. If Epoch, Grantee or Conf of State differ from those
// before, they are durable before any of the messages leaves the node (R4, R42).
type Step struct {
	State State
	// Ignored says that this is no step at all: the state stays and nothing is sent (R28, R34, R35, R41, R47).
	Ignored bool

	from ID
	n    uint8
	said [2]Said // no rule says more
}

// Said is one message to each node of a set, in the order of ids.
type Said struct {
	Type     MessageType
	To       Set
	Epoch    spec.Epoch
	Question Question
	Keeps    ID
	Granted  Granted
	Names    ID
	Hold     spec.Hold
}

// Said returns what the step says, in the order of sending. The slice is part of s.
func (s *Step) Said() []Said { return s.said[:s.n] }

// All yields the messages of the step in the order of sending.
func (s *Step) All() iter.Seq[Message] {
	return func(yield func(Message) bool) {
		for k := range s.Said() {
			said := &s.said[k]
			for js := said.To; js != 0; js &= js - 1 {
				if !yield(Message{
					Type: said.Type, From: s.from, To: js.Lowest(), Epoch: said.Epoch, Question: said.Question,
					Keeps: said.Keeps, Granted: said.Granted, Names: said.Names, Hold: said.Hold, Conf: s.State.Conf,
				}) {
					return
				}
			}
		}
	}
}

// Len returns how many messages the step sends.
func (s *Step) Len() (n int) {
	for _, said := range s.Said() {
		n += said.To.Len()
	}
	return n
}

// Sent returns the messages of the step in the order of sending.
func (s *Step) Sent() []Message { return slices.Collect(s.All()) }

// KeepTo drops all messages but those to js.
func (s *Step) KeepTo(js Set) {
	said, n := s.said, s.n
	s.n = 0
	for _, one := range said[:n] {
		one.To &= js
		s.say(s.from, one)
	}
}

// say adds what node i says, but not to itself.
func (s *Step) say(i ID, said Said) {
	if said.To = said.To.Without(i); said.To != 0 {
		s.from = i
		s.said[s.n] = said
		s.n++
	}
}

// quietly returns the step to s that sends nothing.
func quietly(s State) Step { return Step{State: s} }

// ignored returns what is no step of s.
func ignored(s State) Step { return Step{State: s, Ignored: true} }

// answer returns the step of node i to s that answers the question of m.
func answer(i ID, s State, t MessageType, m *Message, e spec.Epoch) Step {
	return tell(i, s, Said{Type: t, To: SetOf(m.From), Epoch: e, Question: m.Question})
}

// tell returns the step of node i to s that says something.
func tell(i ID, s State, said Said) Step {
	step := quietly(s)
	step.say(i, said)
	return step
}

// latest is a message of i to js that says its latest number.
func latest(t MessageType, js Set, s State) Said {
	return Said{Type: t, To: js, Epoch: s.Epoch, Question: s.Latest}
}

// rest gives up what s was doing, and waits out the lease that it keeps, if any. R6.
func rest(s State) State {
	s.Role, s.Support, s.Asked, s.Dated, s.Answered = Follower, 0, 0, 0, ""
	if s.Leader != None {
		s.Role = Electing
	}
	return s
}

// unbound ends the lease that s keeps: the patience with it is over.
func unbound(s State) State {
	s.Leader, s.Lease = None, 0
	return s
}

// release is what s becomes when node j says that it does not lead as of its question n: its lease ends, unless it is of a later
// question. R5.
func (r *Rules) release(s State, j ID, n Question) State {
	if s.Leader != j || !r.covers(n, s.Lease) {
		return s
	}
	return freed(s)
}

// freed is what s becomes when the lease that it keeps ends because its holder does not lead.
func freed(s State) State {
	s = unbound(s)
	if s.Role == Follower || s.Role == Electing {
		s = rest(s)
	}
	return s
}

// learn is what s becomes on news of epoch e, which is promised to nobody yet. A leader that learns of one leads no more, and
// to a claimant the epoch that it claims is no news. R7.
func (r *Rules) learn(s State, e spec.Epoch) State {
	if e <= s.Epoch || r.ownClaim(s, e) {
		return s
	}
	s.Epoch, s.Grantee = e, None
	switch s.Role {
	case Candidate, Electing:
		return s
	case Leader:
		s = unbound(s)
	}
	return rest(s)
}

// learnIfFree is learn for what binds nobody: who keeps another's lease does not learn from it. R7.
func (r *Rules) learnIfFree(i ID, s State, e spec.Epoch) State {
	if r.learnsBound(i, s) {
		return r.learn(s, e)
	}
	return s
}

// A Question is the number of something that a node asks: it only rises, over restarts too. 0 is none.
type Question uint64

// Answers are the latest question that each node has answered: eight bytes of each, of node 1 first. It can be compared, and nobody
// changes it.
type Answers string

const answerSize = 8

// Of returns the latest question that node j has answered, or 0.
func (a Answers) Of(j ID) Question {
	if at := answerSize * (int(j) - 1); at < len(a) {
		return Question(binary.BigEndian.Uint64([]byte(a[at : at+answerSize])))
	}
	return 0
}

// With returns answers in which node j has answered question n last. Nodes at the end that have answered none are left out.
func (a Answers) With(j ID, n Question) Answers {
	end := answerSize * int(j)
	var all [answerSize * MaxIDs]byte
	b := all[:max(len(a), end)]
	copy(b, a)
	binary.BigEndian.PutUint64(b[end-answerSize:], uint64(n))
	for len(b) > 0 && binary.BigEndian.Uint64(b[len(b)-answerSize:]) == 0 {
		b = b[:len(b)-answerSize]
	}
	return remember(b)
}

// seen has the answers that were made first, so that an explorer, which makes few of them again and again, needs no memory for one.
var seen struct {
	sync.RWMutex
	all map[string]Answers
}

const mostSeen = 1 << 12

func remember(b []byte) Answers {
	seen.RLock()
	a, known := seen.all[string(b)]
	seen.RUnlock()
	if known {
		return a
	}
	a = Answers(b)
	seen.Lock()
	defer seen.Unlock()
	if seen.all == nil {
		seen.all = map[string]Answers{}
	}
	if len(seen.all) < mostSeen {
		seen.all[string(a)] = a
	}
	return a
}

// Len returns up to which node there are answers.
func (a Answers) Len() ID { return ID(len(a) / answerSize) }

// among returns the answers of the nodes of a set.
func (a Answers) among(js Set) Answers {
	for j := ID(1); j <= a.Len(); j++ {
		if !js.Has(j) && a.Of(j) != 0 {
			a = a.With(j, 0)
		}
	}
	return a
}
