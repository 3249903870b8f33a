package lease

import (
	"fmt"
	"slices"
	"strings"
)

// StoreConfig is what a store is told. Both are at least 1.
type StoreConfig struct {
	Candidates int // their ids are 1 to Candidates
	Ticks      int // how many ticks an entry lives at least when it is not renewed; it lives less than one more
}

// Saved is what a store has on disk.
type Saved struct {
	Revision int     // of the store
	Entries  []Entry // in ascending order of revisions
}

// Store is a store. It is not safe for concurrent use: it takes one step at a time.
type Store struct {
	config   StoreConfig
	started  bool
	saved    Saved
	ticks    map[int]int   // since the entry of a key was renewed; a crash forgets them, so that each TTL begins anew
	watchers map[int][]int // of the entry of a key; a crash forgets them
}

// NewStore returns a store that has not started. The error says what of the config cannot be.
func NewStore(c StoreConfig) (*Store, error) {
	if c.Candidates < 1 || c.Ticks < 1 {
		return nil, fmt.Errorf("lease: store of %d candidates and %d ticks: give at least 1 of each", c.Candidates, c.Ticks)
	}
	return &Store{config: c, ticks: map[int]int{}, watchers: map[int][]int{}}, nil
}

// Saved returns a copy of what is on the store's disk when all is saved.
func (s *Store) Saved() *Saved { return &Saved{s.saved.Revision, slices.Clone(s.saved.Entries)} }

// Step takes an input. One that is bad is ignored, and Output.Ignored says why.
func (s *Store) Step(in Input) (out Output) {
	switch {
	case in.kind == start && !s.started:
		s.started = true
		out.Set = append(out.Set, Tick)
		s.saved = Saved{in.saved.Revision, slices.Clone(in.saved.Entries)}
	case in.kind == ended && in.timer == Tick && s.started:
		s.tick(&out)
	case in.kind == receive && s.started:
		s.receive(&in.message, &out)
	default:
		out.Ignored = "not for a store, or not now"
	}
	return out
}

// tick takes a tick off the life of every entry. The first after a renewal may have begun before it, and does not count.
func (s *Store) tick(out *Output) {
	out.Set = append(out.Set, Tick)
	for _, e := range slices.Clone(s.saved.Entries) {
		if s.ticks[e.Key]++; s.ticks[e.Key] > s.config.Ticks {
			s.remove(e, fmt.Sprintf("the lease of %d has run out", e.Holder), out)
		}
	}
}

func (s *Store) receive(m *Message, out *Output) {
	same := slices.Contains(s.saved.Entries, m.Entry)
	switch own := same && m.Entry.Holder == m.From; {
	case m.To != StoreID || m.From < 1 || m.From > s.config.Candidates:
		out.Ignored = "non-member"
	case m.Kind == Create && (m.Entry.Key == SharedKey || m.Entry.Key == m.From):
		s.create(m, out)
	case m.Kind == Renew && own:
		s.renew(m.Entry, Renewed, m, out)
	case m.Kind == Watch && same:
		if of := s.watchers[m.Entry.Key]; !slices.Contains(of, m.From) {
			s.watchers[m.Entry.Key] = append(of, m.From)
		}
	case m.Kind == Renew, m.Kind == Watch:
		out.Send = append(out.Send, Message{Kind: Gone, To: m.From, Entry: m.Entry})
	case m.Kind == Delete && own:
		s.remove(m.Entry, fmt.Sprintf("%d has let go", m.From), out)
	default:
		out.Ignored = "unknown, or late"
	}
}

// create makes an entry if its key is free. Asked again by the same session, it renews that: it is the same CREATE, and its
// answer was lost, or is wanted again (etcd, Election.Campaign: Txn If CreateRevision = 0, Then Put, Else Get).
func (s *Store) create(m *Message, out *Output) {
	i := slices.IndexFunc(s.saved.Entries, func(e Entry) bool { return e.Key == m.Entry.Key })
	if i < 0 {
		i = len(s.saved.Entries)
		s.saved.Revision++
		s.saved.Entries = append(s.saved.Entries, Entry{m.Entry.Key, m.From, m.Entry.Session, s.saved.Revision})
		out.Save = s.Saved()
	}
	if e := s.saved.Entries[i]; e.Holder == m.From && e.Session == m.Entry.Session {
		s.renew(e, Created, m, out)
	} else {
		out.Send = append(out.Send, Message{Kind: Held, To: m.From, Number: m.Number, Entry: e, First: s.saved.Entries[0]})
	}
}

// renew begins the TTL of an entry anew, and tells its holder where it stands.
func (s *Store) renew(e Entry, kind Kind, m *Message, out *Output) {
	delete(s.ticks, e.Key)
	reply := Message{Kind: kind, To: m.From, Number: m.Number, Entry: e, First: s.saved.Entries[0]}
	if i := slices.Index(s.saved.Entries, e); i > 0 {
		reply.Before = s.saved.Entries[i-1]
	}
	out.Send = append(out.Send, reply)
}

// remove removes an entry, and tells those who watch it.
func (s *Store) remove(e Entry, why string, out *Output) {
	s.saved.Revision++
	s.saved.Entries = slices.DeleteFunc(s.saved.Entries, func(other Entry) bool { return other == e })
	out.Save = s.Saved()
	out.Note = strings.TrimPrefix(out.Note+"; "+why, "; ")
	for _, to := range s.watchers[e.Key] {
		out.Send = append(out.Send, Message{Kind: Gone, To: to, Entry: e})
	}
	delete(s.watchers, e.Key)
}
