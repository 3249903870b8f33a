package certs

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

const day = 24 * time.Hour

// issued makes an authority and a certificate of node 3 of cluster test, and returns its files and what renews them.
func issued(t *testing.T, valid time.Duration) (f Files, renew func(valid time.Duration)) {
	t.Helper()
	dir := t.TempDir()
	authority, err := NewAuthority(dir, "test", 3650*day)
	require.NoError(t, err)
	f = Files{filepath.Join(dir, "node.crt"), filepath.Join(dir, "node.key"), filepath.Join(dir, AuthorityFile)}
	renew = func(valid time.Duration) {
		_, err := authority.Issue(f.Certificate, f.Key, "test", spec.IntegerID(3), valid, true)
		require.NoError(t, err)
	}
	renew(valid)
	return f, renew
}

// TestKeeper: that a certificate ends is said in time, and then not too often; a new one is taken, and one that is of no use is not.
func TestKeeper(t *testing.T) {
	f, renew := issued(t, 90*day)
	own, err := Load(f, "test", spec.IntegerID(3))
	require.NoError(t, err)
	var logged strings.Builder
	k := keeper{own: own, logger: slog.New(slog.NewTextHandler(&logged, nil))}
	made := time.Now()
	look := func(after time.Duration) string {
		logged.Reset()
		k.look(made.Add(after), false)
		return logged.String()
	}
	require.Empty(t, look(0))
	require.Empty(t, look(59*day))
	require.Contains(t, look(61*day), "level=WARN msg=\"the certificate of this node ends: renew it\"")
	require.Empty(t, look(61*day+time.Hour), "once a day")
	require.Contains(t, look(62*day+time.Hour), "ends: renew it")
	require.Contains(t, look(89*day+time.Hour), "level=ERROR")
	require.Empty(t, look(89*day+time.Hour+time.Minute))
	require.Contains(t, look(89*day+2*time.Hour), "level=ERROR", "on the last day once an hour")
	require.Contains(t, look(90*day+time.Hour), "no other node connects to it any more")

	renew(200 * day)
	require.Contains(t, look(91*day), "has another certificate from now on")
	require.Equal(t, made.Add(200*day).Unix()/10, own.Expires().Unix()/10)
	require.Empty(t, look(91*day))
	require.NoError(t, os.Remove(f.Key))
	require.Contains(t, look(91*day), "the old one stays")
	require.Empty(t, look(91*day), "once")
	renew(3 * day)
	require.Contains(t, look(91*day), "expired", "it is no better")
	require.Empty(t, look(91*day))
	require.Equal(t, made.Add(200*day).Unix()/10, own.Expires().Unix()/10)
}

// TestShortLived: of a certificate that is renewed each day nobody is warned in the morning.
func TestShortLived(t *testing.T) {
	f, _ := issued(t, day)
	own, err := Load(f, "test", spec.IntegerID(3))
	require.NoError(t, err)
	require.False(t, own.EndsSoon(time.Now().Add(12*time.Hour)))
	require.True(t, own.EndsSoon(time.Now().Add(18*time.Hour)))
}

// TestKeep looks once a minute, and when asked.
func TestKeep(t *testing.T) {
	f, renew := issued(t, 90*day)
	own, err := Load(f, "test", spec.IntegerID(3))
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		var logged strings.Builder
		asked := make(chan os.Signal)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go own.Keep(ctx, asked, slog.New(slog.NewTextHandler(&logged, nil)))
		synctest.Wait()
		logged.Reset() // the time of this test is long past
		renew(100 * day)
		time.Sleep(lookEvery)
		synctest.Wait()
		require.NotEmpty(t, logged.String())
		logged.Reset()
		asked <- os.Interrupt
		synctest.Wait()
		require.NotEmpty(t, logged.String())
	})
}

