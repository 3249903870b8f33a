package lease_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/baselines/lease"
)

const ticks = 3

func newStore(t require.TestingT, candidates int) *lease.Store {
	store, err := lease.NewStore(lease.StoreConfig{Candidates: candidates, Ticks: ticks})
	require.NoError(t, err)
	require.Equal(t, []lease.Timer{lease.Tick}, store.Step(lease.Start()).Set)
	return store
}

// ask gives a store a message, and returns its one answer.
func ask(t *testing.T, store *lease.Store, m lease.Message) lease.Message {
	out := store.Step(lease.Receive(m))
	require.Empty(t, out.Ignored)
	require.Len(t, out.Send, 1, "%v", m)
	require.Equal(t, m.From, out.Send[0].To)
	require.Equal(t, lease.StoreID, out.Send[0].From)
	return out.Send[0]
}

func create(from, key, number int) lease.Message {
	return lease.Message{Kind: lease.Create, From: from, Number: number, Entry: lease.Entry{Key: key, Session: session(from)}}
}

func session(id int) uint64 { return uint64(100 + id) }

func entryOf(holder, key, revision int) lease.Entry {
	return lease.Entry{Key: key, Holder: holder, Session: session(holder), Revision: revision}
}

// Create if absent: the first has the key, and the others are told who has it.
func TestStoreCreates(t *testing.T) {
	store := newStore(t, 3)
	mine := entryOf(2, lease.SharedKey, 1)
	out := store.Step(lease.Receive(create(2, lease.SharedKey, 7)))
	require.Equal(t, &lease.Saved{Revision: 1, Entries: []lease.Entry{mine}}, out.Save, "durable before it is answered")
	require.Equal(t, []lease.Message{{Kind: lease.Created, To: 2, Number: 7, Entry: mine, First: mine}}, out.Send)

	held := store.Step(lease.Receive(create(3, lease.SharedKey, 4)))
	require.Nil(t, held.Save)
	require.Equal(t, []lease.Message{{Kind: lease.Held, To: 3, Number: 4, Entry: mine, First: mine}}, held.Send)
}

// The same session may ask again, and has the entry that it has had. Another life of the same candidate does not.
func TestStoreCreatesOnceForASession(t *testing.T) {
	store := newStore(t, 3)
	first := ask(t, store, create(2, lease.SharedKey, 1))
	again := ask(t, store, create(2, lease.SharedKey, 2))
	require.Equal(t, lease.Created, again.Kind)
	require.Equal(t, first.Entry, again.Entry)
	require.Equal(t, 1, store.Saved().Revision)

	another := create(2, lease.SharedKey, 1)
	another.Entry.Session = 999
	require.Equal(t, lease.Held, ask(t, store, another).Kind)
}

// In the sequential form entries stand in the order in which they were created.
func TestStoreSaysWhoIsBefore(t *testing.T) {
	store := newStore(t, 3)
	for revision, id := range []int{2, 3, 1} {
		answer := ask(t, store, create(id, id, 1))
		require.Equal(t, entryOf(id, id, revision+1), answer.Entry)
		require.Equal(t, entryOf(2, 2, 1), answer.First)
	}
	last := entryOf(1, 1, 3)
	answer := ask(t, store, lease.Message{Kind: lease.Renew, From: 1, Number: 2, Entry: last})
	require.Equal(t, lease.Message{Kind: lease.Renewed, To: 1, Number: 2, Entry: last, Before: entryOf(3, 3, 2), First: entryOf(2, 2, 1)}, answer)
	store.Step(lease.Receive(lease.Message{Kind: lease.Delete, From: 3, Entry: entryOf(3, 3, 2)}))
	answer = ask(t, store, lease.Message{Kind: lease.Renew, From: 1, Number: 3, Entry: last})
	require.Equal(t, entryOf(2, 2, 1), answer.Before)
}

