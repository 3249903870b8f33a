//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/nameserver"
)

// serviceOfPods is the name under which the pods of a test are found.
const serviceOfPods = "_peer._tcp.bully.test"

// pods are nodes of a StatefulSet, as far as this machine can have one: hosts are addresses of loopback, which Linux has many of, and the
// names of pods are known to a name server.
type pods struct {
	t     testing.TB
	names *nameserver.Server
	port  string
	http  []string
	data  []string
}

// newPods makes room for so many pods, of which DNS knows none.
func newPods(t testing.TB, n int) *pods {
	t.Helper()
	names, err := nameserver.Start()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, names.Close()) })
	p := &pods{t: t, names: names}
	_, p.port, err = net.SplitHostPort(freeAddress(t))
	require.NoError(t, err)
	for i := range n {
		p.http = append(p.http, freeAddress(t))
		p.data = append(p.data, filepath.Join(t.TempDir(), "data"))
		p.at(i, fmt.Sprintf("127.0.0.%d", i+2))
	}
	return p
}

// at says where a pod is.
func (p *pods) at(ordinal int, address string) {
	p.names.Host(fmt.Sprintf("bully-%d.bully.test", ordinal), address)
}

// known makes DNS name pods of these ordinals.
func (p *pods) known(ordinals ...int) {
	var port uint16
	_, err := fmt.Sscan(p.port, &port)
	require.NoError(p.t, err)
	var targets []nameserver.Target
	for _, ordinal := range ordinals {
		targets = append(targets, nameserver.Target{Host: fmt.Sprintf("bully-%d.bully.test", ordinal), Port: port})
	}
	p.names.Serve(serviceOfPods, targets...)
}

// ofPage returns the arguments of the command that begins so in MEMBERS.md, with other values of flags and without those of TLS.
func ofPage(t testing.TB, begins string, values map[string]string) (args []string) {
	t.Helper()
	page, err := os.ReadFile("../../MEMBERS.md")
	require.NoError(t, err)
	command := regexp.MustCompile("(?m)" + regexp.QuoteMeta(begins) + "[^`\n]* -tls-cert …").FindString(strings.ReplaceAll(string(page), `$(cat /var/lib/bully/members)`, "MEMBERS"))
	require.NotEmpty(t, command, "MEMBERS.md has no command %s", begins)
	words := strings.Fields(strings.TrimSuffix(command, " -tls-cert …"))
	for i, word := range words[1:] {
		if value, given := values[words[i]]; given {
			word = value
			delete(values, words[i])
		}
		args = append(args, word)
	}
	require.Empty(t, values, "%s has no such flags", command)
	return args
}

// flags are those of a pod, as MEMBERS.md has them, but for addresses and folders.
func (p *pods) flags(ordinal int, address string) []string {
	args := ofPage(p.t, "bully run -id ordinal ", map[string]string{"-members": "dns+srv://" + p.names.Address() + "/" + serviceOfPods, "-expect": fmt.Sprint(len(p.http)),
		"-data": p.data[ordinal], "-http": p.http[ordinal]})
	return append(append(args[1:], "-insecure", "-listen", net.JoinHostPort(address, p.port)), steady...)
}

// hostOf is the environment of a pod: the name of its host.
func hostOf(ordinal int) []string { return []string{fmt.Sprintf("HOSTNAME=bully-%d", ordinal)} }

// run starts a pod at an address.
func (p *pods) run(ordinal int, address string) *process {
	return spawnWith(p.t, hostOf(ordinal), append([]string{"run"}, p.flags(ordinal, address)...)...)
}

// waits waits until a pod says that it waits for something, and has not started.
func (p *pods) waits(ordinal int, what string) {
	p.t.Helper()
	said := ""
	until(p.t, "it waits for "+what, func() bool {
		var status struct{ Waits string }
		code, body := fetch(p.http[ordinal], "/status")
		said = status.Waits
		return code == http.StatusOK && json.Unmarshal([]byte(body), &status) == nil && strings.Contains(status.Waits, what)
	})
	code, body := fetch(p.http[ordinal], "/healthz")
	require.Equal(p.t, http.StatusOK, code, body)
	code, _ = fetch(p.http[ordinal], "/leader")
	require.Equal(p.t, http.StatusServiceUnavailable, code)
	status, out, log := bully(p.t, "status", p.http[ordinal])
	require.Equal(p.t, cli.Mismatch, status)
	require.Regexp(p.t, fmt.Sprintf(`(?m)^%d +waiting `, ordinal+1), out, log)
	require.Contains(p.t, out, "it waits, and takes no part in elections yet: ")
	require.NoFileExists(p.t, filepath.Join(p.data[ordinal], "record"), said)
}

// linked waits until a pod has a connection to another.
func (p *pods) linked(ordinal, other int) {
	p.t.Helper()
	until(p.t, "they are connected", func() bool {
		var status struct {
			Links []struct {
				Node string
				Up   bool
			}
		}
		code, body := fetch(p.http[ordinal], "/status")
		if code != http.StatusOK || json.Unmarshal([]byte(body), &status) != nil {
			return false
		}
		for _, l := range status.Links {
			if l.Node == fmt.Sprint(other+1) {
				return l.Up
			}
		}
		return false
	})
}

