package lease_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/baselines/lease"
)

func newCandidate(t require.TestingT, id, key int, careless bool) *lease.Candidate {
	c, err := lease.New(lease.Config{ID: id, Key: key, Session: session(id), NoDeadline: careless})
	require.NoError(t, err)
	return c
}

// leading returns candidate 1, which leads: it has the deadline of number 1.
func leading(t *testing.T, careless bool) *lease.Candidate {
	c := newCandidate(t, 1, lease.SharedKey, careless)
	c.Step(lease.Start())
	out := c.Step(answer(lease.Created, 1, 1, entryOf(1, lease.SharedKey, 4), none, entryOf(1, lease.SharedKey, 4)))
	require.Empty(t, out.Ignored)
	require.True(t, c.Leads(), "the holder of the key leads")
	return c
}

var none lease.Entry

func answer(kind lease.Kind, to, number int, entry, before, first lease.Entry) lease.Input {
	return lease.Receive(lease.Message{Kind: kind, To: to, Number: number, Entry: entry, Before: before, First: first})
}

func gone(to int, entry lease.Entry) lease.Input { return answer(lease.Gone, to, 0, entry, none, none) }

func requireLeader(t *testing.T, c *lease.Candidate, leader, revision int) {
	t.Helper()
	id, at := c.Leader()
	require.Equal(t, []int{leader, revision}, []int{id, at})
}

// Who starts tries to create the key, again with each renewal, each time with another number and its own deadline.
func TestCandidateAsks(t *testing.T) {
	c := newCandidate(t, 1, lease.SharedKey, false)
	out := c.Step(lease.Start())
	require.Equal(t, []lease.Message{create(1, lease.SharedKey, 1)}, out.Send)
	require.Equal(t, []lease.Timer{lease.Renewal, 1}, out.Set)
	require.True(t, c.Stands(), "a candidate that has asked stands")
	for number := 2; number < 9; number++ {
		out = c.Step(lease.Timeout(lease.Renewal))
		require.Equal(t, []lease.Message{create(1, lease.SharedKey, number)}, out.Send)
		require.Equal(t, []lease.Timer{lease.Renewal, lease.Timer(number % lease.Deadlines)}, out.Set)
	}
	requireLeader(t, c, 0, 0)
}

// Whose entry is the first leads, and its epoch is the revision of that.
func TestCandidateLeads(t *testing.T) {
	c := leading(t, false)
	requireLeader(t, c, 1, 4)
	require.False(t, c.Stands(), "a leader does not stand")
}

// Who finds the key held follows, watches it, and watches it again while nothing comes of it.
func TestCandidateFollows(t *testing.T) {
	c := newCandidate(t, 2, lease.SharedKey, false)
	c.Step(lease.Start())
	held := entryOf(1, lease.SharedKey, 4)
	watch := []lease.Message{{Kind: lease.Watch, From: 2, Entry: held}}
	out := c.Step(answer(lease.Held, 2, 1, held, none, held))
	require.Equal(t, lease.Output{Stop: []lease.Timer{lease.Renewal}, Set: []lease.Timer{lease.Rewatch}, Send: watch}, out)
	requireLeader(t, c, 1, 4)
	require.False(t, c.Leads(), "a candidate that finds the key held must not lead")
	require.Equal(t, lease.Output{Set: []lease.Timer{lease.Rewatch}, Send: watch}, c.Step(lease.Timeout(lease.Rewatch)))
	require.NotEmpty(t, c.Step(lease.Timeout(lease.Renewal)).Ignored)

	out = c.Step(gone(2, held))
	require.Equal(t, []lease.Message{create(2, lease.SharedKey, 2)}, out.Send)
	require.Contains(t, out.Stop, lease.Rewatch)
	requireLeader(t, c, 0, 0)
}

