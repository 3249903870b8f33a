package bully

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// The files of an authority, in its folder.
const (
	AuthorityFile    = "ca.crt" // what every node is given
	authorityKeyFile = "ca.key" // what nobody is given
)

// skew is how far the clocks of nodes may be behind that of the authority: certificates are valid from so long before they are made.
const skew = time.Hour

// An Authority vouches for nodes: it makes the certificates with which they know each other, as the command bully cert does. Its keys are of ECDSA, whose signatures cost a node a fraction of what those of RSA do.
type Authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// NewAuthority makes an authority of a name that is for people to read, valid for a time, and its two files in a folder, which is made
// if it is not there. An authority that is there already is an error: with its key gone, nobody could vouch for another node.
func NewAuthority(folder, name string, valid time.Duration) (*Authority, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	a := &Authority{certificate: template, key: key}
	der, err := a.sign(template, key.Public(), valid)
	if err != nil {
		return nil, err
	}
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	if err := writeKey(filepath.Join(folder, authorityKeyFile), key, false); err != nil {
		return nil, err
	}
	return a, writePEM(filepath.Join(folder, AuthorityFile), "CERTIFICATE", der, 0o644, false)
}

// OpenAuthority reads the authority of a folder.
func OpenAuthority(folder string) (*Authority, error) {
	certificateFile, keyFile := filepath.Join(folder, AuthorityFile), filepath.Join(folder, authorityKeyFile)
	pair, err := readPair(certificateFile, keyFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no authority in %s: make one with bully cert ca -dir %s: %w", folder, folder, err)
	case err != nil:
		return nil, fmt.Errorf("the authority in %s: %w", folder, err)
	}
	if !pair.Leaf.IsCA {
		return nil, fmt.Errorf("%s is the certificate of no authority", certificateFile)
	}
	return &Authority{pair.Leaf, pair.PrivateKey.(crypto.Signer)}, nil
}

// Issue makes a certificate of a node of a cluster, valid for a time but no longer than the authority, with a key of its own, and puts
// them into two files. Files that are there are replaced if renew says so, and are an error else.
func (a *Authority) Issue(certificateFile, keyFile, cluster string, node spec.NodeID, valid time.Duration, renew bool) (*x509.Certificate, error) {
	if err := transport.CheckCluster(cluster); err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	name, err := url.Parse(transport.CertificateURI(cluster, node))
	if err != nil {
		return nil, err
	}
	der, err := a.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: name.String()}, URIs: []*url.URL{name}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, key.Public(), valid)
	if err != nil {
		return nil, err
	}
	if err := writeKey(keyFile, key, renew); err != nil {
		return nil, err
	}
	if err := writePEM(certificateFile, "CERTIFICATE", der, 0o644, renew); err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

// sign returns a certificate as the template says, of a key.
func (a *Authority) sign(template *x509.Certificate, of crypto.PublicKey, valid time.Duration) ([]byte, error) {
	now := time.Now()
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	template.SerialNumber, template.NotBefore, template.NotAfter = serial, now.Add(-skew), now.Add(valid)
	if end := a.certificate.NotAfter; !template.IsCA && end.Before(template.NotAfter) {
		template.NotAfter = end
	}
	if !template.NotAfter.After(now) {
		return nil, fmt.Errorf("the authority %q has expired on %s: make another", a.certificate.Subject.CommonName, template.NotAfter.Format(time.DateOnly))
	}
	return x509.CreateCertificate(rand.Reader, template, a.certificate, of, a.key)
}

func writeKey(name string, key *ecdsa.PrivateKey, replace bool) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return writePEM(name, "PRIVATE KEY", der, 0o600, replace)
}

// writePEM writes a file so that whoever reads it sees the old one or the new one whole.
func writePEM(name, kind string, der []byte, mode os.FileMode, replace bool) error {
	if _, err := os.Lstat(name); err == nil && !replace {
		return fmt.Errorf("%s: it is there, and is not replaced: %w", name, fs.ErrExist)
	}
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // it is gone by then, if all is well
	err = errors.Join(file.Chmod(mode), pem.Encode(file, &pem.Block{Type: kind, Bytes: der}), file.Sync(), file.Close())
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}
