package lease_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/impl/baselines/lease"
)

// modelled is a store as a map, written once more without looking at Store.
type modelled struct {
	revision int
	entries  map[int]lease.Entry
	age      map[int]int
	watchers map[int]map[int]bool
}

func (s *modelled) order() []lease.Entry {
	return slices.SortedFunc(maps.Values(s.entries), func(a, b lease.Entry) int { return a.Revision - b.Revision })
}

// remove returns who is to hear of it.
func (s *modelled) remove(e lease.Entry) (told map[int]bool) {
	told = s.watchers[e.Key]
	delete(s.entries, e.Key)
	delete(s.age, e.Key)
	delete(s.watchers, e.Key)
	s.revision++
	return told
}

// answer returns what a holder is to hear.
func (s *modelled) answer(kind lease.Kind, m lease.Message, e lease.Entry) []lease.Message {
	s.age[e.Key] = 0
	a := lease.Message{Kind: kind, To: m.From, Number: m.Number, Entry: e, First: s.order()[0]}
	for _, other := range s.order() {
		if other.Revision < e.Revision {
			a.Before = other
		}
	}
	return []lease.Message{a}
}

// receive returns the answers, and who is told that the entry is gone.
func (s *modelled) receive(m lease.Message) (answers []lease.Message, told map[int]bool) {
	e, there := s.entries[m.Entry.Key]
	switch m.Kind {
	case lease.Create:
		switch {
		case m.Entry.Key != 0 && m.Entry.Key != m.From:
		case !there:
			s.revision++
			e = lease.Entry{Key: m.Entry.Key, Holder: m.From, Session: m.Entry.Session, Revision: s.revision}
			s.entries[e.Key] = e
			answers = s.answer(lease.Created, m, e)
		case e.Holder == m.From && e.Session == m.Entry.Session:
			answers = s.answer(lease.Created, m, e)
		default:
			answers = []lease.Message{{Kind: lease.Held, To: m.From, Number: m.Number, Entry: e, First: s.order()[0]}}
		}
	case lease.Renew:
		if there && e == m.Entry && e.Holder == m.From {
			return s.answer(lease.Renewed, m, e), nil
		}
		answers = []lease.Message{{Kind: lease.Gone, To: m.From, Entry: m.Entry}}
	case lease.Watch:
		if there && e == m.Entry {
			if s.watchers[e.Key] == nil {
				s.watchers[e.Key] = map[int]bool{}
			}
			s.watchers[e.Key][m.From] = true
			return nil, nil
		}
		answers = []lease.Message{{Kind: lease.Gone, To: m.From, Entry: m.Entry}}
	case lease.Delete:
		if there && e == m.Entry && e.Holder == m.From {
			told = s.remove(e)
		}
	}
	return answers, told
}

// The store does what the map does, whatever it is asked, through ticks and restarts.
func TestStoreAgreesWithAMap(t *testing.T) {
	kinds := []lease.Kind{lease.Create, lease.Create, lease.Renew, lease.Watch, lease.Watch, lease.Delete}
	seen := map[lease.Kind]int{}
	rapid.Check(t, func(t *rapid.T) {
		const candidates = 3
		model := modelled{entries: map[int]lease.Entry{}, age: map[int]int{}, watchers: map[int]map[int]bool{}}
		store := newStore(t, candidates)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				saved := *store.Saved()
				require.Equal(t, model.revision, saved.Revision)
				require.Equal(t, model.order(), append([]lease.Entry(nil), saved.Entries...))
				var err error
				store, err = lease.NewStore(lease.StoreConfig{Candidates: candidates, Ticks: ticks})
				require.NoError(t, err)
				store.Step(lease.Restart(saved))
				model.age, model.watchers = map[int]int{}, map[int]map[int]bool{}
			case 1, 2, 3:
				told := map[lease.Entry]map[int]bool{}
				for _, e := range model.order() {
					if model.age[e.Key]++; model.age[e.Key] > ticks {
						told[e] = model.remove(e)
					}
				}
				requireTold(t, store.Step(lease.Timeout(lease.Tick)), nil, told)
			default:
				m := lease.Message{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), From: rapid.IntRange(1, candidates).Draw(t, "from"),
					Number: rapid.IntRange(0, 3).Draw(t, "number")}
				m.Entry = lease.Entry{Key: rapid.IntRange(0, candidates).Draw(t, "key"), Session: rapid.Uint64Range(1, 2).Draw(t, "session")}
				if e := model.order(); len(e) > 0 && m.Kind != lease.Create && rapid.IntRange(0, 3).Draw(t, "mostly right") > 0 {
					m.Entry = rapid.SampledFrom(e).Draw(t, "entry")
				}
				there := model.entries[m.Entry.Key]
				answers, told := model.receive(m)
				requireTold(t, store.Step(lease.Receive(m)), answers, map[lease.Entry]map[int]bool{there: told})
				for _, a := range answers {
					seen[a.Kind]++
				}
			}
		}
	})
	for _, kind := range []lease.Kind{lease.Created, lease.Held, lease.Renewed, lease.Gone} {
		require.NotZero(t, seen[kind], kind)
	}
}

// requireTold requires that a store gives these answers, and tells these watchers of these entries, and nobody else.
func requireTold(t *rapid.T, out lease.Output, answers []lease.Message, told map[lease.Entry]map[int]bool) {
	want := map[lease.Message]bool{}
	for _, a := range answers {
		want[a] = true
	}
	for entry, watchers := range told {
		for id := range watchers {
			want[lease.Message{Kind: lease.Gone, To: id, Entry: entry}] = true
		}
	}
	got := map[lease.Message]bool{}
	for _, m := range out.Send {
		require.False(t, got[m], "%v is sent twice", m)
		got[m] = true
	}
	require.Equal(t, want, got)
}
