package blame_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/kit/blame"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// id returns the id of a number, and none of 0.
func id(n uint64) spec.NodeID {
	if n == 0 {
		return spec.NodeID{}
	}
	return spec.IntegerID(n)
}

// asked returns a question to node 2 of some, and the model's answer.
func asked(members uint64, before spec.State, in spec.Input) conformance.Case {
	c := conformance.Case{ID: id(2), Before: before, Input: in}
	for n := range members {
		c.Members = append(c.Members, id(n+1))
	}
	if members == 1 {
		c.Members = []spec.NodeID{c.ID}
	}
	fill(&c)
	return c
}

// fill numbers a question, and lets the model answer it.
func fill(c *conformance.Case) {
	c.Before = conformance.Numbered(c.ID, c.Members, c.Before)
	if m := &c.Input.Message; m.Type != "" && m.Question == 0 {
		m.Question = max(c.Before.Asked, c.Before.Lease)
		if m.Question == 0 {
			m.Question = c.Before.Latest
		}
	}
	c.Want = new(conformance.Model).Step(c.ID, c.Members, c.Before, c.Input)
}

func message(kind spec.MessageType, from uint64, epoch spec.Epoch) spec.Input {
	return spec.Input{Message: spec.Message{Type: kind, From: id(from), To: id(2), Epoch: epoch}}
}

// to returns a message as an answer to a question.
func to(in spec.Input, q spec.Question) spec.Input {
	in.Message.Question = q
	return in
}

// TestRule breaks answers, and says which rule each breaks.
func TestRule(t *testing.T) {
	leader := spec.State{Role: spec.Leader, Leader: id(2), Epoch: 4, Grantee: id(2)}
	claimant := spec.State{Role: spec.Claimant, Epoch: 4, Grantee: id(1)}
	candidate := spec.State{Role: spec.Candidate, Epoch: 4}
	for _, c := range []struct {
		why     string
		members uint64
		before  spec.State
		in      spec.Input
		edit    func(o *spec.Step)
		rule    string
	}{
		{"does not learn", 3, leader, message(spec.Ack, 1, 9), func(o *spec.Step) { o.State = leader }, "R7"},
		{"learns, and leads on", 3, leader, message(spec.ImBack, 1, 9), func(o *spec.Step) { o.State = leader; o.State.Epoch = 9 }, "R7"},
		{"learns its own claim", 3, claimant, message(spec.OK, 3, 5), func(o *spec.Step) {
			o.State = spec.State{Role: spec.Follower, Epoch: 5}
		}, "R7"},
		{"learns, and says nothing", 3, leader, message(spec.Election, 1, 9), func(o *spec.Step) { o.Sent = nil }, "R10"},
		{"is refused, and goes on", 3, claimant, message(spec.Refuse, 1, 5), func(o *spec.Step) { o.State = claimant }, "R21"},
		{"wins without a quorum", 5, claimant, message(spec.Grant, 1, 5), func(o *spec.Step) { o.State = leader; o.State.Epoch = 5 }, "R20"},
		{"wins its old epoch", 3, claimant, message(spec.Grant, 1, 5), func(o *spec.Step) { o.State.Epoch = 4 }, "R20"},
		{"counts another claim's GRANT", 5, claimant, message(spec.Grant, 1, 4), func(o *spec.Step) { o.State = leader }, "R19"},
		{"half is a quorum", 4, spec.State{Role: spec.Candidate, Epoch: 4, Support: []spec.NodeID{id(1)}}, spec.Input{Timer: spec.ElectionTimer},
			func(o *spec.Step) { o.State.Role = spec.Claimant }, "R3"},
		{"claims unasked", 5, candidate, spec.Input{Timer: spec.ElectionTimer}, func(o *spec.Step) { o.State.Role = spec.Claimant }, "R14"},
		{"claims wrongly", 3, spec.State{Role: spec.Candidate, Epoch: 4, Support: []spec.NodeID{id(1)}}, spec.Input{Timer: spec.ElectionTimer},
			func(o *spec.Step) { o.Sent = nil }, "R16"},
		{"claims beyond the bound", 3, spec.State{Role: spec.Candidate, Epoch: spec.MaxEpoch, Support: []spec.NodeID{id(1)}},
			spec.Input{Timer: spec.ElectionTimer}, func(o *spec.Step) { o.State.Role = spec.Claimant }, "R2"},
		{"grants twice", 3, spec.State{Role: spec.Follower, Epoch: 4, Grantee: id(3)}, message(spec.Claim, 1, 4),
			func(o *spec.Step) { o.State.Grantee = id(1) }, "R17"},
		{"takes what is not for it", 3, candidate, message(spec.Ack, 7, 9), func(o *spec.Step) { o.Ignored = false }, "R34"},
		{"wins as a lease ends", 3, spec.State{Role: spec.Claimant, Leader: id(3), Epoch: 4, Support: []spec.NodeID{id(1)}}, message(spec.ImBack, 3, 4),
			func(o *spec.Step) { o.State = leader; o.State.Epoch = 5 }, "R31"},
		{"waits, though alone", 1, spec.State{Role: spec.Candidate, Epoch: 4}, spec.Input{Timer: spec.ElectionTimer},
			func(o *spec.Step) { o.State = claimant }, "R16"},
		{"claims, and keeps the lease", 3, spec.State{Role: spec.Electing, Leader: id(3), Epoch: 4, Support: []spec.NodeID{id(1)}},
			spec.Input{Timer: spec.CoordinatorTimer}, func(o *spec.Step) { o.State.Leader = id(3) }, "R15"},
		{"asks under a number that it has used", 3, spec.State{Role: spec.Follower, Epoch: 4}, spec.Input{Timer: spec.PatienceTimer}, func(o *spec.Step) {
			o.State.Asked, o.State.Latest = 6, 6
			for i := range o.Sent {
				o.Sent[i].Question = 6
			}
		}, "R50"},
		{"answers another question", 3, spec.State{Role: spec.Follower, Epoch: 4}, message(spec.Claim, 3, 5), func(o *spec.Step) { o.Sent[0].Question++ }, "R50"},
		{"keeps an older lease", 3, spec.State{Role: spec.Follower, Leader: id(3), Epoch: 4}, to(message(spec.Heartbeat, 3, 4), 2),
			func(o *spec.Step) { o.State.Lease = 2 }, "R5"},
		{"dates its reign from what it has just asked", 3, leader, spec.Input{Timer: spec.HeartbeatTimer}, func(o *spec.Step) { o.State.Dated = o.State.Latest }, "R26"},
		{"counts a late OK", 3, candidate, to(message(spec.OK, 3, 4), 5), func(o *spec.Step) { o.State.Role, o.State.Support = spec.Electing, []spec.NodeID{id(3)} }, "R12"},
		{"forgets", 3, spec.State{Role: spec.Follower, Epoch: 4, Grantee: id(3)}, spec.Input{Call: spec.RestartCall},
			func(o *spec.Step) { o.State.Grantee = id(0) }, "R30"},
	} {
		q := asked(c.members, c.before, c.in)
		got := spec.Step{Ignored: q.Want.Ignored, State: q.Want.State.Clone(), Sent: slices.Clone(q.Want.Sent)}
		c.edit(&got)
		require.False(t, got.Equal(q.Want), c.why)
		require.Equal(t, c.rule, blame.Rule(&q, got), c.why)
	}
}

