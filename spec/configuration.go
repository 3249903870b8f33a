package spec

import (
	"cmp"
	"encoding/json"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// MemberKind says what a member of a configuration does for its cluster. The set is closed; MemberKinds lists it.
type MemberKind string

const (
	// Voter is a member that votes and may lead.
	Voter MemberKind = "voter"
	// Witness is a member that votes and never leads.
	Witness MemberKind = "witness"
	// Observer is a member that follows, and neither votes nor leads.
	Observer MemberKind = "observer"
)

// The order is that of the codes on the wire, which begin at 1.
var memberKinds = []MemberKind{Voter, Witness, Observer}

// MemberKinds returns every kind of member.
func MemberKinds() []MemberKind { return slices.Clone(memberKinds) }

// Valid reports whether k is one of MemberKinds.
func (k MemberKind) Valid() bool { return slices.Contains(memberKinds, k) }

const (
	// MaxVersion is the greatest version of a configuration, 2^53-1, for the same reason as MaxEpoch.
	MaxVersion uint64 = 1<<53 - 1
	// MaxChangingMembers is the greatest number of members of a configuration. Fixed members have no such bound (R40).
	MaxChangingMembers = 50
	// MaxRank is the greatest rank of a member. The least is 0.
	MaxRank = 1<<16 - 1
	// MaxAddress is the greatest length of the address of a member, in characters.
	MaxAddress = 128
)

// Member is a node as a configuration has it.
type Member struct {
	ID      NodeID
	Kind    MemberKind
	Rank    uint16 // the member of the higher rank is the better leader; of two of one rank, that of the higher id (R1)
	Address string // where its host listens, such as 10.0.0.1:7400, or ""; printable ASCII without space, ", \, &, < and >. No rule reads it
}

// Configuration is who the members of a cluster of changing members are, as a node knows it (R42). The zero value
// is none: that of a node of fixed members (R40), whose messages say nothing of members. Another thing is the empty
// configuration, which a node has that is to join and has not been told anything.
//
// A configuration is a value: it is compared with ==, cannot be changed, and is cheap to copy. It is valid if its
// epoch is at most MaxEpoch and either it has members, at most MaxChangingMembers and a voter among them, a version
// from 1 to MaxVersion, and room in a message of MaxFrame bytes; or it has none, and version and epoch are 0.
//
//	{"epoch":4,"version":2,"members":[{"id":"1","kind":"voter","address":"10.0.0.1:7400"},{"id":"4","kind":"observer"}]}
type Configuration struct {
	Epoch   Epoch  // in which it was made, or last stamped by who came to lead (R48)
	Version uint64 // one more with each change of members (R47); at most MaxVersion
	// The members as they are on the wire, which are always well formed: the number of them in a byte, so that the
	// empty configuration is not the zero value, and then each.
	packed string
}

var (
	_ json.Marshaler   = Configuration{}
	_ json.Unmarshaler = (*Configuration)(nil)
)

// NewConfiguration returns the configuration of these members, in any order. The error is a FieldError.
func NewConfiguration(e Epoch, version uint64, members []Member) (Configuration, error) {
	sorted := slices.Clone(members)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].ID.Compare(sorted[j].ID) < 0 }) // package slices has 20 kB of code for each type
	c, err := newConfiguration(e, version, sorted)
	if err != nil {
		return Configuration{}, err
	}
	return c, nil
}

func newConfiguration(e Epoch, version uint64, ascending []Member) (Configuration, *FieldError) {
	packed, err := pack(ascending)
	if err != nil {
		return Configuration{}, err
	}
	c := Configuration{Epoch: e, Version: version, packed: packed}
	if err := c.check(); err != nil {
		return Configuration{}, err
	}
	return c, nil
}

// EmptyConfiguration returns the configuration without members, of version 0 and epoch 0.
func EmptyConfiguration() Configuration { return Configuration{packed: "\x00"} }

// IsNone reports whether c is none, as it is where members are fixed.
func (c Configuration) IsNone() bool { return c == Configuration{} }

// IsEmpty reports whether c is the empty configuration. None is not.
func (c Configuration) IsEmpty() bool { return c == EmptyConfiguration() }

// Len returns how many members c has.
func (c Configuration) Len() int {
	if c.packed == "" {
		return 0
	}
	return int(c.packed[0])
}

// Members returns the members of c, ascending by id.
func (c Configuration) Members() []Member {
	members := make([]Member, 0, c.Len())
	for at := 1; at < len(c.packed); {
		var m Member
		m, at = unpack(c.packed, at)
		members = append(members, m)
	}
	return members
}

