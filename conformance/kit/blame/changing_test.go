package blame_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/kit/blame"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// members returns a configuration: V, W and O say what nodes 1, 2, 3 … are in it, and - that one is no member.
func members(t *testing.T, epoch spec.Epoch, version uint64, kinds string) spec.Configuration {
	var list []spec.Member
	for i, kind := range kinds {
		if k, is := map[rune]spec.MemberKind{'V': spec.Voter, 'W': spec.Witness, 'O': spec.Observer}[kind]; is {
			list = append(list, spec.Member{ID: id(uint64(i + 1)), Kind: k})
		}
	}
	c, err := spec.NewConfiguration(epoch, version, list)
	require.NoError(t, err)
	return c
}

// changingCase returns a question to node 2, whose configuration is given, and the model's answer.
func changingCase(before spec.State, own spec.Configuration, in spec.Input) conformance.Case {
	c := conformance.Case{ID: id(2), Members: []spec.NodeID{id(1), id(2), id(3), id(4), id(5)}, Before: before, Input: in}
	c.Before.Configuration = own
	fill(&c)
	return c
}

// TestRuleOfMembers breaks answers where members change, and says which rule each breaks.
func TestRuleOfMembers(t *testing.T) {
	three, newer, older := members(t, 4, 2, "VVV"), members(t, 4, 3, "VVVO"), members(t, 4, 1, "VVVO")
	follower := spec.State{Role: spec.Follower, Leader: id(3), Epoch: 4, Grantee: id(3)}
	leader := spec.State{Role: spec.Leader, Leader: id(2), Epoch: 4, Grantee: id(2), Support: []spec.NodeID{id(1)}}
	lonely := spec.State{Role: spec.Leader, Leader: id(2), Epoch: 4, Grantee: id(2)}
	claimant := spec.State{Role: spec.Claimant, Epoch: 4, Grantee: id(1)}
	says := func(kind spec.MessageType, from uint64, epoch spec.Epoch, c spec.Configuration) spec.Input {
		in := message(kind, from, epoch)
		in.Message.Configuration = c
		return in
	}
	carry := func(o *spec.Step, c spec.Configuration) {
		for i := range o.Sent {
			o.Sent[i].Configuration = c
		}
	}
	for _, c := range []struct {
		why    string
		before spec.State
		own    spec.Configuration
		in     spec.Input
		edit   func(o *spec.Step)
		rule   string
	}{
		{"adopts nothing", follower, three, says(spec.Refuse, 1, 4, newer), func(o *spec.Step) { o.State.Configuration = three }, "R43"},
		{"adopts, and says the old one", follower, three, says(spec.Heartbeat, 3, 4, newer), func(o *spec.Step) { carry(o, three) }, "R43"},
		{"adopts what is older", follower, three, says(spec.Heartbeat, 3, 4, older), func(o *spec.Step) {
			o.State.Configuration = older
			carry(o, older)
		}, "R42"},
		{"stamps nothing", claimant, three, says(spec.Grant, 1, 5, three), func(o *spec.Step) {
			o.State.Configuration = three
			carry(o, three)
		}, "R48"},
		{"wins its old epoch", claimant, three, says(spec.Grant, 1, 5, three), func(o *spec.Step) {
			o.State.Epoch = 4
			o.State.Configuration = o.State.Configuration.At(5, 2)
		}, "R20"},
		{"counts observers", spec.State{Role: spec.Leader, Leader: id(2), Epoch: 4, Grantee: id(2), Support: []spec.NodeID{id(4)}}, members(t, 4, 2, "VVVOO"),
			to(says(spec.Ack, 5, 4, members(t, 4, 2, "VVVOO")), 4), func(o *spec.Step) { o.State.Dated = 4 }, "R42"},
		{"half is a quorum", lonely, members(t, 4, 2, "VVVW"), to(says(spec.Ack, 1, 4, members(t, 4, 2, "VVVW")), 4), func(o *spec.Step) { o.State.Dated = 4 }, "R42"},
		{"leads on", leader, three, spec.Input{Timer: spec.ReignTimer}, func(o *spec.Step) { o.State.Role = spec.Leader }, "R26"},
		{"asks observers", follower, newer, spec.Input{Timer: spec.PatienceTimer}, func(o *spec.Step) {
			o.Sent = append(o.Sent, spec.Message{Type: spec.Election, From: id(2), To: id(4), Epoch: 4, Configuration: newer})
		}, "R46"},
		{"takes a witness for a higher node", spec.State{Role: spec.Follower, Epoch: 4}, members(t, 4, 2, "VWV"), says(spec.Election, 1, 4, members(t, 4, 2, "VWV")),
			func(o *spec.Step) { o.Sent[0].Type = spec.OK }, "R46"},
		{"is silent", follower, members(t, 4, 2, "VWV"), spec.Input{Timer: spec.PatienceTimer}, func(o *spec.Step) { o.Sent = nil }, "R46"},
		{"supports nobody", spec.State{Role: spec.Follower, Epoch: 4}, three, says(spec.Election, 3, 4, three), func(o *spec.Step) { o.Sent[0].Type = spec.Refuse }, "R11"},
		{"answers no non-member", follower, three, says(spec.Claim, 4, 5, members(t, 4, 1, "VVVV")), func(o *spec.Step) { o.Sent = nil }, "R44"},
		{"grants an older one", spec.State{Role: spec.Follower, Epoch: 4}, three, says(spec.Claim, 1, 5, older), func(o *spec.Step) { o.State.Epoch = 5 }, "R45"},
		{"changes, and keeps its support", leader, three, spec.Input{Call: spec.ChangeCall, Configuration: newer},
			func(o *spec.Step) { o.State.Support = []spec.NodeID{id(1)} }, "R47"},
		{"removes in silence", leader, three, spec.Input{Call: spec.ChangeCall, Configuration: members(t, 4, 3, "VV")},
			func(o *spec.Step) { o.Sent = o.Sent[:1] }, "R47"},
		{"waits for a witness", spec.State{Role: spec.Candidate, Epoch: 4, Support: []spec.NodeID{id(1)}}, members(t, 4, 2, "VVWO"), says(spec.Assent, 3, 4, members(t, 4, 2, "VVWO")),
			func(o *spec.Step) { o.State.Role, o.Sent = spec.Candidate, nil }, "R46"},
		{"does not learn", spec.State{Role: spec.Follower, Epoch: 4}, three, says(spec.Ack, 1, 9, three), func(o *spec.Step) { o.State.Epoch = 4 }, "R7"},
	} {
		q := changingCase(c.before, c.own, c.in)
		got := spec.Step{Ignored: q.Want.Ignored, State: q.Want.State.Clone(), Sent: append([]spec.Message(nil), q.Want.Sent...)}
		c.edit(&got)
		require.False(t, got.Equal(q.Want), c.why)
		require.Equal(t, c.rule, blame.Rule(&q, got), c.why)
	}
}

