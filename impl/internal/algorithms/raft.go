package algorithms

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
	"github.com/seed-fdf591db/bully/impl/baselines/raft"
)

// rafts are the election half of Raft: as it is run today, and with less of that.
func rafts() []compare.Algorithm {
	return []compare.Algorithm{
		raftForm("raft", "Raft", raft.Config{PreVote: true, CheckQuorum: true}),
		raftForm("raft-plain", "Raft without pre-vote and check-quorum", raft.Config{}), // that of the paper
		raftForm("raft-prevote", "Raft without check-quorum", raft.Config{PreVote: true}),
		raftForm("raft-checkquorum", "Raft without pre-vote", raft.Config{CheckQuorum: true}),
	}
}

// The kinds of AppendEntries. The first one of a leader, and what answers it, is part of what its election costs, as COORDINATOR
// and its ACK are of ours. All others are upkeep, but for the answer that a leader's term is over.
const (
	raftAnnounce     = "ANNOUNCE"
	raftAnnounceAck  = "ACK of ANNOUNCE"
	raftHeartbeat    = "HEARTBEAT"
	raftHeartbeatAck = "ACK of HEARTBEAT"
)

// raftTimers are the timers, each at the place that is its number.
var raftTimers = []raft.Timer{raft.Election, raft.Lease, raft.Quorum, raft.Heartbeat}

// raftForm is the algorithm whose nodes have some options; their ids are those of the run. A node that goes on after a
// pause looks at its clock before it believes that its leader, or its quorum, was heard from just now.
func raftForm(name, title string, form raft.Config) compare.Algorithm {
	a := compare.Algorithm{Name: name, Title: title, Upkeep: []string{raftHeartbeat, raftHeartbeatAck}, Epochs: true, Fences: true}
	for k, t := range raftTimers {
		a.Timers = append(a.Timers, string(t))
		if t == raft.Lease || t == raft.Quorum {
			a.Urgent |= 1 << k
		}
		if t == raft.Election {
			a.Again |= 1 << k
		}
	}
	a.New = func(c compare.Config) compare.Node {
		own := form
		own.ID, own.Nodes = c.ID, c.Nodes
		core, err := raft.New(own)
		if err != nil {
			panic(err) // the ids of a run are 1 to Nodes
		}
		return &raftNode{core: core, config: c}
	}
	return a
}

// raftNode is the core and its host.
type raftNode struct {
	core   *raft.Node
	config compare.Config
	last   raftStep
	vote   int                // that is on its disk, or will be
	votes  []int              // who has voted for it, or would
	sent   []raft.MessageType // the memory of last.sent
}

func (n *raftNode) Start(out *compare.Output) { n.Restart(nil, out) }

func (n *raftNode) Restart(saved any, out *compare.Output) {
	kept, _ := saved.(raft.Saved) // it may have saved nothing yet
	n.vote = kept.Vote
	n.step(raft.Start(kept), "", out)
}

func (n *raftNode) Receive(_ int, m compare.Message, out *compare.Output) {
	message, _ := m.Body.(raft.Message) // anything else is ignored, as a message of nobody
	n.step(message, m.Kind, out)
}

func (n *raftNode) End(t compare.Timer, out *compare.Output) { n.step(raftTimers[t], "", out) }

// Suspect ends the election timeout. A leader has none, and ignores it.
func (n *raftNode) Suspect(out *compare.Output) { n.step(raft.Election, "", out) }

// Status has a node know of no epoch if it knows of no leader.
func (n *raftNode) Status() compare.Status {
	s, role := compare.Status{Leader: n.core.Leader()}, n.core.Role()
	s.Leading, s.Standing = role == raft.Leader, role == raft.Candidate || role == raft.PreCandidate
	if s.Leader != 0 {
		s.Epoch = n.core.Term()
	}
	return s
}