// In line, a candidate watches the one before it and follows the first; the answers to its renewals tell it when that changes.
func TestCandidateInLine(t *testing.T) {
	c := newCandidate(t, 3, 3, false)
	require.Equal(t, []lease.Message{create(3, 3, 1)}, c.Step(lease.Start()).Send)
	first, before, mine := entryOf(1, 1, 1), entryOf(2, 2, 2), entryOf(3, 3, 3)
	out := c.Step(answer(lease.Created, 3, 1, mine, before, first))
	require.Equal(t, []lease.Message{{Kind: lease.Watch, From: 3, Entry: before}}, out.Send)
	requireLeader(t, c, 1, 1)

	require.NotEmpty(t, c.Step(gone(3, first)).Ignored, "it does not watch the first")
	require.Equal(t, []lease.Message{{Kind: lease.Renew, From: 3, Number: 2, Entry: mine}}, c.Step(lease.Timeout(lease.Renewal)).Send)
	out = c.Step(answer(lease.Renewed, 3, 2, mine, before, before))
	require.Empty(t, out.Send)
	requireLeader(t, c, 2, 2)

	out = c.Step(gone(3, before))
	require.Equal(t, []lease.Message{create(3, 3, 3)}, out.Send)
	require.True(t, c.Stands(), "the next in line stands when the one before it is gone")
	c.Step(answer(lease.Created, 3, 3, mine, none, mine))
	requireLeader(t, c, 3, 3)
	require.True(t, c.Leads(), "the first in line leads")
}

// The news that the one before is gone may be lost: a renewal tells it as well.
func TestCandidateMissesGone(t *testing.T) {
	c := newCandidate(t, 2, 2, false)
	c.Step(lease.Start())
	first, mine := entryOf(1, 1, 1), entryOf(2, 2, 2)
	c.Step(answer(lease.Created, 2, 1, mine, first, first))
	c.Step(lease.Timeout(lease.Renewal))
	c.Step(answer(lease.Renewed, 2, 2, mine, none, mine))
	require.True(t, c.Leads(), "the answer to a renewal must make the first in line lead")
	require.NotEmpty(t, c.Step(gone(2, first)).Ignored)
	require.True(t, c.Leads(), "news that comes twice must not end the reign")
}

// The deadline counts from the sending of the last renewal that was answered: earlier ones are stopped, later ones run.
func TestCandidateDeadline(t *testing.T) {
	c := leading(t, false)
	mine := entryOf(1, lease.SharedKey, 4)
	require.Equal(t, []lease.Timer{lease.Renewal, 2}, c.Step(lease.Timeout(lease.Renewal)).Set)
	require.Equal(t, []lease.Timer{lease.Renewal, 3}, c.Step(lease.Timeout(lease.Renewal)).Set)
	out := c.Step(answer(lease.Renewed, 1, 2, mine, none, mine))
	require.Equal(t, lease.Output{Stop: []lease.Timer{1}}, out, "its deadline has begun when it was sent, and not now")
	out = c.Step(lease.Timeout(lease.Timer(2)))
	require.Equal(t, "gives up: its lease was not renewed in time", out.Note)
	require.Empty(t, out.Send, "to ask at once would renew what it has given up, and keep the others out")
	require.Equal(t, []lease.Timer{lease.Rewatch}, out.Set)
	require.Contains(t, out.Stop, lease.Renewal)
	require.False(t, c.Leads(), "a leader must step down at its deadline")
	require.NotEmpty(t, c.Step(answer(lease.Renewed, 1, 3, mine, none, mine)).Ignored, "it has given that entry up")
	require.NotEmpty(t, c.Step(lease.Timeout(lease.Renewal)).Ignored)

	out = c.Step(lease.Timeout(lease.Rewatch))
	require.Equal(t, []lease.Message{create(1, lease.SharedKey, 4)}, out.Send)
	c.Step(answer(lease.Created, 1, 4, mine, none, mine))
	require.True(t, c.Leads(), "the store had not given it to anybody else")
}

// The end of a deadline that does not count only makes its answer late.
func TestCandidateOtherDeadline(t *testing.T) {
	c := leading(t, false)
	mine := entryOf(1, lease.SharedKey, 4)
	c.Step(lease.Timeout(lease.Renewal))
	c.Step(lease.Timeout(lease.Timer(2)))
	require.True(t, c.Leads(), "the end of an older deadline must not end the reign")
	require.NotEmpty(t, c.Step(answer(lease.Renewed, 1, 2, mine, none, mine)).Ignored)

	asks := newCandidate(t, 1, lease.SharedKey, false)
	asks.Step(lease.Start())
	asks.Step(lease.Timeout(lease.Timer(1)))
	require.NotEmpty(t, asks.Step(answer(lease.Created, 1, 1, mine, none, mine)).Ignored, "it is too old to lead on")
	require.False(t, asks.Leads(), "an answer that came after its deadline must not make a leader")
}

