package transport

import (
	"crypto/tls"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// TestGate: handshakes are begun at a pace, and others take none of the share of members.
func TestGate(t *testing.T) {
	node := alone(t, func(c *Config) {
		c.Members = map[spec.NodeID]string{one: "one", two: "192.0.2.2:1", three: "192.0.2.3:1"}
	})
	member := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 2), Port: 9}
	other := &net.TCPAddr{IP: net.IPv4(198, 51, 100, 1), Port: 9}
	now := time.Unix(1, 0)
	begun := func(with net.Addr, tries int) (n int) {
		for range tries {
			if node.mayShakeHands(with, now) {
				n++
			}
		}
		return n
	}
	require.Equal(t, otherHandshakes, begun(other, 1000))
	require.Equal(t, memberHandshakes, begun(member, 1000))
	require.Equal(t, 2000-otherHandshakes-memberHandshakes, int(node.Stats().Shed))
	now = now.Add(time.Second)
	require.Equal(t, int(time.Second/otherEvery), begun(other, 1000), "a second later")
	require.Equal(t, int(time.Second/memberEvery), begun(member, 1000))
	require.GreaterOrEqual(t, memberHandshakes, maxMembers, "all others may come back at once")

	// Where a member has come from, and where one was reached, are its hosts too.
	require.False(t, node.isOfMember(other), "the host is not known to be one of a member")
	node.byNode[two].from = other
	require.True(t, node.isOfMember(other), "the host from which a member connected is one of a member")
}

// TestGateIsShut: no signature is made for who is not to be served, and members come in when others are not let in.
func TestGateIsShut(t *testing.T) {
	a := newAuthority(t)
	own := a.config(t, dnsName("1"))
	signed := 0
	node := alone(t, func(c *Config) {
		c.TLS = own.Clone()
		c.TLS.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			signed++
			return &own.Certificates[0], nil
		}
		c.TLS.Certificates, c.TLS.GetClientCertificate = nil, func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &own.Certificates[0], nil }
	})
	for node.mayShakeHands(node.Addr(), time.Now().Add(time.Minute)) {
	}
	client := a.config(t, dnsName("2"))
	client.ServerName = "1"
	require.ErrorContains(t, tls.Client(connect(t, node), client).Handshake(), "internal error")
	eventually(t, "it is counted", func() bool { return node.Stats().Unwelcome == 1 })
	require.Zero(t, signed)
	require.NotZero(t, node.Stats().Shed)

	node.mu.Lock()
	node.gate = newGate()
	node.mu.Unlock()
	require.NoError(t, tls.Client(connect(t, node), client).Handshake())
	require.Equal(t, 1, signed)
}
