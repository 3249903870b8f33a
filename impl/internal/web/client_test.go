package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

func TestURL(t *testing.T) {
	for text, want := range map[string]string{
		"h:1": "http://h:1", "http://h:1": "http://h:1", "https://h:1/": "https://h:1", "h:1/": "http://h:1",
	} {
		url, err := URL(text)
		require.NoError(t, err, text)
		require.Equal(t, want, url)
	}
	for text, says := range map[string]string{"": "an address is empty", "h:1/path": "and nothing after it", "ftp://h": "is no address of a page", "u@h:1": "is no address of a page"} {
		_, err := URL(text)
		require.ErrorContains(t, err, says, text)
	}
}

// TestViews: the first node that answers is asked for the others, and only that one; itself it says by another name.
func TestViews(t *testing.T) {
	var asked atomic.Int32
	knows := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = fmt.Fprint(w, `{"node":"3","views":{"3":"http://itself:1","5":"http://other:1"}}`)
	}))
	defer knows.Close()
	const gone = "http://127.0.0.1:1"
	want := []string{gone, knows.URL, "http://other:1"}
	require.Equal(t, want, Views(t.Context(), []string{gone, knows.URL}))
	require.Equal(t, slices.Concat([]string{knows.URL, knows.URL}, want[2:]), Views(t.Context(), []string{knows.URL, knows.URL}))
	require.EqualValues(t, 2, asked.Load())
}

// TestNoLeaderInTime: when time is up, that is what is said, and not that the last request was broken off.
func TestNoLeaderInTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := (&Operator{Nodes: []string{"http://127.0.0.1:1"}}).Leader(ctx)
	require.EqualError(t, err, "no leader was found in time, and without one no member can be changed: see bully status; if a quorum of "+
		"the members is lost for good, begin a new cluster: see bully help init")
}

// TestOutcomeIsAsked: a leader that does not answer may have made the change. Whoever leads next is asked once it knows what is settled, and the change is not made twice.
func TestOutcomeIsAsked(t *testing.T) {
	three := spec.IntegerID(3)
	with := func(ids ...uint64) *spec.Configuration {
		var members []spec.Member
		for _, id := range ids {
			members = append(members, spec.Member{ID: spec.IntegerID(id), Kind: spec.Voter, Rank: 1, Address: fmt.Sprintf("h:%d", id)})
		}
		c, err := spec.NewConfiguration(4, 2, members)
		require.NoError(t, err)
		return &c
	}
	says := []Members{
		{Node: three, Leading: true, Settled: true, Configuration: with(1, 3)},
		{Node: three, Leading: true, Configuration: with(1, 3)},
		{Node: three, Leading: true, Settled: true, Configuration: with(1, 2, 3)},
	}
	changes, refuses := 0, ""
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && changes == 1 && refuses != "":
			changes++
			_, _ = fmt.Fprint(w, refuses)
		case r.Method == http.MethodPost:
			changes++
			panic(http.ErrAbortHandler)
		case r.URL.Path == "/members":
			_ = json.NewEncoder(w).Encode(says[0])
			says = says[1:]
		default:
			http.NotFound(w, r)
		}
	}))
	defer node.Close()
	first := says[0]
	var told []string
	o := Operator{Nodes: []string{node.URL}, Say: func(text string) { told = append(told, text) }}
	require.NoError(t, o.CarryOut(t.Context(), Change{Do: "add", ID: spec.IntegerID(2), Address: "h:2"}))
	require.Equal(t, 1, changes)
	require.Empty(t, says)
	says, changes = []Members{first, first, first}, 0
	refuses = `{"error":"leads_no_more?","message":"no\nquorum"}`
	require.EqualError(t, o.CarryOut(t.Context(), Change{Do: "add", ID: spec.IntegerID(2), Address: "h:2"}),
		"what was left of the change: no quorum; bully member list shows what has been done of it")
	require.Equal(t, 2, changes)
	told = told[:1]
	require.Equal(t, []string{"node 3, which led, has gone: node 3, which led, has not answered: EOF; the next leader tells whether the members have been changed"}, told)
}