// TestFound starts three pods one after the other. None begins before all are there; each then finds one that comes back elsewhere.
func TestFound(t *testing.T) {
	t.Parallel()
	p := newPods(t, 3)
	first := p.run(0, "127.0.0.2")
	p.waits(0, "DNS has no SRV records of "+serviceOfPods)
	p.known(0)
	p.waits(0, "names 1 of 3 members: 1=bully-0.bully.test:")
	require.NoDirExists(t, p.data[0])
	p.known(0, 1, 2)
	p.run(1, "127.0.0.3")
	p.waits(0, "node 3: a first start waits until all members have been reached")
	p.waits(1, "node 3: a first start waits until all members have been reached")
	p.run(2, "127.0.0.4")
	for _, address := range p.http {
		leads(t, address)
	}

	// A pod is ended, and comes back with its disk at another address: DNS says so late.
	require.NoError(t, first.cmd.Process.Kill())
	first.wait()
	first = p.run(0, "127.0.0.12")
	p.at(0, "127.0.0.12")
	p.linked(2, 0)
	p.linked(1, 0)
	leads(t, p.http[0])

	// It begins again though DNS says nothing, and another time though it names others: who the members are was settled.
	first.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, first.wait())
	p.names.Forget(serviceOfPods)
	first = p.run(0, "127.0.0.12")
	leads(t, p.http[0])
	require.Contains(t, first.log.String(), "members could not be looked up")
	status, out, log := bully(t, "repair", "-data", p.data[1])
	require.Equal(t, cli.OK, status, log)
	require.NotContains(t, out, "beside", "what was settled belongs there")
	first.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, first.wait())
	p.known(0, 1, 7)
	first = p.run(0, "127.0.0.12")
	leads(t, p.http[0])
	require.Regexp(t, "DNS names nodes that are no members|members could not be looked up", first.log.String(), "the latter if this machine takes a second to answer itself")

	first.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, first.wait())
	settled, err := os.ReadFile(filepath.Join(p.data[0], "members"))
	require.NoError(t, err)
	args := ofPage(t, "bully init -from-fixed ", map[string]string{"-data": p.data[0], "-members": strings.TrimSpace(string(settled))})
	status, out, log = bully(t, append(args, "-insecure")...)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "The members of node 1 of cluster jobs")
}

// TestFoundDiffers lets DNS tell each of two nodes other members. Neither ever starts, and both say why.
func TestFoundDiffers(t *testing.T) {
	t.Parallel()
	p := newPods(t, 3)
	p.known(0, 1, 2)
	one := p.run(0, "127.0.0.2")
	p.waits(0, "node 2, 3: a first start waits")
	p.known(0, 1, 3)
	two := p.run(1, "127.0.0.3")
	p.waits(1, "node 1, 4: a first start waits")
	until(t, "each is refused by the other", func() bool {
		return strings.Contains(one.log.String(), "refused by node 2: other members were given to this node") &&
			strings.Contains(two.log.String(), "refused by node 1: other members were given to this node")
	})
	p.waits(0, "node 2, 3: a first start waits")
	for _, node := range []*process{one, two} {
		node.signal(syscall.SIGTERM)
		require.Equal(t, cli.OK, node.wait())
	}
	for _, data := range p.data[:2] {
		require.NoFileExists(t, filepath.Join(data, "record"))
		require.FileExists(t, filepath.Join(data, "members"))
	}
}

// TestFoundToldToStop sees that a node ends in good order while it waits for DNS.
func TestFoundToldToStop(t *testing.T) {
	t.Parallel()
	p := newPods(t, 2)
	one := p.run(0, "127.0.0.2")
	p.waits(0, "DNS has no SRV records")
	one.signal(syscall.SIGTERM)
	require.Equal(t, cli.OK, one.wait())
}

// TestFoundExec runs a command on the only node of a cluster that is found.
func TestFoundExec(t *testing.T) {
	t.Parallel()
	p := newPods(t, 1)
	p.known(0)
	n := spawnWith(t, hostOf(0), append(append([]string{"exec"}, p.flags(0, "127.0.0.2")...), "-move", "--", "/bin/sh", "-c", `echo "node $BULLY_NODE"`)...)
	require.Equal(t, cli.OK, n.wait())
	require.Regexp(t, `^(node 1\n)+$`, n.out.String(), "more than once where the machine stands still for longer than a reign")
}

// TestFoundUsage sees what is wrong said, and nothing begun.
func TestFoundUsage(t *testing.T) {
	t.Parallel()
	p := newPods(t, 3)
	p.known(0, 1, 2, 3)
	flags := p.flags(0, "127.0.0.2")
	for _, c := range []struct {
		status   int
		hostname string
		want     string
		more     []string
	}{
		{cli.Mismatch, "bully-0", "names 4 members, and 3 are expected: 1=bully-0.bully.test:", nil},
		{cli.Misused, "bully-0", "-expect is missing: say how many members there are, as in -expect 3", []string{"-expect", "0"}},
		{cli.Misused, "bully-0", "-members and -expect: Expect: -1 is not from 1 to 64", []string{"-expect", "-1"}},
		{cli.Misused, "bully-0", "-expect is for members that DNS names", []string{"-members", "1=127.0.0.1:7000"}},
		{cli.Misused, "bully-0", `-members and -expect: Where: "http://x" is no place of members: give dns+srv://NAME, or dns://NAME:PORT`, []string{"-members", "http://x"}},
		{cli.Misused, "bully-0", "members are found at dns+srv://", []string{"-insecure=false"}},
		{cli.Misused, "bully-0", `-on-change: exec: "no-such-program"`, []string{"-on-change", "no-such-program"}},
		{cli.Misused, "bully", `-id ordinal: the name of this host: "bully" has no ordinal: a name such as bully-0 is wanted`, nil},
	} {
		n := spawnWith(t, []string{"HOSTNAME=" + c.hostname}, append(append([]string{"run"}, flags...), c.more...)...)
		require.Equal(t, c.status, n.wait(), n.log)
		require.Contains(t, n.log.String(), c.want)
		_, err := os.Stat(p.data[0])
		require.ErrorIs(t, err, os.ErrNotExist)
	}
}
