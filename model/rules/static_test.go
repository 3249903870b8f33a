package rules

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/spec"
)

// An input is what a node takes: a message, the end of a timer, a call, a proof of death, or a crash and restart.
type input struct {
	kind    string
	message Message
	timer   Timer
}

// A situation is a node in any state, and an input of any kind; the state need not be one that the node can come to.
type situation struct {
	n      ID
	i      ID
	before State
	input  input
	step   Step
}

func drawRank(t *rapid.T, least, most ID, label string) ID {
	return ID(rapid.IntRange(int(least), int(most)).Draw(t, label))
}

// constant returns the configuration of members 1 to n that never change.
func constant(n ID) Configuration { return Configuration{Version: 1, Of: &Members{Voters: UpTo(n)}} }

func drawStatic(t *rapid.T, n, i ID) State {
	s := State{
		Role:    Role(rapid.IntRange(0, int(Leader)).Draw(t, "role")),
		Leader:  drawRank(t, None, n, "leader"),
		Epoch:   spec.Epoch(rapid.IntRange(0, 4).Draw(t, "epoch")),
		Grantee: drawRank(t, None, n, "grantee"),
		Support: Set(rapid.Uint16().Draw(t, "support")) & UpTo(n).Without(i),
		Latest:  drawNumber(t, 4, "latest"),
		Conf:    constant(n),
	}
	if s.Leader != None && s.Leader != i {
		s.Lease = drawNumber(t, 1, "lease")
	}
	switch s.Role {
	case Candidate, Claimant:
		s.Asked = s.Latest
	case Electing:
		s.Asked = rapid.SampledFrom([]Question{0, s.Latest}).Draw(t, "asked")
	case Leader:
		s.Dated = drawNumber(t, 1, "dated") % s.Latest
		for j := range UpTo(n).Without(i).All() {
			s.Answered = s.Answered.With(j, drawNumber(t, 0, "answered")%(s.Latest+1))
		}
	}
	return s
}

func drawNumber(t *rapid.T, least int, label string) Question {
	return Question(rapid.IntRange(least, 7).Draw(t, label))
}

func drawMessage(t *rapid.T, n, i ID) Message {
	from := drawRank(t, 1, n-1, "from")
	if from >= i {
		from++
	}
	m := Message{
		Type:     MessageType(rapid.IntRange(0, int(ImBack)).Draw(t, "type")),
		From:     from,
		To:       i,
		Epoch:    spec.Epoch(rapid.IntRange(0, 6).Draw(t, "epoch of the message")),
		Question: drawNumber(t, 1, "question"),
		Conf:     constant(n),
	}
	switch m.Type {
	case Election:
		m.Keeps = drawRank(t, None, n, "keeps")
	case Resign:
		if by := drawRank(t, None, n, "granted to"); by != None && by != from { // a claim of the sender's own is no message (R33)
			m.Granted.By = by
			m.Granted.Epoch, m.Granted.Question = spec.Epoch(rapid.IntRange(0, 6).Draw(t, "epoch granted")), drawNumber(t, 1, "claim granted")
		}
	}
	return m
}

// draw returns a situation of the rules as they are, and its step.
func draw(t *rapid.T) situation {
	x := situation{n: drawRank(t, 2, 7, "n")}
	x.i = drawRank(t, 1, x.n, "i")
	x.before = drawStatic(t, x.n, x.i)
	r := NewStatic()
	x.input.kind = rapid.SampledFrom([]string{"message", "message", "timer", "resign", "holder dead", "restart"}).Draw(t, "input")
	switch x.input.kind {
	case "message":
		x.input.message = drawMessage(t, x.n, x.i)
		x.step = r.Hear(x.i, x.before, x.input.message)
	case "timer":
		x.input.timer = Timer(rapid.IntRange(0, Timers-1).Draw(t, "timer"))
		x.step = r.Timeout(x.i, x.before, x.input.timer)
	case "resign":
		x.step = r.Resign(x.i, x.before)
	case "holder dead":
		x.step = r.HolderDead(x.i, x.before)
	case "restart":
		x.step = r.Restart(x.i, r.Survives(x.before))
	}
	return x
}

// always checks that a property holds of every situation.
func always(t *testing.T, property func(t *rapid.T, x situation, after State)) {
	rapid.Check(t, func(t *rapid.T) {
		x := draw(t)
		property(t, x, x.step.State)
	})
}

func TestEpochNeverGoesBack(t *testing.T) {
	always(t, func(t *rapid.T, x situation, after State) {
		require.GreaterOrEqual(t, after.Epoch, x.before.Epoch)
	})
}

func TestOneEpochIsPromisedOnce(t *testing.T) {
	always(t, func(t *rapid.T, x situation, after State) {
		if after.Epoch == x.before.Epoch && x.before.Grantee != None {
			require.Equal(t, x.before.Grantee, after.Grantee)
		}
	})
}

