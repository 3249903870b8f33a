package certs

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

// Files are the names of what a node is given, all in PEM.
type Files struct {
	Certificate string // of the node, and of those between it and the authority, if there are any
	Key         string // of the certificate
	Authorities string // who vouches for the other nodes
}

// Own is the certificate of a node, which is read again while the node runs. All methods may be called at the same time but Reload.
type Own struct {
	files   Files
	cluster string
	node    spec.NodeID
	roots   *x509.CertPool
	now     atomic.Pointer[tls.Certificate]
	seen    []byte // what was in the files when they were read last
}

// Load reads the files of a node. An error says what of them the other nodes would not take, and what they want: those of an authority
// that they do not share with this node it cannot know.
func Load(f Files, cluster string, node spec.NodeID) (*Own, error) {
	o := &Own{files: f, cluster: cluster, node: node, roots: x509.NewCertPool()}
	text, err := os.ReadFile(f.Authorities)
	if err != nil {
		return nil, err
	}
	if !o.roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s has no certificate in PEM", f.Authorities)
	}
	_, err = o.Reload(time.Now())
	return o, err
}

// Reload reads the certificate and its key again, and reports whether there is another one now. If there is, but it is of no use, the
// one that was good before stays, and the error says why; it is told once for each change of the files.
func (o *Own) Reload(now time.Time) (changed bool, err error) {
	text, err := readBoth(o.files)
	if err != nil {
		return false, err
	}
	if bytes.Equal(text, o.seen) {
		return false, nil
	}
	o.seen = text
	pair, err := readPair(o.files.Certificate, o.files.Key)
	if err == nil {
		err = o.check(pair, now)
	}
	if err != nil {
		return false, err
	}
	o.now.Store(&pair)
	return true, nil
}

// check asks of a certificate what the other nodes will ask of it.
func (o *Own) check(pair tls.Certificate, now time.Time) error {
	between := x509.NewCertPool()
	for _, der := range pair.Certificate[1:] {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			return o.useless(err)
		}
		between.AddCert(c)
	}
	for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} { // a node is both
		_, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: o.roots, Intermediates: between, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{usage}})
		if err != nil {
			return o.useless(err)
		}
	}
	if err := transport.CheckName(pair.Leaf, o.cluster, o.node); err != nil {
		return o.useless(err)
	}
	return nil
}

func (o *Own) useless(why error) error {
	return fmt.Errorf("%s is of no use to node %s of cluster %s: %w; what is wanted is a certificate for %s, for servers and for clients, by an authority in %s, as bully cert node makes it",
		o.files.Certificate, o.node, o.cluster, why, transport.CertificateURI(o.cluster, o.node), o.files.Authorities)
}

// TLS returns what a transport is given. It always shows the certificate of now.
func (o *Own) TLS() *tls.Config {
	return &tls.Config{
		RootCAs: o.roots, MinVersion: tls.VersionTLS13,
		GetCertificate:       func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return o.now.Load(), nil },
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return o.now.Load(), nil },
	}
}

// Expires returns when the certificate of now ends.
func (o *Own) Expires() time.Time { return o.now.Load().Leaf.NotAfter }

// EndsSoon reports whether it is time to renew the certificate of now: a third of its life is left, or 30 days if that is less.
func (o *Own) EndsSoon(now time.Time) bool {
	leaf := o.now.Load().Leaf
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
func readBoth(f Files) ([]byte, error) {
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
