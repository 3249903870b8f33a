package transport

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// SplitAddress takes the address of a member of a configuration apart: host:port, or host:port#incarnation with an
// incarnation of 16 hexadecimal digits. It is 0 if none is named: then any will do.
func SplitAddress(address string) (hostPort string, incarnation uint64, err error) {
	hostPort, digits, named := strings.Cut(address, "#")
	if !named {
		return address, 0, nil
	}
	incarnation, err = strconv.ParseUint(digits, 16, 64)
	if err != nil || len(digits) != 16 || incarnation == 0 || digits != strings.ToLower(digits) {
		return "", 0, fmt.Errorf("transport: %q: after # an incarnation of 16 digits 0-9 a-f is wanted, and not zero", address)
	}
	return hostPort, incarnation, nil
}

// JoinAddress returns the address that SplitAddress takes apart.
func JoinAddress(hostPort string, incarnation uint64) string {
	if incarnation == 0 {
		return hostPort
	}
	return fmt.Sprintf("%s#%016x", hostPort, incarnation)
}

// A way is where a node is dialled, and which incarnation of it is wanted, or 0.
type way struct {
	address     string
	incarnation uint64
}

// parseWay returns the way of an address; dialled says that it must be one that can be dialled by TCP.
func parseWay(address string, dialled bool) (way, error) {
	hostPort, incarnation, err := SplitAddress(address)
	if err != nil {
		return way{}, err
	}
	if dialled && !isHostPort(hostPort) {
		return way{}, fmt.Errorf("transport: %q is not host:port", hostPort)
	}
	return way{hostPort, incarnation}, nil
}

func isHostPort(address string) bool {
	_, port, err := net.SplitHostPort(address)
	return err == nil && port != ""
}

// validAddress reports whether an address is one that a handshake may carry: one that a member may have, or none.
func validAddress(address string) bool {
	_, err := spec.NewConfiguration(0, 1, []spec.Member{{ID: spec.IntegerID(1), Kind: spec.Voter, Address: address}})
	return err == nil
}
