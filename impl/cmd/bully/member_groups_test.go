//go:build unix

package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/web"
)

// TestMembersOfGroups runs ten groups over nodes that come and go: one is added, and comes to lead what it is to; one is removed, and ends by itself when no group has it; and a group is added that begins
// with who is there then.
func TestMembersOfGroups(t *testing.T) {
	t.Parallel()
	c := newRoaming(t, "1", "2")
	file := filepath.Join(t.TempDir(), "groups.txt")
	says := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	says("orders-[0-9]\n")
	for _, id := range []string{"1", "2"} {
		c.run(id, "-group", "@"+file)
	}
	placed(t, c.http["1"], asPlanned(10))
	three := c.join("3")
	c.run("3", "-group", "@"+file)
	p := placed(t, c.http["3"], func(p *web.Placed) bool { return len(p.Problems) == 10 })
	require.Contains(t, p.Problems[0], "waits until its leader adds this node")
	said, out, log := bully(t, "groups", c.http["3"])
	require.Equal(t, cli.Mismatch, said, log)
	require.Contains(t, out, "orders-0, at node 3: waits until its leader adds this node")

	status, _, log := c.member("add", three)
	require.Equal(t, cli.OK, status, log)
	all := func(n int, ids ...string) func(*web.Placed) bool {
		return func(p *web.Placed) bool {
			var there []string
			for _, m := range p.Members {
				if !m.Out {
					there = append(there, m.ID.String())
				}
			}
			return slices.Equal(there, ids) && len(p.Members) == len(ids) && len(p.Changing) == 0 && asPlanned(n)(p)
		}
	}
	for _, id := range []string{"1", "2", "3"} {
		placed(t, c.http[id], all(10, "1", "2", "3"))
	}
	require.NotZero(t, placed(t, c.http["1"], all(10, "1", "2", "3")).Members[2].Leads, "node 3 leads some of the groups")
	said, out, log = bully(t, "groups", c.http["1"], c.http["2"], c.http["3"])
	require.Equal(t, cli.OK, said, log)
	require.Contains(t, out, "10 groups: 10 led as planned")

	until(t, "1 is removed", func() bool { status, _, log = c.member("remove", "1"); return status == cli.OK })
	require.Equal(t, cli.Mismatch, c.node["1"].wait())
	require.Contains(t, c.node["1"].log.String(), "no member any more")
	delete(c.http, "1")
	for _, id := range []string{"2", "3"} {
		placed(t, c.http[id], all(10, "2", "3"))
	}
	says("orders-[0-9]\nlate first=2,3\n")
	for _, id := range []string{"2", "3"} {
		c.node[id].signal(syscall.SIGHUP)
	}
	placed(t, c.http["2"], all(11, "2", "3"))
	for _, id := range []string{"2", "3"} {
		c.node[id].signal(syscall.SIGTERM)
		require.Equal(t, cli.OK, c.node[id].wait(), c.node[id].log.String())
	}
}

// TestOperatingGroups: what works at a node of one election works at one of many groups whose members change, of the cluster's own election: status, resign, and the record of its steps. Who asks is told which
// groups lag behind, and why; and with fixed members, where to ask.
func TestOperatingGroups(t *testing.T) {
	t.Parallel()
	c, recorded := newRoaming(t, "1", "2"), t.TempDir()
	file := filepath.Join(t.TempDir(), "groups.txt")
	says := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	says("mail\n")
	for _, id := range []string{"1", "2"} {
		c.run(id, "-group", "orders-[0-9]", "-trace", recorded)
	}
	placed(t, c.http["1"], asPlanned(10))
	both := c.http["1"] + "," + c.http["2"]
	until(t, "all is well", func() bool { status, _, _ := bully(t, "status", "-http", both); return status == cli.OK })
	_, out, _ := bully(t, "status", "-http", both)
	require.Regexp(t, `saves +groups +at\n1 .* \d/10 +http.*\n2 .* \d/10 +http`, out)
	status, out, log := bully(t, "resign", "-to", "1", "-hold", "10m", "-http", both)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "node 1 leads epoch")
	code, page := fetch(c.http["1"], "/election")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, page, "<title>")

	three := c.join("3")
	c.run("3", "-group", "@"+file, "-trace", recorded) // it takes part in none of the others' groups
	status, _, log = c.member("add", three)
	require.Equal(t, cli.OK, status, log)
	why := "and 5 others: node 3 is to vote, and has not acknowledged yet that it is an observer: it must run, and take part in this group\n"
	until(t, "it is said why groups lag", func() bool {
		_, out, _ := bully(t, "groups", "-http", both)
		return strings.Contains(out, "10 groups have other members than the cluster, as yet:\n  orders-0, orders-1, orders-2, orders-3, orders-4 "+why)
	})
	_, out, _ = bully(t, "groups", "-list", "-http", both)
	require.Contains(t, out, "\n  orders-7: node 3 is to vote")
	_, out, _ = bully(t, "status", "-http", both)
	require.Contains(t, out, "10 of 10 groups have other members than the cluster, as yet, and its next change waits for them; bully groups names them\n")
	require.Contains(t, out, ": node 3 is to vote")
	_, out = fetch(c.http["1"], "/metrics")
	require.Contains(t, out, "\nbully_groups_lagging 10\n")
	says("mail\norders-[0-9]\n")
	c.node["3"].signal(syscall.SIGHUP)
	for _, id := range []string{"1", "2", "3"} {
		placed(t, c.http[id], func(p *web.Placed) bool {
			return slices.Index(p.Names, "orders-9") >= 0 && !slices.Contains(p.Changing, slices.Index(p.Names, "orders-9"))
		})
	}
	for _, id := range []string{"3", "1", "2"} {
		c.node[id].signal(syscall.SIGTERM)
		require.Equal(t, cli.OK, c.node[id].wait(), c.node[id].log.String())
	}
	status, out, log = bully(t, "trace", "check", recorded)
	require.Equal(t, cli.OK, status, log)
	require.Contains(t, out, "refused: 0")

	fixed := newCluster(t, 1)
	fixed.run(1, "-group", "a")
	placed(t, fixed.http[0], asPlanned(1))
	for _, args := range [][]string{{"member", "list"}, {"resign", "-timeout", "2s"}} {
		until(t, fmt.Sprintf("bully %s says where to ask", args), func() bool {
			status, _, log := bully(t, append(args, "-http", fixed.http[0])...)
			return status == cli.Mismatch && strings.Contains(log, "as its members are fixed: bully groups")
		})
	}
}