// While all deadlines are taken and the oldest is the one that counts, the last number is asked again, with its deadline.
func TestCandidateKeepsTheDeadlineThatCounts(t *testing.T) {
	c := leading(t, false)
	mine := entryOf(1, lease.SharedKey, 4)
	for number := 2; number <= lease.Deadlines; number++ {
		require.Contains(t, c.Step(lease.Timeout(lease.Renewal)).Set, lease.Timer(number%lease.Deadlines))
	}
	out := c.Step(lease.Timeout(lease.Renewal))
	require.Equal(t, []lease.Timer{lease.Renewal}, out.Set)
	require.Equal(t, lease.Deadlines, out.Send[0].Number)
	require.Equal(t, []lease.Timer{1, 2, 3}, c.Step(answer(lease.Renewed, 1, lease.Deadlines, mine, none, mine)).Stop)
	require.NotEmpty(t, c.Step(answer(lease.Renewed, 1, 2, mine, none, mine)).Ignored, "an earlier answer does not count any more")
}

// While it asks, an answer whose deadline has been given to a later number is too late.
func TestCandidateForgetsWhatIsTooOld(t *testing.T) {
	c := newCandidate(t, 1, lease.SharedKey, false)
	c.Step(lease.Start())
	for range lease.Deadlines {
		c.Step(lease.Timeout(lease.Renewal))
	}
	mine := entryOf(1, lease.SharedKey, 4)
	require.NotEmpty(t, c.Step(answer(lease.Created, 1, 1, mine, none, mine)).Ignored)
	require.Empty(t, c.Step(answer(lease.Created, 1, 2, mine, none, mine)).Ignored)
}

// Without the local deadline a holder leads until the store says otherwise.
func TestCandidateWithoutDeadline(t *testing.T) {
	c := leading(t, true)
	for number := 2; number < 20; number++ {
		out := c.Step(lease.Timeout(lease.Renewal))
		require.Equal(t, []lease.Timer{lease.Renewal}, out.Set)
		require.Equal(t, number, out.Send[0].Number)
	}
	require.NotEmpty(t, c.Step(lease.Timeout(lease.Timer(1))).Ignored)
	require.True(t, c.Leads(), "a careless leader leads on after its deadline")
	out := c.Step(gone(1, entryOf(1, lease.SharedKey, 4)))
	require.Equal(t, "its lease is gone, says the store", out.Note)
	require.False(t, c.Leads(), "a careless leader must step down when the store says that its lease is gone")
	require.True(t, c.Stands(), "a candidate stands again after it has lost its lease")
}

// Who resigns deletes its entry, and is over: the host makes another candidate, with another session.
func TestCandidateResigns(t *testing.T) {
	c := leading(t, false)
	mine := entryOf(1, lease.SharedKey, 4)
	out := c.Step(lease.Resign())
	require.Equal(t, lease.Output{Send: []lease.Message{{Kind: lease.Delete, From: 1, Entry: mine}}, Note: "resigns"}, out)
	requireLeader(t, c, 0, 0)
	require.False(t, c.Leads(), "a candidate that has resigned must not lead")
	require.False(t, c.Stands(), "a candidate that has resigned must not stand")
	for _, in := range []lease.Input{lease.Resign(), lease.Suspect(), lease.Start(), lease.Timeout(lease.Renewal), lease.Timeout(1), gone(1, mine)} {
		out := c.Step(in)
		require.Equal(t, lease.Output{Ignored: out.Ignored}, out)
		require.NotEmpty(t, out.Ignored)
	}
}

