package transport

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// acceptorTLS returns the configuration for connections that are accepted. Whom the certificate names is compared with
// the hello that follows.
func acceptorTLS(c *tls.Config) *tls.Config {
	c = baseTLS(c)
	c.ClientAuth = tls.RequireAndVerifyClientCert
	if c.ClientCAs == nil {
		c.ClientCAs = c.RootCAs
	}
	return c
}

// diallerTLS returns the configuration for connections to a node. The check of a server's name is replaced by that of
// the node's, so the chain is verified here too.
func diallerTLS(c *tls.Config, cluster string, node spec.NodeID) *tls.Config {
	c = baseTLS(c)
	c.ServerName = node.String()
	c.InsecureSkipVerify = true
	also := c.VerifyConnection
	c.VerifyConnection = func(state tls.ConnectionState) error {
		if err := verifyChain(c, state); err != nil {
			return err
		}
		if err := verifyName(state, cluster, node); err != nil {
			return err
		}
		if also != nil {
			return also(state)
		}
		return nil
	}
	return c
}

func baseTLS(c *tls.Config) *tls.Config {
	c = c.Clone()
	if c.MinVersion == 0 {
		c.MinVersion = tls.VersionTLS13
	}
	return c
}

// verifyChain does for the dialler what crypto/tls does for the acceptor.
func verifyChain(c *tls.Config, state tls.ConnectionState) error {
	if len(state.PeerCertificates) == 0 {
		return errors.New("the other end has shown no certificate")
	}
	now := time.Now
	if c.Time != nil {
		now = c.Time
	}
	options := x509.VerifyOptions{Roots: c.RootCAs, CurrentTime: now(), Intermediates: x509.NewCertPool()}
	for _, certificate := range state.PeerCertificates[1:] {
		options.Intermediates.AddCert(certificate)
	}
	_, err := state.PeerCertificates[0].Verify(options)
	return err
}

// verifyName returns an error unless the certificate of the other end names the node.
func verifyName(state tls.ConnectionState, cluster string, node spec.NodeID) error {
	if len(state.PeerCertificates) == 0 {
		return errors.New("the other end has shown no certificate")
	}
	if err := CheckName(state.PeerCertificates[0], cluster, node); err != nil {
		return fmt.Errorf("the other end: %w: give node %v its own", err, node)
	}
	return nil
}

// CertificateURI returns the URI by which a certificate names a node of a cluster, such as bully://jobs/3.
func CertificateURI(cluster string, node spec.NodeID) string {
	return "bully://" + cluster + "/" + node.String()
}

// CheckName returns an error unless the certificate names the node: by that URI, or by a DNS name that is the text of its id.
func CheckName(certificate *x509.Certificate, cluster string, node spec.NodeID) error {
	id, uri := node.String(), CertificateURI(cluster, node)
	if slices.Contains(certificate.DNSNames, id) ||
		slices.ContainsFunc(certificate.URIs, func(u *url.URL) bool { return u.String() == uri }) {
		return nil
	}
	return fmt.Errorf("the certificate names neither %s nor %s, but %q and %v", id, uri, certificate.DNSNames, certificate.URIs)
}
