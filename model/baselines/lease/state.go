package lease

import (
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
)

type (
	node     int8
	session  int8 // the place of a session in the order in which they began, from 1
	revision int8 // of the store, and so the epoch of a reign; 0 is none
	role     uint8
	set      uint8 // a set of nodes, of sessions or of revisions: bit i stands for i
)

const (
	candidate role = iota
	leader
	over
)

// String returns the role's word.
func (r role) String() string { return [...]string{"candidate", "leader", "over"}[r] }

func only[T ~int | ~int8](i T) set        { return 1 << i }
func has[T ~int | ~int8](s set, i T) bool { return s>>i&1 != 0 }

// state holds the variables of the module. What belongs to a session that has not begun is zero.
type state struct {
	length   session // of the three that follow
	node     [MaxSessions + 1]node
	role     [MaxSessions + 1]role
	epoch    [MaxSessions + 1]revision
	up       set
	entries  [MaxSessions + 1]revision // by session: when its entry was created; 0 if the store holds none
	revision revision
	creates  set                  // the sessions whose CREATE is under way
	releases set                  // the sessions whose RELEASE is under way
	holds    [MaxSessions + 1]set // by session: the revisions of the HOLDS under way to it
	writes   set
	checked  set
	wrote    revision
}

// leads reports whether session s takes itself for the leader.
func (s *state) leads(x session) bool { return s.role[x] == leader }

// first reports whether no entry is before the one of session x.
func (s *state) first(x session) bool {
	for _, r := range s.entries {
		if r != 0 && r < s.entries[x] {
			return false
		}
	}
	return true
}

// current returns the session of node i that is not over, or 0.
func (s *state) current(i node) session {
	for x := session(1); x <= s.length; x++ {
		if s.node[x] == i && s.role[x] != over {
			return x
		}
	}
	return 0
}

// pack appends s to b: six bytes, and three for each session.
func (y *system) pack(s *state, b []byte) []byte {
	b = append(b, byte(s.up), byte(s.revision)|byte(s.wrote)<<4, byte(s.writes), byte(s.checked),
		byte(s.creates), byte(s.releases))
	for x := session(1); x <= s.length; x++ {
		b = append(b, byte(s.node[x])|byte(s.role[x])<<4, byte(s.epoch[x])|byte(s.entries[x])<<4, byte(s.holds[x]))
	}
	return b
}

// unpack is the inverse of pack.
func (y *system) unpack(b []byte) (s state) {
	s.up, s.revision, s.wrote = set(b[0]), revision(b[1]&15), revision(b[1]>>4)
	s.writes, s.checked, s.creates, s.releases = set(b[2]), set(b[3]), set(b[4]), set(b[5])
	for b = b[6:]; len(b) > 0; b = b[3:] {
		s.length++
		x := s.length
		s.node[x], s.role[x] = node(b[0]&15), role(b[0]>>4)
		s.epoch[x], s.entries[x], s.holds[x] = revision(b[1]&15), revision(b[1]>>4), set(b[2])
	}
	return s
}

// render returns the variables of s as TLA+ values.
func (y *system) render(s *state) []explore.Variable {
	var sessions, entries, net []string
	message := func(kind string, x session, r revision) {
		net = append(net, fmt.Sprintf("[type |-> %q, session |-> %d, revision |-> %d]", kind, x, r))
	}
	for x := session(1); x <= s.length; x++ {
		sessions = append(sessions, fmt.Sprintf("[node |-> %d, role |-> %q, epoch |-> %d]", s.node[x], s.role[x], s.epoch[x]))
		if s.entries[x] != 0 {
			entries = append(entries, fmt.Sprintf("[session |-> %d, revision |-> %d]", x, s.entries[x]))
		}
		if has(s.creates, x) {
			message("CREATE", x, 0)
		}
		if has(s.releases, x) {
			message("RELEASE", x, 0)
		}
		for r := revision(1); r <= MaxSessions; r++ {
			if has(s.holds[x], r) {
				message("HOLDS", x, r)
			}
		}
	}
	return []explore.Variable{
		{Name: "sessions", Value: "<<" + strings.Join(sessions, ", ") + ">>"},
		{Name: "up", Value: s.up.String()},
		{Name: "entries", Value: "{" + strings.Join(entries, ", ") + "}"},
		{Name: "revision", Value: fmt.Sprint(s.revision)},
		{Name: "net", Value: "{" + strings.Join(net, ", ") + "}"},
		{Name: "writes", Value: s.writes.String()},
		{Name: "checked", Value: s.checked.String()},
		{Name: "wrote", Value: fmt.Sprint(s.wrote)},
	}
}

// String returns s as a TLA+ set.
func (s set) String() string {
	var members []string
	for i := range 8 {
		if has(s, i) {
			members = append(members, fmt.Sprint(i))
		}
	}
	return "{" + strings.Join(members, ", ") + "}"
}
