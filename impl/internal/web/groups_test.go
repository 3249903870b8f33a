package web

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// placedNode is a node of many groups that is what it is.
type placedNode struct {
	status    groups.Status
	placement groups.Placement
	ended     chan struct{}
}

func (n *placedNode) Status() groups.Status       { return n.status }
func (n *placedNode) Placement() groups.Placement { return n.placement }
func (n *placedNode) Done() <-chan struct{}       { return n.ended }

// newPlaced returns node 1 of three, where 3 is dead, and 2 leads what it is to lead: but nobody leads the last group.
func newPlaced() *placedNode {
	one, two, three := spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)
	n := &placedNode{ended: make(chan struct{})}
	n.placement = groups.Placement{Members: []spec.NodeID{three, one, two}, Weights: map[spec.NodeID]int{one: 1, two: 2, three: 1}, Pins: map[string]spec.NodeID{"b": three}}
	n.status = groups.Status{ID: one, Leading: 1, Up: []spec.NodeID{two}, Dead: []spec.NodeID{three}, Counters: groups.Counters{Bundles: 7, Saves: 5, Pauses: 2}, Groups: []groups.GroupStatus{
		{Name: "a", Role: spec.Leader, Leader: one, Epoch: 4, Wanted: one}, {Name: "b", Role: spec.Follower, Leader: two, Epoch: 9, Wanted: three, Stuck: true},
		{Name: "c", Role: spec.Electing, Epoch: 2, Wanted: two},
	}}
	return n
}

// asksOf returns what a server of such a node answers.
func asksOf(t *testing.T, n *placedNode) func(path string) (code int, body string) {
	return asksWith(t, n, nil)
}

// asksWith is asksOf a node whose cluster has an election of its own.
func asksWith(t *testing.T, n *placedNode, own Node) func(path string) (code int, body string) {
	t.Helper()
	s, err := New(Config{Groups: n, Node: own, Cluster: "jobs", Version: "v1", Views: map[spec.NodeID]string{spec.IntegerID(2): "http://two:8000"}, Stats: func() transport.Stats { return transport.Stats{Sent: 3} }})
	require.NoError(t, err)
	served := httptest.NewServer(s.server.Handler)
	t.Cleanup(served.Close)
	return func(path string) (int, string) {
		answer, err := http.Get(served.URL + path)
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode, string(body)
	}
}

// GET /groups says who leads what, beside who is to; and who would while some nodes are down.
func TestPlaced(t *testing.T) {
	ask := asksOf(t, newPlaced())
	_, body := ask("/groups")
	var p Placed
	require.NoError(t, json.Unmarshal([]byte(body), &p))
	one, two, three := spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)
	require.Equal(t, Placed{
		Node: one, Cluster: "jobs", Version: "v1", Names: []string{"a", "b", "c"}, Leaders: []int{0, 1, -1}, Wanted: []int{0, 2, 1}, Epochs: []spec.Epoch{4, 9, 2}, Pinned: []int{1}, Stuck: []int{1},
		Members: []PlacedMember{{ID: one, State: "this", Weight: 1, Leads: 1, Wanted: 1}, {ID: two, State: "up", Weight: 2, Leads: 1, Wanted: 1, View: "http://two:8000"},
			{ID: three, State: "dead", Weight: 1, Wanted: 1}},
	}, p)

	require.NoError(t, p.Check())

	_, body = ask("/groups?down=1")
	require.NoError(t, json.Unmarshal([]byte(body), &p))
	require.NotContains(t, p.Wanted, 0)
	require.Equal(t, []int{2, 1}, p.Wanted[1:], "what was to be led by others stays")
	_, body = ask("/groups?down=1,2")
	require.NoError(t, json.Unmarshal([]byte(body), &p))
	require.Equal(t, []int{-1, -1, -1}, p.Wanted, "one of three elects nobody")
	for _, bad := range []string{"4", "x"} {
		code, body := ask("/groups?down=" + bad)
		require.Equal(t, http.StatusBadRequest, code)
		require.Contains(t, body, `"`+bad+`" is no member: give ids, as in ?down=3,4`)
	}
}