// TestAskedOfMembers asks ports more that are wrong about who is counted, and about ids, where members change.
func TestAskedOfMembers(t *testing.T) {
	own := members(t, 4, 2, "VVVV")
	ask := func(subject conformance.Subject) *port.Process {
		p, err := port.Start(t.Context(), port.Config{Serve: func(r io.Reader, w io.Writer) error {
			return port.Serve(r, w, port.Implementation{
				Identity: port.Identity{Name: "broken", Version: "1", Language: "Go"}, Changing: true,
				Load: func(id spec.NodeID, members []spec.NodeID, s spec.State) (conformance.Node, error) {
					return conformance.NodeIn(subject, id, members, s), nil
				},
			})
		}})
		require.NoError(t, err)
		return p
	}
	p := ask(&broken{change: half(true)})
	defer p.Close()
	q := changingCase(spec.State{Role: spec.Candidate, Epoch: 4, Support: []spec.NodeID{id(1)}}, own, spec.Input{Timer: spec.ElectionTimer})
	got := p.Subject().Step(q.ID, q.Members, q.Before, q.Input)
	require.False(t, got.Equal(q.Want))
	require.Equal(t, "R42", blame.Asked(p, &q, got, "R14"))

	texts := ask(&textual{})
	defer texts.Close()
	ids, err := spec.NewConfiguration(4, 2, []spec.Member{{ID: id(9), Kind: spec.Voter}, {ID: id(10), Kind: spec.Voter}})
	require.NoError(t, err)
	c := conformance.Case{ID: id(10), Before: spec.State{Role: spec.Follower, Epoch: 4, Configuration: ids},
		Input: spec.Input{Message: spec.Message{Type: spec.Election, From: id(9), To: id(10), Epoch: 4, Configuration: ids}}}
	fill(&c)
	require.True(t, blame.IDs(texts, &c), "with other ids it is right")
	require.False(t, blame.IDs(texts, &q), "these are plain")
}