// Member returns the member of c with this id, and whether there is one.
func (c Configuration) Member(id NodeID) (Member, bool) {
	for at := 1; at < len(c.packed); {
		m, next := unpack(c.packed, at)
		if m.ID == id {
			return m, true
		}
		at = next
	}
	return Member{}, false
}

// Stamp is what configurations are ordered by, and what names one (R42).
type Stamp struct {
	Epoch   Epoch
	Version uint64
}

// Stamp returns the stamp of c, which is zero for the empty configuration and for none.
func (c Configuration) Stamp() Stamp { return Stamp{c.Epoch, c.Version} }

// Compare returns -1 if s is older than t, 0 if they are the same, and +1 if s is newer: of a higher epoch, or of the same and of a
// higher version.
func (s Stamp) Compare(t Stamp) int {
	return cmp.Or(cmp.Compare(s.Epoch, t.Epoch), cmp.Compare(s.Version, t.Version))
}

// Newer reports whether c is newer than d: of a higher epoch, or of the same and of a higher version.
func (c Configuration) Newer(d Configuration) bool {
	return c.Epoch > d.Epoch || c.Epoch == d.Epoch && c.Version > d.Version
}

// Higher reports whether member a of c is higher than member b: of a higher rank, or of the same and of a higher id (R1). Who is no
// member counts as one of rank 0, and so where members are fixed, and c is none, ids are compared.
func (c Configuration) Higher(a, b NodeID) bool {
	m, _ := c.Member(a)
	n, _ := c.Member(b)
	return cmp.Or(cmp.Compare(m.Rank, n.Rank), a.Compare(b)) > 0
}

// SameMembers reports whether c and d have the same members, each of the same kind, rank and address. The empty
// configuration and none have not.
func (c Configuration) SameMembers(d Configuration) bool { return c.packed == d.packed }

// At returns the configuration with the members of c, and this epoch and version. None stays none.
func (c Configuration) At(e Epoch, version uint64) Configuration {
	if c.IsNone() {
		return c
	}
	return Configuration{Epoch: e, Version: version, packed: c.packed}
}

// Validate returns nil if c is valid, and else a FieldError. None is not valid.
func (c Configuration) Validate() error {
	return c.check().orNil()
}

// check is Validate. The members need no look: whoever made c has looked at them.
func (c *Configuration) check() *FieldError {
	if err := checkStamp(c.Epoch, c.Version); err != nil {
		return err
	}
	switch n := c.Len(); {
	case c.packed == "":
		return &FieldError{Problem: "none: a configuration is wanted"}
	case n > 0 && c.Version == 0:
		return &FieldError{Field: "version", Problem: "0: with members it is 1 or more"}
	case n == 0 && c.Version != 0:
		return &FieldError{Field: "version", Problem: strconv.FormatUint(c.Version, 10) + ": without members it is 0"}
	case n == 0 && c.Epoch != 0:
		return &FieldError{Field: "epoch", Problem: strconv.FormatUint(uint64(c.Epoch), 10) + ": without members it is 0"}
	}
	return nil
}

func checkStamp(e Epoch, version uint64) *FieldError {
	switch {
	case !e.Valid():
		return &FieldError{Field: "epoch", Problem: aboveMax(uint64(e))}
	case version > MaxVersion:
		return &FieldError{Field: "version", Problem: aboveMax(version)}
	}
	return nil
}

// checkWithin says what is wrong with c as the field configuration of a message or state of an epoch; each of its members
// must be among members unless that is nil.
func (c *Configuration) checkWithin(e Epoch, members []NodeID) *FieldError {
	if c.Epoch > e {
		return aboveEpoch(c.Epoch, e)
	}
	return c.checkAmong(members).within("configuration")
}

// checkAmong is check, and each member must be among members unless that is nil.
func (c *Configuration) checkAmong(members []NodeID) *FieldError {
	if err := c.check(); err != nil || members == nil {
		return err
	}
	for i, at := 0, 1; at < len(c.packed); i++ {
		var m Member
		m, at = unpack(c.packed, at)
		if err := checkNode(m.ID, members); err != nil {
			return err.within("members" + index(i) + ".id")
		}
	}
	return nil
}

func aboveEpoch(c, e Epoch) *FieldError {
	return &FieldError{Field: "configuration.epoch", Problem: strconv.FormatUint(uint64(c), 10) + " is above epoch " + strconv.FormatUint(uint64(e), 10) + " beside it"}
}