// A suspicion makes who does not lead ask, and no other.
func TestCandidateSuspects(t *testing.T) {
	require.NotEmpty(t, leading(t, false).Step(lease.Suspect()).Ignored)
	c := newCandidate(t, 2, lease.SharedKey, false)
	require.NotEmpty(t, c.Step(lease.Suspect()).Ignored, "it has not started")
	c.Step(lease.Start())
	require.NotEmpty(t, c.Step(lease.Suspect()).Ignored, "it asks already")
	held := entryOf(1, lease.SharedKey, 4)
	c.Step(answer(lease.Held, 2, 1, held, none, held))
	require.Equal(t, []lease.Message{create(2, lease.SharedKey, 2)}, c.Step(lease.Suspect()).Send)
	c.Step(answer(lease.Held, 2, 2, held, none, held))
	requireLeader(t, c, 1, 4)
}

// What a former life holds is not its own.
func TestCandidateKnowsItsLife(t *testing.T) {
	c := newCandidate(t, 1, lease.SharedKey, false)
	c.Step(lease.Start())
	former := entryOf(1, lease.SharedKey, 4)
	former.Session = 999
	c.Step(answer(lease.Created, 1, 1, former, none, former))
	require.False(t, c.Leads(), "the entry of an earlier life must not make a leader")
	out := c.Step(answer(lease.Held, 1, 1, former, none, former))
	require.Equal(t, lease.Watch, out.Send[0].Kind)
	require.False(t, c.Leads(), "the entry of an earlier life must not make a leader")
}

// An answer that says nothing about an entry is none: who asks goes on.
func TestCandidateIgnoresAnswersWithoutEntry(t *testing.T) {
	for _, kind := range []lease.Kind{lease.Created, lease.Held, lease.Renewed} {
		c := newCandidate(t, 1, lease.SharedKey, false)
		c.Step(lease.Start())
		require.NotEmpty(t, c.Step(answer(kind, 1, 1, none, none, none)).Ignored)
		require.True(t, c.Stands(), "an answer without an entry must not end the candidacy")
	}
	c := newCandidate(t, 1, lease.SharedKey, false)
	c.Step(lease.Start())
	require.Equal(t, lease.Output{Note: "resigns"}, c.Step(lease.Resign()), "there is nothing to delete")
}

func TestBadConfig(t *testing.T) {
	for _, config := range []lease.Config{{ID: 0}, {ID: -1, Key: -1}, {ID: 1, Key: 2}} {
		_, err := lease.New(config)
		require.ErrorContains(t, err, "give an id of 1 or above, and SharedKey or the id as key")
	}
}

// What a candidate has no use for is ignored with a reason, and changes nothing.
func TestCandidateIgnores(t *testing.T) {
	mine := entryOf(1, lease.SharedKey, 4)
	for what, in := range map[string]lease.Input{
		"nothing":          {},
		"second start":     lease.Start(),
		"restart":          lease.Restart(lease.Saved{Revision: 1}),
		"tick":             lease.Timeout(lease.Tick),
		"no timer":         lease.Timeout(-1),
		"rewatch":          lease.Timeout(lease.Rewatch),
		"from a candidate": lease.Receive(lease.Message{Kind: lease.Gone, From: 2, To: 1, Entry: mine}),
		"for another":      gone(2, mine),
		"question":         answer(lease.Renew, 1, 1, mine, none, none),
		"unknown":          answer("LUNCH", 1, 1, mine, none, none),
		"held":             answer(lease.Held, 1, 1, entryOf(2, lease.SharedKey, 4), none, none),
		"number 0":         answer(lease.Renewed, 1, 0, mine, none, none),
		"number 9":         answer(lease.Renewed, 1, 9, mine, none, none),
		"another entry":    answer(lease.Renewed, 1, 1, entryOf(1, lease.SharedKey, 3), none, none),
		"gone of none":     gone(1, none),
		"gone of another":  gone(1, entryOf(2, lease.SharedKey, 3)),
	} {
		c := leading(t, false)
		out := c.Step(in)
		require.NotEmpty(t, out.Ignored, what)
		require.Equal(t, lease.Output{Ignored: out.Ignored}, out, what)
		require.True(t, c.Leads(), what)
		requireLeader(t, c, 1, 4)

		fresh := newCandidate(t, 1, lease.SharedKey, false)
		if what != "second start" && what != "restart" {
			require.NotEmpty(t, fresh.Step(in).Ignored, what)
		}
	}
}
