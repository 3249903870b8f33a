package bully_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	bully "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/nameserver"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// service is the name of the tests under which members are found.
const service = "_peer._tcp.bully.test"

// named starts a name server that knows so many members, from 127.0.0.2 on.
func named(t *testing.T, members int) *nameserver.Server {
	t.Helper()
	names, err := nameserver.Start()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, names.Close()) })
	var addresses []string
	for i := range members {
		addresses = append(addresses, fmt.Sprintf("127.0.0.%d", i+2))
		names.Host(pod(i), addresses[i])
	}
	names.Serve(service, pods(members)...)
	names.Pool("bully.test", addresses...)
	return names
}

// pod is the name of a member of an ordinal.
func pod(ordinal int) string { return fmt.Sprintf("bully-%d.bully.test", ordinal) }

// pods are the first so many.
func pods(n int) (targets []nameserver.Target) {
	for i := range n {
		targets = append(targets, nameserver.Target{Host: pod(i), Port: 7000})
	}
	return targets
}

// searchOf is a search for three members by node 1, in a folder of its own.
func searchOf(t *testing.T, names *nameserver.Server) bully.Search {
	return bully.Search{Where: "dns+srv://" + names.Address() + "/" + service, Expect: 3, ID: "1", Folder: filepath.Join(t.TempDir(), "data")}
}

// unanswered is what is said when no answer has come in time, and noAnswer to a question for members.
const (
	unanswered = "no name server answers a question for "
	noAnswer   = unanswered + "SRV records of "
)

// requireWaits runs a search until it waits, for this. It may wait for an answer before: this machine may be too slow to answer itself.
func requireWaits(t *testing.T, search bully.Search, want string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	search.Waits = func(why string) {
		if !strings.Contains(why, unanswered) {
			require.Equal(t, want, why)
			stop()
		}
	}
	_, err := bully.FindMembers(ctx, search)
	require.ErrorIs(t, err, context.Canceled)
}

// threePods are the members that named(t, 3) knows.
var threePods = map[string]string{"1": pod(0) + ":7000", "2": pod(1) + ":7000", "3": pod(2) + ":7000"}

// TestFindMembers finds members by either kind of record, and keeps who they are.
func TestFindMembers(t *testing.T) {
	names := named(t, 3)
	names.Pool("bully.test", "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5")
	names.Host(pod(2), "127.0.0.4", "127.0.0.5") // one member, though it has two addresses
	for _, where := range []string{"dns+srv://%s/" + service, "dns://%s/bully.test:7000"} {
		search := searchOf(t, names)
		search.Where = fmt.Sprintf(where, names.Address())
		found, err := bully.FindMembers(t.Context(), search)
		require.NoError(t, err)
		require.Equal(t, threePods, found.Members)
		kept, err := os.ReadFile(filepath.Join(search.Folder, bully.SettledFile))
		require.NoError(t, err)
		require.Equal(t, "1=bully-0.bully.test:7000,2=bully-1.bully.test:7000,3=bully-2.bully.test:7000\n", string(kept))
	}
}

// TestFindMembersWaits sees that a node waits as long as members are missing, and says why, whatever DNS answers.
func TestFindMembersWaits(t *testing.T) {
	names := named(t, 3)
	names.Forget(service)
	search := searchOf(t, names)
	steps := []struct {
		why  string
		next func()
	}{
		{"DNS has no SRV records of " + service, func() { names.Serve(service, pods(1)...) }},
		{search.Where + " names 1 of 3 members: 1=bully-0.bully.test:7000", func() { names.Serve(service, pods(2)...) }},
		{" names 2 of 3 members: 1=bully-0.bully.test:7000,2=bully-1.bully.test:7000", func() { names.Behave(nameserver.TruncatesAll) }},
		{"DNS does not say SRV records of " + service, func() { names.Behave(nameserver.Silent) }},
		{noAnswer + service, func() {
			names.Behave(nameserver.Truncates)
			names.Serve(service, pods(3)...)
		}},
	}
	search.Waits = func(why string) {
		switch {
		case len(steps) > 0 && strings.Contains(why, steps[0].why):
			steps[0].next()
			steps = steps[1:]
		case !strings.Contains(why, noAnswer): // this machine may be too slow to answer itself
			t.Errorf("it waits for %s, and not for %v", why, steps)
		}
	}
	found, err := bully.FindMembers(t.Context(), search)
	require.NoError(t, err)
	require.Equal(t, threePods, found.Members)
	require.Empty(t, steps)

	// An address whose name is not known yet is nobody's.
	search = searchOf(t, names)
	search.Where = "dns://" + names.Address() + "/bully.test:7000"
	names.Pool("bully.test", "127.0.0.2", "127.0.0.3", "127.0.0.9")
	requireWaits(t, search, "DNS has no name of 127.0.0.9, which bully.test has")
	require.NoDirExists(t, search.Folder, "nothing is settled")
}

