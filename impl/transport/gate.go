package transport

import (
	"crypto/tls"
	"errors"
	"net"
	"time"
)

// A TLS handshake costs whoever is asked for one a signature: milliseconds of a processor, if its key is of RSA, before anything is
// known of who asks. So only so many are begun: of addresses where a member is known to be, and of all others, each have a share.
const (
	memberHandshakes = 64 // are begun in a row from addresses of members: all others may come back at once,
	memberEvery      = 50 * time.Millisecond
	otherHandshakes  = 16 // from other addresses,
	otherEvery       = 100 * time.Millisecond
)

var errHandshakes = errors.New("too many TLS handshakes have been begun lately")

// gate bounds the handshakes of TLS that are begun.
type gate struct{ members, others limiter }

func newGate() gate {
	return gate{limiter{burst: memberHandshakes, every: memberEvery}, limiter{burst: otherHandshakes, every: otherEvery}}
}

// guarded returns a configuration for connections that are accepted which goes through the gate: once it is known what the other end
// wants, and before anything is computed.
func (t *TCP) guarded(c *tls.Config) *tls.Config {
	c.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		if !t.mayShakeHands(hello.Conn.RemoteAddr(), time.Now()) {
			return nil, errHandshakes
		}
		return nil, nil
	}
	return c
}

// mayShakeHands reports whether one more handshake may be begun with who is at an address.
func (t *TCP) mayShakeHands(with net.Addr, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	share := &t.gate.others
	if t.isOfMember(with) {
		share = &t.gate.members
	}
	if !share.allow(now) {
		t.stats.Shed++
		return false
	}
	return true
}

// isOfMember reports whether a member is at the host of an address, as far as its links tell: where it is dialled, or has last been
// reached, or has last come from.
func (t *TCP) isOfMember(address net.Addr) bool {
	host := hostOf(address.String())
	for _, l := range t.links {
		if host == hostOf(l.target().address) || l.out != nil && host == hostOf(l.out.raw.RemoteAddr().String()) ||
			l.from != nil && host == hostOf(l.from.String()) {
			return true
		}
	}
	return false
}

// hostOf returns the host of host:port, or what it is given.
func hostOf(hostPort string) string {
	if host, _, err := net.SplitHostPort(hostPort); err == nil {
		return host
	}
	return hostPort
}
