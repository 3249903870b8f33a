//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/spec"
)

// roaming is a cluster whose members come and go.
type roaming struct {
	t       testing.TB
	dir     string
	address map[string]string // of each node, to the others
	http    map[string]string
	node    map[string]*process
}

// newRoaming makes the records of some first members.
func newRoaming(t testing.TB, first ...string) *roaming {
	t.Helper()
	c := &roaming{t: t, dir: t.TempDir(), address: map[string]string{}, http: map[string]string{}, node: map[string]*process{}}
	var members []string
	for _, id := range first {
		c.address[id] = freeAddress(t)
		members = append(members, id+"="+c.address[id])
	}
	for _, id := range first {
		status, out, log := bully(t, "init", "-data", c.data(id), "-cluster", "test", "-id", id, "-members", strings.Join(members, ","))
		require.Equal(t, cli.OK, status, log)
		require.Contains(t, out, "Made the record of node "+id+" of cluster test, incarnation ")
		require.Contains(t, out, "Then run it: bully run -data "+c.data(id))
	}
	return c
}

func (c *roaming) data(id string) string { return filepath.Join(c.dir, id) }

// others returns the other nodes that there are.
func (c *roaming) others(id string) string {
	all := maps.Clone(c.address)
	maps.Copy(all, c.http) // they may be where they were before this cluster was
	delete(all, id)
	return strings.Join(slices.Sorted(maps.Keys(all)), ",")
}

// join makes the record of a node that is to be added, and returns what is to be given to bully member add.
func (c *roaming) join(id string) string {
	c.t.Helper()
	c.address[id] = freeAddress(c.t)
	status, out, log := bully(c.t, "join", "-data", c.data(id), "-cluster", "test", "-id", id, "-address", c.address[id], "-members", c.others(id))
	require.Equal(c.t, cli.OK, status, log)
	line := regexp.MustCompile(`bully member add -http ADDRESS (` + id + `=\S+#[0-9a-f]{16})`).FindStringSubmatch(out)
	require.NotNil(c.t, line, out)
	require.Contains(c.t, out, "the leader must be among them", "any member alone will not do")
	return line[1]
}

// run starts a node that keeps its reign.
func (c *roaming) run(id string, more ...string) *process {
	if c.http[id] == "" {
		c.http[id] = freeAddress(c.t)
	}
	c.node[id] = spawn(c.t, slices.Concat([]string{"run", "-data", c.data(id), "-http", c.http[id]}, steady, more)...)
	return c.node[id]
}

// urls returns where all nodes are seen.
func (c *roaming) urls() string {
	var all []string
	for _, address := range c.http {
		all = append(all, address)
	}
	return strings.Join(all, ",")
}

// member runs bully member, with the addresses of all nodes.
func (c *roaming) member(verb string, args ...string) (status int, out, log string) {
	return bully(c.t, append([]string{"member", verb, "-http", c.urls()}, args...)...)
}