// Where members change, whoever comes or goes is there too, and it is said which groups have not followed, and what they wait for; and who the members of the cluster are.
func TestPlacedWhileMembersChange(t *testing.T) {
	one, two, three, four := spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3), spec.IntegerID(4)
	of := func(kinds map[spec.NodeID]spec.MemberKind) spec.Configuration {
		var members []spec.Member
		for id, kind := range kinds {
			members = append(members, spec.Member{ID: id, Kind: kind})
		}
		c, err := spec.NewConfiguration(2, 3, members)
		require.NoError(t, err)
		return c
	}
	cluster := of(map[spec.NodeID]spec.MemberKind{one: spec.Voter, two: spec.Voter, four: spec.Observer})
	n := newPlaced()
	n.placement = groups.Placement{Members: []spec.NodeID{one, two}, Weights: map[spec.NodeID]int{one: 1, two: 2}}
	n.status.Groups = []groups.GroupStatus{
		{Name: "a", Leader: one, Epoch: 4, Wanted: one, Members: cluster},
		{Name: "b", Leader: three, Epoch: 9, Wanted: two, Members: of(map[spec.NodeID]spec.MemberKind{one: spec.Voter, two: spec.Voter, three: spec.Voter}), Pending: 2, Lags: "node 3 leads it, and knows why"},
		{Name: "c", Epoch: 2, Members: of(map[spec.NodeID]spec.MemberKind{one: spec.Voter, two: spec.Voter, four: spec.Voter}), Problem: "it waits", Pending: 1, Lags: "it waits"},
		{Name: "d", Leader: one, Epoch: 3, Wanted: one, Members: cluster},
	}
	ask := asksWith(t, n, &fake{status: host.Status{ID: one, Role: spec.Follower, Configuration: &cluster}})
	_, body := ask("/groups")
	var p Placed
	require.NoError(t, json.Unmarshal([]byte(body), &p))
	require.NoError(t, p.Check())
	require.Equal(t, []PlacedMember{{ID: one, State: "this", Weight: 1, Leads: 2, Wanted: 2, Kind: spec.Voter}, {ID: two, State: "up", Weight: 2, Wanted: 1, View: "http://two:8000", Kind: spec.Voter},
		{ID: three, State: "dead", Leads: 1, Out: true}, {ID: four, State: "down", Out: true, Kind: spec.Observer}}, p.Members)
	require.Equal(t, []int{0, 2, -1, 0}, p.Leaders)
	require.Equal(t, []int{0, 1, -1, 0}, p.Wanted)
	require.Equal(t, []int{1, 2}, p.Changing)
	require.Equal(t, map[int]string{1: "node 3 leads it, and knows why", 2: "it waits"}, p.Lags)
	require.Equal(t, map[int]string{2: "it waits"}, p.Problems)
	require.Equal(t, []map[int]spec.MemberKind{{0: spec.Voter, 1: spec.Voter, 3: spec.Observer}, {0: spec.Voter, 1: spec.Voter, 2: spec.Voter}, {0: spec.Voter, 1: spec.Voter, 3: spec.Voter}}, p.Sets)
	require.Equal(t, []int{0, 1, 2, 0}, p.Has)
	code, body := ask("/members")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, `"kind":"observer"`)

	// What is of one election is of the cluster's own, with how the groups are beside it.
	_, body = ask("/status")
	var now struct {
		Cluster string
		Groups  GroupsNow
	}
	require.NoError(t, json.Unmarshal([]byte(body), &now))
	require.Equal(t, "jobs", now.Cluster)
	require.Equal(t, GroupsNow{All: 4, Led: 1, WithoutLeader: 1, Lagging: 2, Pending: 3, Lags: []Lag{{"c", "it waits"}}}, now.Groups, "node 3 says why of what it leads")
	for range 2 * mostLags {
		n.status.Groups = append(n.status.Groups, groups.GroupStatus{Name: "more", Pending: 1, Lags: "why"})
	}
	_, body = ask("/status")
	require.NoError(t, json.Unmarshal([]byte(body), &now))
	require.Equal(t, 2+2*mostLags, now.Groups.Lagging)
	require.Len(t, now.Groups.Lags, mostLags, "they are many")
	for path, want := range map[string]string{"/leading": `"leading":false`, "/views": `"cluster":"jobs"`, "/healthz": "ok"} {
		_, body := ask(path)
		require.Contains(t, body, want, path)
	}
	_, body = ask("/metrics")
	for _, want := range []string{"bully_groups_lagging 42", "bully_groups_pending_changes 0", "bully_leading 0", `bully_members{kind="observer"} 1`, "bully_pauses_total 2"} {
		require.Contains(t, body, "\n"+want)
	}
	code, body = asksWith(t, n, &fake{status: host.Status{ID: one}, err: host.ErrStopped})("/healthz")
	require.Equal(t, http.StatusServiceUnavailable, code, body)
}

// Where members are fixed the cluster has no election of its own, and whoever asks for one is told where to ask.
func TestNoElectionOfTheCluster(t *testing.T) {
	ask := asksOf(t, newPlaced())
	for _, path := range []string{"/status", "/views", "/leading", "/members", "/events", "/steps", "/resign"} {
		code, body := ask(path)
		require.Equal(t, http.StatusNotFound, code, path)
		require.Contains(t, body, "none of the cluster itself, as its members are fixed: bully groups", path)
	}
}