// textual is the model, which takes 9 for higher than 10 when it hears a candidate.
type textual struct{ conformance.Model }

func (s *textual) Step(me spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step {
	out := s.Model.Step(me, members, before, in)
	if m := in.Message; !out.Ignored && m.Type == spec.Election && m.From.String() > me.String() != (m.From.Compare(me) > 0) {
		out.Sent = nil
	}
	return out
}

// TestIDs asks a port that compares ids wrongly, and one that is right, or wrong in another way.
func TestIDs(t *testing.T) {
	p, err := port.Start(context.Background(), port.Config{Serve: func(r io.Reader, w io.Writer) error {
		return port.Serve(r, w, port.Implementation{
			Identity: port.Identity{Name: "textual", Version: "1", Language: "Go"},
			Make:     conformance.NodeOf(func() conformance.Subject { return &textual{} }),
			Load: func(id spec.NodeID, members []spec.NodeID, s spec.State) (conformance.Node, error) {
				return conformance.NodeIn(&textual{}, id, members, s), nil
			},
		})
	}})
	require.NoError(t, err)
	defer p.Close()
	c := conformance.Case{ID: id(10), Members: []spec.NodeID{id(9), id(10)}, Before: spec.State{Role: spec.Follower},
		Input: spec.Input{Message: spec.Message{Type: spec.Election, From: id(9), To: id(10)}}}
	fill(&c)
	require.True(t, blame.IDs(p, &c), "with other ids it is right")
	plain := asked(3, spec.State{Role: spec.Follower}, message(spec.Election, 1, 1))
	require.False(t, blame.IDs(p, &plain), "these are the plainest ids that there are")
	c.Input.Message.From = c.ID
	require.False(t, blame.IDs(p, &c), "this is no message, and other ids do not make it one")
}

// A leader that is told of a higher epoch leads on: it is not IM_BACK that it has misread.
func ExampleRule() {
	c := asked(3, spec.State{Role: spec.Leader, Leader: id(2), Epoch: 4, Grantee: id(2)}, message(spec.ImBack, 1, 9))
	got := spec.Step{State: c.Before, Sent: []spec.Message{{Type: spec.Coordinator, From: id(2), To: id(1), Epoch: 4}}}
	fmt.Println(check.RuleOf(&c), blame.Rule(&c, got))
	// Output: R31 R7
}

// broken is the model with a bug.
type broken struct {
	conformance.Model
	change func(c *conformance.Case)
}

func (s *broken) Step(me spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step {
	c := conformance.Case{ID: me, Members: members, Before: before, Input: in}
	c.Want = s.Model.Step(me, members, before, in)
	if !c.Want.Ignored {
		s.change(&c)
	}
	return c.Want
}

// keepsSupport rests with it.
func keepsSupport(c *conformance.Case) {
	if c.Want.State.Role == spec.Follower && c.Input.Timer != "" {
		c.Want.State.Support = c.Before.Support
	}
}

// staysWithout takes news of these types for none.
func staysWithout(types ...spec.MessageType) func(c *conformance.Case) {
	return func(c *conformance.Case) {
		if m := c.Input.Message; slices.Contains(types, m.Type) && m.Epoch > c.Before.Epoch {
			c.Want.State = c.Before
		}
	}
}

// keepsLease keeps that of who says that it does not lead.
func keepsLease(types ...spec.MessageType) func(c *conformance.Case) {
	return func(c *conformance.Case) {
		if m := c.Input.Message; slices.Contains(types, m.Type) && m.From == c.Before.Leader {
			c.Want.State = c.Before
		}
	}
}

// half takes half of the members for a quorum, of those who would follow, or of those who grant too.
func half(grants bool) func(c *conformance.Case) {
	return func(c *conformance.Case) {
		behind, of := len(c.Before.Support)+1, len(c.Members)
		if own := &c.Before.Configuration; !own.IsNone() {
			of = own.Len()
		}
		if c.Input.Message.Type == spec.Grant {
			behind++
		}
		is := &c.Want.State
		switch {
		case 2*behind != of:
		case c.Input.Timer == spec.ElectionTimer:
			*is = conformance.Numbered(c.ID, c.Members, spec.State{
				Role: spec.Claimant, Epoch: is.Epoch, Grantee: is.Grantee, Configuration: is.Configuration})
		case grants && c.Input.Message.Type == spec.Grant:
			*is = conformance.Numbered(c.ID, c.Members, spec.State{
				Role: spec.Leader, Leader: c.ID, Epoch: is.Epoch + 1, Grantee: c.ID, Configuration: is.Configuration.At(is.Epoch+1, is.Configuration.Version)})
		}
	}
}

// counts takes answers of these types for answers to what is asked now.
func counts(types ...spec.MessageType) func(c *conformance.Case) {
	return func(c *conformance.Case) {
		if m := c.Input.Message; slices.Contains(types, m.Type) && c.Before.Asked != 0 {
			m.Question = c.Before.Asked
			c.Want = new(conformance.Model).Step(c.ID, c.Members, c.Before, spec.Input{Message: m})
		}
	}
}

// late is mute in epochs of more than 32 bits.
func late(c *conformance.Case) {
	if c.Before.Epoch > 1<<32 {
		c.Want.Sent = nil
	}
}

// TestAsked asks ports more that are wrong wherever a rule is used, and ports that are wrong in one place.
func TestAsked(t *testing.T) {
	claimant := spec.State{Role: spec.Claimant, Epoch: 4, Grantee: id(1), Support: []spec.NodeID{id(1)}}
	follower := spec.State{Role: spec.Follower, Leader: id(3), Epoch: 4, Grantee: id(3)}
	free := spec.State{Role: spec.Follower, Epoch: 4, Grantee: id(3)}
	candidate := spec.State{Role: spec.Candidate, Epoch: 4, Grantee: id(1), Support: []spec.NodeID{id(1)}}
	leader := spec.State{Role: spec.Leader, Leader: id(2), Epoch: 1 << 40, Grantee: id(2)}
	for _, c := range []struct {
		why    string
		change func(c *conformance.Case)
		before spec.State
		in     spec.Input
		rule   string
	}{
		{"rests with its support", keepsSupport, claimant, spec.Input{Timer: spec.ClaimTimer}, "R6"},
		{"rests with its support after claims", func(c *conformance.Case) {
			if c.Input.Timer == spec.ClaimTimer {
				keepsSupport(c)
			}
		}, claimant, spec.Input{Timer: spec.ClaimTimer}, "R22"},
		{"learns nothing", staysWithout(spec.Refuse, spec.Ack, spec.OK), free, message(spec.OK, 3, 9), "R7"},
		{"learns nothing from ACK", staysWithout(spec.Ack), free, message(spec.Ack, 3, 9), "R25"},
		{"keeps every lease", keepsLease(spec.Resign, spec.ImBack), follower, message(spec.ImBack, 3, 4), "R5"},
		{"keeps the lease of who is back", keepsLease(spec.ImBack), follower, message(spec.ImBack, 3, 4), "R31"},
		{"half is a quorum everywhere", half(true), candidate, spec.Input{Timer: spec.ElectionTimer}, "R3"},
		{"half is a quorum when T_elec ends", half(false), candidate, spec.Input{Timer: spec.ElectionTimer}, "R14"},
		{"counts what is late", counts(spec.OK, spec.Assent), candidate, to(message(spec.Assent, 3, 4), 5), "R50"},
		{"counts a late ASSENT", counts(spec.Assent), candidate, to(message(spec.Assent, 3, 4), 5), "R13"},
		{"counts a late GRANT", counts(spec.Grant), claimant, to(message(spec.Grant, 3, 5), 5), "R19"},
		{"takes late grants and refusals for good", counts(spec.Grant, spec.Refuse), claimant, to(message(spec.Refuse, 3, 5), 5), "R50"},
		{"is wrong about large epochs", late, leader, spec.Input{Timer: spec.HeartbeatTimer}, "R2"},
		{"wins as it claims", func(c *conformance.Case) {
			if c.Want.State.Role == spec.Claimant && c.Before.Role == spec.Candidate {
				c.Want.State = conformance.Numbered(c.ID, c.Members, spec.State{Role: spec.Leader, Leader: c.ID, Epoch: 5, Grantee: c.ID})
			}
		}, spec.State{Role: spec.Candidate, Epoch: 4, Grantee: id(1), Support: []spec.NodeID{id(1), id(3)}}, spec.Input{Timer: spec.ElectionTimer}, "R16"},
	} {
		p, err := port.Start(t.Context(), port.Config{Serve: func(r io.Reader, w io.Writer) error {
			return port.Serve(r, w, port.Implementation{
				Identity: port.Identity{Name: "broken", Version: "1", Language: "Go"},
				Load: func(id spec.NodeID, members []spec.NodeID, s spec.State) (conformance.Node, error) {
					return conformance.NodeIn(&broken{change: c.change}, id, members, s), nil
				},
			})
		}})
		require.NoError(t, err)
		q := asked(4, c.before, c.in)
		got := p.Subject().Step(q.ID, q.Members, q.Before, q.Input)
		require.False(t, got.Equal(q.Want), c.why)
		require.Equal(t, c.rule, blame.Asked(p, &q, got, blame.Rule(&q, got)), c.why)
		p.Close()
		require.Equal(t, "R99", blame.Asked(p, &q, spec.Step{Ignored: true}, "R99"), "nothing more is asked")
	}
}

// TestAsText knows the order of texts.
func TestAsText(t *testing.T) {
	ranks, texts := []spec.NodeID{id(2), id(9), id(10)}, []spec.NodeID{id(10), id(2), id(9)}
	require.True(t, blame.AsText(ranks, texts))
	require.False(t, blame.AsText(ranks, ranks))
	require.False(t, blame.AsText(ranks, []spec.NodeID{id(9), id(2), id(10)}))
	var want, got []spec.Message
	for k := range ranks {
		want = append(want, spec.Message{Type: spec.Resign, To: ranks[k]})
		got = append(got, spec.Message{Type: spec.Resign, To: texts[k]})
	}
	grant := []spec.Message{{Type: spec.Grant, To: id(10)}}
	require.True(t, blame.SentAsText(append(grant, want...), append(grant, got...)))
	require.False(t, blame.SentAsText(want, want))
}
