package bully

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// CertificateFiles are the names of what a node is given, all in PEM.
type CertificateFiles struct {
	Certificate string // of the node, and of those between it and the authority, if there are any
	Key         string // of the certificate
	Authorities string // who vouches for the other nodes
}

// Certificate is that of a node, and is read again while the node runs. Keep is called once; the other methods at any time.
//
//	own, err := bully.LoadCertificate(files, "jobs", id)
//	if err != nil {
//		return err // such as: it is for another node, or no longer valid
//	}
//	go own.Keep(ctx, nil, logger) // a renewed one is taken within a minute, and nobody is disconnected
//	node, err := bully.Open(bully.Config{…, TLS: own.TLS()})
//
// Who is who is said by a URI in it, such as bully://jobs/3: see package transport.
type Certificate struct {
	files   CertificateFiles
	cluster string
	node    spec.NodeID
	roots   *x509.CertPool
	now     atomic.Pointer[tls.Certificate]
	seen    []byte // what was in the files when they were read last
}

// LoadCertificate reads the files of a node. An error says what of them the other nodes would not take, and what they want: those of an authority
// that they do not share with this node it cannot know.
func LoadCertificate(f CertificateFiles, cluster string, node spec.NodeID) (*Certificate, error) {
	c := &Certificate{files: f, cluster: cluster, node: node, roots: x509.NewCertPool()}
	text, err := os.ReadFile(f.Authorities)
	if err != nil {
		return nil, err
	}
	if !c.roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s has no certificate in PEM", f.Authorities)
	}
	_, err = c.reload(time.Now())
	return c, err
}

// reload reads the certificate and its key again, and reports whether there is another one now. If there is, but it is of no use, the
// one that was good before stays, and the error says why; it is told once for each change of the files.
func (c *Certificate) reload(now time.Time) (changed bool, err error) {
	text, err := readBoth(c.files)
	if err != nil {
		return false, err
	}
	if bytes.Equal(text, c.seen) {
		return false, nil
	}
	c.seen = text
	pair, err := readPair(c.files.Certificate, c.files.Key)
	if err == nil {
		err = c.check(pair, now)
	}
	if err != nil {
		return false, err
	}
	c.now.Store(&pair)
	return true, nil
}

// check asks of a certificate what the other nodes will ask of it.
func (c *Certificate) check(pair tls.Certificate, now time.Time) error {
	between := x509.NewCertPool()
	for _, der := range pair.Certificate[1:] {
		one, err := x509.ParseCertificate(der)
		if err != nil {
			return c.useless(err)
		}
		between.AddCert(one)
	}
	for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} { // a node is both
		_, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: c.roots, Intermediates: between, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{usage}})
		if err != nil {
			return c.useless(err)
		}
	}
	if err := transport.CheckName(pair.Leaf, c.cluster, c.node); err != nil {
		return c.useless(err)
	}
	return nil
}

func (c *Certificate) useless(why error) error {
	return fmt.Errorf("%s is of no use to node %s of cluster %s: %w; what is wanted is a certificate for %s, for servers and for clients, by an authority in %s, as bully cert node makes it",
		c.files.Certificate, c.node, c.cluster, why, transport.CertificateURI(c.cluster, c.node), c.files.Authorities)
}

// TLS returns what a transport is given. It always shows the certificate of now.
func (c *Certificate) TLS() *tls.Config {
	return &tls.Config{
		RootCAs: c.roots, MinVersion: tls.VersionTLS13,
		GetCertificate:       func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now.Load(), nil },
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return c.now.Load(), nil },
	}
}

// Expires returns when the certificate of now ends.
func (c *Certificate) Expires() time.Time { return c.now.Load().Leaf.NotAfter }

// EndsSoon reports whether it is time to renew the certificate of now: a third of its life is left, or 30 days if that is less.
func (c *Certificate) EndsSoon(now time.Time) bool {
	leaf := c.now.Load().Leaf
	return leaf.NotAfter.Sub(now) < min(leaf.NotAfter.Sub(leaf.NotBefore)/3, 30*24*time.Hour)
}

// readPair reads a certificate and its key.
func readPair(certificateFile, keyFile string) (tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(certificateFile, keyFile)
	if err != nil {
		return pair, fmt.Errorf("%s and %s: %w", certificateFile, keyFile, err)
	}
	if pair.Leaf == nil {
		return pair, errors.New(certificateFile + " has no certificate")
	}
	return pair, nil
}

// readBoth returns what is in the files of the certificate and of its key.
func readBoth(f CertificateFiles) ([]byte, error) {
	certificate, err := os.ReadFile(f.Certificate)
	if err != nil {
		return nil, err
	}
	key, err := os.ReadFile(f.Key)
	if err != nil {
		return nil, err
	}
	return append(append(certificate, 0), key...), nil
}
