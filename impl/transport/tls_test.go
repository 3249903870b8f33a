package transport

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// An authority signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pool        *x509.CertPool
}

func newAuthority(t testing.TB) authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	certificate, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(certificate)
	return authority{certificate, key, pool}
}

// config returns the TLS configuration of who has a certificate of the authority, as change makes it.
func (a authority) config(t testing.TB, change func(*x509.Certificate)) *tls.Config {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	change(template)
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	require.NoError(t, err)
	return &tls.Config{RootCAs: a.pool, Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

func dnsName(names ...string) func(*x509.Certificate) {
	return func(c *x509.Certificate) { c.DNSNames = names }
}

func uriName(name string) func(*x509.Certificate) {
	return func(c *x509.Certificate) {
		u, err := url.Parse(name)
		if err != nil {
			panic(err)
		}
		c.URIs = []*url.URL{u}
	}
}

func both(changes ...func(*x509.Certificate)) func(*x509.Certificate) {
	return func(c *x509.Certificate) {
		for _, change := range changes {
			change(c)
		}
	}
}

func secure(t *testing.T, a authority, names map[spec.NodeID]func(*x509.Certificate)) func(*Config) {
	return func(c *Config) { c.TLS = a.config(t, names[c.ID]) }
}

func TestTLS(t *testing.T) {
	uuid, err := spec.ParseNodeID("1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed")
	require.NoError(t, err)
	a := newAuthority(t)
	n := newTCPNet(t, secure(t, a, map[spec.NodeID]func(*x509.Certificate){
		one: dnsName("1"), two: uriName("bully://test/2"), uuid: both(dnsName("db-3.example", uuid.String()), uriName("spiffe://example/db")),
	}), one, two, uuid)
	ids := []spec.NodeID{one, two, uuid}
	nodes := make(map[spec.NodeID]*TCP)
	for _, id := range ids {
		nodes[id] = n.start(id)
	}
	for i, id := range ids {
		up := make(map[spec.NodeID]bool)
		take(t, nodes[id], func(e Event) bool {
			up[e.Node] = up[e.Node] || e.Kind == Up
			return up[ids[(i+1)%3]] && up[ids[(i+2)%3]]
		})
	}
	for round := range 100 {
		for i, id := range ids {
			nodes[id].Send(claim(id, ids[(i+1)%3], round))
		}
		for i, id := range ids {
			require.Equal(t, []int{round}, epochs(untilEpoch(t, nodes[ids[(i+1)%3]], round), id))
		}
	}
	// Its end is noticed as it is without TLS, and proved.
	require.NoError(t, nodes[two].Close())
	require.Equal(t, []Kind{Down, Dead}, kinds(until(t, nodes[one], Dead, two), two))
	nodes[two] = n.start(two)
	until(t, nodes[one], Up, two)
	until(t, nodes[two], Up, one)
}

// Neither end takes the other for a node that its certificate does not name; each case is tried in both directions.
func TestTLSRefuses(t *testing.T) {
	a, foreign := newAuthority(t), newAuthority(t)
	cases := []struct {
		name       string
		two        *tls.Config
		toDialler  string // what node 1 logs when it dials node 2
		toAcceptor string // and when it is dialled
	}{
		{name: "wrong name", two: a.config(t, dnsName("3")), toDialler: "names neither 2", toAcceptor: "names neither 2"},
		{name: "name that begins alike", two: a.config(t, dnsName("2.example", "22")), toDialler: "names neither 2", toAcceptor: "names neither 2"},
		{name: "star", two: a.config(t, dnsName("*")), toDialler: "names neither 2", toAcceptor: "names neither 2"},
		{name: "wrong cluster", two: a.config(t, uriName("bully://toast/2")), toDialler: "names neither 2", toAcceptor: "names neither 2"},
		{name: "URI that begins alike", two: a.config(t, uriName("bully://test/22")), toDialler: "names neither 2", toAcceptor: "names neither 2"},
		{name: "URI that goes on", two: a.config(t, uriName("bully://test/2/2")), toDialler: "names neither 2", toAcceptor: "names neither 2"},
		{name: "URI that ends alike", two: a.config(t, uriName("spiffe://bully://test/2")), toDialler: "names neither 2", toAcceptor: "names neither 2"},
		{name: "wrong scheme", two: a.config(t, uriName("spiffe://test/2")), toDialler: "names neither 2", toAcceptor: "names neither 2"},
		{name: "common name only", two: a.config(t, func(c *x509.Certificate) { c.Subject.CommonName = "2" }), toDialler: "names neither 2", toAcceptor: "names neither 2"},
		{name: "expired", two: a.config(t, both(dnsName("2"), func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })),
			toDialler: "expired", toAcceptor: "expired"},
		{name: "not yet valid", two: a.config(t, both(dnsName("2"), func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) })),
			toDialler: "not yet valid", toAcceptor: "not yet valid"},
		{name: "another authority", two: foreign.config(t, dnsName("2")), toDialler: "unknown authority", toAcceptor: "bad certificate"},
		{name: "its own authority", two: (authority{certificate: foreign.certificate, key: foreign.key, pool: a.pool}).config(t, dnsName("2")),
			toDialler: "unknown authority", toAcceptor: "unknown authority"},
		{name: "for clients only", two: a.config(t, both(dnsName("2"), usage(x509.ExtKeyUsageClientAuth))), toDialler: "incompatible key usage"},
		{name: "for servers only", two: a.config(t, both(dnsName("2"), usage(x509.ExtKeyUsageServerAuth))), toAcceptor: "incompatible key usage"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, dials := range []bool{true, false} {
				said := map[bool]string{true: c.toDialler, false: c.toAcceptor}[dials]
				if said == "" {
					continue
				}
				var logged log
				n := newTCPNet(t, func(k *Config) {
					k.NoProof = true // one of the two is there before the other
					if k.ID == one {
						k.Logger, k.TLS = logged.logger(), a.config(t, dnsName("1"))
					} else {
						k.TLS = c.two
					}
					if dials == (k.ID == two) {
						k.Dial = neverDial
					}
				}, one, two)
				first, second := n.start(one), n.start(two)
				eventually(t, "it is logged", func() bool { return strings.Contains(logged.String(), said) })
				for _, node := range []*TCP{first, second} {
					event, ok := node.Next()
					require.False(t, ok, event)
				}
				require.False(t, first.Stats().Links[0].Hears, "the connection must be refused")
				require.NoError(t, first.Close())
				require.NoError(t, second.Close())
			}
		})
	}
}