// TestMembers makes a cluster of one, adds two, removes the leader, and starts the removed one once more.
func TestMembers(t *testing.T) {
	t.Parallel()
	c := newRoaming(t, "1")
	traces := t.TempDir()
	c.run("1", "-trace", traces)
	leads(t, c.http["1"])
	two, three := c.join("2"), c.join("3")
	c.run("2", "-trace", traces)
	until(t, "2 is up", func() bool { code, _ := fetch(c.http["2"], "/healthz"); return code == 200 })
	until(t, "1 leads, and says so", func() bool {
		status, out, _ := c.member("list")
		return status == cli.OK && regexp.MustCompile(`(?m)^1 +voter +127\.0\.0\.1:\d+ +leads\nversion 1, epoch \d+, settled\n`).MatchString(out)
	})
	_, out, _ := bully(t, "status", "-http", c.http["2"])
	require.Contains(t, out, "follower (waiting)")

	status, out, log := c.member("add", "-version", "1", two)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "version 3, epoch ")
	until(t, "2 takes over", func() bool {
		_, out, _ := c.member("list")
		return regexp.MustCompile(`(?m)^2 .* leads$`).MatchString(out)
	})
	status, out, log = c.member("rank", "1", "7")
	require.Equal(t, cli.OK, status, log)
	require.Regexp(t, `(?m)^node +kind +rank +address`, out)
	until(t, "1 takes over, as it is of the higher rank", func() bool {
		_, out, _ := c.member("list")
		return regexp.MustCompile(`(?m)^1 +voter +7 .* leads$`).MatchString(out)
	})
	status, _, log = c.member("rank", "1", "0")
	require.Equal(t, cli.OK, status, log)
	until(t, "2 takes over again", func() bool {
		_, out, _ := c.member("list")
		return regexp.MustCompile(`(?m)^2 .* leads$`).MatchString(out)
	})
	status, _, log = c.member("add", "-version", "1", three)
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "version 1 is expected, and they are at ")
	status, _, log = c.member("remove", "7")
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "node 7 is no member, and so cannot be removed")

	c.run("3", "-trace", traces)
	status, _, log = c.member("replace", "-kind", "voter", "2", three)
	require.Equal(t, cli.OK, status, log)
	// 3 may take over before 2 knows that a quorum has it as a voter: then the next leader is asked what has come of it.
	require.Regexp(t, "node 2, which led, has (handed over|gone: .* it is not known whether the members have been changed)", log)
	require.Equal(t, cli.Mismatch, c.node["2"].wait())
	require.Contains(t, c.node["2"].log.String(), "bully run: host: this node is no member any more")
	require.Equal(t, cli.Mismatch, c.run("2", "-trace", traces).wait(), "with its old disk: it asks once more")
	require.Contains(t, c.node["2"].log.String(), "with its disk it can be added again; without it, it comes back under a new id")

	status, out, _ = bully(t, "repair", "-data", c.data("2"))
	require.Equal(t, cli.OK, status)
	require.Regexp(t, `node +2 of cluster test`, out)
	require.NotContains(t, out, "does not belong here")
	status, out, log = bully(t, "repair", "-data", c.data("2"), "-raise", "77")
	require.Equal(t, cli.OK, status, log)
	require.Regexp(t, `epoch +77`, out)
	status, _, log = bully(t, "repair", "-data", c.data("2"), "-raise", "78", "-id", "2", "-members", "1,2")
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "without a list of members", "its record is there, and is raised otherwise")
	for _, id := range []string{"1", "3"} {
		c.node[id].signal(syscall.SIGTERM)
		require.Equal(t, cli.OK, c.node[id].wait())
	}
	merged := filepath.Join(t.TempDir(), "merged.ndjson")
	status, _, log = bully(t, "trace", "merge", "-o", merged, traces)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, log, ", nodes: 3, crashes: 0, stops: 4", "2 has stopped twice, as it was removed")
	text, err := os.ReadFile(merged)
	require.NoError(t, err)
	header, _, _ := strings.Cut(string(text), "\n")
	require.Contains(t, header, `{"format":3,"spec":"2.0","changing":true,"members":["1","2","3"],`)
}

// TestWrongDisk: a node whose disk is not the one that was added under its id is told so, and is no member.
func TestWrongDisk(t *testing.T) {
	t.Parallel()
	c := newRoaming(t, "1")
	c.run("1")
	leads(t, c.http["1"])
	two := c.join("2")
	require.NoError(t, os.RemoveAll(c.data("2")))
	status, _, log := bully(t, "join", "-data", c.data("2"), "-cluster", "test", "-id", "2", "-address", c.address["2"], "-members", "1")
	require.Equal(t, cli.OK, status, log)
	c.run("2")
	until(t, "2 is up", func() bool { code, _ := fetch(c.http["2"], "/healthz"); return code == 200 })
	until(t, "it gets no further than to be an observer", func() bool {
		status, _, log = c.member("add", "-timeout", "1s", two)
		require.Equal(t, cli.Mismatch, status)
		require.NotEmpty(t, log, "node 2 has another disk, and bully member add must say why it fails")
		_, out, _ := c.member("list")
		return strings.Contains(out, "observer")
	})
	until(t, "it is said why", func() bool { return strings.Contains(c.node["1"].log.String(), "incarnation") })
	status, _, log = c.member("remove", "2")
	require.Equal(t, cli.OK, status, log)
}

// TestRemovedIDStaysRemoved: an id never comes back with another disk (R1), and whoever tries is told so before anything is
// changed. Else the others would take the new disk for one that has lost its record, and its node would stop for good.
func TestRemovedIDStaysRemoved(t *testing.T) {
	t.Parallel()
	c := newRoaming(t, "1")
	c.run("1")
	leads(t, c.http["1"])
	former := c.join("2")
	c.run("2")
	until(t, "2 is up", func() bool { code, _ := fetch(c.http["2"], "/healthz"); return code == 200 })
	status, _, log := c.member("add", "-kind", "witness", former)
	require.Equal(t, cli.OK, status, log)
	status, _, log = c.member("remove", "2")
	require.Equal(t, cli.OK, status, log)
	require.Equal(t, cli.Mismatch, c.node["2"].wait())

	require.NoError(t, os.RemoveAll(c.data("2")))
	anew := c.join("2")
	c.run("2")
	until(t, "2 is up again", func() bool { code, _ := fetch(c.http["2"], "/healthz"); return code == 200 })
	for _, address := range []string{anew, strings.Split(anew, "#")[0]} {
		status, _, log = c.member("add", "-kind", "observer", address)
		require.Equal(t, cli.Mismatch, status, log)
		require.Contains(t, log, "node 2 was here before, with another disk ("+former[strings.Index(former, "#")+1:]+")")
		require.Contains(t, log, "join under a new id")
	}
	var out string
	until(t, "bully member list names the members", func() bool { status, out, _ = c.member("list"); return status == cli.OK })
	require.NotRegexp(t, `(?m)^2 `, out, "node 2 was removed, and came back with another disk")
	code, _ := fetch(c.http["2"], "/healthz")
	require.Equal(t, 200, code, "it still waits, and has not been disowned: %s", c.node["2"].log)
}