// An entry lives the ticks of a TTL and the rest of the one that ran when it was renewed, and goes with the next.
func TestStoreTTL(t *testing.T) {
	store := newStore(t, 2)
	mine := ask(t, store, create(1, lease.SharedKey, 1)).Entry
	store.Step(lease.Receive(lease.Message{Kind: lease.Watch, From: 2, Entry: mine}))
	tick := func() lease.Output {
		out := store.Step(lease.Timeout(lease.Tick))
		require.Equal(t, []lease.Timer{lease.Tick}, out.Set)
		return out
	}
	for range ticks {
		require.Nil(t, tick().Save)
	}
	require.Equal(t, lease.Renewed, ask(t, store, lease.Message{Kind: lease.Renew, From: 1, Number: 2, Entry: mine}).Kind)
	for range ticks {
		require.Nil(t, tick().Save)
	}
	out := tick()
	require.Equal(t, &lease.Saved{Revision: 2, Entries: []lease.Entry{}}, out.Save)
	require.Equal(t, "the lease of 1 has run out", out.Note)
	require.Equal(t, []lease.Message{{Kind: lease.Gone, To: 2, Entry: mine}}, out.Send)
	require.Nil(t, tick().Save)

	require.Equal(t, lease.Gone, ask(t, store, lease.Message{Kind: lease.Renew, From: 1, Number: 3, Entry: mine}).Kind, "compare fails")
	require.Equal(t, 3, ask(t, store, create(2, lease.SharedKey, 1)).Entry.Revision, "a later reign has a higher revision")
}

// Entries that run out together are told in one note.
func TestStoreTTLOfTwo(t *testing.T) {
	store := newStore(t, 2)
	ask(t, store, create(1, 1, 1))
	ask(t, store, create(2, 2, 1))
	var out lease.Output
	for range ticks + 1 {
		out = store.Step(lease.Timeout(lease.Tick))
	}
	require.Equal(t, "the lease of 1 has run out; the lease of 2 has run out", out.Note)
	require.Equal(t, &lease.Saved{Revision: 4, Entries: []lease.Entry{}}, out.Save)
}

// Renewing and deleting compare the revision, the session and the holder.
func TestStoreCompares(t *testing.T) {
	store := newStore(t, 2)
	mine := ask(t, store, create(1, lease.SharedKey, 1)).Entry
	for what, change := range map[string]func(*lease.Message){
		"revision": func(m *lease.Message) { m.Entry.Revision++ },
		"session":  func(m *lease.Message) { m.Entry.Session++ },
		"holder":   func(m *lease.Message) { m.From = 2 },
	} {
		m := lease.Message{Kind: lease.Renew, From: 1, Entry: mine}
		change(&m)
		require.Equal(t, lease.Gone, ask(t, store, m).Kind, what)
		m.Kind = lease.Delete
		require.NotEmpty(t, store.Step(lease.Receive(m)).Ignored, what)
	}
	out := store.Step(lease.Receive(lease.Message{Kind: lease.Delete, From: 1, Entry: mine}))
	require.Equal(t, &lease.Saved{Revision: 2, Entries: []lease.Entry{}}, out.Save)
	require.Equal(t, "1 has let go", out.Note)
}

// Who watches is told once; who watches what is gone is told at once; who asks twice is told once.
func TestStoreWatches(t *testing.T) {
	store := newStore(t, 3)
	mine := ask(t, store, create(1, lease.SharedKey, 1)).Entry
	for _, from := range []int{3, 2, 3} {
		out := store.Step(lease.Receive(lease.Message{Kind: lease.Watch, From: from, Entry: mine}))
		require.Empty(t, out.Send)
		require.Empty(t, out.Ignored)
	}
	out := store.Step(lease.Receive(lease.Message{Kind: lease.Delete, From: 1, Entry: mine}))
	require.Equal(t, []lease.Message{{Kind: lease.Gone, To: 3, Entry: mine}, {Kind: lease.Gone, To: 2, Entry: mine}}, out.Send)
	require.Equal(t, lease.Gone, ask(t, store, lease.Message{Kind: lease.Watch, From: 2, Entry: mine}).Kind)

	next := ask(t, store, create(2, lease.SharedKey, 1)).Entry
	out = store.Step(lease.Receive(lease.Message{Kind: lease.Delete, From: 2, Entry: next}))
	require.Empty(t, out.Send, "the watches were of the entry before")
}