// step lets the core take a step, on a message of some kind or on something else, and does its duties.
func (n *raftNode) step(in raft.Input, kind string, out *compare.Output) {
	was := raftStep{role: n.core.Role(), term: n.core.Term(), leader: n.core.Leader(), in: in}
	led := was.role == raft.Leader
	did := n.core.Step(in)
	n.watch(was, &did)
	if did.Save {
		out.Save = did.Saved
	}
	for _, t := range did.Stop {
		out.Stop = append(out.Stop, raftTimer(t))
	}
	for _, t := range did.Set {
		out.Set = append(out.Set, compare.SetTimer{Timer: raftTimer(t), After: n.wait(t)})
	}
	for _, m := range did.Send {
		out.Send = append(out.Send, compare.Sent{To: m.To, Message: compare.Message{Kind: raftKind(m.Type, kind, !led), Body: m}})
	}
	out.Note = did.Note
}

func raftTimer(t raft.Timer) compare.Timer { return compare.Timer(slices.Index(raftTimers, t)) }

// raftKind returns the kind of a message that answers one of another kind, if it answers any. First says that its sender did
// not lead before.
func raftKind(t raft.MessageType, answered string, first bool) string {
	switch {
	case t == raft.AppendEntries && first:
		return raftAnnounce
	case t == raft.AppendEntries:
		return raftHeartbeat
	case t == raft.Appended && answered == raftAnnounce:
		return raftAnnounceAck
	case t == raft.Appended:
		return raftHeartbeatAck
	}
	return string(t)
}

// wait returns how long a timer runs. The election timeout is drawn evenly from Patience to twice that, without the latter, so
// that nodes seldom stand at the same moment (§5.2). Whatever asks for an election timeout to have passed asks for the shortest.
func (n *raftNode) wait(t raft.Timer) time.Duration {
	patience := n.config.Timing.Patience
	switch t {
	case raft.Election:
		return n.config.Random.In(simnet.Range{Min: patience, Max: 2*patience - 1})
	case raft.Heartbeat:
		return n.config.Timing.Heartbeat
	}
	return patience
}

// raftStep is the last step of a node, as far as it is told of.
type raftStep struct {
	role   raft.Role // before it
	term   uint64
	leader int
	in     raft.Input
	did    raft.Output
	sent   []raft.MessageType
}

// watch notes what people are told of a step.
func (n *raftNode) watch(was raftStep, did *raft.Output) {
	n.last = was
	n.last.did = *did
	n.last.sent = n.sent[:0]
	for k := range did.Send {
		n.last.sent = append(n.last.sent, did.Send[k].Type)
	}
	n.sent = n.last.sent
	if did.Save {
		n.vote = did.Saved.Vote
	}
	role, m := n.core.Role(), raft.Message{}
	if in, ok := was.in.(raft.Message); ok {
		m = in
	}
	asks := slices.Contains(n.sent, raft.RequestVote) || slices.Contains(n.sent, raft.RequestPreVote)
	switch stands := role == raft.Candidate || role == raft.PreCandidate; {
	case stands && asks:
		n.votes = append(n.votes[:0], n.config.ID)
	case n.counts(&m) && !slices.Contains(n.votes, m.From):
		n.votes = append(n.votes, m.From)
	}
}

// counts reports whether a message is a vote for the node as it stands now: it may be left over of an earlier term.
func (n *raftNode) counts(m *raft.Message) bool {
	switch n.core.Role() {
	case raft.Candidate:
		return m.Type == raft.Vote && m.Term == n.core.Term()
	case raft.PreCandidate:
		return m.Type == raft.PreVote && m.Term == n.core.Term()+1
	}
	return false
}

// Tell tells the role, the term, whom the node voted for in it, and who has voted for the node.
func (n *raftNode) Tell() Telling {
	role := n.core.Role()
	t := Telling{Role: string(role), Epoch: n.core.Term(), Fields: []Field{{"term", fmt.Sprint(n.core.Term())}, {"votedFor", orNone(n.vote)}}}
	if role == raft.Candidate || role == raft.PreCandidate {
		t.Fields = append(t.Fields, Field{"votes", list(n.votes, n.config.ID)})
	}
	return t
}

