package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/spec"
)

func TestParseGroups(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "groups.txt")
	require.NoError(t, os.WriteFile(file, []byte("# what there is\n\norders-[0-2] # three\nbilling=3\n"), 0o600))
	l, err := parseGroups("mail, a[8-9]z=2 ,@" + file)
	require.NoError(t, err)
	require.Equal(t, []string{"mail", "a8z", "a9z", "orders-0", "orders-1", "orders-2", "billing"}, l.names)
	two, three := spec.IntegerID(2), spec.IntegerID(3)
	require.Equal(t, map[string]spec.NodeID{"a8z": two, "a9z": two, "billing": three}, l.pins)
	require.True(t, l.files, "a list with @FILE is read again after SIGHUP")
}

// What cannot be read is named, with where it is, and what would be right.
func TestGroupsRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(text string) string {
		name := filepath.Join(t.TempDir(), "bad.txt")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return "@" + name
	}
	for _, c := range []struct{ want, group, weight string }{
		{`-group: "" is no group: give a name such as orders, a range such as orders-[0-999], or billing=3`, "a,,b", ""},
		{`-group: "=3" is no group`, "=3", ""},
		{`-group: "a b" is no group`, "a b", ""},
		{`-group: "a[1-]" is no group`, "a[1-]", ""},
		{`-group: "a[9-1]": the range ends before it begins`, "a[9-1]", ""},
		{`-group: "a=x": what is behind = is the node to which the group is pinned: node id: "x"`, "a=x", ""},
		{`-group: with "a[0-100000]" there are more than 100000 groups`, "a[0-100000]", ""},
		{`-group: group "a1" is there twice, first at -group`, "a1,a[0-2]", ""},
		{`-group: the name "` + strings.Repeat("a", 129) + `" has 129 bytes: give at most 128`, strings.Repeat("a", 129), ""},
		{`-group: open `, "@" + filepath.Join(folder, "none"), ""},
		{`bad.txt:3: "!" is no group`, write("a\n# b\n!\n"), ""},
		{`bad.txt:2: the line has more than 65536 bytes: give one group a line`, write("a\n" + strings.Repeat("b", 70_000)), ""},
		{`bad.txt:1: "second": behind a group may be its first members, as in first=2,3,4`, write("a second\n"), ""},
		{`bad.txt:1: "first=": behind a group`, write("a first=\n"), ""},
		{`bad.txt:2: "first=1,x": node id: "x"`, write("a\nb\tfirst=1,x\n"), ""},
		{`-group: the members are fixed, and so every group begins with all of them: leave first= out`, write("a first=1\n"), ""},
		{`-group: "a" is pinned to node 7, which is not one of the members, which are [1 2 3]`, "a=7", ""},
		{`-weight: "1" is not ID=WEIGHT, as in 1=2,3=0`, "a", "1"},
		{`-weight: "x=1" is not ID=WEIGHT`, "a", "x=1"},
		{`-weight: node 1 is there twice`, "a", "1=1,1=2"},
		{`-weight: node 4 is not one of the members, which are [1 2 3]`, "a", "4=1"},
		{`the weight of node 1 is 1001: give one from 0 to 1000`, "a", "1=1001"},
	} {
		f := groupFlags{c.group, c.weight}
		_, _, err := f.placement([]spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)})
		require.ErrorContains(t, err, c.want)
		require.ErrorAs(t, err, &cli.UsageError{}, c.want)
	}
	for want, more := range map[string][]string{
		"-group names no groups: name some, or leave it out":                                {"-group", ""},
		"-weight says how much nodes are to lead of many groups: say with -group":           {"-weight", "1=2"},
		"-trace is of one election, and with fixed members the cluster has none of its own": {"-group", "a", "-trace", "t"},
		"-socket is of one election":                                                        {"-group", "a", "-socket", "s"},
	} {
		_, err := understood(t, nil, more...)
		require.ErrorContains(t, err, want)
		require.ErrorAs(t, err, &cli.UsageError{}, want)
	}
}

