package transport

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// ParseMembers reads a list id=address,…, such as Config.Members is made of. An address is what check takes, which returns what is wrong
// with one, or ""; if there is no check, host:port. No two members have one address. An error says which entry is wrong, and how.
func ParseMembers(text string, check func(address string) (problem string)) (map[spec.NodeID]string, error) {
	if check == nil {
		check = CheckAddress
	}
	members, owners := map[spec.NodeID]string{}, map[string]spec.NodeID{}
	for part := range strings.SplitSeq(text, ",") {
		name, address, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			return nil, fmt.Errorf("%q has no =: give id=address, with commas between", part)
		}
		id, err := spec.ParseNodeID(name)
		if err != nil {
			return nil, err
		}
		if _, twice := members[id]; twice {
			return nil, fmt.Errorf("node %s is there twice", id)
		}
		if problem := check(address); problem != "" {
			return nil, fmt.Errorf("node %s: %s", id, problem)
		}
		if other, taken := owners[address]; taken {
			return nil, fmt.Errorf("nodes %s and %s have the same address %s: each needs one of its own", other, id, address)
		}
		members[id], owners[address] = address, id
	}
	return members, nil
}

// CheckAddress returns what is wrong with host:port, where the port is a number from 1 on, or "".
func CheckAddress(address string) (problem string) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Sprintf("%q is no address: give host:port, and [::1]:7000 for IPv6", address)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return fmt.Sprintf("the port in %q is not a number from 1 to 65535", address)
	}
	return ""
}

// digest tells the members from others, where they are fixed. It is not 0.
func (c *Config) digest() uint64 {
	var all []byte
	for _, id := range c.memberIDs() {
		all = append(all, id[:]...)
	}
	sum := sha256.Sum256(all)
	return max(1, binary.BigEndian.Uint64(sum[:]))
}