// TestInitAbove: a cluster that takes the place of another begins above the epochs of that, and each of its nodes has the number on disk. A
// record that is there, or has been there, is not touched.
func TestInitAbove(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	init := func(more ...string) []string {
		return append([]string{"init", "-data", data, "-cluster", "test", "-id", "1", "-members", "1=127.0.0.1:1,2=127.0.0.1:2"}, more...)
	}
	status, out, log := bully(t, init("-epoch", "1000000")...)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "The first leader has an epoch above 1000000.\nDo the same at node 2, with its own -id and the same -cluster, -members and -epoch.")
	status, out, log = bully(t, "repair", "-data", data)
	require.Equal(t, cli.OK, status, log)
	require.Regexp(t, `(?m)^epoch +1000000$`, out)
	require.Regexp(t, `(?m)^members +of epoch 0, version 1:$`, out)
	require.NotContains(t, out, "never", "it starts as after a restart: silent at first")

	for range 2 { // once it is there, and once it is lost
		status, _, log = bully(t, init("-epoch", "2000000")...)
		require.Equal(t, cli.Mismatch, status)
		require.Regexp(t, "is there already|is lost", log)
		require.NoError(t, os.RemoveAll(filepath.Join(data, "record")))
	}
	for want, args := range map[string][]string{
		"-epoch: 4503599627370497 is above 2^52":             init("-epoch", "4503599627370497"),
		"-epoch: with -from-fixed the epoch of the record s": init("-epoch", "7", "-from-fixed"),
	} {
		status, _, log := bully(t, args...)
		require.Equal(t, cli.Misused, status)
		require.Contains(t, log, want)
	}
}

// TestOneDiskAnID: whoever gives an id to a disk is told the same, wherever that is done.
func TestOneDiskAnID(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"join", "member"} {
		_, out, _ := bully(t, "help", command)
		require.Contains(t, out, oneDisk, command)
	}
}