// TestFindMembersSaysOnce: that a name server cannot be asked is told without the port that was asked from, which is another each time: else it would
// be told twice a second.
func TestFindMembersSaysOnce(t *testing.T) {
	gone, err := nameserver.Start()
	require.NoError(t, err)
	require.NoError(t, gone.Close())
	search := searchOf(t, gone)
	ctx, stop := context.WithCancel(t.Context())
	search.Waits = func(why string) {
		if strings.Contains(why, noAnswer) { // this machine may be too slow to hear that nobody listens
			return
		}
		require.Contains(t, why, "DNS does not say SRV records of "+service+": ")
		require.NotContains(t, why, "127.0.0.1:")
		stop()
	}
	_, err = bully.FindMembers(ctx, search)
	require.ErrorIs(t, err, context.Canceled)
}

// TestFindMembersRefuses sees what no waiting makes right.
func TestFindMembersRefuses(t *testing.T) {
	target := func(host string, port uint16) nameserver.Target { return nameserver.Target{Host: host, Port: port} }
	for want, targets := range map[string][]nameserver.Target{
		" names 4 members, and 3 are expected: 1=bully-0.bully.test:7000,2=bully-1.bully.test:7000,3=bully-2.bully.test:7000,4=bully-3.bully.test:7000; ": pods(4),
		": bully-1.bully.test:7000 and other-1.bully.test:7000 are both node 2":                                                                           append(pods(2), target("other-1.bully.test", 7000)),
		": bully-0.bully.test:7000 and bully-0.bully.test:8000 are both node 1: each member needs an ordinal, and one port, of its own":                   {target(pod(0), 7000), target(pod(0), 8000)},
		`"bully.bully.test" has no ordinal: a name such as bully-0 is wanted`:                                                                             {target("bully.bully.test", 7000)},
		`"10-0-0-7.bully.test" is made of an address`:                                                                                                     {target("10-0-0-7.bully.test", 7000)},
		" names all 3 members, and this node, 1, is not among them: 2=bully-1.bully.test:7000,3=bully-2.bully.test:7000,4=bully-3.bully.test:7000":        pods(4)[1:],
	} {
		names := named(t, 3)
		names.Serve(service, targets...)
		search := searchOf(t, names)
		search.Waits = func(why string) { require.Contains(t, why, noAnswer, want) }
		_, err := bully.FindMembers(t.Context(), search)
		require.ErrorContains(t, err, want)
		require.NoDirExists(t, search.Folder, "nothing is settled")
	}
}

// TestFindMembersRefusesNames: of addresses too each must have a name with an ordinal of its own.
func TestFindMembersRefusesNames(t *testing.T) {
	names := named(t, 3)
	names.Host("bully.bully.test", "127.0.0.9")
	names.Pool("bully.test", "127.0.0.2", "127.0.0.9")
	search := searchOf(t, names)
	search.Where = "dns://" + names.Address() + "/bully.test:7000"
	search.Waits = func(why string) { require.Contains(t, why, unanswered) }
	_, err := bully.FindMembers(t.Context(), search)
	require.ErrorContains(t, err, `"bully.bully.test" has no ordinal: a name such as bully-0 is wanted`)

	names.Forget("bully.test") // and what has no address yet is waited for
	requireWaits(t, search, "DNS has no addresses of bully.test")
}

// TestSettledOrNotBegun: a node whose folder cannot keep who the members are does not begin with them. It waits in silence if nobody wants to be told.
func TestSettledOrNotBegun(t *testing.T) {
	names := named(t, 3)
	names.Serve(service, pods(2)...)
	search := searchOf(t, names)
	var log strings.Builder
	search.Logger = slog.New(slog.NewTextHandler(&log, nil))
	search.Folder = filepath.Join(search.Folder, "file", "below")
	file := filepath.Dir(search.Folder)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	go func() {
		for names.Asked() < 4 {
			time.Sleep(time.Millisecond)
		}
		_ = os.WriteFile(file, nil, 0o600) // once the search has begun
		names.Serve(service, pods(3)...)
	}()
	_, err := bully.FindMembers(t.Context(), search)
	require.ErrorContains(t, err, "who the members are could not be kept")
	var waits []string
	for line := range strings.Lines(log.String()) {
		_, why, _ := strings.Cut(line, " because=")
		waits = append(waits, why)
	}
	require.Contains(t, log.String(), "names 2 of 3 members")
	require.Equal(t, slices.Compact(slices.Clone(waits)), waits, "it says once what it waits for")
}

