package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

// certified makes an authority, and certificates of cluster test for some nodes. It returns their folder.
func certified(t testing.TB, ids ...string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	made(t, "ca", "-dir", filepath.Join(folder, "ca"))
	for _, id := range ids {
		made(t, "node", "-ca", filepath.Join(folder, "ca"), "-cluster", "test", "-id", id, "-dir", filepath.Join(folder, id))
	}
	return folder
}

// made runs bully cert, which succeeds, and returns what it prints.
func made(t testing.TB, args ...string) string {
	t.Helper()
	status, out, log := bully(t, append([]string{"cert"}, args...)...)
	require.Equal(t, cli.OK, status, log)
	return out
}

// shows returns the flags with which a node shows the certificate of a node.
func shows(folder, id string) []string {
	in := func(name string) string { return filepath.Join(folder, id, name) }
	return []string{"-tls-cert", in("node.crt"), "-tls-key", in("node.key"), "-tls-ca", in("ca.crt")}
}

// TestTLS runs two nodes with certificates of bully cert; one without does not get in.
func TestTLS(t *testing.T) {
	t.Parallel()
	folder := certified(t, "1", "2")
	c := newCluster(t, 2)
	one := c.run(1)
	require.Contains(t, running(t, one), `links="plain, within this host"`)
	two := c.run(2, shows(folder, "2")...)
	require.Contains(t, running(t, two), `links="TLS, with a certificate until `)
	until(t, "they do not understand each other", func() bool { return strings.Contains(two.log.String(), "not connected") })
	code, _ := fetch(c.http[1], "/leader")
	require.NotEqual(t, 200, code)
	require.NoError(t, one.cmd.Process.Kill())
	one.wait()
	c.run(1, shows(folder, "1")...)
	leads(t, c.http[0])
	leads(t, c.http[1])
}

// running returns the line that a node logs when it runs.
func running(t testing.TB, p *process) (line string) {
	t.Helper()
	until(t, "it runs", func() bool {
		for l := range strings.Lines(p.log.String()) {
			if strings.Contains(l, "msg=running") {
				line = l
				return true
			}
		}
		return false
	})
	return line
}

// TestCertificateIsRenewed: a node that runs takes a renewed certificate when told, says that it does, and shows when that ends.
func TestCertificateIsRenewed(t *testing.T) {
	t.Parallel()
	folder := certified(t)
	renew := func(days int) {
		made(t, "node", "-ca", filepath.Join(folder, "ca"), "-cluster", "test", "-id", "1", "-dir", filepath.Join(folder, "1"), "-renew", "-days", fmt.Sprint(days))
	}
	renew(100)
	c := newCluster(t, 1)
	p := c.run(1, shows(folder, "1")...)
	leads(t, c.http[0])
	endsIn := func(days int) {
		t.Helper()
		var status nodeStatus
		_, body := fetch(c.http[0], "/status")
		require.NoError(t, json.Unmarshal([]byte(body), &status), body)
		require.WithinDuration(t, time.Now().AddDate(0, 0, days), status.Expires, 2*time.Hour, body)
	}
	endsIn(100)
	hangUp := func() { require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP)) }
	hangUp()
	until(t, "nothing has changed", func() bool { return strings.Contains(p.log.String(), "has not changed") })
	renew(300)
	hangUp()
	until(t, "it is another", func() bool { return strings.Contains(p.log.String(), "another certificate from now on") })
	endsIn(300)
	_, body := fetch(c.http[0], "/metrics")
	require.Contains(t, body, "\nbully_certificate_expires_timestamp_seconds ")

	require.NoError(t, os.WriteFile(filepath.Join(folder, "1", "node.crt"), nil, 0o644))
	hangUp()
	until(t, "it is of no use", func() bool { return strings.Contains(p.log.String(), "is not taken, and the old one stays") })
	endsIn(300)
	_, body = fetch(c.http[0], "/status")
	require.NotContains(t, body, "certificate_ends_soon")
}

// TestCertificateEnds: who looks at a cluster is told in time.
func TestCertificateEnds(t *testing.T) {
	t.Parallel()
	ends := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	s := nodeStatus{Expires: ends, EndsSoon: true}
	require.Equal(t, []string{"its certificate ends on 2030-01-02 03:04:05 UTC: renew it"}, s.warnings())
	s.EndsSoon = false
	require.Empty(t, s.warnings(), "a certificate that does not end soon needs no warning")
}