// String returns c as a person would say it, or "none": epoch:4 version:2 {1 2^7 witness:3 observer:4}, where 2 has rank 7, and the
// others 0. Addresses are left out.
func (c Configuration) String() string {
	if c.IsNone() {
		return "none"
	}
	names := make([]string, 0, c.Len())
	for _, m := range c.Members() {
		name := m.ID.String()
		if m.Kind != Voter {
			name = string(m.Kind) + ":" + name
		}
		if m.Rank != 0 {
			name += "^" + strconv.Itoa(int(m.Rank))
		}
		names = append(names, name)
	}
	return "epoch:" + strconv.FormatUint(uint64(c.Epoch), 10) + " version:" + strconv.FormatUint(c.Version, 10) +
		" {" + strings.Join(names, " ") + "}"
}

// suffix is what the text of a message or a state ends with: nothing, if members are fixed.
func (c *Configuration) suffix() string {
	if c.IsNone() {
		return ""
	}
	return " configuration:" + c.String()
}

// MarshalJSON writes the fields in the order of the example. A configuration that is not valid is an error, and so is
// none. But json.Marshal turns &, < and > of an address into escapes, which readers refuse: an Encoder that is told not to
// (SetEscapeHTML) keeps them.
func (c Configuration) MarshalJSON() ([]byte, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return c.appendJSON(nil), nil
}

// UnmarshalJSON reads a valid configuration, whose members must be ascending. A field unknown, missing or given twice
// is an error, as is an address that is empty.
func (c *Configuration) UnmarshalJSON(data []byte) error {
	s := newScanner(data)
	parsed := s.configuration()
	if err := s.end(""); err != nil {
		return err
	}
	*c = parsed
	return nil
}

func (c *Configuration) appendJSON(b []byte) []byte {
	b = strconv.AppendUint(append(b, `{"epoch":`...), uint64(c.Epoch), 10)
	b = strconv.AppendUint(append(b, `,"version":`...), c.Version, 10)
	b = append(b, `,"members":[`...)
	for at := 1; at < len(c.packed); {
		if at > 1 {
			b = append(b, ',')
		}
		var m Member
		m, at = unpack(c.packed, at)
		b = m.ID.appendJSON(append(b, `{"id":`...))
		b = append(append(append(b, `,"kind":"`...), m.Kind...), '"')
		if m.Rank != 0 {
			b = strconv.AppendUint(append(b, `,"rank":`...), uint64(m.Rank), 10)
		}
		if m.Address != "" {
			b = append(append(append(b, `,"address":"`...), m.Address...), '"')
		}
		b = append(b, '}')
	}
	return append(b, `]}`...)
}

var (
	configurationFields = []string{"epoch", "version", "members"}
	memberFields        = []string{"id", "kind", "rank", "address"}
)

// hasRank and hasAddress are the bits of the last of memberFields, which are left out where there is nothing to say.
const (
	hasRank    uint = 1 << 2
	hasAddress uint = 1 << 3
)

// configuration reads a valid configuration.
func (s *scanner) configuration() (c Configuration) {
	var members []Member
	seen := s.object(configurationFields, func(field int) {
		switch field {
		case 0:
			c.Epoch = s.epoch()
		case 1:
			c.Version = s.integer()
		case 2:
			members = s.members()
		}
	})
	s.require(configurationFields, seen, 1<<len(configurationFields)-1)
	if s.err != nil {
		return Configuration{}
	}
	c, err := newConfiguration(c.Epoch, c.Version, members)
	if err != nil {
		s.failWithin(err)
	}
	return c
}

// members reads the syntax of the members of a configuration.
func (s *scanner) members() (members []Member) {
	s.array(func(i int) {
		if i >= MaxChangingMembers {
			s.fail("at most "+strconv.Itoa(MaxChangingMembers)+" members are wanted", nil)
			return
		}
		var m Member
		seen := s.object(memberFields, func(field int) {
			switch field {
			case 0:
				m.ID = s.id()
			case 1:
				m.Kind = word(s, memberKinds, "kind of member", nil)
			case 2:
				m.Rank = s.rank()
			case 3:
				if m.Address = string(s.text()); m.Address == "" {
					s.fail("empty: leave it out", nil)
				}
			}
		})
		s.require(memberFields, seen|hasRank|hasAddress, 1<<len(memberFields)-1)
		members = append(members, m)
	})
	return members
}

// rank reads the rank of a member, which is left out where it is 0.
func (s *scanner) rank() uint16 {
	n := s.integer()
	if s.err == nil && (n == 0 || n > MaxRank) {
		s.fail(strconv.FormatUint(n, 10)+": a rank from 1 to "+strconv.Itoa(MaxRank)+" is wanted, and none for 0", nil)
	}
	return uint16(n)
}