// After a crash what was saved is there again, with all of its TTL; watches are not.
func TestStoreRestarts(t *testing.T) {
	store := newStore(t, 2)
	mine := ask(t, store, create(1, lease.SharedKey, 1)).Entry
	store.Step(lease.Receive(lease.Message{Kind: lease.Watch, From: 2, Entry: mine}))
	store.Step(lease.Timeout(lease.Tick))
	saved := *store.Saved()

	again, err := lease.NewStore(lease.StoreConfig{Candidates: 2, Ticks: ticks})
	require.NoError(t, err)
	again.Step(lease.Restart(saved))
	require.Equal(t, lease.Held, ask(t, again, create(2, lease.SharedKey, 1)).Kind)
	for range ticks {
		require.Nil(t, again.Step(lease.Timeout(lease.Tick)).Save)
	}
	out := again.Step(lease.Timeout(lease.Tick))
	require.Equal(t, 2, out.Save.Revision)
	require.Empty(t, out.Send)
	require.Equal(t, 1, saved.Revision, "what was saved is a copy")
	require.Len(t, saved.Entries, 1)
}

// What is on disk does not change with the store: it is a copy, both when it is saved and when it is read.
func TestStoreSavesACopy(t *testing.T) {
	store := newStore(t, 3)
	ask(t, store, create(1, 1, 1))
	saved := store.Step(lease.Receive(create(2, 2, 1))).Save
	want := []lease.Entry{entryOf(1, 1, 1), entryOf(2, 2, 2)}
	again, err := lease.NewStore(lease.StoreConfig{Candidates: 3, Ticks: ticks})
	require.NoError(t, err)
	again.Step(lease.Restart(*saved))
	for _, s := range []*lease.Store{store, again} {
		s.Step(lease.Receive(lease.Message{Kind: lease.Delete, From: 1, Entry: entryOf(1, 1, 1)}))
		require.Equal(t, []lease.Entry{entryOf(2, 2, 2)}, s.Saved().Entries)
		require.Equal(t, want, saved.Entries)
	}
}

func TestBadStoreConfig(t *testing.T) {
	for _, c := range []lease.StoreConfig{{Candidates: 0, Ticks: 1}, {Candidates: 1, Ticks: 0}, {Candidates: -1, Ticks: -1}} {
		_, err := lease.NewStore(c)
		require.ErrorContains(t, err, "give at least 1 of each")
	}
}

// What a store has no use for is ignored with a reason, and changes nothing.
func TestStoreIgnores(t *testing.T) {
	store := newStore(t, 2)
	ask(t, store, create(1, 1, 1))
	before := store.Saved()
	fresh, err := lease.NewStore(lease.StoreConfig{Candidates: 2, Ticks: 1})
	require.NoError(t, err)
	for what, in := range map[string]lease.Input{
		"nothing":        {},
		"second start":   lease.Start(),
		"restart":        lease.Restart(lease.Saved{}),
		"suspicion":      lease.Suspect(),
		"resignation":    lease.Resign(),
		"another timer":  lease.Timeout(lease.Renewal),
		"no timer":       lease.Timeout(-1),
		"non-member 0":   lease.Receive(create(0, lease.SharedKey, 1)),
		"non-member 3":   lease.Receive(create(3, lease.SharedKey, 1)),
		"another's key":  lease.Receive(create(1, 2, 1)),
		"no key":         lease.Receive(create(1, -1, 1)),
		"for another":    lease.Receive(lease.Message{Kind: lease.Create, From: 1, To: 2}),
		"an answer":      lease.Receive(lease.Message{Kind: lease.Created, From: 1}),
		"unknown":        lease.Receive(lease.Message{Kind: "LUNCH", From: 1}),
		"delete of none": lease.Receive(lease.Message{Kind: lease.Delete, From: 1}),
	} {
		out := store.Step(in)
		require.NotEmpty(t, out.Ignored, what)
		require.Equal(t, lease.Output{Ignored: out.Ignored}, out, what)
		require.Equal(t, before, store.Saved(), what)
	}
	require.NotEmpty(t, fresh.Step(lease.Timeout(lease.Tick)).Ignored, "it has not started")
	require.NotEmpty(t, fresh.Step(lease.Receive(create(1, lease.SharedKey, 1))).Ignored, "it has not started")
}