func TestPromiseIsToWhoAskedOrLeadsOrWins(t *testing.T) {
	always(t, func(t *rapid.T, x situation, after State) {
		if after.Epoch == x.before.Epoch && after.Grantee == x.before.Grantee || after.Grantee == None {
			return
		}
		switch {
		case after.Role == Leader:
			require.Equal(t, x.i, after.Grantee)
			require.Equal(t, x.before.Epoch+1, after.Epoch)
		default:
			by, epoch := x.input.message.From, x.input.message.Epoch
			if x.input.message.Type == Resign { // it has handed over
				by, epoch = x.input.message.Granted.By, x.input.message.Granted.Epoch
			}
			require.Equal(t, by, after.Grantee)
			require.Equal(t, epoch, after.Epoch)
			require.Equal(t, after.Grantee, after.Leader, "a promise begins a lease")
		}
	})
}

func TestGrantIsAPromiseAndALease(t *testing.T) {
	always(t, func(t *rapid.T, x situation, after State) {
		for _, m := range x.step.Sent() {
			if m.Type == Grant {
				require.Equal(t, State{Role: Electing, Leader: m.To, Epoch: m.Epoch, Grantee: m.To, Conf: constant(x.n)}, plain(after))
				require.GreaterOrEqual(t, after.Lease, m.Question, "of the CLAIM, unless the lease was of a later question")
			}
		}
	})
}

func TestRefusedClaimChangesNothing(t *testing.T) {
	always(t, func(t *rapid.T, x situation, after State) {
		if x.input.kind != "message" || x.input.message.Type != Claim || x.step.Sent()[0].Type == Grant {
			return
		}
		require.Equal(t, x.before, after)
		refuse := Message{Type: Refuse, From: x.i, To: x.input.message.From, Epoch: x.before.Epoch, Question: x.input.message.Question, Conf: constant(x.n)}
		require.Equal(t, []Message{refuse}, x.step.Sent())
	})
}

func TestLeaderWonWithAQuorumAndWithoutALease(t *testing.T) {
	always(t, func(t *rapid.T, x situation, after State) {
		if after.Role != Leader || x.before.Role == Leader {
			return
		}
		backers := x.before.Support.With(x.i)
		if x.input.message.Type == Grant {
			backers = backers.With(x.input.message.From)
		}
		require.Greater(t, 2*backers.Len(), int(x.n))
		require.Contains(t, []ID{None, x.input.message.From}, x.before.Leader, "only its holder can have ended the lease")
		require.Equal(t, State{Role: Leader, Leader: x.i, Epoch: x.before.Epoch + 1, Grantee: x.i, Conf: constant(x.n)}, plain(after))
		require.Equal(t, x.before.Asked, after.Dated, "the reign is dated from the CLAIM")
		require.Len(t, x.step.Sent(), int(x.n)-1)
		require.Equal(t, Coordinator, x.step.Sent()[0].Type)
	})
}

func TestEveryMessageSentIsWellFormed(t *testing.T) {
	always(t, func(t *rapid.T, x situation, after State) {
		for _, m := range x.step.Sent() {
			require.Equal(t, x.i, m.From)
			require.NotEqual(t, x.i, m.To)
			require.True(t, UpTo(x.n).Has(m.To))
			switch m.Type {
			case Claim:
				require.Equal(t, after.Epoch+1, m.Epoch)
			case Resign:
				require.Equal(t, x.before.Epoch, m.Epoch)
			default:
				require.Equal(t, after.Epoch, m.Epoch)
			}
		}
	})
}

// TestNumbers holds that numbers only rise, that no lease gets older, and that an answer is of the question that it answers.
func TestNumbers(t *testing.T) {
	always(t, func(t *rapid.T, x situation, after State) {
		require.GreaterOrEqual(t, after.Latest, x.before.Latest)
		require.LessOrEqual(t, max(after.Asked, after.Dated), after.Latest)
		if x.input.kind != "restart" && after.Leader == x.before.Leader {
			require.GreaterOrEqual(t, after.Lease, x.before.Lease)
		}
		if after.Role == Leader && x.before.Role == Leader {
			require.GreaterOrEqual(t, after.Dated, x.before.Dated)
		}
		for _, m := range x.step.Sent() {
			switch m.Type {
			case OK, Assent, Grant, Refuse, Ack:
				require.Contains(t, []Question{x.input.message.Question, x.input.message.Granted.Question}, m.Question)
			default:
				require.Contains(t, []Question{after.Asked, after.Latest}, m.Question)
			}
		}
	})
}

func TestStateStaysWithinItsTypes(t *testing.T) {
	always(t, func(t *rapid.T, x situation, after State) {
		require.LessOrEqual(t, after.Role, Leader)
		require.LessOrEqual(t, after.Leader, x.n)
		require.LessOrEqual(t, after.Grantee, x.n)
		require.Zero(t, after.Support&^UpTo(x.n).Without(x.i))
	})
}