// TestFoundOnce sees that DNS says no more than where members are, once it is settled who they are.
func TestFoundOnce(t *testing.T) {
	names := named(t, 3)
	search := searchOf(t, names)
	var log strings.Builder
	search.Logger = slog.New(slog.NewTextHandler(&log, nil))
	find := func() (*bully.Found, error) { return bully.FindMembers(t.Context(), search) }
	_, err := find()
	require.NoError(t, err)

	names.Serve(service, nameserver.Target{Host: "new-0.bully.test", Port: 7001}, nameserver.Target{Host: pod(2), Port: 7000}, nameserver.Target{Host: pod(3), Port: 7000})
	found, err := find()
	for strings.Contains(log.String(), "could not be looked up") { // a second may be too short for this machine to answer itself
		log.Reset()
		found, err = find()
	}
	require.NoError(t, err)
	require.Equal(t, map[string]string{"1": "new-0.bully.test:7001", "2": pod(1) + ":7000", "3": pod(2) + ":7000"}, found.Members)
	require.Contains(t, log.String(), `msg="a member is elsewhere now" member=1 was=bully-0.bully.test:7000 is=new-0.bully.test:7001`)
	require.Contains(t, log.String(), `nodes="4=bully-3.bully.test:7000"`)

	names.Serve(service, pods(3)...)
	log.Reset()
	_, err = find()
	require.NoError(t, err)
	require.NotContains(t, log.String(), "no members")

	names.Behave(nameserver.Silent)
	found, err = find()
	require.NoError(t, err)
	require.Equal(t, threePods, found.Members)
	require.Contains(t, log.String(), "members could not be looked up: they are dialled where they were")

	file := filepath.Join(search.Folder, bully.SettledFile)
	for want, change := range map[string]func(*bully.Search){
		"; 4 are expected: they do not change any more":                            func(s *bully.Search) { s.Expect = 4 },
		"; this node, 4, is not among them: the folder is another node's":          func(s *bully.Search) { s.ID = "4" },
		": members are settled, and are 1=bully-0.bully.test:7000,2=bully-1.bully": func(s *bully.Search) { s.Expect = 2 },
	} {
		other := search
		change(&other)
		_, err := bully.FindMembers(t.Context(), other)
		require.ErrorContains(t, err, file)
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, os.WriteFile(file, []byte("1=a"), 0o600))
	_, err = find()
	require.ErrorContains(t, err, file+` is damaged: node 1: "a" is no address`)
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.Mkdir(file, 0o700))
	_, err = find()
	require.ErrorContains(t, err, "is a directory")
}

// TestOpenFound sees what is special of a node whose members were found: it takes no refusal for a death, asks the name server of the search,
// listens whatever its own name is, and begins with all others or not at all.
func TestOpenFound(t *testing.T) {
	names := named(t, 3)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	search := searchOf(t, names)
	found, err := bully.FindMembers(t.Context(), search)
	require.NoError(t, err)
	config := bully.Config{ID: "1", Cluster: "c", Folder: search.Folder, Found: found, Insecure: true,
		Links: func(c *transport.Config) {
			require.True(t, c.NoProof, "no proof of death may be drawn from an address that changes")
			require.Equal(t, ":7000", c.Members[spec.IntegerID(1)])
			addresses, err := c.Resolver.LookupHost(t.Context(), pod(2))
			require.NoError(t, err)
			require.Equal(t, []string{"127.0.0.4"}, addresses)
			c.Listener = l
		},
		Host: func(c *host.Config) { require.True(t, c.Together, "members that were found must start together") },
	}
	node, err := bully.Open(config)
	require.NoError(t, err)
	require.NoError(t, node.Close())
	config.Members = threePods
	_, err = bully.Open(config)
	require.EqualError(t, err, "bully: Found: Members are given too: leave out one of the two")
}

// TestSearchRefused sees what is wrong with a search before anything is asked.
func TestSearchRefused(t *testing.T) {
	for want, change := range map[string]func(*bully.Search){
		`Where: "http://x" is no place of members: give dns+srv://NAME, or dns://NAME:PORT`: func(s *bully.Search) { s.Where = "http://x" },
		`Where: "dns+srv://": no name to look up`:                                           func(s *bully.Search) { s.Where = "dns+srv://" },
		`Where: "dns+srv://a:1": no name to look up`:                                        func(s *bully.Search) { s.Where = "dns+srv://a:1" },
		`Where: "dns://bully": "bully" is no address: give host:port`:                       func(s *bully.Search) { s.Where = "dns://bully" },
		`Where: "dns://10.0.0.1:7000": 10.0.0.1 is an address, and no name`:                 func(s *bully.Search) { s.Where = "dns://10.0.0.1:7000" },
		`Where: "dns://x/bully:1": the name server: "x" is no address`:                      func(s *bully.Search) { s.Where = "dns://x/bully:1" },
		"Expect: 0 is not from 1 to 64":                                                     func(s *bully.Search) { s.Expect = 0 },
		"Expect: 65 is not from 1 to 64":                                                    func(s *bully.Search) { s.Expect = 65 },
		`ID: node id: "x" is neither`:                                                       func(s *bully.Search) { s.ID = "x" },
		"Folder is missing":                                                                 func(s *bully.Search) { s.Folder = "" },
	} {
		search := bully.Search{Where: "dns+srv://bully", Expect: 3, ID: "1", Folder: "d"}
		require.NoError(t, search.Validate())
		change(&search)
		require.ErrorContains(t, search.Validate(), "bully: "+want)
		_, err := bully.FindMembers(t.Context(), search)
		require.ErrorContains(t, err, want)
	}
}