// A plan says who would lead what, and what moves: only what was led by who goes, or is to be led by who comes.
func TestPlan(t *testing.T) {
	t.Parallel()
	plan := func(want int, args ...string) (said, log string) {
		status, said, log := bully(t, append([]string{"groups", "-plan"}, args...)...)
		require.Equal(t, want, status, log)
		return said, log
	}
	shards := []string{"-members", "1,2=10.0.0.2:7000,3", "-group", "orders-[0-999],billing=3"}
	said, _ := plan(cli.OK, append(shards, "-down", "3")...)
	require.Equal(t, `node  weight  leads  share   then  share
1     1       324    32.4 %  504   50.3 %
2     1       317    31.7 %  497   49.7 %
3     1       360    36.0 %  0     0.0 %
360 of 1001 groups would move (36.0 %):
  180 from 3 to 1
  180 from 3 to 2
`, said)
	said, _ = plan(cli.OK, append(shards, "-add", "4", "-json")...)
	var p struct {
		Plan, Then map[string][]string
		Moves      []struct{ Group, From, To string }
	}
	require.NoError(t, json.Unmarshal([]byte(said), &p))
	require.Len(t, p.Moves, len(p.Then["4"]))
	for _, m := range p.Moves {
		require.Equal(t, "4", m.To)
	}
	said, _ = plan(cli.OK, "-members", "1,2,3", "-group", "a,billing=3", "-list", "-weight", "1=0,2=0")
	require.Contains(t, said, "\na: 3\nbilling: 3\n")
	said, _ = plan(cli.OK, "-members", "1,2,3", "-group", "billing=3", "-down", "2,3", "-list")
	require.Contains(t, said, "  1 from 3 to nobody\nwith 1 of 3 nodes nobody is elected: that takes more than half of them\nbilling: 3 to nobody\n")

	for want, args := range map[string][]string{
		"-members is missing: give the nodes, as in -members 1,2,3":           {"-group", "a"},
		"-group is missing: say which groups there are":                       {"-members", "1"},
		`-members: node id: "x" is neither`:                                   {"-members", "x", "-group", "a"},
		"-down: node 4 is not one of the members, which are [1 2]":            {"-members", "1,2", "-group", "a", "-down", "4"},
		"-add: node 2 is a member already":                                    {"-members", "1,2", "-group", "a", "-add", "2"},
		"-add: node 3 is there twice":                                         {"-members", "1,2", "-group", "a", "-add", "3,3"},
		"-members, -group and -weight are of a cluster that is asked nothing": {"-http", "127.0.0.1:1", "-members", "1"},
	} {
		_, log := plan(cli.Misused, args...)
		require.Contains(t, log, want)
	}
	_, log := plan(cli.Misused, "-wait", "1m", "-members", "1", "-group", "a")
	require.Contains(t, log, "-wait is a time such as 1m, and not of a plan")
	status, _, log := bully(t, "groups", "-down", "3", "127.0.0.1:1")
	require.Equal(t, cli.Misused, status)
	require.Contains(t, log, "-down is of a plan: give -plan too")
}

// placed waits until a node says what is asked for of its groups, and returns it.
func placed(t testing.TB, address string, is func(*web.Placed) bool) (p web.Placed) {
	t.Helper()
	until(t, "the groups at "+address, func() bool {
		p = web.Placed{}
		_, body := fetch(address, "/groups")
		return json.Unmarshal([]byte(body), &p) == nil && p.Check() == nil && is(&p)
	})
	return p
}

// asPlanned reports whether all of so many groups are led by whom they are to be.
func asPlanned(n int) func(*web.Placed) bool {
	return func(p *web.Placed) bool {
		for i := range p.Names {
			if p.Leaders[i] != p.Wanted[i] {
				return false
			}
		}
		return len(p.Names) == n
	}
}