// A change of members that waits for groups is not made in time: who wanted it is told which they are, and why they lag.
func TestChangeWaitsForGroups(t *testing.T) {
	n := newPlaced()
	n.status.Groups[0].Pending, n.status.Groups[0].Lags = 1, "node 4 is to vote"
	s := &Server{config: Config{Groups: n, Node: &fake{}}}
	_, why := s.whyNot(host.ErrChangeInProgress)
	require.Contains(t, why.Message, "; 1 groups have not followed the last change yet, and the next waits for them (bully groups names them): a: node 4 is to vote")
	_, why = s.whyNot(host.ErrNotLeader)
	require.NotContains(t, why.Message, "groups")
	n.status.Groups[0].Pending = 0
	_, why = s.whyNot(host.ErrChangeInProgress)
	require.NotContains(t, why.Message, "groups")
}

// What a node has told may be anything: what does not fit together is not believed.
func TestPlacedIsChecked(t *testing.T) {
	good := Placed{Members: make([]PlacedMember, 2), Names: []string{"a"}, Leaders: []int{-1}, Wanted: []int{1}, Epochs: []spec.Epoch{0}}
	require.NoError(t, good.Check())
	for name, spoil := range map[string]func(*Placed){
		"a column is short":   func(p *Placed) { p.Epochs = nil },
		"a leader nobody is":  func(p *Placed) { p.Leaders = []int{2} },
		"less than nobody":    func(p *Placed) { p.Leaders = []int{-2} },
		"less is wanted":      func(p *Placed) { p.Wanted = []int{-2} },
		"a pin to nobody":     func(p *Placed) { p.Wanted, p.Pinned = []int{-1}, []int{0} },
		"changes in no group": func(p *Placed) { p.Changing = []int{1} },
		"a problem of none":   func(p *Placed) { p.Problems = map[int]string{1: "it waits"} },
		"a lag of none":       func(p *Placed) { p.Lags = map[int]string{-1: "it waits"} },
		"a set is not there":  func(p *Placed) { p.Has = []int{0} },
		"too few sets":        func(p *Placed) { p.Has, p.Sets = []int{0, 0}, []map[int]spec.MemberKind{{}} },
		"a set of nobody":     func(p *Placed) { p.Has, p.Sets = []int{0}, []map[int]spec.MemberKind{{2: spec.Voter}} },
		"a pin of no group":   func(p *Placed) { p.Pinned = []int{1} },
		"a wanted nobody is":  func(p *Placed) { p.Wanted = []int{2} },
		"a pin of less group": func(p *Placed) { p.Pinned = []int{-1} },
	} {
		bad := good
		spoil(&bad)
		require.Error(t, bad.Check(), name)
	}
}

// GET /leader says who leads one group.
func TestLeaderOfGroup(t *testing.T) {
	n := newPlaced()
	n.status.Groups = append(n.status.Groups, groups.GroupStatus{Name: "e", Wanted: spec.IntegerID(2)})
	ask := asksOf(t, n)
	for path, want := range map[string]struct {
		code int
		body string
	}{
		"/leader?group=b": {http.StatusOK, `{"group":"b","leader":"2","epoch":9,"view":"http://two:8000"}`},
		"/leader?group=c": {http.StatusServiceUnavailable, `{"group":"c","leader":null,"epoch":2}`},
		"/leader?group=e": {http.StatusServiceUnavailable, "the node has not started yet\n"},
		"/leader?group=d": {http.StatusNotFound, `this node takes part in no group "d"`},
		"/leader":         {http.StatusBadRequest, "which group?"},
		"/healthz":        {http.StatusOK, "ok"},
	} {
		code, body := ask(path)
		require.Equal(t, want.code, code, path)
		require.Contains(t, body, want.body, path)
	}
	close(n.ended)
	code, _ := ask("/healthz")
	require.Equal(t, http.StatusServiceUnavailable, code)
}

// The metrics of many groups are as many as those of one: none has the name of a group.
func TestGroupMetrics(t *testing.T) {
	n := newPlaced()
	_, few := asksOf(t, n)("/metrics")
	for _, want := range []string{"bully_groups 3", "bully_groups_led 1", "bully_groups_followed 1", "bully_groups_without_leader 1", "bully_groups_elsewhere 1", "bully_groups_stuck 1",
		"bully_groups_frames_sent_total 7", "bully_groups_saves_total 5", "bully_pauses_total 2", `bully_link_up{node="2"} 1`, `bully_link_dead{node="3"} 1`, "bully_transport_sent_total 3", "bully_goroutines "} {
		require.Contains(t, few, "\n"+want)
	}
	for range 1000 {
		n.status.Groups = append(n.status.Groups, groups.GroupStatus{Name: "more", Wanted: n.status.ID})
	}
	_, many := asksOf(t, n)("/metrics")
	require.Equal(t, strings.Count(few, "\n"), strings.Count(many, "\n"))
}

// The page asks its own node, and nobody else.
func TestPlacementPage(t *testing.T) {
	code, page := asksOf(t, newPlaced())("/")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, page, "fetch('/groups")
	require.NotContains(t, page, "http:")
	require.NotContains(t, page, "https:")
	require.NotContains(t, page, "innerHTML", "names are text")
}