// TestCertificateIsChecked: a certificate that the other nodes would not take is refused at the start, and what is wanted is said.
func TestCertificateIsChecked(t *testing.T) {
	t.Parallel()
	folder, other := certified(t, "1", "2"), certified(t, "1")
	c := newCluster(t, 1)
	start := func(more ...string) string {
		status, _, log := bully(t, append([]string{"run"}, c.flags(1, more...)...)...)
		require.Equal(t, cli.Mismatch, status)
		return log
	}
	log := start(shows(folder, "2")...)
	require.Contains(t, log, "is of no use to node 1 of cluster test: the certificate names neither 1 nor bully://test/1")
	require.Contains(t, log, "what is wanted is a certificate for bully://test/1, for servers and for clients")
	require.Contains(t, start("-tls-cert", filepath.Join(folder, "1", "node.crt"), "-tls-key", filepath.Join(folder, "1", "node.key"),
		"-tls-ca", filepath.Join(other, "1", "ca.crt")), "signed by unknown authority")
	require.Contains(t, start(append(shows(folder, "1"), "-cluster", "toast")...), "names neither 1 nor bully://toast/1")
	require.Contains(t, start("-tls-cert", filepath.Join(folder, "1", "node.crt"), "-tls-key", filepath.Join(folder, "2", "node.key"),
		"-tls-ca", filepath.Join(folder, "1", "ca.crt")), "private key does not match")
	require.Contains(t, start("-tls-cert", filepath.Join(folder, "1", "node.crt"), "-tls-key", filepath.Join(folder, "1", "node.key"),
		"-tls-ca", filepath.Join(folder, "1", "node.key")), "node.key has no certificate in PEM")
	require.Contains(t, start("-tls-cert", "none", "-tls-key", "none", "-tls-ca", "none"), "-tls-…: open none")

	status, out, log := bully(t, append([]string{"init", "-data", t.TempDir(), "-cluster", "test", "-id", "1", "-members", "1=192.0.2.1:7"}, shows(folder, "1")...)...)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "Then run it: bully run -data ")
	require.Contains(t, out, " -tls-cert "+filepath.Join(folder, "1", "node.crt")+" -tls-key ")
	status, out, _ = bully(t, "join", "-data", t.TempDir(), "-cluster", "test", "-id", "1", "-address", "192.0.2.1:7", "-members", "2", "-insecure")
	require.Equal(t, cli.OK, status)
	require.Contains(t, out, " -insecure\nThen add it")
}

func TestCertUsage(t *testing.T) {
	t.Parallel()
	folder := certified(t, "1")
	ca := filepath.Join(folder, "ca")
	for want, args := range map[string][]string{
		"say what is to be made": {},
		`unknown "nodes"; did you mean node? (there are ca and node)`: {"nodes"},
		"bully cert: -dir is missing":                                 {"ca"},
		"-days: 0 is not from 1 to 36500":                             {"ca", "-dir", folder, "-days", "0"},
		"-ca is missing":                                              {"node"},
		"-id is missing":                                              {"node", "-ca", ca},
		"-dir is missing: give it":                                    {"node", "-ca", ca, "-id", "1"},
		"-cluster is missing":                                         {"node", "-ca", ca, "-id", "1", "-dir", folder},
		`-cluster: "a/b" is not`:                                      {"node", "-ca", ca, "-id", "1", "-dir", folder, "-cluster", "a/b"},
		"-id: node id:":                                               {"node", "-ca", ca, "-id", "x", "-dir", folder, "-cluster", "c"},
		`flag provided but not defined: -clustr; did you mean -cluster? ("bu`: {"node", "-clustr", "x"},
	} {
		status, _, log := bully(t, append([]string{"cert"}, args...)...)
		require.Equal(t, cli.Misused, status, log)
		require.Contains(t, log, want)
	}
	for want, args := range map[string][]string{
		"ca.key: it is there, and is not replaced":                   {"ca", "-dir", ca},
		"node.key: it is there, and is not replaced: file already e": {"node", "-ca", ca, "-cluster", "c", "-id", "1", "-dir", filepath.Join(folder, "1")},
		"-renew replaces it": {"node", "-ca", ca, "-cluster", "c", "-id", "1", "-dir", filepath.Join(folder, "1")},
		"there is no authority in none: make one with bully cert ca": {"node", "-ca", "none", "-cluster", "c", "-id", "1", "-dir", folder},
	} {
		status, _, log := bully(t, append([]string{"cert"}, args...)...)
		require.Equal(t, cli.Mismatch, status, log)
		require.Contains(t, log, want)
	}
	require.Contains(t, made(t, "-h"), "bully cert node:\n  -ca folder")
	info, err := os.Stat(filepath.Join(ca, "ca.key"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "nobody else reads the key")
}
