package algorithms

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/baselines/raft"
)

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
