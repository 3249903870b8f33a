package bully

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
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/spec"
)

const day = 24 * time.Hour

// issued makes an authority and a certificate of node 3 of cluster test, and returns its files and what renews them.
func issued(t *testing.T, valid time.Duration) (f CertificateFiles, renew func(valid time.Duration)) {
	t.Helper()
	dir := t.TempDir()
	authority, err := NewAuthority(dir, "test", 3650*day)
	require.NoError(t, err)
	f = CertificateFiles{filepath.Join(dir, "node.crt"), filepath.Join(dir, "node.key"), filepath.Join(dir, AuthorityFile)}
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
	own, err := LoadCertificate(f, "test", spec.IntegerID(3))
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

// TestMomentsOfTheKeeper: a node is told with a month left, and with a day left more loudly; at the very end it is told that this is it.
func TestMomentsOfTheKeeper(t *testing.T) {
	f, _ := issued(t, 120*day)
	own, err := LoadCertificate(f, "test", spec.IntegerID(3))
	require.NoError(t, err)
	require.False(t, own.EndsSoon(own.Expires().Add(-30*day)), "a month before the end is early enough")
	require.True(t, own.EndsSoon(own.Expires().Add(-30*day+1)), "less than a month is left")
	for left, says := range map[time.Duration]string{
		alarmAt: "level=WARN", alarmAt - 1: "level=ERROR", 1: "ends: renew it", 0: "has ended",
	} {
		var logged strings.Builder
		k := keeper{own: own, logger: slog.New(slog.NewTextHandler(&logged, nil))}
		k.look(own.Expires().Add(-left), false)
		require.Contains(t, logged.String(), says, left)
	}
}

// TestNewOneEndsToo: that a new certificate ends is said at once, though it has just been said of the old one.
func TestNewOneEndsToo(t *testing.T) {
	f, renew := issued(t, 90*day)
	own, err := LoadCertificate(f, "test", spec.IntegerID(3))
	require.NoError(t, err)
	var logged strings.Builder
	k := keeper{own: own, logger: slog.New(slog.NewTextHandler(&logged, nil))}
	now := time.Now().Add(61 * day)
	k.look(now, false)
	require.Contains(t, logged.String(), "ends: renew it")
	logged.Reset()
	renew(62 * day)
	k.look(now.Add(time.Minute), false)
	require.Contains(t, logged.String(), "has another certificate from now on")
	require.Contains(t, logged.String(), "ends: renew it")
}

// TestFilesComeBack: a certificate, or a key, that was away for a while and is the same again is not another one.
func TestFilesComeBack(t *testing.T) {
	f, _ := issued(t, 90*day)
	own, err := LoadCertificate(f, "test", spec.IntegerID(3))
	require.NoError(t, err)
	for _, name := range []string{f.Certificate, f.Key} {
		require.NoError(t, os.Rename(name, name+".away"))
		changed, err := own.reload(time.Now())
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.ErrorContains(t, err, name)
		require.False(t, changed, "a file that is away is not a changed file")
		require.NoError(t, os.Rename(name+".away", name))
		changed, err = own.reload(time.Now())
		require.NoError(t, err)
		require.False(t, changed, name)
	}
}

// TestFilesThatDoNotFit: what is wrong with the files of a node is said by their names.
func TestFilesThatDoNotFit(t *testing.T) {
	f, _ := issued(t, 90*day)
	other, _ := issued(t, 90*day)
	_, err := LoadCertificate(CertificateFiles{f.Certificate, other.Key, f.Authorities}, "test", spec.IntegerID(3))
	require.ErrorContains(t, err, f.Certificate+" and "+other.Key+": tls: private key does not match")
	_, err = LoadCertificate(CertificateFiles{f.Certificate, f.Key, f.Authorities + ".away"}, "test", spec.IntegerID(3))
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = LoadCertificate(CertificateFiles{f.Certificate, f.Key, f.Key}, "test", spec.IntegerID(3))
	require.ErrorContains(t, err, f.Key+" has no certificate in PEM")
}

// TestShortLived: of a certificate that is renewed each day nobody is warned in the morning.
func TestShortLived(t *testing.T) {
	f, _ := issued(t, day)
	own, err := LoadCertificate(f, "test", spec.IntegerID(3))
	require.NoError(t, err)
	require.False(t, own.EndsSoon(time.Now().Add(12*time.Hour)), "half of the life of the certificate is left")
	require.True(t, own.EndsSoon(time.Now().Add(18*time.Hour)), "a quarter of the life of the certificate is left")
}

// TestKeep looks once a minute, and when asked.
func TestKeep(t *testing.T) {
	f, renew := issued(t, 90*day)
	own, err := LoadCertificate(f, "test", spec.IntegerID(3))
	require.NoError(t, err)
	renew(95 * day)
	bubbletest.Run(t, func(t *testing.T) {
		var logged strings.Builder
		asked := make(chan os.Signal)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go own.Keep(ctx, asked, slog.New(slog.NewTextHandler(&logged, nil)))
		synctest.Wait()
		require.NotEmpty(t, logged.String(), "it looks at once, and the time of this test is before all certificates")
		logged.Reset()
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

// TestAuthorityIsKept: an authority is opened again, and nothing of one that is there is ever replaced.
func TestAuthorityIsKept(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	_, err := NewAuthority(dir, "test", -time.Hour)
	require.ErrorContains(t, err, `the authority "test" has expired`)
	_, err = NewAuthority(dir, "test", day)
	require.NoError(t, err)
	_, err = NewAuthority(dir, "test", day)
	require.ErrorIs(t, err, fs.ErrExist)
	certificate, err := os.ReadFile(in(AuthorityFile))
	require.NoError(t, err)
	require.NoError(t, os.Remove(in(AuthorityFile)))
	_, err = NewAuthority(dir, "test", day)
	require.ErrorIs(t, err, fs.ErrExist)
	require.NoFileExists(t, in(AuthorityFile), "its key would be that of the old one")
	_, err = NewAuthority(in(authorityKeyFile), "test", day)
	require.ErrorContains(t, err, "mkdir")

	require.NoError(t, os.WriteFile(in(AuthorityFile), certificate, 0o600))
	a, err := OpenAuthority(dir)
	require.NoError(t, err)
	_, err = a.Issue(in("a"), in("b"), "test", spec.IntegerID(3), day, false)
	require.NoError(t, err)
	_, err = LoadCertificate(CertificateFiles{in("a"), in("b"), in(AuthorityFile)}, "test", spec.IntegerID(3))
	require.NoError(t, err)
}

// TestNothingIsReplacedUnasked: neither a certificate nor a key, and one without the other is not written.
func TestNothingIsReplacedUnasked(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	a, err := NewAuthority(filepath.Join(dir, "ca"), "test", day)
	require.NoError(t, err)
	issue := func(renew bool) error {
		_, err := a.Issue(in("crt"), in("key"), "test", spec.IntegerID(3), day, renew)
		return err
	}
	require.NoError(t, issue(false))
	require.NoError(t, os.Remove(in("crt")))
	require.ErrorIs(t, issue(false), fs.ErrExist)
	require.NoFileExists(t, in("crt"))
	require.NoError(t, issue(true))
	require.NoError(t, os.Remove(in("key")))
	require.ErrorIs(t, issue(false), fs.ErrExist)

	require.NoError(t, os.RemoveAll(in("crt")))
	require.NoError(t, os.Mkdir(in("crt"), 0o700))
	require.Error(t, issue(true))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 3, "the authority, the folder in the way, and the key: %v", left)
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
		f := CertificateFiles{filepath.Join(dir, "node.crt"), filepath.Join(dir, "node.key"), filepath.Join(dir, AuthorityFile)}
		require.NoError(t, writeKey(f.Key, key, false))
		require.NoError(t, writePEM(f.Certificate, "CERTIFICATE", der, 0o644, false))
		_, err = LoadCertificate(f, "test", spec.IntegerID(3))
		require.ErrorContains(t, err, "incompatible key usage")
	}
}

// TestOfAnother: the certificate of another node, or of another cluster, is of no use, and what is wanted is said.
func TestOfAnother(t *testing.T) {
	f, _ := issued(t, day)
	for cluster, id := range map[string]uint64{"test": 33, "tests": 3} {
		_, err := LoadCertificate(f, cluster, spec.IntegerID(id))
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
	f := CertificateFiles{filepath.Join(dir, "node.crt"), filepath.Join(dir, "node.key"), filepath.Join(dir, AuthorityFile)}
	_, err := between.Issue(f.Certificate, f.Key, "test", spec.IntegerID(3), 90*day, false)
	require.NoError(t, err)
	_, err = LoadCertificate(f, "test", spec.IntegerID(3))
	require.ErrorContains(t, err, "unknown authority")

	alone, err := os.ReadFile(f.Certificate)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(f.Certificate, append(alone, inPEM(between)...), 0o600))
	_, err = LoadCertificate(f, "test", spec.IntegerID(3))
	require.NoError(t, err)

	rubbish := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("rubbish")})
	require.NoError(t, os.WriteFile(f.Certificate, slices.Concat(alone, inPEM(between), rubbish), 0o600))
	_, err = LoadCertificate(f, "test", spec.IntegerID(3))
	require.ErrorContains(t, err, "malformed certificate", "other nodes refuse a chain with what is none")
}

// TestNoFolder: where nothing can be written, that is said.
func TestNoFolder(t *testing.T) {
	authority, err := NewAuthority(t.TempDir(), "test", 3650*day)
	require.NoError(t, err)
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	_, err = authority.Issue(filepath.Join(nowhere, "node.crt"), filepath.Join(nowhere, "node.key"), "test", spec.IntegerID(3), day, false)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