// Kept tells the term and the vote.
func (n *raftNode) Kept(saved any) string {
	kept, ok := saved.(raft.Saved)
	switch {
	case !ok:
		return ""
	case kept.Vote == 0:
		return fmt.Sprintf("term %d, no vote", kept.Term)
	}
	return fmt.Sprintf("term %d, vote for %d", kept.Term, kept.Vote)
}

// About tells the term.
func (n *raftNode) About(m compare.Message) (epoch uint64, text string) {
	message, _ := m.Body.(raft.Message)
	return message.Term, ""
}

// Did tells of the last step.
func (n *raftNode) Did() Step {
	step := Step{Note: n.last.did.Note}
	switch in := n.last.in.(type) {
	case raft.Timer:
		step.Text = n.ended(in)
	case raft.Message:
		if step.Note == "" {
			step.Note = n.heard(&in)
		}
	}
	return step
}

func (n *raftNode) ended(t raft.Timer) string {
	switch {
	case t == raft.Election && (n.last.role == raft.Candidate || n.last.role == raft.PreCandidate):
		return "has waited in vain for more than half of the votes"
	case t == raft.Election && n.last.leader > 0:
		return fmt.Sprintf("has heard nothing from %d for too long", n.last.leader)
	case t == raft.Election:
		return "has waited long enough for a leader"
	case t == raft.Lease:
		return "has not heard from its leader for a while, and would vote for another now"
	case t == raft.Quorum:
		return "looks whether more than half still answer it"
	}
	return "says that it still leads"
}

// heard tells what the node has made of a message, where the core does not.
func (n *raftNode) heard(m *raft.Message) string {
	sent := func(t raft.MessageType) bool { return slices.Contains(n.last.sent, t) }
	behind := ofNodes(len(n.votes), n.config.Nodes)
	switch {
	case n.last.did.Ignored != "":
		return "takes no notice of it"
	case sent(raft.Vote):
		return fmt.Sprintf("votes for %d in term %d, and for nobody else", m.From, m.Term)
	case sent(raft.NoVote) && n.vote > 0 && m.Term == n.core.Term():
		return fmt.Sprintf("has voted for %d in term %d already: says no", n.vote, m.Term)
	case sent(raft.NoVote):
		return fmt.Sprintf("says no: it is in term %d", n.core.Term())
	case sent(raft.PreVote):
		return fmt.Sprintf("would vote for %d in term %d", m.From, m.Term)
	case sent(raft.NoPreVote):
		return fmt.Sprintf("would not vote for %d: it hears from a leader, or is in a later term", m.From)
	case m.Type == raft.RequestVote:
		return "takes no notice of it: it hears from a leader"
	case sent(raft.NotAppended):
		return fmt.Sprintf("says no: term %d is over, it is in term %d", m.Term, n.core.Term())
	case m.Type == raft.Vote && n.counts(m):
		return fmt.Sprintf("%d votes for it: that makes %s", m.From, behind)
	case m.Type == raft.PreVote && n.counts(m):
		return fmt.Sprintf("%d would vote for it: that makes %s", m.From, behind)
	case m.Type == raft.AppendEntries && n.last.leader == m.From && n.last.term == m.Term:
		return fmt.Sprintf("%d still leads", m.From)
	case m.Type == raft.AppendEntries:
		return fmt.Sprintf("follows %d in term %d", m.From, m.Term)
	case m.Type == raft.Appended && n.core.Role() == raft.Leader:
		return fmt.Sprintf("%d follows it in term %d", m.From, m.Term)
	case n.core.Term() > n.last.term:
		return fmt.Sprintf("learns of term %d", n.core.Term())
	case m.Type == raft.NoVote || m.Type == raft.NoPreVote:
		return fmt.Sprintf("%d does not vote for it", m.From)
	}
	return "comes too late to change anything"
}