// TestAuthorityEnds: no certificate outlives its authority, and an authority that has ended makes none.
func TestAuthorityEnds(t *testing.T) {
	dir := t.TempDir()
	a, err := NewAuthority(dir, "test", day)
	require.NoError(t, err)
	in := func(name string) string { return filepath.Join(dir, name) }
	made, err := a.Issue(in("a"), in("b"), "test", spec.IntegerID(3), 9*day, false)
	require.NoError(t, err)
	require.Equal(t, a.certificate.NotAfter, made.NotAfter)
	a.certificate.NotAfter = time.Now().Add(-time.Second)
	_, err = a.Issue(in("a"), in("b"), "test", spec.IntegerID(3), 9*day, true)
	require.ErrorContains(t, err, `the authority "test" has expired`)
	_, err = a.Issue(in("a"), in("b"), "a/b", spec.IntegerID(3), 9*day, true)
	require.ErrorContains(t, err, "is not 1 to 64 characters")

	require.NoError(t, os.WriteFile(in(AuthorityFile), nil, 0o600))
	_, err = OpenAuthority(dir)
	require.ErrorContains(t, err, "the authority in "+dir)
	require.NoError(t, os.Rename(in("a"), in(AuthorityFile)))
	require.NoError(t, os.Rename(in("b"), in(authorityKeyFile)))
	_, err = OpenAuthority(dir)
	require.ErrorContains(t, err, "is the certificate of no authority")
}

// TestOnlyForServers: a node dials and is dialled, and its certificate must be good for both.
func TestOnlyForServers(t *testing.T) {
	for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
		dir := t.TempDir()
		authority, err := NewAuthority(dir, "test", day)
		require.NoError(t, err)
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		der, err := authority.sign(&x509.Certificate{DNSNames: []string{"3"}, ExtKeyUsage: []x509.ExtKeyUsage{usage}}, key.Public(), day)
		require.NoError(t, err)
		f := Files{filepath.Join(dir, "node.crt"), filepath.Join(dir, "node.key"), filepath.Join(dir, AuthorityFile)}
		require.NoError(t, writeKey(f.Key, key, false))
		require.NoError(t, writePEM(f.Certificate, "CERTIFICATE", der, 0o644, false))
		_, err = Load(f, "test", spec.IntegerID(3))
		require.ErrorContains(t, err, "incompatible key usage")
	}
}

// TestOfAnother: the certificate of another node, or of another cluster, is of no use, and what is wanted is said.
func TestOfAnother(t *testing.T) {
	f, _ := issued(t, day)
	for cluster, id := range map[string]uint64{"test": 33, "tests": 3} {
		_, err := Load(f, cluster, spec.IntegerID(id))
		require.ErrorContains(t, err, "is of no use to node")
		require.ErrorContains(t, err, "what is wanted is a certificate for bully://"+cluster+"/")
	}
}

// TestChain: a node takes a certificate by an authority that is between, if it has the certificate of that one too.
func TestChain(t *testing.T) {
	dir := t.TempDir()
	of := func(a *Authority, name string) *Authority { // by itself, if a has no certificate
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		template := &x509.Certificate{Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
		if a == nil {
			a = &Authority{certificate: template, key: key}
		}
		der, err := a.sign(template, key.Public(), 365*day)
		require.NoError(t, err)
		certificate, err := x509.ParseCertificate(der)
		require.NoError(t, err)
		return &Authority{certificate: certificate, key: key}
	}
	inPEM := func(a *Authority) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
	}
	root := of(nil, "root")
	between := of(root, "between")
	require.NoError(t, os.WriteFile(filepath.Join(dir, AuthorityFile), inPEM(root), 0o600))
	f := Files{filepath.Join(dir, "node.crt"), filepath.Join(dir, "node.key"), filepath.Join(dir, AuthorityFile)}
	_, err := between.Issue(f.Certificate, f.Key, "test", spec.IntegerID(3), 90*day, false)
	require.NoError(t, err)
	_, err = Load(f, "test", spec.IntegerID(3))
	require.ErrorContains(t, err, "unknown authority")

	alone, err := os.ReadFile(f.Certificate)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(f.Certificate, append(alone, inPEM(between)...), 0o600))
	_, err = Load(f, "test", spec.IntegerID(3))
	require.NoError(t, err)
}

// TestNoFolder: where nothing can be written, that is said.
func TestNoFolder(t *testing.T) {
	authority, err := NewAuthority(t.TempDir(), "test", 3650*day)
	require.NoError(t, err)
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	_, err = authority.Issue(filepath.Join(nowhere, "node.crt"), filepath.Join(nowhere, "node.key"), "test", spec.IntegerID(3), day, false)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