// What section 6 of spec/README.md says of leases and support is inductive: no input leads out of it.
func TestRolesKeepTheLeasesThatTheyCan(t *testing.T) {
	always(t, func(t *rapid.T, x situation, after State) {
		if legal(x.i, x.before) {
			require.True(t, legal(x.i, after), "%v becomes %v", x.before, after)
		}
	})
}

func legal(i ID, s State) bool {
	stands := s.Role == Candidate || s.Role == Claimant
	if (s.Lease == 0) != (s.Leader == None || s.Leader == i) || s.Role != Electing && stands != (s.Asked != 0) || (s.Role == Leader) != (s.Dated != 0) {
		return false
	}
	lower := s.Leader < i // none is lower than all
	switch s.Role {
	case Follower:
		return s.Leader != i && s.Support == 0
	case Candidate, Claimant:
		return lower
	case Leader:
		return s.Leader == i && s.Grantee == i
	}
	return true
}

func TestIgnoredInputIsNoStep(t *testing.T) {
	always(t, func(t *rapid.T, x situation, after State) {
		r := NewStatic()
		runs := x.input.kind == "timer" && r.Runs(x.i, x.before, x.input.timer)
		resigns := x.input.kind == "resign" && x.before.Role == Leader
		told := x.input.kind == "holder dead" && x.before.Leader != None && x.before.Leader != x.i
		taken := runs || resigns || told || x.input.kind == "message" || x.input.kind == "restart"
		require.Equal(t, !taken, x.step.Ignored)
		if x.step.Ignored {
			require.Equal(t, x.before, after)
			require.Empty(t, x.step.Sent())
		}
	})
}

// R41: the holder of a lease that is proved dead is as one that has resigned, to a node that is no claimant; a claimant has to wait.
func TestHolderDeadIsARelease(t *testing.T) {
	always(t, func(t *rapid.T, x situation, after State) {
		if x.input.kind != "holder dead" || x.step.Ignored {
			return
		}
		require.Empty(t, x.step.Sent())
		require.Equal(t, None, after.Leader)
		require.Equal(t, x.before.Epoch, after.Epoch)
		require.Equal(t, x.before.Grantee, after.Grantee)
		switch x.before.Role {
		case Follower, Electing:
			require.Equal(t, Follower, after.Role)
			require.Zero(t, after.Support)
		default:
			require.Equal(t, x.before.Role, after.Role)
			require.Equal(t, x.before.Support, after.Support)
		}
		if x.before.Role != Claimant {
			r := NewStatic()
			require.Equal(t, r.Hear(x.i, x.before, Message{
				Type: Resign, From: x.before.Leader, To: x.i, Question: max(x.before.Lease, 1), Conf: constant(x.n),
			}), x.step)
		}
	})
}

func TestHearIgnoresWhatIsNotForIt(t *testing.T) {
	r := NewStatic()
	s := State{Epoch: 1, Conf: constant(3)}
	for name, m := range map[string]Message{
		"to another":   {Type: Claim, From: 3, To: 2},
		"from itself":  {Type: Claim, From: 1, To: 1},
		"from no node": {Type: Claim, To: 1},
		"unknown type": {Type: ImBack + 1, From: 3, To: 1},
	} {
		m.Epoch, m.Question, m.Conf = 2, 1, constant(3)
		require.Equal(t, ignored(s), r.Hear(1, s, m), name)
	}
	require.False(t, r.Runs(1, s, Timers), "unknown timer")
	require.False(t, r.Hear(1, s, Message{Type: Claim, From: 3, To: 1, Epoch: 2, Question: 1, Conf: constant(3)}).Ignored)
}

// TestReignIsDated dates a reign from the latest question that a quorum has answered, late answers and those of one node alone aside,
// and ends it, whoever supports the leader.
func TestReignIsDated(t *testing.T) {
	r := NewStatic()
	s := State{Role: Leader, Leader: 5, Epoch: 1, Grantee: 5, Latest: 9, Dated: 2, Answered: Answers("").With(1, 2).With(2, 2), Conf: constant(5)}
	for _, c := range []struct {
		from     ID
		question Question
		dated    Question
	}{{1, 7, 2}, {2, 5, 5}, {2, 4, 5}, {3, 9, 7}, {3, 10, 7}, {4, 8, 8}} {
		s = r.Hear(5, s, Message{Type: Ack, From: c.from, To: 5, Epoch: 1, Question: c.question, Conf: constant(5)}).State
		require.Equal(t, c.dated, s.Dated, "%d answers %d", c.from, c.question)
	}
	require.Equal(t, quietly(State{Epoch: 1, Grantee: 5, Latest: 9, Conf: constant(5)}), r.Timeout(5, s, ReignTimer))
}

func TestWordsAreThoseOfSpec(t *testing.T) {
	require.Equal(t, string(spec.Leader), Leader.String())
	require.Equal(t, string(spec.ImBack), ImBack.String())
	require.Equal(t, string(spec.PreemptTimer), PreemptTimer.String())
	require.Len(t, spec.Timers(), Timers)
}