// TestMembersUsage sees that wrong calls are refused with what would be right.
func TestMembersUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for want, args := range map[string][]string{
		"bully init: -data is missing":    {"init"},
		"bully init: -id is missing":      {"init", "-data", dir},
		"bully init: -members is missing": {"init", "-data", dir, "-cluster", "c", "-id", "1"},
		"bully init: -cluster is missing": {"init", "-data", dir, "-id", "1"},
		"bully join: -cluster is missing": {"join", "-data", dir, "-id", "1", "-address", "127.0.0.1:1"},
		"bully init: node 1 is at 192.0.2.1:1, which is no loopback address: give -tls-cert": {"init", "-data", dir, "-cluster", "c", "-id", "1", "-members", "1=192.0.2.1:1"},
		"bully join: this node is at 192.0.2.1:1, which is no loopback address: give":        {"join", "-data", dir, "-cluster", "c", "-id", "1", "-address", "192.0.2.1:1", "-members", "2"},
		"bully init: -id: node 1 is not one of -members":                                     {"init", "-data", dir, "-cluster", "c", "-id", "1", "-members", "2=a:1"},
		`bully init: unexpected argument "x"`:                                                {"init", "x"},
		"bully join: -address is missing":                                                    {"join", "-data", dir, "-cluster", "c", "-id", "1"},
		`bully join: -address: "a" is no address`:                                            {"join", "-data", dir, "-cluster", "c", "-id", "1", "-address", "a"},
		"bully join: -members is missing: give the ids of the members, as in -members 1,2,3": {"join", "-data", dir, "-cluster", "c", "-id", "1", "-address", "a:1"},
		`bully join: -members: node id: "x" is neither`:                                      {"join", "-data", dir, "-cluster", "c", "-id", "1", "-address", "a:1", "-members", "2,x"},
		"bully join: -members: node 1 is the one that is to be added":                        {"join", "-data", dir, "-cluster", "c", "-id", "1", "-address", "a:1", "-members", "1,2"},
		"bully join: -id: ": {"join", "-data", dir, "-cluster", "c", "-id", "0", "-address", "a:1"},
		"bully member: do what? There are list, add, remove":         {"member"},
		`bully member: "-1" is no rank: give an integer from 0 to`:   {"member", "rank", "-http", "a:1", "3", "-1"},
		"give ID N, after the flags: there are 1":                    {"member", "rank", "-http", "a:1", "3"},
		"is no rank: give an integer from 0 to 65535":                {"member", "add", "-http", "a:1", "-rank", "65536", "3=a:1"},
		`bully member: unknown "lsit"; did you mean list?`:           {"member", "lsit", "-http", "a:1"},
		"bully member: no node is given: bully member list -http ":   {"member", "list"},
		"bully member: -timeout: 0s is no time to wait":              {"member", "list", "-timeout", "0", "-http", "a:1"},
		"bully member: give ID=host:port, after the flags":           {"member", "add", "-http", "a:1"},
		`bully member: "3" has no =`:                                 {"member", "add", "-http", "a:1", "3"},
		"after # an incarnation of 16 digits":                        {"member", "add", "-http", "a:1", "3=a:1#7"},
		`bully member: -kind: unknown "vote"; did you mean voter?`:   {"member", "add", "-http", "a:1", "-kind", "vote", "3=a:1"},
		"give OLD ID=host:port, after the flags: there are 1":        {"member", "replace", "-http", "a:1", "3=a:1"},
		"flag provided but not defined: -kind (\"bully help member ": {"member", "remove", "-http", "a:1", "-kind", "voter", "3"},
	} {
		status, _, log := bully(t, args...)
		require.Equal(t, cli.Misused, status, "%v: %s", args, log)
		require.Contains(t, log, want)
	}
	status, _, log := bully(t, "member", "list", "-http", "127.0.0.1:1")
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "no node has said who the members are: http://127.0.0.1:1: ")

	status, _, log = bully(t, "init", "-data", dir, "-cluster", "bully", "-id", "1", "-members", "1=127.0.0.1:1")
	require.Equal(t, cli.OK, status, log)
	status, _, log = bully(t, "join", "-data", dir, "-cluster", "bully", "-id", "1", "-address", "127.0.0.1:1", "-members", "2")
	require.Equal(t, cli.Mismatch, status, "a record is made once")
	require.Contains(t, log, "is there already")
	for want, args := range map[string][]string{
		"-id: the record in " + dir + " is that of node 1, not of 2":           {"run", "-data", dir, "-id", "2"},
		"-cluster: the record in " + dir + " is of cluster bully, not of jobs": {"run", "-data", dir, "-cluster", "jobs"},
	} {
		status, _, log := bully(t, args...)
		require.Equal(t, cli.Misused, status, log)
		require.Contains(t, log, want)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "record"), []byte("BULLYREC and no more"), 0o600))
	status, _, log = bully(t, "run", "-data", dir)
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "bully repair", "it does not ask for -id and -members")
}

// TestMemberListAsksAll: list asks all addresses, and those that a node knows of, and so the leader, though a follower was named.
func TestMemberListAsksAll(t *testing.T) {
	t.Parallel()
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	says := func(m web.Members, views map[spec.NodeID]string) string {
		first, err := spec.NewConfiguration(1, 1, []spec.Member{{ID: one, Kind: spec.Voter, Address: "127.0.0.1:1"}, {ID: two, Kind: spec.Voter, Address: "127.0.0.1:2"}})
		require.NoError(t, err)
		m.Configuration, m.Leader, m.Epoch = &first, two, 1
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/views" {
				_ = json.NewEncoder(w).Encode(map[string]any{"node": m.Node, "views": views})
				return
			}
			_ = json.NewEncoder(w).Encode(m)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	leader := says(web.Members{Node: two, Leading: true, Settled: true}, nil)
	knows, alone := says(web.Members{Node: one}, map[spec.NodeID]string{two: leader}), says(web.Members{Node: one}, nil)
	for _, args := range [][]string{{"-http", knows}, {"-http", alone + "," + leader}, {alone, leader}, {knows}} {
		until(t, fmt.Sprintf("bully member list %s finds the leader", args), func() bool {
			status, out, _ := bully(t, append([]string{"member", "list"}, args...)...)
			return status == cli.OK && strings.Contains(out, "version 1, epoch 1, settled\n")
		})
	}
	until(t, "bully member list says that it has not asked the leader", func() bool {
		_, out, _ := bully(t, "member", "list", alone)
		return strings.Contains(out, "as node 1 knows: the leader, which can tell whether it is settled, was not asked or has not answered")
	})
}

// TestMembersNotAllowed: a node whose address anybody can reach changes nothing, unless it is told to; and fixed members
// are fixed.
func TestMembersNotAllowed(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	c.run(1)
	leads(t, c.http[0])
	until(t, "bully member list says that the members of node 1 are fixed", func() bool {
		status, _, log := bully(t, "member", "list", "-http", c.http[0])
		return status == cli.Mismatch && strings.Contains(log, "its members are fixed")
	})
}
