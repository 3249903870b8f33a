package bully

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// ParseMembers reads a list id=host:port,… such as the -members of bully run. It is what Config.Members is.
func ParseMembers(text string) (map[string]string, error) {
	parsed, err := transport.ParseMembers(text, nil)
	if err != nil {
		return nil, fmt.Errorf("bully: members: %w", err)
	}
	members := make(map[string]string, len(parsed))
	for id, address := range parsed {
		members[id.String()] = address
	}
	return members, nil
}

// OrdinalID returns the id of a host that is one of many of a name, such as a pod of a StatefulSet: the number at the end of the first
// part of its name, and one more, as such numbers begin at 0, and ids at 1. So bully-0.bully.jobs.svc is node 1.
func OrdinalID(host string) (string, error) {
	id, err := ordinalID(host)
	if err != nil {
		return "", fmt.Errorf("bully: %w", err)
	}
	return id, nil
}

func ordinalID(host string) (string, error) {
	label, _, _ := strings.Cut(host, ".")
	name, digits, found := cutLast(label, "-")
	ordinal, err := strconv.ParseUint(digits, 10, 63)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return "", fmt.Errorf("%q has an ordinal that is too large: a name such as bully-0 is wanted", host)
	case !found || name == "" || err != nil:
		return "", fmt.Errorf("%q has no ordinal: a name such as bully-0 is wanted", host)
	case strings.Trim(name, "0123456789-") == "":
		return "", fmt.Errorf("%q is made of an address, and not of an ordinal: a name such as bully-0 is wanted", host)
	}
	return strconv.FormatUint(ordinal+1, 10), nil
}

// cutLast cuts a text at the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// listed returns members as ParseMembers reads them, ascending.
func listed(members map[spec.NodeID]string) string {
	var all []string
	for _, id := range ascending(members) {
		all = append(all, id.String()+"="+members[id])
	}
	return strings.Join(all, ",")
}

// ascending returns the ids of members.
func ascending(members map[spec.NodeID]string) []spec.NodeID {
	return slices.SortedFunc(maps.Keys(members), spec.NodeID.Compare)
}