// Three nodes run twenty groups; a node is killed, and comes back; and a group comes and one goes while they run.
func TestRunGroups(t *testing.T) {
	t.Parallel()
	c, file := newCluster(t, 3), filepath.Join(t.TempDir(), "groups.txt")
	says := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	says("orders-[0-18]\nbilling=2\n")
	flags := []string{"-group", "@" + file}
	nodes := []*process{c.run(1, flags...), c.run(2, flags...), c.run(3, flags...)}
	for _, at := range c.http {
		placed(t, at, asPlanned(20))
	}
	said, out, _ := bully(t, append([]string{"groups", "-wait", "1m"}, c.http...)...)
	require.Equal(t, cli.OK, said)
	require.Contains(t, out, "20 groups: 20 led as planned, 0 by another node, 0 without a leader\n")
	_, page := fetch(c.http[0], "/")
	require.Contains(t, page, "Who leads what")
	_, log := fetch(c.http[0], "/metrics")
	require.Contains(t, log, "\nbully_groups 20\n")

	require.NoError(t, nodes[1].cmd.Process.Kill())
	nodes[1].wait()
	placed(t, c.http[0], func(p *web.Placed) bool {
		for _, leader := range p.Leaders {
			if leader != 0 && leader != 2 {
				return false
			}
		}
		return true
	})
	said, out, _ = bully(t, "groups", c.http[0], c.http[1])
	require.Equal(t, cli.Mismatch, said)
	require.Regexp(t, `billing: [13] in epoch \d+, and not 2\n`, out)
	said, _, _ = bully(t, "groups", c.http[0])
	require.Equal(t, cli.OK, said, "it has a leader")
	said, _, planned := bully(t, "groups", "-wait", "1ms", c.http[0])
	require.Equal(t, cli.Mismatch, said)
	require.Regexp(t, `^bully groups: \d+ groups are led by another node than planned\n$`, planned)
	_, _, errs := bully(t, "status", c.http[0])
	require.Contains(t, errs, "1 of 1 nodes have not answered")

	says("orders-[0-18]\nmail\n")
	nodes[1] = c.run(2, flags...)
	for _, i := range []int{0, 2} {
		nodes[i].signal(syscall.SIGHUP)
	}
	for _, at := range c.http {
		p := placed(t, at, asPlanned(20))
		require.Contains(t, p.Names, "mail")
		require.NotContains(t, p.Names, "billing")
	}
	says("!")
	nodes[0].signal(syscall.SIGHUP)
	until(t, "the log says so", func() bool { return strings.Contains(nodes[0].log.String(), `groups.txt:1: \"!\" is no group`) })
	for _, n := range nodes {
		n.signal(syscall.SIGTERM)
	}
	for _, n := range nodes {
		require.Equal(t, cli.OK, n.wait())
	}
}

// TestReadEntry holds what reads an entry against its form, for all short texts of what an entry may have.
func TestReadEntry(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._:/-]*)?(?:\[(\d{1,9})-(\d{1,9})\]([A-Za-z0-9._:/-]*))?(?:=(.+))?$`)
	texts := []string{"a[1-2]b=3", "[12-345]a", "a[1-2]=", "a[1-2]b[3-4]", "a[1-2-3]", "a[1234567890-2]", "a[1-123456789]z"}
	for begin, end := 0, 0; len(texts) < 50_000; begin = end { // all with a byte more than those before
		if end = len(texts); begin == 0 {
			texts = append(texts, "")
			begin = end
			end++
		}
		for _, text := range texts[begin:end] {
			for _, more := range "a0-[]=! " {
				texts = append(texts, text+string(more))
			}
		}
	}
	for _, text := range texts {
		parts := form.FindStringSubmatch(text)
		e, ok := readEntry(text)
		if wants := parts != nil && text != "" && text[0] != '='; ok != wants {
			require.Equal(t, wants, ok, "%q is an entry", text) // which costs too much to ask 50,000 times
		}
		if !ok {
			continue
		}
		want := groupEntry{name: parts[1], ranged: parts[2] != "", rest: parts[4], pin: parts[5]}
		want.first, _ = strconv.Atoi(parts[2])
		want.last, _ = strconv.Atoi(parts[3])
		if e != want {
			require.Equal(t, want, e, "%q", text)
		}
	}
}

// TestPlannedGroups: who waits is told of each thing that is not as it is to be, of any node that was asked.
func TestPlannedGroups(t *testing.T) {
	t.Parallel()
	says := func(change func(*web.Placed)) placedAnswer {
		p := &web.Placed{Node: spec.IntegerID(1), Members: []web.PlacedMember{{ID: spec.IntegerID(1)}, {ID: spec.IntegerID(2)}}, Names: []string{"a", "b"},
			Leaders: []int{0, 1}, Wanted: []int{0, 1}}
		change(p)
		return placedAnswer{placed: p}
	}
	well := says(func(*web.Placed) {})
	require.NoError(t, plannedGroups([]placedAnswer{well, well}))
	for want, change := range map[string]func(*web.Placed){
		"1 groups are led by another node than planned":        func(p *web.Placed) { p.Leaders[0] = 1 },
		"1 groups have other members than the cluster, as yet": func(p *web.Placed) { p.Changing, p.Lags = []int{0}, map[int]string{0: "slow"} },
		"1 groups are not taken part in by all nodes":          func(p *web.Placed) { p.Problems = map[int]string{1: "other first members"} },
	} {
		require.EqualError(t, plannedGroups([]placedAnswer{well, says(change)}), want)
	}
}

// TestNoGroups: who asks a node of one election for groups is told why it says nothing.
func TestNoGroups(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 1)
	c.run(1)
	leadsHere(t, c.http[0])
	status, _, log := bully(t, "groups", c.http[0])
	require.Equal(t, cli.Mismatch, status)
	require.Contains(t, log, "404 Not Found: this node runs one election, and no groups: bully status and GET /leader say who leads")
}
