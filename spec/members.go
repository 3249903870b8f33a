package spec

import (
	"slices"
	"strconv"
	"strings"
)

const (
	memberSize = 18 // of a packed member without its address, in bytes
	stampSize  = 16 // of the epoch and version of a configuration before its packed members, in bytes
)

// pack returns members, which are ascending, as they are on the wire: the number of them in a byte, and of each the
// id, the code of its kind, the length of its address, and that.
func pack(members []Member) (string, *FieldError) {
	if len(members) > MaxChangingMembers {
		return "", tooManyMembers(len(members))
	}
	packed := make([]byte, 0, 1+len(members)*memberSize)
	packed = append(packed, byte(len(members)))
	for i, m := range members {
		switch kind := slices.Index(memberKinds, m.Kind); {
		case !m.ID.Valid():
			return "", memberFault(i, "id", m.ID.problem())
		case i > 0 && members[i-1].ID.Compare(m.ID) >= 0:
			return "", memberFault(i, "id", notAscending(members[i-1].ID, m.ID))
		case kind < 0:
			return "", memberFault(i, "kind", unknownWord(string(m.Kind), "kind of member"))
		default:
			if problem := addressProblem(m.Address); problem != "" {
				return "", memberFault(i, "address", problem)
			}
			packed = append(append(packed, m.ID[:]...), byte(kind+1), byte(len(m.Address)))
			packed = append(packed, m.Address...)
		}
	}
	if err := checkAll(packed); err != nil {
		return "", err
	}
	return string(packed), nil
}

// unpack returns the member that begins at an offset of packed, and where the next one begins.
func unpack(packed string, at int) (m Member, next int) {
	copy(m.ID[:], packed[at:])
	m.Kind = memberKinds[packed[at+16]-1]
	next = at + memberSize + int(packed[at+17])
	m.Address = packed[at+memberSize : next]
	return m, next
}

// checkPacked says what is wrong with bytes that are to be packed members, looked at from the first to the last. Its
// fields are those of a configuration, or length if there are too few or too many bytes.
func checkPacked(packed []byte) *FieldError {
	if packed[0] > MaxChangingMembers {
		return tooManyMembers(int(packed[0]))
	}
	left := packed[1:]
	var last NodeID
	for i := range int(packed[0]) {
		if len(left) < memberSize || len(left) < memberSize+int(left[17]) {
			return &FieldError{Field: "length", Problem: "cut short: within member " + strconv.Itoa(i+1) + " of " + strconv.Itoa(int(packed[0]))}
		}
		id, kind, address := NodeID(left[:16]), left[16], left[memberSize:memberSize+int(left[17])]
		switch {
		case !id.Valid():
			return memberFault(i, "id", id.problem())
		case last.Compare(id) >= 0:
			return memberFault(i, "id", notAscending(last, id))
		case kind == 0 || int(kind) > len(memberKinds):
			return memberFault(i, "kind", strconv.Itoa(int(kind))+" is the code of no kind of member")
		}
		if problem := addressProblem(address); problem != "" {
			return memberFault(i, "address", problem)
		}
		last, left = id, left[memberSize+len(address):]
	}
	if len(left) > 0 {
		return &FieldError{Field: "length", Problem: strconv.Itoa(len(left)) + " bytes follow the last member"}
	}
	return checkAll(packed)
}

// checkAll says what is wrong with packed members that are well formed one by one.
func checkAll(packed []byte) *FieldError {
	voter := false
	for at := 1; at < len(packed); at += memberSize + int(packed[at+17]) {
		voter = voter || memberKinds[packed[at+16]-1] == Voter
	}
	switch size := maxSize + stampSize + len(packed); {
	case len(packed) > 1 && !voter:
		return &FieldError{Field: "members", Problem: "there is no voter, and so nobody to lead"}
	case size > MaxFrame:
		return &FieldError{Field: "members", Problem: "a message with them has " + strconv.Itoa(size) + " bytes: give shorter addresses, or fewer members, for " + strconv.Itoa(MaxFrame)}
	}
	return nil
}

// addressProblem says what is wrong with the address of a member, or is "".
func addressProblem[T string | []byte](address T) string {
	if len(address) > MaxAddress {
		return strconv.Itoa(len(address)) + " characters: at most " + strconv.Itoa(MaxAddress) + " are wanted"
	}
	for i := range len(address) {
		if c := address[i]; c <= ' ' || c > '~' || strings.IndexByte("\"\\&<>", c) >= 0 {
			return strconv.Quote(string(address)) + ": printable ASCII without space, \" \\ & < and > is wanted"
		}
	}
	return ""
}

func memberFault(i int, field, problem string) *FieldError {
	return &FieldError{Field: "members" + index(i) + "." + field, Problem: problem}
}

func tooManyMembers(n int) *FieldError {
	return &FieldError{Field: "members", Problem: "there are " + strconv.Itoa(n) + ": at most " + strconv.Itoa(MaxChangingMembers) + " are wanted"}
}

func notAscending(last, id NodeID) string {
	return id.String() + " after " + last.String() + ": ascending order is wanted, each node once"
}