func usage(u x509.ExtKeyUsage) func(*x509.Certificate) {
	return func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{u} }
}

// Connections that are not what the node expects.
func TestTLSMismatch(t *testing.T) {
	a := newAuthority(t)
	secured := alone(t, func(c *Config) { c.TLS = a.config(t, dnsName("1")) })
	greet := func(config *tls.Config) (answer, error) {
		conn := tls.Client(connect(t, secured), config)
		if _, err := conn.Write(helloOf(two).append(nil)); err != nil {
			return answer{}, err
		}
		return readAnswer(conn)
	}
	good := a.config(t, dnsName("2"))
	good.ServerName = "1"
	said, err := greet(good)
	require.NoError(t, err)
	require.Equal(t, welcome, said.code)

	plain := connect(t, secured)
	_, err = plain.Write(helloOf(two).append(nil))
	require.NoError(t, err)
	_, err = readAnswer(plain)
	require.Error(t, err, "a client without TLS")

	none := &tls.Config{RootCAs: a.pool, ServerName: "1"}
	_, err = greet(none)
	require.Error(t, err, "a client without a certificate")
	old := a.config(t, dnsName("2"))
	old.ServerName, old.MaxVersion = "1", tls.VersionTLS12
	_, err = greet(old)
	require.Error(t, err, "an old version of TLS")

	other := a.config(t, dnsName("3"))
	other.ServerName = "1"
	said, err = greet(other)
	require.NoError(t, err)
	require.Equal(t, wrongNameRefusal, said.code, "another member's certificate")

	slow := connect(t, secured)
	_, err = io.WriteString(slow, "\x16\x03\x01")
	require.NoError(t, err)
	require.NoError(t, slow.Close())
	eventually(t, "all are counted", func() bool { s := secured.Stats(); return s.Unwelcome == 5 && s.Refused[wrongNameRefusal] == 1 })
	require.Zero(t, secured.Stats().Links[0].Replaced)
	require.True(t, secured.Stats().Links[0].Hears, "the good one goes on")

	clear := alone(t, nil)
	conn := tls.Client(connect(t, clear), good)
	require.Error(t, conn.Handshake(), "TLS to a node without")
	eventually(t, "it is counted", func() bool { return clear.Stats().Unwelcome == 1 })
}

// The caller's own check is asked too.
func TestTLSVerifyConnection(t *testing.T) {
	a := newAuthority(t)
	var logged log
	n := newTCPNet(t, func(c *Config) {
		c.TLS = a.config(t, dnsName(c.ID.String()))
		if c.ID == one {
			c.Logger = logged.logger()
			c.TLS.VerifyConnection = func(tls.ConnectionState) error { return errors.New("revoked") }
		}
	}, one, two)
	first, second := n.start(one), n.start(two)
	eventually(t, "both directions fail", func() bool {
		return strings.Contains(logged.String(), `msg="not connected"`) && strings.Contains(logged.String(), `msg="connection closed"`)
	})
	require.Contains(t, logged.String(), "revoked")
	for _, node := range []*TCP{first, second} {
		require.False(t, node.Stats().Links[0].Up, "a connection that the caller's check refuses must not be up")
	}
}

func TestTLSConfig(t *testing.T) {
	a := newAuthority(t)
	for problem, change := range map[string]func(*tls.Config){
		"no certificate": func(c *tls.Config) { c.Certificates = nil },
		"no RootCAs":     func(c *tls.Config) { c.RootCAs = nil },
		"GetConfigForClient": func(c *tls.Config) {
			c.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return nil, nil }
		},
	} {
		c := a.config(t, dnsName("1"))
		change(c)
		_, err := NewTCP(Config{ID: one, Cluster: "test", Listener: &net.TCPListener{}, Members: map[spec.NodeID]string{one: ""}, TLS: c})
		require.ErrorContains(t, err, problem)
	}
}
