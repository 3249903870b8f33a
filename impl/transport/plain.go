package transport

import (
	"fmt"
	"net"
	"net/netip"
)

// Links without TLS are for one host alone, where whoever reaches a node runs on its machine: elsewhere anybody could say that he is a
// member, and take part in elections.
const plainLinks = "links are plain, and whoever reaches it could say that he is a member: give TLS, or say that it is to be so with Insecure"

// checkPlain returns an error if links would be plain beyond this host, and nobody has said that this is meant.
func (c *Config) checkPlain(listening net.Addr) error {
	switch at, ok := listening.(*net.TCPAddr); {
	case c.TLS != nil && c.Insecure:
		return wrong("Insecure", "TLS is given too: leave out one of the two")
	case c.TLS != nil || c.Insecure:
		return nil
	case ok && !at.IP.IsLoopback():
		return wrong("TLS", "none, and node %v listens on %v, which is no loopback address: %s", c.ID, at, plainLinks)
	}
	for _, id := range c.memberIDs() {
		hostPort, _, err := SplitAddress(c.Members[id])
		if err != nil || hostPort == "" || id == c.ID {
			continue
		}
		if err := c.mayDial(hostPort); err != nil {
			return wrong("TLS", "none, and node %v is at %s", id, err)
		}
	}
	return nil
}

// mayDial returns an error for an address that no plain link may go to.
func (c *Config) mayDial(hostPort string) error {
	if c.TLS != nil || c.Insecure || c.dialsItself || IsLoopback(hostPort) {
		return nil
	}
	return fmt.Errorf("%s, which is no loopback address: %s", hostPort, plainLinks)
}

// IsLoopback reports whether a host:port is one of this host that no other host reaches: that of an address like 127.0.0.1 or ::1, or
// of the name localhost.
func IsLoopback(hostPort string) bool {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback() || host == "localhost"
}
